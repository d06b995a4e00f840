"""Forms for deadlines and people at the desk, and for players' absences and seats."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Any

from django import forms
from django.forms import BoundField

from games.models import Game, Seat
from games.models.people import tidy_address
from games.pages.forms import (
    AddresseeField,
    CalendarForm,
    Form,
    SharesField,
    address_field,
    day_field,
    quote,
    reason_field,
    small_number,
)
from games.rules.options import OPTIONS, Option
from games.rules.settings import Setting, changeable_settings
from games.seats import days_off
from games.timing import local_time

ONE_HOLIDAY = re.compile(r"(\S+?)(?:\s+(?:to\s+|- ?)?(\d{4}-\d{1,2}-\d{1,2}))?\s+(.+)")


def field_name(id: str) -> str:
    """Return the name of the field for an option of the rules or a setting."""
    name = id.replace(".", "_")
    return f"option_{name}" if id in OPTIONS else name


def option_field(option: Option) -> forms.Field:
    """Return a field for an option or a setting: a box to tick, a number or a list of values."""
    setting = option if isinstance(option, Setting) else None
    help_text, most = (setting.text, setting.most) if setting else ("", None)
    if option.kind == "yes_no":
        return forms.BooleanField(
            label=option.title, initial=option.usual, required=False, help_text=help_text
        )
    if option.kind == "whole":
        return small_number(option.title, most, help_text, initial=option.usual)
    choices = [(value, option.label(value)) for value in option.choosable]
    return forms.ChoiceField(
        label=option.title,
        choices=choices,
        initial=option.usual,
        required=False,
        help_text=help_text,
        widget=forms.RadioSelect if setting and setting.buttons else forms.Select,
    )


class ReasonForm(Form):
    reason = reason_field()


class EndForm(Form):
    scored = forms.ChoiceField(
        label="Result",
        required=False,
        choices=[
            ("", "None: the game is abandoned"),
            ("yes", "The scores as they stand"),
        ],
    )
    reason = reason_field()


class NoteForm(Form):
    text = forms.CharField(
        label="Your private note",
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Only you read it, at the desk of each game that you run with this person.",
    )


class ScheduleForm(CalendarForm):
    """Another rule for the deadlines of a running game."""

    move_open = forms.BooleanField(
        label="Move the deadline that is open now too",
        required=False,
        help_text="Computed by the new rule from the start of the phase.",
    )
    reason = reason_field()

    def __init__(self, *args: Any, game: Game, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.show_lengths(game.rules)


class HolidaysForm(Form):
    holidays = forms.CharField(
        label="Days without deadlines",
        required=False,
        max_length=8000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=(
            "One per line: first day, last day if there are several, and a name, such as"
            " 2026-12-24 2026-12-26 Christmas."
        ),
    )

    @staticmethod
    def typed_holidays(game: Game) -> str:
        """Return the holidays in the format in which they are typed."""
        rows = days_off.holidays(game)
        return "\n".join(
            f"{first} {name}" if first == last else f"{first} {last} {name}"
            for first, last, name in rows
        )

    def clean_holidays(self) -> list[tuple[date, date, str]]:
        lines = [line.strip() for line in str(self.cleaned_data["holidays"]).splitlines()]
        return [_holiday(line) for line in lines if line]


def _holiday(line: str) -> tuple[date, date, str]:
    match = ONE_HOLIDAY.fullmatch(line)
    if match is None:
        raise forms.ValidationError(
            f"“{quote(line)}” is not a day with a name; write a line such as 2026-12-24 2026-12-26"
            " Christmas."
        )
    first = _day(match[1], line)
    return first, _day(match[2], line) if match[2] else first, match[3]


def _day(text: str, line: str) -> date:
    try:
        year, month, day = (int(part) for part in text.split("-"))
        return date(year, month, day)
    except ValueError:
        raise forms.ValidationError(
            f"“{quote(text)}” in “{quote(line)}” is not a day; write one such as 2026-12-24."
        ) from None


class ShownForm(Form):
    """One click for more time; `shown` is the deadline that the page showed."""

    shown = forms.CharField(widget=forms.HiddenInput)


class SettingsForm(Form):
    """The settings of a game that may be changed at any time."""

    def __init__(self, *args: Any, game: Game, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.settings = changeable_settings(game.rules)
        for setting in self.settings:
            self.fields[field_name(setting.id)] = option_field(setting)
            self.initial[field_name(setting.id)] = game.setting(setting.id)

    def values(self) -> dict[str, Any]:
        """Return the settings as they should be, by id; an empty number is 0."""
        chosen = ((setting, self.cleaned_data[field_name(setting.id)]) for setting in self.settings)
        return {setting.id: 0 if value is None else value for setting, value in chosen}


class AbsenceForm(Form):
    first = day_field("First day away")
    last = day_field("Last day away")

    def __init__(self, *args: Any, game: Game, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["first"].help_text = f"In {local_time.zone_in_words(game.zone)}."


class SeatField(forms.ModelChoiceField):  # type: ignore[type-arg]  # generic for the checker only
    """A seat, by its nation."""

    def label_from_instance(self, obj: Any) -> str:
        return str(obj.nation)


class SeatAbsenceForm(AbsenceForm):
    """A player's absence, entered by a gamesmaster."""

    seat = SeatField(label="Who", queryset=Seat.objects.none(), empty_label=None)
    field_order = ["seat", "first", "last"]

    def __init__(self, *args: Any, game: Game, **kwargs: Any) -> None:
        super().__init__(*args, game=game, **kwargs)
        field = self.fields["seat"]
        assert isinstance(field, SeatField)
        field.queryset = game.seats.filter(sittings__until=None, sittings__isnull=False).distinct()


class InviteForm(Form):
    email = AddresseeField()
    extra_hours = small_number(
        "Extra hours for the new player",
        14 * 24,
        "Once the seat is taken, the open deadline moves by this much for everybody. 0: it stays.",
        initial=0,
    )


class ReplaceForm(InviteForm):
    reason = reason_field()


class GamesmasterForm(Form):
    email = address_field()

    def clean_email(self) -> str:
        return tidy_address(self.cleaned_data["email"])


_BOTH = "Enter the number of shares sold, or tick “No report”, but not both."


def _volume_field(stock: str) -> SharesField:
    return SharesField(
        label=f"Shares of {stock} sold",
        min_value=1,
        max_value=10**12 - 1,
        required=False,
        error_messages={
            "min_value": (
                "“%(value)s” is not a number of shares: it must be 1 or more. If there is no usable"
                " report, tick “No report”."
            ),
        },
    )


class FiguresForm(Form):
    """The sales of the stocks that a phase waits for, and of one more that its desk may name.

    `entered` has, once valid, the field, the stock and its sales in shares, None for no report.
    """

    note = forms.CharField(
        label="Where it is printed",
        max_length=200,
        required=False,
        help_text="Such as: Times, 5 December, page 31.",
    )
    symbol = forms.CharField(label="Another stock", max_length=8, required=False)

    def __init__(self, stocks: Sequence[str], data: Any = None) -> None:
        super().__init__(data, auto_id="figure-%s")
        self.stocks = tuple(stocks)
        self.entered: list[tuple[str, str, int | None]] = []
        for name, stock in self._names().items():
            self.fields[f"volume{name}"] = _volume_field(stock or "the other stock")
            self.fields[f"no_report{name}"] = forms.BooleanField(
                label=f"No report of {stock or 'the other stock'}", required=False
            )

    def _names(self) -> dict[str, str]:
        """Return the ending of each row's fields, with its stock; "" for the other stock."""
        return {**{f"-{stock}": stock for stock in self.stocks}, "": ""}

    def rows(self) -> list[tuple[str, BoundField, BoundField]]:
        """Return each row of the table: its stock, and the fields for sales and for no report."""
        return [
            (stock, self[f"volume{name}"], self[f"no_report{name}"])
            for name, stock in self._names().items()
        ]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        for name, stock in self._names().items():
            field = f"volume{name}"
            symbol = stock or str(data.get("symbol", "")).strip().upper()
            volume, none = data.get(field), data.get(f"no_report{name}", False)
            if field not in data or not (volume is not None or none or (symbol and not stock)):
                continue
            if not symbol:
                self.add_error("symbol", "Enter the stock.")
            elif (volume is None) != none:
                self.add_error(field, _BOTH)
            else:
                self.entered.append((field, symbol, volume))
        if not self.entered and not self.errors:
            self.add_error(None, "Enter the sales of a stock, or tick “No report”.")
        return data
