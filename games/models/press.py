"""Letters between nations: not enforced, private to their readers, stored as written."""

from __future__ import annotations

from django.db import models
from django.db.models.expressions import RawSQL

from .coded import Coded
from .evidence import Evidence
from .game import Game
from .people import Person
from .phase import Phase
from .seats import Seat


class Press(Evidence):
    """A letter from a nation, or from the gamesmaster, to some or all nations.

    Never changed; it reveals no address.
    """

    class Channel(models.TextChoices):
        WEB = "web", "page"
        MAIL = "mail"
        TELEPHONE = "telephone"
        PAPER = "paper"
        API = "api", "program"
        PROGRAM = "program", "the service"

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="press_written")
    number = models.PositiveIntegerField(
        help_text=(
            "Number in the game and in the record; never shown, because it reveals how"
            " much others write."
        )
    )
    code = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Random number that pages and ANSWER use."
    )
    phase = models.ForeignKey(
        Phase, on_delete=models.PROTECT, null=True, blank=True, related_name="press"
    )
    seat = models.ForeignKey(
        Seat,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="press",
        help_text="The nation that wrote it; empty: the gamesmaster.",
    )
    person = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    to = models.JSONField(
        default=list, help_text="Nations that get it, in scenario order; empty: all."
    )
    to_gamesmaster = models.BooleanField(
        default=False,
        help_text=(
            "A question, which goes to the gamesmaster as well, or to the gamesmaster alone."
        ),
    )
    to_all = models.BooleanField(default=False)
    signed = models.BooleanField(
        default=True, help_text="Whether readers learn which nation wrote it."
    )
    text = models.TextField()
    channel = models.CharField(max_length=10, choices=Channel)
    answers = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="answered_by"
    )
    sent_at = models.DateTimeField()
    may_be_emptied = frozenset({"text"})

    class Meta:
        ordering = ["game", "number"]
        verbose_name_plural = "press"
        constraints = [models.UniqueConstraint(fields=["game", "number"], name="press_is_numbered")]
        indexes = [models.Index(fields=["game", "code"])]

    def __str__(self) -> str:
        return f"press {self.number} of {self.game}"


#: Whether a block that is read counts in a game. Plain SQL (docs/decisions.md): pages with letters
#: or deals ask it, and open pages after each.
_IN_EFFECT = """EXISTS (SELECT 1 FROM games_press chosen
    JOIN games_game elsewhere ON elsewhere.id = chosen.game_id
    WHERE chosen.id = games_block.press_id
        AND (elsewhere.id = %s OR NOT (elsewhere.anonymous OR %s)))"""


class BlockQuerySet(models.QuerySet["Block"]):
    def in_effect(self, game: Game) -> BlockQuerySet:
        """Return the blocks that count in a game.

        Those chosen in an anonymous game count in it alone, and those chosen elsewhere do not
        count there: whether letters arrive must not reveal who plays.
        """
        return self.filter(RawSQL(_IN_EFFECT, [game.pk, game.anonymous], models.BooleanField()))


class Block(Coded):
    """A person whose letters another person does not want. The blocked person is not told."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="blocks")
    blocked = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="+")
    press = models.ForeignKey(
        Press,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="The letter by which the person chose whom to block.",
    )
    since = models.DateTimeField()

    objects = BlockQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "press"], name="blocked_once_by_a_letter"),
            models.UniqueConstraint(fields=["code"], name="block_coded_once"),
        ]

    def __str__(self) -> str:
        return f"{self.person} gets no letters of {self.blocked}"


class Complaint(Coded):
    """A letter that a reader has reported to the people who run the game or the service."""

    press = models.ForeignKey(Press, on_delete=models.PROTECT, related_name="complaints")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="complaints")
    reason = models.CharField(max_length=300, blank=True)
    made_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["press", "person"], name="reported_once_by_a_person"),
            models.UniqueConstraint(fields=["code"], name="complaint_coded_once"),
        ]

    def __str__(self) -> str:
        return f"complaint about {self.press}"
