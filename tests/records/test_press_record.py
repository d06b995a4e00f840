"""Press in a record (issue 4, item 5): for those who may read it; nations, never persons."""

from __future__ import annotations

from typing import Any

import pytest

from games.evidence import export
from games.models import Game, Press
from games.press import conversations
from games.records import archive
from games.rules.verification import verify
from tests.support.campaign import Campaign, person

pytestmark = pytest.mark.django_db
OPEN_LATER: dict[str, Any] = {
    "sender": "anonymous",
    "closed": [],
    "gamesmaster_reads": False,
    "released": True,
}


def campaign_with_letters(rules: dict[str, Any]) -> Campaign:
    campaign = Campaign.begin(press=rules)
    for nation, to, signed in (("France", ["Britain"], True), ("Germany", ["Russia"], False)):
        seat, writer = campaign.seat(nation), campaign.players[nation]
        conversations.send(
            campaign.game,
            seat,
            writer,
            to,
            f"{nation} to {to[0]}",
            channel="mail",
            signed=signed,
            now=campaign.now,
        )
    return campaign


def finished(campaign: Campaign) -> Game:
    while campaign.game.status == Game.Status.RUNNING:
        campaign.pass_deadline()
    return campaign.game


def test_the_record_of_a_running_game_holds_no_letters() -> None:
    """Not even the gamesmaster's own, where the first report has not said that he reads them."""
    campaign = campaign_with_letters(OPEN_LATER)
    for private in (False, True):
        assert export.record(campaign.game, private=private)["press"] == []


def test_released_letters_come_with_the_finished_game_and_go_into_its_copy() -> None:
    """Who wrote an unsigned one stands in no record."""
    campaign = campaign_with_letters(OPEN_LATER)
    game = finished(campaign)
    tree = export.record(game, private=False)
    assert [(row["from"], row["to"], row["text"]) for row in tree["press"]] == [
        ("France", ["Britain"], "France to Britain"),
        (None, ["Russia"], "Germany to Russia"),
    ]
    assert "felix" not in export.text(tree)
    assert verify.check(tree) == []
    copy = archive.restore(tree, person("ada"))
    assert export.record(copy, private=False)["press"] == tree["press"]
    assert Press.objects.filter(game=copy, person=None).count() == 2


def test_letters_that_are_not_released_stay_out_of_the_record() -> None:
    assert (
        export.record(
            finished(campaign_with_letters({**OPEN_LATER, "released": False})), private=True
        )["press"]
        == []
    )
