"""The memory pages: what one may know, written, changed, handed on and traced back."""

from fastapi import APIRouter

from whoknows.console.pages.memory import about, batches, changing, handing, shelves, writing

router = APIRouter()
for part in (shelves, writing, batches, handing, changing, about):  # the last ones take any id in the path
    router.include_router(part.router)
