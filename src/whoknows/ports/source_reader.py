"""Reading sources: repositories and folders outside of the database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from whoknows.domain.source import SourceLocation


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A document at a revision. ``blob`` is the hash of its bytes. ``fault`` says why it is not read, where it is not.

    ``path`` is relative to the source, with ``/``; where the name itself is at fault, an escaped form for people.
    """

    path: str
    blob: str
    fault: str | None = None


class SourceReader(Protocol):
    """Reads repositories and folders. What may not be read and what is not there answer alike: None, or nothing."""

    async def locate(self, where: SourceLocation) -> SourceLocation | None:
        """``where`` with links resolved, if it is a source of that kind under the roots that are allowed."""
        ...

    async def revision(self, where: SourceLocation, revision: str | None) -> str | None:
        """The full hash of a commit (None: of HEAD); for a folder the hash of its present state."""
        ...

    async def read(self, where: SourceLocation, revision: str, path: str) -> str | None:
        """The text of one file at ``revision``. A folder has no past: None where it says something else by now.

        ``revision`` of a folder is that of its state, or the hash of the file itself.
        """
        ...

    async def files(self, where: SourceLocation, revision: str) -> Sequence[SourceFile]:
        """Its Markdown and text files by name, those that cannot be read too, with the reason."""
        ...

    async def texts(self, where: SourceLocation, revision: str, files: Sequence[SourceFile]) -> Mapping[str, str | None]:
        """The texts of some of its files by path; None for one that is no text after all."""
        ...

    async def renames(self, where: SourceLocation, old: str, new: str) -> Mapping[str, str]:
        """New path → old path of files that moved between two revisions, as far as the source can tell."""
        ...
