"""Where the server is and who calls: said by the program, or else by its environment."""

import os
from importlib.util import find_spec

from whoknows.machine import DEFAULT_URL


def needs(extra: str, *modules: str) -> None:
    """ImportError that names the extra, where one of its ``modules`` is not installed."""
    missing = [m for m in modules if find_spec(m) is None]
    if missing:
        raise ImportError(f"this needs {', '.join(missing)}: pip install 'whoknows[{extra}]'")


def url_of(url: str | None) -> str:
    return url or os.environ.get("WHOKNOWS_URL") or DEFAULT_URL


def key_of(key: str | None) -> str:
    """ValueError where nobody names one. An empty one is none."""
    found = key or os.environ.get("WHOKNOWS_KEY")
    if not found:
        raise ValueError("no key: set WHOKNOWS_KEY, or pass `key`")
    return found
