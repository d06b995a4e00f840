"""A shortened scripted campaign of six: real pages, real mail, dice from a market (issue 9)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from games import desk, market, positions
from games.base import clock
from games.evidence import export
from games.models import Draw, Phase, Resolution
from games.records import archive, standalone
from games.rules import REFEREE_SEAT
from games.rules.digits import volume_of_roll
from games.rules.verification import verify
from tests.support.loopback_yahoo import LoopbackYahoo
from tests.support.processes import Sink, text_of

from . import scripted
from .acted import Acted
from .campaign import PLAYERS, Refereed

pytestmark = [pytest.mark.django_db, pytest.mark.letters, pytest.mark.guest, pytest.mark.long]

MORNINGS = {"every": "trading_morning", "sessions": 1, "time": "09:00"}

#: What each column pays at the end, by country, computed by hand from the printed chart (B.2) and
#: the reports of `scripted.six`. Countries that are not named pay nothing.
SCORES = {
    # Possessions that nobody has invaded; no hostile forces in Turkey, Spain, Britain. Germans are
    # in Poland, Belgium and the Netherlands.
    "France": {
        "French Morocco": 2,
        "Algeria": 3,
        "Tunisia": 2,
        "Lebanon": 1,
        "Syria": 1,
        "Turkey": 1,
        "Spain": 2,
        "Britain": 2,
    },
    # Egypt was invaded and not cleared, so it has no ruler. France (N3): Germans are there.
    "Britain": {
        "Palestine": 1,
        "Iraq": 1,
        "Kuwait": 2,
        "Yugoslavia": 1,
        "Greece": 1,
        "Turkey": 1,
        "Spain": 1,
    },
    # Swept, cleared and held: Poland, Norway, Belgium. Finland was invaded and not cleared; the
    # Netherlands and Sweden are not swept.
    "Germany": {"Poland": 3, "Norway": 1, "Belgium": 1, "Hungary": 1, "Rumania": 1, "Bulgaria": 1},
    "USSR": {},
    # Only N: Finland (the USSR has made peace, and no report gives it forces there), Egypt (Italy
    # and Britain have made peace), and countries that nobody touched.
    "USA": {
        "Finland": 2,
        "Yugoslavia": 1,
        "Greece": 1,
        "Spain": 1,
        "Egypt": 1,
        "Persia": 1,
        "Britain": 3,
        "Germany": 1,
        "USSR": 1,
        "Italy": 1,
    },
    "Italy": {"Libya": 2},
}


@pytest.fixture
def yahoo(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackYahoo]:
    # yfinance waits before it retries
    monkeypatch.setattr("yfinance.data._time.sleep", lambda seconds: None)
    with LoopbackYahoo() as server:
        settings.MARKET = {**settings.MARKET, "yahoo_base_url": server.url}
        yield server


@pytest.fixture
def sink(settings: Any) -> Iterator[Sink]:
    """Yield an SMTP server that receives all letters."""
    settings.MAIL_IN, settings.MAIL_TRUST = True, "address"
    settings.MAIL_ANSWERS_AN_HOUR = settings.MAIL_OBEYED_AN_HOUR = 1000
    with Sink() as server:
        settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_PORT = (
            "django.core.mail.backends.smtp.EmailBackend", "127.0.0.1", server.controller.port,
        )  # fmt: skip
        yield server


def resolutions_of(war: Refereed) -> list[Resolution]:
    rows = Resolution.objects.filter(phase__game=war.game, phase__status=Phase.Status.RESOLVED)
    return list(rows.order_by("phase__number"))


def events_of(war: Refereed) -> list[dict[str, Any]]:
    return [event for row in resolutions_of(war) for event in row.events]


def test_shortened_campaign_of_six_is_played_to_the_end(
    yahoo: LoopbackYahoo, sink: Sink, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """To the summer of 1940: the record verifies, and every point is what the chart pays."""
    # The points are computed by the first reading of the rules, as in older campaigns.
    options = {"spi.reading": "first", "spi.allied": "registered"}
    war = Refereed.open(
        players=6,
        market="yahoo",
        schedule=MORNINGS,
        options={"spi.last_turn": scripted.six.turns, **options},
    )
    monkeypatch.setattr(clock, "now", lambda: war.now)
    desk.start(war.game, war.now)
    war.game.refresh_from_db()

    def figures(phase: Phase, faces: tuple[int, ...]) -> None:
        day = market.session_for(war.game, phase.deadline).label
        for stock, face in zip(war.game.reserves, faces, strict=False):
            # above the floor, and different each day: otherwise there is no digit
            yahoo.volumes[day, stock] = 5_000_000 + 10_000 * int(day[-2:]) + volume_of_roll(face)

    acted = Acted(war, scripted.six, figures, thorough=False)
    acted.play()
    orders = {"orders by page", "orders by mail"}
    assert set(acted.ways) == orders | {"reports by mail", "reports by forms", "reports typed"}

    events = events_of(war)
    kinds = {event["kind"] for event in events}
    assert kinds >= {"alliance", "grant", "declaration", "invasion", "combat", "hostile", "peace"}
    assert kinds >= {"army_destroyed", "cleared", "swept", "forces", "line", "contest", "hexes"}
    assert kinds >= {"supply_in_africa", "mediterranean", "us_entry", "thrown", "rate", "operator"}
    assert kinds >= {"due", "track", "note", "controller", "score"}
    on_condition = {
        (power, row.phase_id, remark["line"])
        for row in resolutions_of(war)
        for power, remarks in row.remarks.items()
        for remark in remarks
        if remark["code"] == "ruled" and "“IF " in remark["message"]
    }
    conditional = [
        (e["nation"], e["ruling"])
        for row in resolutions_of(war)
        for e in row.events
        if e["kind"] == "line" and (e["nation"], row.phase_id, e.get("line")) in on_condition
    ]
    assert conditional.count(("Italy", "void")) == 1, (
        "Italy moves before Germany: its condition was not met"
    )
    assert ("Germany", "done") in conditional
    assert ("Italy", "done") in conditional
    drawn = list(Draw.objects.filter(phase__game=war.game).select_related("figure"))
    dice = [event for event in events if event["kind"] == "die"]
    assert len(drawn) == len(dice) == 2 + 2 + 2 + 4 + 2 + 2
    assert all(draw.figure.readings.exists() for draw in drawn), (
        "every die is a reading of the market"
    )

    # --- the end ---
    resolution = war.resolution()
    final = war.game.load(resolution.after)
    paid: dict[str, dict[str, int]] = {power: {} for power in PLAYERS}
    for event in resolution.events:
        if event["kind"] == "score" and event["points"]:
            paid[event["nation"]][event["country"]] = event["points"]
            assert event["rule"].startswith("19.1")
    assert paid == SCORES
    assert war.game.rules.standing(final).scores == {
        power: sum(SCORES[power].values()) for power in SCORES
    }
    assert resolution.winners == ["France"]

    # Letters: everybody reads everything that is not private, by SMTP.
    for power, name in PLAYERS.items():
        inbox = [text_of(letter) for letter in sink.to(f"{name}@example.org")]
        together = "\n".join(inbox)
        assert "Poland" in together
        assert ("mined" in together) is (power == "France"), power
        assert any("France" in text and "14" in text for text in inbox[-3:]), (
            "the last letter tells the score"
        )

    # The record, verified in this process and by the stand-alone checker.
    tree = json.loads(export.text(export.record(war.game, private=True)))
    assert [str(difference) for difference in verify.check(tree)] == []
    path, checker = tmp_path / "game.json", tmp_path / standalone.NAME
    path.write_text(export.text(tree), encoding="utf-8")
    checker.write_bytes(standalone.build_archive())
    how: Any = {"capture_output": True, "text": True, "check": False, "cwd": tmp_path}
    stranger = subprocess.run([sys.executable, str(checker), str(path)], **how)
    assert stranger.returncode == 0, stranger.stdout + stranger.stderr
    copy = archive.restore(tree, war.ada)
    assert copy.rules.dump(copy.load(positions.position(copy))) == positions.position(war.game)
    assert copy.seats.get(referee=True).nation == REFEREE_SEAT
