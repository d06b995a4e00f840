"""Orders of the service's players."""

from __future__ import annotations

import pytest

from games import permissions, positions
from games.desk import seats
from games.models import Game
from orders.intake import bots
from tests.support.campaign import NATIONS, Campaign

pytestmark = pytest.mark.django_db


def with_bots() -> Campaign:
    return Campaign.begin(seats={"France": "felix@example.org", **dict.fromkeys(BOTS, "bot")})


BOTS = tuple(nation for nation in NATIONS if nation != "France")


def test_orders_of_a_bot_cannot_be_computed_from_what_players_know() -> None:
    """fairness: all but the game's secret is public, or a small number that can be tried.

    By chance a guess may be right for one game.
    """
    right = []
    for secret in "abcdefgh":
        campaign = with_bots()
        Game.objects.filter(pk=campaign.game.pk).update(bots_secret=secret * 64)
        bots.play(campaign.now)
        game, phase = campaign.game, campaign.phase
        sent = dict(phase.submissions.values_list("seat__nation", "text"))
        assert set(sent) == set(BOTS)
        position = positions.position_before(phase)
        guessed = {
            nation: game.rules.bot.orders(
                permissions.view(game, position, nation),
                nation,
                f"{game.pk}/{phase.pk}/{nation}",
            )
            for nation in BOTS
        }
        right.append(guessed == sent)
    assert not all(right)


def test_bots_of_games_with_the_same_moves_play_differently() -> None:
    texts = []
    for secret in ("a" * 64, "b" * 64):
        campaign = with_bots()
        Game.objects.filter(pk=campaign.game.pk).update(bots_secret=secret)
        bots.play(campaign.now)
        texts.append(list(campaign.phase.submissions.order_by("number").values_list("text")))
    assert texts[0] != texts[1]


def test_secret_of_bots_is_drawn_for_each_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert seats.draw_bots_secret() != seats.draw_bots_secret()
