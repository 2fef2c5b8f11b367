"""Agents and patients of verbs: active, passive, and within a description."""

import pytest

from hippohover.language.clauses import ClauseReader
from hippohover.verification.against.frames import frames_of, main_frame, name_before, same_name

READ = ClauseReader()


def names(*words: str) -> frozenset[str]:
    return frozenset(stem for stem in READ(" ".join(words)).stems if stem)


@pytest.mark.parametrize(
    ("text", "agent", "patient"),
    [
        ("Ann Lund taught Per Holm.", "Ann Lund", "Per Holm"),
        ("Per Holm was taught by Ann Lund.", "Ann Lund", "Per Holm"),
        ("Ann Lund taught the pianist Per Holm.", "Ann Lund", "Per Holm"),
        ("Loam supersedes Sedge.", "Loam", "Sedge"),
    ],
)
def test_the_main_frame_says_who_does_it_to_whom(text: str, agent: str, patient: str):
    said = READ(text)
    frame = main_frame(said, said.subject)
    assert frame is not None
    assert frame.agent_and_patient == (names(agent), names(patient))


@pytest.mark.parametrize("text", ["Ann Lund slept.", "She taught Per Holm.", "Ann Lund is tall."])
def test_without_two_names_there_is_no_frame(text: str):
    said = READ(text)
    assert main_frame(said, said.subject) is None


@pytest.mark.parametrize(
    "text",
    [
        "Low Tide is a 1962 crime film directed by Ann Lund.",
        "Low Tide is a film written and directed by Ann Lund, starring Per Holm.",
    ],
)
def test_a_description_has_its_agent_behind_by(text: str):
    said = READ(text)
    [frame] = frames_of(said, "direct", [said.subject])
    assert frame.passive
    assert frame.has(names("Ann Lund"), names("Low Tide"))
    assert not frame.has(names("Low Tide"), names("Ann Lund"))


@pytest.mark.parametrize(
    ("text", "stem"),
    [("Its manager is Per Holm.", "manag"), ("Ann Lund is the designer of Telk.", "design")],
)
def test_what_somebody_is_is_no_verb(text: str, stem: str):
    said = READ(text)
    assert frames_of(said, stem, [names("Ann Lund")]) == []


def test_part_of_a_name_stands_for_it():
    assert same_name(names("Lund"), names("Ann Lund"))
    assert not same_name(names("Ann Lund"), names("Eva Lund"))
    assert not same_name(frozenset(), names("Ann Lund"))


def test_the_nearest_name_ends_at_a_mark():
    said = READ("Ann Lund, who was taught by Per Holm")
    assert name_before(said, said.words.index("taught")) == frozenset()
