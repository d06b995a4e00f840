"""Press and deals in a record, for those who may read them (issue 4, item 5).

Nations, not people.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from games import desk, permissions
from games.evidence import export
from games.models import Game, Press, ProposalAnswer
from games.press import conversations, deals
from games.press.book import Book
from games.records import archive
from games.rules.verification import verify
from tests.records.played import short_card
from tests.support.campaign import Campaign, person

pytestmark = pytest.mark.django_db
OPEN_LATER: dict[str, Any] = {
    "sender": "anonymous",
    "closed": "",
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


def campaign_with_deals(rule: str) -> Campaign:
    """Begin a game with one accepted deal and one countered by an unanswered proposal."""
    campaign = Campaign.begin(press={"deals": rule})
    france, germany = campaign.seat("France"), campaign.seat("Germany")
    felix, gustav = campaign.players["France"], campaign.players["Germany"]
    origin: dict[str, Any] = {"channel": "web", "now": campaign.now}
    proposals = [
        deals.propose(campaign.game, france, felix, germany, text, **origin)
        for text in ("PEACE Poland UNTIL TURN 1", "I LEAVE Austria UNTIL TURN 1")
    ]
    deals.answer(proposals[0], germany, ProposalAnswer.Kind.ACCEPTED, gustav, **origin)
    deals.propose(campaign.game, germany, gustav, france, "PEACE", counters=proposals[1], **origin)
    return campaign


def finished(campaign: Campaign) -> Game:
    while campaign.game.status == Game.Status.RUNNING:
        campaign.pass_deadline()
    return campaign.game


def test_record_of_a_running_game_has_no_press() -> None:
    """Also for the gamesmaster, unless the first report said that they read press."""
    campaign = campaign_with_letters(OPEN_LATER)
    for private in (False, True):
        assert export.record(campaign.game, private=private)["press"] == []


def test_record_of_a_finished_game_has_its_released_press() -> None:
    """No record names the writer of an unsigned letter."""
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


def test_record_of_an_abandoned_game_has_its_released_press_and_deals() -> None:
    for campaign, key in (
        (campaign_with_letters(OPEN_LATER), "press"),
        (campaign_with_deals("released"), "deals"),
    ):
        desk.abandon(campaign.game, "Nobody has time.", campaign.ada, campaign.now)
        tree = export.record(campaign.game, private=False)
        assert len(tree[key]) > 1
        assert verify.check(tree) == []
        assert permissions.is_press_open(campaign.game) == (key == "press")
        assert permissions.are_deals_open(campaign.game) == (key == "deals")


def test_record_leaves_out_unreleased_press() -> None:
    assert (
        export.record(
            finished(campaign_with_letters({**OPEN_LATER, "released": False})), private=True
        )["press"]
        == []
    )


def test_exportgame_and_importgame_carry_deals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 27, 5: nations, text, answer and outcome; never the people."""
    short_card(monkeypatch, turns=1)
    game = finished(campaign_with_deals("released"))
    path, out = tmp_path / "record.json", io.StringIO()
    call_command("exportgame", str(game.pk), stdout=out)
    path.write_text(out.getvalue(), encoding="utf-8")
    tree = json.loads(out.getvalue())
    assert [
        (deal["by"], deal["to"], deal["answer"], deal["counters"]) for deal in tree["deals"]
    ] == [
        ("France", "Germany", "accepted", None),
        ("France", "Germany", "countered", None),
        ("Germany", "France", None, 1),
    ]
    assert "felix" not in out.getvalue()
    assert verify.check(tree) == []
    call_command("importgame", str(path), "--gamesmaster", "ada@example.org", stdout=io.StringIO())
    copy = Game.objects.latest("pk")
    assert copy.pk != game.pk
    assert export.record(copy, private=False)["deals"] == tree["deals"]
    books = [Book(person("ada"), deal).deals for deal in (game, copy)]
    contents = [[(deal.status, deal.clauses, deal.outcomes) for deal in book] for book in books]
    assert contents[0] == contents[1]
    assert contents[0][0][0] == "accepted"
    assert [deal.result for deal in contents[0][0][2]] == ["kept", "kept"]


def test_record_leaves_out_unreleased_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    short_card(monkeypatch, turns=1)
    campaign = campaign_with_deals("released")
    assert export.record(campaign.game, private=False)["deals"] == []
    assert export.record(finished(campaign_with_deals("private")), private=True)["deals"] == []
