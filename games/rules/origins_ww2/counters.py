"""Counters (Rules C.2, T1-T13): place shares, then CONTROL, then Understandings, on
the board after all attacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .. import Choice, Json, Reading, event
from ..names import all_of
from ..orders import Order
from . import telling
from .card import CONTROL, UNDERSTANDING
from .reading import VERBS, Control, Share, StandingUnderstanding, Understanding
from .state import COUNTER_PF, Pieces, State, cell_of, strength
from .wishes import hindrance


def resolve(
    state: State, pieces: Pieces, readings: Mapping[str, Reading]
) -> tuple[Pieces, list[Json]]:
    """Return the board with all counters that could be placed, and an event for every wish."""
    wishes = {nation: _wishes(state, readings[nation]) for nation in state.card.order}
    table = _Counters(state, pieces, wishes)
    table.shares()
    table.controls()
    table.understandings()
    return table.pieces, table.events


def _wishes(state: State, reading: Reading) -> tuple[Order, ...]:
    """Return a nation's wishes as written, without repeats.

    Under ow2.auto_counters a nation without orders gets a standing wish (T13).
    """
    if not reading.sent and state.options["ow2.auto_counters"] == "understanding_when_possible":
        return (StandingUnderstanding(0),)
    if len(reading.orders) == 1:
        return tuple(reading.orders)
    wishes: dict[tuple[str, ...], Order] = {}
    for order in reading.orders:
        wishes.setdefault(order.about, order)
    return tuple(wishes.values())


class _Counters:
    def __init__(self, state: State, pieces: Pieces, wishes: Mapping[str, Sequence[Order]]) -> None:
        self.state = state
        self.card = state.card
        self.options = state.options
        self.pieces = pieces
        self.wishes = wishes
        self.events: list[Json] = []
        #: Nation and area of every CONTROL placed in this phase.
        self.taken: set[tuple[str, str]] = set()

    # Shares (T5, T6)

    def shares(self) -> None:
        both_asked = self.options["ow2.share_consent"] == "both_asked_control"
        for nation in self.card.order:
            for wish in self.wishes[nation]:
                if isinstance(wish, Share) and not self._is_settled(nation, wish.area):
                    self._share(nation, wish.area, wish.partner)
                elif (
                    both_asked
                    and isinstance(wish, Control)
                    and not self._is_settled(nation, wish.area)
                ):
                    self._share_unnamed(nation, wish.area)

    def _share(self, nation: str, area: str, partner: str) -> None:
        partners = self._group(nation, area) or (nation, partner)
        reason = self._share_fault(nation, area, partners)
        if reason:
            self._report_failure(nation, area, "shared_control", reason)
        else:
            self._share_among(partners, area)

    def _share_unnamed(self, nation: str, area: str) -> None:
        """Share CONTROL under both_asked_control, where a wish for CONTROL is also consent to share
        it with the only other nation there."""
        others = self.pieces.present(area) - {nation}
        partners = self._group(nation, area) or ((nation, *others) if len(others) == 1 else ())
        if partners and not self._share_fault(nation, area, partners):
            self._share_among(partners, area)

    def _group(self, nation: str, area: str) -> tuple[str, ...]:
        """Return the three nations there, if share_max is 3 and each agrees with both others; else
        nobody."""
        present = self.pieces.present(area)
        if self.options["ow2.share_max"] != "3" or len(present) != 3 or nation not in present:
            return ()
        pairs = ((first, second) for first in present for second in present if first != second)
        agreed = all(self._consents(first, second, area) for first, second in pairs)
        return tuple(present) if agreed else ()

    def _consents(self, nation: str, other: str, area: str) -> bool:
        """Return whether the nation wants to share with the other: by naming it, or under
        both_asked_control by any wish for CONTROL."""
        both_asked = self.options["ow2.share_consent"] == "both_asked_control"
        return any(
            (isinstance(wish, Share) and wish.area == area and wish.partner == other)
            or (both_asked and isinstance(wish, Control) and wish.area == area)
            for wish in self.wishes[nation]
        )

    def _share_fault(self, nation: str, area: str, partners: Iterable[str]) -> str | None:
        """Return the first reason why these nations do not share; `nation` is the
        one that asked."""
        partners = tuple(partners)
        if not all(self.card.allows(owner, area, CONTROL) for owner in partners):
            return "not_on_card"
        if self.pieces.cell_at(area, nation).control:
            return "already_there"
        if self.pieces.closed(area):
            return "closed"
        if not all(self._has_enough(owner, area) for owner in partners):
            return "too_few"
        if self.pieces.present(area) - set(partners):
            return "others_present"
        if not all(self._consents(owner, nation, area) for owner in partners if owner != nation):
            return "not_named_back"
        return None

    def _share_among(self, partners: Iterable[str], area: str) -> None:
        nations = [nation for nation in self.card.order if nation in set(partners)]
        for nation in nations:
            self._take(nation, area)
        sentence, rule = f"{all_of(nations)} share CONTROL in {area}.", f"C T{3 + len(nations)}"
        self.events.append(event("shared_control", rule, sentence, nations=nations, area=area))

    # CONTROL (T2)

    def controls(self) -> None:
        for nation in self.card.order:
            for wish in self.wishes[nation]:
                if isinstance(wish, Control) and not self._is_settled(nation, wish.area):
                    self._control(nation, wish.area)

    def _control(self, nation: str, area: str) -> None:
        reason = self._control_fault(nation, area)
        if reason:
            self._report_failure(nation, area, "control", reason)
            return
        self._take(nation, area)
        sentence = f"{nation} takes CONTROL in {area}."
        self.events.append(event("control", "C T2", sentence, nation=nation, area=area))

    def _control_fault(self, nation: str, area: str) -> str | None:
        if not self.card.allows(nation, area, CONTROL):
            return "not_on_card"
        if self.pieces.cell_at(area, nation).control:
            return "already_there"
        if self.pieces.closed(area):
            return "closed"
        if not self._has_enough(nation, area):
            return "too_few"
        if self.pieces.present(area) - {nation}:
            return "others_present"
        return None

    def _has_enough(self, nation: str, area: str) -> bool:
        cell = self.pieces.cell_at(area, nation)
        counts = strength(cell) if self.options["ow2.u_counts_for_control"] == "yes" else cell.pf
        return counts >= COUNTER_PF

    def _take(self, nation: str, area: str) -> None:
        """Remove the owner's PFs and Understanding there from the game and place its CONTROL
        counter."""
        self.pieces = self.pieces.with_cell(area, nation, cell_of(control=True))
        self.taken.add((nation, area))

    # Understandings (T1, T3)

    def understandings(self) -> None:
        for nation in self.card.order:
            standing = False
            for wish in self.wishes[nation]:
                if isinstance(wish, Understanding) and not self._is_settled(nation, wish.area):
                    self._understanding(nation, wish.area, tells=True)
                elif isinstance(wish, StandingUnderstanding):
                    standing = True
            if standing:
                for area in self.card.areas:
                    self._understanding(nation, area, tells=False)

    def _understanding(self, nation: str, area: str, tells: bool) -> None:
        reason = self._understanding_fault(nation, area)
        if reason:
            if tells:
                self._report_failure(nation, area, "understanding", reason)
            return
        cell = self.pieces.cell_at(area, nation)
        self.pieces = self.pieces.with_cell(
            area, nation, cell_of(cell.pf - COUNTER_PF, True, cell.control, cell.face_down)
        )
        self.events.append({
            "kind": "understanding", "nation": nation, "area": area,
            "rule": "C T1", "message": f"{nation} places an Understanding in {area}.",
        })  # fmt: skip

    def _understanding_fault(self, nation: str, area: str) -> str | None:
        cell = self.pieces.cell_at(area, nation)
        if not self.card.allows(nation, area, UNDERSTANDING):
            return "not_on_card"
        if cell.understanding:
            return "already_there"
        if self.pieces.closed(area):
            return "closed"
        if cell.pf < COUNTER_PF:
            return "too_few"
        return None

    # Shared by all three

    def _is_settled(self, nation: str, area: str) -> bool:
        """Return whether the nation has placed CONTROL there in this phase; its other wishes for
        that area give no event."""
        return (nation, area) in self.taken

    def _report_failure(self, nation: str, area: str, counter: str, reason: str) -> None:
        sentence, rule = (
            telling.failed_wish(nation, area, counter, reason),
            telling.NOT_PLACED[reason],
        )
        facts = {"nation": nation, "area": area, "counter": counter, "reason": reason}
        self.events.append(event("not_placed", rule[0], sentence, **facts))


def standing_wishers(readings: Mapping[str, Reading], nations: Iterable[str]) -> tuple[str, ...]:
    """Return the nations whose orders contain a standing wish."""
    return tuple(
        nation
        for nation in nations
        if any(isinstance(order, StandingUnderstanding) for order in readings[nation].orders)
    )


def offers(state: State, nation: str) -> tuple[Choice, ...]:
    """Return the counters that the card allows, in open areas where the nation does not have them
    yet."""
    card = state.card
    understandings, controls = (
        [area for area in card.allowed_areas(nation, kind) if not state.pieces.closed(area)]
        for kind in (UNDERSTANDING, CONTROL)
    )
    seen = state.view_for(nation)
    offers = [
        VERBS.choice(
            "UNDERSTANDING", area, barred=_hindrances(seen, nation, {"": Understanding(0, area)})
        )
        for area in understandings
        if not state.pieces.cell_at(area, nation).understanding
    ]
    for area in controls:
        barred = _hindrances(seen, nation, {"": Control(0, area)})
        offers.append(VERBS.choice("CONTROL", area, barred=barred))
    for area in controls:
        # In a blind game nobody knows which charts allow CONTROL here, so any nation may be named
        # as partner and may agree (F5).
        partners = tuple(
            other
            for other in state.in_play
            if other != nation and (state.blind or card.allows(other, area, CONTROL))
        )
        barred = _hindrances(seen, nation, {other: Share(0, area, other) for other in partners})
        if partners:
            offers.append(VERBS.choice("SHARE", area, nations=partners, barred=barred))
    if understandings:
        offers.append(VERBS.choice("STANDING UNDERSTANDING ALL"))
    return tuple(offers)


def _hindrances(state: State, nation: str, wishes: Mapping[str, Order]) -> dict[str, str]:
    """Return why each of these wishes would fail, where that is certain."""
    troubles = {name: hindrance(state, nation, wish) for name, wish in wishes.items()}
    return {name: trouble[1] for name, trouble in troubles.items() if trouble}
