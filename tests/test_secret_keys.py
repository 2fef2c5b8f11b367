"""Keys in texts, in whichever form a server quotes them."""

import base64
import html
import json
import quopri
import subprocess
import sys
from collections.abc import Callable
from typing import Final
from urllib.parse import quote, quote_plus, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.errors import HippoHoverError, LanguageModelError
from hippohover.secret_keys import holds_a_key, without_keys, without_likely_keys

KEY: Final = 'opaque/Key+42"é\\=&'
FORMS: Final[dict[str, Callable[[str], str]]] = {
    "as it is": str,
    "upper": str.upper,
    "lower": str.lower,
    "quoted": quote,
    "quoted, all of it": lambda key: quote(key, safe=""),
    "quoted, lower": lambda key: quote(key, safe="").lower(),
    "quoted, upper": lambda key: quote(key, safe="").upper(),
    "quoted as of a form": quote_plus,
    "quoted twice": lambda key: quote(quote(key, safe=""), safe=""),
    "every byte": lambda key: "".join(f"%{byte:02X}" for byte in key.encode()),
    "JSON": lambda key: json.dumps(key)[1:-1],
    "JSON twice": lambda key: json.dumps(json.dumps(key)[1:-1])[1:-1],
    "JSON in UTF-8": lambda key: json.dumps(key, ensure_ascii=False)[1:-1],
    "Python": lambda key: repr(key)[1:-1],
    "HTML": html.escape,
    "bytes of Python": lambda key: repr(key.encode())[2:-1],
    "base64": lambda key: base64.b64encode(key.encode()).decode().rstrip("="),
    "base64, padded": lambda key: base64.b64encode(key.encode()).decode(),
    "base64 of addresses": lambda key: base64.urlsafe_b64encode(key.encode()).decode(),
    "hex": lambda key: key.encode().hex(),
    "hex, upper": lambda key: key.encode().hex().upper(),
    "hex, spaced": lambda key: key.encode().hex(" "),
    "hex, as numbers": lambda key: ", ".join(f"{byte:02x}" for byte in key.encode()),
    "quoted-printable": lambda key: quopri.encodestring(key.encode()).decode(),
    "quoted-printable, all of it": lambda key: "".join(f"={byte:02X}" for byte in key.encode()),
}
LONG: Final = "opaque+Key/42~\xff?>" * 12


@pytest.mark.parametrize("form", FORMS)
def test_a_key_is_hidden_in_every_form(form: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SOME_API_KEY", KEY)
    quoted = FORMS[form](KEY)
    assert without_keys(f"refused: {quoted}, sent") == "refused: ***, sent"
    assert without_keys(quoted) == "***"
    assert str(LanguageModelError(f"m refused {quoted}")) == "m refused ***"
    assert HippoHoverError(f"x {quoted}").args == ("x ***",)


@pytest.mark.parametrize("key", [KEY, LONG, "=42=ab=3D?", "ab>?~~"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode, base64.encodebytes])
@pytest.mark.parametrize("before", ["", ":", "u:", "Bearer ", "a user: "])
@pytest.mark.parametrize("behind", ["", "?", "~~", "~~~"])
def test_a_key_is_hidden_within_what_is_sent_in_base64(
    key: str, encode: Callable[[bytes], bytes], before: str, behind: str
):
    sent = encode(f"{before}{key}{behind}".encode()).decode()
    for quoted in (sent, json.dumps(sent), sent.replace("=", "%3D").replace("+", "%2B")):
        shown = without_keys(f"x {quoted} y", [key])
        assert "***" in shown
        assert len(unquote(shown)) <= len("x  y***") + 4 * (len(before) + len(behind)) // 3 + 8


def test_long_keys_are_hidden_where_a_mail_breaks_them():
    quoted = quopri.encodestring(LONG.encode()).decode()
    assert without_keys(f"x {quoted} y", [LONG]) == "x *** y"
    assert without_keys("k=ab/cdefgh, k=ab%2fcdefgh", ["ab/cdefgh"]) == "k=***, k=***"


@given(st.text(st.characters(codec="utf-8"), min_size=6), st.text())
def test_no_key_is_left_and_other_texts_stay(key: str, text: str):
    assert key not in without_keys(f"{text}{key}{text}", [key])
    assert without_keys(text, ["\0absent\0"]) == text


def test_the_variable_that_holds_a_key_may_have_any_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OF_THE_OFFICE", "word-of-ours")
    assert without_keys("word-of-ours") == "word-of-ours"
    holds_a_key("OF_THE_OFFICE")
    assert without_keys("word-of-ours") == "***"


def test_what_looks_like_a_key_of_others_is_hidden_where_servers_speak():
    assert without_likely_keys("sk-proj-abcdefgh1234; Bearer xyz") == "***; Bearer ***"
    assert without_keys("sk-proj-abcdefgh1234") == "sk-proj-abcdefgh1234"


DEBUGGED: Final = """
import os, sys
from hippohover.cli import commands, running
def fail(*a, **k):
    try:
        try:
            raise ValueError("first " + os.environ["SOME_API_KEY"])
        except ValueError as error:
            raise KeyError("then " + os.environ["SOME_API_KEY"].upper()) from error
    finally:
        sys.stderr.write("a library logs " + os.environ["SOME_API_KEY"] + "\\x1b[31m\\n")
running.app = fail
sys.exit(running.run(["query"]))
"""


def test_no_traceback_shows_a_key():
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", DEBUGGED],
        env={"HIPPOHOVER_DEBUG": "1", "SOME_API_KEY": "opaque-key-42",
             "PYTHONPATH": ":".join(sys.path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 2
    assert done.stderr.count("***") >= 4
    assert "opaque-key-42" not in done.stderr.lower()
    assert "\x1b" not in done.stderr
