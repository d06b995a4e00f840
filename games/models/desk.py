"""What a gamesmaster does at his desk, as evidence: rulings, acts, calls; and what he knows of his
players."""

from __future__ import annotations

from typing import Any

from django.db import models

from games.rules.registry import ruleset

from .evidence import Evidence
from .game import Game, Seat
from .people import Person
from .phase import Phase


class Ruling(Evidence):
    """A gamesmaster overrules the service in one phase. Numbered in its game, public, never
    changed; another ruling may revoke it.

    What it says is `kind` and `what` in the form of `games.rules.rulings`; which versions it made
    is in `Resolution.ruling`.
    """

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="rulings")
    number = models.PositiveIntegerField()
    phase = models.ForeignKey(
        Phase,
        on_delete=models.PROTECT,
        related_name="rulings",
        help_text="The phase that is ruled on.",
    )
    kind = models.CharField(max_length=12)
    what = models.JSONField(default=dict)
    words = models.CharField(max_length=500, help_text="What is ruled, in one sentence.")
    reason = models.TextField(help_text="In the gamesmaster's words; it goes to every player.")
    revokes = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="revoked_by"
    )
    made_by = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="rulings"
    )
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["game", "number"]
        constraints = [
            models.UniqueConstraint(fields=["game", "number"], name="rulings_are_numbered")
        ]

    def __str__(self) -> str:
        return f"ruling {self.number} of {self.game}"


class Act(Evidence):
    """Something done at the desk that is no ruling: a pause, another schedule, a seat given to
    somebody else. Nothing is invisible."""

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="acts")
    phase = models.ForeignKey(
        Phase, on_delete=models.PROTECT, null=True, blank=True, related_name="acts"
    )
    seat = models.ForeignKey(
        Seat, on_delete=models.PROTECT, null=True, blank=True, related_name="acts"
    )
    kind = models.CharField(max_length=20)
    words = models.CharField(
        max_length=500,
        help_text="What was done, in one sentence that anybody may read: nations, no names.",
    )
    reason = models.CharField(max_length=500, blank=True)
    about: models.JSONField[Any, Any] = models.JSONField(
        default=dict, help_text="What changed, before and after."
    )
    private = models.BooleanField(default=False, help_text="Told to gamesmasters alone.")
    done_by = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    done_at = models.DateTimeField()

    class Meta:
        ordering = ["game", "pk"]
        indexes = [models.Index(fields=["game", "-done_at"])]

    def __str__(self) -> str:
        return f"{self.game}: {self.words}"


class Motion(models.Model):
    """What players vote on in a phase (games/desk/votes.py). Who voted when is in the acts."""

    class Outcome(models.TextChoices):
        OPEN = "", "open"
        CARRIED = "carried", "carried out"
        VETOED = "vetoed", "vetoed"
        LAPSED = "lapsed", "lapsed"

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="motions")
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="motions")
    kind = models.CharField(max_length=12)
    nation = models.CharField(
        max_length=40, blank=True, help_text="The nation that the others concede to."
    )
    nations = models.JSONField(default=list, help_text="Who voted for it.")
    opened_at = models.DateTimeField()
    passed_at = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True, help_text="When it takes effect.")
    closed_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=8, choices=Outcome, default=Outcome.OPEN, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["phase", "kind", "nation"],
                condition=models.Q(closed_at=None),
                name="one_vote_on_a_thing",
            )
        ]
        indexes = [
            models.Index(
                fields=["due_at"], condition=models.Q(closed_at=None), name="votes_by_what_is_due"
            )
        ]

    def __str__(self) -> str:
        return f"vote on {self.kind} in {self.phase}"


class Absence(models.Model):
    """Days on which a player cannot write, told by him or for him. Within the game's allowance they
    move deadlines, for everybody alike."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="absences")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="absences")
    first = models.DateField(help_text="In the game's zone.")
    last = models.DateField()
    entered_by = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="+")
    entered_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(last__gte=models.F("first")),
                name="an_absence_ends_after_it_begins",
            )
        ]
        indexes = [models.Index(fields=["game", "last"])]

    def __str__(self) -> str:
        return f"{self.person} away from {self.first} to {self.last}"


class Standby(models.Model):
    """Somebody who would take over a seat that falls vacant, in one game or in any."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="standbys")
    game = models.ForeignKey(
        Game, on_delete=models.CASCADE, null=True, blank=True, related_name="standbys"
    )
    ruleset_id = models.CharField(
        "kind of game",
        max_length=40,
        blank=True,
        default="",
        db_default="",
        help_text="Games with free seats that the person gets letters about; empty: all.",
    )
    note = models.CharField(max_length=200, blank=True)
    since = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["person", "game"],
                condition=models.Q(until=None, game__isnull=False),
                name="stands_by_once",
            ),
            models.UniqueConstraint(
                fields=["person"],
                condition=models.Q(until=None, game=None),
                name="stands_by_once_for_any",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.person} stands by for {self.game or self.kind}"

    @property
    def kind(self) -> str:
        """“any game”, or “any game of Origins of World War II”."""
        return f"any game of {ruleset(self.ruleset_id).title}" if self.ruleset_id else "any game"


class Notebook(models.Model):
    """What one person notes about a game, for themselves alone; not even staff reads it. Once the
    game is over it is shown to whoever sees the game, if its writer allows it."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="notebooks")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="notebooks")
    text = models.TextField(blank=True)
    opens = models.BooleanField(
        "may be opened", default=False, help_text="Shown to everybody once the game is over."
    )
    saved_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["game", "person"], name="one_notebook_a_game")
        ]

    def __str__(self) -> str:
        return f"notebook of {self.person} in {self.game}"


class Call(Evidence):
    """A telephone call about a phase: the call sheet shows the last one of each seat."""

    class Outcome(models.TextChoices):
        REACHED = "reached", "spoken with"
        NO_ANSWER = "no_answer", "no answer"
        LEFT_WORD = "left_word", "left word"
        CALLED_US = "called_us", "called the gamesmaster"

    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="calls")
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="calls")
    person = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    outcome = models.CharField(max_length=10, choices=Outcome)
    note = models.CharField(max_length=300, blank=True)
    made_by = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    may_be_emptied = frozenset({"note"})

    class Meta:
        ordering = ["phase", "pk"]

    def __str__(self) -> str:
        return f"{self.seat.nation}, {self.get_outcome_display()}, {self.made_at:%Y-%m-%d %H:%M}"
