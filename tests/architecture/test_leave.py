"""Nothing is sent outside without leave: what the ports that reach outside take is made by the rule alone."""

import dataclasses
import re
from pathlib import Path
from typing import get_type_hints

from whoknows.domain.egress import Cleared
from whoknows.policy.egress import EgressGrant
from whoknows.ports import Embedder, RoleSpeaker, SpeechRequest

SOURCE = Path(__file__).parents[2] / "src" / "whoknows"
RULE = SOURCE / "policy" / "egress.py"


def test_a_model_is_asked_with_a_grant_and_an_embedder_is_given_cleared_texts_alone() -> None:
    (grant,) = [f for f in dataclasses.fields(SpeechRequest) if f.name == "grant"]
    assert get_type_hints(SpeechRequest)["grant"] is EgressGrant
    assert grant.default is grant.default_factory is dataclasses.MISSING, "a caller that forgets it does not type-check"
    assert get_type_hints(RoleSpeaker.speak)["grant"] is EgressGrant
    assert get_type_hints(Embedder.embed_question)["text"] is Cleared
    assert "Cleared" in str(get_type_hints(Embedder.embed_passages)["texts"])


def test_grants_and_cleared_texts_are_made_by_the_rule_and_nowhere_else() -> None:
    makers = re.compile(r"(?<!def )(?<!class )\b(?:EgressGrant|Cleared)\(")
    elsewhere = {
        p.relative_to(SOURCE).as_posix() for p in SOURCE.rglob("*.py") if p != RULE and makers.search(p.read_text("utf-8"))
    }
    assert elsewhere == set()


def test_what_needs_no_leave_is_said_in_few_places() -> None:
    """A text of nobody's, or for an embedder within this machine: whoever says so without asking a bank is listed here."""
    without = re.compile(r"(?<!def )\b(nobodys|kept_here|of_nobody)\(")
    found = {
        p.relative_to(SOURCE).as_posix(): set(without.findall(p.read_text("utf-8")))
        for p in SOURCE.rglob("*.py")
        if p != RULE and without.search(p.read_text("utf-8"))
    }
    assert found == {
        "flows/aim.py": {"nobodys"},  # the cohort, which is the program's own
        "flows/oversee.py": {"nobodys"},  # a probe
        "cli/diagnosis/machine.py": {"nobodys"},
        "cli/diagnosis/model.py": {"of_nobody"},
        "flows/egress.py": {"kept_here"},  # behind the question whether the embedder is outside
        "flows/prepare.py": {"kept_here"},
        "flows/work.py": {"kept_here"},
    }
