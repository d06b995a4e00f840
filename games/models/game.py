"""A game: its scenario, options, calendar and gamesmasters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.urls import reverse

from games.base import clock
from games.rules import markets
from games.rules.contract import Ruleset
from games.rules.digits import STOCKS, seed_hash
from games.rules.registry import ruleset
from games.rules.settings import SETTINGS, Setting
from games.rules.verbs import Help

from .people import Person


class Game(models.Model):
    """A campaign: its scenario (a frozen copy), options, calendar and gamesmasters.

    Scenario, options and reserve list never change once the game has started.
    """

    class Status(models.TextChoices):
        FORMING = "forming"
        RUNNING = "running"
        PAUSED = "paused"
        FINISHED = "finished"
        ABANDONED = "abandoned"

        @classmethod
        def going_on(cls) -> tuple[Game.Status, ...]:
            """Return the statuses of games that are not over.

            Queries use these and not “not over”: such games are few, and an index finds them.
            """
            return cls.FORMING, cls.RUNNING, cls.PAUSED

        @classmethod
        def over(cls) -> tuple[Game.Status, ...]:
            """Return the statuses of games that are over: their records are open."""
            return cls.FINISHED, cls.ABANDONED

    # Values of settings that code refers to. games/rules/settings.toml has their labels.
    class Market(models.TextChoices):
        YAHOO = "yahoo"
        TIINGO = "tiingo"
        NEWSPAPER = "newspaper"
        RECORDED = "recorded"
        DEMO = "demo"

    class Joining(models.TextChoices):
        """Who may take the free seats of a game that has not begun."""

        INVITED = "invited"
        OPEN = "open"
        ASK = "ask"

    title = models.CharField(max_length=80)
    ruleset_id = models.CharField("game", max_length=40, default="origins-ww2")
    card_name = models.CharField(max_length=60)
    card = models.JSONField(help_text="The scenario, as it was when the game was opened.")
    options = models.JSONField(
        default=dict, help_text=("All options of the rules, with their values.")
    )
    reserves = models.JSONField(default=list, help_text="The published reserve list of stocks.")
    status = models.CharField(max_length=12, choices=Status, default=Status.FORMING)
    schedule = models.JSONField(help_text="The schedule of deadlines.")
    zone = models.CharField("time zone", max_length=60, default="America/New_York")
    # Settings: games/rules/settings.toml has their texts, choices and values in a new game.
    market = models.CharField(
        max_length=12, choices=SETTINGS["market"].choices, default=SETTINGS["market"].usual
    )
    second_source = models.CharField(
        max_length=12,
        choices=SETTINGS["second_source"].choices,
        default=SETTINGS["second_source"].usual,
        blank=True,
    )
    strict_evening = models.BooleanField(default=SETTINGS["strict_evening"].usual)
    may_lock_early = models.BooleanField(default=SETTINGS["may_lock_early"].usual)
    starts_when_full = models.BooleanField(default=SETTINGS["starts_when_full"].usual)
    public = models.BooleanField(
        default=SETTINGS["public"].usual,
        help_text="Anybody with the link can read the board, reports and proofs.",
    )
    anonymous = models.BooleanField(default=SETTINGS["anonymous"].usual)
    joining = models.CharField(
        "who may join",
        max_length=8,
        choices=SETTINGS["joining"].choices,
        default=SETTINGS["joining"].usual,
    )
    least_on_time = models.PositiveSmallIntegerField(default=SETTINGS["least_on_time"].usual)
    approval_hours = models.PositiveSmallIntegerField(default=SETTINGS["approval_hours"].usual)
    absence_days = models.PositiveSmallIntegerField(default=SETTINGS["absence_days"].usual)
    report_hours = models.PositiveSmallIntegerField(default=SETTINGS["report_hours"].usual)
    report_days = models.PositiveSmallIntegerField(default=SETTINGS["report_days"].usual)
    veto_hours = models.PositiveSmallIntegerField(default=SETTINGS["veto_hours"].usual)
    press = models.JSONField(default=dict, help_text="The rules for letters between nations.")
    join_link = models.PositiveSmallIntegerField(
        "number of the link to share",
        default=0,
        db_default=0,
        help_text=(
            "Anybody with the newest link can take a free seat; older links no longer work."
        ),
    )
    follows = models.OneToOneField(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="followed_by",
        help_text="The previous game in a series.",
    )
    opened_by = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="games_opened")
    gamesmasters: models.ManyToManyField[Person, Any] = models.ManyToManyField(
        Person, related_name="games_run"
    )
    opened_at = models.DateTimeField(default=clock.now)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    last_submission = models.PositiveIntegerField(
        default=0, help_text="Number of the newest submission."
    )
    last_ruling = models.PositiveIntegerField(default=0, help_text="Number of the newest ruling.")
    last_press = models.PositiveIntegerField(
        default=0, help_text="Number of the newest letter between nations."
    )
    last_deal = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="Number of deals proposed and answered; pages use it to check for news.",
    )
    bots_secret = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="The secret from which the characters of bots are drawn at the start.",
    )
    holidays = models.JSONField(
        default=list,
        help_text="Days without deadlines: [first, last, name], in the game's time zone.",
    )
    paused_at = models.DateTimeField(null=True, blank=True)
    stand_ins = models.BooleanField(
        default=False, help_text="A bot sends the orders of vacant seats."
    )
    ending = models.CharField(
        max_length=300,
        blank=True,
        default="",
        db_default="",
        help_text="How the game ended early, with its scores if it ended with them.",
    )
    practice = models.BooleanField(
        default=False,
        help_text="A practice game of one person against bots.",
    )
    secret = models.CharField(
        max_length=64,
        blank=True,
        help_text=(
            "The secret for secret draws. Its SHA-256 is published when the game begins,"
            " the secret when the game is over."
        ),
    )
    record_hash = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="Hash of the newest record entry; empty before the start.",
    )
    retold_through = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text=(
            "Set when the service was restored from a backup: letters about phases up to"
            " this number may have been sent before, with other content."
        ),
    )

    #: Whether a person is a gamesmaster, by the person, once `games.permissions` has read it.
    run_by: Mapping[int, bool] = MappingProxyType({})
    #: The seats (`Seat`), once `games.permissions.load_seats` has read them.
    seats_read: list[Any] | None = None
    #: From then on: whom readers have blocked and since when, by the reader, once it was asked.
    blocks_read: dict[int, dict[int, datetime]] | None = None
    #: The nations that owe orders, in a list of games that has read them for all.
    owed_by: Sequence[str] = ()

    class Meta:
        indexes = [
            models.Index(fields=["status", "-opened_at"]),
            models.Index(fields=["status", "-finished_at", "-id"], name="games_over_latest_first"),
            models.Index(fields=["status", "card_name"], name="games_by_scenario"),
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
        """Whether the game is finished or abandoned: its record is open to all who see the game.

        Only a finished game, which was played to its end, has winners and final scores.
        """
        return self.status in self.Status.over()

    @property
    def for_trying(self) -> bool:
        """Whether the game is played to try the service, only against bots.

        True for a practice game, and for any game of a demonstration.
        """
        return self.practice or settings.DEMONSTRATION

    @property
    def in_progress(self) -> bool:
        """Whether the game has started and is not over."""
        return self.status in (self.Status.RUNNING, self.Status.PAUSED)

    @property
    def grace(self) -> timedelta:
        """How long after a deadline orders still count."""
        return timedelta(hours=self.options["orders.grace_hours"])

    @property
    def rules(self) -> Ruleset:
        return ruleset(self.ruleset_id)

    @property
    def order_help(self) -> tuple[Help, ...]:
        """Form, phase and meaning of every order of this game."""
        return self.rules.verbs.help(self.options, self.stock_market)

    @property
    def stock_market(self) -> markets.Market:
        """The market on which the game draws its digits (`rng.market`)."""
        return markets.market_of(self.options)

    @property
    def sales_in_words(self) -> str:
        """The source: “Tokyo sales as Yahoo reports them; symbols end in .T, such as 7203.T”."""
        label, market = self.get_market_display(), self.stock_market
        source = (
            label
            if self.market == self.Market.DEMO
            else f"{market.place} {label[:1].lower()}{label[1:]}"
        )
        return f"{source}; {market.symbols}" if market.suffix else source

    @property
    def digit_source(self) -> str:
        """Where digits come from: the value of `rng.source`."""
        return str(self.options.get("rng.source", STOCKS))

    @property
    def sales_made_up(self) -> bool:
        """Whether sales of the DEMO exchange decide; dice and sealed seeds need no sales."""
        return self.digit_source == STOCKS and self.market == self.Market.DEMO

    def setting(self, id: str) -> Any:
        """Return the value of a setting: a column, or a key of one, such as `press.sender`."""
        column, _, key = id.partition(".")
        value = getattr(self, column)
        return value.get(key, SETTINGS[id].default) if key else value

    def apply_settings(self, values: Mapping[str, Any]) -> None:
        """Set settings, by id; the caller saves the game."""
        for id, value in values.items():
            column, _, key = id.partition(".")
            setattr(self, column, {**getattr(self, column), key: value} if key else value)

    def describe_settings(self, about: Callable[[Setting], bool]) -> list[str]:
        """Return the sentences of the first letter on these settings, for those that have one."""
        sentences = [
            setting.words(setting.letter, self.setting(setting.id))
            for setting in SETTINGS.values()
            if about(setting)
        ]
        return [sentence for sentence in sentences if sentence]

    @property
    def zoneinfo(self) -> ZoneInfo:
        return ZoneInfo(self.zone)

    @property
    def thread_id(self) -> str:
        """The Message-ID that all letters of the game refer to, so that they form one thread."""
        return f"<game-{self.pk}@{settings.MAIL_DOMAIN}>"

    def get_absolute_url(self) -> str:
        return reverse("game", args=[self.pk])

    @property
    def secret_hash(self) -> str:
        """The published hash of the secret of the game's secret draws; "" without one."""
        return seed_hash(self.secret) if self.secret else ""

    def load(self, position: dict[str, Any]) -> Any:
        """Return a position of this game as the ruleset's state."""
        return self.rules.load(self.card, self.options, position)
