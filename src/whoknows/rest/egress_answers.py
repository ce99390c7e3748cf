"""What is told of egress: a bank's rule, its services, and what each was sent."""

from collections.abc import Sequence

from whoknows.domain.egress import SENDS, EgressRule, Endpoint, Purpose, Sent
from whoknows.flows.egress import BankEgress
from whoknows.rest.answers import Json


def bank(listed: BankEgress, endpoints: Sequence[Endpoint], hosts: bool) -> Json:
    """``hosts``: whether names of hosts are redacted besides secrets and personal data."""
    sent = {(s.purpose, s.host, s.model): s for s in listed.sent}
    services = [_service(e, listed.rule, sent.pop((e.purpose, e.host, e.model), None), hosts) for e in endpoints]
    return {**rule(listed.rule), "services": [*services, *(_past(s, hosts) for s in sent.values())]}


def rule(r: EgressRule) -> Json:
    return {
        "bank": r.owner.space,
        "egress": "allowed" if r.allows else "forbidden",
        "forbidden_by": [str(who) for who in r.forbidden_by],
    }


def _service(e: Endpoint, r: EgressRule, sent: Sent | None, hosts: bool) -> Json:
    state = "stays_here" if e.inside else "allowed" if r.allows else "forbidden"
    return _told(e.purpose, e.host, e.model, state, sent, hosts)


def _past(s: Sent, hosts: bool) -> Json:
    return _told(s.purpose, s.host, s.model, "not_configured", s, hosts)


def _told(purpose: Purpose, host: str, model: str, state: str, sent: Sent | None, hosts: bool) -> Json:
    return {
        "purpose": purpose,
        "host": host,
        "model": model,
        "state": state,
        "sends": list(SENDS[purpose]),
        "redacted": ["secrets", "personal data", *(["hosts"] if hosts else [])],
        "texts": 0 if sent is None else sent.texts,
        "requests": 0 if sent is None else sent.requests,
        "last_at": None if sent is None else sent.last_at,
    }
