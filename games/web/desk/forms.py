"""Forms for deadlines and people at the desk, and for players' absences and seats."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from django import forms

from games.models import Game, Seat
from games.models.people import tidy_address
from games.pages.forms import (
    CalendarForm,
    Form,
    address_field,
    day_field,
    quote,
    reason_field,
    small_number,
)
from games.rules.registry import RULESETS
from games.seats import days_off

ONE_HOLIDAY = re.compile(r"(\S+?)(?:\s+(?:to\s+|- ?)?(\d{4}-\d{1,2}-\d{1,2}))?\s+(.+)")


class ReasonForm(Form):
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


class ExtendDayForm(Form):
    """One click for 24 more hours; `shown` is the deadline that the page showed."""

    shown = forms.CharField(widget=forms.HiddenInput)


class ReportTimesForm(Form):
    """How long a report may be corrected, and when a gamesmaster is reminded of one."""

    report_hours = small_number(
        "Hours to correct a report",
        72,
        "0: it takes effect as soon as you send it.",
    )
    report_days = small_number(
        "Days before a reminder", 60, "Repeated at the same interval. 0: never."
    )


class SettingsForm(Form):
    """Settings that may change at any time of a game."""

    may_lock_early = forms.BooleanField(
        label="A phase may end early",
        required=False,
        help_text="As soon as every seat is final.",
    )
    approval_hours = small_number(
        "Hours that results wait for your approval",
        14 * 24,
        "You check each result and publish it; after this time it is published automatically. 0:"
        " at once.",
    )
    absence_days = small_number(
        "Days of absence that move deadlines",
        366,
        "Per player, for the whole game. 0: absences move no deadlines; you are notified.",
    )
    veto_hours = small_number(
        "Hours in which you may veto a vote",
        14 * 24,
        "Players vote for more time, a draw or an early end. What passes takes effect after these"
        " hours; 0: at once.",
    )


class AbsenceForm(Form):
    first = day_field("First day away", "In the game’s time zone.")
    last = day_field("Last day away")


class SeatField(forms.ModelChoiceField):  # type: ignore[type-arg]  # generic for the checker only
    """A seat, by its nation."""

    def label_from_instance(self, obj: Any) -> str:
        return str(obj.nation)


class SeatAbsenceForm(AbsenceForm):
    """A player's absence, entered by a gamesmaster."""

    seat = SeatField(label="Who", queryset=Seat.objects.none(), empty_label=None)
    field_order = ["seat", "first", "last"]

    def __init__(self, *args: Any, game: Game, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["seat"]
        assert isinstance(field, SeatField)
        field.queryset = game.seats.filter(sittings__until=None, sittings__isnull=False).distinct()


class InviteForm(Form):
    email = address_field()
    extra_hours = small_number(
        "Extra hours for the new player",
        14 * 24,
        "Once the seat is taken, the open deadline moves by this much for everybody. 0: it stays.",
        initial=0,
    )


class ReplaceForm(InviteForm):
    reason = reason_field()


class StandbyForm(Form):
    ruleset_id = forms.ChoiceField(
        label="Games",
        choices=[("", "Any game"), *((rules.id, rules.title) for rules in RULESETS.values())],
        required=False,
    )
    note = forms.CharField(
        label="A word about you",
        max_length=200,
        required=False,
        help_text="For the gamesmaster: when you can write, what you have played.",
    )


class GamesmasterForm(Form):
    email = address_field()

    def clean_email(self) -> str:
        return tidy_address(self.cleaned_data["email"])
