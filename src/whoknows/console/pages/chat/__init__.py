"""The chat with the master agent: conversations of one account, in one project at a time."""

from fastapi import APIRouter

from whoknows.console.pages.chat import change, say, show

router = APIRouter()
for part in (say.router, change.router, show.router):
    router.include_router(part)
