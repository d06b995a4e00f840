"""The forms of the pages. Each error is one sentence at its field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django import forms
from django.core.validators import validate_email
from django.forms.boundfield import BoundField
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from games.accounts import tokens
from games.base.text import shorten
from games.desk import DeskError
from games.desk.roster import Addressee, read_addressees
from games.models.people import tidy_address
from games.pages.requests import Kinds, Refusals
from games.rules.contract import Ruleset
from games.timing import schedule, zone_names

ADDRESS_HELP = {
    "required": "Write an e-mail address.",
    "invalid": "“%(value)s” is not an e-mail address; write one such as ada@example.org.",
}
QUOTED_AT_MOST = 60
#: Messages for errors for which a field has none of its own. Each quotes the input and says what
# is accepted.
SENTENCES = {
    "null_characters_not_allowed": (
        "“%(value)s” contains a character that cannot be stored. Please retype it."
    ),
    "max_length": "“%(value)s” is too long. Use at most %(limit_value)s characters.",
    "min_value": "“%(value)s” is too small. It must be at least %(limit_value)s.",
    "max_value": "“%(value)s” is too large. It must be at most %(limit_value)s.",
    "invalid": "“%(value)s” cannot be read. Please check it.",
    "invalid_choice": "“%(value)s” is not one of the choices. Choose one from the list.",
}
OF_NUMBERS = {"invalid": "“%(value)s” is not a whole number; write one such as 2."}
WEEKDAYS = [(day, day.title()) for day in schedule.WEEKDAYS]


class Form(forms.Form):
    """A form that shows one sentence at each faulty field and quotes the input."""

    def full_clean(self) -> None:
        for field in self.fields.values():
            own = type(field).default_error_messages
            for code, sentence in (
                SENTENCES | (OF_NUMBERS if isinstance(field, forms.IntegerField) else {})
            ).items():
                if field.error_messages.get(code) in (None, own.get(code)):
                    field.error_messages[code] = sentence
        super().full_clean()

    def faults(self) -> Iterator[tuple[str, str, str]]:
        """Yield each error of a field with the field's label and its place on the page."""
        for name, errors in self.errors.items():
            if name in self.fields:
                label, at = self.place_of(name)
                yield from ((label, str(error), at) for error in errors)

    def place_of(self, name: str) -> tuple[str, str]:
        """Return the label of a field and its place on the page."""
        return str(self[name].label), self[name].auto_id

    def errors_at(self, field: str | None, kinds: Kinds = DeskError) -> Refusals:
        """Show at a field why a block was refused, and skip the rest of the block."""
        return Refusals(partial(self.add_error, field), kinds)

    def add_error(self, field: str | None, error: Any) -> None:
        if (
            field is not None
            and isinstance(error, forms.ValidationError)
            and hasattr(error, "error_list")
        ):
            typed = quote(self[field].data)
            error = error.error_list[0]
            if isinstance(limit := (error.params or {}).get("limit_value"), int):
                error.params = {**(error.params or {}), "limit_value": f"{limit:,}"}
            if error.params or "%(value)s" in str(error.message):
                error.params = {**(error.params or {}), "value": typed}
        super().add_error(field, error)
        self._focus_on_fault()

    def _focus_on_fault(self) -> None:
        """Let the page begin at the first wrong field, whose error a screen reader reads with it,
        and not at a top that looks as before. Templates give it to a list of errors above."""
        for field in self.fields.values():
            field.widget.attrs.pop("autofocus", None)
        faulty = (self.fields[name].widget for name in self.fields if name in self.errors)
        if shown := next((widget for widget in faulty if not widget.is_hidden), None):
            shown.attrs["autofocus"] = True


def choose(
    form: forms.Form, name: str, choices: Sequence[tuple[str, Any]], initial: str | None = None
) -> None:
    """Set the choices of a field and the one that is chosen at first."""
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    field.choices, field.initial = choices, initial


def quote(typed: object) -> str:
    """Return input for quoting in a sentence: printable, and cut after `QUOTED_AT_MOST`."""
    text = "".join(character if character.isprintable() else " " for character in str(typed))
    return shorten(text.strip(), QUOTED_AT_MOST)


class ZoneInput(forms.TextInput):
    """A text field that offers every city and country while a person types one."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        places = f"{(attrs or {}).get('id', name)}_places"
        field = super().render(name, value, {**(attrs or {}), "list": places}, renderer)
        names = ((each,) for each in zone_names.all_names())
        options = format_html_join("", '<option value="{}"></option>', names)
        return format_html('{}<datalist id="{}">{}</datalist>', field, places, options)


class ZoneField(forms.CharField):
    """A time zone, written as a country, a city or the zone's own name.

    `empty`: what no zone means, if the field can be empty.
    """

    def __init__(self, *, empty: str = "", help_text: str = "", **kwargs: Any) -> None:
        super().__init__(
            required=not empty,
            max_length=60,
            help_text=f"A city or a country. {help_text or empty}".strip(),
            error_messages={"required": "Write a city or a country, such as Berlin or Germany."},
            widget=ZoneInput(attrs={"autocapitalize": "words"}),
            **kwargs,
        )

    def prepare_value(self, value: Any) -> Any:
        return zone_names.name_of(value) if value else value

    def clean(self, value: Any) -> str:
        written = str(super().clean(value))
        try:
            return zone_names.zone_of(written) if written else ""
        except zone_names.ZoneUnknown as error:
            raise forms.ValidationError(f"“{quote(written)}” {error}") from None


def address_field(**attrs: Any) -> forms.EmailField:
    return forms.EmailField(
        label="E-mail address",
        max_length=254,
        error_messages=ADDRESS_HELP,
        widget=forms.EmailInput(attrs=attrs),
    )


class SharesField(forms.IntegerField):
    """A number of shares as a newspaper prints it: 5412300, 5,412,300 or 5 412 300."""

    def __init__(self, *, error_messages: Mapping[str, str] = {}, **kwargs: Any) -> None:
        invalid = "“%(value)s” is not a whole number of shares; write one such as 5,412,300."
        attrs = {"inputmode": "numeric", "autocomplete": "off"}
        super().__init__(
            widget=forms.TextInput(attrs=attrs),
            error_messages={"invalid": invalid, **error_messages},
            **kwargs,
        )

    def to_python(self, value: Any) -> int | None:
        return super().to_python(re.sub(r"(?<=\d)[,'’\s](?=\d{3}(?!\d))", "", str(value or "")))


class AddresseeField(forms.CharField):
    """One address to invite, with a name if the gamesmaster gives one."""

    def __init__(self) -> None:
        super().__init__(
            label="E-mail address",
            max_length=400,
            help_text=(
                "A name can go with it: Anna Berg <anna@example.org>. Only gamesmasters see it"
                " before the person accepts."
            ),
            error_messages={"required": str(ADDRESS_HELP["required"])},
            widget=forms.TextInput(attrs={"inputmode": "email", "autocapitalize": "off"}),
        )

    def clean(self, value: Any) -> Addressee:
        written = str(super().clean(value))
        try:
            (addressee,) = read_addressees(written)
            validate_email(addressee.email)
        except (ValueError, forms.ValidationError):
            raise forms.ValidationError(
                f"“{quote(written)}” is not an e-mail address; write one such as ada@example.org,"
                " or Ada Berg <ada@example.org>."
            ) from None
        return addressee


def reason_field() -> forms.CharField:
    return forms.CharField(
        label="Reason",
        max_length=300,
        error_messages={"required": "Enter a reason: it goes to every player."},
        help_text="One sentence. It goes to every player and into the record.",
    )


def day_field(label: str, example: str = "2027-03-05") -> forms.DateField:
    return forms.DateField(
        label=label,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        error_messages={
            "required": "Enter a day.",
            "invalid": f"“%(value)s” is not a day; write one such as {example}.",
        },
    )


class LocalTimeField(forms.DateTimeField):
    """A time on the reader's clock. One that the clock skips, or shows twice, means what it means
    in a schedule (games.timing.schedule); Django refuses both."""

    def to_python(self, value: Any) -> datetime | None:
        try:
            return super().to_python(value)
        except forms.ValidationError as error:
            if error.code != "ambiguous_timezone":
                raise
        with timezone.override(UTC):
            local = super().to_python(value)
        assert local is not None
        return schedule.instant(local.date(), local.time(), timezone.get_current_timezone_name())


def deadline_field(help_text: str, *, required: bool = True) -> LocalTimeField:
    return LocalTimeField(
        label="New deadline",
        required=required,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        error_messages={
            "required": "Enter the new deadline.",
            "invalid": "“%(value)s” is not a date and time; write one such as 2027-03-05 09:00.",
        },
        help_text=help_text,
    )


class LoginForm(Form):
    email = address_field(autocomplete="email", autofocus=True)

    def clean_email(self) -> str:
        return tidy_address(self.cleaned_data["email"])


class CodeForm(Form):
    email = address_field(autocomplete="email")
    code = forms.CharField(
        label="Code",
        max_length=40,
        error_messages={"required": "Enter the code from the letter."},
        widget=forms.TextInput(
            attrs={
                "autocomplete": "one-time-code",
                "autocapitalize": "characters",
                "class": "symbols",
            }
        ),
    )

    def clean_code(self) -> str:
        code = self.cleaned_data["code"]
        if len(tokens.tidy_code(code)) != tokens.LOGIN_CODE_LENGTH:
            raise forms.ValidationError(
                f"“{quote(code)}” is not a code. A code has {tokens.LOGIN_CODE_LENGTH} letters and"
                " digits, such as K7QMX-3WDPA; please check the letter."
            )
        return str(code)


class MeForm(Form):
    name = forms.CharField(
        label="Name",
        max_length=80,
        required=False,
        help_text=(
            "What the other players call you. Your address is shown only to the gamesmaster of your"
            " games."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    zone = ZoneField(
        label="Time zone",
        help_text="You see every deadline in this zone, beside the game's own.",
    )
    telephone = forms.CharField(
        label="Telephone",
        max_length=40,
        required=False,
        help_text="For games by telephone; only the gamesmaster of your games sees it.",
        widget=forms.TextInput(attrs={"autocomplete": "tel", "inputmode": "tel"}),
    )
    postal_address = forms.CharField(
        label="Postal address",
        max_length=500,
        required=False,
        help_text=(
            "For games on paper. If you run the game, your address is on printed letters; otherwise"
            " only the gamesmaster sees it."
        ),
        widget=forms.Textarea(
            attrs={"rows": 3, "class": "address", "autocomplete": "street-address"}
        ),
    )
    record_shown = forms.BooleanField(
        label="Show how I play",
        required=False,
        help_text=(
            "Anybody can then see your phases on time, the seats you left, and your results by"
            " nation for the last 2 years, private games included."
        ),
    )
    seen_shown = forms.BooleanField(
        label="Show on which day I was last here",
        required=False,
        help_text=(
            "People who may see your name in a game then read “seen today” or “seen 3 days ago”"
            " beside it. We keep that one day, and only while this is ticked."
        ),
    )


class NameForm(Form):
    """Asks people who take a seat for their name, if we do not know it."""

    name = forms.CharField(
        label="Your name",
        max_length=80,
        required=False,
        help_text="What the other players call you. You can change it later.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class ExtendForm(Form):
    deadline = deadline_field("In your own time zone. The deadline moves for everybody.")
    reason = reason_field()


class RollsForm(Form):
    rolls = forms.CharField(
        label="What the dice show",
        max_length=400,
        error_messages={"required": "Enter what the dice show, such as 7 0 3."},
        help_text="0 to 9. Separate several rolls with blanks, such as 7 0 3.",
        widget=forms.TextInput(
            attrs={"inputmode": "numeric", "autocomplete": "off", "class": "digits"}
        ),
    )
    note = forms.CharField(
        label="Note",
        max_length=200,
        required=False,
        help_text="Such as: rolled before two witnesses.",
    )

    def clean_rolls(self) -> list[int]:
        words = re.split(r"[\s,;]+", self.cleaned_data["rolls"].strip(" ,;"))
        for word in words:
            if not re.fullmatch(r"[0-9]", word):
                raise forms.ValidationError(
                    f"“{quote(word)}” is not a roll. Enter single digits separated by blanks, such"
                    " as 7 0 3."
                )
        return [int(word) for word in words]


class ClosureForm(Form):
    """A day without trading. `places`: exchange and title of each market that can be closed."""

    exchange = forms.ChoiceField(
        label="Exchange",
        error_messages={
            "required": "Choose the exchange.",
            "invalid_choice": "No running game uses the exchange “%(value)s”.",
        },
    )
    day = day_field("Day", example="2027-01-09")
    day.input_formats = ["%Y-%m-%d"]
    reason = forms.CharField(
        label="Reason",
        max_length=200,
        error_messages={
            "required": "Enter a reason: it goes to every player whose game waits for that day."
        },
        help_text="Such as: a day of mourning, announced by the exchange on 30 December.",
    )

    def __init__(self, *args: Any, places: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choose(self, "exchange", places)


class RemovalForm(Form):
    reason = forms.CharField(
        label="Why it is removed",
        max_length=200,
        error_messages={"required": "Enter a reason for the removal."},
    )


SCHEDULES = [
    ("weekday", "by weeks"),
    ("weekdays", "by days of the week"),
    ("days", "by days"),
    ("trading_morning", "by trading mornings"),
    ("times", "by times of day"),
    ("minutes", "by minutes"),
]
SCHEDULE_FIELDS = (
    "weeks",
    "weekday",
    "weekdays",
    "days",
    "sessions",
    "minutes",
    "second_time",
    "days_of_times",
    *(f"lasts_{kind}" for kind in schedule.LASTS),
)

#: The fields in the line of each kind of schedule.
FIELDS_OF_A_ROW = {
    "weekday": ("weeks", "weekday"),
    "weekdays": ("weekdays",),
    "days": ("days",),
    "trading_morning": ("sessions",),
    "times": ("second_time", "days_of_times"),
    "minutes": ("minutes",),
}


def small_number(
    label: str, most: int | None, help_text: str = "", *, initial: int | None = None, least: int = 0
) -> forms.IntegerField:
    """Return a short field for a whole number; it may stay empty."""
    return forms.IntegerField(
        label=label,
        initial=initial,
        min_value=least,
        max_value=most,
        required=False,
        widget=forms.NumberInput(attrs={"class": "small"}),
        help_text=help_text,
    )


def number_in_sentence(label: str, initial: int, most: int) -> forms.IntegerField:
    """Return a number field that stands inside a sentence and has no visible label."""
    field = small_number(label, most, initial=initial, least=1)
    field.widget.attrs["aria-label"] = label
    return field


def time_field(label: str, initial: str, attrs: Mapping[str, str] = {}) -> forms.TimeField:
    return forms.TimeField(
        label=label,
        initial=initial,
        required=False,
        input_formats=["%H:%M", "%H:%M:%S"],
        widget=forms.TimeInput(attrs={"type": "time", **attrs}, format="%H:%M"),
        error_messages={
            "invalid": f"“%(value)s” is not a time of day; write one such as {initial}."
        },
    )


def rule_of(data: dict[str, Any]) -> dict[str, Any]:
    """Return the schedule that a form describes, as games.timing.schedule writes it."""
    lasts = {
        kind: length for kind in schedule.LASTS if (length := data.get(f"lasts_{kind}")) is not None
    }
    return _interval_of(data) | ({"lasts": lasts} if lasts else {})


def _interval_of(data: dict[str, Any]) -> dict[str, Any]:
    at = data["time"].strftime("%H:%M") if data.get("time") else "09:00"
    match data["every"]:
        case "minutes":
            return {"every": "minutes", "minutes": data.get("minutes")}
        case "days":
            return {"every": "days", "days": data.get("days"), "time": at}
        case "weekdays":
            return {"every": "weekdays", "weekdays": data.get("weekdays"), "time": at}
        case "trading_morning":
            return {"every": "trading_morning", "sessions": data.get("sessions"), "time": at}
        case "times":
            second = data["second_time"].strftime("%H:%M") if data.get("second_time") else "14:00"
            on = data.get("days_of_times") or "weekdays"
            return {"every": "times", "times": sorted([at, second]), "on": on}
        case _:
            weekday, weeks = data.get("weekday"), data.get("weeks")
            return {"every": "weekday", "weekday": weekday, "weeks": weeks, "time": at}


def fields_of(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schedule as fields of a form: the inverse of `rule_of`."""
    fields = {f"lasts_{kind}": length for kind, length in rule.get("lasts", {}).items()}
    if rule["every"] != "times":
        return {**rule, **fields}
    first, second = rule["times"]
    return fields | {
        "every": "times",
        "time": first,
        "second_time": second,
        "days_of_times": rule["on"],
    }


class CalendarForm(Form):
    """The rule for deadlines, with separate fields for each of the 6 kinds."""

    every = forms.ChoiceField(
        label="Deadlines", choices=SCHEDULES, initial="weekday", widget=forms.RadioSelect
    )
    weeks = number_in_sentence("weeks", 2, 52)
    weekday = forms.ChoiceField(
        label="day of the week",
        choices=WEEKDAYS,
        initial="friday",
        required=False,
        widget=forms.Select(attrs={"aria-label": "day of the week"}),
    )
    weekdays = forms.MultipleChoiceField(
        label="days of the week",
        choices=WEEKDAYS,
        required=False,
        widget=forms.CheckboxSelectMultiple(),
    )
    days = number_in_sentence("days", 14, 366)
    sessions = number_in_sentence("trading days", 1, 250)
    minutes = number_in_sentence("minutes", 5, 60 * 24)
    days_of_times = forms.ChoiceField(
        label="on which days",
        choices=[("weekdays", "Every weekday"), ("all", "Every day")],
        required=False,
        widget=forms.Select(attrs={"aria-label": "on which days"}),
    )
    second_time = time_field("second time of day", "14:00", {"aria-label": "second time of day"})
    time = time_field("At", "09:00")
    zone = ZoneField(label="In the time zone of", initial="America/New_York")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for kind, words in schedule.LASTS.items():
            field = small_number(words.capitalize(), schedule.LONGEST_MINUTES, least=1)
            self.fields[f"lasts_{kind}"] = field

    def show_lengths(self, rules: Ruleset) -> None:
        """Remove the fields for lengths of phases that the game does not have."""
        for kind in schedule.LASTS:
            if kind not in ("first", *rules.timed_kinds):
                del self.fields[f"lasts_{kind}"]

    def length_rows(self) -> list[BoundField]:
        """Return the fields for lengths of phases, which may differ from the rule."""
        return [self[name] for name in self.fields if name.startswith("lasts_")]

    @property
    def has_lengths(self) -> bool:
        return any(row.value() not in (None, "") for row in self.length_rows())

    def place_of(self, name: str) -> tuple[str, str]:
        if name == "every" or name in SCHEDULE_FIELDS:
            return "Deadlines", self["every"].auto_id
        return super().place_of(name)

    def faulty_rows(self) -> list[str]:
        """Return the kinds of schedule whose line has an error."""
        rows = [
            kind
            for kind, names in FIELDS_OF_A_ROW.items()
            if any(name in self.errors for name in names)
        ]
        return [*rows, str(self["every"].value())] if "every" in self.errors else rows

    def schedule_faults(self) -> list[str]:
        """Return the errors of all schedule fields, to be shown once below them."""
        return [
            str(fault)
            for name in ("every", *SCHEDULE_FIELDS)
            for fault in self.errors.get(name, [])
        ]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("every") and not self.schedule_faults() and "time" not in self.errors:
            try:
                schedule.check(self.rule())
            except schedule.ScheduleError as error:
                self.add_error("every", str(error))
        return data

    def rule(self) -> dict[str, Any]:
        """Return the schedule as games.timing.schedule writes it."""
        return rule_of(self.cleaned_data)
