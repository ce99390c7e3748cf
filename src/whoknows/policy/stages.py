"""Stages: from which one a project may go to which, and what the next one asks for."""

from dataclasses import dataclass

from whoknows.domain.harness import Stage
from whoknows.policy.decision import Allowed, Decision, Denied

_ORDER = tuple(Stage)


@dataclass(frozen=True, slots=True)
class Footing:
    """What is known of a project where its stage is changed.

    ``turns``: what its present stage has in its report. ``workplaces``: how many directories are registered for it. ``routed``:
    whether it goes to a team that the caller reads. ``account``: whether there is one behind the caller, to learn for.
    """

    stage: Stage
    turns: int
    workplaces: int
    routed: bool
    account: bool


@dataclass(frozen=True, slots=True)
class Need:
    """Something that a stage asks for. What ``blocks`` is a condition; the rest is for the person to weigh."""

    need: str
    met: bool
    blocks: bool
    detail: str


def following(stage: Stage) -> Stage | None:
    """The next one, None after the last."""
    n = _ORDER.index(stage) + 1
    return _ORDER[n] if n < len(_ORDER) else None


def preceding(stage: Stage) -> Stage:
    """The one before; the first one has none, and stays."""
    return _ORDER[max(_ORDER.index(stage) - 1, 0)]


def may_enter(present: Stage, wanted: Stage, routed: bool) -> Decision:
    """Forward by one step, backward by any and at once."""
    if _ORDER.index(wanted) <= _ORDER.index(present):
        return Allowed("back, or where it is")
    step = following(present)
    if wanted is not step:
        return Denied(f"one step at a time: from {present} to {step} first, and see what its report says", "stage_unreachable")
    if wanted is Stage.TEAM and not routed:
        return Denied(_UNROUTED, "stage_unreachable")
    return Allowed("the next stage")


def steps(present: Stage, wanted: Stage) -> tuple[Stage, ...]:
    """The changes that lead from one to the other: each stage on the way forward, back at once."""
    start, end = _ORDER.index(present), _ORDER.index(wanted)
    return _ORDER[start + 1 : end + 1] if end > start else (wanted,) if end < start else ()


def needs(footing: Footing) -> tuple[Need, ...]:
    """What the stage after the present one asks for, met or not."""
    step = following(footing.stage)
    if step is None:
        return ()
    asked = [_connected(footing)]
    if footing.stage.recalls:
        asked.append(_reported(footing))
    if step.captures:
        told = "what is learned is kept for the member behind this key" if footing.account else _NO_ACCOUNT
        asked.append(Need("account", footing.account, False, told))
    if step is Stage.TEAM:
        told = "it goes to a team that you read" if footing.routed else _UNROUTED
        asked.append(Need("team", footing.routed, True, told))
    return tuple(asked)


_UNROUTED = (
    "the project goes to no team that you read: an administrator types `whoknows teams join TEAM member:YOU` and "
    "`whoknows banks route PROJECT --to TEAM`"
)

_NO_ACCOUNT = (
    "no member is behind this key, and so nothing is learned: use a member's key, or one of an agent that works for one "
    "(`whoknows agents change NAME --account MEMBER`)"
)


def _connected(footing: Footing) -> Need:
    told = f"{footing.workplaces} registered" if footing.workplaces else "no directory is registered: `whoknows connect`"
    return Need("workplaces", footing.workplaces > 0, False, told)


def _reported(footing: Footing) -> Need:
    told = f"{footing.turns} events since {footing.stage} began"
    return Need("report", footing.turns > 0, False, told if footing.turns else f"the report of {footing.stage} is empty")
