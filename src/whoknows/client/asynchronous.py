"""The client that is awaited."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Self, TypeVar, cast

import httpx

from whoknows.client import (
    banking,
    bureau,
    chatting,
    correcting,
    directory,
    distilling,
    handover,
    leaving,
    memories,
    observing,
    prompting,
    proposing,
    publishing,
    reviewing,
    sourcing,
    working,
)
from whoknows.client.answers import Json, Memory
from whoknows.client.bounded import answered_later
from whoknows.client.call import Call
from whoknows.client.connection import event_fields, settings
from whoknows.client.errors import ApiError, ServerUnreachable, error_of
from whoknows.client.retrying import pause
from whoknows.client.verbs import Awaits
from whoknows.machine import DEFAULT_URL

T = TypeVar("T")


class AsyncWhoKnows:
    """``async with AsyncWhoKnows(key=…) as wk: await wk.recall("…")``. Every verb may raise ApiError or ServerUnreachable."""

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        key: str,
        agent: str | None = None,
        task: str | None = None,
        timeout: httpx.Timeout | float | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.url = url
        self._http = httpx.AsyncClient(**settings(url, key, agent, timeout, task), transport=transport)

    capture = Awaits(memories.capture)
    capture_batch = Awaits(memories.capture_batch)
    ingest = Awaits(banking.ingest)
    banks = Awaits(banking.banks)
    routing = Awaits(banking.routing)
    route_project = Awaits(banking.route_project)
    correct = Awaits(correcting.correct)
    corrections = Awaits(correcting.corrections)
    corrections_summary = Awaits(correcting.corrections_summary)
    forget_correction = Awaits(correcting.forget_correction)
    recall = Awaits(memories.recall)
    list = Awaits(memories.list_memories)
    get = Awaits(memories.get)
    edit = Awaits(memories.edit)
    archive = Awaits(memories.archive)
    restore = Awaits(memories.restore)
    forget = Awaits(memories.forget)
    forget_all = Awaits(memories.forget_all)
    share = Awaits(memories.share)
    unshare = Awaits(memories.unshare)
    history = Awaits(memories.history)
    provenance = Awaits(memories.provenance)
    reverify = Awaits(memories.reverify)
    why = Awaits(memories.why)
    knows = Awaits(memories.knows)
    trace = Awaits(memories.trace)
    pending = Awaits(memories.pending)

    waiting = Awaits(reviewing.waiting)
    admit = Awaits(reviewing.admit)
    reject = Awaits(reviewing.reject)
    ledger = Awaits(reviewing.ledger)

    observations = Awaits(observing.observations)
    observation = Awaits(observing.observation)
    observe = Awaits(observing.observe)
    consolidate = Awaits(observing.consolidate)
    recompute = Awaits(observing.recompute)
    proposals = Awaits(proposing.proposals)
    confirm_proposal = Awaits(proposing.confirm_proposal)
    reject_proposal = Awaits(proposing.reject_proposal)

    publish = Awaits(publishing.publish)
    publications = Awaits(publishing.publications)
    publication = Awaits(publishing.publication)
    withdraw = Awaits(publishing.withdraw)
    republish = Awaits(publishing.republish)

    chat = Awaits(chatting.chat)
    conversations = Awaits(chatting.conversations)
    conversation = Awaits(chatting.conversation)
    forget_conversation = Awaits(chatting.forget_conversation)
    distill = Awaits(distilling.distill)
    distillations = Awaits(distilling.distillations)
    distillation = Awaits(distilling.distillation)
    undo_distillation = Awaits(distilling.undo_distillation)
    distill_settings = Awaits(distilling.distill_settings)
    set_distill_settings = Awaits(distilling.set_distill_settings)

    overturn = Awaits(sourcing.overturn)
    add_source = Awaits(sourcing.add_source)
    sources = Awaits(sourcing.sources)
    sync_source = Awaits(sourcing.sync_source)
    remove_source = Awaits(sourcing.remove_source)

    whoami = Awaits(directory.whoami)
    agents = Awaits(directory.agents)
    add_agent = Awaits(directory.add_agent)
    change_agent = Awaits(directory.change_agent)
    remove_agent = Awaits(directory.remove_agent)
    members = Awaits(directory.members)
    add_member = Awaits(directory.add_member)
    change_member = Awaits(directory.change_member)
    remove_member = Awaits(directory.remove_member)
    teams = Awaits(directory.teams)
    add_team = Awaits(directory.add_team)
    change_team = Awaits(directory.change_team)
    remove_team = Awaits(directory.remove_team)
    join_team = Awaits(directory.join_team)
    leave_team = Awaits(directory.leave_team)
    keys = Awaits(directory.keys)
    add_key = Awaits(directory.add_key)
    revoke_key = Awaits(directory.revoke_key)
    prompt_policy = Awaits(prompting.prompt_policy)
    set_prompt_policy = Awaits(prompting.set_prompt_policy)
    prompt_policy_history = Awaits(prompting.prompt_policy_history)
    user_prompt = Awaits(prompting.user_prompt)
    set_user_prompt = Awaits(prompting.set_user_prompt)
    user_prompt_history = Awaits(prompting.user_prompt_history)
    agent_controls = Awaits(prompting.agent_controls)
    set_agent_controls = Awaits(prompting.set_agent_controls)
    agent_controls_history = Awaits(prompting.agent_controls_history)
    context = Awaits(prompting.context)
    master_memories = Awaits(prompting.master_memories)
    add_master_memory = Awaits(prompting.add_master_memory)
    change_master_memory = Awaits(prompting.change_master_memory)
    delete_master_memory = Awaits(prompting.delete_master_memory)

    open_task = Awaits(handover.open_task)
    tasks = Awaits(handover.tasks)
    close_task = Awaits(handover.close_task)
    inject_context = Awaits(handover.inject_context)
    injections = Awaits(handover.injections)
    injection = Awaits(handover.injection)
    withdraw_injection = Awaits(handover.withdraw_injection)
    add_tenant = Awaits(directory.add_tenant)
    audit = Awaits(directory.audit)
    egress = Awaits(leaving.egress)
    set_egress = Awaits(leaving.set_egress)

    workplaces = Awaits(working.workplaces)
    register_workplace = Awaits(working.register_workplace)
    unregister_workplace = Awaits(working.unregister_workplace)
    route_workplace = Awaits(working.route_workplace)
    project_stage = Awaits(working.project_stage)
    set_project_stage = Awaits(working.set_project_stage)
    harness_report = Awaits(working.harness_report)

    bureau_scripts = Awaits(bureau.bureau_scripts)
    open_case = Awaits(bureau.open_case)
    case = Awaits(bureau.case)
    close_case = Awaits(bureau.close_case)
    whisper = Awaits(bureau.whisper)
    ask = Awaits(bureau.ask)
    publish_card = Awaits(bureau.publish_card)
    reset_case = Awaits(bureau.reset_case)
    show_key = Awaits(bureau.show_key)
    stage = Awaits(bureau.stage)

    async def export(self) -> AsyncGenerator[Memory]:
        """Everything the caller may read, one memory after the other, as it arrives."""
        async with self._stream(memories.export()) as response:
            async for line in response.aiter_lines():
                if line:
                    yield cast(Memory, json.loads(line))

    def events(self, last_event_id: str | None = None) -> AsyncGenerator[Json]:
        """What happens to memories that the caller may see, from now on or after ``last_event_id``. No texts."""
        return self._events(memories.events(last_event_id))

    def chat_stream(
        self,
        project_id: str,
        message: str,
        *,
        conversation_id: str | None = None,
        retry_of: str | None = None,
        distill: bool = True,
    ) -> AsyncGenerator[Json]:
        """Ask the master agent; the answer as it is spoken: by ``kind`` ``start``, ``delta``…, and ``done`` or ``error``."""
        call = chatting.chat_events(project_id, message, conversation_id=conversation_id, retry_of=retry_of, distill=distill)
        return self._events(call)

    def stage_events(self, case: str, last_event_id: str | None = None) -> AsyncGenerator[Json]:
        """What happens on the stage of a case, from now on or after ``last_event_id``. Nothing private."""
        return self._events(bureau.stage_events(case, last_event_id))

    async def send(self, call: Call[T]) -> T:
        """Send any call; again where that is safe."""
        attempt = 1
        while True:
            try:
                outcome = await answered_later(self._http, call.request(self._http))
            except httpx.TransportError as e:
                outcome = e
            except httpx.DecodingError as e:
                raise ApiError(0, "bad_answer", f"the answer of {self.url} cannot be unpacked") from e
            wait = pause(cast(Call[object], call), attempt, outcome)
            if wait is None:
                break
            await asyncio.sleep(wait)
            attempt += 1
        if isinstance(outcome, httpx.TransportError):
            raise ServerUnreachable(self.url, outcome) from outcome
        if outcome.status_code >= 300:
            raise error_of(outcome)
        return cast(T, outcome.json())

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    async def _events(self, call: Call[Any]) -> AsyncGenerator[Json]:
        async with self._stream(call) as response:
            block: list[str] = []
            async for line in response.aiter_lines():
                if line:
                    block.append(line)
                    continue
                if "data" in (fields := event_fields(block)):
                    yield {"id": fields.get("id"), **json.loads(fields["data"])}
                block = []

    @asynccontextmanager
    async def _stream(self, call: Call[Any]) -> AsyncGenerator[httpx.Response]:
        request = call.request(self._http)
        request.extensions["timeout"] = {**request.extensions["timeout"], "read": None}
        try:
            response = await self._http.send(request, stream=True)
            try:
                if response.status_code >= 300:
                    await response.aread()
                    raise error_of(response)
                yield response
            finally:
                await response.aclose()
        except httpx.TransportError as e:
            raise ServerUnreachable(self.url, e) from e
