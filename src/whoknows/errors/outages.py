"""What the server needs is away, or has no room: nobody who asked did anything wrong."""

from whoknows.errors.fault import WhoKnowsError


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


class SpeakerMissing(ModelFault):
    """Roles speak through an extra that is not installed here: install `whoknows[bureau]`."""

    code = "speaker_missing"


class Interrupted(WhoKnowsError):
    """The answer was interrupted: nobody listened any more, or the server ends. It is kept as far as it came."""

    code = "interrupted"


class ConfigurationFault(WhoKnowsError):
    """The settings do not fit this installation."""

    code = "configuration_fault"
