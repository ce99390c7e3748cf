"""A main agent hands work to three sub-agents and gets their results: one story from the first memory to the last token."""

from .conftest import Edge, problem
from .handing import captured, injected, injections, listed, opened, recalled

BRIEFS = {"wukong": "支付接口用幂等键去重", "bajie": "the courier API answers in UTC", "bailong": "首页的主色是海军蓝"}
RESULTS = {"wukong": "支付模块完成，覆盖率 91%", "bajie": "delivery module done, two open questions", "bailong": "首页完成"}


async def test_main_agent_hands_out_work_and_gets_it_back(edge: Edge) -> None:
    """Source 000, section nine."""
    keys = await _people(edge)
    async with edge.as_(keys["tangseng"]) as main:
        # 1. The main agent writes what it knows, some of it for all to see.
        board = await captured(main, "架构决策：采用微前端", memory_type="team", team_id="backend", project_id="shop")
        briefs = {who: await captured(main, text, project_id="shop") for who, text in BRIEFS.items()}
        await captured(main, "预算上限是三百万，不要告诉任何人")

        # 2. It opens a task for the three, and gives each its context.
        tokens = await opened(main, "shop-relaunch", *BRIEFS, expires_in=3600)
        assert set(tokens) == set(BRIEFS)
        contexts = {
            who: await injected(
                main, who, f"do your part: {text}", task_id="shop-relaunch", memory_ids=[briefs[who]], project_id="shop"
            )
            for who, text in BRIEFS.items()
        }
        for who, context in contexts.items():
            assert context["source"] == "injected_by_tangseng"
            assert BRIEFS[who] in context["context"]
            assert "预算" not in str(context)
            given = {m["content"]: m for m in context["memories"]}
            assert given[BRIEFS[who]]["injected_by"] == "tangseng"
            assert given[BRIEFS[who]]["id"] != briefs[who], "a copy, and no way to the original"
            assert not {BRIEFS[other] for other in BRIEFS if other != who} & set(given)

        # 3. With its token each recalls what it was given, and nothing of the others or of the main agent.
        for who, token in tokens.items():
            async with edge.as_(token) as sub:
                me = (await sub.get("/whoami")).json()
                assert (me["acts_as"], me["role"], me["task_id"]) == ([f"agent:{who}"], "sub", "shop-relaunch")
                team = {"架构决策：采用微前端"} if who == "wukong" else set[str]()
                for question in (*BRIEFS.values(), "预算上限", "架构决策"):
                    assert await recalled(sub, question) == {BRIEFS[who], *team}, (who, question)
                assert await listed(sub) == {BRIEFS[who], *team}
                (mine,) = await injections(sub)
                assert (mine["injected_by"], mine["task_id"], mine["original_id"]) == ("tangseng", "shop-relaunch", None)
                await problem(await sub.get(f"/memories/{briefs[who]}"), 404, "not_found")

        # 4. They write their results for the main agent.
        results: dict[str, str] = {}
        for who, token in tokens.items():
            async with edge.as_(token) as sub:
                results[who] = await captured(sub, RESULTS[who], visible_to=["tangseng"], category="project_progress")
                await captured(sub, f"scratch of {who}")
        assert await recalled(main, "完成 done module") >= set(RESULTS.values())
        assert not {t for t in await listed(main) if t.startswith("scratch")}

        # 5. The task is closed: tokens are dead, copies are gone, results stay.
        closed = (await main.post("/tasks/shop-relaunch/close")).json()
        assert (closed["tokens_revoked"], closed["injections_ended"]) == (3, 3)
        assert closed["closed_at"]
        for token in tokens.values():
            async with edge.as_(token) as sub:
                await problem(await sub.post("/recall", json={"query": "anything"}), 401, "unauthenticated")
        for who, brief in BRIEFS.items():
            async with edge.as_(keys[who]) as sub:
                assert brief not in await listed(sub)
                assert await injections(sub) == []
                assert RESULTS[who] in await listed(sub)
        assert await listed(main) >= {*RESULTS.values(), *BRIEFS.values()}
        ended = await injections(main, direction="given")
        assert {i["agent_id"]: i["original_id"] for i in ended} == briefs
        assert all(i["ended_at"] and i["ended_why"] == "the task ended" for i in ended)
        assert (await main.get(f"/memories/{board}")).status_code == 200
        for who, result in results.items():
            assert (await main.get(f"/memories/{result}")).json()["author"] == f"agent:{who}"


async def _people(edge: Edge) -> dict[str, str]:
    """One main agent, three sub-agents, of whom only one is on the team."""
    keys: dict[str, str] = {}
    async with edge.admin as admin:
        for name, more in {"tangseng": {"role": "main"}, **{n: {"role": "sub", "parent": "tangseng"} for n in BRIEFS}}.items():
            assert (await admin.post("/agents", json={"agent_id": name, **more})).status_code == 201
            keys[name] = (await admin.post("/keys", json={"acts_as": [name]})).json()["key"]
        assert (await admin.post("/teams", json={"team_id": "backend"})).status_code == 201
        for who, role in (("tangseng", "writer"), ("wukong", "reader")):
            joined = await admin.put(f"/teams/backend/members/agent:{who}", json={"role": role})
            assert joined.status_code == 200, joined.text
    return keys
