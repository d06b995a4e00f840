"""Market figures as evidence: every reading, the figure it settled to, and the digit drawn from it
for one attack.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import models

from games.base import clock
from games.rules.verification import form, record

from .evidence import Evidence
from .game import Game
from .leased import Leased, LeasedQuerySet
from .people import Person
from .phase import Phase


class Reading(Evidence):
    """A source's answer about one stock's sales in one session, at one time.

    Missing is never zero.
    """

    class Kind(models.TextChoices):
        OK = "ok", "a figure"
        NO_BAR = "no_bar", "no entry for that day"
        NO_SALES = "no_sales", "an entry without sales"
        UNKNOWN = "unknown", "unknown symbol"
        LATER = "later", "no answer; to be asked again"

    class Flag(models.TextChoices):
        SPLIT = "split", "a split on or after that day"
        RENAMED = "renamed", "the answer is about another name"

    game = models.ForeignKey(
        Game,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        help_text="Set only for figures entered for one game.",
    )
    source = models.CharField(max_length=20)
    exchange = models.CharField(max_length=12)
    session = models.CharField(max_length=40)
    symbol = models.CharField(max_length=8)
    kind = models.CharField(max_length=10, choices=Kind)
    volume = models.BigIntegerField(
        null=True, blank=True, help_text="Shares sold; empty if there is no figure."
    )
    read_at = models.DateTimeField()
    detail = models.TextField(blank=True, help_text="The reason, if there is no figure.")
    flag = models.CharField(
        max_length=12,
        choices=Flag,
        blank=True,
        help_text="Why the gamesmaster must confirm this figure; usually empty.",
    )
    raw = models.JSONField(
        default=dict,
        help_text=(
            "The part of the source's answer about this figure, and the version of the library."
        ),
    )
    facts = models.JSONField(
        default=dict,
        db_default={},
        blank=True,
        help_text=(
            "The source's facts about the symbol: exchange, time zone, instrument, median"
            " of 20 sessions (games.rules.settling)."
        ),
    )
    entered_by = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    hash = models.CharField(
        max_length=64,
        blank=True,
        help_text=("SHA-256 over the fields above, computed when the reading was made."),
    )

    class Meta:
        indexes = [models.Index(fields=["exchange", "session", "symbol", "read_at"])]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind="ok", volume__gt=0)
                | (~models.Q(kind="ok") & models.Q(volume=None)),
                name="a_figure_is_above_zero_or_absent",
            )
        ]

    def set_hash(self) -> None:
        """Set the hash before the row is written. Only `save` does this by itself."""
        self.hash = record.reading_hash(self.as_record())

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.set_hash()
        super().save(*args, **kwargs)

    def as_record(self) -> dict[str, Any]:
        """Return the reading as in a game's record, without its number."""
        entered = self.entered_by_id is not None
        return form.READ.write(self, time=self.read_at, entered_by_gamesmaster=entered)

    def __str__(self) -> str:
        sold = self.get_kind_display() if self.volume is None else f"{self.volume:,}"
        return f"{self.symbol}: {sold}, {self.source}"


class Figure(Evidence):
    """The sales of a stock as a phase uses them, frozen: later corrections change nothing.

    No volume: no usable report.
    """

    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="figures")
    symbol = models.CharField(max_length=8)
    volume = models.BigIntegerField(null=True, blank=True)
    reason = models.CharField(
        max_length=200, help_text="The readings that settled it, or why there is no figure."
    )
    readings: models.ManyToManyField[Reading, Reading] = models.ManyToManyField(
        Reading, related_name="figures"
    )
    #: The primary keys of `readings`, set where figures were read together with them
    #: (`evidence.record_rows`).
    rests_on: list[int]
    settled_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["phase", "symbol"], name="a_figure_settles_once"),
            models.CheckConstraint(
                condition=models.Q(volume=None) | models.Q(volume__gt=0),
                name="a_settled_figure_is_above_zero",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.symbol}: {'no usable report' if self.volume is None else f'{self.volume:,}'}"


class Draw(Evidence):
    """The digit of one attack, written once: retries, rulings and rollbacks reuse it."""

    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="draws_made")
    nation = models.CharField(max_length=40)
    line = models.PositiveIntegerField(
        help_text=("Line of the attack in that nation's judged orders.")
    )
    area = models.CharField(max_length=40)
    figure = models.ForeignKey(Figure, on_delete=models.PROTECT, related_name="draws")
    digit = models.PositiveSmallIntegerField()
    drawn_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["phase", "nation", "line"], name="one_digit_an_attack"),
            models.CheckConstraint(condition=models.Q(digit__lte=9), name="a_digit_is_0_to_9"),
        ]

    def __str__(self) -> str:
        return f"{self.nation}{f' in {self.area}' if self.area else ', a die'}: {self.digit}"


class Listing(Evidence):
    """The result of looking up a symbol: whether it exists, where it is listed, how much is sold.

    It decides a warning, never a digit. It belongs to no game and does not reveal who named the
    stock. The newest row of a symbol counts for some days (games.market.listings).
    """

    class Verdict(models.TextChoices):
        GOOD = "good", "a liquid stock or fund"
        UNKNOWN = "unknown", "no such symbol"
        PAPER = "paper", "neither a stock nor a fund"
        ABROAD = "abroad", "not listed in the United States"
        THIN = "thin", "too few sales for fair digits"

    symbol = models.CharField(max_length=8)
    source = models.CharField(max_length=20)
    verdict = models.CharField(
        max_length=10,
        choices=Verdict,
        help_text="Verdict by the limits in force when the stock was looked up.",
    )
    exchange = models.CharField(max_length=60, blank=True)
    instrument = models.CharField(
        max_length=20,
        blank=True,
        help_text=("The source's name for the kind: EQUITY, ETF or other."),
    )
    currency = models.CharField(max_length=8, blank=True)
    median_volume = models.BigIntegerField(
        null=True,
        blank=True,
        help_text=("Median shares per session; empty if there were no sessions."),
    )
    sessions = models.PositiveSmallIntegerField(
        default=0, help_text="Number of sessions in the median."
    )
    checked_at = models.DateTimeField()
    raw = models.JSONField(
        default=dict,
        help_text=(
            "The part of the source's answer that was used, and the version of the library."
        ),
    )

    class Meta:
        indexes = [models.Index(fields=["symbol", "-checked_at"])]

    def __str__(self) -> str:
        return f"{self.symbol}: {self.get_verdict_display()}"


class ClosureQuerySet(LeasedQuerySet[Any]):
    def in_effect(self) -> ClosureQuerySet:
        """Return the closures that change sessions: whole days, not removed, and confirmed if
        they need it.
        """
        counts = models.Q(needs_evidence=False) | models.Q(confirmed_at__isnull=False)
        return self.filter(counts, removed_at=None, closes_at=None)


class MarketClosure(Leased):
    """A day without trading that the calendar does not know, such as a day of mourning.

    The operator enters it. A closure entered before the session opens counts at once. One entered
    later (`needs_evidence`) counts from `confirmed_at`, when the publisher has sales of the
    exchange's leading stocks for a later session and no entry for that day
    (games.desk.closure_evidence). The publisher is asked in both cases, and its answers are stored.
    A refused or wrong closure is marked as removed.
    """

    exchange = models.CharField(max_length=12, default="XNYS")
    day = models.DateField()
    closes_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="An early close, from older entries; no longer used.",
    )
    reason = models.CharField(max_length=200)
    entered_by = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    entered_at = models.DateTimeField(default=clock.now)
    needs_evidence = models.BooleanField(
        default=False,
        db_default=False,
        help_text=(
            "Entered after the session had begun: the closure counts only once readings confirm it."
        ),
    )
    confirmed_at = models.DateTimeField(
        null=True, blank=True, help_text="When readings confirmed that nothing was traded."
    )
    readings: models.ManyToManyField[Reading, Reading] = models.ManyToManyField(
        Reading, blank=True, related_name="closures"
    )
    due_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When to read the leading stocks next; empty: never.",
    )
    claim = models.CharField(max_length=32, blank=True, default="", db_default="")
    removed_by = models.ForeignKey(
        Person,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who removed it; empty: the service.",
    )
    removed_at = models.DateTimeField(null=True, blank=True)
    removed_because = models.CharField(max_length=200, blank=True)

    objects = ClosureQuerySet.as_manager()  # type: ignore[misc]  # the parent's, and more

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["exchange", "day"],
                condition=models.Q(removed_at=None),
                name="one_closure_a_day",
            )
        ]

    @property
    def counts(self) -> bool:
        """Whether it changes sessions, by the same condition as `in_effect`."""
        confirmed = self.confirmed_at is not None or not self.needs_evidence
        return confirmed and self.removed_at is None and self.closes_at is None

    def concerns(self, phase: Phase) -> bool:
        """Return whether a phase's record needs this closure.

        It does if it is of the phase's exchange, and of a day from the phase's lock to its last
        planned session, even if it never counted. It needs no early close, and no closure that was
        entered after the phase was resolved.
        """
        if not phase.session or phase.session_opens is None or phase.locked_at is None:
            return False
        changes, results = phase.session_changes.all(), phase.resolutions.all()
        last = max([phase.session_opens, *(change.old_opens for change in changes)])
        # A day of margin on both sides: the exchange's date is not the date in UTC.
        first = min(phase.locked_at, phase.deadline) - timedelta(days=1)
        return (
            self.exchange == phase.exchange
            and self.closes_at is None
            and first.date() <= self.day <= (last + timedelta(days=1)).date()
            and all(self.entered_at <= row.resolved_at for row in results if row.version == 1)
        )

    @property
    def sales(self) -> list[Reading]:
        """The readings by which the exchange was open on that day."""
        day = self.day.isoformat()
        return [row for row in self.readings.all() if row.session == day and row.volume]

    def as_record(self) -> dict[str, Any]:
        """Return the closure as in a game's record, its readings by time."""
        readings = sorted(self.readings.all(), key=lambda row: (row.read_at, row.pk))
        return form.CLOSURE.write(
            self, day=self.day.isoformat(), readings=[row.as_record() for row in readings]
        )

    def __str__(self) -> str:
        return f"{self.exchange} {self.day}: {self.reason}"
