"""Answers about observations."""

from whoknows.domain.observation import Observation
from whoknows.flows.consolidate import Consolidated
from whoknows.flows.observe import Told
from whoknows.rest.answers import Json, memory
from whoknows.rest.errors import finding


def observation(o: Observation) -> Json:
    """The memory that it is, and what it rests on."""
    return {
        **memory(o.memory),
        "stale": o.stale,
        "made": o.made,
        "gathered": o.gathered,
        "computed_at": o.computed_at,
        "rests_on": [
            {"memory_id": s.memory, "version": s.version, "stated": s.stated, "changed": s.changed} for s in o.sources
        ],
    }


def observed(t: Told) -> Json:
    return {
        "outcome": t.outcome,
        "observation": observation(t.observation),
        "findings": [finding(f) for f in t.findings],
    }


def consolidated(c: Consolidated) -> Json:
    return {"items": [observed(t) for t in c.told], "looked_at": c.looked_at, "next_cursor": c.next_cursor}
