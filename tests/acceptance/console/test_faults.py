"""What went wrong, as a person reads it: a page behind the headers, in the reader's language, and nothing of the cause."""

import httpx
import pytest
from fastapi import FastAPI

from whoknows.console.headers import HEADERS

pytestmark = pytest.mark.asyncio(loop_scope="session")
SECRET = "the vault opens with blue whale"


async def test_what_nobody_foresaw_is_a_page_with_a_number_and_without_a_word_of_the_cause(
    console: FastAPI, stranger: httpx.AsyncClient
) -> None:
    async def breaks() -> None:
        raise RuntimeError(SECRET)

    console.add_api_route("/breaks", breaks)
    answer = await stranger.get("/console/breaks", headers={"accept-language": "zh-CN"})

    assert answer.status_code == 500
    assert answer.headers["content-type"].startswith("text/html")
    assert all(answer.headers[h] == v for h, v in HEADERS.items())
    assert answer.headers["cache-control"] == "no-store"
    assert "内部出错了" in answer.text
    assert answer.headers["x-request-id"] in answer.text
    assert SECRET not in answer.text
