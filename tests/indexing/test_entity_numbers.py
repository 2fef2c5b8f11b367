"""Numbers of entities: those that plain dictionaries give, whatever the chunks."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.disk.columns import chunks
from hippohover.errors import BuildError
from hippohover.indexing.entity_numbers import EntityNumbers
from hippohover.names.aliases import NOTHING_MERGED, Merged, merge
from hippohover.names.interning import ABSENT, hashed
from hippohover.names.key_table import key_hashes
from hippohover.names.mentions import case_rule
from hippohover.names.normal_forms import entity_key
from hippohover.names.titles import IN_PART, TitleKind, title_keys
from hippohover.records import Passage
from tests.indexing.work_samples import pid


def passages(*pairs: tuple[str, str]) -> list[Passage]:
    return [Passage(pid(row), title, text) for row, (title, text) in enumerate(pairs)]


def of(
    pages: Sequence[Passage], merged: Merged = NOTHING_MERGED, *, size: int = 4096
) -> EntityNumbers:
    return EntityNumbers.of_names(chunks(pages, size), merged)


def keys(entities: EntityNumbers) -> list[str]:
    return entities.keys().to_pylist()


def displays(entities: EntityNumbers) -> list[str]:
    return entities.displays().to_pylist()


def add(entities: EntityNumbers, *names: str) -> list[int]:
    of_names = [entity_key(name) for name in names]
    return entities.add(of_names, list(names), *hashed(of_names)).tolist()


def test_a_title_and_its_bare_form_are_names():
    entities = of(passages(("Velmora (film)", "x"), ("Otto Brenner", "y")))
    assert keys(entities) == ["velmora film", "velmora", "otto brenner"]
    assert entities.owners.tolist() == [
        [0, 0, TitleKind.FULL], [0, 1, TitleKind.BARE], [1, 2, TitleKind.FULL],
    ]  # fmt: skip
    assert entities.owners.dtype == np.int32
    assert entities.n_known == len(entities) == 3


def test_passages_may_share_a_name():
    entities = of(passages(("Velmora", "x"), ("Velmora (film)", "y")), size=1)
    assert keys(entities) == ["velmora", "velmora film"]
    assert entities.owners.tolist() == [
        [0, 0, TitleKind.FULL], [1, 1, TitleKind.FULL], [1, 0, TitleKind.BARE],
    ]  # fmt: skip


def test_a_name_is_written_as_its_first_title():
    pages = passages(("VELMORA (Film)", ""), ("Velmora", ""), ("", "Otto Brenner slept."))
    for size in (1, 2, 3):
        found = displays(of(pages, size=size))
        assert found == ["VELMORA (Film)", "VELMORA", "otto brenner"]


def test_passages_without_any_name_own_none():
    entities = of(passages(("", "it rains a lot."), ("", "")), size=1)
    assert entities.owners.shape == (0, 3)
    assert (len(entities), entities.n_known, keys(entities)) == (0, 0, [])
    assert (entities.n_tokens(), list(entities.findable())) == (0, [])
    assert entities.hashes().dtype == np.uint64
    assert len(of([])) == 0


def test_what_is_added_follows_the_known_names():
    entities = of(passages(("Velmora", "x")))
    assert add(entities, "Grey Mill", "VELMORA", "grey mill", "Otto B.") == [1, 0, 1, 2]
    assert add(entities, "otto b", "Ines") == [2, 3]
    assert keys(entities) == ["velmora", "grey mill", "otto b", "ines"]
    assert displays(entities) == ["Velmora", "Grey Mill", "Otto B.", "Ines"]
    assert entities.hashes().tolist() == key_hashes(keys(entities)).tolist()
    assert (len(entities), entities.n_known) == (4, 1)
    assert list(entities.findable()) == [("velmora", 0)]  # what is added is not looked for
    asked = key_hashes(["ines", "velmora", "nobody"])
    assert entities.numbers(asked).tolist() == [3, 0, ABSENT]


# --- aliases -----------------------------------------------------------------------------------

MERGED = merge({"the Loom": "Silver Loom", "Velmora": "O. B. (film)", "Loom": "the Loom"})


def test_an_alias_has_the_number_of_its_name():
    entities = of(passages(("Velmora", ""), ("Silver Loom", ""), ("Loom (river)", "")), MERGED)
    assert keys(entities) == ["o b film", "silver loom", "loom river"]
    assert displays(entities) == ["O. B. (film)", "Silver Loom", "Loom (river)"]
    assert entities.owners.tolist() == [
        [0, 0, TitleKind.FULL], [1, 1, TitleKind.FULL], [2, 2, TitleKind.FULL],
        [2, 1, TitleKind.BARE],
    ]  # fmt: skip
    assert entities.aliases == {"velmora": 0, "the loom": 1, "loom": 1}
    assert add(entities, "LOOM", "Velmora", "Otto", "Silver Loom") == [1, 0, 3, 1]
    hashes = key_hashes(["the loom", "otto", "velmora", "none"])
    assert entities.numbers(hashes).tolist() == [1, 3, 0, ABSENT]


def test_names_that_aliases_stand_for_are_known_though_nobody_owns_them():
    entities = of(passages(("Otto", "")), MERGED)
    assert keys(entities) == ["otto", "silver loom", "o b film"]
    assert displays(entities) == ["Otto", "Silver Loom", "O. B. (film)"]
    assert entities.n_known == 3
    assert entities.owners.tolist() == [[0, 0, TitleKind.FULL]]


def test_a_title_whose_two_forms_an_alias_makes_one_is_owned_once():
    merged = merge({"Velmora (film)": "Velmora"})
    entities = of(passages(("Velmora (film)", ""), ("Velmora (film)", "y")), merged)
    assert keys(entities) == ["velmora"]
    assert entities.owners.tolist() == [[0, 0, TitleKind.FULL], [1, 0, TitleKind.FULL]]


def test_what_can_be_found_are_known_names_and_their_aliases():
    entities = of(passages(("Silver Loom (river)", ""), ("Otto", "")), MERGED)
    add(entities, "Grey Mill")
    found = list(entities.findable())
    assert found == [
        ("silver loom river", 0), ("silver loom", 1), ("otto", 2), ("o b film", 3),
        ("loom", 1), ("the loom", 1), ("velmora", 3),
    ]  # fmt: skip
    assert entities.n_tokens() == sum(len(key.split(" ")) for key, _ in found)


def test_what_many_titles_begin_or_end_with_is_no_name_and_what_it_leaves_is():
    names = ("Sync", "Keys", "Vaults", "Weir - how")
    of_space = of(passages(*((f"OPS : {name}", "") for name in names)), size=2)
    assert keys(of_space)[4:] == ["sync", "keys", "vaults", "weir", "weir how", "how"]
    assert of_space.owners[of_space.owners[:, 0] == 0].tolist() == [
        [0, 0, TitleKind.FULL], [0, 4, TitleKind.TAIL],
    ]  # fmt: skip
    assert keys(of(passages(*((f"OPS : {name}", "") for name in names[:3]))))[3:] == ["ops"]
    of_site = of(passages(*((f"{name} | Ops Docs", "") for name in names)))
    assert keys(of_site)[4:] == ["sync", "keys", "vaults", "weir"]


# --- against plain Python ----------------------------------------------------------------------


@dataclass
class Plain:
    """The same in dictionaries."""

    merged: Merged
    numbers: dict[str, int] = field(default_factory=dict[str, int])
    written: list[str] = field(default_factory=list[str])
    owners: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    parts: list[tuple[int, TitleKind, str, str]] = field(
        default_factory=list[tuple[int, TitleKind, str, str]]
    )

    def add(self, key: str, display: str) -> int:
        key = self.merged.keys.get(key, key)
        if key not in self.numbers:
            self.numbers[key] = len(self.numbers)
            self.written.append(self.merged.written.get(key, display))
        return self.numbers[key]

    def own(self, row: int, passage: Passage) -> None:
        seen: set[int] = set()
        for kind, key, written in title_keys(passage):
            if kind in IN_PART:
                self.parts.append((row, kind, self.merged.keys.get(key, key), written))
                continue
            number = self.add(key, written)
            if number not in seen:
                self.owners.append((row, number, kind))
            seen.add(number)

    def own_parts(self, rows: Sequence[Passage]) -> None:
        """Parts of few titles that are nobody's name, in the order of the passages."""
        titles = [entity_key(passage.title) for passage in rows]
        heads = {row: key for row, kind, key, _ in self.parts if kind == TitleKind.HEAD}
        begins = {
            key: {titles[row] for row in heads if heads[row] == key} for key in heads.values()
        }
        parts = [
            part
            for part in self.parts
            if part[1] == TitleKind.HEAD or (part[0] in heads and len(begins[heads[part[0]]]) > 3)
        ]
        known = set(self.numbers)
        seen: set[tuple[int, int]] = set()
        for row, kind, key, written in parts:
            if key not in known and len({titles[at] for at, _, of, _ in parts if of == key}) <= 3:
                number = self.add(key, written)
                if (row, number) not in seen:
                    self.owners.append((row, number, kind))
                seen.add((row, number))
        self.owners.sort(key=itemgetter(0))


TITLES = st.sampled_from(
    ["", "A", "a", "A (b)", "B", "b (A)", "C d", "!!!", "東京", "東京 (x)", "É", "E", "C d (q)",
     "A: x", "Z: y", "Z - (y)", "Z: 1", "Z: 2", "Z | y | b", "Q: r", "Q: R", "!: !"]
)  # fmt: skip
TEXTS = st.sampled_from(["", "A kestrel flew.", "Otto Brenner slept.", "it rains.", "東京だ"])
PAGES = st.lists(st.tuples(TITLES, TEXTS), max_size=12)
ALIASES = st.dictionaries(
    st.sampled_from(["B", "C d", "東京", "Y"]), st.sampled_from(["Z q", "É"]), max_size=4
)
LATER = st.lists(st.lists(TITLES.filter(bool), max_size=5), max_size=3)


@given(PAGES, ALIASES, LATER, st.integers(1, 9))
def test_numbers_are_those_of_dictionaries_and_chunks_do_not_matter(
    pages: list[tuple[str, str]], aliases: dict[str, str], later: list[list[str]], size: int
):
    merged = merge(aliases)
    plain = Plain(merged)
    rows = passages(*pages)
    for row, passage in enumerate(rows):
        plain.own(row, passage)
    plain.own_parts(rows)
    for name in dict.fromkeys(merged.keys.values()):
        plain.add(name, merged.written[name])
    entities = of(rows, merged, size=size)
    assert entities.n_known == len(plain.numbers)
    assert entities.owners.tolist() == [list(row) for row in plain.owners]
    for names in later:
        assert add(entities, *names) == [plain.add(entity_key(name), name) for name in names]
    assert keys(entities) == list(plain.numbers)
    assert displays(entities) == plain.written
    assert entities.hashes().tolist() == key_hashes(list(plain.numbers)).tolist()
    known = list(plain.numbers)[: entities.n_known]
    assert entities.rules().tolist() == [case_rule(n) for n in plain.written[: len(known)]]
    ends = [(key, plain.numbers[end]) for key, end in merged.keys.items()]
    assert list(entities.findable()) == [*((key, plain.numbers[key]) for key in known), *ends]


def test_two_names_of_one_hash_are_refused():
    entities = of(passages(("Velmora", "x")))
    hashes, _ = hashed(["velmora"])
    _, checks = hashed(["kestrel"])
    with pytest.raises(BuildError, match="share a 64-bit hash"):
        entities.add(["kestrel"], ["Kestrel"], hashes, checks)
