"""A call: one request to the interface and the type of its answer, before anything is sent."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast
from urllib.parse import quote

import httpx

T = TypeVar("T")
API = "/api/v1"
_HALVES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """``T`` is what the JSON of the answer is. ``repeatable``: sending it twice does what sending it once does."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict[str, Any])
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    reads: bool = False
    """A POST that changes nothing."""
    idempotent: bool = False
    """A POST that may be sent twice: the second time it finds what the first one did."""

    @property
    def repeatable(self) -> bool:
        return self.method == "GET" or self.reads or self.idempotent or "Idempotency-Key" in self.headers

    def request(self, client: httpx.Client | httpx.AsyncClient) -> httpx.Request:
        # ASCII: half a character (a lone surrogate) in a text reaches the server, which says what is wrong with it.
        body = None if self.body is None else json.dumps(self.body).encode("ascii")
        headers = dict(self.headers) if body is None else {"Content-Type": "application/json", **self.headers}
        query = {k: _sendable(v) for k, v in named(self.query).items()}
        return client.build_request(self.method, API + self.path, params=query, content=body, headers=headers)


def path(*parts: str) -> str:
    """A path whose parts may hold any characters: ``path("agents", "a/b")`` is ``/agents/a%2Fb``."""
    # Dots too: a name of nothing but dots would be taken for a step in the path.
    return "".join("/" + quote(part, safe="", errors="replace").replace(".", "%2E") for part in parts)


def _sendable(value: Any) -> Any:
    """An address has no way to say half a character: a whole one stands for it, which no name has."""
    if isinstance(value, str):
        return _HALVES.sub("\ufffd", value)
    return [_sendable(v) for v in cast(list[Any], value)] if isinstance(value, list | tuple) else value


def named(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Without the fields that nobody named: None and empty lists."""
    return {k: v for k, v in fields.items() if v is not None and v not in ((), [])}
