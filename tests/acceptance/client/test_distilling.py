"""The verbs of distillation, with both clients."""

from acceptance.rest.conftest import serving
from acceptance.rest.distilling import marked, said
from whoknows.bootstrap import Installation

from .conftest import Served


async def test_both_clients_distil_list_read_undo_and_switch(installation: Installation) -> None:
    async with marked(installation) as (edge, _):
        await edge.world.members("mira")
        async with serving(edge.app) as url:
            served = Served(edge.world, url)
            messages = said("decision/project: a = 1", "hello")
            async with served.client("member:mira") as mira:
                done = await mira.distill("boss", messages)  # pyright: ignore[reportArgumentType]
                assert [k["memory"]["content"] for k in done["kept"]] == ["a = 1"]
                assert (await mira.distillation(done["batchId"] or ""))["heard"] == 2
                page = await mira.master_memories(distilled=True)
                assert [m["content"] for m in page["items"]] == ["a = 1"]
            batch = done["batchId"] or ""
            listed = await served.waiting("member:mira", lambda wk: wk.distillations())
            assert [b["batchId"] for b in listed["items"]] == [batch]
            undone = await served.waiting("member:mira", lambda wk: wk.undo_distillation(batch))
            assert undone == {"deleted": 1, "restored": 0, "released": 0}
            off = await served.waiting("member:mira", lambda wk: wk.set_distill_settings(False, project_id="boss"))
            assert off["automatic"] is False
            async with served.client("member:mira") as mira:
                assert (await mira.distill_settings())["automatic"] is True
                dry = await mira.distill("boss", messages, dry_run=True)  # pyright: ignore[reportArgumentType]
                assert dry["batchId"] is None
