"""The client that waits."""

import json
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
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
from whoknows.client.bounded import answered
from whoknows.client.call import Call
from whoknows.client.connection import event_fields, settings
from whoknows.client.errors import ApiError, ServerUnreachable, error_of
from whoknows.client.retrying import pause
from whoknows.client.verbs import Waits
from whoknows.machine import DEFAULT_URL

T = TypeVar("T")


class WhoKnows:
    """``with WhoKnows(key=…) as wk: wk.capture("…"); wk.recall("…")``. Every verb may raise ApiError or ServerUnreachable."""

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        key: str,
        agent: str | None = None,
        task: str | None = None,
        timeout: httpx.Timeout | float | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.url = url
        self._http = httpx.Client(**settings(url, key, agent, timeout, task), transport=transport)

    capture = Waits(memories.capture)
    capture_batch = Waits(memories.capture_batch)
    ingest = Waits(banking.ingest)
    banks = Waits(banking.banks)
    routing = Waits(banking.routing)
    route_project = Waits(banking.route_project)
    correct = Waits(correcting.correct)
    corrections = Waits(correcting.corrections)
    corrections_summary = Waits(correcting.corrections_summary)
    forget_correction = Waits(correcting.forget_correction)
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
    provenance = Waits(memories.provenance)
    reverify = Waits(memories.reverify)
    why = Waits(memories.why)
    knows = Waits(memories.knows)
    trace = Waits(memories.trace)
    pending = Waits(memories.pending)

    waiting = Waits(reviewing.waiting)
    admit = Waits(reviewing.admit)
    reject = Waits(reviewing.reject)
    ledger = Waits(reviewing.ledger)

    observations = Waits(observing.observations)
    observation = Waits(observing.observation)
    observe = Waits(observing.observe)
    consolidate = Waits(observing.consolidate)
    recompute = Waits(observing.recompute)
    proposals = Waits(proposing.proposals)
    confirm_proposal = Waits(proposing.confirm_proposal)
    reject_proposal = Waits(proposing.reject_proposal)

    publish = Waits(publishing.publish)
    publications = Waits(publishing.publications)
    publication = Waits(publishing.publication)
    withdraw = Waits(publishing.withdraw)
    republish = Waits(publishing.republish)

    chat = Waits(chatting.chat)
    conversations = Waits(chatting.conversations)
    conversation = Waits(chatting.conversation)
    forget_conversation = Waits(chatting.forget_conversation)
    distill = Waits(distilling.distill)
    distillations = Waits(distilling.distillations)
    distillation = Waits(distilling.distillation)
    undo_distillation = Waits(distilling.undo_distillation)
    distill_settings = Waits(distilling.distill_settings)
    set_distill_settings = Waits(distilling.set_distill_settings)

    overturn = Waits(sourcing.overturn)
    add_source = Waits(sourcing.add_source)
    sources = Waits(sourcing.sources)
    sync_source = Waits(sourcing.sync_source)
    remove_source = Waits(sourcing.remove_source)

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
    prompt_policy = Waits(prompting.prompt_policy)
    set_prompt_policy = Waits(prompting.set_prompt_policy)
    prompt_policy_history = Waits(prompting.prompt_policy_history)
    user_prompt = Waits(prompting.user_prompt)
    set_user_prompt = Waits(prompting.set_user_prompt)
    user_prompt_history = Waits(prompting.user_prompt_history)
    agent_controls = Waits(prompting.agent_controls)
    set_agent_controls = Waits(prompting.set_agent_controls)
    agent_controls_history = Waits(prompting.agent_controls_history)
    context = Waits(prompting.context)
    master_memories = Waits(prompting.master_memories)
    add_master_memory = Waits(prompting.add_master_memory)
    change_master_memory = Waits(prompting.change_master_memory)
    delete_master_memory = Waits(prompting.delete_master_memory)

    open_task = Waits(handover.open_task)
    tasks = Waits(handover.tasks)
    close_task = Waits(handover.close_task)
    inject_context = Waits(handover.inject_context)
    injections = Waits(handover.injections)
    injection = Waits(handover.injection)
    withdraw_injection = Waits(handover.withdraw_injection)
    add_tenant = Waits(directory.add_tenant)
    audit = Waits(directory.audit)
    egress = Waits(leaving.egress)
    set_egress = Waits(leaving.set_egress)

    workplaces = Waits(working.workplaces)
    register_workplace = Waits(working.register_workplace)
    unregister_workplace = Waits(working.unregister_workplace)
    route_workplace = Waits(working.route_workplace)
    project_stage = Waits(working.project_stage)
    set_project_stage = Waits(working.set_project_stage)
    harness_report = Waits(working.harness_report)

    bureau_scripts = Waits(bureau.bureau_scripts)
    open_case = Waits(bureau.open_case)
    case = Waits(bureau.case)
    close_case = Waits(bureau.close_case)
    whisper = Waits(bureau.whisper)
    ask = Waits(bureau.ask)
    publish_card = Waits(bureau.publish_card)
    reset_case = Waits(bureau.reset_case)
    show_key = Waits(bureau.show_key)
    stage = Waits(bureau.stage)

    def export(self) -> Iterator[Memory]:
        """Everything the caller may read, one memory after the other, as it arrives."""
        with self._stream(memories.export()) as response:
            yield from (cast(Memory, json.loads(line)) for line in response.iter_lines() if line)

    def events(self, last_event_id: str | None = None) -> Iterator[Json]:
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
    ) -> Iterator[Json]:
        """Ask the master agent; the answer as it is spoken: by ``kind`` ``start``, ``delta``…, and ``done`` or ``error``."""
        call = chatting.chat_events(project_id, message, conversation_id=conversation_id, retry_of=retry_of, distill=distill)
        return self._events(call)

    def stage_events(self, case: str, last_event_id: str | None = None) -> Iterator[Json]:
        """What happens on the stage of a case, from now on or after ``last_event_id``. Nothing private."""
        return self._events(bureau.stage_events(case, last_event_id))

    def send(self, call: Call[T]) -> T:
        """Send any call; again where that is safe."""
        attempt = 1
        while True:
            try:
                outcome = answered(self._http, call.request(self._http))
            except httpx.TransportError as e:
                outcome = e
            except httpx.DecodingError as e:
                raise ApiError(0, "bad_answer", f"the answer of {self.url} cannot be unpacked") from e
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

    def _events(self, call: Call[Any]) -> Iterator[Json]:
        with self._stream(call) as response:
            block: list[str] = []
            for line in response.iter_lines():
                if line:
                    block.append(line)
                    continue
                if "data" in (fields := event_fields(block)):
                    yield {"id": fields.get("id"), **json.loads(fields["data"])}
                block = []

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
