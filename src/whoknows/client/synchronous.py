"""The client that waits."""

import json
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, Self, TypeVar, cast

import httpx

from whoknows.client import directory, memories
from whoknows.client.answers import Json, Memory
from whoknows.client.call import Call
from whoknows.client.connection import DEFAULT_URL, event_fields, settings
from whoknows.client.errors import ServerUnreachable, error_of
from whoknows.client.retrying import pause
from whoknows.client.verbs import Waits

T = TypeVar("T")


class WhoKnows:
    """``with WhoKnows(key=…) as wk: wk.capture("…"); wk.recall("…")``. Every verb may raise ApiError or ServerUnreachable."""

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        key: str,
        agent: str | None = None,
        timeout: httpx.Timeout | float | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.url = url
        self._http = httpx.Client(**settings(url, key, agent, timeout), transport=transport)

    capture = Waits(memories.capture)
    capture_batch = Waits(memories.capture_batch)
    recall = Waits(memories.recall)
    list = Waits(memories.list_memories)
    get = Waits(memories.get)
    edit = Waits(memories.edit)
    archive = Waits(memories.archive)
    restore = Waits(memories.restore)
    forget = Waits(memories.forget)
    forget_all = Waits(memories.forget_all)
    share = Waits(memories.share)
    unshare = Waits(memories.unshare)
    history = Waits(memories.history)
    why = Waits(memories.why)
    knows = Waits(memories.knows)
    trace = Waits(memories.trace)
    pending = Waits(memories.pending)

    whoami = Waits(directory.whoami)
    agents = Waits(directory.agents)
    add_agent = Waits(directory.add_agent)
    change_agent = Waits(directory.change_agent)
    remove_agent = Waits(directory.remove_agent)
    members = Waits(directory.members)
    add_member = Waits(directory.add_member)
    change_member = Waits(directory.change_member)
    remove_member = Waits(directory.remove_member)
    teams = Waits(directory.teams)
    add_team = Waits(directory.add_team)
    change_team = Waits(directory.change_team)
    remove_team = Waits(directory.remove_team)
    join_team = Waits(directory.join_team)
    leave_team = Waits(directory.leave_team)
    keys = Waits(directory.keys)
    add_key = Waits(directory.add_key)
    revoke_key = Waits(directory.revoke_key)
    add_tenant = Waits(directory.add_tenant)
    audit = Waits(directory.audit)

    def export(self) -> Iterator[Memory]:
        """Everything the caller may read, one memory after the other, as it arrives."""
        with self._stream(memories.export()) as response:
            yield from (cast(Memory, json.loads(line)) for line in response.iter_lines() if line)

    def events(self, last_event_id: str | None = None) -> Iterator[Json]:
        """What happens to memories that the caller may see, from now on or after ``last_event_id``. No texts."""
        with self._stream(memories.events(last_event_id)) as response:
            block: list[str] = []
            for line in response.iter_lines():
                if line:
                    block.append(line)
                    continue
                if "data" in (fields := event_fields(block)):
                    yield {"id": fields.get("id"), **json.loads(fields["data"])}
                block = []

    def send(self, call: Call[T]) -> T:
        """Send any call; again where that is safe."""
        attempt = 1
        while True:
            try:
                outcome = self._http.send(call.request(self._http))
            except httpx.TransportError as e:
                outcome = e
            wait = pause(cast(Call[object], call), attempt, outcome)
            if wait is None:
                break
            time.sleep(wait)
            attempt += 1
        if isinstance(outcome, httpx.TransportError):
            raise ServerUnreachable(self.url, outcome) from outcome
        if outcome.status_code >= 300:
            raise error_of(outcome)
        return cast(T, outcome.json())

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @contextmanager
    def _stream(self, call: Call[Any]) -> Generator[httpx.Response]:
        request = call.request(self._http)
        request.extensions["timeout"] = {**request.extensions["timeout"], "read": None}
        try:
            response = self._http.send(request, stream=True)
            try:
                if response.status_code >= 300:
                    response.read()
                    raise error_of(response)
                yield response
            finally:
                response.close()
        except httpx.TransportError as e:
            raise ServerUnreachable(self.url, e) from e
