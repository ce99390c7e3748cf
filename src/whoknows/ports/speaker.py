"""Outside: the language model that speaks."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from whoknows.domain.prompt import Effort
from whoknows.policy.egress import EgressGrant

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """One message as a model gets it."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class SpeechRequest:
    """What a model is asked. ``most_tokens``: of the answer, what it thinks included.

    ``patience``: seconds until the first word, and between two. ``deadline``: seconds for the whole answer.
    ``grant``: the leave to send these turns, by ``flows.egress``; no request is made without one.
    """

    grant: EgressGrant
    turns: Sequence[SpokenTurn]
    model: str
    effort: Effort | None
    most_tokens: int
    patience: float
    deadline: float


class Speaker(Protocol):
    """A language model behind an endpoint."""

    @property
    def model(self) -> str:
        """The model that speaks where a request names none of its own."""
        ...

    @property
    def address(self) -> str:
        """Where its endpoint is."""
        ...

    def stream(self, request: SpeechRequest) -> AsyncGenerator[str]:
        """The answer in pieces, as they come: never an empty one, and at least one. Nothing is tried twice.

        Raises ModelUnavailable, ModelTimeout, ModelQuota, ModelNonsense or ModelRefusedKey, also in the middle. Closing the
        iterator ends the call.
        """
        ...

    async def close(self) -> None: ...
