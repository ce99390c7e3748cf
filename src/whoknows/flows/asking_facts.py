"""Asking a language model what of some messages is worth remembering; a quote that is not in its message is refused.

What is never a source (`distill.exclude`) is blanked out first: the model is not shown it, and no quote is taken from it.
"""

import asyncio
import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from whoknows.distill.exclude import excluded
from whoknows.distill.judge import MOST
from whoknows.domain.distilled import FactFound, Judgement, Reach, Said, Skip, Speaking
from whoknows.domain.memory import Category
from whoknows.errors import ModelFault
from whoknows.flows.answering import Pace
from whoknows.flows.asking_words import EXAMPLE_TEXTS, RULES
from whoknows.flows.speaking import answer_of
from whoknows.gate.near import differs
from whoknows.policy.egress import EgressGrant
from whoknows.ports import Speaker, SpeechRequest, SpokenTurn

_WINDOW = 12_000
"""Characters of messages in one request."""
_MOST = 40
"""Messages in one request."""
_AT_ONCE = 4
_LEAST_QUOTE = 4
"""Characters: a shorter quote proves nothing."""
_TYPES = {
    str(c): c for c in Category if c not in (Category.FACT, Category.EXPERIENCE, Category.CORRECTION, Category.OBSERVATION)
}
_SKIPS = {str(s): s for s in Skip}
_GAP = re.compile(r"\s{12}")
"""More white space than stands within a statement."""
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
_FENCED = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class AskFacts:
    speaker: Speaker
    pace: Pace

    async def __call__(self, grant: EgressGrant, messages: Sequence[Said], before: Sequence[Said]) -> list[Judgement]:
        """Judgements of those messages about which the model gave a proper answer; of the others, none."""
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one(window: Sequence[Said], earlier: Sequence[Said]) -> list[Judgement]:
            async with gate:
                try:
                    answer = await self._asked(grant, window, earlier)
                except ModelFault:
                    return []
            return await asyncio.to_thread(_judgements, answer, window)  # a long answer takes a while

        told, earlier_told = await asyncio.to_thread(lambda: (_open(messages), _open(before)))
        windows = _windows(told)
        earlier = [earlier_told[-4:], *(w[-4:] for w in windows[:-1])]
        return [j for part in await asyncio.gather(*map(one, windows, earlier)) for j in part]

    async def _asked(self, grant: EgressGrant, window: Sequence[Said], before: Sequence[Said]) -> str:
        turns = [SpokenTurn("system", RULES), SpokenTurn("user", _shown(window, before))]
        pace = self.pace
        request = SpeechRequest(grant, turns, "", pace.effort, pace.most_tokens, pace.patience, pace.deadline)
        return await answer_of(self.speaker, request)


def _open(messages: Sequence[Said]) -> list[Said]:
    """Messages with blanks for what is never a source, place for place; those of which nothing is left are the classifier's."""
    blanked: list[Said] = []
    for m in messages:
        text = m.content
        for place in excluded(text):
            text = text[: place.start] + " " * (place.end - place.start) + text[place.end :]
        if text.strip():
            blanked.append(replace(m, content=text))
    return blanked


def _windows(messages: Sequence[Said]) -> list[list[Said]]:
    windows: list[list[Said]] = []
    size = 0
    for m in messages:
        if not windows or size + len(m.content) > _WINDOW or len(windows[-1]) == _MOST:
            windows.append([])
            size = 0
        windows[-1].append(m)
        size += len(m.content)
    return windows


def _shown(window: Sequence[Said], before: Sequence[Said]) -> str:
    """Messages as JSON, so that none of them can end the list and speak for the program."""
    shown: dict[str, Any] = {
        "before": [{"role": m.role, "content": m.content.strip()} for m in before],
        "messages": [{"id": m.id, "role": m.role, "projectId": m.project_id, "content": m.content.strip()} for m in window],
    }
    return json.dumps(shown, ensure_ascii=False)


def _judgements(answer: str, window: Sequence[Said]) -> list[Judgement]:
    """What holds of the answer. A message that it does not name, or names wrongly, is left to the classifier."""
    said = {m.id: m for m in window}
    judged: dict[str, Judgement] = {}
    for item in _items(answer):
        message = said.get(str(item.get("id")))
        if message is None or message.id in judged:
            continue
        offered = _objects(item.get("facts"))
        found = (_fact(o, message) for o in offered[: 2 * MOST])
        facts = tuple({(f.start, f.end): f for f in found if f is not None}.values())[:MOST]
        if offered and not facts:  # it made something up: its word on this message counts for nothing
            continue
        skip = _SKIPS.get(str(item.get("skip")), Skip.NOTHING_LASTING)
        judged[message.id] = Judgement(message.id, facts, None if facts else skip)
    return list(judged.values())


def _items(answer: str) -> list[dict[str, Any]]:
    fenced = _FENCED.search(answer)
    text = fenced[1] if fenced else answer[answer.find("{") : answer.rfind("}") + 1]
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return _objects(cast(dict[str, Any], parsed).get("messages")) if isinstance(parsed, dict) else []


def _objects(value: object) -> list[dict[str, Any]]:
    items = cast(list[object], value) if isinstance(value, list) else []
    return [cast(dict[str, Any], i) for i in items if isinstance(i, dict)]


def _fact(offered: dict[str, Any], message: Said) -> FactFound | None:
    """None where its quote is not in the message word for word, or where type or scope is none of ours."""
    quote, kind, scope = offered.get("quote"), _TYPES.get(str(offered.get("type"))), offered.get("scope")
    if not isinstance(quote, str) or kind is None or scope not in ("global", "project"):
        return None
    found = _place(quote.strip(), message.content)
    if found is None or (message.role is Speaking.ASSISTANT and kind is Category.USER_PREFERENCE):
        return None
    start, end = found
    words = message.content[start:end]
    if any(example in words or words in example for example in EXAMPLE_TEXTS):
        return None
    text = offered.get("text")
    return FactFound(
        text=text.strip() if isinstance(text, str) and _says_no_more(text.strip(), words) else words,
        quote=words,
        start=start,
        end=end,
        memory_type=kind,
        scope=Reach.GLOBAL if scope == "global" or message.project_id is None else Reach.PROJECT,
        confidence=0.9,
    )


def _place(quote: str, content: str) -> tuple[int, int] | None:
    """Where ``quote`` stands in ``content``, white space apart."""
    if not _LEAST_QUOTE <= len(quote) <= 2 * len(content):
        return None
    pattern = r"\s+".join(re.escape(word) for word in quote.split())
    match = re.search(pattern, content)
    # Nor across what was blanked out: nobody said those words side by side.
    return None if match is None or _GAP.search(match[0]) else match.span()


def _says_no_more(text: str, quote: str) -> bool:
    """Whether ``text`` is its quote less some words, with the same numbers, names and negations: then it may be stored."""
    spoken = iter(_words(quote))
    return (
        text != "" and len(text) <= len(quote) + 20 and all(w in spoken for w in _words(text)) and differs(text, quote) is None
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
