"""A game, its seats, and who sits in them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.urls import reverse

from games.rules import markets
from games.rules.contract import Ruleset
from games.rules.digits import seed_hash
from games.rules.registry import ruleset
from gamesmaster import clock

from .people import Person


class Game(models.Model):
    """A campaign: the printed sheet it is played with (a frozen copy), its options, its calendar
    and its gamesmasters.

    Card, options and reserve list never change once the game has started (rules.md, head).
    """

    class Status(models.TextChoices):
        FORMING = "forming"
        RUNNING = "running"
        PAUSED = "paused"
        FINISHED = "finished"
        ABANDONED = "abandoned"

        @classmethod
        def going_on(cls) -> tuple[Game.Status, ...]:
            """Those of games that are not over. They are few beside all that ever were: found by an
            index, which “not over” is not."""
            return cls.FORMING, cls.RUNNING, cls.PAUSED

    class Market(models.TextChoices):
        YAHOO = "yahoo", "Sales as Yahoo reports them"
        TIINGO = "tiingo", "Sales as Tiingo reports them"
        NEWSPAPER = "newspaper", "Sales typed in by the gamesmaster"
        RECORDED = "recorded", "Sales from a recorded file"
        DEMO = "demo", "DEMO exchange with made-up sales"

    class SecondSource(models.TextChoices):
        """Who is asked besides the market's own source. Where the two settle on different digits,
        the gamesmaster rules."""

        NONE = "", "nobody"
        YAHOO = "yahoo", "Yahoo"
        TIINGO = "tiingo", "Tiingo"

    class Joining(models.TextChoices):
        """Who may take the free seats of a game that has not begun."""

        INVITED = "invited", "only people whom you invite"
        OPEN = "open", "anybody, at once"
        ASK = "ask", "anybody may ask, and you decide"

    title = models.CharField(max_length=80)
    ruleset_id = models.CharField("game", max_length=40, default="origins-ww2")
    card_name = models.CharField(max_length=60)
    card = models.JSONField(help_text="The printed sheet as it was when the game was opened.")
    options = models.JSONField(default=dict, help_text="Every option of the rules with its value.")
    reserves = models.JSONField(default=list, help_text="The published reserve list of stocks.")
    status = models.CharField(max_length=12, choices=Status, default=Status.FORMING)
    schedule = models.JSONField(help_text="The rule for deadlines.")
    zone = models.CharField("time zone", max_length=60, default="America/New_York")
    market = models.CharField(max_length=12, choices=Market, default=Market.YAHOO)
    second_source = models.CharField(
        max_length=12, choices=SecondSource, default=SecondSource.NONE, blank=True
    )
    strict_evening = models.BooleanField(
        default=False,
        help_text=(
            "The session decides whose overnight trading, from 20:00 at the exchange the evening"
            " before, begins after the lock."
        ),
    )
    may_lock_early = models.BooleanField(
        default=False, help_text="A phase ends when every seat has said that its orders are final."
    )
    starts_when_full = models.BooleanField(
        default=False, help_text="The game begins by itself when the last seat is taken."
    )
    public = models.BooleanField(
        default=True, help_text="Anybody with the address can read board, reports and proofs."
    )
    anonymous = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Only the gamesmaster knows who plays which nation until the game is over.",
    )
    joining = models.CharField(
        "who may join",
        max_length=8,
        choices=Joining,
        default=Joining.INVITED,
        db_default=Joining.INVITED,
        help_text="Before the game begins.",
    )
    least_on_time = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        help_text=(
            "Percent of phases on time that a player needs to join without an invitation; 0: none."
        ),
    )
    join_link = models.PositiveSmallIntegerField(
        "number of the link to share",
        default=0,
        db_default=0,
        help_text="Anybody with the newest link can take a free seat; earlier links do not work.",
    )
    follows = models.OneToOneField(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="followed_by",
        help_text="The game before this one in a series of the same people.",
    )
    opened_by = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="games_opened")
    gamesmasters: models.ManyToManyField[Person, Any] = models.ManyToManyField(
        Person, related_name="games_run"
    )
    opened_at = models.DateTimeField(default=clock.now)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    last_submission = models.PositiveIntegerField(
        default=0, help_text="Number of the newest submission: the next one is one more."
    )
    last_ruling = models.PositiveIntegerField(default=0, help_text="Number of the newest ruling.")
    last_press = models.PositiveIntegerField(
        default=0, help_text="Number of the newest letter between nations."
    )
    last_deal = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="How many deals were proposed and answered: pages look for news by it.",
    )
    bots_secret = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="What the characters of the service’s players are drawn from, at the start.",
    )
    approval_hours = models.PositiveSmallIntegerField(
        default=0,
        help_text=(
            "Hours that a result waits for the gamesmaster before it is published; 0: none."
        ),
    )
    sheet_hours = models.PositiveSmallIntegerField(
        default=1,
        db_default=1,
        help_text=(
            "In a refereed game: hours in which a report can be corrected before it takes effect;"
            " 0: none."
        ),
    )
    sheet_days = models.PositiveSmallIntegerField(
        default=7,
        db_default=7,
        help_text=("In a refereed game: days between reminders of a report that is due; 0: none."),
    )
    holidays = models.JSONField(
        default=list,
        help_text="Days without deadlines: [first, last, name], dates in the game's zone.",
    )
    absence_days = models.PositiveSmallIntegerField(
        default=14,
        help_text="How many days of absence of each player move deadlines; 0: none.",
    )
    press = models.JSONField(default=dict, help_text="The rules of letters between nations.")
    paused_at = models.DateTimeField(null=True, blank=True)
    stand_ins = models.BooleanField(
        default=False, help_text="While a seat is vacant the service's own player sends its orders."
    )
    veto_hours = models.PositiveSmallIntegerField(
        default=24,
        db_default=24,
        help_text="Hours after which a vote of the players takes effect; 0: at once.",
    )
    ending = models.CharField(
        max_length=300,
        blank=True,
        default="",
        db_default="",
        help_text="How the players ended the game before its end, in one sentence.",
    )
    practice = models.BooleanField(
        default=False,
        help_text="Opened with one click to try the game against the service's players.",
    )
    secret = models.CharField(
        max_length=64,
        blank=True,
        help_text=(
            "What is drawn in secret is computed from it. Its SHA-256 is published when the game"
            " begins, itself when it is over."
        ),
    )
    record_hash = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="Newest hash of the record (RecordEntry); empty before the start.",
    )
    retold_through = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text=(
            "The service was restored from a backup: letters about phases up to this number may"
            " have gone out before, with other content."
        ),
    )

    class Meta:
        indexes = [
            models.Index(fields=["status", "-opened_at"]),
            models.Index(fields=["status", "-finished_at", "-id"], name="games_over_latest_first"),
            models.Index(fields=["status", "card_name"], name="games_by_sheet"),
            models.Index(
                fields=["id"], condition=models.Q(stand_ins=True), name="games_with_stand_ins"
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(
                    status__in=["forming", "running", "paused", "finished", "abandoned"]
                ),
                name="game_status_known",
            )
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_over(self) -> bool:
        """Whether it has been played to its end, or ended before."""
        return self.status not in self.Status.going_on()

    @property
    def for_trying(self) -> bool:
        """Whether it is played to see how a game goes, against bots alone: a practice game, or any
        game of a demonstration."""
        return self.practice or settings.DEMONSTRATION

    @property
    def in_progress(self) -> bool:
        """Whether it has been started and is not over."""
        return self.status in (self.Status.RUNNING, self.Status.PAUSED)

    @property
    def grace(self) -> timedelta:
        """How long after a deadline orders still count."""
        return timedelta(hours=self.options["orders.grace_hours"])

    @property
    def rules(self) -> Ruleset:
        return ruleset(self.ruleset_id)

    @property
    def stock_market(self) -> markets.Market:
        """The market on which the game draws its digits (`rng.market`)."""
        return markets.market_of(self.options)

    @property
    def sales_in_words(self) -> str:
        """Write “Tokyo sales as Yahoo reports them; symbols end in .T, such as 7203.T”."""
        label, market = self.get_market_display(), self.stock_market
        source = (
            label
            if self.market == self.Market.DEMO
            else f"{market.place} {label[:1].lower()}{label[1:]}"
        )
        return f"{source}; {market.symbols}" if market.suffix else source

    @property
    def sales_made_up(self) -> bool:
        """Return whether sales of the DEMO exchange decide. Dice and sealed seeds need no sales."""
        by_sales = self.options.get("rng.source", "stocks") == "stocks"
        return by_sales and self.market == self.Market.DEMO

    @property
    def zoneinfo(self) -> ZoneInfo:
        return ZoneInfo(self.zone)

    @property
    def thread_id(self) -> str:
        """Return the Message-ID that all letters of the game refer to, to keep them together."""
        return f"<game-{self.pk}@{settings.MAIL_DOMAIN}>"

    def get_absolute_url(self) -> str:
        return reverse("game", args=[self.pk])

    @property
    def secret_hash(self) -> str:
        """Return what is published of the secret by which charts are drawn; "" without one."""
        return seed_hash(self.secret) if self.secret else ""

    def load(self, position: dict[str, Any]) -> Any:
        """A position of this game as the ruleset's state."""
        return self.rules.load(self.card, self.options, position)


class Seats(models.QuerySet["Seat"]):
    def nations(self) -> Seats:
        """Leave out the gamesmaster's seat, for lists of nations, players or addresses."""
        return self.filter(referee=False)


class Seat(models.Model):
    """A nation in a game. Who sits there now and who sat there before is in `Sitting`; a program
    plays where `bot` is set.

    `referee`: no nation, but the gamesmaster's place in a refereed game, in whose name his sheets
    stand in the ledger. Nobody ever sits there; it comes after all others.
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="seats")
    nation = models.CharField(max_length=40)
    ordinal = models.PositiveSmallIntegerField()
    bot = models.BooleanField("played by the service", default=False)
    by_table = models.BooleanField(
        "held by nobody",
        default=False,
        help_text="Fewer players than nations: each turn the ally table says who sends its orders.",
    )
    team = models.BooleanField(
        "held by a team",
        default=False,
        help_text="Several people may sit here; ow2.team says whose orders count.",
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
        help_text="Of a bot: the number of the newest phase in which it has thought of deals.",
    )
    people: models.ManyToManyField[Person, Any] = models.ManyToManyField(
        Person, through="Sitting", related_name="seats"
    )

    objects = Seats.as_manager()

    class Meta:
        ordering = ["game", "ordinal"]
        constraints = [models.UniqueConstraint(fields=["game", "nation"], name="one_seat_a_nation")]
        indexes = [
            models.Index(fields=["game"], condition=models.Q(bot=True), name="seats_of_programs")
        ]

    def __str__(self) -> str:
        return f"{self.nation} in {self.game}"


class Sittings(models.QuerySet["Sitting"]):
    def current(self) -> Sittings:
        """Return those that have not ended."""
        return self.filter(until=None)


class Sitting(models.Model):
    """A person holding a seat, from when to when. Replacement ends one sitting and begins another;
    nothing is overwritten."""

    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="sittings")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="sittings")
    since = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True)
    ended_because = models.CharField(
        max_length=200, blank=True, help_text="Why it ended, in the gamesmaster's words."
    )
    spokesman = models.BooleanField(
        default=False, help_text="If the game has spokesmen, only their orders count (ow2.team)."
    )
    telephone = models.CharField(
        max_length=40,
        blank=True,
        default="",
        db_default="",
        help_text="A number that a gamesmaster of the game wrote down.",
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

    @property
    def is_current(self) -> bool:
        return self.until is None


class Invitations(models.QuerySet["Invitation"]):
    def open(self) -> Invitations:
        """Return those neither accepted nor withdrawn."""
        return self.filter(accepted_at=None, withdrawn_at=None)


class Invitation(models.Model):
    """An offer of a seat, sent to an address. Only a hash of the link's key is stored."""

    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
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

    def __str__(self) -> str:
        return f"invitation of {self.email} to {self.seat}"

    @property
    def is_open(self) -> bool:
        return self.accepted_at is None and self.withdrawn_at is None
