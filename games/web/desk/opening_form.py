"""The form that opens a game: scenario, people, deadlines, and every setting and every option of
the rules, explained and in sections.

Seats, scenarios, settings and options are listed from where they are declared, so that a new game,
setting or option needs no new form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.forms.boundfield import BoundField

from games import permissions
from games.desk import presets, scenarios
from games.desk.deal import TABLE
from games.desk.opening import BOT, ME
from games.desk.roster import read_addressees
from games.game_templates import template_of
from games.market import bank
from games.models import Game, Person, Scenario
from games.models.people import tidy_address
from games.pages.forms import ADDRESS_HELP, choose, quote
from games.pages.headings import headings
from games.rules import cards, markets, options, pairs
from games.rules.names import count_of
from games.rules.options import RESERVES_AT_LEAST
from games.rules.registry import ruleset
from games.rules.settings import SECTIONS, SETTINGS, settings_of
from games.web.desk.forms import field_name, option_field
from games.web.desk.opening_deadlines import DeadlinesForm
from games.web.desk.opening_rows import CardChoice, Line, OptionRow, OptionSection, SettingSection
from games.web.scenarios.tables import tables_of

SYMBOL = re.compile(r"[A-Z0-9][A-Z0-9.\-^=]{0,11}")
OWN_LIST = "The service's list"
EMPTY, ADDRESS = "", "address"
WHO = [
    (ADDRESS, "an address, or several"),
    (ME, "me"),
    (BOT, "the service"),
    (TABLE, "nobody: assigned by lot"),
    (EMPTY, "nobody yet"),
]
#: The label of “nobody” in games in which one person may have two nations.
HELD_TOO = "nobody: played with another nation"
#: The most members that a team may have.
MOST_IN_A_TEAM = 20
LONGEST_ADDRESSES = 2_000


#: Sources of figures that need a setting of the operator.
SETTING_OF_SOURCE = {Game.Market.TIINGO: "tiingo_key", Game.Market.RECORDED: "recorded_file"}


class GameForm(DeadlinesForm):
    """Opens a game."""

    title = forms.CharField(
        label="Title",
        max_length=80,
        error_messages={"required": "Enter a title: every letter begins with it."},
    )
    card = forms.ChoiceField(label="Scenario", widget=forms.RadioSelect)
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
        self.scenarios: dict[str, Scenario] = {}
        for scenario in permissions.visible_scenarios(person).filter(
            ruleset_id=ruleset_id, fault=""
        ):
            self.scenarios[scenarios.display_name(scenario)] = scenario
            self.cards[scenarios.display_name(scenario)] = scenario.card
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
        lists = ((name, choice.title) for name, choice in bank.suggested_lists().items())
        choose(self, "bank", [("", OWN_LIST), *lists], "")
        self.nations = list(
            dict.fromkeys(nation for card in self.cards.values() for nation in card["order"])
        )
        groups = options.game_options(self.rules)
        # The reserve list and pairs of nations are options too, but have fields of their own.
        self.options = [
            option for option in groups if option.offered and option.kind in ("choice", "whole")
        ]
        listed = {id for section in SECTIONS for id in section.options}
        self.settings = [setting for setting in settings_of(self.rules) if setting.id in listed]
        self.fields |= {field_name(setting.id): option_field(setting) for setting in self.settings}
        # gamesmaster.md U15: sources that cannot work are not offered.
        missing = {value for value, at in SETTING_OF_SOURCE.items() if not settings.MARKET[at]}
        for name in ("market", "second_source"):
            offered = [choice for choice in SETTINGS[name].choices if choice[0] not in missing]
            choose(self, name, offered, SETTINGS[name].usual)
        self.has_pairs = pairs.has_pairs(self.rules)
        for place, nation in enumerate(self.nations):
            held_too = self.has_pairs or self.rules.shares_players
            # A referee has no seat, and bots cannot play every ruleset.
            excluded = (
                *([ME] if self.rules.referee.seats else []),
                *([] if self.rules.playable else [BOT]),
            )
            offered = [choice for choice in WHO if choice[0] not in excluded]
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
                    attrs={
                        "placeholder": "address",
                        "inputmode": "email",
                        "autocapitalize": "off",
                    }
                ),
            )
        if self.has_pairs:
            pair_choices = [
                (pairs.to_text([pair]), " and ".join(pair))
                for pair in combinations(self.nations, 2)
            ]
            for place in range(pairs.MOST):
                self.fields[f"pair_{place}"] = forms.ChoiceField(
                    label=f"{('Two', 'Another two')[place]} nations with one player",
                    choices=[("", "none"), *pair_choices],
                    required=False,
                )
        for option in self.options:
            self.fields[field_name(option.id)] = option_field(option)
        self.fields["time"].initial = None
        self.fields[
            "time"
        ].help_text = "If empty: half an hour before the exchange opens, such as 9:00 in New York."

    # --- shown on the page ---

    def card_choices(self) -> Iterator[CardChoice]:
        """Yield every scenario with its tables, the service's own first."""
        for radio in self["card"]:
            name = radio.data["value"]
            card, scenario = self.cards[name], self.scenarios.get(name)
            is_own = scenario is not None and scenario.owner_id == self.reader.pk
            owner = (
                ""
                if scenario is None
                else (
                    "your own"
                    if is_own
                    else f"shared by {scenario.owner.name or 'another gamesmaster'}"
                )
            )
            yield CardChoice(
                radio, tables_of(card), headings(card["order"]), card.get("note", ""), owner
            )

    def setting_sections(self) -> Iterator[SettingSection]:
        """Yield the sections of settings, and of fields that belong there, with what is set."""
        for section in SECTIONS:
            names = [field_name(id) for id in section.options]
            rows = tuple(self[name] for name in names if name in self.fields)
            values = [words for row in rows if (words := _current_value(row))]
            # A sentence goes on with a small letter after a semicolon; a name keeps its capital.
            value = "; ".join(
                f"{words[:1].lower()}{words[1:-1]}" if words.endswith(".") else words
                for words in values
            )
            yield SettingSection(section.title, rows, value[:1].upper() + value[1:])

    @property
    def chosen_rules(self) -> Line:
        sections = list(self.option_sections())
        changed = sum(section.changed for section in sections)
        value = f"{changed} changed" if changed else "the usual game"
        return Line(value, any(section.open for section in sections))

    def seat_rows(self) -> Iterator[tuple[str, BoundField, BoundField]]:
        for place, nation in enumerate(self.nations):
            yield nation, self[f"who_{place}"], self[f"email_{place}"]

    def pair_rows(self) -> list[BoundField]:
        """Return the fields that give two nations to one player."""
        return [self[f"pair_{place}"] for place in range(pairs.MOST)] if self.has_pairs else []

    @property
    def fewer(self) -> str:
        """The template about fewer players than nations, and about this game's deadlines."""
        return template_of(self.rules.id, "games/opening/*.html")

    def option_sections(self) -> Iterator[OptionSection]:
        groups = self.rules.option_groups
        offered = [option for option in self.options if option.id != markets.OPTION]
        for section, here in options.arrange(groups, offered):
            rows = tuple(self._row(option) for option in here)
            yield OptionSection(section.title, section.intro, rows)

    @property
    def exchange(self) -> OptionRow:
        """The exchange of the game, which is chosen beside the source of its figures."""
        return self._row(options.OPTIONS[markets.OPTION])

    def _row(self, option: options.Option) -> OptionRow:
        field = self[field_name(option.id)]
        values = tuple(
            (label, does if does.rstrip(".").casefold() != label.casefold() else "")
            for value in option.choosable
            for label, does in [(option.label(value), option.does.get(value, ""))]
        )
        changed = str(field.value()) not in ("", "None", str(option.usual))
        return OptionRow(option, field, values, option.label(option.usual), changed)

    def bank_rows(self) -> list[tuple[Any, str, tuple[str, ...]]]:
        """Return the service's list and those of the exchange."""
        return [row for row, market in self._bank_rows() if market in ("", self.chosen_market.id)]

    def other_bank_rows(self) -> list[tuple[Any, str, tuple[str, ...]]]:
        """Return the lists of other exchanges, for who chooses an exchange on the same page."""
        rows = self._bank_rows()
        return [row for row, market in rows if market not in ("", self.chosen_market.id)]

    def _bank_rows(self) -> Iterator[tuple[tuple[Any, str, tuple[str, ...]], str]]:
        """Yield each list's button, the reason to choose it, its stocks, and its exchange."""
        own = (
            "Large companies of the exchange: this list in New York, elsewhere the list below for"
            " that exchange."
        )
        for radio in self["bank"]:
            listed = bank.suggested_lists().get(radio.data["value"])
            if listed:
                yield (radio, listed.why, listed.symbols), listed.market
            else:
                yield (radio, own, options.LIQUID_STOCKS), ""

    def preset_rows(self) -> Iterator[tuple[presets.Preset, list[tuple[str, str]]]]:
        """Yield the presets, each with what it changes in this game."""
        offered = {option.id: option for option in self.options}
        for preset in presets.presets_of_game(self.rules.id):
            yield preset, preset.changes(offered)

    # --- input ---

    def clean_reserves(self) -> str:
        """Return the list as typed. Raise `ValidationError` if the list itself is wrong; the desk
        checks everything else about it."""
        text = str(self.cleaned_data["reserves"])
        symbols = _symbols(text)
        for symbol in symbols:
            if not SYMBOL.fullmatch(symbol):
                raise forms.ValidationError(
                    f"“{quote(symbol)}” is not a stock symbol such as GE or 7203.T."
                )
        different = len(set(symbols))
        if symbols and different < RESERVES_AT_LEAST and not self.cleaned_data.get("bank"):
            raise forms.ValidationError(
                f"“{quote(' '.join(symbols))}” names"
                f" {count_of(different, 'different stock')}; a reserve list needs"
                f" {RESERVES_AT_LEAST} or more, or may be left empty."
            )
        return text

    def clean(self) -> dict[str, Any]:
        data, chosen = super().clean(), self.chosen_market
        order = self.cards[data["card"]]["order"] if "card" in data else self.nations
        for place, nation in enumerate(self.nations):
            self._clean_seat(place, nation, data, there=nation in order)
        if data.get("bank") and data.get("reserves", "").strip():
            title = bank.suggested_lists()[data["bank"]].title
            self.add_error(
                "reserves",
                f"You have chosen “{title}” and also entered a list. Clear the list, or choose"
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

    def _clean_seat(self, place: int, nation: str, data: dict[str, Any], *, there: bool) -> None:
        who, addresses = (
            data.get(f"who_{place}", EMPTY),
            read_addressees(data.get(f"email_{place}", "")),
        )
        at = f"email_{place}"
        if not there and (addresses or who in (ME, BOT, TABLE)):
            self.add_error(
                at,
                f"{nation} is not in the scenario you chose; clear this line, or choose another"
                " scenario.",
            )
        elif who == ADDRESS and not addresses and at not in self.errors:
            self.add_error(
                at, f"Enter the address of the player of {nation}, or choose “nobody yet”."
            )
        elif who in (ME, BOT, TABLE) and addresses:
            self.add_error(
                at,
                f"{nation} has an address and also another choice; clear one of the two.",
            )
        elif len(addresses) > MOST_IN_A_TEAM:
            self.add_error(
                at,
                f"{nation} has {len(addresses)} addresses; a team has {MOST_IN_A_TEAM} members at"
                " most.",
            )
        for address, _ in addresses:
            if (other := self._earlier_nation(place, address)) and not self._are_paired(
                other, nation, data
            ):
                self.add_error(
                    at,
                    forms.ValidationError(
                        f"{quote(address)} is also the address for {other}, and a person plays one"
                        f" nation. Enter another address for {nation}, or leave it empty."
                    ),
                )
                break
            try:
                validate_email(address)
            except ValidationError:
                self.add_error(
                    at,
                    forms.ValidationError(str(ADDRESS_HELP["invalid"]) % {"value": quote(address)}),
                )
                break

    def _earlier_nation(self, place: int, address: str) -> str:
        """Return the first nation above a line that has the same address; "" if there is none."""
        earlier: str
        for number, earlier in enumerate(self.nations[:place]):
            written = read_addressees(self.cleaned_data.get(f"email_{number}", ""))
            if tidy_address(address) in (tidy_address(each.email) for each in written):
                return earlier
        return ""

    def _are_paired(self, nation: str, other: str, data: dict[str, Any]) -> bool:
        """Return whether the pairs of the form give two nations to one player."""
        texts = [data.get(f"pair_{number}", "") for number in range(pairs.MOST)]
        return any(
            {nation, other} == set(pair) for text in texts for pair in pairs.read(text or "")
        )

    def seats(self) -> dict[str, str]:
        """Return, by nation, its addresses with names, "me", "bot", "table" or ""."""
        seats = {}
        for place, nation in enumerate(self.nations):
            if nation not in self.cards[self.cleaned_data["card"]]["order"]:
                continue
            who = self.cleaned_data.get(f"who_{place}", EMPTY)
            addressees = read_addressees(self.cleaned_data.get(f"email_{place}", ""))
            seats[nation] = (
                ", ".join(map(str, addressees))
                if addressees
                else (who if who in (ME, BOT, TABLE) else "")
            )
        return seats

    def pairs(self) -> list[tuple[str, str]]:
        """Return the pairs of nations with one player, in the format of the desk."""
        texts = (
            [self.cleaned_data.get(f"pair_{place}", "") for place in range(pairs.MOST)]
            if self.has_pairs
            else []
        )
        return [pair for text in texts for pair in pairs.read(text)]

    def reserve_list(self) -> list[str] | None:
        symbols = _symbols(self.cleaned_data["reserves"])
        if not symbols and (chosen := self.cleaned_data.get("bank")):
            symbols = list(bank.suggested_lists()[chosen].symbols)
        return symbols or None

    def chosen_options(self) -> dict[str, Any]:
        """Return the options that differ from the usual game; empty fields keep the usual value."""
        return _chosen(self.options, self.cleaned_data)

    def chosen_settings(self) -> dict[str, Any]:
        """Return the settings that differ from the usual ones."""
        return _chosen(self.settings, self.cleaned_data)


def _chosen(offered: Iterable[options.Option], data: Mapping[str, Any]) -> dict[str, Any]:
    values = {option.id: data.get(field_name(option.id)) for option in offered}
    usual = {option.id: option.usual for option in offered}
    return {id: value for id, value in values.items() if value not in (None, "", usual[id])}


def _current_value(row: BoundField) -> str:
    """Return the current value of a field in words; nothing if it is empty or off."""
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
