"""Who may take a correction back."""

from datetime import UTC, datetime

from cast import A, B, M, N, T, standing

from whoknows.domain.audience import Layer
from whoknows.domain.correction import Correction, new_correction_id
from whoknows.domain.ids import AudienceId
from whoknows.domain.principal import AgentRole, Kind, Principal
from whoknows.policy.correcting import may_forget_correction
from whoknows.policy.decision import Allowed


def of(owner: Principal, author: Principal) -> Correction:
    layer = Layer.TEAM if owner.kind is Kind.TEAM else Layer.PRIVATE
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Correction(
        new_correction_id(), AudienceId(1), layer, owner, author, "x", None, None, None, None, None, None, now, now
    )


def test_its_author_takes_it_back() -> None:
    assert isinstance(may_forget_correction(standing(A), of(A, A)), Allowed)
    assert isinstance(may_forget_correction(standing(A, T="reader"), of(T, A)), Allowed)


def test_the_account_takes_back_what_its_agents_recorded_for_it() -> None:
    assert isinstance(may_forget_correction(standing(M), of(M, A)), Allowed)
    assert isinstance(may_forget_correction(standing(B, account=M), of(M, A)), Allowed)
    assert not isinstance(may_forget_correction(standing(B, role=AgentRole.SUB, account=M), of(M, A)), Allowed)
    assert not isinstance(may_forget_correction(standing(N), of(M, A)), Allowed)


def test_an_owner_takes_back_what_was_recorded_for_the_team_and_no_other_does() -> None:
    assert isinstance(may_forget_correction(standing(B, T="owner"), of(T, A)), Allowed)
    assert not isinstance(may_forget_correction(standing(B, T="writer"), of(T, A)), Allowed)
    assert not isinstance(may_forget_correction(standing(B), of(A, A)), Allowed)
