"""Links from a row of the record to what can be done about it, beside its heading."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from games import permissions
from games.models import (
    Act,
    Draw,
    Figure,
    Game,
    Invitation,
    Letter,
    Person,
    Phase,
    Resolution,
    Ruling,
    Seat,
    Sitting,
)
from games.rules.digits import DICE
from games.turns import ruling_plan
from orders.models import Submission


class Tool(NamedTuple):
    words: str
    url: str


def tools(request: HttpRequest, row: object) -> list[Tool]:
    """Return links to the possible actions on a row at the desk, for people who run its game."""
    match row:
        case Game():
            links, game = [*_newest_closed(row), *_lists(row)], row
        case Phase():
            links, game = [*_go_on(row), *_rule_on(row)], row.game
        case Resolution():
            links, game = _rule_on(row.phase), row.phase.game
        case Submission():
            late = {"submission": row.label} if row.late else {}
            links = _rule_on(row.phase, "orders", nation=row.seat.nation, **late)
            links, game = [*links, *_take_down(row)], row.phase.game
        case Figure():
            links, game = _rule_on(row.phase, "digit", stock=row.symbol), row.phase.game
        case Draw() if row.line > DICE:  # a die: its digit follows from the figure
            links, game = _rule_on(row.phase, "digit", stock=row.figure.symbol), row.phase.game
        case Draw():
            attack = f"{row.nation}/{row.line}"
            links, game = _rule_on(row.phase, "result", attack=attack), row.phase.game
        case Ruling():
            links, game = _revoke(row), row.game
        case Seat():
            links, game = [Tool("People", reverse("desk-people", args=[row.game_id]))], row.game
        case Sitting() | Invitation():
            return tools(request, row.seat)
        case Act():
            links, game = [], row.game
        case Letter() if row.game is not None:
            links, game = [Tool("Letters", reverse("desk-letters", args=[row.game_id]))], row.game
        case Person():
            return _notes(request, row)
        case _:
            return []
    if not permissions.runs(request.user, game):
        return []
    return [Tool("Desk", reverse("desk", args=[game.pk])), *links]


def _notes(request: HttpRequest, person: Person) -> list[Tool]:
    """Return the links to the operators' notes about a person, and to bar them."""
    if not permissions.operates(request.user):
        return []
    notes = f"{reverse('admin:games_personnote_changelist')}?person__id__exact={person.pk}"
    bar = f"{reverse('admin:games_barring_add')}?{urlencode({'email': person.email})}"
    return [
        Tool("Notes", notes),
        Tool("Add note", f"{reverse('admin:games_personnote_add')}?person={person.pk}"),
        Tool("Bar from games", bar),
    ]


def _rule_on(phase: Phase, kind: str = "", **begins_with: str) -> list[Tool]:
    """Return the link to the form of a ruling, or to the choice of its kind."""
    if not ruling_plan.may_be_ruled_on(phase):
        return []
    if not kind:
        address = reverse("admin-ruling-phase", args=[phase.game_id, phase.number])
    else:
        address = reverse("admin-ruling-new", args=[phase.game_id, phase.number, kind])
        address = f"{address}?{urlencode(begins_with)}"
    return [Tool("Rule on this", address)]


def _newest_closed(game: Game) -> list[Tool]:
    """Return the link to the newest phase whose orders are closed: most rulings are on it."""
    newest: list[Phase] = getattr(game, "newest", [])  # the page of games has it
    closed = [
        phase.pk if phase.status in ruling_plan.RULED_ON else phase.previous_id for phase in newest
    ]
    addresses = [reverse("admin:games_phase_change", args=[pk]) for pk in closed if pk]
    return [Tool("Phase to rule on", address) for address in addresses]


def _lists(game: Game) -> list[Tool]:
    """Return the links to what hangs on a game."""
    lists = [(name, f"admin:games_{name}_changelist") for name in ("phase", "ruling", "act")]
    lists += [("submission", "admin:orders_submission_changelist")]
    lists += [(name, f"admin:games_{name}_changelist") for name in ("seat", "letter")]
    query = urlencode({"game__id__exact": game.pk})
    return [Tool(f"{name.capitalize()}s", f"{reverse(to)}?{query}") for name, to in lists]


def _go_on(phase: Phase) -> list[Tool]:
    """Return the links to what moves a phase on, or gives it more time."""
    game = [phase.game_id]
    match phase.status:
        case Phase.Status.APPROVAL:
            return [Tool("Publish", reverse("admin-approval", args=game))]
        case Phase.Status.DRAWING:
            return [Tool("Enter what is missing", f"{reverse('desk', args=game)}#figures")]
        case Phase.Status.OPEN if phase.has_deadline:
            deadline = Tool("Change the deadline", reverse("desk-times", args=game))
            return [deadline, Tool("Take down orders", reverse("desk-telephone", args=game))]
    return []


def _take_down(sent: Submission) -> list[Tool]:
    """Return the link to the page that takes down new orders of a nation, by telephone."""
    if not sent.phase.is_timed:
        return []
    address = reverse("desk-telephone-seat", args=[sent.game_id, sent.seat_id])
    return [Tool("Take down new orders", address)]


def _revoke(ruling: Ruling) -> list[Tool]:
    revoked = Ruling.objects.filter(revokes=ruling).exists()
    if revoked or ruling.game.status not in ruling_plan.IN_PLAY:
        return []
    return [Tool("Revoke", reverse("admin-ruling-revoke", args=[ruling.game_id, ruling.number]))]
