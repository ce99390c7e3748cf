"""Memory for the sub-agents of a deep agent: each its own, by a key or a name of its own, and none for those not named."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from whoknows.integrations.langchain import WhoKnowsMemory
from whoknows.integrations.reach import needs

needs("deepagents", "deepagents")

from deepagents.middleware.subagents import GENERAL_PURPOSE_SUBAGENT  # noqa: E402


@dataclass(frozen=True, slots=True)
class Access:
    """As whom a sub-agent asks. ``key``: its own, or the token of its task. ``agent``: its name, where the key has several."""

    key: str | None = None
    agent: str | None = None
    task: str | None = None

    def __post_init__(self) -> None:
        if not self.key and not self.agent:
            raise ValueError("name a key or an agent: without one, a sub-agent would ask as the agent above it")


class Options(TypedDict, total=False):
    """As for `WhoKnowsMemory`. Sub-agents are asked by an agent, not by a person: nothing of that is distilled."""

    project_id: str | None
    limit: int
    min_score: float | None
    characters: int
    patience: float
    with_tools: bool
    visible_to: Sequence[str]


def with_memory(
    subagents: Sequence[Any], access: Mapping[str, Access | str], *, url: str | None = None, **options: Unpack[Options]
) -> list[Any]:
    """``subagents`` with memory for those that ``access`` names, by their names: a key, or an `Access`.

    Isolated sub-agents get nothing of the agent's own middleware, so each has one of its own here, and knows what its own key
    may know. Those that are not named have no memory. ``general-purpose`` means the one that is there by default. ValueError
    for a name that is no sub-agent's, and for one that is compiled or runs elsewhere: give it its memory where it is made.
    """
    default = GENERAL_PURPOSE_SUBAGENT["name"]
    known = {s["name"]: s for s in subagents}
    specs = [*subagents]
    if default in access and default not in known:
        specs.append(dict(GENERAL_PURPOSE_SUBAGENT))
        known[default] = specs[-1]
    for name in access:
        spec = known.get(name)
        if spec is None:
            raise ValueError(f"{name!r} is none of the sub-agents: {', '.join(sorted(known)) or 'there are none'}")
        if "runnable" in spec or "graph_id" in spec:
            raise ValueError(f"{name!r} is made elsewhere: add WhoKnowsMemory to its middleware there")
    return [_with(s, access[s["name"]], url, options) if s["name"] in access else s for s in specs]


def _with(spec: Mapping[str, Any], access: Access | str, url: str | None, options: Options) -> dict[str, Any]:
    its = Access(key=access) if isinstance(access, str) else access
    memory = WhoKnowsMemory(url=url, key=its.key, agent=its.agent, task=its.task, capture=False, **options)
    return {**spec, "middleware": [*spec.get("middleware", ()), memory]}
