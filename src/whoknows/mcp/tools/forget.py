"""Forget: a memory goes, and nothing of its text remains."""

from whoknows.domain import ids
from whoknows.mcp.asking import Asked
from whoknows.mcp.tool import DESTROYS, Answer, Tool
from whoknows.mcp.tools.arguments import MemoryId
from whoknows.rest.schemas.forms import Count, Form, Told


class ForgetArguments(Form):
    memory_id: MemoryId
    """The id of the memory."""
    version: Count | None = None
    """Delete it only if this is still its version."""


class ToldForgotten(Told):
    deleted: int
    """Memories that are gone."""
    released: int
    """Memories that stay because others wrote the same words: only your name was taken away."""
    copied: int
    """Copies that were published or injected, gone as well."""


async def _forget(asked: Asked, form: ForgetArguments) -> Answer:
    gone = await asked.service.forget(asked.writer(), ids.MemoryId(form.memory_id), form.version)
    told = {"deleted": gone.deleted, "released": gone.released, "copied": gone.copied}
    if gone.released and not gone.deleted:
        return Answer("Others wrote the same words: they keep the memory, without your name.", told)
    copies = f", and {gone.copied} copies of it" if gone.copied else ""
    return Answer(f"Deleted for good: {form.memory_id}{copies}.", told)


FORGET = Tool(
    name="forget",
    title="Forget a memory",
    description=(
        "Delete a memory and all copies of it for good, by its id. Only when the person asks for it. What is merely out of "
        "date is corrected by remember with supersedes, so that its history stays."
    ),
    takes=ForgetArguments,
    tells=ToldForgotten,
    hints=DESTROYS,
    do=_forget,
)
