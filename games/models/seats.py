"""The seats of a game, the people in them, and invitations to them."""

from __future__ import annotations

from typing import Any

from django.db import models

from .coded import Coded
from .game import Game
from .people import Person


class Seats(models.QuerySet["Seat"]):
    def nations(self) -> Seats:
        """Leave out the gamesmaster's seat, for lists of nations, players or addresses."""
        return self.filter(referee=False)

    def end_offers(self) -> None:
        """Take these seats off the list of open seats."""
        self.filter(offered_at__isnull=False).update(offered_at=None)


class Seat(models.Model):
    """A nation in a game. `Sitting` has its present and former players; with `bot` a bot plays.

    `referee`: not a nation but the gamesmaster's place in a refereed game, under which their
    reports are in the ledger. Nobody ever sits there; it comes after all other seats.
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="seats")
    nation = models.CharField(max_length=40)
    ordinal = models.PositiveSmallIntegerField()
    bot = models.BooleanField("played by the service", default=False)
    by_table = models.BooleanField(
        "held by nobody",
        default=False,
        help_text=(
            "Nobody plays this nation: the ally table decides each turn who sends its orders."
        ),
    )
    team = models.BooleanField(
        "held by a team",
        default=False,
        help_text="Several people may play here; the option ow2.team says whose orders count.",
    )
    referee = models.BooleanField(
        "the gamesmaster's",
        default=False,
        db_default=False,
        help_text="In a refereed game: the seat that receives the gamesmaster's reports.",
    )
    bargained = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="Bots only: the newest phase in which the bot considered deals.",
    )
    news = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text=(
            "Counts the letters and deals of this nation, so that its players' open pages"
            " ask for news and those of others do not."
        ),
    )
    offered_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the gamesmaster listed this empty seat as open, while it is listed.",
    )
    people: models.ManyToManyField[Person, Any] = models.ManyToManyField(
        Person, through="Sitting", related_name="seats"
    )

    #: The present sittings, once `games.permissions.load_seats` has read them.
    sitting_now: list[Sitting] | None = None

    objects = Seats.as_manager()

    class Meta:
        ordering = ["game", "ordinal"]
        constraints = [models.UniqueConstraint(fields=["game", "nation"], name="one_seat_a_nation")]
        indexes = [
            models.Index(fields=["game"], condition=models.Q(bot=True), name="seats_of_programs"),
            models.Index(
                fields=["offered_at"],
                condition=models.Q(offered_at__isnull=False),
                name="seats_on_offer",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.nation} in {self.game}"


class Sittings(models.QuerySet["Sitting"]):
    def current(self) -> Sittings:
        """Return the sittings that have not ended."""
        return self.filter(until=None)


class Sitting(models.Model):
    """A person's time in a seat.

    A replacement ends one sitting and begins another; nothing is overwritten. Who sits down takes
    the seat off the list of open seats.
    """

    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="sittings")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="sittings")
    since = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True)
    ended_because = models.CharField(
        max_length=200, blank=True, help_text=("Why the sitting ended, in the gamesmaster's words.")
    )
    spokesman = models.BooleanField(
        default=False, help_text="Named spokesman of the team by the gamesmaster (ow2.team)."
    )
    telephone = models.CharField(
        max_length=40,
        blank=True,
        default="",
        db_default="",
        help_text="A telephone number noted by a gamesmaster of the game.",
    )
    unread: models.JSONField[Any, Any] = models.JSONField(
        default=list,
        db_default=[],
        blank=True,
        help_text="Codes of letters between nations that reached the person unread, oldest first.",
    )

    objects = Sittings.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["seat", "person"],
                condition=models.Q(until=None),
                name="a_person_sits_once_in_a_seat",
            )
        ]

    def __str__(self) -> str:
        return f"{self.person} as {self.seat}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self._state.adding:
            Seat.objects.filter(pk=self.seat_id).end_offers()
        super().save(*args, **kwargs)

    @property
    def is_current(self) -> bool:
        return self.until is None


class Invitations(models.QuerySet["Invitation"]):
    def open(self) -> Invitations:
        """Return the invitations neither accepted nor withdrawn."""
        return self.filter(accepted_at=None, withdrawn_at=None)

    def names(self) -> dict[str, str]:
        """Return the gamesmasters' names for the invited people who were given one, by address."""
        return dict(self.exclude(name="").order_by("pk").values_list("email", "name"))


class Invitation(Coded):
    """An offer of a seat, sent to an address. Only a hash of the link's token is stored."""

    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    name = models.CharField(
        max_length=Person.LONGEST_NAME,
        blank=True,
        default="",
        db_default="",
        help_text="What the gamesmaster calls the person, who has not taken a name yet.",
    )
    invited_by = models.ForeignKey(
        Person, on_delete=models.PROTECT, related_name="invitations_sent"
    )
    nonce = models.CharField(max_length=64, unique=True)
    token_hash = models.CharField(max_length=64, unique=True)
    invited_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="invitations_accepted"
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    objects = Invitations.as_manager()

    class Meta:
        indexes = [models.Index(fields=["seat", "-invited_at"])]
        constraints = [models.UniqueConstraint(fields=["code"], name="invitation_coded_once")]

    def __str__(self) -> str:
        return f"invitation of {self.addressee} to {self.seat}"

    @property
    def addressee(self) -> str:
        """Whom the gamesmaster invited, for gamesmasters: the name, if given, and the address."""
        return f"{self.name} ({self.email})" if self.name else self.email

    @property
    def is_open(self) -> bool:
        return self.accepted_at is None and self.withdrawn_at is None
