"""What was asked cannot be done as it was said."""

from collections.abc import Sequence

from whoknows.errors.fault import WhoKnowsError


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


class IdempotencyMismatch(Invalid):
    """This Idempotency-Key was used before with another request."""

    code = "idempotency_mismatch"


class TextTooLong(Invalid):
    """The text is longer than this installation accepts."""

    code = "text_too_long"


class ContextTooLong(Invalid):
    """The global prompt and the message alone are longer than a context may be."""

    code = "context_too_long"


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


class VersionRequired(WhoKnowsError):
    """Name the version that you edit: `version` in the body, or the header `If-Match`."""

    code = "version_required"


class TooLarge(WhoKnowsError):
    """The request is larger than this installation accepts."""

    code = "too_large"
