"""Links to the files of passages, and what a browser gets of them."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient

from hippohover.errors import NotInIndexError
from hippohover.metadata import Metadata
from hippohover.retrieval.engine import HippoHover
from hippohover.web.documents import Documents, response_of
from hippohover.web.server import ServerSettings, make_app
from hippohover.web.service import Service
from tests.placed_samples import ATTACK, PDF, write_files

CLAIM = "Dario Fenn scored the only goal of a final that was moved because of floods."
LOCAL = "http://127.0.0.1"
TOKEN = "open sesame"  # noqa: S105
PAGE = "/v1/documents/cups/1934%20%26%2050%20%25.html"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("documents") / "corpus")


@pytest.fixture(scope="module")
def engine(placed_index: Path) -> Iterator[HippoHover]:
    opened = HippoHover.open(placed_index)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def client(engine: HippoHover, folder: Path) -> Iterator[TestClient]:
    service = Service(engine, documents=Documents(folder))
    with TestClient(make_app(service), base_url=LOCAL) as made:
        yield made


@pytest.mark.parametrize(
    ("metadata", "link"),
    [
        ({"path": "cups/fenn.pdf", "page": 2}, "/v1/documents/cups/fenn.pdf#page=2"),
        ({"path": "cups/1934 & 50 %.html", "anchor": "The day"}, f"{PAGE}#The%20day"),
        ({"path": "cups/README"}, "/v1/documents/cups/README"),
        ({"path": "cups/gone.txt", "page": 2}, ""),
        ({"path": "cups"}, ""),
        ({"path": "../secret.txt"}, ""),
        ({"path": "/etc/hostname"}, ""),
        ({"path": "a\0b"}, ""),
        ({"page": 2}, ""),
    ],
)
def test_a_link_leads_to_a_file_that_is_there(folder: Path, metadata: Metadata, link: str):
    assert Documents(folder).link(metadata) == link


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("A mid-sized mill, built & burnt.",
         "#:~:text=A%20mid%2Dsized%20mill%2C%20built%20%26"),
        ("Locks\nThe seven locks were dug by hand in spring.",
         "#:~:text=The%20seven%20locks%20were%20dug&text=by%20hand%20in%20spring."),
        ("水門は七つある。石で造られた。",
         "#:~:text=%E6%B0%B4%E9%96%80%E3%81%AF%E4%B8%83%E3%81%A4%E3%81%82%E3%82%8B%E3%80%82"
         "%E7%9F%B3%E3%81%A7%E9%80%A0%E3%82%89%E3%82%8C%E3%81%9F%E3%80%82"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_link_names_the_first_words_of_a_text_line_by_line(folder: Path, text: str, place: str):
    documents = Documents(folder)
    assert documents.link({"path": "cups/README"}, text) == f"/v1/documents/cups/README{place}"
    above = f"Oats and barley\n\n## {text.splitlines()[0]}\n{text}" if text else ""
    headed = {"path": "cups/README", "heading": f"Mills > {text.partition(chr(10))[0]}"}
    assert "Oats" not in documents.link(headed, above)
    pdf = documents.link({"path": "cups/fenn.pdf", "page": 2}, text)
    assert pdf == "/v1/documents/cups/fenn.pdf#page=2"


def test_a_link_names_the_sentence_that_matters(folder: Path):
    text = "The mill of Ebbing was built of oak. Its wheel turned for ninety years. It fell. Then a"
    text += " dam was raised above the mill."
    documents, metadata = Documents(folder), {"path": "cups/README", "heading": "The mill"}

    def place(sentence: str) -> str:
        return unquote(documents.link(metadata, text, sentence).partition("#:~:")[2])

    assert place("Its wheel turned for ninety years.") == "text=Its wheel turned for ninety"
    assert place("It fell.") == "text=It fell. Then a dam&text=was raised above the mill."
    assert place("").startswith("text=The mill of Ebbing")


def test_a_link_leaves_out_words_that_stand_further_up(folder: Path):
    sentence = "The wheel of the mill turned until the dam of Ebbing was raised."
    text = f"Of the wheel of the mill all speak. {sentence}"
    link = Documents(folder).link({"path": "cups/README"}, text, sentence)
    assert unquote(link).endswith("#:~:text=turned until the dam of&text=Ebbing was raised.")


def test_what_a_link_within_the_folder_shows_outside_is_no_file(folder: Path, tmp_path: Path):
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "out.txt").symlink_to(folder / "cups" / "README")
    (tmp_path / "corpus" / "loop").symlink_to("loop")
    documents = Documents(tmp_path / "corpus")
    assert (documents.file("out.txt"), documents.file("loop")) == (None, None)
    (tmp_path / "way").symlink_to(folder)
    assert Documents(tmp_path / "way").file("cups/README") == (folder / "cups" / "README").resolve()


def test_an_answer_and_its_evidence_lead_to_their_files(client: TestClient):
    found = client.post("/v1/retrieve", json={"claim": CLAIM, "k": 6}).json()["passages"]
    links = {one["title"]: one["link"] for one in found}
    assert links["Dario Fenn"] == "/v1/documents/cups/fenn.pdf#page=2"
    assert links["1934 Harbour Cup Final"].startswith(f"{PAGE}#The%20day:~:text=")
    assert links["Lena Fenn"] == ""
    judged = client.post("/v1/verify", json={"text": CLAIM}).json()
    assert set(judged["links"]) == set(judged["metadata"]) == set(judged["titles"])
    assert "/v1/documents/cups/fenn.pdf#page=2" in judged["links"].values()


def test_html_is_shown_in_a_sandbox_and_text_and_pdf_as_what_they_are(client: TestClient):
    page = client.get(f"{PAGE}#The%20day")
    assert (page.status_code, page.text) == (200, ATTACK)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    policy = [part.strip() for part in page.headers["content-security-policy"].split(";")]
    assert "sandbox" in policy  # no allow-scripts, no allow-same-origin
    assert "default-src 'none'" in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    text = client.get("/v1/documents/cups/README")
    assert text.headers["content-type"] == "text/plain; charset=utf-8"
    assert text.headers["content-disposition"].startswith("inline")
    assert "sandbox" in text.headers["content-security-policy"]
    pdf = client.get("/v1/documents/cups/fenn.pdf")
    assert (pdf.content, pdf.headers["content-type"]) == (PDF, "application/pdf")
    assert "default-src 'none'" in pdf.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("name", "content", "media"),
    [
        ("x.svg", b"<svg onload='x()'/>", "text/plain; charset=utf-8"),
        ("x.xhtml", b"<html/>", "text/plain; charset=utf-8"),
        ("x.HTML", b"<p>", "text/html; charset=utf-8"),
        ("x.htm", b"<meta charset=iso-8859-2>\xb3", "text/html; charset=iso-8859-2"),
        ("x.html", "<p>Größe, 琥珀の塔</p>".encode(), "text/html; charset=utf-8"),
        ("x.txt", "Die Brücke heißt „Alte Brücke“.".encode("cp1252"),
         "text/plain; charset=windows-1252"),
        ("ja.txt", "古い橋は技師の田中によって建てられました。".encode("cp932"),
         "text/plain; charset=shift_jis"),
        ("x.md", "\ufeffÜber".encode("utf-16-le"), "text/plain; charset=utf-16le"),
        ("x.png", b"\x89PNG\r\n\x1a\n\0\0", "application/octet-stream"),
        ("x.docx", b"PK\x03\x04\0\0", "application/octet-stream"),
        ("\u017c\u00f3\u0142w\n.bin", b"\0", "application/octet-stream"),
        ("empty", b"", "text/plain; charset=utf-8"),
    ],
)  # fmt: skip
def test_nothing_else_is_more_than_text(tmp_path: Path, name: str, content: bytes, media: str):
    (tmp_path / name).write_bytes(content)
    response = response_of(tmp_path / name)
    assert response.headers["content-type"] == media
    assert response.headers["content-security-policy"].startswith("sandbox;")
    is_saved = media == "application/octet-stream"
    how = response.headers["content-disposition"]
    assert how.startswith("attachment" if is_saved else "inline")
    assert how.isascii()
    assert "\n" not in how


@pytest.mark.parametrize(
    "path",
    [
        "cups/unindexed.txt",
        "cups/gone.txt",
        "../secret.txt",
        "%2e%2e/secret.txt",
        "cups/%2e%2e/cups/README",
        "/cups/README",
        "cups/README/",
        "cups",
        "",
        "%00",
        "%ff",
    ],
)
def test_only_files_of_the_index_inside_the_folder_are_given(client: TestClient, path: str):
    response = client.get(f"/v1/documents/{path}")
    assert response.status_code == 404
    assert list(response.json()) == ["detail"]
    assert "ecret." not in response.text.replace("secret.txt", "")


def test_a_server_with_a_token_gives_what_its_own_links_lead_to(engine: HippoHover, folder: Path):
    service = Service(engine, documents=Documents(folder, TOKEN))
    settings = ServerSettings(token=TOKEN)
    with TestClient(make_app(service, settings), base_url=LOCAL) as client:
        asked = client.post(
            "/v1/retrieve",
            json={"claim": CLAIM, "k": 6},
            headers={"Authorization": f"Bearer {TOKEN}"},
        )
        links = {one["title"]: one["link"] for one in asked.json()["passages"]}
        pdf, page = links["Dario Fenn"], links["1934 Harbour Cup Final"]
        assert client.get(pdf).content == PDF
        assert client.get(page).text == ATTACK
        key = page.partition("?key=")[2].partition("#")[0]
        assert TOKEN not in unquote(key)
        for other in (
            pdf.partition("?")[0],
            f"{pdf.partition('?')[0]}?key={key}",
            f"{PAGE}?key=\u017c",
        ):
            assert client.get(other).status_code == 404


def test_without_a_folder_nothing_is_given(engine: HippoHover):
    service = Service(engine)
    assert {one["link"] for one in service.retrieve(CLAIM, 6, "ppr")["passages"]} == {""}
    with pytest.raises(NotInIndexError, match="'cups/README'"):
        service.document("cups/README", "")
