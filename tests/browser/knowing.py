"""A world with every kind of visibility, and very many memories at once, for the pages of who knows what."""

import psycopg

from whoknows.domain.memory import Draft, Memory
from whoknows.domain.principal import AgentRole, Clearance
from whoknows.flows.inject import Gift
from worlds import World


async def household(world: World) -> dict[str, Memory]:
    """A private, a shared, a team's, a narrowed, everyone's, an account's, a held and an injected memory, by these names.

    wukong works for the member tang and is the parent of monkey; maomao has a need_to_know sub-agent, mouse. Strangers
    belong to nothing of this: outsider, and the team of its own.
    """
    await world.members("tang", "guanyin")
    await world.agents("wukong", account="tang")
    await world.agents("maomao", "bajie", "outsider")
    await world.agents("monkey", role=AgentRole.SUB, parent="wukong")
    await world.agents("mouse", role=AgentRole.SUB, parent="maomao", clearance=Clearance.NEED_TO_KNOW)
    await world.team("pilgrims", wukong="writer", maomao="writer", mouse="reader", **{"member:guanyin": "owner"})
    await world.team("strangers", outsider="owner")
    await world.team("*", maomao="writer")
    written = {
        "private": await world.write("wukong", "The launch password is Blue Whale", title="Launch password"),
        "shared": await world.write("wukong", "The western gate opens at dawn", visible_to=("maomao",)),
        "team": await world.write("maomao", "The pilgrims cross the river on Tuesday", team_id="pilgrims"),
        "narrowed": await world.write(
            "maomao", "Only the two of us know the ferryman", team_id="pilgrims", visible_to=("wukong",)
        ),
        "everyone": await world.write("maomao", "The monastery closes at nine", team_id="*"),
        "account": await world.write("wukong", "Tang prefers tea without milk", account="tang"),
        "strange": await world.write("outsider", "Strangers keep their own counsel", team_id="strangers"),
    }
    proposal = Draft(
        "The pilgrims cross on Wednesday", layer="team", team_id="pilgrims", supersedes=written["team"].id, reason="rain"
    )
    outcome = await world.service.capture(await world.caller("wukong"), proposal)
    written["held"] = outcome.memory
    await world.service.inject(
        await world.caller("wukong"), Gift("monkey", "watch the gate", memory_ids=(written["private"].id,))
    )
    return written


async def many(world: World, like: Memory, count: int) -> None:
    """So many more memories like ``like``, newer than all: rows alone, as a bulk import would leave them."""
    async with await psycopg.AsyncConnection.connect(
        world.installation.dsn, autocommit=True, options="-c search_path=whoknows,public"
    ) as connection:
        await connection.execute(
            "INSERT INTO memories (tenant_id, audience_id, memory_id, author_id, dedupe_author, content, category, "
            "content_hash, dedupe_key, wide) SELECT tenant_id, audience_id, uuidv7(), author_id, dedupe_author, "
            "'memory number ' || n, category, content_hash, sha256(convert_to(n::text || memory_id, 'UTF8')), wide "
            "FROM memories, generate_series(1, %(count)s) n WHERE memory_id = %(like)s",
            {"count": count, "like": like.id},
        )
        await connection.execute("ANALYZE memories")
