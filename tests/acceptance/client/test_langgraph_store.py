"""A LangGraph store of memories: as the store in the package answers, and through the walls."""

import asyncio
from typing import Any

import pytest
from langgraph.store.base import GetOp, Item, ListNamespacesOp, MatchCondition, Op, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from whoknows.client import ApiError, ServerUnreachable
from whoknows.domain.principal import GateLevel
from whoknows.integrations.langgraph import NotKept, WhoKnowsStore

from .conftest import Served

ANA, BOB = ("users", "安娜", "profile"), ("users", "bob")
ODD = {
    "n": 1.5,
    "big": 2**60,
    "none": None,
    "yes": True,
    "list": [1, [2, {"x": "y"}]],
    "text": "half \ud83d, NUL \0, “quotes” \\ 中文",
}


def prefix(*path: str) -> MatchCondition:
    return MatchCondition("prefix", path)


def suffix(*path: str) -> MatchCondition:
    return MatchCondition("suffix", path)


BATCHES: list[list[Op]] = [
    [PutOp(ANA, "a", {"likes": "tea", "n": 1}), PutOp(ANA, "b", ODD), PutOp(BOB, "a", {"likes": "tea", "n": 3})],
    [
        PutOp(("users", "b"), "x", {"n": 5, "tags": ["x", "y"], "in": {"deep": 1, "more": 2}}),
        PutOp(("docs", "v1"), "a/b", {"n": 4}),
    ],
    [GetOp(ANA, "a"), GetOp(ANA, "b"), GetOp(BOB, "a"), GetOp(BOB, "none")],
    [SearchOp(()), SearchOp(("users",)), SearchOp(("users", "b")), SearchOp(("use",)), SearchOp(ANA, limit=1, offset=1)],
    [SearchOp((), {"likes": "tea"}), SearchOp((), {"likes": {"$ne": "tea"}}), SearchOp((), {"n": {"$gt": 1, "$lte": 4}})],
    [
        SearchOp((), {"tags": ["x", "y"]}),
        SearchOp((), {"in": {"deep": 1}}),
        SearchOp((), {"in": {"deep": 2}}),
        SearchOp((), {"n": {"$eq": 4}}),
    ],
    [
        PutOp(ANA, "a", {"likes": "coffee"}),
        GetOp(ANA, "a"),
        PutOp(BOB, "a", None),
        PutOp(BOB, "b", {"v": 1}),
        PutOp(BOB, "b", {"v": 2}),
    ],
    [GetOp(ANA, "a"), GetOp(BOB, "a"), GetOp(BOB, "b"), PutOp(BOB, "none", None)],
    [
        ListNamespacesOp(),
        ListNamespacesOp((prefix("users"),)),
        ListNamespacesOp((suffix("profile"),)),
        ListNamespacesOp(max_depth=1),
    ],
    [ListNamespacesOp((prefix("users", "*", "profile"),)), ListNamespacesOp((prefix("users"), suffix("b")), limit=1, offset=1)],
    [SearchOp((), limit=0), SearchOp((), offset=99), ListNamespacesOp(limit=0)],
]


def plain(result: Any) -> Any:
    """Without times and scores; what a search without a question finds is a set."""
    if isinstance(result, list) and result and isinstance(result[0], Item):
        return sorted(map(str, map(plain, result)))
    return (result.namespace, result.key, result.value) if isinstance(result, Item) else result


@pytest.mark.parametrize("awaited", [False, pytest.param(True, marks=pytest.mark.slow)])
async def test_every_operation_answers_as_the_store_of_the_package_does(served: Served, awaited: bool) -> None:
    reference = InMemoryStore()
    with WhoKnowsStore(url=served.url, key=served.key("A")) as store:
        for ops in BATCHES:
            expected = reference.batch(ops)
            found = await store.abatch(ops) if awaited else await asyncio.to_thread(store.batch, ops)
            for op, one, other in zip(ops, found, expected, strict=True):
                if isinstance(op, SearchOp) and op.limit == 1:  # which one is a matter of order, and there is none
                    assert len(one or []) == len(other)  # pyright: ignore[reportArgumentType]
                else:
                    assert plain(one) == plain(other), op


async def test_a_value_comes_back_exactly_and_a_question_finds_the_nearest_with_its_score(served: Served) -> None:
    with WhoKnowsStore(url=served.url, key=served.key("A")) as store:
        await store.aput(ANA, "odd", ODD)
        await store.aput(ANA, "port", {"text": "预发环境数据库端口是 5433"})
        await store.aput(ANA, "hidden", {"text": "预发环境数据库端口是 5432"}, index=False)
        await store.aput(("other",), "port", {"text": "预发环境数据库端口是 9999"})
        item = await store.aget(ANA, "odd")
        assert item is not None
        assert item.value == ODD
        assert item.created_at.tzinfo is not None
        found = await store.asearch(("users",), query="预发 数据库 端口", limit=5)
        assert found[0].key == "port"
        assert found[0].score is not None
        assert found[0].score > (found[1].score or 0)
        assert {i.key for i in found} <= {"port", "odd"}
        assert await store.asearch(("users",), query="预发 数据库 端口", filter={"text": "no"}) == []
        await store.aput(("half \ud83d",), "\ude00", {"n": 1})
        half = await store.aget(("half \ud83d",), "\ude00")
        assert half is not None
        assert half.value == {"n": 1}
        pages = [await store.asearch((), query="预发 数据库 端口", limit=1, offset=n) for n in range(2)]
        assert {p[0].namespace for p in pages} == {ANA, ("other",)}


async def test_a_store_is_one_key_s_own_and_a_team_s_store_is_the_team_s(served: Served) -> None:
    with (
        WhoKnowsStore(url=served.url, key=served.key("A")) as a,
        WhoKnowsStore(url=served.url, key=served.key("A"), store="other") as other,
        WhoKnowsStore(url=served.url, key=served.key("B")) as b,
        WhoKnowsStore(url=served.url, key=served.key("A"), team_id="T") as written,
        WhoKnowsStore(url=served.url, key=served.key("B"), team_id="T") as read,
        WhoKnowsStore(url=served.url, key=served.key("C"), team_id="T") as outside,
    ):
        await a.aput(("n",), "k", {"v": "private"})
        await other.aput(("n",), "k", {"v": "private"})
        await written.aput(("n",), "k", {"v": "of the team"})
        for store, value in ((a, "private"), (other, "private"), (written, "of the team"), (read, "of the team")):
            item = await store.aget(("n",), "k")
            assert item is not None
            assert item.value == {"v": value}
        assert await b.aget(("n",), "k") is None
        assert await b.asearch(()) == []
        assert await b.asearch((), query="private") == []
        assert await b.alist_namespaces() == []
        with pytest.raises(ApiError, match="not_found"):
            await outside.aget(("n",), "k")
        with pytest.raises(ApiError):
            await read.aput(("n",), "k", {"v": "by a reader"})
        # What another shares under the same tags does not get into one's own store.
        async with served.client("A") as wk:
            (mine,) = (await wk.list(tags=["store:langgraph"], layer="private"))["items"]
            await wk.share(mine["id"], "B")
        assert await b.aget(("n",), "k") is None


async def test_a_secret_is_not_kept_and_a_gate_that_holds_is_an_error(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    secret = "ghp_" + "a1B2" * 9
    with WhoKnowsStore(url=served.url, key=served.key("A")) as store:
        await store.aput(("n",), "k", {"token": secret, "n": 1})
        item = await store.aget(("n",), "k")
        assert item is not None
        assert item.value["n"] == 1
        assert secret not in str(item.value)
        assert "without what looks like a secret" in caplog.text
    await served.world.team("R", GateLevel.REVIEWED, A="writer")
    with WhoKnowsStore(url=served.url, key=served.key("A"), team_id="R") as store:
        with pytest.raises(NotKept, match="waits"):
            await store.aput(("n",), "k", {"v": 1})
        assert await store.aget(("n",), "k") is None


async def test_puts_at_one_moment_leave_one_item(served: Served) -> None:
    with WhoKnowsStore(url=served.url, key=served.key("A")) as store:
        await asyncio.gather(*(store.aput(("n",), "k", {"v": n}) for n in range(6)))
        assert len(await store.asearch(("n",))) == 1


async def test_what_a_store_cannot_do_it_says_before_anything_is_done(served: Served) -> None:
    with WhoKnowsStore(url=served.url, key=served.key("A")) as store:
        refused: list[tuple[type[Exception], Op]] = [
            (NotImplementedError, PutOp(("n",), "k", {"v": 1}, None, 5.0)),
            (ValueError, SearchOp((), {"n": {"$near": 1}})),
            (ValueError, SearchOp((), limit=-1)),
            (ValueError, PutOp(tuple("x" * 60), "k", {})),
            (ValueError, PutOp(("n",), "k", {"v": float("nan")})),
            (TypeError, PutOp(("n",), "k", {"v": {1: 2}})),
            (TypeError, PutOp(("n",), "k", {"v": object()})),
        ]
        for error, op in refused:
            with pytest.raises(error):
                await store.abatch([PutOp(("n",), "before", {"v": 1}), op])
        assert await store.asearch(()) == []


async def test_waiting_in_the_loop_of_an_agent_is_slow_but_never_a_deadlock() -> None:
    with WhoKnowsStore(url="http://127.0.0.1:9", key="wk_" + "x" * 40) as store, pytest.raises(ServerUnreachable):
        store.get(("n",), "k")
