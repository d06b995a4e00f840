"""A form for each kind of ruling, which makes the `what` of games.rules.ruling_kinds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar

from django import forms
from django.db.models import Q

from games import market, permissions
from games.base import clock
from games.models import Game, Person, Phase, Resolution
from games.pages.forms import Form, SharesField, choose, deadline_field
from games.pages.tags.formatting import short_words
from games.rules import REFEREE_SEAT, Board, Cell, options, ruling_kinds
from games.rules import rulings as ruling_rules
from games.rules.digits import roll_number, volume_of_roll
from games.turns import judging, rulings
from orders.models import Submission

Json = dict[str, Any]
STOCKS_LISTED = 60
#: By name of the counter: its label, its sign in a square, and the text of the legend.
COUNTERS = {
    "understanding": ("Understanding", "U", "an Understanding"),
    "control": ("CONTROL", "C", "CONTROL"),
}


@dataclass(frozen=True)
class Case:
    """The subject of a ruling: the phase, and whose orders the gamesmaster may read."""

    inputs: judging.Case
    resolution: Resolution | None
    #: Of the newest version. For an unresolved phase: its attacks, with made-up digits.
    events: tuple[Json, ...]
    board: Board  # after the phase if it is judged, else before it
    readable: frozenset[str]
    judged: bool = False  # whether events and board are a real result

    @property
    def phase(self) -> Phase:
        return self.inputs.phase

    @property
    def state(self) -> Any:
        """Return the ruleset's state in which the phase is played."""
        return self.inputs.state

    @property
    def nations(self) -> tuple[str, ...]:
        return tuple(self.phase.game.card["order"])

    @property
    def ordering(self) -> tuple[str, ...]:
        """Whose orders may be ruled on: the nations', or the gamesmaster's report."""
        return self.phase.game.rules.acting_nations(self.state)

    @property
    def areas(self) -> tuple[str, ...]:
        return self.board.areas


class RulingForm(Form):
    """`kind` is the ruling's, `about` describes it on the page.

    `template`: the file in `desk/ruling_forms/` that shows its fields.
    """

    kind: ClassVar[str] = ""
    about: ClassVar[str] = ""
    template: ClassVar[str] = "plain"
    #: Whether the ruling needs a phase with attacks, and whether it needs a result.
    attacks_only: ClassVar[bool] = False
    judged_only: ClassVar[bool] = False
    #: Whether there is a choice for each field that needs one, such as an attack.
    has_choices: bool = True

    def __init__(
        self, case: Case, data: Any = None, initial: Mapping[str, Any] | None = None
    ) -> None:
        self.case = case
        super().__init__(data, initial=dict(initial or {}), auto_id="ruling-%s")
        self.prepare()

    @property
    def title(self) -> str:
        return ruling_kinds.TITLES[self.kind]

    def prepare(self) -> None:
        """Set the choices that depend on the case."""

    def what(self) -> Json:
        """Return the content of the ruling, from a valid form."""
        return {}

    def choose(self, name: str, choices: Iterable[tuple[str, Any]]) -> None:
        listed = list(choices)
        self.has_choices &= bool(listed) or not self.fields[name].required
        choose(self, name, [("", "—"), *listed])

    def choose_nation(self, *names: str) -> None:
        for name in names:
            self.choose(name, [(nation, nation) for nation in self.case.nations])

    @classmethod
    def fits(cls, phase: Phase) -> bool:
        if cls.kind not in ruling_kinds.kinds_of(phase.game.rules):
            return False
        if cls.judged_only and phase.status not in (Phase.Status.RESOLVED, Phase.Status.APPROVAL):
            return False
        return phase.draws or not cls.attacks_only


def _choice_field(
    label: str, nothing: str, help_text: str = "", *, required: bool = True, invalid: str = ""
) -> forms.ChoiceField:
    messages = {"required": nothing} | ({"invalid_choice": invalid} if invalid else {})
    return forms.ChoiceField(
        label=label, required=required, help_text=help_text, error_messages=messages
    )


AMENDED, ACCEPTED, STRUCK = "amended", "accepted", "struck"


class OrdersForm(RulingForm):
    kind = "orders"
    template = "orders"
    about = (
        "Amend a nation’s orders, accept what came late, or strike them as if nothing had been"
        " sent."
    )

    nation = _choice_field("Nation", "Choose the nation.")
    how = forms.ChoiceField(
        label="Ruling",
        widget=forms.RadioSelect,
        choices=[
            (AMENDED, "Amend the orders"),
            (ACCEPTED, "Accept a submission"),
            (STRUCK, "Strike the orders"),
        ],
        error_messages={
            "required": (
                "Choose whether to amend the orders, accept a submission, or strike the orders."
            )
        },
    )
    text = forms.CharField(
        label="The amended orders",
        required=False,
        strip=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"class": "orders-text", "spellcheck": "false"}),
        help_text=(
            "One order per line. For the nation you choose above, the orders in force are filled"
            " in, if you may read them."
        ),
    )
    submission = _choice_field(
        "The submission that counts",
        "",
        "For orders that came late or were replaced: choose it by its number.",
        required=False,
        invalid="Choose one of this nation’s submissions.",
    )

    def prepare(self) -> None:
        seats = [
            (entry, "the report" if entry == REFEREE_SEAT else entry)
            for entry in self.case.ordering
        ]
        self.choose("nation", seats)
        # Who plays too may rule on what came late, and not learn what else the others sent.
        known = Q(late=True) | Q(seat__nation__in=self.case.readable)
        rows = Submission.objects.filter(known, phase=self.case.phase).select_related("seat")
        if nation := self.data.get("nation") or self.initial.get("nation"):
            rows = rows.filter(seat__nation=nation)
        self.fields["nation"].required = not self.data.get("submission")  # it is of one nation
        self._sent = {entry.label: entry for entry in rows.order_by("number")}
        self.choose("submission", [(key, _submission(row)) for key, row in self._sent.items()])

    def clean(self) -> Json:
        data = super().clean() or {}
        if (chosen := self._sent.get(data.get("submission", ""))) and not data.get("nation"):
            data["nation"] = chosen.seat.nation
        if data.get("how") == AMENDED and not self.errors and not data.get("text", "").strip():
            self.add_error("text", "Write the amended orders. To remove all orders, strike them.")
        if data.get("how") == ACCEPTED and not self.errors and not data.get("submission"):
            self.add_error("submission", "Choose a submission. If there is none, amend the orders.")
        return data

    def what(self) -> Json:
        data = self.cleaned_data
        if data["how"] == ACCEPTED:
            return {"nation": data["nation"], "submission": self._sent[data["submission"]].number}
        return {"nation": data["nation"], "text": data["text"] if data["how"] == AMENDED else None}


def _submission(submission: Submission) -> str:
    nation, received = submission.seat.nation, short_words(submission.received_at)
    return f"No. {submission.seat_number}, {nation}, {received}, {submission.outcome}"


class DigitForm(RulingForm):
    kind = "digit"
    template = "digit"
    about = "Correct a stock’s sales, and so the digit, to what the newspaper printed; or a roll."
    attacks_only = True

    stock = forms.CharField(
        label="Stock",
        max_length=12,
        error_messages={"required": "Choose the stock."},
        widget=forms.TextInput(
            attrs={"class": "symbols", "list": "ruling-stocks", "autocomplete": "off"}
        ),
    )
    shares = SharesField(
        label="Shares sold",
        required=False,
        min_value=1,
        max_value=ruling_kinds.MOST_SHARES,
        help_text="As a broker counts them.",
    )
    hundreds = SharesField(
        label="Or hundreds, as newspapers print them",
        required=False,
        min_value=0,
        max_value=ruling_kinds.MOST_SHARES // 100,
    )
    none = forms.BooleanField(label="No report: the next stock decides", required=False)

    def prepare(self) -> None:
        self.rolled = not market.sales_decide(self.case.phase.game)
        if self.rolled:  # no stock has sold anything
            self.fields["stock"].label = "Roll"
            self.fields["stock"].error_messages["required"] = "Choose the roll."
            self.fields["hundreds"] = SharesField(
                label="Digit", required=False, min_value=0, max_value=9
            )
            del self.fields["shares"], self.fields["none"]

    def stocks(self) -> list[str]:
        """Return the stocks that the field suggests."""
        game, phase = self.case.phase.game, self.case.phase
        used = [
            event["stock"] for event in self.case.events if event.get("stock") and self.case.judged
        ]
        settled = phase.figures.values_list("symbol", flat=True)
        listed = dict.fromkeys([*used, *phase.stocks, *settled, *game.reserves])
        return list(listed)[:STOCKS_LISTED]

    def decided(self) -> list[tuple[str, int | None, list[Json]]]:
        """Return each stock that decides attacks, with its sales now and these attacks."""
        by_stock: dict[str, list[Json]] = {}
        for event in self.case.events if self.case.judged else ():
            if event["kind"] == "attack" and event.get("digit") is not None and event.get("stock"):
                by_stock.setdefault(str(event["stock"]), []).append(event)
        return [(stock, fights[0].get("volume"), fights) for stock, fights in by_stock.items()]

    def clean_stock(self) -> str:
        return str(self.cleaned_data["stock"]).strip().upper()

    def clean(self) -> Json:
        data = super().clean() or {}
        filled_in = [name for name in ("shares", "hundreds") if data.get(name) is not None] + (
            ["none"] if data.get("none") else []
        )
        if len(filled_in) != 1 and not self.errors:
            fault = "Enter the shares or the hundreds, or tick “No report”."
            self.add_error("hundreds", "Enter the digit." if self.rolled else fault)
        return data

    def what(self) -> Json:
        data = self.cleaned_data
        hundreds = data["hundreds"]
        if hundreds is None:
            return {"stock": data["stock"], "volume": None if data["none"] else data["shares"]}
        if roll_number(data["stock"]) is not None and hundreds < 10:
            return {"stock": data["stock"], "volume": volume_of_roll(hundreds)}
        return {"stock": data["stock"], "volume": hundreds * 100}


class ResultForm(RulingForm):
    kind = "result"
    about = "Set the result of one attack, whatever its digit."
    attacks_only = True

    attack = _choice_field("Attack", "Choose the attack.")
    result = _choice_field("Result", "Choose the result.")

    def prepare(self) -> None:
        events = [event for event in self.case.events if _has_result(event)]
        if not self.case.judged:
            events = [event for event in events if event["nation"] in self.case.readable]
        self._attacks = {f"{fight['nation']}/{fight['line']}": fight for fight in events}
        judged = self.case.judged
        self.choose("attack", ((key, _attack(made, judged)) for key, made in self._attacks.items()))
        results = [
            (code, f"{'–' if code == '-' else code}: {words}")
            for code, words in self.case.phase.game.rules.guide.table().meanings.items()
        ]
        self.choose("result", [*results, ("void", "void: the attack does not take place")])

    def what(self) -> Json:
        attack = self._attacks[self.cleaned_data["attack"]]
        named = {key: attack[key] for key in ("nation", "line", "area")}
        return {**named, "result": self.cleaned_data["result"]}


def _has_result(event: Json) -> bool:
    """Return whether this is an attack with a throw, or one that lacks it only because of a ruling
    or a missing digit."""
    void = event["kind"] == "void" and (event.get("ruled") or event.get("reason") == "no_digit")
    return event["kind"] == "attack" or bool(void)


def _attack(event: Json, judged: bool) -> str:
    sentence = f"{event['nation']} against {' and '.join(event['targets'])} in {event['area']}"
    if not judged:
        return sentence
    now = "void" if event["kind"] == "void" else "–" if event["result"] == "-" else event["result"]
    return f"{sentence}: {now} now"


class PositionForm(RulingForm):
    """Every square of the board; squares that stay unchanged are not part of the ruling."""

    kind = "position"
    template = "position"
    about = "Set the board after the phase, square by square."
    judged_only = True

    def prepare(self) -> None:
        counted = self.case.phase.game.rules.unit.plural
        for place, (area, nation, cell) in enumerate(self._squares()):
            small = forms.NumberInput(attrs={"class": "small", "inputmode": "numeric"})
            where = f"{nation} in {area}"
            self.fields[f"pf-{place}"] = forms.IntegerField(
                label=f"{counted} of {where}",
                required=False,
                min_value=0,
                max_value=999,
                initial=cell.pf or None,
                widget=small,
            )
            for counter in self.counters:
                self.fields[f"{counter}-{place}"] = forms.BooleanField(
                    label=f"{COUNTERS[counter][0]} of {where}",
                    required=False,
                    initial=getattr(cell, counter),
                )

    def _squares(self) -> list[tuple[str, str, Cell]]:
        board = self.case.board
        cells = [
            (area, nation, board.cell(area, nation))
            for area in board.areas
            for nation in board.nations
        ]
        # A ruling sets only what lies face up: face-down counters are ruled by the orders that
        # placed them. Treaty rights follow from PFs. Where control is not a counter, it follows
        # from the gamesmaster's reports.
        left_out: dict[str, Any] = {"face_down": 0, "treaty": False, "cut_off": 0}
        left_out |= {
            counter: False
            for counter in ("understanding", "control")
            if counter not in self.counters
        }
        return [(area, nation, replace(cell, **left_out)) for area, nation, cell in cells]

    @property
    def counters(self) -> tuple[str, ...]:
        """The counters of this game other than PFs."""
        return self.case.phase.game.rules.counters

    def signs(self) -> list[tuple[str, str]]:
        """Return each counter's sign in a square, and its meaning."""
        return [(COUNTERS[counter][1], COUNTERS[counter][2]) for counter in self.counters]

    def grid(self) -> list[tuple[str, list[tuple[Any, list[tuple[str, Any]]]]]]:
        """Return, for each area, the fields of each nation: PFs, and each counter with its sign."""
        across = len(self.case.board.nations)
        squares = [
            (
                self[f"pf-{n}"],
                [(COUNTERS[counter][1], self[f"{counter}-{n}"]) for counter in self.counters],
            )
            for n in range(len(self.case.areas) * across)
        ]
        return [
            (area, squares[place * across : (place + 1) * across])
            for place, area in enumerate(self.case.areas)
        ]

    def clean(self) -> Json:
        data = super().clean() or {}
        if not self.errors and not self._changed_cells(data):
            raise forms.ValidationError("Nothing is changed. Change at least one square.")
        return data

    def _changed_cells(self, data: Mapping[str, Any]) -> Json:
        cells: Json = {}
        for place, (area, nation, cell) in enumerate(self._squares()):
            counters = {
                counter: bool(data.get(f"{counter}-{place}", False)) for counter in self.counters
            }
            new = Cell(data.get(f"pf-{place}") or 0, **counters)
            if new != cell:
                cells.setdefault(area, {})[nation] = {"pf": new.pf, **counters}
        return cells

    def what(self) -> Json:
        return {"cells": self._changed_cells(self.cleaned_data)}


class CounterForm(RulingForm):
    kind = "counter"
    about = "Give a nation an Understanding or CONTROL, or take one away."
    judged_only = True

    nation = _choice_field("Nation", "Choose the nation.")
    area = _choice_field("Area", "Choose the area.")
    counter = forms.ChoiceField(label="Counter")
    given = forms.ChoiceField(label="It is", choices=[("yes", "given"), ("no", "taken away")])

    def prepare(self) -> None:
        self.choose_nation("nation")
        self.choose("area", [(area, area) for area in self.case.areas])
        counters = self.case.phase.game.rules.counters
        choose(self, "counter", [(counter, COUNTERS[counter][0]) for counter in counters])

    def what(self) -> Json:
        data = self.cleaned_data
        return {
            "nation": data["nation"],
            "area": data["area"],
            "counter": data["counter"],
            "given": data["given"] == "yes",
        }


class AllianceForm(RulingForm):
    kind = "alliance"
    about = "Make two nations allies, or end their alliance."
    judged_only = True

    first = _choice_field("Nation", "Choose the nation.")
    second = _choice_field("And", "Choose the other nation.")
    allied = forms.ChoiceField(
        label="They are",
        choices=[("yes", "allies from now on"), ("no", "no longer allies")],
        help_text="Rulings are public: this reveals a secret alliance.",
    )

    def prepare(self) -> None:
        self.choose_nation("first", "second")

    def clean(self) -> Json:
        data = super().clean() or {}
        if data.get("first") and data.get("first") == data.get("second"):
            self.add_error(
                "second", f"{data['first']} is chosen twice; an alliance joins two nations."
            )
        return data

    def what(self) -> Json:
        data = self.cleaned_data
        both = [nation for nation in self.case.nations if nation in (data["first"], data["second"])]
        return {"nations": both, "allied": data["allied"] == "yes"}


class ControllerForm(RulingForm):
    kind = "controller"
    about = (
        "Choose who sends the orders of a nation that nobody plays, from the next phase until the"
        " turn is over."
    )
    judged_only = True

    nation = _choice_field("Nation that nobody plays", "Choose the nation.")
    controller = _choice_field(
        "Controlled by",
        "Choose the nation that controls it.",
        "Orders sent by the previous controller stay in force until they are replaced.",
    )

    def prepare(self) -> None:
        seats = self.case.phase.game.seats.filter(by_table=True).order_by("ordinal")
        unheld = list(seats.values_list("nation", flat=True))
        self.choose("nation", [(nation, nation) for nation in unheld])
        self.choose(
            "controller", [(nation, nation) for nation in self.case.nations if nation not in unheld]
        )

    def what(self) -> Json:
        return {name: self.cleaned_data[name] for name in ("nation", "controller")}


class PointsForm(RulingForm):
    kind = "points"
    about = "Add points to a nation’s score, or take some off, from here on."
    judged_only = True

    nation = _choice_field("Nation", "Choose the nation.")
    points = forms.IntegerField(
        label="Points",
        min_value=-ruling_kinds.MOST_POINTS,
        max_value=ruling_kinds.MOST_POINTS,
        help_text="Such as 2, or -1.",
        error_messages={"required": "Enter a number of points, such as 2 or -1."},
    )

    def prepare(self) -> None:
        self.choose_nation("nation")

    def clean_points(self) -> int:
        if not self.cleaned_data["points"]:
            raise forms.ValidationError("“0” changes nothing. Enter a number such as 2 or -1.")
        return int(self.cleaned_data["points"])

    def what(self) -> Json:
        return {name: self.cleaned_data[name] for name in ("nation", "points")}


class OptionForm(RulingForm):
    kind = "option"
    about = "Resolve this phase with one option of the game changed. Later phases are not affected."

    option = _choice_field("Rule", "Choose the option and its value for this phase.")

    def prepare(self) -> None:
        phase, game = self.case.phase, self.case.phase.game
        facts = game.rules.facts(phase.id_in_rules, game.options)
        groups = []
        for option in (options.OPTIONS[name] for name in ruling_rules.option_ids(game.rules)):
            if not option.judges_phase(facts):
                continue
            now = game.options.get(option.id, option.default)
            others = [value for value in option.choosable if value != now]
            choices = [(f"{option.id}={value}", option.label(value)) for value in others]
            groups.append((option.text, choices))
        self.choose("option", groups)

    def what(self) -> Json:
        option, _, value = self.cleaned_data["option"].partition("=")
        return {"option": option, "value": value}


class ResolveAgainForm(RulingForm):
    kind = "again"
    about = (
        "Resolve the phase again, with the same orders and digits, by the rules as the service"
        " now applies them."
    )

    @classmethod
    def fits(cls, phase: Phase) -> bool:
        # A result that waits for approval is judged again anyway, when it goes out.
        return super().fits(phase) and phase.status == Phase.Status.RESOLVED


class DeadlineForm(Form):
    """The deadline of a phase that a ruling opens again."""

    deadline = deadline_field(
        "In your time zone, for the phase that opens again. If empty, the game’s schedule sets it.",
        required=False,
    )

    def clean_deadline(self) -> datetime | None:
        deadline: datetime | None = self.cleaned_data["deadline"]
        try:
            rulings.check_deadline(deadline, clock.now())
        except rulings.RulingError as error:
            raise forms.ValidationError(str(error)) from None
        return deadline


class RollbackForm(RulingForm, DeadlineForm):
    kind = "rollback"
    about = (
        "Play the phase again from the start, with new digits. It and all later phases are undone"
        " but stay readable."
    )

    def prepare(self) -> None:
        # It waits for a report, or until the game is resumed.
        if not self.case.phase.has_deadline or self.case.phase.game.status == Game.Status.PAUSED:
            del self.fields["deadline"]


KINDS: dict[str, type[RulingForm]] = {
    form.kind: form
    for form in (
        *(OrdersForm, DigitForm, ResultForm, CounterForm, AllianceForm, PositionForm),
        *(ControllerForm, PointsForm, OptionForm, ResolveAgainForm, RollbackForm),
    )
}


class ReasonForm(Form):
    reason = forms.CharField(
        label="Reason",
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={
            "required": "Enter a reason: it goes to every player and is shown in the public list."
        },
        help_text="It goes to every player and is shown in the public list of rulings.",
    )


def readable_nations(person: Person, phase: Phase) -> frozenset[str]:
    """Return the nations whose orders for this phase a person may read."""
    settled = permissions.is_settled(phase)
    return frozenset(permissions.readable_nations(person, phase.game, settled=settled, phase=phase))
