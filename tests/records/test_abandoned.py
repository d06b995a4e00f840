"""An abandoned game opens its record as a finished one does, and proves as much."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games import desk
from games.desk import practice
from games.evidence import export
from games.models import Game
from games.records import archive
from games.rules.verification import checker, entries, letters, verify
from orders.models import Submission
from tests.records import played
from tests.records.forging import recomputed
from tests.support.campaign import MONDAY, Campaign, person

Tree = dict[str, Any]
pytestmark = pytest.mark.django_db

REASON = "Three of us have moved away."


def public_record(game: Game) -> Tree:
    tree: Tree = json.loads(export.text(export.current(game, private=False)))
    return tree


def abandoned() -> Campaign:
    """Play a turn, send orders for the next phase, and abandon the game while it is open."""
    campaign = played.begin(public=True)
    played.first_turn(campaign)
    campaign.order("Germany", "PLACE 9 Rumania # nobody judges this")
    desk.abandon(campaign.game, REASON, campaign.ada, campaign.now)
    return campaign


def test_public_record_of_an_abandoned_game_is_complete_and_verifies() -> None:
    tree = public_record(abandoned().game)
    assert (tree["status"], tree["complete"]) == ("abandoned", True)
    (unjudged,) = tree["phases"][-1]["submissions"]
    assert (unjudged["text"], bool(unjudged["salt"])) == (
        "PLACE 9 Rumania # nobody judges this",
        True,
    )
    assert all(row["salt"] for row in tree["entries"])
    assert checker.verdict(tree) == (
        True,
        "This is the record of an abandoned game: “The game was abandoned. Three of us have moved"
        " away.” All 3 phases follow: 10 submissions, 1 digit and 2 results checked.",
    )


def test_reason_for_abandoning_is_bound_by_the_last_letter() -> None:
    campaign = abandoned()
    letter = campaign.letters("abandoned", "gustav")[0]
    tree = public_record(campaign.game)
    assert tree["abandonment"]["reason"] == REASON
    assert tree["entries"][-1]["covers"] == [["abandoned"]]
    line = entries.record_line(tree["id"], letter.record_hash)
    kept = [letters.Letter("gustav", line)]
    assert letters.compare(tree, kept)[0] is True

    tree["abandonment"]["reason"] = "The players agreed."
    assert verify.check(recomputed(tree)) == []
    assert letters.compare(tree, kept)[0] is False


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"abandonment": None}, "the reason why the game was abandoned is recorded as nothing"),
        ({"status": "running"}, "the reason why the game was abandoned is recorded as {"),
        ({"finished": "2026-12-24T09:00:00+00:00"}, "the time at which the game was abandoned"),
        ({"complete": False}, "whether the record of the abandoned game is complete"),
    ],
)
def test_forged_end_of_an_abandoned_game_is_a_difference(change: Tree, sentence: str) -> None:
    tree = public_record(abandoned().game) | change
    assert sentence in "\n".join(map(str, verify.check(recomputed(tree))))


def test_forged_reason_of_a_moved_deadline_is_a_difference() -> None:
    """A gamesmaster who is about to be found out gains nothing by abandoning the game."""
    tree = public_record(abandoned().game)
    tree["phases"][0]["deadline_changes"][0]["reason"] = "Everybody agreed."
    assert "the leaf over deadline change 1 of phase 1" in str(verify.check(tree)[0])


@pytest.mark.parametrize("stage", ["forming", "locked"])
def test_game_abandoned_at_any_stage_verifies(stage: str) -> None:
    campaign = played.begin(market=Game.Market.NEWSPAPER)
    game = campaign.game
    if stage == "forming":
        game = Campaign.open().game
    else:
        campaign.attack_in_poland("ATTACK Poland: France STOCK F")
        assert campaign.pass_deadline().status == "drawing"
    desk.abandon(game, REASON, campaign.ada, campaign.now)
    tree = public_record(game)
    assert tree["complete"]
    assert verify.check(tree) == []


def test_copy_of_a_game_with_an_outage_has_the_same_phases(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """contract 5; promise 5: the copy's record can be checked as the game's."""
    played.short_card(monkeypatch)
    tree = played.whole_record(played.abandoned(monkeypatch))
    copy = archive.restore(tree, person("otto"))
    assert copy.ending == tree["abandonment"]["words"], "its page says how it ended"
    again = played.whole_record_of(copy)
    assert again["phases"] == tree["phases"]
    assert verify.check(again) == []


def test_everybody_reads_the_orders_of_an_abandoned_game(client: Client) -> None:
    campaign = abandoned()
    unjudged = Submission.objects.filter(game=campaign.game).order_by("number").last()
    assert unjudged is not None
    page = client.get(unjudged.get_absolute_url())
    assert "nobody judges this" in page.content.decode()
    phase = reverse("phase", args=[campaign.game.pk, unjudged.phase.number])
    assert unjudged.get_absolute_url() in client.get(phase).content.decode()
    proof = client.get(reverse("proof", args=[campaign.game.pk, 1])).content.decode()
    assert "PLACE 10 Poland # instead" in proof
    answer = client.get(reverse("record", args=[campaign.game.pk]))
    assert answer.json()["phases"][-1]["submissions"][0]["salt"] == unjudged.salt


def test_order_page_of_an_abandoned_game_accepts_no_orders(client: Client) -> None:
    campaign = abandoned()
    client.force_login(campaign.players["Germany"])
    page = reverse("orders", args=[campaign.game.pk, campaign.seat("Germany").pk])
    assert "no more orders are accepted" in client.get(page).content.decode()


def test_copy_of_an_abandoned_game_has_the_same_record() -> None:
    tree = public_record(abandoned().game)
    copied = archive.restore(copy.deepcopy(tree), person("otto"))
    assert public_record(copied) == tree | {"id": copied.pk}


def test_copy_of_a_running_game_says_that_it_is_one() -> None:
    campaign = played.begin()
    tree = json.loads(export.text(export.record(campaign.game, private=True)))
    copied = public_record(archive.restore(tree, person("otto")))
    assert copied["abandonment"]["words"] == "This is a copy of a game that was not over."
    assert copied["entries"][:-1] == tree["entries"]
    assert verify.check(copied) == []


def test_abandoned_practice_game_verifies() -> None:
    game = practice.begin(person("gustav"), "Germany", MONDAY)
    practice.give_up(game, person("gustav"), MONDAY)
    assert verify.check(public_record(Game.objects.get(pk=game.pk))) == []
