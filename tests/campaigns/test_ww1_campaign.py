"""Play campaigns of Origins of World War I by mail, in each phasing (issue 8; A.8).

Outside a soak: one of them, in a scenario cut to four turns.

Orders arrive as mail; the real yfinance reads sales from a loopback Yahoo.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from games import positions
from games.evidence import export
from games.letters import rendering
from games.models import Draw, Phase, Reading
from games.records import archive, standalone
from games.rules.verification import verify
from orders.models import Handling
from tests.inbound.writing import answers, send
from tests.records.played import short_card
from tests.support.examples import WHOLE
from tests.support.letters import letter_text
from tests.support.loopback_yahoo import LoopbackYahoo
from tests.support.origins_ww1 import NATIONS, PLAYERS, Campaign

pytestmark = [pytest.mark.django_db, pytest.mark.letters, pytest.mark.long]

MORNINGS = {"every": "trading_morning", "sessions": 1, "time": "09:00"}
STOCKS = ("GE", "IBM", "F", "KO", "T")


@pytest.fixture
def yahoo(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackYahoo]:
    # yfinance sleeps before it retries.
    monkeypatch.setattr("yfinance.data._time.sleep", lambda seconds: None)
    settings.MAIL_IN, settings.MAIL_ANSWERS_AN_HOUR, settings.MAIL_OBEYED_AN_HOUR = True, 1000, 1000
    with LoopbackYahoo() as server:
        settings.MARKET = {**settings.MARKET, "yahoo_base_url": server.url}
        yield server


def begin(**options: str) -> Campaign:
    return Campaign.begin(market="yahoo", schedule=MORNINGS, options=options)


def acting_nations(campaign: Campaign) -> tuple[str, ...]:
    return tuple(campaign.game.rules.acting_nations(positions.state_of(campaign.phase)))


def orders_of(campaign: Campaign, nation: str) -> str:
    """Return placements in up to 2 foreign areas, and an attack if one is possible.

    Areas, defender and stock change with turn and nation.
    """
    game, phase = campaign.game, campaign.phase
    choices = game.rules.planner.choices(game.rules.view(positions.state_of(phase), nation), nation)
    shift = phase.turn + NATIONS.index(nation)
    abroad = [choice for choice in choices if choice.verb == "PLACE" and choice.area != nation]
    lines = [
        choice.line(number=choice.most or 1) for choice in (abroad[shift:] + abroad[:shift])[:2]
    ]
    if attacks := [choice for choice in choices if choice.verb == "ATTACK"]:
        attack = attacks[shift % len(attacks)]
        lines.append(
            attack.line(
                nations=[attack.nations[shift % len(attack.nations)]],
                stocks=[STOCKS[NATIONS.index(nation)], "XOM"],
            )
        )
    return "\n".join(lines or ["PASS"])


def write(campaign: Campaign, nation: str, *lines: str) -> str:
    """Send orders by mail; return the text of the answer."""
    name = PLAYERS[nation]
    row = send(campaign, nation, "\n".join(lines) + "\n", sender=f"{name}@example.org")
    assert row.status == Handling.Status.DONE, (row.words, row.fault)
    return letter_text(answers(name)[-1])


def play(
    campaign: Campaign, phases: int, *, allied: tuple[str, str] | None = None, at: int = 0
) -> list[Phase]:
    """Let all acting nations write in each phase; the two `allied` ally in phases of turn `at`."""
    played: list[Phase] = []
    while campaign.game.status == "running":
        phase = campaign.phase
        assert len(played) < phases, f"more phases than {phases}"
        for nation in acting_nations(campaign):
            offer = (
                [f"ALLY {allied[allied[0] == nation]}"]
                if allied and nation in allied and phase.turn == at
                else []
            )
            write(campaign, nation, orders_of(campaign, nation), *offer)
        assert phase.submissions.filter(counts=True).count() == len(acting_nations(campaign))
        played.append(campaign.pass_deadline())
        assert played[-1].status == Phase.Status.RESOLVED, (phase.title, played[-1].fault)
        assert not played[-1].missed
    return played


def record(campaign: Campaign) -> dict[str, Any]:
    """Return the record as read from a file, after verifying it."""
    tree: dict[str, Any] = json.loads(export.text(export.record(campaign.game, private=True)))
    assert [str(difference) for difference in verify.check(tree)] == []
    return tree


@pytest.mark.parametrize(
    ("phasing", "turns_played", "phases"),
    [("two_phase", 10, 20), ("one_deadline", 10, 10), ("sequential", 10, 50)]
    if WHOLE
    else [("two_phase", 4, 8)],
)
def test_a_whole_campaign_by_mail(
    yahoo: LoopbackYahoo,
    tmp_path: Path,
    phasing: str,
    turns_played: int,
    phases: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A.8: 20, 10 or 50 deadlines; every digit comes from a reading, each phase has a report."""
    short_card(monkeypatch, turns_played)
    campaign = begin(**{"wwi.phasing": phasing})
    played = play(campaign, phases, allied=("Britain", "France"), at=3)
    assert len(played) == phases
    assert [phase.turn for phase in played] == sorted(phase.turn for phase in played)
    draws = list(Draw.objects.filter(phase__game=campaign.game).select_related("figure"))
    assert len(draws) > turns_played, "turns of five nations come to more throws than turns"
    assert all(draw.figure.readings.exists() for draw in draws)
    assert Reading.objects.filter(source__startswith="yahoo").exists()
    alliance = [
        event
        for phase in played
        for event in campaign.resolution(phase).events
        if event["kind"] == "alliance"
    ]
    assert [event["nations"] for event in alliance] == [["Britain", "France"]]
    for nation in NATIONS:
        reports = [
            letter.phase_id
            for kind in ("board", "over")
            for letter in campaign.letters(kind, PLAYERS[nation])
        ]
        assert reports == [phase.pk for phase in played], nation
    over = rendering.render(campaign.letters("over", "bea")[0]).text
    winners = campaign.resolution().winners
    assert winners
    assert all(winner in over for winner in winners)
    tree = record(campaign)
    path = tmp_path / "game.json"
    path.write_text(export.text(tree), encoding="utf-8")
    call_command("verify", str(path))
    checker = tmp_path / standalone.NAME
    checker.write_bytes(standalone.build_archive())
    stranger = subprocess.run(
        [sys.executable, str(checker), str(path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert stranger.returncode == 0, stranger.stdout + stranger.stderr
    copy = archive.restore(tree, campaign.ada)
    assert copy.rules.dump(copy.load(positions.position(copy))) == positions.position(campaign.game)
