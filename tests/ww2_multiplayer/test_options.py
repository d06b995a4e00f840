"""Options of a refereed campaign: offered, refused, set by rulings or not (O, B.8)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from games import desk
from games.desk import presets
from games.models import Game, Person
from games.rules import cards, rulings
from games.rules import options as rule_options
from games.rules.registry import ruleset
from games.rules.settings import complete_settings
from games.web.desk.opening_form import GameForm
from tests.support.browsing import Visitor
from tests.support.opening import open_game

pytestmark = pytest.mark.guest

RULES = ruleset("ww2-multiplayer")
POWERS = ("France", "Britain", "Germany", "USSR", "USA", "Italy")
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
MEANT = {option.id: option for option in rule_options.game_options(RULES)}
OWN = [option for option in MEANT.values() if option.id.startswith("spi.")]


def gamesmaster() -> Person:
    return Person.objects.at("ada@example.org", name="Ada")


AT_EIGHT = {"every": "days", "days": 7, "time": "08:00"}
BASE: dict[str, Any] = {"spi.us_entry": "base_schedule"}
MIX: dict[str, Any] = {"spi.blend": "any_mix"}


def opened(held_by_another: tuple[str, ...] = (), **chosen: Any) -> Game:
    seats = {power: f"{power.lower()}@example.org" for power in POWERS}
    seats |= dict.fromkeys(held_by_another, "table")
    defaults: dict[str, Any] = {
        "title": "The long war",
        "card_name": "standard",
        "seats": seats,
        "schedule": {"every": "days", "days": 7, "time": "18:00"},
        "market": "yahoo",
        "options": {},
        "may_lock_early": False,
        "public": True,
        "reserves": None,
        "zone": "Europe/Berlin",
    }
    return open_game(gamesmaster(), NOW, ruleset_id=RULES.id, **(defaults | chosen))


@pytest.mark.parametrize("option", OWN, ids=lambda option: option.id)
def test_every_option_of_the_campaign_is_offered_and_explained(option: rule_options.Option) -> None:
    """Rules O: every option has labels, explanations and a reason for its default."""
    assert option.offered
    assert option.name
    assert option.why.endswith(".")
    words = [option.label(value) for value in option.choosable]
    assert len(set(words)) == len(words)
    assert not any("_" in label for label in words)
    assert all(option.does[value].endswith(".") for value in option.choosable)


def test_options_about_named_stocks_are_not_offered() -> None:
    """Rules 0.1: orders name no stocks; dice use the published list and a later session."""
    assert len(OWN) == 19
    assert not set(rule_options.NAMED_STOCKS) & set(MEANT)
    assert "orders.standing" not in MEANT
    assert {"rng.source", "rng.settle", "rng.d6", "rng.reserve_list"} <= set(MEANT)
    assert {"orders.amend", "seat.nmr_limit"} <= set(MEANT)
    for game in ("origins-ww1", "origins-ww2"):
        assert set(rule_options.NAMED_STOCKS) <= {
            option.id for option in rule_options.game_options(ruleset(game))
        }


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("rng.no_stock", "attack_void"),
        ("rng.stock_choice", "list_only"),
        ("rng.duplicate_stock", "allow"),
        ("rng.quote_session", "deadline_day"),
    ],
)
def test_options_about_named_stocks_are_refused_with_a_sentence(option: str, value: str) -> None:
    """A die that never comes would hold the game; the deadline day's sales may be known."""
    with pytest.raises(
        desk.DeskError, match="does not apply to this game: its orders name no stocks"
    ):
        opened(options={option: value}, schedule=AT_EIGHT, zone="America/New_York")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("options", "held", "sentence"),
    [
        (BASE | {"spi.us_dice": "either_order"}, (), "options for its dice have no effect"),
        (BASE | {"spi.us_special": "instead"}, (), "options for its dice have no effect"),
        (
            BASE | {"spi.us_trigger_units": "german_player"},
            ("Italy",),
            "options for its dice have no effect",
        ),
        ({"spi.blend": "any_mix"}, (), "“a column made of two” has no effect"),
        ({"spi.invader_unit": "power"}, (), "“whose invasion it is” has no effect"),
        ({"spi.us_trigger_units": "german_player"}, (), "“which invasions"),
        ({"spi.last_turn": 0}, (), "end on turn 0: choose a Game-Turn from 1 to 23"),
        ({"spi.last_turn": 24}, (), "end on turn 24: choose a Game-Turn from 1 to 23"),
        ({}, ("France",), "Choose the powers for 4, 5 or 6 players"),
        ({}, ("Italy", "Germany"), "Choose the powers for 4, 5 or 6 players"),
    ],
)
def test_contradictory_options_are_refused_with_one_sentence(
    options: dict[str, Any], held: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(desk.DeskError, match=sentence):
        opened(held, options=options)
    assert not Game.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("held", "options"),
    [
        ((), {"spi.last_turn": 4, "spi.flow": "sequential", "spi.tie": "fewest_own_hexes_lost"}),
        (
            ("Italy",),
            MIX | {"spi.invader_unit": "power", "spi.us_trigger_units": "german_player"},
        ),
        (("Italy", "USA"), BASE | MIX | {"spi.diplomacy_days": 0, "spi.last_turn": 1}),
        (
            (),
            {"rng.source": "commit_reveal", "rng.d6": "two_digit"}
            | {"spi.us_special": "instead", "spi.us_dice": "either_order"},
        ),
    ],
)
def test_compatible_options_are_accepted(held: tuple[str, ...], options: dict[str, Any]) -> None:
    """A shortened campaign too, with four, five or six players."""
    game = opened(held, options=options)
    assert {key: game.options[key] for key in options} == options


@pytest.mark.django_db
def test_press_cannot_be_closed() -> None:
    with pytest.raises(desk.DeskError, match="does not apply to games of"):
        opened(press={"closed": "placement"})


@pytest.mark.parametrize("days", [14, 7, 0])
def test_first_diplomacy_is_twice_as_long(days: int) -> None:
    """4.2: 30 minutes instead of 15 at the table. With 0 days it has an ordinary deadline."""
    start = RULES.setup(_card(), {"spi.diplomacy_days": days}, POWERS)
    first = RULES.phase(start)
    assert first is not None
    assert RULES.facts(first, start.options).days == (2 * days or None)
    assert RULES.facts(first._replace(turn=2), start.options).days == (days or None)
    assert RULES.facts(first._replace(kind="orders"), start.options).days is None


def _card() -> dict[str, Any]:
    return cards.load(RULES.id, "standard")


# --- rulings ---


def test_only_options_that_judge_a_phase_can_be_ruled() -> None:
    """Rounding and dice may change; options that shape the position may not."""
    ruled = rulings.option_ids(RULES)
    of_entry = ("spi.us_dice", "spi.us_special", "spi.us_trigger_units")
    assert ruled == ("rng.d6", "spi.pre_entry_us_share", "spi.half_rounding", *of_entry)
    assert {option.id for option in OWN if option.values} - set(ruled) == {
        "spi.flow",
        "spi.seasons",
        "spi.declaration",
        "spi.british_replacement",
        "spi.invader_unit",
        "spi.us_entry",
        "spi.allied",
        "spi.reading",
        "spi.blend",
        "spi.standings",
        "spi.tie",
    }


# --- presets, and the page ---


def test_presets_exist_for_a_club_beginners_the_telephone_and_purists() -> None:
    stored = presets.presets_of_game(RULES.id)
    names = ("club", "first", "telephone", "purist")
    assert [preset.id for preset in stored] == [f"ww2mp-{name}" for name in names]
    for preset in stored:
        changes = preset.changes(MEANT)
        assert len(changes) >= 2 + len(preset.options), "every option that it sets is told"
        assert not any("_" in label for _, label in changes)
    assert ("The last Game-Turn", "7") in stored[2].changes(MEANT)
    assert ("When orders are due", "a deadline for each Player-Turn") in stored[3].changes(MEANT)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "preset", presets.presets_of_game("ww2-multiplayer"), ids=lambda preset: preset.id
)
def test_every_preset_opens_a_campaign(preset: presets.Preset) -> None:
    game = opened(
        options=preset.options,
        schedule=preset.schedule,
        **preset.settings,
    )
    assert {key: game.options[key] for key in preset.options} == preset.options


@pytest.mark.django_db
def test_opening_page_opens_a_shortened_campaign(client: Visitor) -> None:
    """Seats offer neither “me” nor a bot: a referee plays no power, and bots cannot play."""
    ada = gamesmaster()
    client.force_login(ada)
    page = client.read("/games/new/?game=ww2-multiplayer")
    for phrase in (
        "The last Game-Turn",
        "Which quarter is spring",
        "nobody: played with another nation",
        "Telephone, shortened",
        "a copy of the base game",
    ):
        assert phrase in page
    for unsaid in (
        "spi.",
        ">base_schedule",
        "ow2.",
        "while PFs are placed",
        "Which stocks may be named",
    ):
        assert unsaid not in page
    form = GameForm(ruleset_id=RULES.id, person=ada)
    assert [value for value, _ in form.fields["who_0"].choices] == ["address", "table", ""]  # type: ignore[attr-defined]
    sent = {
        name: field.initial
        for name, field in form.fields.items()
        if field.initial not in (None, False, "")
    } | {"market": "yahoo"}
    seats = {
        f"who_{place}": "table" if power in ("Italy", "USA") else "address"
        for place, power in enumerate(form.nations)
    }
    seats |= {
        f"email_{place}": f"{power.lower()}@example.org"
        for place, power in enumerate(form.nations)
        if power not in ("Italy", "USA")
    }
    sent |= {"title": "Until the fall of France", **seats}
    sent |= {"option_spi_last_turn": "4", "option_spi_diplomacy_days": "0"}
    answer = client.post("/games/new/?game=ww2-multiplayer", sent)
    assert answer.status_code == 302, re.findall(
        r'class="fault"[^>]*>(.*?)</p>', answer.content.decode()
    )
    game = Game.objects.get()
    assert (game.options["spi.last_turn"], game.options["spi.diplomacy_days"]) == (4, 0)
    assert set(game.seats.filter(by_table=True).values_list("nation", flat=True)) == {
        "Italy",
        "USA",
    }


@pytest.mark.django_db
def test_wrong_last_turn_is_explained_and_typed_text_stays(client: Visitor) -> None:
    client.force_login(gamesmaster())
    form = GameForm(ruleset_id=RULES.id, person=gamesmaster())
    sent = {
        name: field.initial
        for name, field in form.fields.items()
        if field.initial not in (None, False, "")
    } | {"market": "yahoo"}
    page = client.submit(
        "/games/new/?game=ww2-multiplayer",
        sent | {"title": "Too long", "option_spi_last_turn": "30"},
    )
    assert "cannot end on turn 30" in page, re.findall(r'class="fault"[^>]*>(.*?)</p>', page)
    assert "Too long" in page
    assert not Game.objects.exists()


def letters_line(form: GameForm) -> str:
    """Return what the form's section on letters says is set."""
    sections = {section.title: section for section in form.setting_sections()}
    return sections["Letters between nations"].value


@pytest.mark.django_db
def test_form_offers_no_deals_where_the_rules_have_none() -> None:
    """Orders in free words: no program can say what came of a deal."""
    form = GameForm({}, ruleset_id=RULES.id, person=gamesmaster())
    assert "press_deals" not in form.fields
    form.is_valid()
    assert complete_settings(RULES, form.chosen_settings())["press.deals"] == "none"
    assert "deals" not in letters_line(form)


@pytest.mark.django_db
def test_settings_in_a_line_go_on_with_a_small_letter_after_a_semicolon() -> None:
    form = GameForm(ruleset_id="origins-ww2", person=gamesmaster())
    assert "; two nations may make deals" in letters_line(form)
    assert letters_line(form)[0].isupper()
