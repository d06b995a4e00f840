"""Test what benchmarks build, and that docs/performance.md gets their figures."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from games import desk
from games.models import Game, Letter, Phase, ProposalAnswer, Resolution, Seat
from orders.models import Submission
from tests.bench import (
    alone,
    bare,
    copies,
    figures,
    goals,
    many,
    rest,
    talkative,
    written,
)
from tests.support.campaign import MONDAY, Campaign


@pytest.mark.django_db
def test_copied_games_have_their_own_rows() -> None:
    """W3: each copy has its own rows, and no row refers to another game."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 5 Poland")
    campaign.pass_deadline()
    once = {
        model: model.objects.count()
        for model in (Game, Phase, Seat, Letter, Resolution, Submission)
    }
    copies.Copies(ago=timedelta(hours=1)).grow(4)
    assert {model: model.objects.count() for model in once} == {
        model: 4 * number for model, number in once.items()
    }
    for phase in Phase.objects.select_related("previous"):
        assert phase.previous is None or phase.previous.game_id == phase.game_id
    assert {
        (row.seat.game_id, row.phase.game_id)
        for row in Submission.objects.select_related("seat", "phase")
    } == {(pk, pk) for pk in Game.objects.values_list("pk", flat=True)}
    opened = sorted(Game.objects.values_list("opened_at", flat=True), reverse=True)
    assert [opened[0] - at for at in opened] == [timedelta(hours=number) for number in range(4)]


@pytest.mark.django_db
def test_league_games_share_a_deadline_and_no_people(
    settings: Any,
) -> None:
    """W1, W2: copies of played games continue where the originals are."""
    league = many.League(5, MONDAY)
    league.grow(5)
    league.grow(9)
    games = Game.objects.filter(pk__in=league.ids())
    assert games.count() == 9
    assert {phase.deadline for phase in Phase.objects.filter(status="open")} == {MONDAY}
    people = [
        sorted(seat.sittings.get().person.email for seat in game.seats.all()) for game in games
    ]
    assert len({email for five in people for email in five}) == 45
    for game in games:
        assert game.submissions.count() == game.last_submission
    told = [game for game in games if game.press_written.exists()]
    assert [game.pk for game in told] == [league.ids()[1]], "one in twelve is talkative"
    (game,) = told
    assert (game.press_written.count(), game.proposals.count()) == (talkative.LETTERS, 3)
    assert (game.rulings.count(), game.absences.count()) == (1, 1)


@pytest.mark.django_db
def test_played_game_has_what_people_do() -> None:
    """A league of programs is cheaper than a game of people: their pages must be measured, too."""
    since = copies.newest()
    campaign = talkative.play(MONDAY, 3, letters=5)
    game = campaign.game
    assert (campaign.phase.number, campaign.phase.deadline) == (3, MONDAY)
    assert game.press_written.count() == 5
    answers = ProposalAnswer.objects.filter(proposal__game=game)
    assert answers.filter(kind=ProposalAnswer.Kind.ACCEPTED).count() == 2
    assert (game.rulings.count(), game.absences.count()) == (1, 1)
    assert [seat.nation for seat in desk.open_seats(game)] == ["USA"]
    assert game.submissions.filter(channel=Submission.Channel.MAIL).count() == 3
    copy = talkative.with_many(since, campaign, 9).game
    assert (copy.press_written.count(), game.press_written.count()) == (9, 5)


@pytest.mark.django_db
def test_seats_without_people_are_on_offer_or_played_by_the_service() -> None:
    league = many.League(3, MONDAY, played=1, bot=True)
    league.grow(3)
    assert len(desk.seats_on_offer()) == 3
    assert Seat.objects.filter(bot=True, game__in=league.ids()).count() == 3
    opened = Game.objects.filter(pk__in=league.ids()).values("opened_at").distinct()
    assert opened.count() == 3


@pytest.mark.django_db
def test_benchmarks_close_old_connections_as_a_server_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On SQLite a new connection for each request cost three times a bare page, and no benchmark
    saw it."""
    closed: list[bool] = []
    monkeypatch.setattr(bare, "close_old_connections", lambda: closed.append(True))
    bare.bare_page()()
    closed.clear()
    bare.bare_page()()
    assert len(closed) == 2 * 2  # a page that loads the middleware, and the bare page


def test_figures_are_stored_with_machine_commit_and_load(
    tmp_path: Path,
) -> None:
    tree = json.loads(figures.keep("alone", {"a": 1}, tmp_path).read_text())
    assert {"command", "at", "commit", "versions", "load", "found"} < set(tree)
    assert set(tree["machine"]) == {"processor", "cores", "memory in GiB", "system"}


def test_performance_page_shows_ratios_and_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "KEPT", tmp_path)
    costs = {
        "5": {"bare": {"ms": 2.0}, "mail": {"ms": 8.0}},
        "5000": {"bare": {"ms": 4.0}, "mail": {"ms": 18.0}},
    }
    figures.keep(
        "acknowledge-sqlite",
        {"costs": costs, "last to first, in bare pages": {"mail": 1.125}},
        tmp_path,
    )
    run = {"letters sent": False, "workers": 2, "games judged a minute": 17000.5}
    figures.keep("storm", {"games": 5000, "letters a game": 5, "runs": [run]}, tmp_path)
    text = "".join(
        f"{name}\n<!-- {name} -->\nold\n<!-- end -->\n"
        for name in ("acknowledge-sqlite", "storm", "growth-sqlite")
    )
    page = written.page(text)
    assert "| mail | 8.0 ms, 4.0 × | 18.0 ms, 4.5 × | 1.125 |" in page
    assert "| games judged a minute | 17,000.50 |" in page
    assert page.count("`python -m tests.bench") == page.count("commit") == 2
    assert "growth-sqlite -->\n\nNot measured on this version.\n" in page
    assert "old" not in page
    assert written.page(page) == page


def test_goals_are_shown_beside_what_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A goal whose benchmark was not run says so: no figure of an older version is shown."""
    monkeypatch.setattr(figures, "KEPT", tmp_path)
    tick = {rest.TICK: {"ms": 9.0}, figures.BARE: {"ms": 2.0}}
    sizes = {"200": tick, "2000": tick}
    found = {"costs": sizes, "last to first, in bare pages": {rest.TICK: 1.02}}
    figures.keep("rest-postgresql", found, tmp_path)
    figures.keep("rest-sqlite", {**found, "costs": {"200": tick}}, tmp_path)  # of one size alone
    table = {f"migrations-{kind}": {"seconds": 2.5} for kind in figures.DATABASES}
    figures.keep("starting", {"table": table}, tmp_path)
    page = written.page("<!-- goals -->\n<!-- end -->\n")
    missing = "not measured on this version"
    assert "| tick with nothing due | at most 5 bare pages | 4.5 × | 4.5 × |" in page
    assert f"| the same by running games | flat | {missing} | 1.02 |" in page
    assert "| migrations on an empty database | at most 3 s | 2.5 s | 2.5 s |" in page
    assert page.count("\n| ") == 2 + len(goals.GOALS)


def test_phases_are_compared_by_number_of_orders() -> None:
    """W4: compared by number of orders, where both have at least 3 phases."""
    ours = [(5, 0.001)] * 3 + [(6, 0.001)] * 3 + [(7, 0.001)] * 2
    theirs = [(5, 0.002)] * 3 + [(6, 0.004)] * 3 + [(7, 0.001)] * 3
    assert alone._beside(ours, theirs) == {
        "phases with as many orders": 2,
        "theirs take as many times as long": 3.0,
        "by orders": {5: 2.0, 6: 4.0},
    }


@pytest.mark.django_db
def test_players_of_the_played_game_play_in_no_league() -> None:
    """Else their first page lists hundreds of games, and seems to grow with the service."""
    campaign = talkative.play(MONDAY, 3, letters=1)
    many.League(5, MONDAY, played=4).grow(8)
    for player in campaign.players.values():
        assert player.sittings.count() == 1
