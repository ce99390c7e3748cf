"""The Bureau on the wire: scripts, cases, whispers, questions, the stage."""

from datetime import datetime
from uuid import UUID

from pydantic import ConfigDict, Field, model_validator

from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.script import Knowledge, Language, Place
from whoknows.domain.stage import Happening
from whoknows.rest.schemas.forms import Form, Label, Moment, Seconds, Told, Words, one_end
from whoknows.rest.schemas.memory import EXAMPLE, Memory, Origin
from whoknows.rest.schemas.recall import Space

_AT = "2026-01-31T12:00:00Z"
_ID = "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55"


class CaseIn(Form):
    """A new case."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"script": "heron", "language": "zh"}]})

    script: Label
    """The id of a script, from `GET /bureau/scripts`."""
    language: Language = Language.EN
    """In which the cards are laid and the roles answer."""


class NewCase(Told):
    """A case and the key of its operator, which is shown this once."""

    case: str = Field(examples=["case-5d0c…"])
    language: Language
    id: UUID
    """The id of the key."""
    key: str = Field(examples=["wk_…"])


class WhisperIn(Form):
    """A message for one role alone."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"role": "informant", "content": "今晚十点在钟楼见。"}]})

    role: Label
    content: Words


class AskIn(Form):
    """A question to one role."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"role": "detective", "question": "保险箱的密码是多少？"}]})

    role: Label
    question: Words


class PublishCardIn(Form):
    """A role's card, by its id."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"memory_id": _ID}]})

    memory_id: UUID


class ShowKeyIn(Form):
    """How long the key is good for; without an end as long as the operator's own."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"expires_in": 86400}]})

    expires_at: Moment | None = None
    expires_in: Seconds | None = None

    @model_validator(mode="after")
    def _one_end(self) -> "ShowKeyIn":
        one_end(self.expires_at, self.expires_in)
        return self


class NewShowKey(Told):
    """A key for the big screen, shown this once."""

    id: UUID
    key: str = Field(examples=["wk_…"])


class ScriptRole(Told):
    """A role of a script."""

    id: str = Field(examples=["detective"])
    """The name of its agent."""
    name: dict[Language, str] = Field(examples=[{"zh": "侦探", "en": "Detective"}])


class Script(Told):
    """A script that a case can be opened from. It tells nothing of what anybody knows."""

    id: str = Field(examples=["heron"])
    title: dict[Language, str]
    intro: dict[Language, str]
    roles: list[ScriptRole]
    steps: int
    """How many steps it suggests."""


class ScriptList(Told):
    items: list[Script]
    next_cursor: str | None


class CaseCard(Told):
    """A private card of a role: locked, also when a copy of it is on the board."""

    id: UUID
    content: str
    tags: list[str]
    card: str | None
    """The script's name for it."""
    locked: bool
    published_as: UUID | None
    """The copy on the board."""
    version: int
    created_at: datetime


class CaseRole(Told):
    """A role and what it has for itself."""

    role: str
    name: str
    persona: str
    cards: list[CaseCard]


class Step(Told):
    """A step that the script suggests: `whisper`, `ask` or `publish`."""

    kind: str = Field(examples=["ask"])
    role: str | None
    text: str | None
    """What to whisper, or to ask."""
    card: str | None
    """The card to whisper or to publish, or the one that answers."""
    expect: Knowledge | None
    place: Place | None


class Case(Told):
    """A case, for its operator."""

    case: str
    script: str
    title: str
    intro: str
    language: Language
    founded_at: datetime
    reset_at: datetime | None
    roles: list[CaseRole]
    board: list[Memory] = Field(examples=[[EXAMPLE]])
    steps: list[Step]


class Hit(Told):
    """A card that the question met."""

    id: UUID
    content: str
    place: Place
    space: str = Field(examples=["agent:detective"])
    origin: Origin | None
    score: float = Field(ge=0, le=1)


class AskTrace(Told):
    """What was searched and what was found: the role's own space and the board, and nothing else."""

    trace_id: UUID
    question: str
    asked_at: datetime
    searched: list[Space]
    hits: list[Hit]
    outcome: Knowledge
    """`known` where something was found."""
    arms: str = Field(examples=["lexical+dense"])
    took_ms: float
    mode: AnswerMode
    degraded: str | None


class RoleAnswer(Told):
    """What the role says."""

    role: str
    answer: str
    mode: AnswerMode
    """`evidence`: the cards, word for word. `full`: in the role's own words, by a model that got those cards alone."""
    reason: str | None
    """Why it is `evidence`: `no_model`, or what went wrong with the model."""
    outcome: Knowledge
    trace: AskTrace


class StageEvent(Told):
    """What happened, without anything private."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "id": _ID,
                    "kind": "asked",
                    "role": "detective",
                    "outcome": "unknown",
                    "mode": "evidence",
                    "searched": ["agent:detective", "*"],
                    "at": _AT,
                }
            ]
        }
    )

    id: UUID
    kind: Happening
    role: str | None
    outcome: Knowledge | None
    mode: AnswerMode | None
    searched: list[str]
    at: datetime


class StageCard(Told):
    """A card of the board, as it was published."""

    content: str
    tags: list[str]
    origin: str
    """The role that it came from."""
    at: datetime


class StageRole(Told):
    """A role, and what happened to it last."""

    id: str
    name: str
    last: StageEvent | None


class Stage(Told):
    """What everybody may see of a case."""

    case: str
    script: str
    title: str
    language: Language
    roles: list[StageRole]
    board: list[StageCard]
    """Newest first."""
    last_event: UUID | None
    """Go on from here: `Last-Event-ID` of the stream."""
