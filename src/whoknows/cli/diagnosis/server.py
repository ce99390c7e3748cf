"""What the doctor looks at on the server: whether it answers at WHOKNOWS_URL, and whom the key is for."""

import os
from collections.abc import Iterator

from whoknows.cli.diagnosis.findings import Finding, fail, ok, warn
from whoknows.cli.faults import CliFault
from whoknows.cli.keychain import key_for, server_url

_PATIENCE = 5.0
"""Seconds."""


def server() -> Iterator[Finding]:
    try:
        url = server_url()
    except CliFault as fault:
        yield fail("server", fault.detail, "set it to the address that `whoknows serve` prints")
        return
    import httpx

    try:
        ready = httpx.get(f"{url}/ready", timeout=_PATIENCE)
    except (httpx.HTTPError, httpx.InvalidURL) as fault:
        # An address that somebody set is meant to answer; the default one only while a server runs.
        judge = fail if os.environ.get("WHOKNOWS_URL") else warn
        yield judge(
            "server", f"nothing answers at {url} ({type(fault).__name__})", "start it: `whoknows serve`; or set WHOKNOWS_URL"
        )
        return
    if ready.status_code == 200:
        yield ok("server", f"ready at {url}")
    elif ready.status_code == 503:
        yield fail("server", f"{url} answers, but is not ready", "its database or its embedder is away: see its log")
    else:
        yield fail("server", f"{url} answers {ready.status_code} to /ready: this is no WhoKnows", "look at WHOKNOWS_URL")
        return
    yield _key(url)


def _key(url: str) -> Finding:
    try:
        key = key_for(url)
    except CliFault as fault:
        return fail("key", fault.detail, "set WHOKNOWS_KEY, or `whoknows keys remember`")
    if key is None:
        return warn("key", f"none for {url}", "set WHOKNOWS_KEY, or `whoknows keys remember`")
    from whoknows.client import ApiError, WhoKnows

    try:
        with WhoKnows(url, key=key, timeout=_PATIENCE) as wk:
            me = wk.whoami()
    except ApiError as error:
        return fail("key", error.detail, "ask an administrator for a key: `whoknows keys add`")
    whom = ", ".join(me["acts_as"]) or "nobody: it only administers"
    return ok("key", f"valid in tenant {me['tenant']}, acts as {whom}")
