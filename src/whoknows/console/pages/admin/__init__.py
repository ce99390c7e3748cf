"""Administration: who there is, who is on what, which keys open what, and what may leave; each page a file."""

from fastapi import APIRouter

from whoknows.console.pages.admin import (
    audit,
    egress,
    first_steps,
    keys,
    overview,
    people,
    projects,
    prompt,
    removals,
    teams,
)

router = APIRouter()
for page in (overview, first_steps, prompt, people, removals, teams, projects, keys, audit, egress):
    router.include_router(page.router)
