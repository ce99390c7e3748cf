"""Wording: words that are no source's own, with what both arms need of them, and a quote of everything that they rest on."""

from collections.abc import Sequence
from hashlib import sha256

from whoknows.domain.credential import Caller
from whoknows.domain.evidence import Evidence
from whoknows.domain.observation import Statement
from whoknows.domain.principal import Principal
from whoknows.flows.egress import Egress
from whoknows.flows.prepare import prepare
from whoknows.gate.citing import cited
from whoknows.ports import Embedder
from whoknows.ports.observations import Words


async def worded(embedder: Embedder, egress: Egress, caller: Caller, bank: Principal, text: str) -> Words:
    """``text``, which is to stand in ``bank``; without vectors where that keeps its texts from an embedder outside."""
    may_leave = (0,) if await egress.may_embed_for(caller, bank) else ()
    (ready,) = await prepare(embedder, [(text, None)], may_leave)
    return Words(text, sha256(text.encode()).hexdigest(), ready.index, ready.vectors, ready.pending)


def with_rest(evidence: Sequence[Evidence], sources: Sequence[Statement], text: str) -> list[Evidence]:
    """``evidence`` of ``text``, and what those of ``sources`` say about it that it does not name."""
    named = {e.locator for e in evidence}
    return [*evidence, *(cited(s, text) for s in sources if str(s.id) not in named)]
