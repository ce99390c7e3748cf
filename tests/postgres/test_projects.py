"""The names of projects that somebody is told of."""

from whoknows.flows.converse import Said
from worlds import World


async def test_projects_are_those_of_ones_conversations_and_then_those_of_memories_that_one_may_read(
    world: World,
) -> None:
    await world.members("mira", "nora")
    mira = await world.caller("member:mira")
    await world.write("member:mira", "a memory", account="mira", project_id="boss")
    await world.write("member:nora", "hidden", account="nora", project_id="secret")
    for project in ("older", "newer"):
        async for _ in world.service.converse(mira, Said(project, "hello")):
            pass
    assert await world.service.projects.known(mira) == ("newer", "older", "boss")
    assert await world.service.projects.known(await world.caller("member:nora")) == ("secret",)


async def test_what_a_conversation_tells_of_itself_counts_its_messages_and_its_answers(world: World) -> None:
    await world.members("mira")
    mira = await world.caller("member:mira")
    conversation = None
    for message in ("one", "two"):
        async for event in world.service.converse(mira, Said("boss", message, conversation)):
            conversation = getattr(event, "conversation", conversation)
    assert conversation is not None
    about = await world.service.conversations.about(mira, conversation)
    assert (about.counts.messages, about.counts.by_model, about.counts.by_evidence) == (2, 0, 2)
    assert about.latest is not None
    assert about.latest.message == "two"
