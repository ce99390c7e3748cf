"""What may leave: nothing that a bank forbids, and nothing is forbidden to what stays on this machine."""

import pytest

from whoknows.domain.egress import EgressRule, Endpoint, ForbiddenBy, Purpose
from whoknows.domain.ids import PrincipalId
from whoknows.domain.principal import Kind, Principal
from whoknows.policy.decision import Denied
from whoknows.policy.egress import (
    EgressGrant,
    cleared,
    endpoint_at,
    granted,
    is_this_machine,
    kept_here,
    nobodys,
    of_nobody,
    stays_here,
)

A, T = Principal(PrincipalId(1), Kind.AGENT, "A"), Principal(PrincipalId(2), Kind.TEAM, "T")
OUTSIDE = endpoint_at(Purpose.CHAT, "https://api.example.com/v1", "m")
INSIDE = endpoint_at(Purpose.CHAT, "http://127.0.0.1:11434/v1", "m")


def test_an_endpoint_outside_is_granted_where_no_bank_forbids_it() -> None:
    assert granted(OUTSIDE, [A, T], frozenset()) == EgressGrant(OUTSIDE, frozenset({A.id, T.id}))
    assert granted(OUTSIDE, [A], {T.id}) == EgressGrant(OUTSIDE, frozenset({A.id}))


def test_one_bank_that_forbids_it_is_enough_and_is_named() -> None:
    denied = granted(OUTSIDE, [A, T], {T.id})
    assert isinstance(denied, Denied)
    assert (denied.code, "team:T" in denied.reason) == ("egress_forbidden", True)


def test_what_stays_on_this_machine_needs_no_leave() -> None:
    assert granted(INSIDE, [A, T], {A.id, T.id}) == EgressGrant(INSIDE, frozenset({A.id, T.id}))


def test_words_of_the_program_are_in_no_bank() -> None:
    assert of_nobody(OUTSIDE).banks == frozenset()
    assert (nobodys("ready"), kept_here("x")) == ("ready", "x")


def test_a_text_is_cleared_unless_a_bank_of_it_forbids() -> None:
    assert cleared("x", [A.id], {T.id}) == "x"
    assert cleared("x", [A.id, T.id], {T.id}) is None


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST.", "model.localhost", "127.0.0.1", "127.9.9.9", "::1"])
def test_loopback_is_this_machine_by_its_name_and_its_number(host: str) -> None:
    assert is_this_machine(host)


@pytest.mark.parametrize(
    "host", ["", "example.com", "localhost.example.com", "192.168.0.2", "0.0.0.0", "127.0.0.1.example.com", "::2"]
)
def test_everything_else_is_outside(host: str) -> None:
    assert not is_this_machine(host)


@pytest.mark.parametrize(
    ("url", "host", "inside"),
    [
        ("https://api.example.com/v1", "api.example.com", False),
        ("http://[::1]:8080/v1", "::1", True),
        ("http://user:pass@localhost@example.com/", "example.com", False),
        ("http://[bad", "unknown", False),
        ("", "unknown", False),
    ],
)
def test_an_endpoint_is_where_its_address_says_and_outside_where_that_cannot_be_read(url: str, host: str, inside: bool) -> None:
    assert endpoint_at(Purpose.CHAT, url, "m") == Endpoint(Purpose.CHAT, host, "m", inside)


def test_what_has_no_address_computes_here() -> None:
    assert stays_here(None)
    assert stays_here("http://localhost:1/v1")
    assert not stays_here("https://api.example.com")


def test_a_bank_allows_until_somebody_forbids() -> None:
    assert EgressRule(A).allows
    assert not EgressRule(A, (ForbiddenBy.OWNER,)).allows
