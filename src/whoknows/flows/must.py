"""Must: what a rule denies is Forbidden, in the words of the rule."""

from whoknows.errors import Forbidden
from whoknows.policy.decision import Decision, Denied


def must(decision: Decision, field: str | None = None) -> None:
    """Raises Forbidden with the reason and the code of a denial; ``field`` is what the denial is about."""
    if isinstance(decision, Denied):
        raise Forbidden(decision.reason, reason_code=decision.code, field=field)
