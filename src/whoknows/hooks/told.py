"""What a program is told of its call: what the server said, or why there is no answer and what to do then."""

from __future__ import annotations

from . import rpc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .rpc import Asked, Json

_META = "whoknows/error"
_OWN = "io.modelcontextprotocol/"
"""What a request says of its protocol: that between here and the server is another matter."""
_GO_ON = "Go on without memory"
_SETTINGS = {
    "no_key": "WHOKNOWS_KEY is not set where this program was started",
    "bad_setting": "WHOKNOWS_KEY or WHOKNOWS_AGENT holds what no header can",
    "bad_url": "WHOKNOWS_URL is no address of a server",
    "other_server": "WHOKNOWS_URL is not the server that this program was connected to: `whoknows connect` would change that",
    "no_server": "this program was not connected to a server: `whoknows connect` does it",
}
_FAULTS = {
    "refused": "nothing listens at {url}",
    "unreachable": "{url} cannot be reached",
    "unresolved": "the name in {url} is not known",
    "tls": "{url} does not prove who it is",
    "timeout": "{url} did not answer in time",
    "closed": "{url} hung up",
    "cut": "{url} broke off its answer",
}


def forwarded(asked: Asked) -> Json:
    """The parameters of a call, as the server is to hear them."""
    params = {name: value for name, value in asked.params.items() if name in ("name", "arguments")}
    meta: Json = asked.params["_meta"] if asked.params.get("_meta").__class__ is dict else {}
    kept = {n: v for n, v in meta.items() if not n.startswith(_OWN)}
    return {**params, "_meta": kept} if kept else params


def answer(asked: Asked, url: str, status: int, said: Json | None) -> Json:
    """The message for the program. ``said``: the object in the body of the server's answer, if it was one."""
    told = said or {}
    result, error = told.get("result"), told.get("error")
    if result.__class__ is dict:
        return rpc.result(asked.number, {"resultType": "complete", **told["result"]} if asked.era else told["result"])
    if error.__class__ is dict:
        return rpc.error(asked.number, error)
    problem = _problem(told)
    if problem is None:
        return _failed(asked, "no_answer_of_a_tool", f"what answers at {url} is no server of WhoKnows ({status})", _person(url))
    code, detail = problem
    return _failed(asked, code, detail, "The person who set this up must give it a valid key." if status == 401 else "", told)


def failed(asked: Asked, url: str, code: str, sent: bool, said: Json | None = None) -> Json:
    """The message where the server gave no answer that could be passed on. ``code``: of the fault."""
    if code == "busy":
        return _failed(asked, code, "too many calls at a time", "Call again when the others are answered.")
    if code == "not_json":
        return rpc.error(asked.number, {"code": rpc.BAD_PARAMS, "message": "the arguments cannot be written as JSON"})
    if code in _SETTINGS:
        named = "unauthenticated" if code == "no_key" else code
        return _failed(asked, named, _SETTINGS[code], f"{_GO_ON}, and tell the person.")
    problem = _problem(said or {})
    done = "Whether it was done is not known" if sent else "Nothing was sent"
    if problem is not None:
        return _failed(asked, *problem, f"{done}. {_GO_ON}, and call again later.", said)
    detail = _FAULTS.get(code, "{url} gives no answer").format(url=url)
    return _failed(asked, "server_unreachable", f"{detail} ({code})", f"{done}. {_GO_ON}, and call again later. {_person(url)}")


def _failed(asked: Asked, code: str, detail: str, advice: str, problem: Json | None = None) -> Json:
    """An error that a model reads, as those of the server are: a result that says so."""
    text = f"{code}: {detail if detail.endswith('.') else detail + '.'} {advice}".strip()
    result: Json = {
        "content": [{"type": "text", "text": text}],
        "isError": True,
        "_meta": {_META: {**(problem or {}), "code": code, "detail": detail}},
    }
    return rpc.result(asked.number, {"resultType": "complete", **result} if asked.era else result)


def _problem(told: Json) -> tuple[str, str] | None:
    """Code and detail of a refusal at the server's door."""
    code, detail = told.get("code"), told.get("detail")
    return (told["code"], told["detail"]) if code.__class__ is str and detail.__class__ is str else None


def _person(url: str) -> str:
    return f"The person can see what is wrong with `whoknows doctor`; `whoknows serve` starts a server at {url}."
