"""No sequence of events leads to a second digit.

See issue 3, "Must show"; docs/design.md 1, promises 1 to 5. A state machine sends orders at any
time, advances the clock, kills workers between any two statements, delivers tasks twice, changes
the market's answers, moves deadlines and types in figures. After each step it checks the invariants
in the tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from hypothesis import HealthCheck, settings
from hypothesis import Phase as Phases
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from games import desk, market
from games.evidence import export
from games.market.report import Report
from games.models import Draw, Figure, Game, Letter, Person, Phase, Resolution
from games.positions import in_force
from games.rules.verification import record, verify
from games.turns import process, queue
from orders.intake import ledger
from orders.models import Submission
from tests.market.conftest import listed
from tests.support import ticks
from tests.support.campaign import Campaign
from tests.support.examples import examples

pytestmark = pytest.mark.django_db

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
STOCKS = ("GE", "IBM", "F")
TEXTS = (
    *(
        "ATTACK Poland: France STOCK GE",
        "ATTACK Poland: France STOCK IBM/F",
        "ATTACK Poland: France STOCK F MIN 2-1",
    ),
    *("PLACE 3 Poland", "PASS", "DANCE", "ATTACK Poland: France STOCK GE\nUNDERSTANDING Poland"),
)
REPORTS = (
    *(Report("ok", volume) for volume in (5_412_345, 5_412_945, 100, 99)),
    *(
        Report(kind, detail=f"a test says {kind}")
        for kind in ("no_bar", "no_sales", "unknown", "later")
    ),
    Report("later", detail="down", down=True),
)


class PowerCut(BaseException):
    """End a worker with an exception that no code of it catches."""


class Ticker:
    """Market that answers as the machine wants, and fails where it wants."""

    name = "yahoo"
    at_once = 1

    def __init__(self) -> None:
        self.says: dict[str, Report] = {}

    def read(self, symbol: str, session: market.Session, now: datetime) -> Report:
        return listed(self.says.get(symbol, Report("ok", 1_234_500 + sum(symbol.encode()) * 100)))


@contextmanager
def interrupted(at: int, by: Any) -> Iterator[None]:
    """Call `by` before the statement with number `at`: a fault, a power cut, another worker."""
    done = 0

    def wrapper(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal done
        # A savepoint stands for a transaction here: the interruption comes at a statement within
        # it, or after its end.
        if not sql.startswith(("SAVEPOINT", "RELEASE", "ROLLBACK")):
            done += 1
            if done == at:
                by()
        return execute(sql, params, many, context)

    with connection.execute_wrapper(wrapper):
        yield


def power_cut() -> None:
    raise PowerCut


def fault() -> None:
    raise OperationalError("the server closed the connection \0 unexpectedly")


class Service(RuleBasedStateMachine):
    """Play one game in its first phase of attacks. Set `campaign` first."""

    campaign: Campaign

    def __init__(self) -> None:
        super().__init__()
        self.whole = transaction.atomic()
        self.whole.__enter__()
        self.depth = len(connection.savepoint_ids)
        self.now = self.campaign.now
        self.game = Game.objects.get(pk=self.campaign.game.pk)
        self.ticker = Ticker()
        self.ticker.name = self.game.market
        self.patch = pytest.MonkeyPatch()
        if self.game.market != Game.Market.NEWSPAPER:
            self.patch.setattr("games.market.sources.source_for", lambda game: self.ticker)
        self.patch.setattr("games.turns.process.logger.exception", lambda *words: None)
        self.set_back = False
        self.given_out: list[tuple[int, str]] = []
        self.draws: dict[Any, Any] = {}
        self.figures: dict[Any, Any] = {}
        self.locks: dict[int, Any] = {}
        self.resolutions: dict[Any, Any] = {}

    # --- people and time ---

    @rule(
        nation=st.sampled_from(("Germany", "France", "Russia")),
        text=st.sampled_from(TEXTS),
        final=st.booleans(),
    )
    def order(self, nation: str, text: str, final: bool) -> None:
        if self.game.status != Game.Status.FINISHED:
            seat = self.game.seats.get(nation=nation)
            ledger.receive(
                seat,
                text,
                ledger.Arrival("web", self.campaign.players[nation], self.now),
                final=final,
            )

    @rule()
    def everybody_is_final(self) -> None:
        for nation in self.campaign.players:
            self.order(nation, "PASS" if nation != "Germany" else TEXTS[0], True)

    @rule(by=st.sampled_from((SECOND, 29 * SECOND, MINUTE, 31 * MINUTE, HOUR, 5 * HOUR, 30 * HOUR)))
    def time_passes(self, by: timedelta) -> None:
        self.now += by

    @rule(short=st.sampled_from((timedelta(0), -SECOND, SECOND)))
    def time_comes_to_what_is_due(self, short: timedelta) -> None:
        due = self.phase.due_at
        if due is not None:
            self.now = max(self.now, due + short)

    @rule(by=st.sampled_from((-30 * SECOND, -20 * MINUTE)))
    def the_clock_is_set_back(self, by: timedelta) -> None:
        self.now += by
        self.set_back = True

    @rule(by=st.sampled_from((-20 * MINUTE, 40 * MINUTE, 26 * HOUR)))
    def the_deadline_moves(self, by: timedelta) -> None:
        try:
            desk.extend(
                self.phase, self.phase.deadline + by, "Felix is at sea", self.campaign.ada, self.now
            )
        except desk.DeskError:
            assert self.phase.status != Phase.Status.OPEN or self.phase.deadline + by <= self.now

    @rule(symbol=st.sampled_from(STOCKS), report=st.sampled_from(REPORTS))
    def the_market_says(self, symbol: str, report: Report) -> None:
        self.ticker.says[symbol] = report

    @rule(symbol=st.sampled_from(STOCKS), volume=st.sampled_from((7_700, 8_800_800)))
    def a_figure_is_typed_in(self, symbol: str, volume: int) -> None:
        with suppress(desk.DeskError):
            desk.enter_figure(self.phase, symbol, volume, self.campaign.ada, self.now)

    @precondition(lambda self: self.phase.status == Phase.Status.HELD)
    @rule()
    def the_hold_is_lifted(self) -> None:
        desk.lift_hold(self.phase, self.campaign.ada, self.now)

    # --- workers and their faults ---

    @rule()
    def a_tick(self) -> None:
        token, phases = queue.claim(self.now, 10)
        self.given_out += [(phase, token) for phase in phases]
        for phase in phases:
            process.process([phase], token, self.now)

    @rule()
    def a_worker_dies_before_it_begins(self) -> None:
        token, phases = queue.claim(self.now, 10)
        self.given_out += [(phase, token) for phase in phases]

    @precondition(lambda self: self.given_out)
    @rule(which=st.integers(0, 5))
    def a_task_is_delivered_again(self, which: int) -> None:
        phase, token = self.given_out[-1 - which % len(self.given_out)]
        process.process([phase], token, self.now)

    @rule(at=st.integers(1, 45), by=st.sampled_from((power_cut, fault)))
    def a_worker_is_cut_off(self, at: int, by: Any) -> None:
        token, phases = queue.claim(self.now, 10)
        self.given_out += [(phase, token) for phase in phases]
        for phase in phases:
            try:
                with interrupted(at, by):
                    process.process([phase], token, self.now)
            except (
                PowerCut,
                OperationalError,
            ):  # an operational error gets out if storing the failure fails, too
                transaction.set_rollback(False)  # nothing was begun outside the savepoints

    @rule(at=st.integers(1, 45))
    def another_worker_takes_over_in_the_midst(self, at: int) -> None:
        """Let the first worker's lease expire.

        No other worker comes between inside a transaction.
        """
        token, phases = queue.claim(self.now, 10)
        self.given_out += [(phase, token) for phase in phases]

        def take_over() -> None:
            if len(connection.savepoint_ids) == self.depth:
                self.now += 121 * SECOND
                self.a_tick()

        for phase in phases:
            with interrupted(at, take_over):
                process.process([phase], token, self.now)

    @rule()
    def reminders_and_the_pulse(self) -> None:
        ticks.finish_tick(self.now)

    # --- invariants ---

    @property
    def phase(self) -> Phase:
        phase = self.game.phases.current()
        assert phase is not None
        return phase

    @invariant()
    def nothing_that_was_written_changes(self) -> None:
        """Promise 3: one draw per attack; figures never change, no resolution is doubled."""
        self.game.refresh_from_db()
        draws = {
            (phase, nation, line): (digit, symbol, volume)
            for phase, nation, line, digit, symbol, volume in Draw.objects.filter(
                phase__game=self.game
            ).values_list("phase", "nation", "line", "digit", "figure__symbol", "figure__volume")
        }
        _only_grows(self.draws, draws)
        assert all(digit == volume // 100 % 10 for digit, _, volume in draws.values())
        figures = {
            (phase, symbol): volume
            for phase, symbol, volume in Figure.objects.filter(phase__game=self.game).values_list(
                "phase", "symbol", "volume"
            )
        }
        _only_grows(self.figures, figures)
        rows = Resolution.objects.filter(phase__game=self.game)
        resolutions = {(row.phase_id, row.version): (row.events, row.after) for row in rows}
        _only_grows(self.resolutions, resolutions)
        assert all(version == 1 for _, version in resolutions)
        thrown = [
            ((phase, event["nation"], event["line"]), event["digit"])
            for (phase, _), (events, _) in resolutions.items()
            for event in events
            if event["kind"] == "attack"
        ]
        assert sorted(thrown) == sorted((key, digit) for key, (digit, _, _) in draws.items())

    @invariant()
    def what_was_locked_stays_locked_and_its_session_opened_after_it(self) -> None:
        """Promise 3: no digit is known while an order that names its stock can be sent."""
        locks = {}
        for phase in self.game.phases.all():
            if phase.locked_at is None:
                assert phase.status == Phase.Status.OPEN or phase.held_from == Phase.Status.OPEN
                continue
            counting = list(phase.submissions.filter(counts=True).order_by("number"))
            locks[phase.pk] = (
                phase.locked_at,
                phase.digest,
                phase.session,
                tuple(phase.stocks),
                tuple(row.number for row in counting),
            )
            assert all(row.received_at <= phase.locked_at for row in counting)
            texts, salts = in_force.texts_in_force(phase), in_force.in_force(phase)
            leaves = {
                nation: record.leaf(nation, text, salts[nation].salt)
                for nation, text in texts.items()
            }
            assert record.digest(leaves) == phase.digest
            if phase.session_opens is not None:
                # If the lock came late, the announced deadline fixed the session.
                assert phase.session_opens > min(phase.locked_at, phase.deadline)
                assert all(phase.session_opens > row.received_at for row in counting)
        _only_grows(self.locks, locks)

    @invariant()
    def phases_follow_each_other_and_each_letter_is_written_once(self) -> None:
        """Promises 2 and 4: each deadline once, each report once."""
        phases = list(self.game.phases.all())
        assert [phase.number for phase in phases] == list(range(1, len(phases) + 1))
        assert all(phase.status == Phase.Status.RESOLVED for phase in phases[:-1])
        resolved = {phase.pk for phase in phases if phase.status == Phase.Status.RESOLVED}
        assert resolved == {phase for phase, _ in self.resolutions}
        letters = Letter.objects.filter(game=self.game)
        for kind, expected in (
            ("opened", {phases[0].pk}),
            ("board", {phase.pk for phase in phases[:-1]} & resolved),
            ("locked", {phase.pk for phase in phases if phase.session}),
        ):
            recipients = sorted(letters.filter(kind=kind).values_list("phase", "address"))
            assert recipients == sorted(
                (phase, address) for phase in expected for address in self.addresses
            )
        keys = list(letters.values_list("key", flat=True))
        assert len(keys) == len(set(keys))

    @invariant()
    def the_ledger_is_whole(self) -> None:
        """Promise 1: everything is stored as received, each row chained to the one before."""
        previous = ""
        rows = list(
            Submission.objects.filter(game=self.game)
            .select_related("seat", "phase")
            .order_by("number")
        )
        assert [row.number for row in rows] == list(range(1, len(rows) + 1))
        for row in rows:
            assert row.previous_hash == previous
            assert row.hash == row.chain_hash()
            previous = row.hash

    @property
    def addresses(self) -> list[str]:
        return list(Person.objects.order_by("email").values_list("email", flat=True))

    # --- the end ---

    def teardown(self) -> None:
        """Assert that the phase ends by itself after the faults, and that its record verifies."""
        try:
            self._come_to_an_end()
        finally:
            self.patch.undo()
            transaction.set_rollback(True)
            self.whole.__exit__(None, None, None)

    def _come_to_an_end(self) -> None:
        self.ticker.says.clear()
        number = self.phase.number
        for _ in range(60):
            phase = self.game.phases.get(number=number)
            if phase.status == Phase.Status.RESOLVED:
                break
            if phase.status == Phase.Status.HELD:
                if "No usable sales figure" in phase.fault:
                    break
                desk.lift_hold(phase, self.campaign.ada, self.now)
                phase.refresh_from_db()
            if (
                self.game.market == Game.Market.NEWSPAPER
                and phase.session_closes
                and self.now >= phase.session_closes
            ):
                for symbol in phase.stocks:
                    self.a_figure_is_typed_in(symbol, 1_234_200)  # above the floor
                phase.refresh_from_db()
            assert phase.due_at is not None
            self.now = max(self.now + 121 * SECOND, phase.due_at)
            self.a_tick()
        else:
            raise AssertionError(
                f"the phase has not come to an end: {phase.status}, due {phase.due_at}, now"
                f" {self.now}, {phase.fault}"
            )
        self.nothing_that_was_written_changes()
        self.what_was_locked_stays_locked_and_its_session_opened_after_it()
        self.phases_follow_each_other_and_each_letter_is_written_once()
        self.the_ledger_is_whole()
        if not self.set_back:  # the checker derives the order of events from their times
            assert verify.check(export.record(self.game, private=True)) == []


def _only_grows(known: dict[Any, Any], found: dict[Any, Any]) -> None:
    """Assert that `found` contains everything in `known`, unchanged, and remember it."""
    assert {key: found.get(key) for key in known} == known
    known.update(found)


def _step(campaign: Campaign) -> None:
    token, phases = queue.claim(campaign.now, 10)
    for phase in phases:
        process.process([phase], token, campaign.now)


@pytest.mark.parametrize("game", ["yahoo", "demo", "newspaper"])
def test_random_events_never_draw_a_second_digit(game: str) -> None:
    """Issue 3: nor changes a settled figure, nor draws from a session open before the lock."""
    campaign = Campaign.begin(
        market=game,
        may_lock_early=game != "newspaper",
        options={
            "rng.settle": "agreed_readings",
            "orders.grace_hours": 0 if game == "yahoo" else 1,
        },
        seats={
            "Germany": "gustav@example.org",
            "France": "felix@example.org",
            "Russia": "rosa@example.org",
            "USA": "bot",
            "Britain": "bot",
        },
    )
    ticks.finish_tick(campaign.now)
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("France", "PLACE 6 Poland")
    assert campaign.phase.due_at is not None
    campaign.now = campaign.phase.due_at
    _step(campaign)
    assert campaign.phase.number == 2
    machine = type("Service", (Service,), {"campaign": campaign})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples(8, daily=3),
            stateful_step_count=30,
            deadline=None,
            derandomize=True,
            database=None,
            phases=(Phases.generate,),  # no shrinking: it takes minutes
            suppress_health_check=list(HealthCheck),
        ),
    )
