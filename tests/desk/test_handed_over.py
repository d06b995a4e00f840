"""Acts of a gamesmaster who no longer runs the game when its row is free (rules 0.2).

A page asks who runs the game before it waits for the game's row; meanwhile the game may be handed
over to another person.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from games import desk, permissions
from games.desk import DeskError, channels, votes
from games.models import Act, Game, Letter, Person, Phase, Press
from games.press import conversations
from games.seats.press_rules import PressError
from games.turns import rulings
from orders.intake import chain, telephone
from orders.models import Submission
from tests.support.at_once import side_by_side
from tests.support.campaign import Campaign, person

HOUR = timedelta(hours=1)
Deed = Callable[[Campaign, Game, Person], object]
DEEDS: dict[str, Deed] = {
    "pause": lambda at, game, by: desk.pause(game, "A flood.", by, at.now),
    "extend": lambda at, game, by: desk.extend(
        phase_of(game), at.phase.deadline + HOUR, "A flood.", by, at.now
    ),
    "more time": lambda at, game, by: desk.give_more_time(phase_of(game), by, at.now),
    "at once": lambda at, game, by: desk.process_now(phase_of(game), "All sent.", by, at.now),
    "remind": lambda at, game, by: desk.remind(phase_of(game), by, at.now),
    "schedule": lambda at, game, by: desk.reschedule(
        game, game.schedule, game.zone, "A flood.", by, at.now, move_open=False
    ),
    "holidays": lambda at, game, by: desk.set_holidays(game, [], by, at.now),
    "settings": lambda at, game, by: desk.change_settings(
        game, {"may_lock_early": not game.may_lock_early}, by, at.now
    ),
    "rename": lambda at, game, by: desk.rename(game, "The Second War", by, at.now),
    "end": lambda at, game, by: desk.abandon(game, "Nobody plays.", by, at.now),
    "veto": lambda at, game, by: votes.veto(game, "Not now.", by, at.now),
    "eject": lambda at, game, by: desk.eject(
        game.seats.get(nation="France"), at.players["France"], "Insults.", by, at.now
    ),
    "invite": lambda at, game, by: desk.invite(
        game.seats.get(nation="France"), "new@example.org", by, at.now
    ),
    "stand-ins": lambda at, game, by: desk.set_stand_ins(game, not game.stand_ins, by, at.now),
    "hand over": lambda at, game, by: desk.hand_over(game, "felix@example.org", by, at.now),
    "ask": lambda at, game, by: desk.ask_gamesmaster(game, "new@example.org", by, at.now),
    "remove": lambda at, game, by: desk.remove_gamesmaster(game, person("otto"), by, at.now),
    "absence": lambda at, game, by: desk.announce(
        game, at.players["France"], at.now.date(), at.now.date(), by, at.now
    ),
    "channel": lambda at, game, by: channels.add(
        game, "discord", "https://discord.com/api/webhooks/1/a", "", by, at.now
    ),
    "send again": lambda at, game, by: desk.send_again(
        Letter.objects.filter(game=game).select_related("game").earliest("pk"), by, at.now
    ),
    "ruling": lambda at, game, by: rulings.rule(
        phase_of(game), "points", {"nation": "France", "points": 1}, "A slip.", by, at.now
    ),
    "letter": lambda at, game, by: conversations.send(
        game, None, by, [], "To all of you.", channel="web", to_all=True, now=at.now
    ),
    "telephone": lambda at, game, by: telephone.take_down(
        game.seats.get(nation="France"), "PASS", by, at.now, caller=None, read_back=False
    ),
}


def phase_of(game: Game) -> Phase:
    phase = game.phases.current()
    assert phase is not None
    phase.game = game
    return phase


@pytest.mark.django_db
@pytest.mark.parametrize("name", DEEDS)
def test_desk_refuses_who_no_longer_runs_the_game(name: str) -> None:
    """The page was allowed, and then waited for the game's row."""
    campaign = Campaign.begin()
    ada = campaign.ada
    game = permissions.find_game(ada, campaign.game.pk)
    assert game is not None
    assert permissions.runs(ada, game)
    desk.hand_over(Game.objects.get(pk=game.pk), "otto@example.org", ada, campaign.now)
    stored = [list(model.objects.values()) for model in (Game, Act, Press, Submission)]
    with pytest.raises(
        (DeskError, rulings.RulingError, PressError, chain.LedgerError), match="no longer run"
    ):
        DEEDS[name](campaign, game, ada)
    assert [list(model.objects.values()) for model in (Game, Act, Press, Submission)] == stored


@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
def test_act_beside_handing_over_comes_before_it_or_is_refused() -> None:
    campaign = Campaign.begin()
    ada, pk, now = campaign.ada, campaign.game.pk, campaign.now

    def hand_over() -> None:
        desk.hand_over(Game.objects.get(pk=pk), "otto@example.org", ada, now)

    def pause() -> None:
        desk.pause(Game.objects.get(pk=pk), "A flood.", ada, now)

    refused = side_by_side(hand_over, pause)
    kinds = list(Act.objects.order_by("pk").values_list("kind", flat=True))[-2:]
    if refused:
        assert [str(error) for error in refused] == [
            f"You no longer run “{campaign.game.title}”, so nothing was changed."
        ]
        assert "paused" not in kinds
    else:
        assert kinds == ["paused", "handed-over"]
