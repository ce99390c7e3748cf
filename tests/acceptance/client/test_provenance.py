"""Provenance through both clients."""

from .conftest import Served


async def test_both_clients_trace_a_memory_and_ask_for_its_quotes_again(served: Served) -> None:
    quote = "the crane was serviced in May"
    async with served.client("A") as wk:
        note = await wk.capture(f"Log: {quote}", memory_type="team", team_id="T")
        source = f"memory:{note['memory']['id']}"
        fact = (await wk.capture("The crane is fit", memory_type="team", team_id="T", source=source, quote=quote))["memory"][
            "id"
        ]
        assert (await wk.reverify(fact))["evidence"][0]["verified"]
        traced = await wk.provenance(fact)
        assert [(e["verified"], e["found"]) for e in traced["evidence"]] == [(True, "stands")]
    assert (await served.waiting("B", lambda wk: wk.provenance(fact))) == traced
