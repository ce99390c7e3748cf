"""The account of a request: whose prompts and memories it is about."""

from whoknows.domain.principal import Principal
from whoknows.errors import Forbidden
from whoknows.policy.accounts import account_for
from whoknows.policy.standing import Standing


def account_named(standing: Standing, named: str | None) -> Principal:
    """The reader's account; ``named`` may only say which one it is. Forbidden where it has none, or another."""
    account = account_for(standing)
    if account is None:
        raise Forbidden(
            "there is no account behind this key: use a member's, or that of a main agent that works for one",
            reason_code="no_account",
        )
    if named is not None and named != account.name:
        raise Forbidden("this key does not work for that account", reason_code="not_your_account", field="account")
    return account
