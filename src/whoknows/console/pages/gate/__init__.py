"""The gate: what waits, what did not go in, what is derived, what would be a rule, and what had to be put right."""

from fastapi import APIRouter

from whoknows.console.pages.gate import corrections, ledger, observations, proposals, review

router = APIRouter()
for page in (review, ledger, observations, proposals, corrections):
    router.include_router(page.router)
