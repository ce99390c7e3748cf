"""One's own questions again: what they found, as far as it may be seen today, and nobody else's."""

import pytest

from whoknows.domain.credential import Permission
from whoknows.errors import NotFound
from worlds import World

QUESTION = "When does the western gate open?"


async def test_a_trace_comes_with_the_texts_that_it_names(world: World) -> None:
    await world.agents("wukong")
    gate = await world.write("wukong", "The western gate opens at dawn")
    tea = await world.write("wukong", "Tang prefers tea")
    asked = await world.ask("wukong", QUESTION, limit=3)
    found = await world.service.retrace.trace(await world.caller("wukong"), asked.trace.id)
    assert set(found.memories) == {gate.id, tea.id}
    assert found.trace.body["limit"] == 3


async def test_the_newest_questions_are_ones_own_newest_first(world: World) -> None:
    await world.agents("wukong", "maomao")
    await world.write("wukong", "The western gate opens at dawn")
    for question in ("first question", QUESTION):
        await world.ask("wukong", question)
    await world.ask("maomao", "what does wukong know?")
    newest = await world.service.retrace.newest(await world.caller("wukong"))
    assert [a.question for a in newest] == [QUESTION, "first question"]
    assert newest[0].answered == 1
    assert newest[0].best >= newest[0].floor > 0
    assert [a.question for a in await world.service.retrace.newest(await world.caller("wukong"), 1)] == [QUESTION]


async def test_what_became_invisible_since_counts_as_never_found(world: World) -> None:
    await world.agents("wukong", "maomao")
    shared = await world.write("wukong", "The western gate opens at dawn", visible_to=("maomao",))
    asked = await world.ask("maomao", QUESTION)
    caller = await world.caller("maomao")
    assert (await world.service.retrace.newest(caller))[0].best > 0
    await world.service.change.share(await world.caller("wukong"), shared.id, "maomao", False)
    [told] = await world.service.retrace.newest(caller)
    assert (told.best, told.answered, told.scored) == (0.0, 0, ())
    opened = await world.service.retrace.trace(caller, asked.trace.id)
    assert opened.memories == {}
    assert str(shared.id) not in str(opened.trace.body)


async def test_a_question_that_was_asked_with_the_eyes_of_another_is_not_the_others(world: World) -> None:
    await world.agents("wukong", "maomao")
    await world.write("maomao", "The western gate opens at dawn")
    credential = await world.service.authenticate(await world.key("wukong", permissions=[Permission.INSPECT]))
    looking = await world.service.authenticate.seen_as(credential, "maomao", "test")
    from whoknows.flows.recall import Question

    asked = await world.service.recall(looking, Question(QUESTION))
    assert [a.question for a in await world.service.retrace.newest(looking)] == [QUESTION]
    assert await world.service.retrace.newest(await world.caller("maomao")) == []
    with pytest.raises(NotFound):
        await world.service.retrace.trace(await world.caller("maomao"), asked.trace.id)


async def test_what_one_got_and_the_other_did_not_is_told_with_the_reason(world: World) -> None:
    await world.agents("wukong", "maomao", "outsider")
    own = await world.write("wukong", "The western gate opens at dawn")
    shared = await world.write("wukong", "The western gate is guarded", visible_to=("maomao",))
    caller = await world.caller("wukong")
    maomao = (await world.caller("maomao")).principal
    outsider = (await world.caller("outsider")).principal
    assert maomao is not None
    assert outsider is not None
    told = await world.service.explain.why_each(caller, [own.id, shared.id], maomao)
    assert {i: v.visible for i, v in told.items()} == {own.id: False, shared.id: True}
    assert await world.service.explain.why_each(caller, [own.id, shared.id], outsider) == {}
    assert await world.service.explain.why_each(await world.caller("maomao"), [own.id], outsider) == {}
