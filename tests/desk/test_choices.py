"""Opening a game: explanations, presets, contradictory choices (issue 7, points 1, 2 and 6)."""

from __future__ import annotations

from typing import Any

import pytest

from games import desk
from games.desk import presets, roster
from games.desk.opening import check_sense
from games.market import bank
from games.models import Game
from games.rules import options as rule_options
from games.rules.contract import Ruleset
from games.rules.markets import MARKETS
from games.rules.registry import GUESTS, RULESETS, ruleset
from tests.support import origins_ww1
from tests.support.campaign import NATIONS, PLAYERS, Campaign

GAMES = tuple(RULESETS)
OFFERED = list(
    dict.fromkeys(
        option
        for game in GAMES
        for option in rule_options.group_options(ruleset(game).option_groups)
        if option.offered and option.kind in ("choice", "whole")
    )
)


@pytest.mark.parametrize("option", OFFERED, ids=lambda option: option.id)
def test_every_offered_option_explains_its_values_and_default(option: rule_options.Option) -> None:
    assert option.name
    assert option.why.endswith(".")
    for value in option.choosable:
        assert option.does[value].endswith(".")
    assert not any("_" in words for words in (option.name, option.why, *option.does.values()))


@pytest.mark.parametrize("game", GAMES)
def test_every_option_of_a_game_is_in_one_section(game: str) -> None:
    groups = ruleset(game).option_groups
    named = [id for section in rule_options.sections(groups) for id in section.options]
    assert len(named) == len(set(named))
    offered = {option.id for option in OFFERED if option in rule_options.group_options(groups)}
    assert offered <= set(named) <= {option.id for option in rule_options.group_options(groups)}


def test_values_of_an_option_have_distinct_labels() -> None:
    """Pages show neither the ids that programs use nor 2 values with the same label."""
    for option in OFFERED:
        words = [option.label(value) for value in option.choosable]
        assert len(set(words)) == len(words), option.id


def game_of(options: dict[str, str]) -> Ruleset:
    """Return the ruleset that the options belong to."""
    groups = {option.partition(".")[0] for option in options}
    games = [ruleset(game) for game in GAMES]
    return next(rules for rules in games if groups <= set(rules.option_groups))


def given(preset: presets.Preset) -> dict[str, Any]:
    return {"options": preset.options, "schedule": preset.schedule, **preset.settings}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "preset",
    [preset for preset in presets.presets().values() if preset.game not in GUESTS],
    ids=lambda preset: preset.id,
)
def test_every_preset_opens_a_game(preset: presets.Preset) -> None:
    campaigns = Campaign if preset.game == "origins-ww2" else origins_ww1.Campaign
    game = campaigns.open(**given(preset)).game
    for option, value in preset.options.items():
        assert game.options[option] == value
        assert value in rule_options.OPTIONS[option].choosable
    assert game.schedule == preset.schedule


def test_presets_are_complete_and_list_their_changes() -> None:
    for game, first in (("origins-ww2", ""), ("origins-ww1", "ww1-")):
        names = ("as-printed", "e-mail-league", "telephone", "classroom")
        ids = [preset.id for preset in presets.presets_of_game(game)]
        assert ids == [f"{first}{name}" for name in names]
    offered = {option.id: option for option in OFFERED}
    for preset in presets.presets().values():
        changes = preset.changes(offered)
        assert len({name for name, _ in changes}) == len(changes)
        assert len(changes) >= 2 + len(preset.options)


FRIDAYS: dict[str, Any] = {"every": "weekday", "weekday": "friday", "weeks": 2}
WEEKLY: dict[str, Any] = {"every": "days", "days": 7}
TWICE_A_DAY = {"every": "times", "times": ["09:00", "20:00"], "on": "weekdays"}
SEATS = {nation: f"{name}@example.org" for nation, name in PLAYERS.items()}


@pytest.mark.parametrize(
    ("options", "lent", "sentence"),
    [
        ({"ow2.blind_draw": "with_replacement"}, (), "Choose the blind game too"),
        ({"ow2.four_without_usa": "yes"}, (), "needs 4 nations with players"),
        ({"ow2.ally_draw": "own_session"}, (), "there is nothing to draw"),
        ({"ow2.nonplayer_wins": "yes"}, (), "this choice has no effect"),
        ({"rng.no_stock": "attack_void"}, ("USA",), "draws lots from the reserve list"),
        ({"rng.no_stock": "attack_void", "ow2.blind": "yes"}, (), "draws lots from the reserve"),
        (
            {"rng.source": "gm_dice", "rng.stock_choice": "list_only"},
            (),
            "This game uses no stocks",
        ),
        (
            {"rng.source": "gm_dice", "rng.quote_session": "deadline_day"},
            (),
            "This game uses no stocks",
        ),
        ({"ow2.hidden": "face_down", "ow2.resolution": "frozen_odds"}, (), "losses must count"),
    ],
)
def test_contradictory_options_are_refused_with_one_sentence(
    options: dict[str, str], lent: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(desk.DeskError, match=sentence):
        check_sense(game_of(options), rule_options.validate(options), SEATS, lent)


@pytest.mark.parametrize(
    ("options", "lent"),
    [
        ({}, ()),
        ({"ow2.blind": "yes", "ow2.blind_draw": "with_replacement"}, ()),
        ({"ow2.four_without_usa": "yes"}, ("USA",)),
        ({"ow2.ally_draw": "own_session", "ow2.nonplayer_wins": "yes"}, ("USA", "Britain")),
    ],
)
def test_compatible_options_are_accepted(options: dict[str, str], lent: tuple[str, ...]) -> None:
    check_sense(game_of(options), rule_options.validate(options), SEATS, lent)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("exchange", "rule", "zone", "fair"),
    [
        ("new_york", FRIDAYS | {"time": "09:00"}, "America/New_York", True),
        ("new_york", FRIDAYS | {"time": "10:00"}, "America/New_York", False),
        ("new_york", WEEKLY | {"time": "13:00"}, "Europe/London", True),
        # 10:00 in New York in the weeks of March between the clock changes
        ("new_york", WEEKLY | {"time": "14:00"}, "Europe/London", False),
        ("new_york", TWICE_A_DAY, "America/New_York", True),
        ("new_york", {"every": "minutes", "minutes": 60}, "America/New_York", False),
        ("london", WEEKLY | {"time": "07:59"}, "Europe/London", True),
        ("london", WEEKLY | {"time": "08:00"}, "Europe/London", False),
        ("tokyo", WEEKLY | {"time": "08:59"}, "Asia/Tokyo", True),
        ("tokyo", WEEKLY | {"time": "09:00"}, "Europe/Berlin", False),
        ("sydney", WEEKLY | {"time": "07:00"}, "Asia/Tokyo", True),
        # 10:00 in Sydney from October to April
        ("sydney", WEEKLY | {"time": "08:00"}, "Asia/Tokyo", False),
    ],
)
def test_deadline_day_sales_require_a_deadline_before_the_bell(
    exchange: str, rule: dict[str, Any], zone: str, fair: bool
) -> None:
    """rules 0.1: `deadline_day` needs a lock before that day's opening bell of the game's
    exchange."""
    options = {"rng.quote_session": "deadline_day", "rng.market": exchange}
    arguments: dict[str, Any] = {
        "options": options,
        "schedule": rule,
        "zone": zone,
        "market": "yahoo",
    }
    if fair:
        assert Campaign.open(**arguments).game.options["rng.quote_session"] == "deadline_day"
    else:
        market = MARKETS[exchange]
        refused = f"before {market.place} opens, at {market.opens:%H:%M}"
        with pytest.raises(desk.DeskError, match=refused):
            Campaign.open(**arguments)


@pytest.mark.django_db
@pytest.mark.parametrize(("grace", "fair"), [(0, True), (1, False)])
def test_grace_hours_must_end_before_the_bell(grace: int, fair: bool) -> None:
    """rules 0.1: orders are accepted until grace ends, and the lock must come before the bell."""
    options = {"rng.quote_session": "deadline_day", "orders.grace_hours": grace}
    schedule = WEEKLY | {"time": "09:00"}
    arguments: dict[str, Any] = {"options": options, "schedule": schedule, "market": "yahoo"}
    if fair:
        assert Campaign.open(**arguments).game.options["orders.grace_hours"] == grace
    else:
        with pytest.raises(desk.DeskError, match="1 hour of grace included"):
            Campaign.open(**arguments)


@pytest.mark.django_db
@pytest.mark.parametrize(("source", "second"), [("tiingo", ""), ("yahoo", "tiingo")])
def test_tiingo_is_refused_for_exchanges_other_than_new_york(source: str, second: str) -> None:
    """rng.market: the source must know the exchange; Tiingo reports only sales of New York."""
    with pytest.raises(desk.DeskError, match="Tiingo reports sales of New York, not of Tokyo"):
        Campaign.open(options={"rng.market": "tokyo"}, market=source, second_source=second)


@pytest.mark.django_db
def test_reserve_list_must_match_the_exchange() -> None:
    """rng.reserve_list: a list for another exchange would never decide anything."""
    arguments: dict[str, Any] = {"options": {"rng.market": "tokyo"}, "market": "yahoo"}
    game = Campaign.open(**arguments).game
    assert game.reserves == game.options["rng.reserve_list"] == list(bank.usual(MARKETS["tokyo"]))
    with pytest.raises(
        desk.DeskError,
        match=r"names AA, but the game draws on Tokyo, where symbols end in \.T, such as 7203\.T",
    ):
        Campaign.open(**arguments, reserves=list(rule_options.LIQUID_STOCKS))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a@example.org, b@example.org c@example.org", ["a", "b", "c"]),
        ("Anna Berg <a@example.org>", ["a Anna Berg"]),
        ('"Berg, Anna" <a@example.org>; b@example.org', ["a Berg, Anna", "b"]),
        ("b@example.org Anna <a@example.org>", ["b", "a Anna"]),
        ("a@example.org <a@example.org>", ["a"]),
        ("a@example.org, Anna <A@example.org>", ["A Anna"]),
    ],
)
def test_addresses_are_read_with_their_names(written: str, read: list[str]) -> None:
    """Issue 43: names instead of addresses for people invited."""
    addressees = roster.read_addressees(written)
    assert [f"{row.email.split('@')[0]} {row.name}".strip() for row in addressees] == read
    assert roster.read_addressees(", ".join(map(str, addressees))) == addressees


def test_mistyped_address_is_no_name_of_the_next_one() -> None:
    addressees = roster.read_addressees("bob(at)example.org carl@example.org")
    assert [row.email for row in addressees] == ["bob(at)example.org", "carl@example.org"]


@pytest.mark.django_db
def test_several_addresses_make_a_team() -> None:
    emails = "felix@example.org, bea@example.org;rosa@example.org"
    game = Campaign.open(seats={**dict.fromkeys(NATIONS, "bot"), "France": emails}).game
    seat = game.seats.get(nation="France")
    assert seat.team
    invited = {offer.email for offer in seat.invitations.all()}
    assert invited == {"felix@example.org", "bea@example.org", "rosa@example.org"}
    assert not game.seats.filter(team=True).exclude(nation="France").exists()


@pytest.mark.django_db
def test_only_nations_of_the_printed_table_can_be_unheld() -> None:
    """Rules C.2, N1: with 3 players these are Britain and the USA."""
    programs = dict.fromkeys(NATIONS, "bot")
    game = Campaign.open(seats={**programs, "USA": "table", "Britain": "table"}).game
    lent = game.seats.filter(by_table=True).values_list("nation", flat=True)
    assert set(lent) == {"USA", "Britain"}
    with pytest.raises(desk.DeskError):
        Campaign.open(seats={**programs, "Germany": "table", "Britain": "table"})
    assert Game.objects.count() == 1
