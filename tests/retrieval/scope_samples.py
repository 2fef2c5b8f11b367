"""Indexes of passages inside and outside a scope, for the tests of walks that are bound to one."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hippohover.indexing.build import build
from hippohover.recipe import CorpusSettings, IndexRecipe, QuerySettings
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.where import Condition

INSIDE = [Condition("side", frozenset(["in"]))]
RECIPE = IndexRecipe(
    name="sides", extractor="between", encoder="none", corpus=CorpusSettings(metadata=("side",))
)
CLAIM = "Who steered the Mist Ferry into Port Senna, and where was Jonas Brandt?"
RECORDS: Sequence[Mapping[str, Any]] = (
    {
        "title": "Harbours",
        "side": "out",
        "text": "PORT SENNA is old. Its pilot of Orla Quay left.",
    },
    {
        "title": "Jonas Brandt",
        "side": "out",
        "text": "Jonas Brandt met Vera Lund, and Orla Quay.",
    },
    {"title": "Mist Ferry", "side": "in", "text": "The Mist Ferry crossed late to Port Senna."},
    {
        "title": "Ada Finch",
        "side": "in",
        "text": "Ada Finch wrote from Port Senna, and met Vera Lund.",
    },
    {"title": "Salt Road", "side": "in", "text": "Jonas Brandt built the Salt Road for Ada Finch."},
    {
        "title": "Letters",
        "side": "in",
        "text": "It was as Jonas Brandt wrote of a steep Salt Road.",
    },
    {"title": "Vessel", "side": "out", "text": "The vessel of Jonas Brandt, hazily steered."},
)


def engine_of(records: Sequence[Mapping[str, Any]], place: Path, **query: object) -> HippoHover:
    """An index of records whose field ``side`` is "in" or "out", open."""
    place.mkdir(parents=True, exist_ok=True)
    corpus = place / "c.jsonl"
    corpus.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    settings = QuerySettings.model_validate(query)
    return HippoHover.open(
        build(RECIPE, corpus=corpus, out=place / "i", workers=1), settings=settings
    )
