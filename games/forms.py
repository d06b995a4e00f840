"""The forms of the pages: what is asked, and what is said where an answer will not do. Each fault is one sentence at its field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.forms.boundfield import BoundField

from games import schedule
from games.models import Game
from games.models.people import tidy_address
from games.rules import cards, ruleset
from games.rules import options as rule_options

ADDRESS_HELP = {"required": "Write an e-mail address.", "invalid": "That is not an e-mail address; write one such as ada@example.org."}
CONTINENTS = ("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
WEEKDAYS = [(day, day.title()) for day in schedule.WEEKDAYS]


def zone_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Every time zone that is named after a place, by continent."""
    groups: dict[str, list[tuple[str, str]]] = {"Everywhere": [("UTC", "UTC")]}
    for name in sorted(available_timezones()):
        continent, _, place = name.partition("/")
        if place and continent in CONTINENTS:
            groups.setdefault(continent, []).append((name, place.replace("_", " ")))
    return list(groups.items())


class ZoneField(forms.CharField):
    """A time zone, chosen from a list; a zone that is not in the list but known all the same is taken too."""

    widget = forms.Select

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.widget.choices = zone_choices()

    def clean(self, value: Any) -> str:
        name = str(super().clean(value))
        try:
            ZoneInfo(name)
        except (KeyError, ValueError, OSError):
            raise forms.ValidationError(f"“{name}” is not a time zone; choose one from the list.") from None
        return name


class LoginForm(forms.Form):
    email = forms.EmailField(
        label="E-mail address",
        max_length=254,
        error_messages=ADDRESS_HELP,
        widget=forms.EmailInput(attrs={"autocomplete": "email", "autofocus": True}),
    )

    def clean_email(self) -> str:
        return tidy_address(self.cleaned_data["email"])


class CodeForm(forms.Form):
    email = forms.EmailField(
        label="E-mail address", max_length=254, error_messages=ADDRESS_HELP, widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )
    code = forms.CharField(
        label="Code",
        max_length=12,
        error_messages={"required": "Type the six digits from the letter."},
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric", "class": "digits"}),
    )

    def clean_code(self) -> str:
        code = re.sub(r"\s", "", self.cleaned_data["code"])
        if not re.fullmatch(r"[0-9]{6}", code):
            raise forms.ValidationError("The code is six digits; look at the letter again.")
        return code


class MeForm(forms.Form):
    name = forms.CharField(
        label="Name",
        max_length=80,
        required=False,
        help_text="What the other players call you. Your address is shown only to the gamesmaster of your games.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    zone = ZoneField(label="Time zone", help_text="Every deadline is shown to you in this zone, with the rule it follows beside it.")
    telephone = forms.CharField(
        label="Telephone",
        max_length=40,
        required=False,
        help_text="For games by telephone; only the gamesmaster of your games sees it.",
        widget=forms.TextInput(attrs={"autocomplete": "tel", "inputmode": "tel"}),
    )


class NameForm(forms.Form):
    """Asked of somebody who takes a seat and has not said his name yet."""

    name = forms.CharField(
        label="Your name",
        max_length=80,
        required=False,
        help_text="What the other players call you. You can change it later.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class InviteForm(forms.Form):
    email = forms.EmailField(label="E-mail address", max_length=254, error_messages=ADDRESS_HELP)


class ExtendForm(forms.Form):
    deadline = forms.DateTimeField(
        label="New deadline",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        error_messages={"required": "Say when the new deadline is.", "invalid": "Write date and time such as 2027-03-05 09:00."},
        help_text="In your own time zone. It moves for everybody alike.",
    )
    reason = forms.CharField(
        label="Reason",
        max_length=300,
        error_messages={"required": "Say why: the reason goes to every player."},
        help_text="One sentence; it goes to every player and stands in the record.",
    )


class FigureForm(forms.Form):
    symbol = forms.CharField(label="Stock", max_length=8, error_messages={"required": "Say which stock."})
    volume = forms.IntegerField(
        label="Shares sold",
        min_value=1,
        max_value=10**12,
        error_messages={
            "required": "Type the number of shares sold.",
            "invalid": "Type a whole number of shares, without commas.",
            "min_value": "A figure is 1 or more; without a usable report leave the stock out.",
        },
        help_text="Shares, not hundreds. A paper that prints sales in hundreds: add two noughts.",
    )
    note = forms.CharField(label="Where it is printed", max_length=200, required=False, help_text="Such as: Times, 5 December, page 31.")

    def clean_symbol(self) -> str:
        return str(self.cleaned_data["symbol"]).strip().upper()


SCHEDULES = [
    ("weekday", "by weeks"),
    ("days", "by days"),
    ("trading_morning", "by trading mornings"),
    ("minutes", "by minutes"),
]
SCHEDULE_FIELDS = ("weeks", "weekday", "days", "sessions", "minutes")
EMPTY, ADDRESS, ME, BOT = "", "address", "me", "bot"
WHO = [(ADDRESS, "an address"), (ME, "me"), (BOT, "the service"), (EMPTY, "nobody yet")]


def whole(label: str, initial: int, most: int) -> forms.IntegerField:
    widget = forms.NumberInput(attrs={"class": "small"})
    return forms.IntegerField(label=label, initial=initial, min_value=1, max_value=most, required=False, widget=widget)


class GameForm(forms.Form):
    """Opening a game. Seats and options come from the ruleset, so that a new game needs no new form."""

    title = forms.CharField(
        label="Title", max_length=80, error_messages={"required": "Give the game a title: every letter begins with it."}
    )
    card = forms.ChoiceField(label="Sheet", widget=forms.RadioSelect)
    every = forms.ChoiceField(label="Deadlines", choices=SCHEDULES, initial="weekday", widget=forms.RadioSelect)
    weeks = whole("weeks", 2, 52)
    weekday = forms.ChoiceField(label="day of the week", choices=WEEKDAYS, initial="friday", required=False)
    days = whole("days", 14, 366)
    sessions = whole("trading days", 1, 250)
    minutes = whole("minutes", 5, 60 * 24)
    time = forms.TimeField(
        label="At",
        initial="09:00",
        required=False,
        input_formats=["%H:%M", "%H:%M:%S"],
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
        error_messages={"invalid": "Write a time of day such as 09:00."},
    )
    zone = ZoneField(label="In the time zone of", initial="America/New_York")
    market = forms.ChoiceField(label="Sales figures from", choices=Game.Market.choices, widget=forms.RadioSelect)
    may_lock_early = forms.BooleanField(
        label="A phase may end early", required=False, help_text="It then ends as soon as every seat has said that its orders are final."
    )
    starts_when_full = forms.BooleanField(
        label="Begin by itself", required=False, help_text="As soon as the last seat is taken; otherwise you start the game."
    )
    public = forms.BooleanField(
        label="Anybody may watch", required=False, initial=True, help_text="Board, reports and proofs; never orders before their time."
    )
    reserves = forms.CharField(
        label="Reserve list of stocks",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Read from the top where an order names no usable stock. At least 20; left empty, the service's own.",
    )

    def __init__(self, *args: Any, ruleset_id: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rules = ruleset(ruleset_id)
        self.cards = {name: cards.load(ruleset_id, name) for name in cards.names(ruleset_id)}
        card_field = self.fields["card"]
        assert isinstance(card_field, forms.ChoiceField)
        card_field.choices = [(name, card["title"]) for name, card in self.cards.items()]
        card_field.initial = next(iter(self.cards))
        self.nations = list(dict.fromkeys(nation for card in self.cards.values() for nation in card["order"]))
        for place, nation in enumerate(self.nations):
            self.fields[f"who_{place}"] = forms.ChoiceField(label=f"Who plays {nation}", choices=WHO, required=False, initial=EMPTY)
            address = forms.EmailInput(attrs={"placeholder": "address"})
            self.fields[f"email_{place}"] = forms.EmailField(
                label=f"Address for {nation}", required=False, max_length=254, widget=address, error_messages=ADDRESS_HELP
            )
        # The reserve list is an option too, but has a field of its own.
        groups = rule_options.for_groups(self.rules.option_groups)
        self.options = [option for option in groups if option.offered and option.kind != "symbols"]
        for option in self.options:
            self.fields[_field_name(option.id)] = option_field(option)

    def seat_rows(self) -> Iterator[tuple[str, BoundField, BoundField]]:
        for place, nation in enumerate(self.nations):
            yield nation, self[f"who_{place}"], self[f"email_{place}"]

    def option_rows(self) -> Iterator[tuple[rule_options.Option, BoundField]]:
        for option in self.options:
            yield option, self[_field_name(option.id)]

    def card_notes(self) -> list[str]:
        """Where the numbers of the sheets come from; what several say alike is said once, with their titles where they differ."""
        titles: dict[str, list[str]] = {}
        for card in self.cards.values():
            titles.setdefault(card.get("note", ""), []).append(card["title"])
        if len(titles) == 1:
            return list(titles)
        return [f"{', '.join(named)}: {note}" for note, named in titles.items() if note]

    def schedule_faults(self) -> list[str]:
        """What is wrong with the deadlines, said once below the four ways to set them."""
        return [str(fault) for name in ("every", *SCHEDULE_FIELDS) for fault in self.errors.get(name, [])]

    def option_faults(self) -> bool:
        return any(name.startswith("option_") for name in self.errors)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        for place, nation in enumerate(self.nations):
            self._clean_seat(place, nation, data)
        if data.get("every") and not self.schedule_faults() and "time" not in self.errors:
            try:
                schedule.check(self.rule())
            except schedule.ScheduleError as error:
                self.add_error("every", str(error))
        return data

    def _clean_seat(self, place: int, nation: str, data: dict[str, Any]) -> None:
        who, email = data.get(f"who_{place}", EMPTY), data.get(f"email_{place}", "")
        if who == ADDRESS and not email and f"email_{place}" not in self.errors:
            self.add_error(f"email_{place}", f"Write the address of whoever plays {nation}, or choose “nobody yet”.")
        elif who in (ME, BOT) and email:
            self.add_error(f"email_{place}", f"{nation} has an address and somebody else too; clear the one or change the other.")

    def rule(self) -> dict[str, Any]:
        """The schedule as games.schedule writes it."""
        data = self.cleaned_data
        at = data["time"].strftime("%H:%M") if data.get("time") else "09:00"
        match data["every"]:
            case "minutes":
                return {"every": "minutes", "minutes": data.get("minutes")}
            case "days":
                return {"every": "days", "days": data.get("days"), "time": at}
            case "trading_morning":
                return {"every": "trading_morning", "sessions": data.get("sessions"), "time": at}
            case _:
                return {"every": "weekday", "weekday": data.get("weekday"), "weeks": data.get("weeks"), "time": at}

    def seats(self) -> dict[str, str]:
        """Nation to address, "me", "bot" or nothing, as the desk takes it. An address typed in stands for itself."""
        seats = {}
        for place, nation in enumerate(self.nations):
            who, email = self.cleaned_data.get(f"who_{place}", EMPTY), self.cleaned_data.get(f"email_{place}", "")
            seats[nation] = email if email else (who if who in (ME, BOT) else "")
        return seats

    def reserve_list(self) -> list[str] | None:
        symbols = [symbol.upper() for symbol in re.split(r"[\s,;]+", self.cleaned_data["reserves"]) if symbol]
        return symbols or None

    def chosen_options(self) -> dict[str, Any]:
        """The options that differ from their default; an empty field keeps the default."""
        chosen = {}
        for option in self.options:
            value = self.cleaned_data.get(_field_name(option.id))
            if value not in (None, "") and value != option.default:
                chosen[option.id] = value
        return chosen


def _field_name(option_id: str) -> str:
    return "option_" + option_id.replace(".", "_")


def option_field(option: rule_options.Option) -> forms.Field:
    """A select for an option with named values, a number for one with a number."""
    if option.kind == "whole":
        return forms.IntegerField(
            label=option.text, initial=option.default, min_value=0, required=False, widget=forms.NumberInput(attrs={"class": "small"})
        )
    choices = [(value, option_words(value)) for value in option.choosable]
    return forms.ChoiceField(label=option.text, choices=choices, initial=option.default, required=False)


def option_words(value: object) -> str:
    """An option's value for people: "else_and_min" is "else and min"."""
    return str(value).replace("_", " ")
