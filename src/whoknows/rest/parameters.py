"""Parameters of paths, queries and headers that several routes take."""

import re
from typing import Annotated
from urllib.parse import unquote
from uuid import UUID

from fastapi import Depends, Header, Path, Query
from pydantic import BeforeValidator, Field

from whoknows.domain.ids import CredentialId, MemoryId, TraceId
from whoknows.domain.memory import Category, Filters
from whoknows.errors import Invalid, NotFound, VersionRequired
from whoknows.rest.schemas.forms import LARGEST, Label

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)
_ETAG = re.compile(r'(?:W/)?"([0-9]{1,10})"|([0-9]{1,10})', re.ASCII)


def _uuid(text: str, what: str) -> UUID:
    # What is no identifier is absent, like one that was never given out.
    if not _UUID.fullmatch(text):
        raise NotFound(f"there is no such {what}")
    return UUID(text)


def _memory(text: str) -> MemoryId:
    return MemoryId(_uuid(text, "memory"))


def _trace(text: str) -> TraceId:
    return TraceId(_uuid(text, "trace"))


def _injection(text: str) -> UUID:
    return _uuid(text, "injection")


def _publication(text: str) -> UUID:
    return _uuid(text, "publication")


def _proposal(text: str) -> UUID:
    return _uuid(text, "proposal")


def _conversation(text: str) -> UUID:
    return _uuid(text, "conversation")


def _correction(text: str) -> UUID:
    return _uuid(text, "correction")


def _source(text: str) -> UUID:
    return _uuid(text, "source")


def _key(text: str) -> CredentialId:
    return CredentialId(_uuid(text, "key"))


def _name(text: str) -> str:
    """A name as it was before it was percent-encoded; one that cannot be a name is nobody's."""
    try:
        name = unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise NotFound("there is nobody of that name") from None
    if "\0" in name:
        raise NotFound("there is nobody of that name")
    return name


def _cursor(text: str) -> str:
    if not _UUID.fullmatch(text):
        raise ValueError("this is no cursor: take `next_cursor` of an answer")
    return text


MemoryRef = Annotated[UUID, BeforeValidator(_memory), Path(description="The id of a memory.")]
TraceRef = Annotated[UUID, BeforeValidator(_trace), Path(description="The `trace_id` of a recall.")]
InjectionRef = Annotated[UUID, BeforeValidator(_injection), Path(description="The id of an injection.")]
PublicationRef = Annotated[UUID, BeforeValidator(_publication), Path(description="The id of a publication.")]
ProposalRef = Annotated[UUID, BeforeValidator(_proposal), Path(description="The id of a proposal.")]
ConversationRef = Annotated[UUID, BeforeValidator(_conversation), Path(description="The id of a conversation.")]
CorrectionRef = Annotated[UUID, BeforeValidator(_correction), Path(description="The id of a correction.")]
SourceRef = Annotated[UUID, BeforeValidator(_source), Path(description="The id of a source.")]
KeyRef = Annotated[UUID, BeforeValidator(_key), Path(description="The id of a key (not its secret).")]
NameRef = Annotated[str, BeforeValidator(_name), Path(description="A name, percent-encoded: `a/b` is `a%2Fb`.")]
ProjectRef = Annotated[
    str, BeforeValidator(_name), Path(description="A project, percent-encoded.", examples=["boss"], alias="projectId")
]
ProjectName = Annotated[
    str, BeforeValidator(_name), Path(description="A project, percent-encoded.", examples=["boss"], alias="project_id")
]
CaseRef = Annotated[str, BeforeValidator(_name), Path(description="A case, as `POST /bureau/cases` called it.")]
PrincipalRef = Annotated[
    str, BeforeValidator(_name), Path(description="`agent:x` or `member:m`, percent-encoded.", examples=["agent:wukong"])
]

AsAgent = Annotated[Label | None, Query(alias="agent_id", description="Who acts, where the key acts as several.")]
Limit = Annotated[int, Field(ge=1, le=200), Query(description="Items of a page.")]
Cursor = Annotated[str | None, BeforeValidator(_cursor), Query(description="`next_cursor` of the page before.")]
Project = Annotated[Label | None, Query(description="Only of this project.")]
ProjectId = Annotated[Label | None, Query(alias="projectId", description="Only of this project.")]
Account = Annotated[
    Label | None, Query(description="Whose, where the key acts as several members. Never another than the key's own.")
]
Session = Annotated[Label | None, Query(description="Only of this session.")]
Task = Annotated[Label | None, Query(description="Only of this task.")]
TeamName = Annotated[Label | None, Query(description="Only this team's; `*` is everyone's.")]
OfCategory = Annotated[Category | None, Query(description="Only of this category.")]
Tags = Annotated[list[Label], Field(max_length=50), Query(description="Only with all of these; repeat it for several.")]
IfMatch = Annotated[
    str | None, Header(alias="If-Match", description='The version that was read: `1` or `"1"`.', examples=['"1"'])
]
Repeatable = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="Makes the call safe to repeat: the same key with the same body is answered again, not done again.",
    ),
]


def _filters(
    project_id: Project = None,
    session_id: Session = None,
    task_id: Task = None,
    team_id: TeamName = None,
    category: OfCategory = None,
    tags: Tags = [],  # noqa: B006 - FastAPI copies it
) -> Filters:
    return Filters(project_id, session_id, task_id, team_id, category, tuple(tags))


Narrowed = Annotated[Filters, Depends(_filters)]
"""What narrows a read; never what widens it."""


def version_named(if_match: str | None, version: int | None = None) -> int | None:
    """The version of If-Match and of the body; Invalid where the two differ."""
    if if_match is None:
        return version
    found = _ETAG.fullmatch(if_match.strip())
    number = int(found[1] or found[2]) if found else 0
    if not 1 <= number <= LARGEST:
        raise Invalid('name one version, such as 1 or "1"', field="If-Match")
    if version is not None and version != number:
        raise Invalid("`version` and If-Match name different versions", field="version")
    return number


def version_required(if_match: str | None, version: int | None) -> int:
    number = version_named(if_match, version)
    if number is None:
        raise VersionRequired(field="version")
    return number


def etag(version: int) -> dict[str, str]:
    return {"ETag": f'"{version}"'}
