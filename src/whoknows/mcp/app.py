"""The tools beside the REST interface, in the same application and the same process."""

from fastapi import FastAPI
from starlette.routing import Route

from whoknows.flows.room import Room
from whoknows.mcp.endpoint import PATH, Endpoint
from whoknows.mcp.server import create_server
from whoknows.service import Service

PLACES = 4
"""With those of the hooks, fewer than there are connections to the database."""
PATIENCE = 5.0
"""Seconds that a call waits for a place: a program waits longer for a tool than for a hook, and a person with it."""


def add_mcp(app: FastAPI, service: Service, version: str, *, places: int = PLACES, patience: float = PATIENCE) -> None:
    """Serve the tools at `/mcp` of ``app``, within its edge and with its limit for bodies.

    So many ``places`` for calls at a time; who has none after ``patience`` seconds is told `busy`, and nothing was done.
    """
    endpoint = Endpoint(create_server(service, version), app.state.body_bytes, Room(places, patience))
    app.router.routes.append(Route(PATH, endpoint, include_in_schema=False))
