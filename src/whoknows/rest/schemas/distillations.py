"""Distillations on the wire: messages in, what was kept and skipped out; batches; and whether chat is distilled by itself."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from whoknows.flows.distill import Transcript
from whoknows.flows.hearing import MOST_MESSAGES, Message, Role
from whoknows.rest.schemas.forms import CamelForm, CamelTold, Flag, Label, Text
from whoknows.rest.schemas.master_memories import MasterMemory
from whoknows.rest.schemas.problem import Finding

_BATCH = "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e58"
_AT = "2026-01-31T12:00:00Z"
_MEMORY: dict[str, Any] = {
    "memoryId": "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e59",
    "account": "lin",
    "scope": "project",
    "projectId": "boss",
    "title": "",
    "content": "服务器固定用 srv-4",
    "memoryType": "decision",
    "tags": [],
    "sourceMessageId": "m1",
    "createdAt": _AT,
    "updatedAt": _AT,
    "lastUsedAt": None,
    "archived": False,
    "distilled": {"batchId": _BATCH},
    "version": 1,
}


class MessageIn(CamelForm):
    """One message. Its id is whatever its conversation calls it."""

    id: Label
    role: Role
    """What `system` and `tool` say is nobody's statement, and is skipped."""
    content: Text


class DistillIn(CamelForm):
    """A conversation, or a part of it, in the order in which it was said."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "projectId": "boss",
                    "messages": [
                        {"id": "m1", "role": "user", "content": "定了：服务器固定用 srv-4。"},
                        {"id": "m2", "role": "assistant", "content": "好的。"},
                    ],
                }
            ]
        }
    )

    project_id: Label
    messages: list[MessageIn] = Field(max_length=MOST_MESSAGES)
    dry_run: Flag = False
    """true: tells what would be kept, and writes nothing."""
    account: Label | None = None

    def transcript(self) -> Transcript:
        messages = tuple(Message(m.id, m.role, m.content) for m in self.messages)
        return Transcript(self.project_id, messages, self.account, dry=self.dry_run)


class KeptFact(CamelTold):
    """A sentence that is a memory now."""

    outcome: Literal["stored", "merged", "superseding", "held"]
    memory: MasterMemory
    quote: str
    """The sentence of the message, character for character."""
    message_id: str
    findings: list[Finding]


class SkippedMessage(CamelTold):
    """A message, or one fact of it, of which nothing new was kept."""

    message_id: str
    why: str = Field(examples=["greeting"])
    """greeting, ack, ephemeral, guess, nagging, operational, unconfirmed_suggestion, unendorsed_quote, question, hypothetical,
    joke, restated_memory, secret, rule_override, repeat, told_not_to_keep, nothing_lasting; injected (it came out of a memory,
    or a program wrote it), not_said (of a system or tool), refused_by_gate."""
    memory_id: UUID | None
    """The memory that says it already."""
    findings: list[Finding]


class DistilledOut(CamelTold):
    """What became of every message, in order."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "batchId": _BATCH,
                    "mode": "rules",
                    "kept": [
                        {
                            "outcome": "stored",
                            "memory": _MEMORY,
                            "quote": "服务器固定用 srv-4",
                            "messageId": "m1",
                            "findings": [],
                        }
                    ],
                    "skipped": [{"messageId": "m2", "why": "ack", "memoryId": None, "findings": []}],
                }
            ]
        }
    )

    batch_id: UUID | None
    """null for a dry run."""
    mode: Literal["rules", "model"]
    """`model`: a language model looked through the messages. `rules`: the built-in classifier did."""
    kept: list[KeptFact]
    skipped: list[SkippedMessage]


class Batch(CamelTold):
    """A distillation."""

    batch_id: UUID
    project_id: str
    automatic: bool
    """Of a turn of chat, by itself."""
    conversation_id: UUID | None
    mode: Literal["rules", "model"]
    made_by: str = Field(examples=["member:lin"])
    at: datetime
    undone_at: datetime | None
    heard: int
    """Messages."""
    kept: int
    """Facts of which there is a memory today."""


class BatchPage(CamelTold):
    """Those that kept something, or were undone, newest first."""

    items: list[Batch]
    next_cursor: str | None


class BatchWhole(Batch):
    """A distillation, and what it kept and skipped, as far as that is there today."""

    facts: list[KeptFact]
    skipped: list[SkippedMessage]


class UndoneOut(CamelTold):
    """What was undone. Nothing more the second time."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"deleted": 2, "restored": 1, "released": 0}]})

    deleted: int
    """Memories that it had written."""
    restored: int
    """Memories that it had overturned, current again."""
    released: int
    """Memories that it had written and that stay: others said the same, or a hand has changed them."""


class SettingsIn(CamelForm):
    """Whether turns of chat become memory by themselves."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"projectId": "boss", "automatic": False}]})

    automatic: Flag | None
    """null: for a project, what the account says; for the account, yes."""
    project_id: Label | None = None
    """For this project alone. Left out: for all of the account's."""
    account: Label | None = None


class SettingsOut(CamelTold):
    """Whether turns of chat become memory by themselves."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"account": "lin", "projectId": "boss", "automatic": False, "ofAccount": None, "ofProject": False}]
        }
    )

    account: str
    project_id: str | None
    automatic: bool
    """What holds."""
    of_account: bool | None
    """What the account says of all projects; null: nothing, and then it is yes."""
    of_project: bool | None
