"""Aliases: how they are written, what they merge, and that removing a line undoes it."""

from pathlib import Path

import pytest

from hippohover.errors import UsageError
from hippohover.indexing.update import Update, alias
from hippohover.names.aliases import NOTHING_MERGED, Merged, merge, read_aliases
from hippohover.recipe import IndexRecipe
from hippohover.retrieval.engine import HippoHover
from tests.indexing.update_samples import FAST, WORLD, built, checksums, version

ALIASES = {"O. B.": "Otto Brenner", "the Loom": "Silver Loom", "Aldermoor Town": "Aldermoor"}


def of(aliases: dict[str, str]) -> IndexRecipe:
    return FAST.model_copy(update={"aliases": dict(sorted(aliases.items()))})


def test_a_file_of_aliases(tmp_path: Path):
    file = tmp_path / "a.tsv"
    file.write_text("the Loom\tSilver Loom\n\nO. B.\t Otto Brenner \nO. B.\tOtto Brenner\n")
    assert list(read_aliases(file).items()) == [
        ("O. B.", "Otto Brenner"), ("the Loom", "Silver Loom"),
    ]  # fmt: skip
    for line, message in (
        ("only one", "'only one': write an alias, a tab, and the name"),
        ("a\tb\tc", "write an alias, a tab, and the name"),
        ("a\t", "write an alias, a tab, and the name"),
        ("a\tb\na\tc", "'a' stands for 'b' and 'c': keep one"),
    ):
        file.write_text(line)
        with pytest.raises(UsageError, match=message):
            read_aliases(file)


def test_what_an_alias_stands_for_in_the_end():
    assert merge({}) == NOTHING_MERGED
    assert merge({"O. B.": "Otto", "Otto": "Otto Brenner", "OTTO": "Otto"}) == Merged(
        {"o b": "otto brenner", "otto": "otto brenner"}, {"otto brenner": "Otto Brenner"}
    )


@pytest.mark.parametrize(
    ("aliases", "message"),
    [
        ({"A1": "B1", "B1": "C1", "C1": "A1"}, "stand for one another: 'a1' -> 'b1' -> 'c1' ->"),
        ({"Otto": "X1", "OTTO": "Y1"}, "another spelling of it stands for a name other than"),
        ({"the": "Thea"}, "'the' cannot be found in a text"),
        ({"Thea": " "}, "' ' cannot be found in a text"),
        ({"a " * 17: "Thea"}, "names have 1 to 16 words"),
    ],
)
def test_aliases_that_cannot_be(aliases: dict[str, str], message: str):
    with pytest.raises(UsageError, match=message):
        merge(aliases)


def test_names_that_mean_the_same_are_one_entity(tmp_path: Path):
    apart = HippoHover.open(built(WORLD, tmp_path / "apart"))
    engine = HippoHover.open(built(WORLD, tmp_path / "merged", of(ALIASES)))
    claim = "O. B. sat by the Loom near Aldermoor Town."
    assert set(apart.names_in(claim)) == {"Aldermoor"}
    as_written = apart.names_in("Otto Brenner sat by Silver Loom near Aldermoor.")
    assert set(as_written) == {"Otto Brenner", "Silver Loom", "Aldermoor"}
    assert engine.names_in(claim) == as_written
    assert engine.manifest.recipe["aliases"] == dict(sorted(ALIASES.items()))


def test_titles_that_are_merged_lead_to_both_passages(tmp_path: Path):
    aliases = {"Zyxwolf": "Velmora", "Velmora": "The Rain Film"}
    engine = HippoHover.open(built(WORLD, tmp_path / "i", of(aliases)))
    for name in ("Zyxwolf", "Velmora", "The Rain Film"):
        assert list(engine.names_in(f"{name} is new.")) == ["The Rain Film"]
        titles = [one.title for one in engine.retrieve(f"{name} is new.", 6).passages]
        assert {"Zyxwolf", "Velmora"} <= set(titles)


def test_a_line_that_is_taken_out_undoes_what_it_did(tmp_path: Path):
    root = built(WORLD, tmp_path / "i")
    plain = checksums(root)
    fewer = {name: ALIASES[name] for name in ("the Loom",)}
    assert alias(root, ALIASES) == Update(n_added=0, n_removed=0, n_known=0, n_passages=11)
    assert checksums(root) == checksums(built(WORLD, tmp_path / "all", of(ALIASES))) != plain
    alias(root, fewer)
    assert checksums(root) == checksums(built(WORLD, tmp_path / "fewer", of(fewer)))
    alias(root, {})
    assert checksums(root) == plain
    assert version(root) == "v000004"
    alias(root, {})
    assert version(root) == "v000004"  # nothing to change
    with pytest.raises(UsageError, match="stand for one another"):
        alias(root, {"A1": "B1", "B1": "A1"})
    assert version(root) == "v000004"


def test_a_file_whose_last_line_was_taken_out_merges_nothing(tmp_path: Path):
    (tmp_path / "a.tsv").write_text("\n")
    assert read_aliases(tmp_path / "a.tsv") == {}


def test_long_chains_and_circles_are_followed_at_once():
    chain = {f"name {at}": f"name {at + 1}" for at in range(20_000)}
    merged = merge(chain)
    assert set(merged.keys.values()) == {"name 20000"}
    assert len(merged.keys) == 20_000
    with pytest.raises(UsageError, match="aliases stand for one another: 'name ") as refused:
        merge({**chain, "name 20000": "name 0"})
    assert len(str(refused.value)) < 300


def test_an_alias_that_is_no_text_is_refused():
    with pytest.raises(UsageError, match="lone surrogate"):
        merge({"\ud800": "x"})
