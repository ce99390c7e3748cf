"""The rule of corrections: who may take one back."""

from whoknows.domain.correction import Correction
from whoknows.policy.decision import Allowed, Decision, Denied
from whoknows.policy.standing import Standing


def may_forget_correction(standing: Standing, correction: Correction) -> Decision:
    """Its author, the account that it belongs to, and an owner of the team whose it is."""
    if correction.author == standing.reader:
        return Allowed("author")
    if correction.owner in (standing.reader, standing.speaks_for):
        return Allowed("of one's own account")
    if standing.owns_team(correction.owner.id):
        return Allowed("owner of the team")
    return Denied("a correction is deleted by its author, its account or an owner of its team", "not_the_author")
