"""The form in which a game is opened: sheet, deadlines, people, letters, market, and every option
of the rules, explained and in sections.

Seats, sheets and options come from the ruleset, so that a new game needs no new form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import combinations
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.forms.boundfield import BoundField

from games import permissions
from games.desk import presets, sheets
from games.desk.opening import BOT, ME, TABLE, addresses_in
from games.game_templates import template_of
from games.market import bank
from games.models import Game, Person, Seat, Sheet, Sitting
from games.press import rules
from games.records import series
from games.rules import cards, markets, pairs
from games.rules import options as rule_options
from games.rules.registry import ruleset
from games.timing import schedule
from games.timing.schedule import LASTS
from games.web.desk.forms import HolidaysForm
from games.web.forms import (
    ADDRESS_HELP,
    SCHEDULE_FIELDS,
    CalendarForm,
    ZoneField,
    choose,
    fields_of,
    quoted,
    rule_of,
    small_number,
)
from games.web.headings import Heading, headings
from games.web.scenarios.sheets import Sheet as Tables
from games.web.scenarios.sheets import sheet as tables

SYMBOL = re.compile(r"[A-Z0-9][A-Z0-9.\-^=]{0,11}")
RESERVES_AT_LEAST = 20
OWN_LIST = "The service's list"
#: Deadlines of attacks come so long before the exchange opens, unless the gamesmaster says when:
# so that day's sales decide.
BEFORE_THE_BELL = timedelta(minutes=30)
EMPTY, ADDRESS = "", "address"
WHO = [
    (ADDRESS, "an address, or several"),
    (ME, "me"),
    (BOT, "the service"),
    (TABLE, "nobody: assigned by lot"),
    (EMPTY, "nobody yet"),
]
#: What “nobody” means where one person may hold two nations.
HELD_TOO = "nobody: played with another nation"
#: A team of more than so many is a crowd.
MOST_IN_A_TEAM = 20
LONGEST_ADDRESSES = 2_000


@dataclass(frozen=True)
class CardChoice:
    """A sheet that may be chosen, with its tables to be read beforehand."""

    button: Any  # the radio button
    tables: Tables
    nations: Mapping[str, Heading]
    note: str
    owner: str  # whose it is; empty for those that come with the service


@dataclass(frozen=True)
class OptionRow:
    """An option of the rules with its field, and what each value does."""

    option: rule_options.Option
    field: BoundField
    values: tuple[tuple[str, str], ...]  # in words, and what it does; the default first
    usual: str
    changed: bool


@dataclass(frozen=True)
class Line:
    """A part of the page that is one closed line: what is set there now; open where it is wrong."""

    value: str
    open: bool


@dataclass(frozen=True)
class OptionSection:
    title: str
    intro: str
    rows: tuple[OptionRow, ...]

    @property
    def open(self) -> bool:
        return any(row.field.errors for row in self.rows)

    @property
    def changed(self) -> int:
        return sum(row.changed for row in self.rows)


#: Sources of figures that need a setting of the operator's.
SETTING_OF_SOURCE = {Game.Market.TIINGO: "tiingo_key", Game.Market.RECORDED: "recorded_file"}


class GameForm(HolidaysForm, CalendarForm):
    """Opening a game."""

    title = forms.CharField(
        label="Title",
        max_length=80,
        error_messages={"required": "Enter a title: every letter begins with it."},
    )
    card = forms.ChoiceField(label="Scenario", widget=forms.RadioSelect)
    zone = ZoneField(label="In the time zone of", empty="the exchange")
    market = forms.ChoiceField(
        label="Sales figures from", choices=Game.Market.choices, widget=forms.RadioSelect
    )
    may_lock_early = forms.BooleanField(
        label="A phase may end early",
        required=False,
        help_text="It then ends as soon as every seat is final.",
    )
    approval_hours = small_number(
        "Hours that results wait for your approval",
        14 * 24,
        "You see them first, can rule, and publish them; after this time they are published"
        " automatically. 0: at once.",
        initial=0,
    )
    absence_days = small_number(
        "Days of absence that move deadlines",
        120,
        "Per player, for the whole game. 0: absences move no deadlines; you are notified.",
        initial=14,
    )
    starts_when_full = forms.BooleanField(
        label="Start automatically",
        required=False,
        help_text="As soon as the last seat is taken; otherwise you start the game.",
    )
    joining = forms.ChoiceField(
        label="Free seats are for",
        choices=Game.Joining.choices,
        initial=Game.Joining.INVITED,
        required=False,
        help_text="The game is then on the page of open seats until it is full.",
    )
    least_on_time = small_number(
        "Phases on time that they need, in percent",
        100,
        "Of the last two years, once ten phases were due; people new here may always join."
        " 0: nothing is asked.",
        initial=0,
    )
    public = forms.BooleanField(
        label="Anybody may watch",
        required=False,
        initial=True,
        help_text="Board, reports and proofs; never orders that are still secret.",
    )
    anonymous = forms.BooleanField(
        label="Anonymous",
        required=False,
        help_text=(
            "Only you know who plays which nation. Everybody learns it when the game is over."
        ),
    )
    second_source = forms.ChoiceField(
        label="Compared with",
        choices=Game.SecondSource.choices,
        required=False,
        help_text=("We also ask a second publisher. If the two give different digits, you rule."),
    )
    strict_evening = forms.BooleanField(
        label="Overnight trading counts",
        required=False,
        help_text=(
            "A phase then draws on the first session whose evening before, 20:00 at the exchange,"
            " is still to come when orders lock."
        ),
    )
    press_sender = forms.ChoiceField(
        label="Letters between nations",
        choices=list(rules.SENDERS.items()),
        required=False,
        initial=rules.NAMED,
    )
    press_closed = forms.ChoiceField(
        label="When letters are not carried",
        required=False,
        choices=[
            ("", "they always are"),
            ("placement", "while PFs are placed"),
            ("attacks", "while attacks are ordered and judged"),
        ],
    )
    press_gamesmaster_reads = forms.BooleanField(
        label="The gamesmaster reads letters",
        required=False,
        help_text="Unless the gamesmaster plays. The first letter of the game says so.",
    )
    press_released = forms.BooleanField(
        label="Letters become readable at the end",
        required=False,
        help_text="When the game is over, everybody who can see it can read all letters.",
    )
    press_deals = forms.ChoiceField(
        label="Deals between nations",
        choices=list(rules.DEALS.items()),
        required=False,
        initial=rules.PRIVATE,
        help_text="Deals bind nobody; a page shows what came of them.",
    )
    bank = forms.ChoiceField(
        label="Reserve list of stocks", required=False, widget=forms.RadioSelect
    )
    reserves = forms.CharField(
        label="A list of your own",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=("At least 20 symbols, in reading order. It replaces the lists above."),
    )

    def __init__(self, *args: Any, ruleset_id: str, person: Person, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rules = ruleset(ruleset_id)
        self.show_lengths(self.rules)
        self.cards = {name: cards.load(ruleset_id, name) for name in cards.names(ruleset_id)}
        self.sheets: dict[str, Sheet] = {}
        for sheet in permissions.visible_sheets(person).filter(ruleset_id=ruleset_id, fault=""):
            self.sheets[sheets.display_name(sheet)] = sheet
            self.cards[sheets.display_name(sheet)] = sheet.card
        self.reader = person
        if not person.name:
            self.fields["your_name"] = forms.CharField(
                label="Your name",
                max_length=80,
                error_messages={"required": "Enter your name: the invitations come from you."},
                help_text="Players see it instead of your address.",
                widget=forms.TextInput(attrs={"autocomplete": "name"}),
            )
        titles = [(name, card["title"]) for name, card in self.cards.items()]
        choose(self, "card", titles, titles[0][0])
        missing = {
            value for value, at in SETTING_OF_SOURCE.items() if not settings.MARKET[at]
        }  # gamesmaster.md U15: what cannot work is not offered
        sources = [one for one in Game.Market.choices if one[0] not in missing]
        choose(self, "market", sources, Game.Market.YAHOO)
        second = [one for one in Game.SecondSource.choices if one[0] not in missing]
        choose(self, "second_source", second)
        lists = ((name, one.title) for name, one in bank.suggested_lists().items())
        choose(self, "bank", [("", OWN_LIST), *lists], "")
        self.nations = list(
            dict.fromkeys(nation for card in self.cards.values() for nation in card["order"])
        )
        groups = rule_options.of_game(self.rules)
        # The reserve list and who holds two nations are options too, but have fields of their own.
        self.options = [
            option for option in groups if option.offered and option.kind in ("choice", "whole")
        ]
        self.has_pairs = pairs.has_pairs(self.rules)
        for place, nation in enumerate(self.nations):
            held_too = self.has_pairs or self.rules.referee
            # A referee sits in no seat, and where programs cannot play there is none to offer.
            cannot = (
                *([ME] if self.rules.referee else []),
                *([] if self.rules.playable else [BOT]),
            )
            offered = [one for one in WHO if one[0] not in cannot]
            who = [
                (value, HELD_TOO) if value == TABLE and held_too else (value, words)
                for value, words in offered
            ]
            self.fields[f"who_{place}"] = forms.ChoiceField(
                label=f"Who plays {nation}", choices=who, required=False, initial=EMPTY
            )
            self.fields[f"email_{place}"] = forms.CharField(
                label=f"Address for {nation}",
                required=False,
                max_length=LONGEST_ADDRESSES,
                widget=forms.TextInput(
                    attrs={"placeholder": "address", "inputmode": "email", "autocapitalize": "off"}
                ),
            )
        if self.rules.referee:
            # Nothing is placed and nothing attacked by orders alone.
            choose(self, "press_closed", [("", "they always are")], "")
            self.fields |= _sheet_fields()
        if self.has_pairs:
            twos = [
                (pairs.to_text([pair]), " and ".join(pair))
                for pair in combinations(self.nations, 2)
            ]
            for place in range(pairs.MOST):
                self.fields[f"pair_{place}"] = forms.ChoiceField(
                    label=f"{('Two', 'Another two')[place]} nations with one player",
                    choices=[("", "none"), *twos],
                    required=False,
                )
        for option in self.options:
            self.fields[field_name(option.id)] = option_field(option)
        self.fields["time"].initial = None
        self.fields[
            "time"
        ].help_text = "If empty: half an hour before the exchange opens, such as 9:00 in New York."

    # What the page shows

    def card_choices(self) -> Iterator[CardChoice]:
        """Every sheet with its tables, those of the service first."""
        for radio in self["card"]:
            name = radio.data["value"]
            card, sheet = self.cards[name], self.sheets.get(name)
            mine = sheet is not None and sheet.owner_id == self.reader.pk
            owner = (
                ""
                if sheet is None
                else (
                    "your own" if mine else f"shared by {sheet.owner.name or 'another gamesmaster'}"
                )
            )
            yield CardChoice(
                radio, tables(card), headings(card["order"]), card.get("note", ""), owner
            )

    @property
    def deadlines(self) -> Line:
        """Return the rule in words; where no time or zone is set, those of the exchange."""
        names = ("every", *SCHEDULE_FIELDS, "time", "zone", *(f"lasts_{one}" for one in LASTS))
        data = {name: self._cleaned(name) for name in names if name in self.fields}
        exchange = markets.MARKETS.get(str(self[field_name(markets.OPTION)].value()))
        chosen = exchange or markets.MARKETS[markets.DEFAULT]
        data["zone"] = data["zone"] or chosen.zone
        data["time"] = data["time"] or before_the_bell(chosen)
        value = ""
        with suppress(schedule.ScheduleError):
            schedule.check(rule := rule_of(data))
            value = schedule.in_words(rule, data["zone"])
        wrong = any(self[name].errors for name in names if name in self.fields)
        return Line(value[:1].upper() + value[1:], wrong)

    def _cleaned(self, name: str) -> Any:
        """Return what a field is set to now; None where that makes no sense."""
        try:
            return self.fields[name].clean(self[name].value())
        except ValidationError:
            return None

    @property
    def seating(self) -> Line:
        names = ("joining", "least_on_time", "starts_when_full", "public", "anonymous")
        return self._line(*names)

    @property
    def running(self) -> Line:
        names = ("may_lock_early", "approval_hours", "absence_days", "sheet_hours", "sheet_days")
        return self._line(*names, "holidays")

    @property
    def letters(self) -> Line:
        return self._line(*(name for name in self.fields if name.startswith("press_")))

    @property
    def sales(self) -> Line:
        names = ("market", field_name(markets.OPTION), "second_source", "strict_evening", "bank")
        return self._line(*names, "reserves")

    @property
    def chosen_rules(self) -> Line:
        sections = list(self.option_sections())
        changed = sum(section.changed for section in sections)
        value = f"{changed} changed" if changed else "the usual game"
        return Line(value, any(section.open for section in sections))

    def _line(self, *names: str) -> Line:
        rows = [self[name] for name in names if name in self.fields]
        said = [words for row in rows if (words := _now(row).rstrip("."))]
        value = "; ".join(said)
        return Line(value[:1].upper() + value[1:], any(row.errors for row in rows))

    def faults(self) -> Iterator[tuple[str, str, str]]:
        """Each fault with the label of its field and where that stands on the page."""
        for name, errors in self.errors.items():
            if name in self.fields:
                of_schedule = name == "every" or name in SCHEDULE_FIELDS
                at = self["every" if of_schedule else name].auto_id
                label = "Deadlines" if of_schedule else str(self[name].label)
                yield from ((label, str(error), at) for error in errors)

    def seat_rows(self) -> Iterator[tuple[str, BoundField, BoundField]]:
        for place, nation in enumerate(self.nations):
            yield nation, self[f"who_{place}"], self[f"email_{place}"]

    def pair_rows(self) -> list[BoundField]:
        """Where two nations may be put into one hand."""
        return [self[f"pair_{place}"] for place in range(pairs.MOST)] if self.has_pairs else []

    @property
    def fewer(self) -> str:
        """Return the template on fewer players than nations, and on this game's deadlines."""
        return template_of(self.rules.id, "games/opening/*.html")

    def option_sections(self) -> Iterator[OptionSection]:
        groups = self.rules.option_groups
        offered = [option for option in self.options if option.id != markets.OPTION]
        for section, here in rule_options.arrange(groups, offered):
            rows = tuple(self._row(option) for option in here)
            yield OptionSection(section.title, section.intro, rows)

    @property
    def exchange(self) -> OptionRow:
        """The exchange of the game, which is chosen beside the source of its figures."""
        return self._row(rule_options.OPTIONS[markets.OPTION])

    def _row(self, option: rule_options.Option) -> OptionRow:
        field = self[field_name(option.id)]
        values = tuple(
            (option.label(value), option.does.get(value, "")) for value in option.choosable
        )
        changed = str(field.value()) not in ("", "None", str(option.usual))
        return OptionRow(option, field, values, option.label(option.usual), changed)

    def bank_rows(self) -> Iterator[tuple[Any, str, tuple[str, ...]]]:
        """The button of each list, why one may choose it, and its stocks."""
        own = (
            "Large companies of the exchange: this list in New York, elsewhere the list below for"
            " that exchange."
        )
        for radio in self["bank"]:
            name = radio.data["value"]
            if name:
                yield radio, bank.suggested_lists()[name].why, bank.suggested_lists()[name].symbols
            else:
                yield radio, own, rule_options.LIQUID_STOCKS

    def preset_rows(self) -> Iterator[tuple[presets.Preset, list[tuple[str, str]]]]:
        """The stored choices, each with what it changes in this game."""
        offered = {option.id: option for option in self.options}
        for preset in presets.of_game(self.rules.id):
            yield preset, preset.changes(offered)

    # What was typed

    def clean_reserves(self) -> str:
        """Faults of the list itself, in words; what else is wrong with it the desk says."""
        written = str(self.cleaned_data["reserves"])
        symbols = _symbols(written)
        for symbol in symbols:
            if not SYMBOL.fullmatch(symbol):
                raise forms.ValidationError(
                    f"“{quoted(symbol)}” is not a stock symbol such as GE or 7203.T."
                )
        different = len(set(symbols))
        if symbols and different < RESERVES_AT_LEAST and not self.cleaned_data.get("bank"):
            raise forms.ValidationError(
                f"“{quoted(' '.join(symbols))}” names {different} different"
                f" stock{'' if different == 1 else 's'}; a reserve list needs {RESERVES_AT_LEAST}"
                " or more, or may be left empty."
            )
        return written

    def clean(self) -> dict[str, Any]:
        chosen = self._chosen_market()
        if not self.cleaned_data.get("zone") and "zone" not in self.errors:
            self.cleaned_data["zone"] = chosen.zone
            if "time" not in self.errors and not self.cleaned_data.get("time"):
                self.cleaned_data["time"] = before_the_bell(chosen)
        data = super().clean() or self.cleaned_data
        order = self.cards[data["card"]]["order"] if "card" in data else self.nations
        for place, nation in enumerate(self.nations):
            self._clean_seat(place, nation, data, there=nation in order)
        if data.get("bank") and data.get("reserves", "").strip():
            title = bank.suggested_lists()[data["bank"]].title
            self.add_error(
                "reserves",
                f"You have chosen “{title}” and written a list besides; clear it, or choose"
                f" “{OWN_LIST}”.",
            )
        elif data.get("bank") and bank.suggested_lists()[data["bank"]].market != chosen.id:
            title = bank.suggested_lists()[data["bank"]].title
            self.add_error(
                "bank",
                f"“{title}” has no stocks of {chosen.place}; choose a list of that exchange, or"
                f" “{OWN_LIST}”.",
            )
        return data

    def _chosen_market(self) -> markets.Market:
        """The exchange that was chosen; New York as long as what was typed is none."""
        return markets.MARKETS[self.cleaned_data.get(field_name(markets.OPTION)) or markets.DEFAULT]

    def _clean_seat(self, place: int, nation: str, data: dict[str, Any], *, there: bool) -> None:
        who, written = data.get(f"who_{place}", EMPTY), addresses_in(data.get(f"email_{place}", ""))
        at = f"email_{place}"
        if not there and (written or who in (ME, BOT, TABLE)):
            self.add_error(
                at,
                f"{nation} is not in the scenario you chose; clear this line, or choose another"
                " scenario.",
            )
        elif who == ADDRESS and not written and at not in self.errors:
            self.add_error(
                at, f"Enter the address of the player of {nation}, or choose “nobody yet”."
            )
        elif who in (ME, BOT, TABLE) and written:
            self.add_error(
                at,
                f"{nation} has an address and also another choice; clear one of the two.",
            )
        elif len(written) > MOST_IN_A_TEAM:
            self.add_error(
                at,
                f"{nation} has {len(written)} addresses; a team has {MOST_IN_A_TEAM} members at"
                " most.",
            )
        for address in written:
            try:
                validate_email(address)
            except ValidationError:
                self.add_error(
                    at,
                    forms.ValidationError(
                        str(ADDRESS_HELP["invalid"]) % {"value": quoted(address)}
                    ),
                )
                break

    def press_rules(self) -> dict[str, Any]:
        """The rules of letters between nations as games.press.conversations has them."""
        data = self.cleaned_data
        return {
            "sender": data.get("press_sender") or rules.NAMED,
            "closed": [data["press_closed"]] if data.get("press_closed") else [],
            "gamesmaster_reads": bool(data.get("press_gamesmaster_reads")),
            "released": bool(data.get("press_released")),
            "deals": data.get("press_deals") or rules.PRIVATE,
        }

    def seats(self) -> dict[str, str]:
        """Return nation to addresses, "me", "bot", "table" or "". An address stands for itself."""
        seats = {}
        for place, nation in enumerate(self.nations):
            if nation not in self.cards[self.cleaned_data["card"]]["order"]:
                continue
            who = self.cleaned_data.get(f"who_{place}", EMPTY)
            written = addresses_in(self.cleaned_data.get(f"email_{place}", ""))
            seats[nation] = (
                ", ".join(written) if written else (who if who in (ME, BOT, TABLE) else "")
            )
        return seats

    def pairs(self) -> list[tuple[str, str]]:
        """The nations that are put into one hand, as the desk takes them."""
        typed = (
            [self.cleaned_data.get(f"pair_{place}", "") for place in range(pairs.MOST)]
            if self.has_pairs
            else []
        )
        return [pair for words in typed for pair in pairs.read(words)]

    def reserve_list(self) -> list[str] | None:
        symbols = _symbols(self.cleaned_data["reserves"])
        if not symbols and (chosen := self.cleaned_data.get("bank")):
            symbols = list(bank.suggested_lists()[chosen].symbols)
        return symbols or None

    def chosen_options(self) -> dict[str, Any]:
        """The options that are not as usual; an empty field keeps the usual value."""
        chosen = {}
        for option in self.options:
            value = self.cleaned_data.get(field_name(option.id))
            if value not in (None, "") and value != option.usual:
                chosen[option.id] = value
        return chosen


def _now(row: BoundField) -> str:
    """Return what a field is set to, in words; nothing where it is empty or off."""
    value, field = row.value(), row.field
    label = f"{row.label[:1].lower()}{row.label[1:]}"
    if isinstance(field, forms.ChoiceField):
        chosen = (box for box in row if str(box.data["value"]) == str(value or ""))
        return next((str(box.choice_label) for box in chosen if value), "")
    if isinstance(field, forms.BooleanField):
        return label if value not in (False, None, "", "off") else ""
    if isinstance(field, forms.IntegerField):
        return f"{label}: {value}" if value not in ("", None, 0, "0") else ""
    return label if value else ""


def _symbols(text: str) -> list[str]:
    return [symbol.upper() for symbol in re.split(r"[\s,;]+", text) if symbol]


def before_the_bell(market: markets.Market) -> time:
    """Return when orders are due by default, on the exchange's own clock."""
    return (datetime.combine(date.min, market.opens) - BEFORE_THE_BELL).time()


def _sheet_fields() -> dict[str, forms.Field]:
    """Of a refereed game: correcting a report, and the reminder of one that is due."""
    return {
        "sheet_hours": small_number(
            "Hours to correct a report",
            72,
            "You can correct a report for this long before it takes effect. 0: it takes effect at"
            " once.",
            initial=1,
        ),
        "sheet_days": small_number(
            "Days between reminders that a report is due",
            60,
            "0: never.",
            initial=7,
        ),
    }


def field_name(option_id: str) -> str:
    return "option_" + option_id.replace(".", "_")


def option_field(option: rule_options.Option) -> forms.Field:
    """A select for an option with named values, a number for one with a number."""
    label = option.title
    if option.kind == "whole":
        return small_number(label, None, initial=option.usual)
    offered = [(value, option.label(value)) for value in option.choosable]
    return forms.ChoiceField(label=label, choices=offered, initial=option.usual, required=False)


def filled_by(
    preset: presets.Preset, typed: Mapping[str, Any], ruleset_id: str, person: Person
) -> GameForm:
    """The form with what was typed so far and the preset's choices, everything of their kind that
    it does not name as usual.

    Nothing is judged yet: a form that is half filled in has no faults.
    """
    blank = GameForm(ruleset_id=ruleset_id, person=person)
    kept = {
        name: (
            name in typed
            if isinstance(field, forms.BooleanField)
            else typed.get(name, field.initial)
        )
        for name, field in blank.fields.items()
    }
    letters = rules.check(preset.press)
    filled = fields_of(preset.schedule)
    if not kept["zone"] and filled.get("time") == f"{before_the_bell(markets.NEW_YORK):%H:%M}":
        filled["time"] = None  # before the bell, wherever it rings
    kept |= filled | {name: getattr(preset, name) for name in presets.USUAL}
    kept |= {
        "market": preset.market,
        "press_sender": letters["sender"],
        "press_closed": next(iter(letters["closed"]), ""),
        "press_gamesmaster_reads": letters["gamesmaster_reads"],
        "press_released": letters["released"],
        "press_deals": letters["deals"],
    }
    for option in blank.options:
        if option.id == markets.OPTION and option.id not in preset.options:
            continue  # what a preset changes is played on any exchange
        value = preset.options.get(option.id, option.usual)
        kept[field_name(option.id)] = (
            value if option.kind == "whole" or value in option.choosable else option.usual
        )
    form = GameForm(initial=kept, ruleset_id=ruleset_id, person=person)
    form.fields["title"].widget.attrs["autofocus"] = True  # gamesmaster.md U3: go on there
    return form


def filled_again(game: Game, person: Person, *, moved_on: bool = False) -> GameForm:
    """Return the form as this game was opened, with the people who sit in it now: in the same
    nations, or `moved_on` by one, for the next game of a series.

    Addresses are a gamesmaster's to see: for a player, the other people's seats are empty.
    """
    blank = GameForm(ruleset_id=game.ruleset_id, person=person)
    shown = permissions.runs(person, game)
    filled: dict[str, Any] = {
        "title": f"{game.title}, again"[:80],
        "zone": game.zone,
        "market": game.market,
        "may_lock_early": game.may_lock_early,
        "approval_hours": game.approval_hours,
        "absence_days": game.absence_days,
        "public": game.public,
        "anonymous": game.anonymous,
        "joining": game.joining,
        "least_on_time": game.least_on_time,
        "second_source": game.second_source,
        "strict_evening": game.strict_evening,
        "reserves": " ".join(game.reserves),
        "holidays": HolidaysForm.of(game),
        **fields_of(game.schedule),
    }
    if game.card_name in blank.cards:
        filled["card"] = game.card_name
    letters = rules.check(game.press)
    filled |= {
        "press_sender": letters["sender"],
        "press_closed": next(iter(letters["closed"]), ""),
        "press_gamesmaster_reads": letters["gamesmaster_reads"],
        "press_released": letters["released"],
        "press_deals": letters["deals"],
    }
    filled |= {field_name(option.id): game.options.get(option.id) for option in blank.options}
    sitting = Sitting.objects.current().filter(seat__game=game).select_related("person", "seat")
    seats = list(game.seats.nations().order_by("ordinal"))
    nations = [seat.nation for seat in seats]
    to = series.next_nations(nations) if moved_on else dict(zip(nations, nations, strict=True))
    for seat in seats:
        people = [one.person for one in sitting if one.seat_id == seat.pk]
        if (nation := to[seat.nation]) in blank.nations:
            filled |= _seated_again(blank.nations.index(nation), seat, people, person, shown)
    return GameForm(initial=filled, ruleset_id=game.ruleset_id, person=person)


def _seated_again(
    place: int, seat: Seat, people: list[Person], person: Person, shown: bool
) -> dict[str, str]:
    """Return the fields of one seat."""
    if seat.bot or seat.by_table:
        return {f"who_{place}": BOT if seat.bot else TABLE}
    if [person] == people:
        return {f"who_{place}": ME}
    written = [one.email for one in people if not one.guest and not one.by_post]
    if not shown or not written:
        return {}
    return {f"who_{place}": ADDRESS, f"email_{place}": ", ".join(written)}
