"""The page of the interface: OpenAPI at /openapi.json, and a reference at /docs that loads nothing from elsewhere."""

from importlib.resources import files
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from whoknows.rest.answers import answer
from whoknows.rest.schemas.conversations import ChatProblem
from whoknows.rest.schemas.problem import Finding, Problem

_INTRODUCTION = """Memory for teams of agents in which each one knows exactly what it should.

Identity comes from the key alone (`Authorization: Bearer wk_…`, or `X-API-Key`). A key that acts as several agents says
which one by the header `X-Agent`, or by `agent_id`. Errors are `application/problem+json`; decide by their `code`.
What you may not see is not there: 404, as if it never was."""
_TAGS = [
    {"name": "memory", "description": "Write, read, edit and delete memories."},
    {"name": "recall", "description": "Ask what one may know."},
    {"name": "master agent", "description": "Prompts, memories of a user, context, chat and conversations."},
    {"name": "observations", "description": "What several memories say, stated once, and rules that they propose."},
    {"name": "explain", "description": "Why somebody knows something."},
    {"name": "events", "description": "Follow what happens."},
    {"name": "self", "description": "What a key may do."},
    {"name": "administration", "description": "Tenants, agents, members, teams, keys, export, audit."},
    {"name": "health", "description": "Does it run, can it answer?"},
]
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'"
)


def add_page(app: FastAPI) -> None:
    """Serve the page of ``app``. It says nothing that is not the same for everybody, so it needs no key."""
    app.openapi = lambda: described(app)
    html = (files("whoknows.rest") / "reference.html").read_text(encoding="utf-8")

    async def openapi(_: Request) -> Response:
        return answer(described(app))

    async def docs(_: Request) -> Response:
        return HTMLResponse(html, headers={"Content-Security-Policy": _POLICY})

    app.add_route("/openapi.json", openapi, include_in_schema=False)
    app.add_route("/docs", docs, include_in_schema=False)


def described(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description of ``app``."""
    if app.openapi_schema is not None:
        return app.openapi_schema
    page = get_openapi(title=app.title, version=app.version, routes=app.routes, description=_INTRODUCTION, tags=_TAGS)
    schemas = page["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    reference = "#/components/schemas/{model}"
    schemas["Problem"] = Problem.model_json_schema(ref_template=reference, mode="serialization")
    schemas["Problem"].pop("$defs", None)
    schemas["ChatProblem"] = ChatProblem.model_json_schema(ref_template=reference, mode="serialization")
    schemas["ChatProblem"].pop("$defs", None)
    schemas["Finding"] = Finding.model_json_schema(ref_template=reference, mode="serialization")
    page["components"]["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer", "description": "A key: `wk_…`"},
        "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    }
    for path, operations in page["paths"].items():
        for operation in operations.values():
            operation["security"] = [] if path in ("/health", "/ready") else [{"bearer": []}, {"key": []}]
    app.openapi_schema = page
    return page
