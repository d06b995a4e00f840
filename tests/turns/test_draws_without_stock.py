"""A ruling after which no stock is left for a draw (Rules N2, F3)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from games.rules.rulings import JudgedPhase
from games.turns import ruling_plan
from games.turns.judging import Case
from tests.support.campaign import Campaign

pytestmark = pytest.mark.django_db


def judged(*events: dict[str, Any]) -> JudgedPhase:
    return cast(JudgedPhase, SimpleNamespace(resolution=SimpleNamespace(events=events)))


def case_of(campaign: Campaign) -> Case:
    return Case(campaign.phase, {}, {}, {}, (), 0)


@pytest.mark.parametrize("kind", ["ally_not_drawn", "chart_not_drawn"])
def test_ruling_that_leaves_no_stock_for_a_draw_is_refused(kind: str) -> None:
    event = {"kind": kind, "message": "The ally of USA cannot be drawn."}
    with pytest.raises(ruling_plan.RulingError, match="no stock would be left for a draw"):
        ruling_plan._check_digits(case_of(Campaign.begin()), judged(event))


def test_ruling_that_leaves_no_stock_for_an_attack_is_refused() -> None:
    event = {"kind": "void", "reason": "no_digit", "nation": "USA", "area": "Poland"}
    with pytest.raises(
        ruling_plan.RulingError, match="no stock would be left for USA’s attack in Poland"
    ):
        ruling_plan._check_digits(case_of(Campaign.begin()), judged(event))
