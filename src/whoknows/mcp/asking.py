"""Who asks: the key of a call, the principal that it acts as or looks through, and the project that it works for."""

from dataclasses import dataclass

from starlette.requests import Request

from whoknows.domain.credential import Caller, Credential
from whoknows.errors import Invalid
from whoknows.flows.authenticate import act_as
from whoknows.flows.workplaces import Where
from whoknows.rest import auth
from whoknows.rest.auth import named, where_of
from whoknows.service import Service


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of a tool. ``request`` is the HTTP request that brought it, and has passed the door."""

    service: Service
    request: Request
    tool: str

    async def reader(self) -> Caller:
        """The principal that reads: the key's own, or by ``inspect`` the one of the header X-Seen-As."""
        eyes, agent, task = (named(self.request, header) for header in ("X-Seen-As", "X-Agent", "X-Task"))
        if eyes is None:
            return act_as(self._credential, agent, task=task)
        if agent is not None:
            raise Invalid("either X-Seen-As, or the agent that acts: not both", field="X-Seen-As")
        return await self.service.authenticate.seen_as(self._credential, eyes, f"MCP {self.tool}", task)

    def writer(self) -> Caller:
        """The principal that writes. With the eyes of another, one only reads."""
        return auth.writer(self.request)

    def where(self, directory: str | None, project_id: str | None) -> Where | None:
        """The directory that a call names instead of a project, on the machine that its program runs on."""
        if directory is not None and project_id is not None:
            raise Invalid("either directory or project_id: not both", field="directory")
        return where_of(self.request, directory)

    async def project(self, caller: Caller, project_id: str | None, directory: str | None) -> str | None:
        """The project that a call names, by itself or by a directory in which somebody registered a program for it."""
        place = self.where(directory, project_id)
        if place is None:
            return project_id
        return (await self.service.workplaces.route(caller, None, place.machine, place.directory)).project_id

    @property
    def _credential(self) -> Credential:
        return self.request.state.credential
