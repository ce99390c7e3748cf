"""Keys of the command line: from the environment or the system keychain, never from an option, never into a file."""

import os
from contextlib import suppress

from whoknows.cli.faults import CliFault, ExitCode
from whoknows.machine import DEFAULT_URL

SERVICE = "whoknows"
"""Name under which keys stand in the keychain; the user is the address of the server."""


def server_url() -> str:
    """``WHOKNOWS_URL``, without a slash at its end."""
    url = os.environ.get("WHOKNOWS_URL", "").strip().rstrip("/") or DEFAULT_URL
    if not url.startswith(("http://", "https://")):
        raise CliFault("wrong_url", f"WHOKNOWS_URL must begin with http:// or https://, not {url!r}", ExitCode.INVALID)
    return url


def key_for(url: str) -> str | None:
    """``WHOKNOWS_KEY``, else what the keychain holds for ``url``, else None."""
    key = os.environ.get("WHOKNOWS_KEY", "").strip() or _stored(url)
    if key is not None and not well_formed(key):
        raise CliFault(
            "malformed_key", "this is no key of WhoKnows: keys are wk_ and letters, digits and _", ExitCode.UNAUTHENTICATED
        )
    return key


def required_key(url: str) -> str:
    key = key_for(url)
    if key is None:
        raise CliFault(
            "no_key",
            f"no key for {url}: set WHOKNOWS_KEY, or keep one in the system keychain with `whoknows keys remember`",
            ExitCode.UNAUTHENTICATED,
        )
    return key


def well_formed(key: str) -> bool:
    return key.startswith("wk_") and key.isascii() and key.replace("_", "").isalnum()


def remember(url: str, key: str) -> bool:
    """Whether the system keychain took it. False where this machine has none."""
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.set_password(SERVICE, url, key)
        return keyring.get_password(SERVICE, url) == key
    except (KeyringError, RuntimeError):
        return False


def drop(url: str) -> bool:
    """Whether there was one to drop."""
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.delete_password(SERVICE, url)
    except (KeyringError, RuntimeError):
        return False
    return True


def _stored(url: str) -> str | None:
    import keyring
    from keyring.errors import KeyringError

    with suppress(KeyringError, RuntimeError):  # a machine without a keychain is no fault: the environment is there
        return keyring.get_password(SERVICE, url)
    return None
