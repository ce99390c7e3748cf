"""Sources: repositories and folders whose documents are indexed, and stay where they are."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType
from uuid import UUID

from whoknows.domain.ids import AudienceId, uuid7
from whoknows.domain.principal import Principal

SourceId = NewType("SourceId", UUID)


def new_source_id() -> SourceId:
    return SourceId(uuid7())


class LocationKind(StrEnum):
    """What lies at a location, and so how it is read."""

    GIT = "git"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """``locator`` is an absolute path with its links resolved, or the https address of a Git repository."""

    kind: LocationKind
    locator: str

    @property
    def is_remote(self) -> bool:
        return self.locator.startswith("https://")


@dataclass(frozen=True, slots=True)
class Source:
    """A registered source. ``owner`` is the team that reads it, or the member whose account memory it belongs to.

    ``revision`` and ``synced_at`` are None before the first synchronisation.
    """

    id: SourceId
    name: str
    location: SourceLocation
    audience: AudienceId
    owner: Principal
    revision: str | None
    synced_at: datetime | None
    created_at: datetime
    documents: int = 0
    """How many of its documents are in the index."""
