"""How a client reaches a server: address, headers and time limits, the same for both kinds."""

from typing import TypedDict

import httpx

from whoknows.machine import this_machine

TIMEOUT = httpx.Timeout(60.0, connect=5.0)
"""Seconds. A thousand memories in one batch are embedded before the answer comes."""


class Settings(TypedDict):
    base_url: str
    headers: dict[bytes, bytes]
    timeout: httpx.Timeout | float
    follow_redirects: bool


def settings(url: str, key: str, agent: str | None, timeout: httpx.Timeout | float | None, task: str | None = None) -> Settings:
    """Keyword arguments for an httpx client. ValueError for what cannot be a key.

    ``agent``: whom to act as, where the key has several. ``task``: which task it works on, where it was put on one and the
    key is not the task's own.
    """
    if not (key.isascii() and key.isprintable()) or not key or " " in key:
        raise ValueError("the key is empty, or has a blank or a line end in it: is WHOKNOWS_KEY set?")
    headers: dict[bytes, bytes] = {
        b"User-Agent": b"whoknows",
        b"Authorization": f"Bearer {key}".encode(),
        b"X-Machine": this_machine().encode(errors="replace"),
    }
    if agent is not None:
        # Header values are bytes; a name may hold any characters, and travels as UTF-8.
        headers[b"X-Agent"] = agent.encode()
    if task is not None:
        headers[b"X-Task"] = task.encode()
    # No redirects: a key goes to the server it is for, and nowhere else.
    return {"base_url": url.rstrip("/"), "headers": headers, "timeout": timeout or TIMEOUT, "follow_redirects": False}


def event_fields(lines: list[str]) -> dict[str, str]:
    """The fields of one server-sent event (``event``, ``id``, ``data``); comments are nothing."""
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        if name:
            value = value.removeprefix(" ")
            fields[name] = f"{fields[name]}\n{value}" if name == "data" and "data" in fields else value
    return fields
