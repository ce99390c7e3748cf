"""The application: routes, the edge around them, and the life of the service."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response

from whoknows.errors import WhoKnowsError
from whoknows.rest.auth import API
from whoknows.rest.edge import LOOPBACK_HOSTS, Edge
from whoknows.rest.errors import InvalidJson, MethodNotAllowed, NoSuchPath, problem
from whoknows.rest.invalid import invalid_from
from whoknows.rest.page import add_page
from whoknows.rest.routes import (
    agents,
    banks,
    bureau,
    capture,
    conversations,
    corrections,
    distillations,
    egress,
    events,
    explain,
    export,
    health,
    hooks,
    injections,
    keys,
    master_agent,
    master_memories,
    members,
    memories,
    observations,
    proposals,
    provenance,
    publications,
    recall,
    records,
    review,
    sources,
    tasks,
    teams,
    whoami,
    workplaces,
)
from whoknows.service import Service

ROUTES = (
    whoami,
    capture,
    banks,
    corrections,
    recall,
    memories,
    observations,
    proposals,
    provenance,
    publications,
    sources,
    review,
    tasks,
    injections,
    conversations,
    distillations,
    master_agent,
    master_memories,
    explain,
    events,
    agents,
    members,
    teams,
    keys,
    export,
    records,
    bureau,
    egress,
    hooks,
    workplaces,
)


def create_app(
    service: Service,
    *,
    body_bytes: int,
    version: str,
    lifespan_tasks: Sequence[Callable[[], Awaitable[None]]] = (),
    allowed_hosts: Collection[str] = LOOPBACK_HOSTS,
) -> FastAPI:
    """The REST edge of ``service``, which it opens at its start and closes at its end.

    ``body_bytes`` is the longest body it takes. ``lifespan_tasks`` run beside it until it ends. ``allowed_hosts`` are the
    names in a Host header that it answers to, ``*`` for any: loopback alone keeps web pages of strangers out.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        await service.store.open()
        try:
            with suppress(WhoKnowsError):  # without its embedder it still answers by words
                await service.aim.warm()
            tasks = [asyncio.ensure_future(task()) for task in lifespan_tasks]
            try:
                yield
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            await service.close()

    app = FastAPI(
        title="WhoKnows",
        version=version,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        generate_unique_id_function=_operation_name,
    )
    app.state.service = service
    app.state.body_bytes = body_bytes
    app.include_router(health.router)
    for noun in ROUTES:
        app.include_router(noun.router, prefix=API)
    add_page(app)
    app.add_middleware(Edge, service=service, allowed_hosts=allowed_hosts)
    app.add_exception_handler(WhoKnowsError, _told)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    return app


def _operation_name(route: APIRoute) -> str:
    return route.name


async def _told(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, WhoKnowsError)
    return problem(fault, request.state.request_id)


async def _invalid(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, RequestValidationError)
    return problem(invalid_from(fault.errors()), request.state.request_id)


async def _http(request: Request, fault: Exception) -> Response:
    """What the framework itself refuses: unknown paths and methods."""
    assert isinstance(fault, HTTPException)
    known = {400: InvalidJson, 404: NoSuchPath, 405: MethodNotAllowed}
    if fault.status_code not in known:
        raise fault
    headers = {k: v for k, v in (fault.headers or {}).items() if k.lower() == "allow"}
    return problem(known[fault.status_code](), request.state.request_id, headers)
