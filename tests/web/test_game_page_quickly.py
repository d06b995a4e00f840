"""The page of a game makes at most 13 queries, however long the game lasts (issue 6)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import desk
from games.models import Game, Phase
from tests.support.campaign import NATIONS, Campaign
from tests.support.staging import played
from tests.support.stored import stored

from .conftest import Browser, Watch

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_earnest")]

QUESTIONS = 13  # for a finished game the seats are read twice
PEOPLE = (None, "charlie", "gustav", "ada")


def _eleven_phases() -> Campaign:
    campaign = Campaign.begin()
    for _ in range(11):
        played(campaign)
    return campaign


@pytest.mark.parametrize("public", [True, False], ids=["public", "private"])
def test_game_page_queries_do_not_grow_over_twelve_phases(
    as_: Browser, watch: Watch, public: bool
) -> None:
    campaign = stored("eleven phases", _eleven_phases)
    Game.objects.filter(pk=campaign.game.pk).update(public=public)
    watch.set(campaign.now)
    _asks_little(as_, campaign, "the twelfth phase is open")
    campaign.order("Germany", "ATTACK Poland: Russia STOCK GE")
    _asks_little(as_, campaign, "orders are in")
    campaign.pass_deadline()
    assert campaign.game.status == "finished"
    assert campaign.game.phases.filter(status=Phase.Status.RESOLVED).count() == 12
    _asks_little(as_, campaign, "the game is over")


def test_empty_seat_adds_no_queries(as_: Browser, campaign: Campaign, watch: Watch) -> None:
    for _ in range(2):
        played(campaign)
    watch.set(campaign.now)
    desk.vacate(
        campaign.seat("USA"), campaign.players["USA"], "She has exams.", campaign.ada, campaign.now
    )
    later = campaign.phase.deadline.replace(day=25)
    desk.extend(campaign.phase, later, "The post is slow.", campaign.ada, campaign.now)
    _asks_little(as_, campaign, "a seat is empty")


def _asks_little(as_: Browser, campaign: Campaign, when: str) -> None:
    for name in PEOPLE:
        client = as_(name)
        if client.get(campaign.game.get_absolute_url()).status_code != 200:
            continue
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(campaign.game.get_absolute_url())
        statements = [query["sql"] for query in queries.captured_queries]
        assert answer.status_code == 200
        assert len(statements) <= QUESTIONS, f"{name}, {when}:\n" + "\n".join(statements)


def test_cached_board_is_never_that_of_another_game_or_phase(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    other = Campaign.begin(title="Another")
    _place(campaign, "Poland")
    _place(other, "Italy")
    first, second = (_table(as_, played_game) for played_game in (campaign, other))
    assert first != second
    assert _table(as_, campaign) == first
    _place(campaign, "Rumania", phases=2)
    assert _table(as_, campaign) != first


def _place(campaign: Campaign, area: str, phases: int = 1) -> None:
    for _ in range(phases - 1):
        campaign.pass_deadline()
    campaign.order(NATIONS[-1], f"PLACE 4 {area}")
    campaign.pass_deadline()


def _table(as_: Browser, campaign: Campaign) -> Any:
    page = as_().read(campaign.game.get_absolute_url())
    match = re.search(r'<table class="board">.*?</table>', page, re.S)
    assert match is not None
    return match[0]
