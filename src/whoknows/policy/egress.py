"""What may leave this machine: the rule, and the grants without which no port that reaches outside takes a text (C24).

Nothing leaves where the operator has set no endpoint, and an endpoint on loopback is this machine. Where one is outside, each
bank says whether its texts may go there; what it forbids stays, and whatever needed it does without.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from whoknows.domain.egress import Cleared, Endpoint, Purpose
from whoknows.domain.ids import PrincipalId
from whoknows.domain.principal import Principal
from whoknows.policy.decision import Denied


@dataclass(frozen=True, slots=True)
class EgressGrant:
    """Leave to send texts of ``banks`` to one endpoint. ``granted`` and ``of_nobody`` alone make it."""

    endpoint: Endpoint
    banks: frozenset[PrincipalId]


def granted(endpoint: Endpoint, banks: Iterable[Principal], forbidding: Collection[PrincipalId]) -> EgressGrant | Denied:
    """Texts of ``banks`` may go to ``endpoint`` where it is this machine, or where none of them forbids it."""
    owners = list(banks)
    if not endpoint.inside:
        for bank in owners:
            if bank.id in forbidding:
                return Denied(f"{bank.space} forbids that its texts leave this machine", "egress_forbidden")
    return EgressGrant(endpoint, frozenset(b.id for b in owners))


def of_nobody(endpoint: Endpoint) -> EgressGrant:
    """Leave to send what is no bank's: words of the program itself, as a probe sends them."""
    return EgressGrant(endpoint, frozenset())


def cleared(text: str, banks: Iterable[PrincipalId], forbidding: Collection[PrincipalId]) -> Cleared | None:
    """``text`` of ``banks`` for an embedder outside; None where one of them forbids that."""
    return None if any(bank in forbidding for bank in banks) else Cleared(text)


def nobodys(text: str) -> Cleared:
    """Words of the program itself, which are in no bank."""
    return Cleared(text)


def kept_here(text: str) -> Cleared:
    """Any text, for an embedder that is this machine: see ``stays_here``."""
    return Cleared(text)


def stays_here(address: str | None) -> bool:
    """Whether what is sent to ``address`` stays on this machine; None is this process itself."""
    return address is None or endpoint_at(Purpose.EMBEDDING, address, "").inside


def endpoint_at(purpose: Purpose, url: str, model: str) -> Endpoint:
    """The endpoint at ``url``; one that cannot be read is taken for outside."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        host = ""
    return Endpoint(purpose, host or "unknown", model, is_this_machine(host))


def is_this_machine(host: str) -> bool:
    """Loopback by its name or its number. An address of this machine in a network is outside: who shares it is not known."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
