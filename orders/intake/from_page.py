"""Ask the sender of a page's orders before they are received, where something would be lost.

The page shows the question; its answer sends the orders (`SentPage.whole`). Orders that come by
mail, over the telephone or from a program are received at once, and their answers say the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from games.positions import final_marks, in_force
from games.rules import Doubt, Reading, Remark
from games.seats import teams
from orders.intake.chain import LedgerError
from orders.models import Submission


class DuplicateOrders(LedgerError):
    """The same orders were sent twice, for example by a double click.

    `submission` is the one stored the first time.
    """

    def __init__(self, submission: Submission) -> None:
        super().__init__(f"These orders have already arrived: No. {submission.seat_number}.")
        self.submission = submission


class NewerOrders(LedgerError):
    """Orders arrived that the sender had not seen. `newer` are in force, and stay in force."""

    def __init__(self, newer: Submission) -> None:
        super().__init__("Newer orders have arrived since you opened this page.")
        self.newer = newer


class NothingWritten(LedgerError):
    """The text has no orders. A page asks whether none are meant."""


class Unconfirmed(LedgerError):
    """Lines would be rejected, or part of the turn wasted: `remarks` say how.

    Nothing was received; the sender is asked first.
    """

    def __init__(self, read: Reading) -> None:
        self.remarks = questionable(read)
        refused = {remark.line for remark in self.remarks if remark.severity == "error"}
        of = len({number for number, _ in read.understood} | refused)
        some = f"{len(refused)} of {of}"
        lines = "The line" if of == 1 else "All lines" if len(refused) == of else f"{some} lines"
        super().__init__(
            f"{lines} would be refused." if refused else "part of your turn would be wasted."
        )


class OrdersInDoubt(LedgerError):
    """The orders are in doubt. Nothing was received; the sender is asked first."""

    def __init__(self, doubt: Doubt) -> None:
        super().__init__("These orders could mean something else.")
        self.doubt = doubt


def questionable(read: Reading) -> tuple[Remark, ...]:
    """Return the remarks about what a page asks before it is sent: lost lines, PFs and attacks."""
    return tuple(remark for remark in read.remarks if remark.wasted or remark.severity == "error")


@dataclass(frozen=True)
class SentPage:
    """What the page that orders were sent from demands before they are received.

    `seen` is the hash of the newest orders that it showed, "" if it showed none, None if it does
    not say. `whole`: ask the sender before any line is rejected.
    """

    seen: str | None
    whole: bool


def check_unseen(submission: Submission, sender: teams.Member | None, page: SentPage) -> bool:
    """Return whether the sender has sent the same text before, with another `final`.

    Raise `DuplicateOrders` for what was sent last, unchanged. It is no duplicate if it comes to
    something else now: what was late or a proposal may count, and another member of the team may
    have sent something since.

    Raise `NewerOrders` for orders that would replace newer ones written by hand that the page did
    not show: of a team that votes, the sender's own. The caller has locked the game's row.
    """
    seat, phase = submission.seat, submission.phase
    last = phase.submissions.filter(seat=seat).order_by("-number").first()
    same = last is not None and (
        (last.person_id, last.text) == (submission.person_id, submission.text)
    )
    if same and last is not None and last.channel == Submission.Channel.WEB:
        final_marks.lapse([last])  # who left the seat and is back may call the same orders final
        became = (last.final, last.late, last.proposal, last.counts)
        if became == (submission.final, submission.late, submission.proposal, submission.counts):
            raise DuplicateOrders(last)
    if page.seen is None or not submission.counts:
        return same
    # Outside teams, the newest submission is the one in force if it counts.
    known = sender is None and (last is None or last.counts)
    newest = last if known else in_force.newest(seat, phase, sender)
    if (
        newest is not None
        and newest.channel != Submission.Channel.PROGRAM
        and newest.hash != page.seen
    ):
        raise NewerOrders(newest)
    return same


def check_lines(read: Reading, submission: Submission, confirmed: bool) -> None:
    """Raise `OrdersInDoubt` for orders in doubt, and `Unconfirmed` where something is lost.

    Where lines are merged, it is the merged orders that may waste something.
    """
    if read.doubt is not None:
        raise OrdersInDoubt(read.doubt)
    if confirmed or not questionable(read):
        return
    seat, state, rules = submission.seat, submission.read_in, submission.game.rules
    if submission.game.options["orders.amend"] == "merge_lines":
        earlier = in_force.texts_in_force(submission.phase).get(seat.nation, "")
        merged = rules.merge(earlier, submission.text, seat.nation, state)
        wasted = [mark for mark in rules.read(merged, seat.nation, state).remarks if mark.wasted]
        errors = [mark for mark in read.remarks if mark.severity == "error"]
        read = replace(read, remarks=(*errors, *wasted))
    if questionable(read):
        raise Unconfirmed(read)
