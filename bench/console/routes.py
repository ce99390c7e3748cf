"""Every route below a router, those of the routers that it includes too."""

from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute


def all_routes(router: APIRouter) -> Iterator[APIRoute]:
    """The framework keeps an included router as one entry of its own kind, not as its routes."""
    for route in router.routes:
        if isinstance(route, APIRoute):
            yield route
            continue
        included: Any = getattr(route, "original_router", None)
        if isinstance(included, APIRouter):
            yield from all_routes(included)
