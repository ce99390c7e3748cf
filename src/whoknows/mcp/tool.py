"""A tool: what a model is told of it, what it takes and tells, and what it does."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from mcp_types import Tool as ListedTool
from mcp_types import ToolAnnotations
from pydantic import ValidationError

from whoknows.errors import Invalid
from whoknows.mcp.asking import Asked
from whoknows.mcp.flat import input_schema, output_schema
from whoknows.rest.invalid import invalid_from
from whoknows.rest.schemas.forms import Form, Told

F = TypeVar("F", bound=Form)

READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
"""Adds, and never takes away; the same again changes nothing."""
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
"""Adds; the same again may add again: what waits for a reviewer waits twice then."""
DESTROYS = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)

ALWAYS_LOADED = {"anthropic/alwaysLoad": True}
"""Claude Code declares such a tool to the model at once; of the others it lists the names until they are searched for."""


@dataclass(frozen=True, slots=True)
class Answer:
    """``text`` for who reads, ``told`` for who computes: the same, as a JSON object."""

    text: str
    told: Mapping[str, Any]


@dataclass(frozen=True)
class Tool(Generic[F]):
    """``takes`` is its form, whose fields are the arguments. ``hints`` say whether it reads, writes or destroys."""

    name: str
    title: str
    description: str
    takes: type[F]
    tells: type[Told]
    hints: ToolAnnotations
    do: Callable[[Asked, F], Awaitable[Answer]]
    always_loaded: bool = False

    @cached_property
    def listed(self) -> ListedTool:
        return ListedTool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=input_schema(self.takes),
            output_schema=output_schema(self.tells),
            annotations=self.hints,
            _meta=ALWAYS_LOADED if self.always_loaded else None,
        )

    async def __call__(self, asked: Asked, arguments: Mapping[str, Any]) -> Answer:
        """Invalid where the arguments are none of this tool; otherwise whatever it raises."""
        try:
            form = self.takes.model_validate(arguments)
        except ValidationError as fault:
            # An argument may be called as a part of a request is: `query`.
            raise invalid_from([{**e, "loc": ("body", *e["loc"])} for e in fault.errors()]) from None
        return await self.do(asked, form)


def unknown(name: str, known: tuple[str, ...]) -> Invalid:
    return Invalid(f"there is no tool {name[:100]!r}: there are {', '.join(known)}", field="name")
