"""Items of a LangGraph store as memories: what of an item is text, what is a tag, and the item read back from a memory."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, cast

from whoknows.client.answers import Memory

DEEPEST = 40
"""Parts of a namespace: each is a tag, and a memory has fifty."""
UNINDEXED = "store:not searched"
_LONGEST_TAG = 200
_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an item stands."""

    namespace: tuple[str, ...]
    key: str

    @property
    def title(self) -> str:
        return _HALF.sub("\ufffd", "/".join((*self.namespace, self.key))[:500])


@dataclass(frozen=True, slots=True)
class Stored:
    """An item as it was read, and the memory that it is."""

    place: Place
    value: dict[str, Any]
    memory: Memory


def tags_of(store: str, place: Place, is_searched: bool) -> list[str]:
    levels = [prefix_tag(place.namespace[:n]) for n in range(1, len(place.namespace) + 1)]
    return [store_tag(store), *levels, item_tag(store, place), *([] if is_searched else [UNINDEXED])]


def item_tag(store: str, place: Place) -> str:
    """Equal for one place of one store, and different for any other."""
    return "item:" + sha256(json.dumps([store, *place.namespace, place.key]).encode()).hexdigest()[:40]


def store_tag(store: str) -> str:
    return f"store:{store}"


def prefix_tag(namespace: Sequence[str]) -> str:
    """The tag of all items at or below a namespace."""
    tag = "ns:" + "/".join(re.sub("[%/]", lambda m: f"%{ord(m[0]):02X}", part) for part in namespace)
    if len(tag) <= _LONGEST_TAG and not _HALF.search(tag) and tag.isprintable():
        return tag
    return "ns#" + sha256(json.dumps(list(namespace)).encode()).hexdigest()[:40]


def text_of(store: str, place: Place, value: Mapping[str, Any]) -> str:
    """The item as JSON. TypeError for what JSON cannot hold, ValueError for NaN and infinity.

    Where it stands is in it: the same words at two places are two memories, and would be one otherwise.
    """
    _checked(value)
    whole = {"value": value, "at": list(place.namespace), "item": place.key, "store": store}
    text = json.dumps(whole, ensure_ascii=False, allow_nan=False)
    # Half a character is no text that a database holds; as an escape it is JSON.
    return _HALF.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def item_of(memory: Memory) -> Stored | None:
    """None for a memory that is no item, or whose text somebody has made into something else."""
    try:
        whole: object = json.loads(memory["content"])
    except ValueError:
        return None
    if not isinstance(whole, dict):
        return None
    fields = cast(dict[str, Any], whole)
    value, at, key = fields.get("value"), fields.get("at"), fields.get("item")
    if not (isinstance(value, dict) and isinstance(at, list) and isinstance(key, str)):
        return None
    return Stored(Place(tuple(str(p) for p in cast(list[object], at)), key), cast(dict[str, Any], value), memory)


def _checked(value: object) -> None:
    if isinstance(value, Mapping):
        for key, part in cast(Mapping[object, object], value).items():
            if not isinstance(key, str):
                raise TypeError(f"the keys of a value are strings, {key!r} is none: it would come back as one")
            _checked(part)
    elif isinstance(value, list | tuple):
        for part in cast(Sequence[object], value):
            _checked(part)
