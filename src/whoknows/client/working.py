"""The verbs of workplaces: the directories in which programs work for a project, and how far each project is connected."""

from whoknows.client.answers import Json, Page
from whoknows.client.call import Call, path
from whoknows.machine import this_machine


def workplaces() -> Call[Page]:
    """Every directory that is registered for the caller's account, on all its machines."""
    return Call("GET", "/workplaces")


def register_workplace(program: str, directory: str, project_id: str, *, machine: str | None = None) -> Call[Json]:
    """From now on ``program`` works for the project in ``directory`` and below. Safe to repeat; another project moves it."""
    body = {"program": program, "machine": machine or this_machine(), "directory": directory, "project_id": project_id}
    return Call("PUT", "/workplaces", body=body, idempotent=True)


def unregister_workplace(program: str, directory: str, *, machine: str | None = None) -> Call[Json]:
    """The directory belongs to nothing any more. 404 where it was not registered."""
    query = {"program": program, "machine": machine or this_machine(), "directory": directory}
    return Call("DELETE", "/workplaces", query)


def route_workplace(directory: str, *, program: str | None = None, machine: str | None = None) -> Call[Json]:
    """``{project_id, directory, stage, team_id, account}`` of the longest registered one that holds it; 404 for none."""
    query = {"directory": directory, "program": program, "machine": machine or this_machine()}
    return Call("GET", "/workplaces/route", query)


def project_stage(project_id: str) -> Call[Json]:
    """How far the project is connected, since when, and what the next stage asks for."""
    return Call("GET", path("projects", project_id, "stage"))


def set_project_stage(project_id: str, stage: str, *, reason: str | None = None) -> Call[Json]:
    """off, read-only, governed or team: one step forward, or any back. 409 where it cannot be reached from here."""
    body = {"stage": stage} if reason is None else {"stage": stage, "reason": reason}
    return Call("PUT", path("projects", project_id, "stage"), body=body, idempotent=True)


def harness_report(project_id: str, *, since: str | None = None, until: str | None = None) -> Call[Json]:
    """What programs got from memory in the project, stage by stage, in figures; four weeks until now. Times in RFC 3339."""
    return Call("GET", path("projects", project_id, "report"), {"since": since, "until": until})
