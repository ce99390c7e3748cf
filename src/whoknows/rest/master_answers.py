"""Answers of the master agent's interface: prompts, contexts and account memories, in camelCase."""

from whoknows.context.bundle import Bundle
from whoknows.domain.memory import State
from whoknows.domain.prompt import Prompt
from whoknows.flows.account_memories import AccountMemory
from whoknows.rest.answers import Json


def policy(p: Prompt) -> Json:
    return {"globalPrompt": p.content, **_saved(p)}


def user_prompt(p: Prompt) -> Json:
    return {"account": _account(p), "content": p.content, **_saved(p)}


def controls(p: Prompt) -> Json:
    return {
        "account": _account(p),
        "projectId": p.project_id,
        "promptOverride": p.content,
        "modelOverride": p.model,
        "reasoningEffortOverride": p.effort,
        **_saved(p),
    }


def context(b: Bundle) -> Json:
    return {
        "parts": [
            {
                "part": p.name,
                "text": p.text,
                "tokens": p.tokens,
                "items": [{"memoryId": i.id, "text": i.text, "tokens": i.tokens} for i in p.items],
            }
            for p in b.parts
        ],
        "dropped": [{"id": d.id, "part": d.part, "why": d.why} for d in b.dropped],
        "marks": [{"layer": m.layer, "span": m.span, "reason": m.reason} for m in b.marks],
        "composed": b.composed,
        "tokens": b.tokens,
        "tokenizer": b.tokenizer,
        "model": b.model,
        "effort": b.effort,
    }


def memory(a: AccountMemory) -> Json:
    m = a.memory
    return {
        "memoryId": m.id,
        "account": m.audience.owner.name,
        "scope": "global" if m.project_id is None else "project",
        "projectId": m.project_id,
        "title": m.title or "",
        "content": m.content,
        "memoryType": m.category,
        "tags": m.tags,
        "sourceMessageId": a.message,
        "createdAt": m.created_at,
        "updatedAt": m.updated_at,
        "lastUsedAt": a.last_used,
        "archived": m.state is State.ARCHIVED,
        "distilled": None if m.batch is None else {"batchId": m.batch},
        "version": m.version,
    }


def _saved(p: Prompt) -> Json:
    who = None if p.saved_with is None else f"key:{p.saved_with}"
    return {"version": p.version, "updatedAt": p.saved_at, "updatedBy": who if p.saved_by is None else p.saved_by.space}


def _account(p: Prompt) -> str | None:
    return None if p.account is None else p.account.name
