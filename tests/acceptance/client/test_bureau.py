"""The Bureau's verbs of the client, waiting and awaited, against a real server."""

import asyncio

import pytest

from whoknows.client import ApiError, AsyncWhoKnows, WhoKnows

from .conftest import Served

QUESTION = "保险箱的密码是多少？"


async def test_a_case_is_played_with_the_client_that_is_awaited(served: Served) -> None:
    async with served.client("admin") as admin:
        assert "heron" in [s["id"] for s in (await admin.bureau_scripts())["items"]]
        made = await admin.open_case("heron", "zh")
        with pytest.raises(ApiError, match="not_found"):
            await admin.stage(made["case"])
    name = made["case"]
    async with AsyncWhoKnows(served.url, key=made["key"]) as wk:
        assert (await wk.ask(name, "detective", QUESTION))["outcome"] == "unknown"
        card = (await wk.case(name))["roles"][1]["cards"][0]
        first, second = await wk.publish_card(name, card["id"]), await wk.publish_card(name, card["id"])
        assert first["memory"]["id"] == second["memory"]["id"]
        assert (await wk.ask(name, "detective", QUESTION))["outcome"] == "known"
        screen_key = (await wk.show_key(name, expires_in=600))["key"]
        async with AsyncWhoKnows(served.url, key=screen_key) as screen, asyncio.timeout(30):
            stage = await screen.stage(name)
            await wk.whisper(name, "suspect", "今晚不要回家")
            event = await anext(screen.stage_events(name, stage["last_event"]))
            assert (event["kind"], event["role"]) == ("whispered", "suspect")
            with pytest.raises(ApiError, match="permission_missing"):
                await screen.case(name)
        assert (await wk.reset_case(name))["board"] == []
        assert (await wk.close_case(name))["deleted"] == 1
        with pytest.raises(ApiError, match="unauthenticated"):
            await wk.case(name)


async def test_a_case_is_played_with_the_client_that_waits(served: Served) -> None:
    def play(admin: WhoKnows) -> list[str]:
        made = admin.open_case("greenhouse")
        with WhoKnows(served.url, key=made["key"]) as wk:
            name = made["case"]
            before = wk.stage(name)["last_event"]
            wk.whisper(name, "informant", "go to the lighthouse")
            wk.ask(name, "informant", "Where to go?")
            events = wk.stage_events(name, before)
            kinds = [next(events)["kind"], next(events)["kind"]]
            wk.close_case(name)
            return kinds

    assert await served.waiting("admin", play) == ["whispered", "asked"]
