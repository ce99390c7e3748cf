"""Arguments that several tools take."""

import re
from typing import Annotated
from uuid import UUID

from pydantic import BeforeValidator, Field

from whoknows.errors import NotFound
from whoknows.policy.workplaces import MOST_BYTES
from whoknows.rest.schemas.forms import Form, Label, Words

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)


def _memory(value: object) -> object:
    # What is no identifier is absent, like one that was never given out.
    if isinstance(value, str) and not _UUID.fullmatch(value):
        raise NotFound("there is no such memory")
    return value


def _cursor(value: object) -> object:
    if isinstance(value, str) and not _UUID.fullmatch(value):
        raise ValueError("this is no cursor: take `next_cursor` of an answer")
    return value


MemoryId = Annotated[UUID, BeforeValidator(_memory, json_schema_input_type=UUID)]
"""The id of a memory."""
Cursor = Annotated[str, BeforeValidator(_cursor)]
Directory = Annotated[Words, Field(max_length=MOST_BYTES)]


class OfProject(Form):
    """For which project, if for one."""

    directory: Directory | None = None
    """Absolute path of the working directory, where somebody connected it to a project. Or name `project_id`, never both."""
    project_id: Label | None = None
    """Name of the project."""
