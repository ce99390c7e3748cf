"""Routing as an error or a bank: what the policy says of a fact, for every store that takes facts in."""

from whoknows.domain.bank import FactContext
from whoknows.domain.principal import Principal
from whoknows.errors import BankAmbiguous, Invalid, NotFound
from whoknows.policy.routing import Contradiction, NoBank, SeveralBanks, ToPersonal, ToTeam, route
from whoknows.policy.standing import Standing


def bank_for(
    standing: Standing, context: FactContext, project: str | None, routed: Principal | None, team_id: str | None = None
) -> Principal:
    """Whose bank a fact goes to. NotFound where there is none that the caller reads, BankAmbiguous for several."""
    match route(standing, context, project, routed, team_id):
        case ToPersonal(owner):
            return owner
        case ToTeam(team):
            return team
        case NoBank(reason, field):
            raise NotFound(reason, field=field)
        case SeveralBanks(reason):
            raise BankAmbiguous(reason, field="team_id")
        case Contradiction(reason, field):
            raise Invalid(reason, field=field)
