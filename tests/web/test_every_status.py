"""Every page of a game, in every status, for every number of players and every preset of all three
games (issue 19, 15).

The pages come from the URL configuration, so that a new one is tested at once. One game is played
to the end for each number of players and each preset; in a soak one for every combination of them.
In each status of each game the gamesmaster opens the game's page and the desk, and a player the
game's page. All other pages are distributed over the games, so that each is opened in each status
of one game; in a soak every page is opened everywhere.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from games import desk, positions
from games.base import clock
from games.desk import times
from games.desk.presets import Preset, presets_of_game
from games.models import Game
from games.rules.registry import RULESETS
from tests.records.played import short_card
from tests.security.addresses import PART, Route, patterns
from tests.support import campaign as five_nations
from tests.support import origins_ww1
from tests.support.campaign import Campaign
from tests.support.examples import WHOLE
from tests.ww2_multiplayer import campaign as refereed

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"
GUEST = "ww2-multiplayer"
#: Values of routes that every game has. tests/security opens pages about a message, a channel or an
#: absence.
KNOWN = {"pk", "seat", "number", "person", "slug", "kind"}
AROUND = ("", "desk/", "archive/", "standby/", "honesty/", "feed.xml", "letters/", "me/")


def _held(players: Mapping[str, str], *unheld: str) -> dict[str, str]:
    """Return all players' addresses, with “table” for unheld nations."""
    return {
        nation: "table" if nation in unheld else f"{name}@example.org"
        for nation, name in players.items()
    }


_WW2, _WW1 = five_nations.PLAYERS, origins_ww1.PLAYERS
_DRAWN = {"wwi.pairing": "random"}
#: Arguments to open a game for every number of players; and how pairs are made.
_TWO_PAIRS = [("Britain", "France"), ("Germany", "Russia")]
_ONE_PAIR = [("Germany", "Austria-Hungary")]
PLAYERS: dict[str, dict[str, dict[str, Any]]] = {
    "origins-ww2": {
        "two": {"seats": _held(_WW2, "USA", "Russia", "Britain")},
        "three": {"seats": _held(_WW2, "USA", "France")},
        "four": {"seats": _held(_WW2, "USA")},
        "five": {"seats": _held(_WW2)},
    },
    "origins-ww1": {
        "three agreed": {"seats": _held(_WW1, "France", "Russia"), "pairs": _TWO_PAIRS},
        "three drawn": {"seats": _held(_WW1, "France", "Russia"), "options": _DRAWN},
        "four agreed": {"seats": _held(_WW1, "Austria-Hungary"), "pairs": _ONE_PAIR},
        "four drawn": {"seats": _held(_WW1, "Austria-Hungary"), "options": _DRAWN},
        "five": {"seats": _held(_WW1)},
    },
    "ww2-multiplayer": {"four": {"players": 4}, "five": {"players": 5}, "six": {"players": 6}},
}
PLAYERS = {game: numbers for game, numbers in PLAYERS.items() if game in RULESETS}
CAMPAIGNS: dict[str, type[Campaign]] = {
    "origins-ww2": Campaign,
    "origins-ww1": origins_ww1.Campaign,
    "ww2-multiplayer": refereed.Refereed,
}


@dataclass(frozen=True)
class Combination:
    """A number of players and a preset; `place` of `among` says which pages are opened here."""

    ruleset: str
    players: str
    preset: Preset
    place: int
    among: int

    def __str__(self) -> str:
        return f"{self.players} {self.preset.id}"


def _combinations() -> Iterator[Combination]:
    chosen = {ruleset: _chosen(ruleset) for ruleset in PLAYERS}
    # The guest's are not always tested, and so must not take pages from the others.
    for group in (PLAYERS.keys() - {GUEST}, PLAYERS.keys() & {GUEST}):
        dealt = [(ruleset, pair) for ruleset in sorted(group) for pair in chosen[ruleset]]
        for place, (ruleset, (players, preset)) in enumerate(dealt):
            yield Combination(ruleset, players, preset, place, len(dealt))


def _chosen(ruleset: str) -> list[tuple[str, Preset]]:
    """Return numbers of players and presets, each at least once; in a soak all pairs."""
    numbers, presets = list(PLAYERS[ruleset]), presets_of_game(ruleset)
    if WHOLE:
        return list(itertools.product(numbers, presets))
    steps = range(max(len(numbers), len(presets)))
    return [(numbers[step % len(numbers)], presets[step % len(presets)]) for step in steps]


COMBINATIONS = list(_combinations())


@dataclass
class Reader:
    """Open pages of a campaign as its gamesmaster and as one of its players."""

    campaign: Campaign
    combination: Combination
    opened: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        player = next(iter(self.campaign.players.values()))
        self.browsers = {"gamesmaster": Client(), "player": Client()}
        for name, reader in (("gamesmaster", self.campaign.ada), ("player", player)):
            self.browsers[name].force_login(reader, backend=BACKEND)

    def look(self, status: str) -> None:
        """Open the pages of this combination in a status: none fails, and the first three exist."""
        game = self.campaign.game
        game.refresh_from_db()
        assert game.status == status
        for name, path in (("gamesmaster", ""), ("gamesmaster", "desk/"), ("player", "")):
            answer = self.browsers[name].get(f"/games/{game.pk}/{path}")
            assert answer.status_code == 200, (status, path)
        for name, path in self._dealt():
            answer = self.browsers[name].get(path)
            assert answer.status_code < 500, (status, name, path)
            b"".join(answer)

    def _dealt(self) -> list[tuple[str, str]]:
        pages = [(name, f"/{path}") for name in self.browsers for path in (*AROUND, *self._paths())]
        pages = [
            (name, path) for name, path in pages if name == "gamesmaster" or "/desk/" not in path
        ]
        return pages if WHOLE else pages[self.combination.place :: self.combination.among]

    def _paths(self) -> Iterator[str]:
        game = self.campaign.game
        seats = list(game.seats.order_by("ordinal"))
        seat = seats[self.combination.place % len(seats)]
        values = {
            "pk": game.pk,
            "seat": seat.pk,
            "number": 1,
            "kind": "position",
            "slug": seat.nation.lower(),
        }
        values["person"] = next(iter(self.campaign.players.values())).pk
        for pattern in dict.fromkeys(patterns()):
            if (
                pattern.startswith("games/<int:pk>/")
                and {part["name"] for part in PART.finditer(pattern)} <= KNOWN
            ):
                yield Route(pattern, {name: str(value) for name, value in values.items()}).path()[
                    1:
                ]


@contextmanager
def undone(game: Game) -> Iterator[None]:
    """Roll back everything that happens within."""
    before = transaction.savepoint()
    yield
    transaction.savepoint_rollback(before)
    game.refresh_from_db()


def opened(combination: Combination) -> Campaign:
    """Return a game with all seats taken that has not begun, with the options of the preset."""
    preset, arguments = combination.preset, PLAYERS[combination.ruleset][combination.players]
    # Set only later, so that the game is forming.
    settings = {**preset.settings, "schedule": preset.schedule, "starts_when_full": False}
    campaign = CAMPAIGNS[combination.ruleset].open(
        **{**settings, **arguments, "options": {**preset.options, **arguments.get("options", {})}}
    )
    campaign.game.starts_when_full = preset.settings.get("starts_when_full", False)
    campaign.game.save(update_fields=["starts_when_full"])
    return campaign


def play_out(campaign: Campaign) -> None:
    """Play to the end with figures that are available at once."""
    campaign.game.market = "demo"
    campaign.game.save(update_fields=["market"])
    for _ in range(100):
        if campaign.game.status == "finished":
            return
        if isinstance(campaign, refereed.Refereed):
            campaign.step()
        else:
            campaign.pass_deadline()
        assert campaign.phase.status != "held", campaign.phase.fault
    raise AssertionError("the game does not end")


@pytest.mark.parametrize(
    "combination",
    [
        pytest.param(each, marks=pytest.mark.guest if each.ruleset == GUEST else ())
        for each in COMBINATIONS
    ],
    ids=str,
)
def test_every_page_opens_in_every_status(
    combination: Combination, monkeypatch: pytest.MonkeyPatch
) -> None:
    short_card(monkeypatch, 1)
    campaign = opened(combination)
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    game, ada, reader = campaign.game, campaign.ada, Reader(campaign, combination)
    reader.look("forming")
    desk.start(game, campaign.now)
    reader.look("running")
    with undone(game):
        times.pause(game, "A holiday.", ada, campaign.now)
        reader.look("paused")
    with undone(game):
        times.abandon(game, "Nobody has time.", ada, campaign.now)
        reader.look("abandoned")
    if combination.ruleset == GUEST:
        game.options = {**game.options, "spi.last_turn": 1}
        game.save(update_fields=["options"])
    play_out(campaign)
    reader.look("finished")
    assert positions.standing(game)


def test_combinations_cover_all_numbers_of_players_and_presets() -> None:
    for game, numbers in PLAYERS.items():
        of_game = [combination for combination in COMBINATIONS if combination.ruleset == game]
        assert {combination.players for combination in of_game} == set(numbers)
        presets = {preset.id for preset in presets_of_game(game)}
        assert {combination.preset.id for combination in of_game} == presets


@pytest.mark.parametrize("market", ["yahoo", "demo"])
def test_proof_of_a_paused_phase_announces_no_session(market: str) -> None:
    """The year of a paused deadline is in no exchange calendar; the page answered 500."""
    campaign = Campaign.begin(market=market)
    campaign.pass_deadline()
    phase = campaign.phase
    assert phase.draws
    times.pause(campaign.game, "A holiday.", campaign.ada, campaign.now)
    answer = Client().get(f"/games/{campaign.game.pk}/phases/{phase.number}/proof/")
    assert answer.status_code == 200
    assert not re.search(r"\b2999\b", answer.content.decode())
