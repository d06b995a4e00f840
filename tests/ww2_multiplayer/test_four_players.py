"""A whole campaign of four players, 23 Game-Turns, with a scripted gamesmaster: real pages and
mail, two secret columns (issue 9).

The scores are computed a second time here, from the printed chart and from a map of Europe in the
spring of 1945 drawn by hand, by a reading of 19.11 to 19.2 that shares nothing with
games/ww2_multiplayer/rules.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from games import desk
from games.base import clock
from games.evidence import export
from games.letters import sending
from games.models import Resolution
from games.rules import cards
from games.rules.verification import verify

from . import scripted
from .acted import Acted
from .campaign import Refereed

pytestmark = [pytest.mark.django_db, pytest.mark.guest, pytest.mark.long]

CHART: Mapping[str, Mapping[str, Mapping[str, int]]] = cards.load("ww2-multiplayer", "standard")[
    "objectives"
]
HANDS = {
    "France": ("France",),
    "USSR": ("USSR",),
    "Britain": ("Britain", "USA"),
    "Germany": ("Germany", "Italy"),
}
FRIENDS = [{"France", "Britain"}, {"USSR", "Britain"}]  # France and the USSR have never met


@dataclass(frozen=True)
class Land:
    """A country at the end: its ruler by 19.11 ("" for none), and the powers that are hostile in
    supply."""

    ruler: str = ""
    hostile: tuple[str, ...] = ()


#: Written by hand from the reports of `scripted.four`, in their order. Countries that are not named
#: have no ruler and no hostile forces.
EUROPE = {
    # the USSR has driven the Germans out, swept it and stays; it came as an invader
    "Poland": Land("USSR", ("USSR",)),
    "Rumania": Land("USSR", ("USSR",)),
    "Bulgaria": Land("", ("USSR",)),  # not swept, and not Germany's since the USSR came
    "Hungary": Land("Germany"),  # a satellite that nobody has invaded
    "Finland": Land("Germany"),
    "Norway": Land(),  # the garrison is out of supply, and removed before the count
    "Netherlands": Land(),  # the Germans have left
    "Belgium": Land(),  # the British have made peace with it
    "Denmark": Land("", ("Germany",)),
    "Sweden": Land("", ("Germany",)),
    # Italy has driven out all forces hostile to it and swept it; it has fought nobody there itself
    "Yugoslavia": Land("Italy"),
    "Greece": Land("Italy", ("Italy",)),
    "Egypt": Land("Britain"),  # invaded, but its holder has driven the invaders out
    "Libya": Land("Britain", ("Britain",)),
    "French Morocco": Land("France"), "Algeria": Land("France"), "Tunisia": Land("France"),
    "Lebanon": Land("France"), "Syria": Land("France"),
    "Palestine": Land("Britain"), "Iraq": Land("Britain"), "Kuwait": Land("Britain"),
    "Italy": Land("", ("USA",)),
    "Germany": Land("", ("USSR", "Britain")),
    "USSR": Land(),
}  # fmt: skip
LOST_HOMES = {"Germany"}  # 31 of its 60 hexes (19.13); Italy has lost 12 of 30
COLUMNS: Mapping[str, Mapping[str, str]] = {
    "France": dict.fromkeys(CHART["France"], "France"),
    "USSR": dict.fromkeys(CHART["USSR"], "USSR"),
    "Britain": scripted.ALLIES,
    "Germany": scripted.AXIS,
}


def score_by_country(seat: str) -> dict[str, int]:
    """Return a player's score by country: C for the ruler, N without hostile or foreign control."""
    points_by_country = {}
    for country, of in COLUMNS[seat].items():
        land, ((kind, points),) = EUROPE.get(country, Land()), CHART[of][country].items()
        mine = land.ruler in HANDS[seat]
        player = next((head for head, powers in HANDS.items() if land.ruler in powers), "")
        friendly = not land.ruler or mine or {seat, player} in FRIENDS
        pays = mine if kind == "control" else (not land.hostile and friendly)
        if pays and of not in LOST_HOMES:
            points_by_country[country] = points
    return points_by_country


@pytest.mark.soak
def test_campaign_of_four_is_played_to_the_end(
    monkeypatch: pytest.MonkeyPatch, settings: pytest.FixtureRequest
) -> None:
    """23 Game-Turns: Italy's entry, American intervention, orders for two powers, columns
    published."""
    settings.MAIL_IN, settings.MAIL_TRUST = True, "address"  # type: ignore[attr-defined]
    settings.MAIL_ANSWERS_AN_HOUR = settings.MAIL_OBEYED_AN_HOUR = 1000  # type: ignore[attr-defined]
    story = scripted.four
    war = Refereed.open(players=4, options={"rng.source": "gm_dice"})
    monkeypatch.setattr(clock, "now", lambda: war.now)
    desk.start(war.game, war.now)
    war.game.refresh_from_db()

    acted = Acted(war, story, thorough=False)
    with monkeypatch.context() as waiting:
        # the campaign of six reads letters; here they stay unsent
        waiting.setattr(sending, "claim", lambda now, most: ("", []))
        acted.play()
    assert acted.ways["orders by mail"] > 10

    phases = war.game.phases.order_by("number")
    assert {phase.turn for phase in phases} == set(range(1, 24))
    rows = Resolution.objects.filter(phase__game=war.game).order_by("phase__number")
    events = [event for row in rows for event in row.events]
    kinds = {event["kind"] for event in events}
    assert kinds >= {"italy_enters", "us_enters", "us_column", "us_amphibious", "column"}
    assert kinds >= {"russia_war_level", "garrison", "centres", "lapsed"}
    entries = [event for event in events if event["kind"] == "us_enters"]
    entry_turns = [event.get("turn", event["message"]) for event in entries]
    assert entry_turns == ["The USA enters the war in 3/42."]
    ordered = {
        power for phase in phases.filter(kind="orders", turn=13) for power in phase.controllers
    }
    assert {"USA", "Italy"} <= ordered, "from its entry on Britain sends for the USA"
    assert "USA" not in phases.get(kind="orders", turn=11).controllers

    resolution = war.resolution()
    paid: dict[str, dict[str, int]] = {seat: {} for seat in HANDS}
    for event in resolution.events:
        if event["kind"] == "score" and event["points"]:
            paid[event["nation"]][event["country"]] = event["points"]
    assert paid == {seat: score_by_country(seat) for seat in HANDS}
    scores = war.game.rules.standing(war.game.load(resolution.after)).scores
    assert scores == {seat: sum(score_by_country(seat).values()) for seat in HANDS}
    assert resolution.winners == ["Britain"]
    opened = [event for event in resolution.events if event["kind"] == "column"]
    assert [(event["nation"], event["points"]) for event in opened] == [
        ("Britain", 25),
        ("Germany", 25),
    ]

    tree = json.loads(export.text(export.record(war.game, private=True)))
    assert [str(difference) for difference in verify.check(tree)] == []
