"""Random sequences of rulings keep all invariants (issue 5.2, 5.3, 5.5, 5.6; design.md 4).

Play whole games at random through the desk's functions and check the invariants after each step.
For more games: `RULING_SEEDS=200 pytest tests/turns/test_ruling_properties.py -k length`.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import Phase as Phases
from hypothesis import strategies as st

from games import desk, market, positions
from games.evidence import export
from games.letters import rendering
from games.models import Draw, Figure, Game, Letter, Person, Phase, Resolution, Ruling, Seat
from games.rules import options, ruling_kinds
from games.rules import rulings as pure
from games.rules.digits import roll_symbol, volume_of_roll
from games.rules.verification import verify
from games.turns import judging, rulings
from orders.intake import ledger
from orders.models import Submission
from tests.records import played
from tests.support import copied
from tests.support.campaign import NATIONS, Campaign, person
from tests.support.examples import examples

pytestmark = [pytest.mark.django_db, pytest.mark.long]

SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
EVIDENCE = (Draw, Figure, Submission, Resolution, Ruling)
AREAS = ("Poland", "Germany", "Rumania", "Austria", "Italy", "Baltic States", "Narnia")
SEEDS = int(os.environ.get("RULING_SEEDS", examples(2, daily=1)))
STEPS = examples(45, daily=25)


class Table:
    """Play one game at random as its gamesmaster and its players."""

    def __init__(self, campaign: Campaign, chance: random.Random) -> None:
        self.campaign, self.chance = campaign, chance
        self.known: dict[Any, Any] = {}
        self.newcomers = 0
        self.recipients: dict[int, set[str]] = {}
        self.log: list[str] = []
        self.copied = 0
        self.addresses = self._addresses()

    # --- steps ---

    def step(self) -> None:
        doing: Callable[[], None] = self.chance.choice(
            [
                self.time_comes,
                self.time_comes,
                self.time_comes,
                self.orders,
                self.orders,
                self.a_ruling,
                self.a_ruling,
                self.a_ruling,
                self.a_revocation,
                self.a_release,
                self.a_pause_begins_or_ends,
                self.more_time,
                self.at_once,
                self.a_hold_is_lifted,
                self.a_player_is_replaced,
                self.rolls,
            ]
        )
        self.campaign.now += self.chance.choice((SECOND, SECOND, MINUTE, 20 * MINUTE))
        self.log.append(f"{doing.__name__} at {self.campaign.now:%d %H:%M:%S}")
        doing()
        self.game.refresh_from_db()
        self.check()

    @property
    def game(self) -> Game:
        return self.campaign.game

    def time_comes(self) -> None:
        due = self.campaign.phase.due_at
        if self.game.status == Game.Status.RUNNING and due is not None:
            self.campaign.now = max(self.campaign.now, due)
        self.campaign.wait_until(self.campaign.now)

    def orders(self) -> None:
        if self.game.status not in (Game.Status.RUNNING, Game.Status.PAUSED):
            return
        phase = self.campaign.phase
        for nation in NATIONS:
            if phase.status == Phase.Status.OPEN and self.chance.random() < 0.8:
                self.send(nation, self.text_of(phase, nation), final=self.chance.random() < 0.5)
        if self.chance.random() < 0.3:
            old = self.chance.choice(list(self.game.phases.all()))
            nation = self.chance.choice(NATIONS)
            self.send(nation, self.text_of(old, nation), meant_for=old)

    def send(
        self, nation: str, text: str, meant_for: Phase | None = None, final: bool = False
    ) -> None:
        seat = self.campaign.seat(nation)
        sitting = seat.sittings.filter(until=None).first()
        if sitting is not None and text.strip():
            arrival = ledger.Arrival("web", sitting.person, self.campaign.now, meant_for)
            ledger.receive(seat, text, arrival, final=final)

    def text_of(self, phase: Phase, nation: str) -> str:
        """Return the orders a bot would send, or PASS if it has none."""
        state = positions.state_of(phase)
        if nation not in self.game.rules.acting_nations(state):
            return "PASS"
        return self.game.rules.bot.orders(state, nation, f"{self.chance.random()}") or "PASS"

    def a_ruling(self) -> None:
        phases = list(self.game.phases.order_by("number"))
        ruled_on = [
            row for row in phases if row.status not in (Phase.Status.OPEN, Phase.Status.UNDONE)
        ]
        phase = self.chance.choice(ruled_on if ruled_on and self.chance.random() < 0.9 else phases)
        kind = self.chance.choice(ruling_kinds.kinds_of(self.game.rules)[:-2] * 3 + ("rollback",))
        self.rule(phase, kind, self.what(phase, kind))

    def a_revocation(self) -> None:
        rows = list(self.game.rulings.select_related("phase"))
        if rows:
            row = self.chance.choice(rows)
            self.rule(row.phase, "revoke", {"ruling": row.number})

    def rule(self, phase: Phase, kind: str, what: dict[str, Any]) -> None:
        """Make a ruling; assert that its preview told the result, or the reason of the refusal."""
        self.log[-1] += f" phase {phase.number} ({phase.status}) {kind} {what}"
        preview = rulings.preview(phase, kind, what)
        before = self.table_sizes()
        row, refusal = None, ""
        try:
            row = rulings.rule(
                phase,
                kind,
                what,
                "The newspaper.",
                self.campaign.ada,
                self.campaign.now,
                token=preview.token,
            )
        except rulings.RulingError as error:
            refusal = str(error)
        if row is None:
            self.log[-1] += f": {refusal}"
            assert refusal == preview.fault
            assert self.table_sizes() == before
            return
        self.log[-1] += f": ruling {row.number}"
        assert preview.new is not None, preview.fault
        assert (preview.new.words, preview.new.what) == (row.words, row.what)
        if not preview.waits:
            self.recipients[row.number] = self.addresses
            now = self.game.rules.board(self.game.load(positions.position(self.game)))
            assert now.cells == preview.board_after.cells

    def table_sizes(self) -> list[int]:
        return [model.objects.count() for model in (*EVIDENCE, Letter)]

    def what(self, phase: Phase, kind: str) -> dict[str, Any]:
        chance, nation = self.chance, self.chance.choice(NATIONS)
        newest = positions.newest_resolution(phase)
        attacks = [
            event
            for event in (newest.events if newest else ())
            if event["kind"] in ("attack", "void")
        ]
        if kind == "orders":
            numbers = list(
                phase.submissions.filter(seat__nation=nation).values_list("number", flat=True)
            )
            if numbers and chance.random() < 0.4:
                return {"nation": nation, "submission": chance.choice(numbers)}
            return {
                "nation": nation,
                "text": None if chance.random() < 0.3 else self.text_of(phase, nation),
            }
        if kind == "digit":
            if not market.sales_decide(self.game) or chance.random() < 0.1:
                return {
                    "stock": roll_symbol(chance.randint(1, 4)),
                    "volume": volume_of_roll(chance.randint(0, 9)),
                }
            stock = chance.choice([*phase.stocks, *self.game.reserves[:2], "GE"])
            return {"stock": stock, "volume": chance.choice((None, 100, 5_412_345, 900, 700, 300))}
        if kind == "result":
            event = chance.choice(attacks) if attacks else {"nation": nation, "line": 1}
            results = (*self.game.rules.guide.table().meanings, pure.VOID)
            return {
                "nation": event["nation"],
                "line": event["line"],
                "result": chance.choice(results),
            }
        if kind == "position":
            cells: dict[str, dict[str, Any]] = {}
            for _ in range(chance.randint(1, 3)):
                row = cells.setdefault(
                    chance.choice(AREAS[: 7 if chance.random() < 0.1 else 6]), {}
                )
                row[chance.choice(NATIONS)] = {
                    "pf": chance.randint(0, 9),
                    "understanding": chance.random() < 0.2,
                }
            return {"cells": cells}
        if kind == "counter":
            counter = chance.choice(self.game.rules.counters)
            return {
                "nation": nation,
                "area": chance.choice(AREAS[:6]),
                "counter": counter,
                "given": chance.random() < 0.7,
            }
        if kind == "points":
            return {"nation": nation, "points": chance.choice((-3, 0, 1, 7))}
        if kind == "option":
            option = chance.choice(pure.option_ids(self.game.rules))
            return {"option": option, "value": chance.choice(options.OPTIONS[option].choosable)}
        return {}

    def a_release(self) -> None:
        waiting = self.campaign.phase
        if waiting.status == Phase.Status.APPROVAL:
            try:
                rulings.release(waiting, self.campaign.ada, self.campaign.now)
            except rulings.RulingError:
                assert self.game.status != Game.Status.RUNNING or (
                    waiting.due_at and waiting.due_at <= self.campaign.now
                )

    def a_pause_begins_or_ends(self) -> None:
        if self.game.status == Game.Status.RUNNING and self.chance.random() < 0.5:
            desk.pause(self.game, "Snow.", self.campaign.ada, self.campaign.now)
        elif self.game.status == Game.Status.PAUSED:
            desk.resume(self.game, "Thaw.", self.campaign.ada, self.campaign.now)

    def more_time(self) -> None:
        self.unless_refused(
            lambda: desk.extend(
                self.campaign.phase,
                self.campaign.now + 90 * MINUTE,
                "Felix is at sea.",
                self.campaign.ada,
                self.campaign.now,
            )
        )

    def at_once(self) -> None:
        self.unless_refused(
            lambda: desk.process_now(
                self.campaign.phase, "All have sent.", self.campaign.ada, self.campaign.now
            )
        )

    def a_hold_is_lifted(self) -> None:
        phase = self.campaign.phase
        if phase.status == Phase.Status.HELD:
            desk.lift_hold(phase, self.campaign.ada, self.campaign.now)
        elif phase.status == Phase.Status.DRAWING:
            self.unless_refused(
                lambda: desk.hold(phase, "The wire is down.", self.campaign.ada, self.campaign.now)
            )

    def a_player_is_replaced(self) -> None:
        seat: Seat = self.campaign.seat(self.chance.choice(NATIONS))
        if self.newcomers >= 3:
            return
        self.newcomers += 1
        name = f"newcomer{self.newcomers}"

        def replaced() -> None:
            invitation = desk.replace(
                seat, f"{name}@example.org", "He has moved.", self.campaign.ada, self.campaign.now
            )
            desk.accept(invitation, person(name), self.campaign.now)

        self.unless_refused(replaced)

    def rolls(self) -> None:
        phase = self.campaign.phase
        if phase.status == Phase.Status.DRAWING and self.game.digit_source == market.GM_DICE:
            self.unless_refused(
                lambda: desk.enter_rolls(
                    phase, [self.chance.randint(0, 9)], self.campaign.ada, self.campaign.now
                )
            )

    def unless_refused(self, act: Callable[[], Any]) -> None:
        """Do `act`, or log why the desk refused it. Other tests check what the desk refuses."""
        try:
            with transaction.atomic():
                act()
        except desk.DeskError as error:
            self.log[-1] += f": {error}"

    # --- invariants ---

    def check(self) -> None:
        self.evidence_only_grows()
        self.the_board_is_what_a_judgment_from_scratch_gives()
        self.everybody_has_each_letter_once()
        self.nothing_is_stuck()
        versions = Resolution.objects.count() + Ruling.objects.count()
        if versions != self.copied:
            self.copied = versions
            self.both_records_hold_and_the_whole_one_can_be_copied()
        self.addresses = self._addresses()

    def evidence_only_grows(self) -> None:
        """Design 4: no row of evidence is ever changed or deleted."""
        evidence_rows = {
            (model.__name__, row["id"]): row for model in EVIDENCE for row in model.objects.values()
        }
        assert {key: evidence_rows.get(key) for key in self.known} == self.known
        self.known = evidence_rows

    def the_board_is_what_a_judgment_from_scratch_gives(self) -> None:
        game, rules = self.game, self.game.rules
        rows = list(game.rulings.order_by("number"))
        stands = [row for row in rows if holds(row, rows)]
        position = positions.start_position(game)
        for phase in game.phases.exclude(status=Phase.Status.UNDONE).order_by("number"):
            if phase.status != Phase.Status.RESOLVED:
                assert phase == self.campaign.phase
                break
            here = [row for row in stands if row.phase_id == phase.pk]
            contents: dict[str, list[Any]] = {
                kind: [row.what for row in here if row.kind == kind] for kind in ruling_kinds.KINDS
            }
            texts = {
                row.seat.nation: row.text
                for row in phase.submissions.filter(counts=True).order_by("number")
            }
            for what in contents["orders"]:
                texts[what["nation"]] = (
                    Submission.objects.get(game=game, number=what["submission"]).text
                    if "submission" in what
                    else what["text"]
                )
            state = rules.load(
                game.card,
                {**game.options, **{what["option"]: what["value"] for what in contents["option"]}},
                position,
            )
            volumes = dict(phase.figures.values_list("symbol", "volume")) | {
                what["stock"]: what["volume"] for what in contents["digit"]
            }
            results = {
                (what["nation"], what["line"]): what["result"] for what in contents["result"]
            }
            orders = rules.in_force(
                state, {nation: text for nation, text in texts.items() if text is not None}
            )
            after = rules.resolve(
                state, orders, market.Figures(volumes), game.reserves, results=results
            ).state
            after = game.load(rules.dump(after))
            for row in here:
                after = applied(rules, after, row.kind, row.what)
            position = rules.dump(after)
        assert position == positions.position(game)

    def everybody_has_each_letter_once(self) -> None:
        """Issue 5.2: every player gets the new board of each version of a result."""
        assert Letter.objects.count() == Letter.objects.values("key", "address").distinct().count()
        letters_sent = dict.fromkeys(self.recipients, 0)
        ruled_letters, number_to_pk = (
            self.campaign.letters("ruled"),
            dict(self.game.rulings.values_list("number", "pk")),
        )
        for number, expected in self.recipients.items():
            letters = [
                letter for letter in ruled_letters if letter.about["ruling"] == number_to_pk[number]
            ]
            assert sorted(letter.address for letter in letters) == sorted(expected)
            letters_sent[number] = len(letters)
        for version in Resolution.objects.filter(phase__game=self.game).select_related("ruling"):
            assert version.version == 1 or (version.ruling and letters_sent[version.ruling.number])
        newest = Letter.objects.filter(game=self.game).order_by("-pk").first()
        if newest is not None:
            assert rendering.render(newest).text

    def nothing_is_stuck(self) -> None:
        phases = list(self.game.phases.order_by("number"))
        open_ones = [
            row for row in phases if row.status not in (Phase.Status.RESOLVED, Phase.Status.UNDONE)
        ]
        assert len(open_ones) == (self.game.status in (Game.Status.RUNNING, Game.Status.PAUSED))
        for row in open_ones:
            if row.status == Phase.Status.HELD:
                assert row.fault
            else:
                assert row.due_at is not None
        assert all(row.due_at is None for row in phases if row not in open_ones)

    def both_records_hold_and_the_whole_one_can_be_copied(self) -> None:
        for private in (False, True):
            tree = json.loads(export.text(export.record(self.game, private=private)))
            assert [str(difference) for difference in verify.check(tree)] == []
        with rolled_back():
            again = copied.exported(tree, self.campaign.ada)
        assert again == tree

    def _addresses(self) -> set[str]:
        sitting = Person.objects.filter(sittings__seat__game=self.game, sittings__until=None)
        return {member.email for member in (*sitting, *self.game.gamesmasters.all())}

    # --- the end ---

    def play_to_the_end(self) -> None:
        """Assert that the game ends, whatever was ruled."""
        for _ in range(120):
            self.game.refresh_from_db()
            phase = self.campaign.phase
            if self.game.status == Game.Status.FINISHED:
                break
            if self.game.status == Game.Status.PAUSED:
                desk.resume(self.game, "Thaw.", self.campaign.ada, self.campaign.now)
            elif phase.status == Phase.Status.HELD:
                self.log.append(f"held: {phase.fault}")
                if unfit := re.match(r"Ruling (\d+) cannot be carried out", phase.fault):
                    self.rule(phase, "revoke", {"ruling": int(unfit[1])})
                elif "No usable" in phase.fault or "After a ruling" in phase.fault:
                    self.rule_every_attack(phase)
                else:
                    desk.lift_hold(phase, self.campaign.ada, self.campaign.now)
            else:
                self.log.append("rolls")
                self.rolls()
                self.campaign.now = max(
                    self.campaign.now + SECOND, phase.due_at or self.campaign.now
                )
                self.campaign.wait_until(self.campaign.now)
        else:
            raise AssertionError(
                f"the game does not end: {phase.title}, {phase.status}, due {phase.due_at},"
                f" {phase.fault}"
            )
        self.check()

    def rule_every_attack(self, phase: Phase) -> None:
        case = judging.case_of(phase)
        state = self.game.load(case.position)
        ruled_phase = ruling_kinds.RuledPhase(
            self.game.rules, state, case.sent, case.submissions, self.game.reserves, case.rulings
        )
        for nation, line in sorted(ruling_kinds.attacks(ruled_phase)):
            if phase.status == Phase.Status.HELD:
                self.log.append("")
                self.rule(phase, "result", {"nation": nation, "line": line, "result": "-"})
                phase.refresh_from_db()
        if phase.status == Phase.Status.HELD:
            desk.lift_hold(phase, self.campaign.ada, self.campaign.now)


def holds(row: Ruling, rows: list[Ruling]) -> bool:
    return not any(other.revokes_id == row.pk and holds(other, rows) for other in rows)


def applied(rules: Any, state: Any, kind: str, what: dict[str, Any]) -> Any:
    if kind == "position":
        return rules.editor.edit(state, pure.cells_of(what["cells"]))
    return rules.editor.edits[kind](state, **what) if kind in ("counter", "points") else state


class _Undo(Exception):
    pass


@contextmanager
def rolled_back() -> Iterator[None]:
    """Undo all writes of the block."""
    try:
        with transaction.atomic():
            yield
            raise _Undo
    except _Undo:
        pass


def play(chance: random.Random, client: Client | None = None) -> None:
    options = {
        "rng.source": chance.choice(("stocks", "stocks", "gm_dice", "commit_reveal")),
        "rng.no_stock": chance.choice(("next_on_list", "attack_void")),
        "orders.grace_hours": chance.choice((0, 1)),
    }
    campaign = Campaign.begin(
        options=options, reserves=played.RESERVES, may_lock_early=chance.random() < 0.5
    )
    Game.objects.filter(pk=campaign.game.pk).update(approval_hours=chance.choice((0, 0, 6)))
    campaign.game.refresh_from_db()
    table = Table(campaign, chance)
    try:
        for _ in range(STEPS):
            table.step()
        table.play_to_the_end()
        for path in (
            ("", "rulings/", *(f"phases/{phase.number}/" for phase in campaign.game.phases.all()))
            if client
            else ()
        ):
            assert client is not None
            assert client.get(f"/games/{campaign.game.pk}/{path}").status_code == 200
    except BaseException:
        print("\n".join(table.log))  # what led here
        raise


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(SEEDS))
def test_game_with_random_rulings_keeps_its_invariants_at_length(
    seed: int, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    played.short_card(monkeypatch)
    play(random.Random(seed), client)


@settings(
    max_examples=examples(2, daily=1),
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phases.generate,),  # no shrinking: it takes minutes
    suppress_health_check=list(HealthCheck),
)
@given(chance=st.randoms(note_method_calls=False, use_true_random=False))
def test_no_sequence_of_rulings_loses_or_spoils_anything(chance: random.Random) -> None:
    monkeypatch = pytest.MonkeyPatch()
    played.short_card(monkeypatch)
    try:
        with rolled_back():
            play(chance)
    finally:
        monkeypatch.undo()
