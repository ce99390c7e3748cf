"""The earlier turns of a conversation that still have room: the newest, whole exchanges, oldest first."""

from collections.abc import Callable, Sequence

TURN_TOKENS = 8
"""What a model's own marks around one message cost, at most."""


def recent(turns: Sequence[tuple[str, str]], most: int, count: Callable[[str], int]) -> tuple[Sequence[tuple[str, str]], int]:
    """The last of ``turns`` (message, answer) that fit into ``most`` tokens as ``count`` counts them, and what they cost.

    None is cut: where one has no room, it and all before it are left out, so that no answer stands without its question.
    """
    used = 0
    kept = len(turns)
    for n in range(len(turns) - 1, -1, -1):
        cost = sum(count(text) + TURN_TOKENS for text in turns[n])
        if used + cost > most:
            break
        used += cost
        kept = n
    return turns[kept:], used
