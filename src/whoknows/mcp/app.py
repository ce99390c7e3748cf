"""The tools beside the REST interface, in the same application and the same process."""

from fastapi import FastAPI
from starlette.routing import Route

from whoknows.mcp.endpoint import PATH, Endpoint
from whoknows.mcp.server import create_server
from whoknows.service import Service


def add_mcp(app: FastAPI, service: Service, version: str) -> None:
    """Serve the tools at `/mcp` of ``app``, within its edge and with its limit for bodies."""
    endpoint = Endpoint(create_server(service, version), app.state.body_bytes)
    app.router.routes.append(Route(PATH, endpoint, include_in_schema=False))
