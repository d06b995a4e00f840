"""The order page as its templates read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from typing import Any

from django.http import QueryDict
from django.urls import reverse
from django.utils.safestring import SafeString

from games import permissions
from games.game_templates import template_of
from games.letters import in_doubt, silence
from games.market import Wait
from games.models import Game, Person, Phase, Seat
from games.pages import line_forms
from games.pages.boards import Grid, grid
from games.pages.headings import Heading, headings
from games.positions import in_force
from games.rules import Board, Doubt, Reading
from games.rules.plain.facts import is_plain
from games.turns import figures
from orders.intake import ahead, from_page, ledger
from orders.models import Draft, Submission
from orders.web.autosave import KeptDraft
from orders.web.board import MapAndPanels, map_and_panels
from orders.web.drafting import Drafting
from orders.web.forms import OrdersForm, builders, restore_line_ends
from orders.web.lines import Line, lines_of
from orders.web.parts import builders_in_html
from orders.web.team_panel import Company, company_of


def digest(text: str) -> str:
    """Return by what a page's answer names the text that it was asked about."""
    return sha256(text.encode(errors="replace")).hexdigest()[:16]


@dataclass(frozen=True)
class OrderPage:
    """What a person sees who writes the orders of a seat.

    `checked`: whether to show how the service understands the text. `typed` is what the page sent,
    empty when it is opened. `line_fault` says why a button did not change the text as asked,
    `refusal` why the ledger did not take it.
    """

    person: Person
    seat: Seat
    phase: Phase
    now: datetime
    state: Any  # in which the phase is played; the seat may see `drafting.state` of it
    drafting: Drafting
    form: OrdersForm
    text: str
    kept: KeptDraft
    checked: bool = True
    typed: QueryDict = field(default_factory=QueryDict)
    line_fault: str = ""
    refusal: ledger.LedgerError | None = None
    seats: Sequence[Seat] = ()  # all that the person may order for
    standing: Submission | None = None  # the orders in force
    left_over: Draft | None = None  # written for an earlier phase and never sent
    asked: Submission | None = None  # orders in doubt that wait for an answer
    points: bool = False  # whether the map shows what pays the nation
    sets_ahead: Sequence[ahead.KeptSet] = ()  # kept for later phases

    @property
    def game(self) -> Game:
        return self.phase.game

    @cached_property
    def acts(self) -> bool:
        """Whether the seat has anything to order in this phase."""
        return self.seat.nation in self.game.rules.acting_nations(self.state)

    @property
    def others(self) -> list[Seat]:
        return [seat for seat in self.seats if seat.pk != self.seat.pk]

    @cached_property
    def nations(self) -> dict[str, Heading]:
        return headings(self.game.rules.nations(self.drafting.state))

    # --- the orders in force, and why others were not sent ---

    @property
    def newer(self) -> Submission | None:
        return self.refusal.newer if isinstance(self.refusal, from_page.NewerOrders) else None

    @property
    def reads_newer(self) -> bool:
        return self.newer is not None and permissions.reads_orders(self.person, self.newer)

    @property
    def unconfirmed(self) -> str:
        """Why the orders that were just sent have not been received before their sender says so."""
        asked = (from_page.Unconfirmed, from_page.NothingWritten)
        return str(self.refusal) if isinstance(self.refusal, asked) else ""

    @property
    def losses(self) -> Sequence[str]:
        """What would be lost by sending the orders as they are, in sentences."""
        if self.doubt is not None:
            parsed = self.reading(self.text)
            return [remark.message for remark in from_page.questionable(parsed)]
        if isinstance(self.refusal, from_page.Unconfirmed):
            return [remark.message for remark in self.refusal.remarks]
        return silence.of_pass(self.game, self.state, self.seat.nation)

    @property
    def asked_digest(self) -> str:
        """By what the answer names the text that the page asks about."""
        return digest(self.text)

    @property
    def fault(self) -> str:
        explained = (from_page.NewerOrders, from_page.OrdersInDoubt)
        if self.refusal is None or isinstance(self.refusal, explained) or self.unconfirmed:
            return ""
        return str(self.refusal)

    @property
    def doubt(self) -> Doubt | None:
        """What the orders that were just sent, and not received, may mean."""
        return self.refusal.doubt if isinstance(self.refusal, from_page.OrdersInDoubt) else None

    @cached_property
    def reasons_of_doubt(self) -> list[str]:
        parsed = self.reading(self.sent)
        return [remark.message for remark in parsed.remarks if remark.severity == "error"]

    @property
    def sent(self) -> str:
        """The text that was sent; the form may have it as we read it."""
        return restore_line_ends(str(self.typed.get("text", "")))

    @property
    def asked_consequence(self) -> str:
        """What becomes of orders in doubt that nobody confirms."""
        if self.asked is None:
            return ""
        return in_doubt.consequence(
            self.asked, self.state, self.standing.seat_number if self.standing else None
        )

    @property
    def seen(self) -> str:
        """The hash of the newest orders that the reader has been shown.

        The page sends it along, so that it replaces no newer orders that the reader has not seen.
        """
        if self.newer is not None:
            return self.newer.hash
        if "seen" in self.typed:
            return str(self.typed["seen"])
        newest = self.standing
        if self.seat.team or self.seat.by_table:
            # A team member's own orders may differ from those in force.
            sender = in_force.member_of(self.seat, self.phase, self.person)
            newest = in_force.newest(self.seat, self.phase, sender)
        return newest.hash if newest is not None else ""

    @property
    def merges(self) -> bool:
        return bool(self.game.options["orders.amend"] == "merge_lines")

    @cached_property
    def company(self) -> Company | None:
        return company_of(self.person, self.seat, self.phase)

    @property
    def waits(self) -> Sequence[Wait]:
        return figures.waiting_stocks(self.phase, self.now)

    # --- the text ---

    def reading(self, text: str) -> Reading:
        """Return how the service understands a text."""
        return ledger.reading(self.seat, self.phase, text, self.now, state=self.state)

    @property
    def point_address(self) -> str:
        """Where the page's script asks for the parts that change with its text."""
        return reverse("orders-point", args=[self.game.pk, self.seat.pk])

    @cached_property
    def lines(self) -> list[Line]:
        """The lines as the service understands them; where orders are typed, with meanings."""
        if not self.checked:
            return []
        if why := ledger.refusal(self.text):
            return [Line(1, "", (), ({"severity": "error", "message": why},))]
        parsed = self.reading(self.text)
        remarks = [remark.as_json() for remark in parsed.remarks]
        lines = lines_of(self.text, parsed.understood, remarks)
        if self.order_forms is None:
            return lines
        rules, seen, nation = self.drafting.rules, self.drafting.state, self.drafting.nation
        own_words = set(rules.writing.own_words(seen, nation, self.text))
        meanings = dict(rules.speech.orders(seen, nation, self.text, {})).items()
        meanings_of_lines = {number: words for number, words in meanings if number not in own_words}
        return [
            replace(
                line,
                meaning=meanings_of_lines.get(line.number, ""),
                own_words=line.number in own_words,
            )
            for line in lines
        ]

    @cached_property
    def examples(self) -> list[str]:
        if self.text or not self.acts:
            return []
        return silence.examples(self.game, self.drafting.state, self.seat.nation)[:2]

    # --- the map, and what writes a line ---

    @cached_property
    def board(self) -> Board:
        return self.game.rules.board(self.drafting.state)

    @cached_property
    def shown(self) -> MapAndPanels:
        return map_and_panels(self.drafting, self.phase, self.board, self.text, self.nations)

    @cached_property
    def hint(self) -> str:
        """The next step in the first turn of a person who has not sent such orders before."""
        pointing, phase = self.shown.pointing, self.phase
        if phase.turn != 1 or not phase.takes_orders or self.order_forms is not None:
            return ""
        own = Submission.objects.filter(person=self.person, game__ruleset_id=self.game.ruleset_id)
        if own.filter(phase__kind=phase.kind).exists():
            return ""
        if not any(panel.ordered for panel in pointing.panels):
            return "begin"
        return "go-on" if any(total.left for total in pointing.totals[:1]) else "send"

    @cached_property
    def builders(self) -> SafeString:
        verbs = self.game.rules.verbs
        choices = [
            choice
            for choice in self.drafting.choices
            if verbs[choice.verb].in_lists and not choice.hopeless
        ]
        forms = builders(verbs, choices, list(self.nations), self.typed, self.drafting.listed)
        return builders_in_html(forms, self.game, self.nations)

    @cached_property
    def order_forms(self) -> line_forms.OrderForms | None:
        return self.drafting.order_forms()

    @cached_property
    def filled_forms(self) -> list[line_forms.FilledForm]:
        forms = self.order_forms.forms if self.order_forms else ()
        return line_forms.fill_forms(forms, self.typed)

    @cached_property
    def column(self) -> line_forms.ColumnForm | None:
        offered = self.order_forms.column if self.order_forms else None
        return line_forms.column(offered, self.text) if offered else None

    # --- orders for later phases ---

    @property
    def may_order_ahead(self) -> bool:
        # Only a seat of the ally table has orders sent by a person who does not hold it.
        by_holder = not self.seat.by_table or permissions.holds(self.person, self.seat)
        return self.game.rules.foreseeable and by_holder

    # --- the game, explained ---

    @cached_property
    def brief(self) -> Sequence[str]:
        return self.game.rules.planner.brief(self.state, self.seat.nation)

    @cached_property
    def chart(self) -> Sequence[str]:
        charts = dict(self.game.rules.guide.charts(self.drafting.state))
        return charts.get(self.seat.nation, ())

    @cached_property
    def instructions(self) -> Sequence[str]:
        return self.game.rules.writing.instructions(self.state)

    @property
    def primer(self) -> str:
        """The name of the template that explains the game in a minute."""
        return template_of(self.game.ruleset_id, "games/primer/*.html")

    @property
    def plain(self) -> Sequence[str]:
        """Two areas for an example in plain words, where the game reads these."""
        in_plain_words = is_plain(self.game.options) and not self.game.rules.verbs.free_text
        areas: Sequence[str] = self.game.card["areas"]
        return areas[-2:] if in_plain_words else ()

    @property
    def grid(self) -> Grid:
        return grid(self.board, None, self.game.card)
