"""Traces of a memory as JSON: what it rests on, down to the lines of its sources."""

from whoknows.domain.provenance import Provenance, Traced
from whoknows.rest import answers
from whoknows.rest.answers import Json


def provenance(p: Provenance) -> Json:
    m = p.memory
    return {
        "id": m.id,
        "content": m.content,
        "title": m.title,
        "category": m.category,
        "author": m.author.space,
        "state": m.state,
        "version": m.version,
        "created_at": m.created_at,
        "origin": None if m.origin is None else answers.origin(m.origin),
        "batch_id": p.batch,
        "evidence": [_traced(t) for t in p.evidence],
        "copy_of": None if p.copy_of is None else provenance(p.copy_of),
        "chain": [
            {"id": c.id, "content": c.content, "state": c.state, "reason": c.reason, "created_at": c.created_at}
            for c in p.chain
        ],
        "cut": p.cut,
    }


def _traced(t: Traced) -> Json:
    first, last = t.lines or (None, None)
    return answers.evidence(t.evidence) | {
        "found": t.state,
        "line_start": first,
        "line_end": last,
        "around": [{"line": line.number, "text": line.text} for line in t.around],
        "memory": None if t.memory is None else provenance(t.memory),
    }
