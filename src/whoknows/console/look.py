"""How things look everywhere: a principal's colour and shape, and which of the signs a memory carries."""

from collections.abc import Mapping
from dataclasses import dataclass

from whoknows.domain.audience import Layer
from whoknows.domain.memory import Memory, State

COLOURS = 8
SHAPES = ("circle", "square", "triangle", "diamond", "pentagon", "hexagon", "star", "cross")
_STRANGER = 8
"""The colour of those whom the directory does not name to the viewer: plain grey, with a shape that nobody has."""


@dataclass(frozen=True, slots=True)
class Look:
    colour: int
    shape: str


def of(space: str, looks: Mapping[str, int]) -> Look:
    """Colour and shape of ``space``; the first 64 of a kind have a pair of their own."""
    number = looks.get(space)
    if number is None:
        return Look(_STRANGER, "ring")
    return Look(number % COLOURS, SHAPES[(number + number // COLOURS) % len(SHAPES)])


def sign_of(memory: Memory) -> str:
    """The one sign that says most: superseded, held, archived, stale; then copy, injected, team, private."""
    match memory.state:
        case State.SUPERSEDED | State.WITHDRAWN | State.HELD | State.ARCHIVED:
            return str(memory.state)
        case State.ACTIVE:
            pass
    if memory.stale:
        return "stale"
    if memory.audience.layer is Layer.INJECTED:
        return "injected"
    if memory.origin is not None:
        return "copy"
    return "team" if memory.audience.layer is Layer.TEAM else "private"
