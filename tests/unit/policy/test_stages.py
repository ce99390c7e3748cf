"""Stages: forward by one step, backward by any; and what the next one asks for."""

import itertools

from whoknows.domain.harness import Stage
from whoknows.policy.decision import Allowed, Denied
from whoknows.policy.stages import Footing, following, may_enter, needs, steps

ORDER = (Stage.OFF, Stage.READ_ONLY, Stage.GOVERNED, Stage.TEAM)


def test_each_stage_but_the_last_is_followed_by_one() -> None:
    assert [following(s) for s in ORDER] == [*ORDER[1:], None]


def test_a_project_goes_one_step_forward_or_any_number_back() -> None:
    for (m, present), (n, wanted) in itertools.product(enumerate(ORDER), repeat=2):
        decided = may_enter(present, wanted, routed=True)
        assert isinstance(decided, Allowed if n <= m + 1 else Denied), (present, wanted)
        if isinstance(decided, Denied):
            assert decided.code == "stage_unreachable"
            assert f"from {present} to {ORDER[m + 1]} first" in decided.reason


def test_the_steps_from_one_stage_to_another_are_each_allowed_and_end_there() -> None:
    for present, wanted in itertools.product(ORDER, repeat=2):
        stage = present
        for step in steps(present, wanted):
            assert isinstance(may_enter(stage, step, routed=True), Allowed)
            stage = step
        assert stage is wanted
    assert steps(Stage.TEAM, Stage.OFF) == (Stage.OFF,)


def test_team_is_for_projects_that_go_to_a_team_and_one_that_lost_it_may_stay_or_go_back() -> None:
    denied = may_enter(Stage.GOVERNED, Stage.TEAM, routed=False)
    assert isinstance(denied, Denied)
    assert "no team that you read" in denied.reason
    for wanted in ORDER:
        assert isinstance(may_enter(Stage.TEAM, wanted, routed=False), Allowed)


def test_only_the_team_is_a_condition_and_the_rest_is_for_the_person_to_weigh() -> None:
    for stage in ORDER:
        for routed, turns, workplaces, account in itertools.product((True, False), (0, 7), (0, 2), (True, False)):
            found = {n.need: n for n in needs(Footing(stage, turns, workplaces, routed, account))}
            assert {n for n, need in found.items() if need.blocks} <= {"team"}
            assert ("team" in found) == (stage is Stage.GOVERNED)
            assert ("report" in found) == (stage in (Stage.READ_ONLY, Stage.GOVERNED))
            assert ("account" in found) == (stage in (Stage.READ_ONLY, Stage.GOVERNED)), "where the next one learns"
            assert ("workplaces" in found) == (stage is not Stage.TEAM)
            for name, met in (("team", routed), ("report", turns > 0), ("workplaces", workplaces > 0), ("account", account)):
                if name in found:
                    assert found[name].met == met
                    assert found[name].detail
