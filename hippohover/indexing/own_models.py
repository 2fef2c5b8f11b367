"""A user's own encoder and extractor, which a build takes in place of named ones."""

from dataclasses import dataclass

from hippohover.errors import UsageError
from hippohover.indexing.triples.extractor import OwnTriples, TripleExtractor
from hippohover.recipe import IndexRecipe, is_own
from hippohover.vectors.embedding import Encoder
from hippohover.vectors.own_encoder import OwnEncoder


@dataclass(frozen=True)
class OwnModels:
    """The user's own encoder and extractor; None for those that have a name."""

    encoder: OwnEncoder | None = None
    extractor: OwnTriples | None = None

    @classmethod
    def of(cls, encoder: Encoder | None, extractor: TripleExtractor | None) -> "OwnModels":
        """Check models that are handed in; ``UsageError`` for one that cannot be used."""
        return cls(
            None if encoder is None else OwnEncoder(encoder),
            None if extractor is None else OwnTriples(extractor),
        )

    def __bool__(self) -> bool:
        return self.encoder is not None or self.extractor is not None

    def named_in(self, recipe: IndexRecipe) -> IndexRecipe:
        """Return the recipe with these models' names in place of its own."""
        named = {"encoder": self.encoder, "extractor": self.extractor}
        names = {part: model.name for part, model in named.items() if model is not None}
        return recipe.model_copy(update=names) if names else recipe

    def check(self, recipe: IndexRecipe) -> None:
        """Raise ``UsageError`` if the recipe names another one, or a missing one."""
        parts = [
            ("encoder", recipe.encoder, self.encoder),
            ("extractor", recipe.extractor, self.extractor),
        ]
        for part, name, given in parts:
            if given is None and is_own(name):
                raise UsageError(
                    f"{part} {name!r} is an object of Python, which no command has: build or "
                    f"change the index from Python, and pass it as {part}=..."
                )
            if given is not None and given.name != name:
                fix = f"pass that {part}" if is_own(name) else f"leave {part} out"
                raise UsageError(
                    f"the index was built with {part} {name!r} and not with {given.name!r}: {fix}, "
                    "or build the index again"
                )
