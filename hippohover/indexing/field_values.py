"""What passages have in the fields by which a recipe joins them, as keys of entities."""

from collections.abc import Iterable

from hippohover.metadata import MetadataValue
from hippohover.names.normal_forms import entity_key


def joined_keys(values: Iterable[MetadataValue | None]) -> list[str]:
    """Return the keys of a passage's values, each once, of those that have one."""
    keys = (entity_key(str(value)) for value in values if value is not None)
    return list(dict.fromkeys(filter(None, keys)))
