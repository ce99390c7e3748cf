"""The verbs of the Bureau, each as the call that it is."""

from whoknows.client.answers import Captured, Json, Key, Page
from whoknows.client.call import Call, named, path


def bureau_scripts() -> Call[Page]:
    """What a case can be opened from, in both languages."""
    return Call("GET", "/bureau/scripts")


def open_case(script: str, language: str | None = None) -> Call[Json]:
    """Open a case, a wall of its own; the answer holds its operator's key, this once. ``language``: ``zh`` or ``en``."""
    return Call("POST", "/bureau/cases", body=named({"script": script, "language": language}))


def case(case: str) -> Call[Json]:
    """Roles with their private cards, the board with origins, and the steps that the script suggests."""
    return Call("GET", _of(case))


def close_case(case: str) -> Call[Json]:
    """The end of the case: its texts are deleted, and its keys die."""
    return Call("DELETE", _of(case))


def whisper(case: str, role: str, content: str) -> Call[Captured]:
    """Tell one role something that no other hears."""
    return Call("POST", _of(case, "whisper"), body={"role": role, "content": content})


def ask(case: str, role: str, question: str) -> Call[Json]:
    """What a role knows about it from its own space and the board: ``answer``, ``mode``, ``outcome``, ``trace``."""
    return Call("POST", _of(case, "ask"), body={"role": role, "question": question})


def publish_card(case: str, memory_id: str) -> Call[Json]:
    """Copy a role's card to the board; the same copy, however often."""
    return Call("POST", _of(case, "publish"), body={"memory_id": memory_id}, idempotent=True)


def reset_case(case: str) -> Call[Json]:
    """Back to the script's beginning. Answers the stage."""
    return Call("POST", _of(case, "reset"))


def show_key(case: str, expires_in: int | None = None) -> Call[Key]:
    """A key that may read the stage and its events, and nothing else. ``expires_in`` in seconds."""
    return Call("POST", _of(case, "show-key"), body=named({"expires_in": expires_in}))


def stage(case: str) -> Call[Json]:
    """What everybody may see: roles, what happened to each last, the board."""
    return Call("GET", _of(case, "stage"))


def stage_events(case: str, last_event_id: str | None = None) -> Call[Json]:
    headers = {"Accept": "text/event-stream"}
    return Call(
        "GET", _of(case, "events"), headers=headers if last_event_id is None else {**headers, "Last-Event-ID": last_event_id}
    )


def _of(case: str, *verb: str) -> str:
    return path("bureau", "cases", case, *verb)
