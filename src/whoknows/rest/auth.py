"""Who asks: the key of a request, the principal that it acts as or looks through, and where it works."""

from starlette.datastructures import Headers
from starlette.requests import Request

from whoknows.domain.credential import Caller, Credential
from whoknows.errors import Forbidden, Invalid, Unauthenticated
from whoknows.flows.authenticate import act_as
from whoknows.flows.workplaces import Where
from whoknows.service import Service

API = "/api/v1"
"""Where the interface begins; everything below it needs a key."""


def secret_in(headers: Headers) -> str | None:
    """The key, from its two headers and nowhere else. Two different keys are none."""
    given: set[str] = set(headers.getlist("x-api-key"))
    for value in headers.getlist("authorization"):
        scheme, _, secret = value.partition(" ")
        if scheme.lower() != "bearer":
            raise Unauthenticated
        given.add(secret.strip())
    if len(given) > 1:
        raise Unauthenticated("two different keys came with the request")
    return given.pop() if given else None


def service_of(request: Request) -> Service:
    return request.app.state.service


def credential_of(request: Request) -> Credential:
    """The key alone, for calls that administer and for what it says of itself."""
    _own_eyes(request)
    return request.state.credential


def writer(request: Request, agent_id: str | None = None, account: str | None = None, task_id: str | None = None) -> Caller:
    """The principal that writes. With the eyes of another, one only reads."""
    return act_as(credential_of(request), named(request, "X-Agent"), agent_id, account, _task(request, task_id))


async def reader(request: Request, agent_id: str | None = None, task_id: str | None = None) -> Caller:
    """The principal that reads: the key's own, or by ``inspect`` the one of the header X-Seen-As."""
    eyes = named(request, "X-Seen-As")
    if eyes is None:
        return act_as(request.state.credential, named(request, "X-Agent"), agent_id, None, _task(request, task_id))
    if agent_id is not None or named(request, "X-Agent") is not None:
        raise Invalid("either X-Seen-As, or the agent that acts: not both", field="X-Seen-As")
    route = f"{request.method} {API}{getattr(request.scope.get('route'), 'path', '')}"  # the pattern: no names in the trail
    return await service_of(request).authenticate.seen_as(request.state.credential, eyes, route, _task(request, task_id))


async def reader_of(request: Request, agent_id: str | None = None, account: str | None = None) -> Caller:
    """The same where ``account`` may say which member of a key for several is meant."""
    return await reader(request, agent_id) if "x-seen-as" in request.headers else writer(request, agent_id, account)


def named(request: Request, header: str) -> str | None:
    """A header that may hold any name, in UTF-8. Given twice, it must say the same."""
    values = {v.encode("latin-1") for v in request.headers.getlist(header)}
    if not values:
        return None
    if len(values) > 1:
        raise Invalid(f"the header {header} was given twice", field=header)
    try:
        name = values.pop().decode()
    except UnicodeDecodeError:
        raise Invalid(f"the header {header} is not UTF-8", field=header) from None
    if not name:
        raise Invalid(f"the header {header} is empty: leave it out instead", field=header)
    if "\0" in name:
        raise Invalid(f"the header {header} holds a NUL character: remove it", field=header)
    return name


def where_of(request: Request, directory: str | None) -> Where | None:
    """The directory of a call, on the machine that its client runs on."""
    if directory is None:
        return None
    machine = named(request, "X-Machine")
    if machine is None:
        raise Invalid("say on which machine that directory is: its host name, in the header X-Machine", field="X-Machine")
    return Where(machine, directory)


def _task(request: Request, task_id: str | None) -> str | None:
    """The task that is worked on: one a request, by the header X-Task or where the call names it itself."""
    header = named(request, "X-Task")
    if header is not None and task_id is not None and header != task_id:
        raise Invalid("X-Task and task_id name different tasks", field="task_id")
    return header or task_id


def _own_eyes(request: Request) -> None:
    if "x-seen-as" in request.headers:
        raise Forbidden("with the eyes of another, one only reads memories", reason_code="seen_as_reads_only")
