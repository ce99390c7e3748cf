"""The Bureau: where a case is opened, the operator's table, and the stage for everybody."""

from fastapi import APIRouter

from whoknows.console.pages.bureau import lobby, show_keys, stage, steps, table

router = APIRouter()
for _page in (stage, lobby, table, steps, show_keys):
    router.include_router(_page.router)
