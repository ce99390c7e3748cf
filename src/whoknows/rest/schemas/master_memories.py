"""The memories of a user on the wire, camelCase as the second source writes them."""

from datetime import datetime
from typing import Literal, Self
from uuid import UUID

from pydantic import ConfigDict, Field, model_validator

from whoknows.domain.memory import Category, Patch
from whoknows.flows.account_memories import AccountChange, NewAccountMemory
from whoknows.rest.schemas.forms import CamelForm, CamelTold, Count, Flag, Label, Text, Words, unless_named

_ID = "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55"
_AT = "2026-01-31T12:00:00Z"


class MasterMemoryIn(CamelForm):
    """A memory of an account."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "scope": "project",
                    "projectId": "boss",
                    "content": "服务器在上海机房",
                    "memoryType": "decision",
                    "tags": ["服务器"],
                }
            ]
        },
    )

    content: Words
    scope: Literal["global", "project"] | None = None
    """`global`: of the user, wherever it is. Left out: of the project, where one is named."""
    project_id: Label | None = None
    title: Text | None = Field(default=None, max_length=500)
    memory_type: Category | None = None
    """Left out: `project_progress` of a project, otherwise `user_preference`."""
    tags: list[Label] = Field(default_factory=list[str], max_length=50)
    source_message_id: Label | None = None
    account: Label | None = None

    @model_validator(mode="after")
    def _one_scope(self) -> Self:
        if self.scope == "project" and self.project_id is None:
            raise ValueError("scope project needs the projectId")
        if self.scope == "global" and self.project_id is not None:
            raise ValueError("scope global has no projectId")
        return self

    def new(self) -> NewAccountMemory:
        default = Category.USER_PREFERENCE if self.project_id is None else Category.PROJECT_PROGRESS
        return NewAccountMemory(
            self.content,
            self.memory_type or default,
            self.project_id,
            self.title,
            tuple(self.tags),
            self.source_message_id,
        )


class MasterMemoryPatchIn(CamelForm):
    """Only what is named changes. Scope and project do not: write it anew there, and delete it here."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"content": "服务器在杭州机房", "archived": False}]})

    content: Words = unless_named("")
    title: Text | None = Field(default=None, max_length=500)
    memory_type: Category = unless_named(Category.FACT)
    tags: list[Label] = Field(default_factory=list[str], max_length=50)
    archived: Flag | None = None
    scope: Literal["global", "project"] | None = None
    """As it is, or left out."""
    project_id: Label | None = None
    """As it is, or left out."""
    version: Count | None = None
    """The version that was read: another one is 409. Left out, the present one is edited."""
    account: Label | None = None

    def change(self, version: int | None) -> AccountChange:
        fields = {"content": "content", "title": "title", "memory_type": "category", "tags": "tags"}
        named = frozenset(fields[n] for n in self.model_fields_set if n in fields)
        patch = Patch(
            content=self.content if "content" in named else None,
            category=self.memory_type if "category" in named else None,
            tags=tuple(self.tags) if "tags" in named else None,
            title=self.title,
            named=named,
        )
        return AccountChange(patch, self.archived, version, self.scope, self.project_id)


class DistilledBy(CamelTold):
    """The distillation that wrote it: `DELETE /master-agent/distill/{batchId}` undoes it."""

    batch_id: UUID


class MasterMemory(CamelTold):
    """A memory of an account."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "memoryId": _ID,
                    "account": "lin",
                    "scope": "project",
                    "projectId": "boss",
                    "title": "",
                    "content": "服务器在上海机房",
                    "memoryType": "decision",
                    "tags": ["服务器"],
                    "sourceMessageId": None,
                    "createdAt": _AT,
                    "updatedAt": _AT,
                    "lastUsedAt": None,
                    "archived": False,
                    "distilled": None,
                    "version": 1,
                }
            ]
        },
    )

    memory_id: UUID
    account: str
    scope: Literal["global", "project"]
    project_id: str | None
    title: str
    content: str
    memory_type: Category
    tags: list[str]
    source_message_id: str | None
    created_at: datetime
    updated_at: datetime
    last_used_at: datetime | None
    """When a model last got it, for this account."""
    archived: bool
    distilled: DistilledBy | None
    """Where it was kept of what was said, by itself or by `POST /master-agent/distill`."""
    version: int


class MasterMemoryPage(CamelTold):
    """One page, newest first."""

    items: list[MasterMemory]
    next_cursor: str | None
