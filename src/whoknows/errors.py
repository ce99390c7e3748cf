"""Every deliberate error: the docstring is the message, ``code`` the name on the wire.

Edges own HTTP statuses and exit codes; here is only what went wrong and what to do about it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import ClassVar


class WhoKnowsError(Exception):
    """Something went wrong."""

    code: ClassVar[str] = "error"

    def __init__(self, detail: str | None = None, *, field: str | None = None) -> None:
        self.detail = detail or (type(self).__doc__ or "").strip().splitlines()[0]
        self.field = field
        super().__init__(self.detail)


class Unauthenticated(WhoKnowsError):
    """No valid key came with the request. Send `Authorization: Bearer wk_…`."""

    code = "unauthenticated"


class Forbidden(WhoKnowsError):
    """You can see this, but you may not do that to it."""

    code = "forbidden"

    def __init__(self, detail: str | None = None, *, reason_code: str | None = None, field: str | None = None) -> None:
        super().__init__(detail, field=field)
        self.reason_code = reason_code or self.code


class NotYourAgent(Forbidden):
    """This key may not act as that agent."""

    code = "not_your_agent"


class NotYourTask(Forbidden):
    """This key does not belong to that task."""

    code = "not_your_task"


class PermissionMissing(Forbidden):
    """This key lacks the permission for that."""

    code = "permission_missing"


class NotFound(WhoKnowsError):
    """There is no such thing, or you may not see it."""

    code = "not_found"


class Invalid(WhoKnowsError):
    """The request is not valid."""

    code = "invalid"


class AgentRequired(Invalid):
    """This key acts as several agents: say which one (`agent_id`, or the header `X-Agent`)."""

    code = "agent_required"


class AudienceDiffers(Invalid):
    """A memory can only be superseded by one with the same audience."""

    code = "audience_differs"


class BankAmbiguous(Invalid):
    """Several banks come into question: name the project, or without one the team."""

    code = "bank_ambiguous"


class DimensionMismatch(Invalid):
    """The embedder answers with vectors of another dimension than this database holds."""

    code = "dimension_mismatch"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check of the gate noticed. ``span`` is (start, end) in characters of the text."""

    check: str
    message: str
    span: tuple[int, int] | None = None


class RefusedByGate(Invalid):
    """The gate of the destination refused this memory."""

    code = "refused_by_gate"

    def __init__(self, findings: Sequence[Finding] = ()) -> None:
        super().__init__("; ".join(f.message for f in findings) or None)
        self.findings = tuple(findings)


class QuoteNotFound(RefusedByGate):
    """The quote was not found in its source: copy it from there, word for word."""

    code = "quote_not_found"


class IdempotencyMismatch(Invalid):
    """This Idempotency-Key was used before with another request."""

    code = "idempotency_mismatch"


class TextTooLong(Invalid):
    """The text is longer than this installation accepts."""

    code = "text_too_long"


class ContextTooLong(Invalid):
    """The global prompt and the message alone are longer than a context may be."""

    code = "context_too_long"


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


class VersionRequired(WhoKnowsError):
    """Name the version that you edit: `version` in the body, or the header `If-Match`."""

    code = "version_required"


class TooLarge(WhoKnowsError):
    """The request is larger than this installation accepts."""

    code = "too_large"


class StoreUnavailable(WhoKnowsError):
    """The database does not answer. Nothing was written; try again in a moment."""

    code = "store_unavailable"


class StoreFull(StoreUnavailable):
    """The database has no room left. Nothing was written."""

    code = "store_full"


class Busy(WhoKnowsError):
    """More comes in than this server answers in time. Nothing was done; try again in a moment."""

    code = "busy"


class EmbedderUnavailable(WhoKnowsError):
    """The embedding model does not answer. Nothing was written; try again in a moment."""

    code = "embedder_unavailable"


class ModelFault(WhoKnowsError):
    """The language model gave no answer. Your message is kept; ask again in a moment."""

    code = "model_fault"

    def __init__(self, detail: str | None = None, *, retry_after: float | None = None) -> None:
        """``retry_after`` in seconds, where the model's endpoint said when to come back."""
        super().__init__(detail)
        self.retry_after = retry_after


class ModelUnavailable(ModelFault):
    """The language model does not answer, or its endpoint refused the request. Your message is kept."""

    code = "model_unavailable"


class ModelTimeout(ModelFault):
    """The language model took too long. Your message is kept; ask again, or raise WHOKNOWS_MODEL_TIMEOUT."""

    code = "model_timeout"


class ModelQuota(ModelFault):
    """The language model has no more to give for now: too many requests, or its quota is used up. Your message is kept."""

    code = "model_quota"


class ModelNonsense(ModelFault):
    """The language model answered with something that is no answer. Your message is kept."""

    code = "model_nonsense"


class ModelRefusedKey(ModelFault):
    """The language model's endpoint does not accept the key in WHOKNOWS_MODEL_KEY. Your message is kept."""

    code = "model_refused_key"


class Interrupted(WhoKnowsError):
    """The answer was interrupted: nobody listened any more, or the server ends. It is kept as far as it came."""

    code = "interrupted"


class SpeakerMissing(ModelFault):
    """Roles speak through an extra that is not installed here: install `whoknows[bureau]`."""

    code = "speaker_missing"


class AnswerPending(Conflict):
    """This very message is being answered: read the conversation, or repeat the request in a moment."""

    code = "answer_pending"


class ScriptInvalid(Invalid):
    """The script does not follow the rules for scripts."""

    code = "script_invalid"

    def __init__(self, file: str = "", faults: Sequence[str] = ()) -> None:
        """``faults``: one line each, with the place and what to do."""
        super().__init__("\n".join(f"{file}: {f}" for f in faults) or None)
        self.faults = tuple(faults)


class SourceUnreadable(Invalid):
    """There is no such source, or it cannot be read from where the server runs: ask who keeps it, or register another."""

    code = "source_unreadable"


class SyncRunning(Conflict):
    """This source is being synchronised: ask again in a moment."""

    code = "sync_running"


class ConfigurationFault(WhoKnowsError):
    """The settings do not fit this installation."""

    code = "configuration_fault"
