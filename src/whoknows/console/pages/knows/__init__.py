"""Who knows what: the matrix, two readers side by side, and what a question did."""

from fastapi import APIRouter

from whoknows.console.pages.knows import inspector, matrix, two, why

router = APIRouter()
for part in (matrix, why, two, inspector):
    router.include_router(part.router)
