"""Memory beside a LangChain agent or a deep agent: recalled once per run, and what was said is heard afterwards."""

import logging
import re
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Annotated, Any, NotRequired, Self, TypeVar, cast

from whoknows.client import ApiError, AsyncWhoKnows
from whoknows.client.failopen import PATIENCE, Breaker, Degraded, FailOpen
from whoknows.client.memories import CaptureFields
from whoknows.harness import cutting
from whoknows.harness.own_text import without_own
from whoknows.integrations.beside import ask, block_of
from whoknows.integrations.reach import key_of, needs, url_of

needs("deepagents", "langchain")

from langchain.agents.middleware.types import (  # noqa: E402
    AgentMiddleware,
    AgentState,
    ModelRequest,
    ModelResponse,
    PrivateStateAttr,
)
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage  # noqa: E402
from langchain_core.tools import BaseTool, StructuredTool  # noqa: E402
from langgraph.config import get_config  # noqa: E402

CHARACTERS = 6_000
WRITING = 10.0
"""Seconds that a model waits for what it wants remembered: a long text is embedded first."""
_LOG = logging.getLogger("whoknows")
_PREAMBLE = re.compile(r"\A\[[^\[\]]*\]\n\n")
"""What a deep agent writes before the task of a fork: a paragraph in brackets, and no part of the question."""
A = TypeVar("A")
T = TypeVar("T")
M = TypeVar("M", bound=BaseMessage)


class MemoryState(AgentState[Any]):
    whoknows_memory: NotRequired[Annotated[dict[str, str] | None, PrivateStateAttr]]
    """``asked``: the id of the message with which this run began, ``text``: the block beside it. Sub-agents get none of it."""


class WhoKnowsMemory(AgentMiddleware[MemoryState, Any, Any]):
    """``create_deep_agent(…, middleware=[WhoKnowsMemory(key=…)])``: the agent knows what its key may know.

    Before a run the question is recalled once, and what is found stands behind it in every request of the run; it is never
    part of the conversation. The agent has the tools ``recall`` and ``remember``. With ``project_id`` only memories of that
    project and of none are asked for, and after a run its last exchange is distilled, beside the work (``capture=False``:
    never). Whatever fails, the agent goes on without memory, at most ``patience`` seconds later, and the log says so.
    """

    state_schema = MemoryState

    def __init__(
        self,
        *,
        url: str | None = None,
        key: str | None = None,
        agent: str | None = None,
        task: str | None = None,
        project_id: str | None = None,
        limit: int = 5,
        min_score: float | None = None,
        characters: int = CHARACTERS,
        patience: float = PATIENCE,
        capture: bool = True,
        with_tools: bool = True,
        visible_to: Sequence[str] = (),
        breaker: Breaker | None = None,
    ) -> None:
        super().__init__()
        self._memory = FailOpen(url_of(url), key=key_of(key), agent=agent, task=task, patience=patience, breaker=breaker)
        self._project = project_id
        self._limit = limit
        self._min_score = min_score
        self._characters = characters
        self._captures = capture and project_id is not None
        self._visible_to = visible_to
        self.tools = self._own_tools() if with_tools else ()

    @property
    def name(self) -> str:
        return "WhoKnowsMemory"

    def before_agent(self, state: MemoryState, runtime: Any) -> dict[str, Any] | None:  # noqa: ARG002
        question = _safely(_question, state) or ""
        return _kept(state, self._memory.work(self._asked(question)) if question else "")

    async def abefore_agent(self, state: MemoryState, runtime: Any) -> dict[str, Any] | None:  # noqa: ARG002
        question = _safely(_question, state) or ""
        return _kept(state, await self._memory.awork(self._asked(question)) if question else "")

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        return handler(_safely(_beside, request) or request)

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        return await handler(_safely(_beside, request) or request)

    def after_agent(self, state: MemoryState, runtime: Any) -> dict[str, Any] | None:  # noqa: ARG002
        _safely(self._hear, state)
        return None

    async def aafter_agent(self, state: MemoryState, runtime: Any) -> dict[str, Any] | None:  # noqa: ARG002
        _safely(self._hear, state)
        return None

    def flush(self, within: float = 10.0) -> int:
        """Wait until what was said is heard; the number of runs that still are not by then."""
        return self._memory.background.flush(within)

    def close(self) -> None:
        """Waits for what is on its way, up to two seconds."""
        self._memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _asked(self, question: str) -> Callable[[AsyncWhoKnows], Coroutine[Any, Any, str]]:
        async def work(wk: AsyncWhoKnows) -> str:
            found = await ask(wk, cutting.asked(question), self._project, self._limit, self._min_score)
            return block_of(found, self._project, self._characters)

        return work

    def _hear(self, state: MemoryState) -> None:
        """The last exchange alone goes through distillation and the gate, behind the agent's back."""
        project = self._project
        began = (state.get("whoknows_memory") or {}).get("asked")
        place = next((n for n, m in enumerate(state["messages"]) if str(m.id) == began), None)
        if place is None:
            return
        asked, answered = state["messages"][place], _last(state["messages"][place:], AIMessage)
        if not self._captures or project is None or _asked_by_an_agent(asked):
            return
        said = [("user", asked), *([("assistant", answered)] if answered is not None else [])]
        messages: Any = [
            {"id": str(m.id), "role": role, "content": words} for role, m in said if (words := without_own(m.text).strip())
        ]
        if not messages or messages[0]["role"] != "user":
            return

        async def work(wk: AsyncWhoKnows) -> None:
            try:
                await wk.distill(project, messages)
            except Exception as e:
                _LOG.warning("memory: an exchange was not heard: %s", e)

        self._memory.background.later(work)

    def _own_tools(self) -> list[BaseTool]:
        def recall(query: str) -> str:
            """Search memory: what is known about a subject, with sources and what is no longer true."""
            return _answer(self._memory.work(self._asked(query)))

        async def arecall(query: str) -> str:
            return _answer(await self._memory.awork(self._asked(query)))

        def remember(content: str) -> str:
            """Remember one fact that will be needed later, in a full sentence. Never secrets, never whole conversations."""
            return _kept_as(self._memory.work(self._capture(content), WRITING))

        async def aremember(content: str) -> str:
            return _kept_as(await self._memory.awork(self._capture(content), WRITING))

        return [
            StructuredTool.from_function(recall, coroutine=arecall, name="recall"),
            StructuredTool.from_function(remember, coroutine=aremember, name="remember"),
        ]

    def _capture(self, content: str) -> Callable[[AsyncWhoKnows], Coroutine[Any, Any, str]]:
        fields: CaptureFields = {"project_id": self._project, "visible_to": self._visible_to}

        async def work(wk: AsyncWhoKnows) -> str:
            try:
                # What stood beside a question is known already: memory does not learn from itself.
                return _OUTCOMES[(await wk.capture(without_own(content), **fields))["outcome"]]
            except ApiError as e:
                if not 400 <= e.status < 500:
                    raise
                why = "; ".join(str(f.get("message")) for f in e.findings)
                return f"Not remembered: {e.detail} ({e.code}). {why}".strip()

        return work


def _safely(work: Callable[[A], T], given: A) -> T | None:
    """Whatever stands in a message, or does not: the agent goes on."""
    try:
        return work(given)
    except Exception as e:
        _LOG.warning("memory: going on without it: %s: %s", type(e).__name__, e)
        return None


def _kept(state: MemoryState, found: str | Degraded) -> dict[str, Any]:
    """The block of this run, or that there is none: what a run before, or the agent above, had is never left there."""
    asked = _last(state["messages"], HumanMessage)
    return {"whoknows_memory": {"asked": str(asked.id), "text": found or ""} if asked else None}


def _beside(request: ModelRequest[Any]) -> ModelRequest[Any]:
    """The request with the block behind the words that were asked: what stands before them stays as it was, for caches."""
    kept = cast(dict[str, str] | None, request.state.get("whoknows_memory"))
    if not kept or not kept["text"]:
        return request
    messages = list(request.messages)
    humans = [n for n, m in enumerate(messages) if isinstance(m, HumanMessage)]
    place = next((n for n in humans if str(messages[n].id) == kept["asked"]), humans[-1] if humans else None)
    if place is None:
        messages.append(HumanMessage(kept["text"]))
    else:
        messages[place] = _with_text(messages[place], kept["text"])
    return request.override(messages=messages)


def _with_text(message: AnyMessage, text: str) -> AnyMessage:
    content: Any = message.content
    if isinstance(content, str):
        return message.model_copy(update={"content": f"{content}\n\n{text}"})
    return message.model_copy(update={"content": [*content, {"type": "text", "text": text}]})


def _question(state: MemoryState) -> str:
    asked = _last(state["messages"], HumanMessage)
    return "" if asked is None else _PREAMBLE.sub("", without_own(asked.text)).strip()


def _asked_by_an_agent(asked: BaseMessage) -> bool:
    """What one agent asks another is nobody's word: it is never heard as a person's."""
    return get_config().get("configurable", {}).get("ls_agent_type") == "subagent" or bool(_PREAMBLE.match(asked.text))


def _last(messages: Sequence[AnyMessage], kind: type[M]) -> M | None:
    return next((m for m in reversed(messages) if isinstance(m, kind)), None)


def _answer(found: str | Degraded) -> str:
    if isinstance(found, Degraded):
        return f"Memory is not reachable at the moment ({found.code}): go on without it."
    return found or "Nothing is known about this."


def _kept_as(outcome: str | Degraded) -> str:
    return outcome if isinstance(outcome, str) else f"Not remembered: {outcome.detail} ({outcome.code})."


_OUTCOMES = {
    "stored": "Remembered.",
    "superseding": "Remembered.",
    "merged": "It was known already.",
    "held": "It waits for somebody who may decide. Do not say it again.",
}
