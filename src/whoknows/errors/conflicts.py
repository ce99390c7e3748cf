"""The request is right, and the present state is against it."""

from math import ceil

from whoknows.errors.fault import WhoKnowsError


class Conflict(WhoKnowsError):
    """The present state does not allow this."""

    code = "conflict"


class VersionConflict(Conflict):
    """The memory was changed meanwhile: read it again, and edit that version."""

    code = "version_conflict"


class AlreadySuperseded(Conflict):
    """That memory was superseded already: supersede the current one."""

    code = "already_superseded"


class DuplicateMemory(Conflict):
    """A memory with this text and audience exists already."""

    code = "duplicate_memory"


class NameTaken(Conflict):
    """This name is in use, or was once; a name is never given out again."""

    code = "name_taken"


class RemoteTaken(Conflict):
    """This Git remote belongs to another project already: take it away there first."""

    code = "remote_taken"


class StillNeeded(Conflict):
    """Something else still depends on this."""

    code = "still_needed"


class Concurrent(Conflict):
    """Somebody else was changing the same thing: try again."""

    code = "concurrent_change"


class PublicationPending(Conflict):
    """Another request is publishing this memory there: ask again in a moment."""

    code = "publication_pending"

    def __init__(self, detail: str | None = None, *, retry_after: float = 1.0) -> None:
        """``retry_after`` in seconds: by then the other one is done, or its reservation has ended."""
        super().__init__(detail)
        self.retry_after = max(1, ceil(retry_after))


class PublicationWithdrawn(Conflict):
    """This was published there and taken back, or its copy was deleted: republish it if it is to be there again."""

    code = "publication_withdrawn"


class BranchTaken(Conflict):
    """The repository has a branch of that name, which is no proposal's: name another one."""

    code = "branch_taken"


class StageUnreachable(Conflict):
    """The project cannot go to that stage from where it is: one step at a time, and to `team` where it goes to one of yours."""

    code = "stage_unreachable"


class TaskClosed(Conflict):
    """This task is closed: open another one, under another name."""

    code = "task_closed"


class SyncRunning(Conflict):
    """This source is being synchronised: ask again in a moment."""

    code = "sync_running"


class AnswerPending(Conflict):
    """This very message is being answered: read the conversation, or repeat the request in a moment."""

    code = "answer_pending"
