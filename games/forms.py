"""The forms of the pages: what is asked, and what is said where an answer will not do. Each fault is one sentence at its field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.forms.boundfield import BoundField

from games import press, schedule
from games.market import bank
from games.models import Game
from games.models.people import tidy_address
from games.post import wording
from games.rules import cards, ruleset
from games.rules import options as rule_options

ADDRESS_HELP = {
    "required": "Write an e-mail address.",
    "invalid": "“%(value)s” is not an e-mail address; write one such as ada@example.org.",
}
QUOTED_AT_MOST = 60
#: What is said of a fault for which a field has no sentence of its own. Each quotes what was typed and says what will do.
SENTENCES = {
    "null_characters_not_allowed": "“%(value)s” holds a sign that cannot be stored; type it in again.",
    "max_length": "“%(value)s” is too long: %(limit_value)s characters at most.",
    "min_value": "“%(value)s” is too little: %(limit_value)s at least.",
    "max_value": "“%(value)s” is too much: %(limit_value)s at most.",
    "invalid": "“%(value)s” cannot be read; look at it again.",
    "invalid_choice": "“%(value)s” is not one of the choices; take one from the list.",
}
OF_NUMBERS = {"invalid": "“%(value)s” is not a whole number; write one such as 2."}
CONTINENTS = ("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
WEEKDAYS = [(day, day.title()) for day in schedule.WEEKDAYS]


class Form(forms.Form):
    """A form that says one sentence about each field that will not do, and quotes in it what was typed."""

    def full_clean(self) -> None:
        for field in self.fields.values():
            own = type(field).default_error_messages
            for code, sentence in (SENTENCES | (OF_NUMBERS if isinstance(field, forms.IntegerField) else {})).items():
                if field.error_messages.get(code) in (None, own.get(code)):
                    field.error_messages[code] = sentence
        super().full_clean()

    def add_error(self, field: str | None, error: Any) -> None:
        if field is not None and isinstance(error, forms.ValidationError) and hasattr(error, "error_list"):
            typed = quoted(self[field].data)
            error = error.error_list[0]
            if error.params or "%(value)s" in str(error.message):
                error.params = {**(error.params or {}), "value": typed}
        super().add_error(field, error)


def quoted(typed: object) -> str:
    """What somebody typed, short enough and plain enough to stand in a sentence."""
    text = "".join(sign if sign.isprintable() else " " for sign in str(typed)).strip()
    return text if len(text) <= QUOTED_AT_MOST else text[: QUOTED_AT_MOST - 1].rstrip() + "…"


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
            raise forms.ValidationError(f"“{quoted(name)}” is not a time zone; choose one from the list.") from None
        return name


class LoginForm(Form):
    email = forms.EmailField(
        label="E-mail address",
        max_length=254,
        error_messages=ADDRESS_HELP,
        widget=forms.EmailInput(attrs={"autocomplete": "email", "autofocus": True}),
    )

    def clean_email(self) -> str:
        return tidy_address(self.cleaned_data["email"])


class CodeForm(Form):
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
            raise forms.ValidationError(f"“{quoted(code)}” is not a code: a code is six digits; look at the letter again.")
        return code


class MeForm(Form):
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
    postal_address = forms.CharField(
        label="Postal address",
        max_length=500,
        required=False,
        help_text="For games on paper. Yours stands on printed letters if you run the game; else only its gamesmaster sees it.",
        widget=forms.Textarea(attrs={"rows": 3, "class": "address", "autocomplete": "street-address"}),
    )


class NameForm(Form):
    """Asked of somebody who takes a seat and has not said his name yet."""

    name = forms.CharField(
        label="Your name",
        max_length=80,
        required=False,
        help_text="What the other players call you. You can change it later.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class InviteForm(Form):
    email = forms.EmailField(label="E-mail address", max_length=254, error_messages=ADDRESS_HELP)


class ExtendForm(Form):
    deadline = forms.DateTimeField(
        label="New deadline",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        error_messages={
            "required": "Say when the new deadline is.",
            "invalid": "“%(value)s” is not a date and time; write one such as 2027-03-05 09:00.",
        },
        help_text="In your own time zone. It moves for everybody alike.",
    )
    reason = forms.CharField(
        label="Reason",
        max_length=300,
        error_messages={"required": "Say why: the reason goes to every player."},
        help_text="One sentence; it goes to every player and stands in the record.",
    )


class FigureForm(Form):
    symbol = forms.CharField(label="Stock", max_length=8, error_messages={"required": "Say which stock."})
    volume = forms.IntegerField(
        label="Shares sold",
        min_value=1,
        max_value=10**12,
        error_messages={
            "required": "Type the number of shares sold.",
            "invalid": "“%(value)s” is not a whole number of shares; type digits only, such as 5412300.",
            "min_value": "“%(value)s” is no figure: it must be 1 or more; without a usable report leave the stock out.",
        },
        help_text="Shares, not hundreds. A paper that prints sales in hundreds: add two noughts.",
    )
    note = forms.CharField(label="Where it is printed", max_length=200, required=False, help_text="Such as: Times, 5 December, page 31.")

    def clean_symbol(self) -> str:
        return str(self.cleaned_data["symbol"]).strip().upper()


class RollsForm(Form):
    rolls = forms.CharField(
        label="What the dice show",
        max_length=400,
        error_messages={"required": "Type what the dice show, such as 7 0 3."},
        help_text="A die of ten faces, 0 to 9, once for each attack that comes to a throw, in the order in which they are judged.",
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off", "class": "digits"}),
    )
    note = forms.CharField(label="Note", max_length=200, required=False, help_text="Such as: rolled before two witnesses.")

    def clean_rolls(self) -> list[int]:
        found = re.split(r"[\s,;]+", self.cleaned_data["rolls"].strip())
        for word in found:
            if not re.fullmatch(r"[0-9]", word):
                raise forms.ValidationError(f"“{quoted(word)}” is no roll: write single digits with blanks between them, such as 7 0 3.")
        return [int(word) for word in found]


class ClosureForm(Form):
    day = forms.DateField(
        label="Day",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d"],
        error_messages={"required": "Say which day.", "invalid": "“%(value)s” is not a day; write one such as 2027-01-09."},
    )
    closes = forms.TimeField(
        label="Closes early at",
        required=False,
        input_formats=["%H:%M"],
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
        error_messages={"invalid": "“%(value)s” is not a time of day; write one such as 13:00."},
        help_text="New York time. Left empty, there is no trading at all that day.",
    )
    reason = forms.CharField(
        label="Reason",
        max_length=200,
        error_messages={"required": "Say why: the reason goes to every player whose game waits for that day."},
        help_text="Such as: a day of mourning, announced by the exchange on 30 December.",
    )


class RemovalForm(Form):
    reason = forms.CharField(label="Why it is removed", max_length=200, error_messages={"required": "Say why it is removed."})


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
    widget = forms.NumberInput(attrs={"class": "small", "aria-label": label})  # a sentence stands around it, and no label
    return forms.IntegerField(label=label, initial=initial, min_value=1, max_value=most, required=False, widget=widget)


def rule_of(data: dict[str, Any]) -> dict[str, Any]:
    """The schedule as games.schedule writes it, from the fields of a form."""
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


SYMBOL = re.compile(r"[A-Z0-9][A-Z0-9.\-^=]{0,11}")
RESERVES_AT_LEAST = 20
OWN_LIST = "The service's own"


class CalendarForm(Form):
    """The rule for deadlines, in fields of its own for each of the four kinds."""

    every = forms.ChoiceField(label="Deadlines", choices=SCHEDULES, initial="weekday", widget=forms.RadioSelect)
    weeks = whole("weeks", 2, 52)
    weekday = forms.ChoiceField(
        label="day of the week",
        choices=WEEKDAYS,
        initial="friday",
        required=False,
        widget=forms.Select(attrs={"aria-label": "day of the week"}),
    )
    days = whole("days", 14, 366)
    sessions = whole("trading days", 1, 250)
    minutes = whole("minutes", 5, 60 * 24)
    time = forms.TimeField(
        label="At",
        initial="09:00",
        required=False,
        input_formats=["%H:%M", "%H:%M:%S"],
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
        error_messages={"invalid": "“%(value)s” is not a time of day; write one such as 09:00."},
    )
    zone = ZoneField(label="In the time zone of", initial="America/New_York")

    def schedule_faults(self) -> list[str]:
        """What is wrong with the deadlines, said once below the four ways to set them."""
        return [str(fault) for name in ("every", *SCHEDULE_FIELDS) for fault in self.errors.get(name, [])]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("every") and not self.schedule_faults() and "time" not in self.errors:
            try:
                schedule.check(self.rule())
            except schedule.ScheduleError as error:
                self.add_error("every", str(error))
        return data

    def rule(self) -> dict[str, Any]:
        """The schedule as games.schedule writes it."""
        return rule_of(self.cleaned_data)


class GameForm(CalendarForm):
    """Opening a game. Seats and options come from the ruleset, so that a new game needs no new form."""

    title = forms.CharField(
        label="Title", max_length=80, error_messages={"required": "Give the game a title: every letter begins with it."}
    )
    card = forms.ChoiceField(label="Sheet", widget=forms.RadioSelect)
    market = forms.ChoiceField(label="Sales figures from", choices=Game.Market.choices, widget=forms.RadioSelect)
    may_lock_early = forms.BooleanField(
        label="A phase may end early", required=False, help_text="It then ends as soon as every seat has said that its orders are final."
    )
    approval_hours = forms.IntegerField(
        label="Results wait for you, hours",
        required=False,
        initial=0,
        min_value=0,
        max_value=14 * 24,
        widget=forms.NumberInput(attrs={"class": "small"}),
        help_text="You see them first, may rule, and release them; they go out by themselves after so many hours. 0: at once.",
    )
    absence_days = forms.IntegerField(
        label="Days of absence that move deadlines",
        required=False,
        initial=14,
        min_value=0,
        max_value=120,
        widget=forms.NumberInput(attrs={"class": "small"}),
        help_text="So many for each player in the whole game; for everybody alike. 0: absences are only told.",
    )
    starts_when_full = forms.BooleanField(
        label="Begin by itself", required=False, help_text="As soon as the last seat is taken; otherwise you start the game."
    )
    public = forms.BooleanField(
        label="Anybody may watch", required=False, initial=True, help_text="Board, reports and proofs; never orders before their time."
    )
    second_source = forms.ChoiceField(
        label="Compared with",
        choices=Game.SecondSource.choices,
        required=False,
        help_text="A second publisher is asked too. Where the two come to different digits, you rule.",
    )
    strict_evening = forms.BooleanField(
        label="Overnight trading counts",
        required=False,
        help_text="A phase then draws on the first session whose evening before, 20:00 New York, is still to come when orders lock.",
    )
    drand_last_resort = forms.BooleanField(
        label="drand as the last resort",
        required=False,
        help_text="Where no stock named and none of the reserve list has a usable report, a signed round of drand's public beacon decides.",
    )
    press_sender = forms.ChoiceField(
        label="Letters between nations", choices=list(press.SENDERS.items()), required=False, initial=press.NAMED
    )
    press_closed = forms.ChoiceField(
        label="When letters are not carried",
        required=False,
        choices=[("", "they always are"), ("placement", "while PFs are placed"), ("attacks", "while attacks are ordered and judged")],
    )
    press_gamesmaster_reads = forms.BooleanField(
        label="The gamesmaster reads letters", required=False, help_text="Unless he plays himself. The first letter of the game says so."
    )
    press_released = forms.BooleanField(
        label="Letters are opened in the end", required=False, help_text="When the game is over, whoever sees it may read all of them."
    )
    bank = forms.ChoiceField(label="Reserve list of stocks", required=False, widget=forms.RadioSelect)
    reserves = forms.CharField(
        label="A list of your own",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="At least 20 symbols, in the order in which they are to be read. It counts instead of the lists above.",
    )

    def __init__(self, *args: Any, ruleset_id: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rules = ruleset(ruleset_id)
        self.cards = {name: cards.load(ruleset_id, name) for name in cards.names(ruleset_id)}
        card_field = self.fields["card"]
        assert isinstance(card_field, forms.ChoiceField)
        card_field.choices = [(name, card["title"]) for name, card in self.cards.items()]
        card_field.initial = next(iter(self.cards))
        bank_field = self.fields["bank"]
        assert isinstance(bank_field, forms.ChoiceField)
        bank_field.choices = [("", OWN_LIST), *((name, one.title) for name, one in bank.suggested().items())]
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

    def option_faults(self) -> bool:
        return any(name.startswith("option_") for name in self.errors)

    def clean_reserves(self) -> str:
        """Faults of the list itself, in words; what else is wrong with it the desk says."""
        written = str(self.cleaned_data["reserves"])
        symbols = [symbol.upper() for symbol in re.split(r"[\s,;]+", written) if symbol]
        for symbol in symbols:
            if not SYMBOL.fullmatch(symbol):
                raise forms.ValidationError(f"“{quoted(symbol)}” is not a stock symbol such as GE.")
        different = len(set(symbols))
        if symbols and different < RESERVES_AT_LEAST and not self.cleaned_data.get("bank"):
            raise forms.ValidationError(
                f"“{quoted(' '.join(symbols))}” names {different} different stock{'' if different == 1 else 's'}; "
                f"a reserve list needs {RESERVES_AT_LEAST} or more, or may be left empty."
            )
        return written

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        for place, nation in enumerate(self.nations):
            self._clean_seat(place, nation, data)
        if data.get("bank") and data.get("reserves", "").strip():
            title = bank.suggested()[data["bank"]].title
            self.add_error("reserves", f"You have chosen “{title}” and written a list besides; clear it, or choose “{OWN_LIST}”.")
        return data

    def _clean_seat(self, place: int, nation: str, data: dict[str, Any]) -> None:
        who, email = data.get(f"who_{place}", EMPTY), data.get(f"email_{place}", "")
        if who == ADDRESS and not email and f"email_{place}" not in self.errors:
            self.add_error(f"email_{place}", f"Write the address of whoever plays {nation}, or choose “nobody yet”.")
        elif who in (ME, BOT) and email:
            self.add_error(f"email_{place}", f"{nation} has an address and somebody else too; clear the one or change the other.")

    def press_rules(self) -> dict[str, Any]:
        """The rules of letters between nations as games.press has them."""
        data = self.cleaned_data
        return {
            "sender": data.get("press_sender") or press.NAMED,
            "closed": [data["press_closed"]] if data.get("press_closed") else [],
            "gamesmaster_reads": bool(data.get("press_gamesmaster_reads")),
            "released": bool(data.get("press_released")),
        }

    def seats(self) -> dict[str, str]:
        """Nation to address, "me", "bot" or nothing, as the desk takes it. An address typed in stands for itself."""
        seats = {}
        for place, nation in enumerate(self.nations):
            who, email = self.cleaned_data.get(f"who_{place}", EMPTY), self.cleaned_data.get(f"email_{place}", "")
            seats[nation] = email if email else (who if who in (ME, BOT) else "")
        return seats

    def reserve_list(self) -> list[str] | None:
        symbols = [symbol.upper() for symbol in re.split(r"[\s,;]+", self.cleaned_data["reserves"]) if symbol]
        if not symbols and (chosen := self.cleaned_data.get("bank")):
            symbols = list(bank.suggested()[chosen].symbols)
        return symbols or None

    def bank_rows(self) -> Iterator[tuple[Any, str, tuple[str, ...]]]:
        """The button of each list, why one may choose it, and its stocks."""
        own = "Large American companies; a good list for any game."
        for radio in self["bank"]:
            name = radio.data["value"]
            if name:
                yield radio, bank.suggested()[name].why, bank.suggested()[name].symbols
            else:
                yield radio, own, rule_options.LIQUID_STOCKS

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
    choices = [(value, wording.of_value(option.id, value)) for value in option.choosable]
    return forms.ChoiceField(label=option.text, choices=choices, initial=option.default, required=False)
