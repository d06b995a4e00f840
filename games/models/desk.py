"""Acts, rulings and calls as evidence; votes, absences, standbys and notebooks."""

from __future__ import annotations

from typing import Any

from django.db import models

from games.rules.registry import ruleset
from games.rules.vote_kinds import KINDS

from .coded import Coded
from .evidence import Evidence
from .game import Game
from .people import Person
from .phase import Phase
from .seats import Seat


class Ruling(Evidence):
    """A ruling, in which a gamesmaster overrules the service in one phase.

    Numbered in its game, public, never changed; another ruling may revoke it. `kind` and `what`
    have the form of `games.rules.ruling_kinds`; `Resolution.ruling` has the versions it made.
    """

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="rulings")
    number = models.PositiveIntegerField()
    phase = models.ForeignKey(
        Phase,
        on_delete=models.PROTECT,
        related_name="rulings",
        help_text="The phase that the ruling changes.",
    )
    kind = models.CharField(max_length=12)
    what = models.JSONField(default=dict)
    words = models.CharField(max_length=500, help_text="The ruling, in one sentence.")
    reason = models.TextField(help_text="The gamesmaster's reason, which every player reads.")
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


class Act(Coded, Evidence):
    """An action at the desk other than a ruling, such as a pause, a new schedule or a new player.

    Every action is on record.
    """

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
        help_text=(
            "What the gamesmaster did, in one public sentence: with nations, without names."
        ),
    )
    reason = models.CharField(max_length=500, blank=True)
    about: models.JSONField[Any, Any] = models.JSONField(
        default=dict, help_text="What changed: the values before and after."
    )
    private = models.BooleanField(default=False, help_text="Only gamesmasters see it.")
    done_by = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    done_at = models.DateTimeField()

    class Meta:
        ordering = ["game", "pk"]
        indexes = [models.Index(fields=["game", "-done_at"])]
        constraints = [models.UniqueConstraint(fields=["code"], name="act_coded_once")]

    def __str__(self) -> str:
        return f"{self.game}: {self.words}"


class Motion(models.Model):
    """A vote of the players in a phase (games/desk/votes.py). The acts say who voted when."""

    class Outcome(models.TextChoices):
        OPEN = "", "open"
        CARRIED = "carried", "carried out"
        VETOED = "vetoed", "vetoed"
        LAPSED = "lapsed", "lapsed"

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="motions")
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="motions")
    kind = models.CharField(max_length=12)
    nation = models.CharField(
        max_length=40, blank=True, help_text="The nation that the vote is about."
    )
    nations = models.JSONField(default=list, help_text="The nations that voted for it.")
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

    @property
    def title(self) -> str:
        """The subject of the vote: “a draw between all nations”."""
        return KINDS[self.kind].title.format(nation=self.nation)

    @property
    def moves_deadline(self) -> bool:
        return KINDS[self.kind].moves_deadline


class Absence(Coded):
    """Days on which a player cannot play, entered by them or for them.

    Within the game's allowance they move deadlines, for everybody alike.
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="absences")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="absences")
    first = models.DateField(help_text="The first day, in the game's time zone.")
    last = models.DateField()
    entered_by = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="+")
    entered_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(last__gte=models.F("first")),
                name="an_absence_ends_after_it_begins",
            ),
            models.UniqueConstraint(fields=["code"], name="absence_coded_once"),
        ]
        indexes = [models.Index(fields=["game", "last"])]

    def __str__(self) -> str:
        return f"{self.person} away from {self.first} to {self.last}"


class Standby(Coded):
    """A person who would take over a vacant seat, in one game or in any."""

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
        help_text="The ruleset of the games about which the person gets letters; empty: all.",
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
            models.UniqueConstraint(fields=["code"], name="standby_coded_once"),
        ]

    def __str__(self) -> str:
        return f"{self.person} stands by for {self.game or self.kind}"

    @property
    def kind(self) -> str:
        """The games they stand by for: “any game”, “any game of Origins of World War II”."""
        return f"any game of {ruleset(self.ruleset_id).title}" if self.ruleset_id else "any game"


class Notebook(models.Model):
    """A person's private notes about a game; not even staff can read them.

    When the game is over everybody who sees it can read them, if the writer allows it.
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="notebooks")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="notebooks")
    text = models.TextField(blank=True)
    opens = models.BooleanField(
        "may be opened", default=False, help_text="Everybody can read it once the game is over."
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
