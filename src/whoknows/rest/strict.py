"""Strict requests: nothing is taken that was not declared, and no body that is not JSON of a bounded size."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any
from urllib.parse import parse_qsl

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic_core import from_json
from starlette.requests import Request
from starlette.responses import Response

from whoknows.errors import Invalid, TooLarge
from whoknows.rest.errors import InvalidJson, UnsupportedMediaType

_UNREAD = object()


class StrictRoute(APIRoute):
    """A route that refuses query parameters it did not declare, and reads its body as a :class:`StrictRequest`."""

    def get_route_handler(self) -> Callable[[Request], Any]:
        handle: Callable[[Request], Awaitable[Response]] = super().get_route_handler()
        # Lists may be repeated; everything else stands once.
        declared = dict(_query_parameters(self.dependant))
        takes_body = self.body_field is not None

        async def strict(request: Request) -> Response:
            _check_query(request.scope["query_string"], declared)
            if not takes_body:
                return await handle(request)
            strict_request = self.strict(request)
            await strict_request.json()  # here, where its errors are not wrapped into others
            return await handle(strict_request)

        return strict

    def strict(self, request: Request) -> "StrictRequest":
        return StrictRequest(request.scope, request.receive)


class StrictRequest(Request):
    """Its body is counted while it comes in, and is JSON in UTF-8 without NaN, Infinity or halves of characters."""

    _bytes: bytes | None = None
    _parsed: Any = _UNREAD

    async def body(self) -> bytes:
        """Raises TooLarge before more than the limit is held."""
        if self._bytes is None:
            limit: int = self.app.state.body_bytes
            too_large = TooLarge(f"the body is larger than {limit} bytes")
            announced = self.headers.get("content-length", "")
            if announced.isascii() and announced.isdigit() and int(announced[:20]) > limit:
                raise too_large
            parts: list[bytes] = []
            size = 0
            async for part in self.stream():
                size += len(part)
                if size > limit:
                    raise too_large
                parts.append(part)
            self._bytes = b"".join(parts)
        return self._bytes

    async def json(self) -> Any:
        """Raises UnsupportedMediaType and InvalidJson. An empty body is None, which no model takes."""
        if self._parsed is _UNREAD:
            body = await self.body()
            if not body:
                self._parsed = None
            elif not _is_json(self.headers.getlist("content-type")):
                raise UnsupportedMediaType
            else:
                try:
                    self._parsed = from_json(body, allow_inf_nan=False, cache_strings="keys")
                except ValueError as fault:
                    # Only the place: the parser's own words may quote the text.
                    place = str(fault).rpartition(" at ")[2]
                    raise InvalidJson(f"the body is not JSON in UTF-8, see {place}") from None
        return self._parsed


def _is_json(content_types: list[str]) -> bool:
    if len(content_types) != 1:
        return False
    kind, _, parameters = content_types[0].lower().partition(";")
    charset = parameters.partition("charset=")[2].strip(' "')
    return kind.strip() == "application/json" and charset in ("", "utf-8", "utf8")


def _query_parameters(dependant: Dependant) -> Iterator[tuple[str, bool]]:
    """Name of each query parameter of a route and its dependencies, and whether it is a list."""
    for parameter in dependant.query_params:
        yield parameter.alias, "list[" in str(parameter.field_info.annotation)
    for further in dependant.dependencies:
        yield from _query_parameters(further)


def _check_query(query: bytes, declared: dict[str, bool]) -> None:
    if not query:
        return
    try:
        pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True, errors="strict")
    except ValueError:
        raise Invalid("the query is not UTF-8", field="query string") from None
    seen: set[str] = set()
    for name, _ in pairs:
        if name not in declared:
            raise Invalid("there is no such query parameter", field=name[:100])
        if name in seen and not declared[name]:
            raise Invalid("this query parameter stands twice", field=name)
        seen.add(name)
