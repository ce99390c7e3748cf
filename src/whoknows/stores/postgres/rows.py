"""Rows become values of the domain, here, where they are selected."""

from datetime import datetime
from typing import Any
from uuid import UUID

from whoknows.domain.audience import Audience, Grant, GrantKind, Layer
from whoknows.domain.evidence import Evidence, SourceKind
from whoknows.domain.ids import AudienceId, MemoryId, PrincipalId
from whoknows.domain.memory import Attribution, Category, Isolation, Memory, Origin, Overturned, State
from whoknows.domain.principal import Kind, Principal

Row = dict[str, Any]


def principal(triple: list[Any]) -> Principal:
    """[id, kind, name] as the queries build it."""
    return Principal(PrincipalId(triple[0]), Kind(triple[1]), triple[2])


def maybe(triple: list[Any] | None) -> Principal | None:
    return None if triple is None else principal(triple)


def time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def grant(row: Row) -> Grant:
    return Grant(
        audience=AudienceId(row["audience_id"]),
        layer=Layer(row["layer"]),
        owner=principal(row["owner"]),
        kind=GrantKind(row["kind"]),
        to=PrincipalId(row["to_id"]),
        team=None if row["team_id"] is None else PrincipalId(row["team_id"]),
        task=row["task_id"],
        session=row["session_id"],
        inhabited=row.get("inhabited", True),
    )


def audience(row: Row, task: str | None, session: str | None) -> Audience:
    return Audience(
        id=AudienceId(row["audience_id"]),
        layer=Layer(row["layer"]),
        owner=principal(row["owner"]),
        readers=tuple(sorted((principal(r) for r in row["readers"] or ()), key=lambda p: (p.kind, p.name))),
        task=task,
        session=session,
    )


def memory(row: Row) -> Memory:
    return Memory(
        id=MemoryId(row["memory_id"]),
        audience=audience(row, row["audience_task"], row["audience_session"]),
        content=row["content"],
        title=row["title"],
        category=Category(row["category"]),
        subject=row["subject"],
        tags=tuple(row["tags"]),
        author=principal(row["author"]),
        state=State(row["state"]),
        isolation=Isolation(row["isolation"]),
        project_id=row["project_id"],
        session_id=row["session_id"],
        task_id=row["task_id"],
        version=row["version"],
        content_hash=row["content_hash"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        expires_at=row["expires_at"],
        reason=row["reason"],
        supersedes=_id(row["supersedes"]),
        superseded_by=_id(row["superseded_by"]),
        injected_by=maybe(row["injected_by"]),
        origin=None if row["origin"] is None else _origin(row["origin"]),
        session_ordinal=row["session_ordinal"],
        embedding_pending=row["pending"],
        batch=row["batch_id"],
        authors=tuple(Attribution(principal(a["author"]), datetime.fromisoformat(a["at"])) for a in row["authors"] or ()),
        # Authors of the same words may have named the same source: each has a row, so that it goes with its author.
        evidence=tuple(dict.fromkeys(evidence(e) for e in row["evidence"] or ())),
        overturned=tuple(
            Overturned(MemoryId(UUID(o["id"])), o["title"], o["content"], o["reason"], datetime.fromisoformat(o["at"]))
            for o in row["overturned"] or ()
        ),
        part_of=_id(row["part_of"]),
        indexed=row["indexed"],
        stale=row["stale"],
    )


def _id(value: UUID | None) -> MemoryId | None:
    return None if value is None else MemoryId(value)


def _origin(value: Row) -> Origin:
    original = value.get("memory_id")
    return Origin(
        agent_id=value["agent_id"],
        published_at=datetime.fromisoformat(value["published_at"]),
        memory_id=None if original is None else MemoryId(UUID(original)),
        version=value.get("version"),
        content_hash=value.get("content_hash"),
    )


def evidence(value: Row, audience: AudienceId | None = None) -> Evidence:
    """A row of evidence as JSON; with the audience of its source where that is asked for."""
    source = value["source_memory"] or value["source_id"]
    return Evidence(
        source_kind=SourceKind(value["source_kind"]),
        locator=value["locator"],
        revision=value["revision"],
        quote=value["quote"],
        start=value["quote_start"],
        end=value["quote_end"],
        quote_hash=value["quote_hash"],
        verified=value["verified"],
        verified_at=time(value["verified_at"]),
        audience=audience,
        source=None if source is None else UUID(source),
        moved_at=time(value["moved_at"]),
        moved_to=value["moved_to"],
        gone_at=time(value["gone_at"]),
    )
