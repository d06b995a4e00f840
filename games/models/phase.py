"""Phases, and changes of their deadlines and sessions."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property

from django.db import models
from django.db.models.expressions import RawSQL

from games.rules import PhaseFacts, PhaseId, time_credit

from .evidence import Evidence
from .game import Game
from .leased import Leased, LeasedQuerySet
from .people import Person

#: The number of the newest phase of a game that no ruling has undone. Raw SQL, because most pages
#: ask it, and to order wide rows costs Django as much as to read one.
_CURRENT = """(SELECT newest.number FROM games_phase newest
    WHERE newest.game_id = games_phase.game_id AND newest.status <> 'undone'
    ORDER BY newest.number DESC LIMIT 1)"""


class Phases(LeasedQuerySet["Phase"]):
    def not_undone(self) -> Phases:
        """Return the phases that no ruling has undone."""
        return self.exclude(status=Phase.Status.UNDONE)

    def current(self) -> Phase | None:
        """Return the newest phase of a game that no ruling has undone: the open or last one.

        None while the game is forming. Call it on all phases of the game, such as `game.phases`:
        with another filter, it returns None where that leaves the newest out.
        """
        return next(iter(self.filter(number=RawSQL(_CURRENT, [])).order_by()), None)


class Phase(Leased):
    """One deadline of a game, from open to resolved; `games.turns.lifecycle` changes its status.

    `due_at` is when the next step is due: the deadline while it is open, the next reading while
    digits are drawn, the next try after a failure. A worker leases it (`claim`, `claimed_until`)
    in one conditional update.
    """

    class Status(models.TextChoices):
        OPEN = "open"
        LOCKED = "locked", "orders are closed"
        DRAWING = "drawing", "waiting for its digits"
        RESOLVED = "resolved", "judged"
        HELD = "held", "on hold"
        APPROVAL = "approval", "judged, waiting for the gamesmaster"
        UNDONE = "undone", "undone by a ruling"

    #: Statuses of phases with nothing left to do.
    CLOSED = (Status.RESOLVED, Status.UNDONE)

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="phases")
    number = models.PositiveSmallIntegerField(
        help_text="1 for the first phase of the game, and so on."
    )
    previous = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text=(
            "The phase whose result this phase starts from; empty for the first. After a"
            " rollback it is not the phase numbered one less."
        ),
    )
    turn = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=40)
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    opened_at = models.DateTimeField()
    deadline = models.DateTimeField()
    remind_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When to remind people who sent nothing; empty once done.",
    )

    attempts = models.PositiveSmallIntegerField(default=0)
    fault = models.TextField(blank=True, help_text="Why the last attempt failed.")
    held_from = models.CharField(
        max_length=10, blank=True, help_text="The status to return to when the hold ends."
    )
    undone_by = models.ForeignKey(
        "Ruling", on_delete=models.PROTECT, null=True, blank=True, related_name="undoes"
    )
    undone_from = models.CharField(
        max_length=10, blank=True, help_text="The status to return to if that ruling is revoked."
    )

    locked_at = models.DateTimeField(null=True, blank=True)
    digest = models.CharField(
        max_length=64, blank=True, help_text="SHA-256 over all orders in force (orders.digest)."
    )
    leaves = models.JSONField(
        default=dict, help_text="The digest's parts: nation to SHA-256 of its salted orders."
    )
    missed = models.JSONField(
        default=list,
        help_text="Nations of people that could order and had no orders in force at the lock.",
    )
    controllers = models.JSONField(
        default=dict,
        help_text=(
            "Nations that nobody plays, each with the nation that sends its orders in this phase."
        ),
    )
    teams = models.JSONField(
        default=dict,
        help_text=(
            "Nations played by teams, each with its members' numbers at the lock (ow2.team)."
        ),
    )
    stocks = models.JSONField(
        default=list, help_text="Stocks that the orders name, in order of use."
    )
    exchange = models.CharField(max_length=12, blank=True)
    session = models.CharField(
        max_length=40, blank=True, help_text="The trading session whose sales decide."
    )
    session_opens = models.DateTimeField(null=True, blank=True)
    session_closes = models.DateTimeField(null=True, blank=True)
    first_reading_at = models.DateTimeField(null=True, blank=True)
    policy = models.JSONField(
        null=True,
        blank=True,
        help_text=(
            "Conditions for figures (games.rules.settling.Policy), fixed at the lock;"
            " empty if the phase needs none."
        ),
    )
    witness_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the next witness reading is due; empty: none.",
    )
    holders = models.JSONField(
        null=True,
        blank=True,
        help_text=(
            "The people who held each nation at the lock, by their numbers in the game;"
            " empty before the lock."
        ),
    )
    seed_nonce = models.CharField(
        max_length=64,
        blank=True,
        help_text="Nonce from which the seed is computed, together with the service's secret.",
    )
    seed_hash = models.CharField(
        max_length=64, blank=True, help_text="SHA-256 of the seed, published when the phase opened."
    )
    seed = models.CharField(
        max_length=64, blank=True, help_text="The seed, published when the phase was resolved."
    )

    objects = Phases.as_manager()  # type: ignore[misc]  # the parent's, and more

    class Meta:
        ordering = ["game", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["game", "turn", "kind"],
                condition=~models.Q(status="undone"),
                name="a_phase_comes_once",
            ),
            models.UniqueConstraint(fields=["game", "number"], name="phases_are_numbered"),
            models.UniqueConstraint(
                fields=["game"],
                condition=~models.Q(status__in=["resolved", "undone"]),
                name="one_phase_at_a_time",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    status__in=[
                        "open",
                        "locked",
                        "drawing",
                        "resolved",
                        "held",
                        "approval",
                        "undone",
                    ]
                ),
                name="phase_status_known",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"], condition=models.Q(due_at__isnull=False), name="phases_due"
            ),
            models.Index(
                fields=["remind_at"],
                condition=models.Q(remind_at__isnull=False),
                name="reminders_due",
            ),
            models.Index(
                fields=["witness_at"],
                condition=models.Q(witness_at__isnull=False),
                name="witnesses_due",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.game}: {self.title_within}"

    @property
    def closes_at(self) -> datetime:
        """When orders stop counting: the deadline with the game's hours of grace."""
        return self.deadline + self.game.grace

    @property
    def lateness(self) -> str:
        """A sentence about orders that were closed late; "" if they were not."""
        if self.locked_at is None or not self.has_deadline:
            return ""
        return time_credit.lateness(self.closes_at, self.locked_at, self.session_closes)

    @property
    def id_in_rules(self) -> PhaseId:
        return PhaseId(self.turn, self.kind)

    @cached_property
    def facts(self) -> PhaseFacts:
        return self.game.rules.facts(self.id_in_rules, self.game.options)

    @property
    def title(self) -> str:
        return self.facts.title

    #: The title of its result where that is known to cover more (`positions.entitle`).
    covering = ""

    @property
    def heading(self) -> str:
        """What lists and links call the phase."""
        return self.covering or self.title

    @property
    def short_title(self) -> str:
        """The title as in “Turn 1 attacks”, for a subject and for the middle of a sentence."""
        return self.title.replace(", ", " ", 1)

    @property
    def title_within(self) -> str:
        """The title as in “turn 1, attacks of Germany”, for the middle of a sentence."""
        return self.title[:1].lower() + self.title[1:]

    @property
    def idle(self) -> bool:
        """Whether nobody orders anything in the phase, because it only draws something."""
        return self.facts.idle

    @property
    def has_deadline(self) -> bool:
        """Whether the phase closes at a deadline, and not with the gamesmaster's report.

        One that waits for a report has the deadline `schedule.STANDS`, and `due_at` is empty until
        a report comes.
        """
        return not self.awaited

    @property
    def is_timed(self) -> bool:
        """Whether the phase is open until a deadline, which can be moved and reminded of."""
        return self.status == Phase.Status.OPEN and self.has_deadline

    @property
    def takes_orders(self) -> bool:
        """Whether orders that come before it closes count: also while it is held before its lock.

        Once the hold is lifted the phase goes on, and closes at the instant that was announced.
        """
        held = self.status == Phase.Status.HELD and self.locked_at is None
        return held or self.status == Phase.Status.OPEN

    @property
    def awaited(self) -> str:
        """A sentence with the report that the gamesmaster owes; "" in other phases."""
        return self.facts.awaited

    @property
    def draws(self) -> bool:
        """Whether the phase needs digits, and with them a market session."""
        return self.facts.draws


class DeadlineChange(Evidence):
    """A deadline moved by a gamesmaster or the service, for everybody alike, with its reason."""

    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="deadline_changes")
    old = models.DateTimeField()
    new = models.DateTimeField()
    reason = models.CharField(max_length=300)
    changed_by = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )  # empty: the service
    changed_at = models.DateTimeField()
    # When no orders could come in, if time was given back for that (games.rules.time_credit).
    outage_from = models.DateTimeField(null=True, blank=True)
    outage_until = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.phase}: {self.old:%Y-%m-%d %H:%M} to {self.new:%Y-%m-%d %H:%M}"


class SessionChange(Evidence):
    """A new session for a locked phase.

    The market closed, or did not close, contrary to what was known at the lock.
    """

    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="session_changes")
    old = models.CharField(max_length=40, help_text="The session that would have decided.")
    old_opens = models.DateTimeField()
    old_closes = models.DateTimeField()
    new = models.CharField(max_length=40)
    new_opens = models.DateTimeField()
    new_closes = models.DateTimeField()
    reason = models.CharField(max_length=300)
    changed_by = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    changed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.phase}: {self.old} to {self.new}"
