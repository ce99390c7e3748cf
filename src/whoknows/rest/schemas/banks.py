"""Banks on the wire: a fact for one of them, where a project goes, and which ones there are for the caller."""

from uuid import UUID

from pydantic import ConfigDict, Field

from whoknows.domain.bank import FactContext
from whoknows.domain.ids import MemoryId
from whoknows.domain.principal import GateLevel
from whoknows.flows.ingest import Fact
from whoknows.flows.workplaces import Where
from whoknows.rest.schemas.forms import Form, Label, Told, Words
from whoknows.rest.schemas.workplaces import Directory


class IngestIn(Form):
    """A fact, where it stands, and the words that stand there."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "text": "预发环境数据库端口是 5433",
                    "source": "git:infra@3f2c1a9:docs/staging.md",
                    "quote": "端口改为 5433",
                    "context": "team",
                    "project_id": "boss",
                    "subject": "staging.postgres.port",
                }
            ]
        }
    )

    text: Words
    source: Words = Field(max_length=2000)
    """`git:<source>@<revision>:<path>`, `file:<path>`, `message:<id>`, `memory:<id>`: something that can be read."""
    quote: Words
    """What stands in the source, character for character; white space is folded."""
    context: FactContext
    """`personal`: your account, or the agent's own. `team`: the bank that the project is routed to."""
    project_id: Label | None = None
    directory: Directory | None = None
    """In place of `project_id`: where one works, on the machine of the header X-Machine, routed as the hooks do."""
    team_id: Label | None = None
    """Only for a team's fact that belongs to no project, where you write to several teams."""
    subject: Label | None = None
    """What it is about, as a key: `service-a.postgres.version`."""
    supersedes: UUID | None = None
    """The memory that this one overturns."""
    reason: Words | None = Field(default=None, max_length=2000)
    agent_id: Label | None = None
    """Who writes, where the key acts as several."""

    def fact(self, place: Where | None = None) -> Fact:
        return Fact(
            text=self.text,
            source=self.source,
            quote=self.quote,
            context=self.context,
            project_id=self.project_id,
            team_id=self.team_id,
            subject=self.subject,
            supersedes=None if self.supersedes is None else MemoryId(self.supersedes),
            reason=self.reason,
            place=place,
        )


class RoutingIn(Form):
    """Where a project goes from now on. What is not named is taken away: it is said anew as a whole."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"team_id": "backend", "git_remotes": ["git@github.com:acme/infra.git"]}]}
    )

    team_id: Label | None
    """null: to no team."""
    git_remotes: list[str] = Field(default_factory=list[str], max_length=50)
    """Repositories of the project. Kept as `host/path`; each belongs to one project of the tenant."""


class Routing(Told):
    """Where a project goes, as far as you may know it: what goes to others looks like what goes nowhere."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"project_id": "boss", "team_id": "backend", "git_remotes": ["github.com/acme/infra"]}]}
    )

    project_id: str
    team_id: str | None
    git_remotes: list[str] = Field(examples=[["github.com/acme/infra"]])


class Bank(Told):
    """A set of memories that you read."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"bank": "team:backend", "context": "team", "may_write": True, "gate": "verified", "projects": ["boss"]}
            ]
        }
    )

    bank: str
    """`member:m` or `agent:x`, your own; `team:t`; `*` is everyone's."""
    context: FactContext
    may_write: bool
    gate: GateLevel
    """What a memory must show to get in."""
    projects: list[str]
    """Those that are routed to it."""


class BankList(Told):
    items: list[Bank]
    next_cursor: str | None
