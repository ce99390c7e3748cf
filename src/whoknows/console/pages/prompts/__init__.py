"""The three prompts of the master agent, what they were before, and the very text that they become."""

from fastapi import APIRouter

from whoknows.console.pages.prompts import compose, save, show

router = APIRouter()
for part in (compose.router, save.router, show.router):
    router.include_router(part)
