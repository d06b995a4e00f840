"""A whole record checked (contract.md 5): does every published result follow from the orders and
the digits?

No database, network or clock: a stranger may copy `games/rules` and run this with a record and a
newspaper. In order, for each phase:

1. its deadline, and that it was locked by it; each submission: number, hash chain, in time or late,
   counted or not;
2. the orders in force, from the submissions; the leaves and the digest, from the orders; the
   stocks, from the orders;
3. the session follows from deadline and calendar, and every figure from its readings
   (`verify_market`);
4. the digits, from the figures; each belongs to one attack;
5. each version of the resolution, by the rules from position, orders, figures, reserve list and the
   rulings that held then; the board, the scores, the winners.

A phase is played upon another one ("previous", else the one before it in the list): upon the
version of it that stood then.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise, zip_longest
from typing import Any

from .. import (
    REFEREE_SEAT,
    Json,
    NotKnown,
    PhaseId,
    RulesError,
    facts,
    options,
    pairs,
    rulings,
    teams,
)
from ..contract import Ruleset
from ..digits import DICE, digit_of_shares, digits_in_events, is_seed, is_usable, seed_hash
from ..orders import PART
from ..registry import ruleset
from . import entries, market, record
from .difference import GAME, Check, Difference, at, phase_name, to_json

#: Within this time orders are entered that came by another way than mail.
ENTERED_WITHIN = timedelta(minutes=1)
#: What the rules may raise over a position that no game ever came to: only a record that withholds
# its orders can bring one in.
_UNFIT = (RulesError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True)
class Counts:
    """How much was checked. Phases whose orders the record leaves out (a running game's public
    record) are not judged again."""

    phases: int
    submissions: int
    digits: int
    judged: int
    withheld: int


def check(tree: Json) -> list[Difference]:
    """All differences, the first one first; none for a record that holds. Raises `RecordError` for
    a document that is no record."""
    return list(differences(tree))


def counts(tree: Json) -> Counts:
    phases = tree["phases"]
    resolutions = [version for phase in phases for version in phase["resolutions"]]
    judged = sum(version["orders"] is not None for version in resolutions)
    return Counts(
        phases=len(phases),
        submissions=sum(len(phase["submissions"]) for phase in phases),
        digits=sum(len(phase["draws"]) for phase in phases),
        judged=judged,
        withheld=len(resolutions) - judged,
    )


def differences(tree: Json) -> Iterator[Difference]:
    """Finds them one after the other: who wants the first only stops there."""
    record.check_form(tree)
    try:
        rules = ruleset(tree["game"])
        rules.check_card(tree["card"])
        options.validate(tree["options"], partial=False)
        seats = [
            (seat["nation"], seat.get("by_table", False))
            for seat in tree["seats"]
            if not seat.get("referee")
        ]
        played = pairs.seated_nations(rules, seats)
        start = rules.setup(tree["card"], tree["options"], played, tree.get("secret", ""))
    except RulesError as error:
        raise record.RecordError(f"The record's game cannot be set up: {error}") from error
    yield from _game(tree, rules, start)
    yield from _rulings(tree, rules)
    try:
        yield from market.closures(tree)
    except _UNFIT as error:
        yield Difference("", "the list of closures", len(tree["closures"]), None, fault=str(error))
    known = [_ruling(row) for row in tree.get("rulings", ())]
    chain = _chain(tree)
    upon = _predecessors(tree)
    versions: dict[int, list[_Version]] = {}
    for index, phase in enumerate(tree["phases"]):
        history = _history(tree, versions, upon[index])
        if not history:
            missing = f"there, for phase {phase['number']} follows"
            yield Difference(f"Phase {upon[index]}", "the resolution", None, missing)
            return
        try:
            checker = _Phase(tree, rules, phase, history, known)
            yield from GAME.expect("the number of the phase", phase["number"], index + 1)
            yield from checker.identity()
            yield from checker.times()
            for submission in phase["submissions"]:
                yield from checker.submission(submission, *chain[id(submission)])
            yield from checker.orders()
            yield from market.Digits(tree, rules, phase, checker.is_ruled).differences()
            yield from checker.draws()
            yield from checker.resolutions()
        except _UNFIT as error:
            yield Difference(
                phase_name(phase), "the phase", phase["status"], None, fault=str(error)
            )
            return
        versions[phase["number"]] = checker.versions
        if (
            not phase["resolutions"]
            and phase["status"] != "undone"
            and phase is not tree["phases"][-1]
            and not _is_later_undone(tree, index)
        ):
            yield checker.wrong("the resolution", None, "there, for a later phase follows")
            return
    yield from _line(tree, upon)
    yield from _end(tree, rules, versions)
    for where, what, recorded, follows in entries.check(tree):
        yield Difference(where, what, recorded, follows)


# --- the game as a whole ---


def _game(tree: Json, rules: Ruleset, start: Any) -> Iterator[Difference]:
    if tree.get("secret"):
        if not is_seed(tree["secret"]):
            yield GAME.wrong("the secret of the game", tree["secret"], "64 hexadecimal digits")
            return
        what = "the hash of the secret, published when the game began,"
        yield from GAME.expect(what, tree.get("secret_hash", ""), seed_hash(tree["secret"]))
    elif tree["complete"] and tree["started"] and rules.needs_secret(tree["options"]):
        follows = "there, for its charts are drawn in secret"
        yield GAME.wrong("the secret of the game", None, follows)
    shown = start if tree["complete"] else rules.view(start, None)
    sheets = [seat["nation"] for seat in tree["seats"] if seat.get("referee")]
    seats = [REFEREE_SEAT] if rules.referee else []
    yield from GAME.expect("the seat of the gamesmaster", sheets, seats)
    yield from GAME.expect("the position at the start", tree["start"], rules.dump(shown))
    if listed := tree["options"]["rng.reserve_list"]:
        yield from GAME.expect("the reserve list", tree["reserves"], listed)
    if tree["status"] == "finished":
        what = "whether the record of the finished game is complete"
        yield from GAME.expect(what, tree["complete"], True)


@dataclass(frozen=True)
class _Version:
    """A version of a phase's result: when it was made, after which ruling, and the position that it
    leaves, as judged here."""

    after_ruling: int
    resolved: datetime | None
    position: Json


def _ruling(row: Json) -> rulings.Ruling:
    kept = ("number", "phase", "kind", "what", "words", "reason", "revokes")
    return rulings.Ruling(**{key: row[key] for key in kept})


def _chain(tree: Json) -> dict[int, tuple[int, str]]:
    """What number and hash before each submission should have. They are numbered in the game: one
    may come in late for an old phase."""
    rows: list[tuple[int, Json]] = []
    # By number, but those of one phase in the order in which they stand: so they are numbered.
    for phase in tree["phases"]:
        highest = 0
        for row in phase["submissions"]:
            highest = max(highest, row["number"])
            rows.append((highest, row))
    rows.sort(key=lambda entry: entry[0])
    found, previous = {}, ""
    for number, (_, row) in enumerate(rows, start=1):
        found[id(row)] = (number, previous)
        previous = row["hash"]
    return found


def _predecessors(tree: Json) -> list[int | None]:
    """For each phase the number of the one upon whose result it is played."""
    numbers: list[int | None] = [None, *(phase["number"] for phase in tree["phases"])]
    return [
        phase["previous"] if "previous" in phase else numbers[index]
        for index, phase in enumerate(tree["phases"])
    ]


def _history(
    tree: Json, versions: Mapping[int, list[_Version]], upon: int | None
) -> list[_Version]:
    """Return the versions a phase may be played upon; none without a result of the one before."""
    return [_Version(0, None, tree["start"])] if upon is None else versions.get(upon, [])


def _is_later_undone(tree: Json, index: int) -> bool:
    return all(phase["status"] == "undone" for phase in tree["phases"][index + 1 :])


def _rulings(tree: Json, rules: Ruleset) -> Iterator[Difference]:
    """Each ruling: its number, that it says in words what it says, and what it revokes."""
    revoked: set[int] = set()
    turns = {phase["number"]: phase["turn"] for phase in tree["phases"]}
    last = 0
    for row in tree.get("rulings", ()):
        what = f"ruling {row['number']}"
        if row["number"] <= last or (tree["complete"] and row["number"] != last + 1):
            yield GAME.wrong("the number of a ruling", row["number"], last + 1)
        if row["phase"] not in turns:
            follows: object = "the number of a phase of the game"
            yield GAME.wrong(f"the phase of {what}", row["phase"], follows)
        else:
            yield from GAME.expect(f"the turn of {what}", row["turn"], turns[row["phase"]])
        if (
            (row["kind"] == "revoke") != (row["revokes"] is not None)
            or (row["revokes"] or 0) >= row["number"]
            or row["revokes"] in revoked
        ):
            follows = "an earlier ruling that holds, where it is a revocation"
            yield GAME.wrong(f"what {what} revokes", row["revokes"], follows)
        if row["revokes"] is not None:
            revoked.add(row["revokes"])
        if not row["what"].get("withheld"):
            try:
                ids = {
                    phase["number"]: PhaseId(phase["turn"], phase["kind"])
                    for phase in tree["phases"]
                }
                title = rules.facts(ids[row["phase"]], tree["options"]).title
                follows = rulings.words(row["kind"], row["what"], title, rules.unit)
                earlier = rulings.earlier_words(row["kind"], row["what"], title)
            except _UNFIT as error:
                yield Difference("", what, row["what"], None, fault=str(error))
                return
            if row["words"] != earlier:
                yield from GAME.expect(f"what {what} says in words", row["words"], follows)
        last = row["number"]


def _line(tree: Json, upon: list[int | None]) -> Iterator[Difference]:
    """Check that standing phases follow each other, each once; undone ones name their ruling."""
    turning = {
        row["number"] for row in tree.get("rulings", ()) if row["kind"] in ("rollback", "revoke")
    }
    played: set[tuple[int, str]] = set()
    last: int | None = None
    for phase, previous in zip(tree["phases"], upon, strict=True):
        check, undone_by = Check(phase_name(phase)), phase.get("undone_by")
        if phase["status"] == "undone":
            if undone_by not in turning:
                follows = "one that turned the game"
                yield check.wrong("the ruling that has undone it", undone_by, follows)
            continue
        yield from check.expect("the ruling that has undone it", undone_by, None)
        if (phase["turn"], phase["kind"]) in played:
            yield check.wrong("the phase", "played twice", "played once")
        played.add((phase["turn"], phase["kind"]))
        yield from check.expect("the phase upon which it is played", previous, last)
        last = phase["number"]


def _end(
    tree: Json, rules: Ruleset, versions: Mapping[int, list[_Version]]
) -> Iterator[Difference]:
    standing = [phase for phase in tree["phases"] if phase["status"] != "undone"]
    last = versions[standing[-1]["number"]][-1:] if standing else []
    over = (
        bool(last)
        and rules.phase(rules.load(tree["card"], tree["options"], last[0].position)) is None
    )
    if over or tree["status"] == "finished":
        follows = "finished" if over else "running"
        yield from GAME.expect("the status of the game", tree["status"], follows)


def _sent(row: Json) -> teams.Sent:
    kept = ("number", "nation", "text", "counts", "late", "final", "salt")
    return teams.Sent(**{key: row[key] for key in kept}, member=row.get("member", 0))


def _refused_lines(remarks: Mapping[str, list[Json]]) -> Json:
    """The lines that were refused, and why, by nation."""
    errors = {
        nation: [[one["line"], one["code"]] for one in said if one["severity"] == "error"]
        for nation, said in remarks.items()
    }
    return {nation: said for nation, said in errors.items() if said}


class _Missing(RulesError, NotKnown):
    """A figure that the record does not have. An attack whose result is ruled may do without."""


class _Figures:
    """The recorded figures as the rules take them. One that the rules ask for and the record lacks
    is a difference of its own."""

    def __init__(self, volumes: Mapping[str, int | None]) -> None:
        self._volumes = volumes

    def get(self, symbol: str, /) -> int | None:
        if symbol not in self._volumes:
            raise _Missing(
                f"an attack needs the sales of {symbol}, and the record has no figure for it"
            )
        return self._volumes[symbol]


class _Phase(Check):
    """One phase of a record with the positions in which it was played: rulings may change them."""

    def __init__(
        self,
        tree: Json,
        rules: Ruleset,
        phase: Json,
        history: list[_Version],
        known: list[rulings.Ruling],
    ) -> None:
        super().__init__(phase_name(phase))
        self.tree, self.rules, self.phase = tree, rules, phase
        self.history, self.known = history, known
        self.options: Json = tree["options"]
        self.state = rules.load(tree["card"], self.options, history[-1].position)
        self.grace = timedelta(hours=self.options["orders.grace_hours"])
        self.texts: dict[str, str] = {}
        #: With the positions that the phase leaves: as judged here, not as recorded.
        self.versions: list[_Version] = []

    def position(self, after_ruling: int) -> Json:
        """The position before, as it stood when so many rulings had been made."""
        stood = [version for version in self.history if version.after_ruling <= after_ruling]
        return (stood or self.history[:1])[-1].position

    def states(self, moment: datetime) -> list[Any]:
        """Return the state of the phase at a moment; two where a ruling was made just then."""
        early = [one for one in self.history if one.resolved is None or one.resolved < moment]
        same = [one for one in self.history if one.resolved == moment]
        found = [*early[-1:], *same] or self.history[:1]
        return [self.rules.load(self.tree["card"], self.options, one.position) for one in found]

    def identity(self) -> Iterator[Difference]:
        identity, phase = self.rules.phase(self.state), self.phase
        own = [phase["turn"], phase["kind"]]
        yield from self.expect("the phase that comes next", own, identity and list(identity))
        recorded = phase.get("controllers", {})
        possible = [
            dict(self.rules.controllers(self.rules.load(self.tree["card"], self.options, position)))
            for position in (one.position for one in self.history)
        ]
        if not any(to_json(recorded) == to_json(one) for one in possible):
            yield from self.expect("who sends whose orders", recorded, possible[-1])
        if phase["status"] != "undone" and (phase["resolutions"] or phase["status"] == "resolved"):
            without = "not resolved, for it has no resolution"
            follows = "resolved" if phase["resolutions"] else without
            yield from self.expect("the status", phase["status"], follows)

    @property
    def is_ruled(self) -> bool:
        """Whether rulings held when the phase was first judged."""
        return bool(self.phase["resolutions"]) and bool(
            self._rulings_of(self.phase["resolutions"][0])
        )

    # 1. deadlines and submissions

    def times(self) -> Iterator[Difference]:
        phase, changes = self.phase, self.phase["deadline_changes"]
        followed = [*(change["old"] for change in changes[1:]), phase["deadline"]]
        for change, deadline in zip(changes, followed, strict=False):
            yield from self.expect("the deadline after it was moved", deadline, change["new"])
        locked, session, versions = phase["locked"], phase["session"], phase["resolutions"]
        if locked is None:
            if versions:
                yield self.wrong("the lock", None, "an instant, for the phase is resolved")
            return
        # A phase of sheets has no deadline, and closes once a sheet has come.
        sheeted = self.rules.facts(PhaseId(phase["turn"], phase["kind"]), self.options).sheeted
        if sheeted and self.tree["complete"] and REFEREE_SEAT not in self._in_force():
            follows = "after a sheet of the gamesmaster, and there is none"
            yield self.wrong("the lock", locked, follows)
        early = self.tree["may_lock_early"] and all(one.final for one in self._in_force().values())
        if not sheeted and at(locked) < at(phase["deadline"]) + self.grace and not early:
            yield self.wrong("the lock", locked, f"not before the deadline {phase['deadline']}")
        moments = [("its opening", phase["opened"]), ("the lock", locked)]
        judged = [("the resolution", version["resolved"]) for version in versions]
        if phase.get("policy"):
            # The deadline fixes its session, so that the lock may come later (`verify_market`).
            for what, moment in judged[:1] if session and not self.is_ruled else ():
                yield from self._after(what, moment, "the close", session["closes"])
        elif session:
            moments.append(("the session's opening", session["opens"]))
            moments.append(("its close", session["closes"]))
        if self.is_ruled:
            # Under rulings a phase may need no sales, and is judged before the session is over.
            yield from self._after(*judged[0], "the lock", locked)
        else:
            moments += judged
        for (before, first), (after, second) in pairwise(moments):
            yield from self._after(after, second, before, first)
        for (_, first), (after, second) in pairwise(judged):
            yield from self._after(after, second, "the version before", first)

    def _after(self, what: str, moment: str, before: str, first: str) -> Iterator[Difference]:
        if at(moment) < at(first):
            yield self.wrong(f"the time of {what}", moment, f"not before {before} at {first}")

    def submission(self, row: Json, number: int, previous: str) -> Iterator[Difference]:
        nation, what = row["nation"], f"submission {row['number']}"
        yield from self.expect("the number of a submission", row["number"], number, nation)
        if nation not in self.rules.nations(self.state) and not (
            self.rules.referee and nation == REFEREE_SEAT
        ):
            yield self.wrong(f"the nation of {what}", nation, "a nation of the card")
            return
        yield from self.expect(f"the hash before {what}", row["previous_hash"], previous, nation)
        kept = ("number", "nation", "received", "channel", "salt", "text")
        chained = {key: row[key] for key in kept} | {
            key: row[key] for key in ("member", "proposal") if key in row
        }
        turn, kind = self.phase["turn"], self.phase["kind"]
        follows = record.chain_hash(previous=row["previous_hash"], turn=turn, phase=kind, **chained)
        yield from self.expect(f"the hash of {what}", row["hash"], follows, nation)
        late = self._lateness(at(row["received"]), by_mail=row["channel"] == "mail")
        if row["late"] not in late:
            yield from self.expect(f"whether {what} was late", row["late"], not row["late"], nation)
        acting = nation in self.rules.acting(self.state) and not row["late"]
        states = self.states(at(row["received"]))
        acting = acting and not row.get("proposal")
        counts = {
            acting and bool(self.rules.read(row["text"], nation, state).understood)
            for state in states
        }
        if row["counts"] not in counts:
            yield self.wrong(f"whether {what} counts", row["counts"], not row["counts"], nation)
        if row.get("proposal") and (
            not row.get("member") or self.options[teams.OPTION] != teams.SPOKESMAN
        ):
            yield self.wrong(f"whether {what} is a proposal", True, False, nation)

    def _lateness(self, received: datetime, *, by_mail: bool) -> set[bool]:
        """Whether orders received then were late. Both, where the deadline moved or the phase was
        locked at that very instant.

        Orders that the deadline moved for before they were entered were judged by the new one: of
        two that ask what time it is, the later may be entered first, and mail may wait for hours to
        be read.
        """
        announced = {
            *self._announced_deadlines(received, at_once=False),
            *self._announced_deadlines(received, at_once=True),
        }
        announced |= {
            change["new"]
            for change in self.phase["deadline_changes"]
            if received < at(change["changed"])
            and (by_mail or at(change["changed"]) <= received + ENTERED_WITHIN)
        }
        set_right = [  # the clock had been ahead, and the orders may have come before
            change
            for change in self.phase["deadline_changes"]
            if change["reason"].startswith(record.CLOCK_WAS_AHEAD)
            and at(change["changed"]) < received
        ]
        announced |= {change["old"] for change in set_right}
        found = {received > at(deadline) + self.grace for deadline in announced}
        turned = [
            row
            for row in self.tree.get("rulings", ())
            if row["kind"] in ("rollback", "revoke") and at(row["made"]) <= received
        ]
        if turned:  # the phase may have been undone then, and orders for it came too late
            found.add(True)
        locked = self.phase["locked"] and at(self.phase["locked"])
        if locked and received > locked and not set_right:
            return {True}
        return found | {True} if received == locked else found

    def _announced_deadlines(self, received: datetime, *, at_once: bool) -> Iterator[str]:
        """The deadline that stood at an instant, with a change made `at_once` or without.

        Where the clock was set back from one change to the next, the instant may lie before the
        second or after it, and both are given.
        """
        changes = self.phase["deadline_changes"]
        made = [
            at(change["changed"]) <= received if at_once else at(change["changed"]) < received
            for change in changes
        ]
        if not changes:
            yield self.phase["deadline"]
        elif not made[0]:
            yield changes[0]["old"]
        for index, change in enumerate(changes):
            following = changes[index + 1] if index + 1 < len(changes) else None
            if made[index] and (
                following is None
                or not made[index + 1]
                or at(following["changed"]) < at(change["changed"])
            ):
                yield change["new"]

    def _in_force(self) -> dict[str, teams.InForce]:
        """Return what is in force of each nation; of a team what its members sent."""
        rows = [_sent(row) for row in self.phase["submissions"]]
        return teams.in_force(
            self.rules, lambda: self.state, self.options, rows, self.phase.get("teams", {})
        )

    # 2. orders, leaves, digest, stocks

    def orders(self) -> Iterator[Difference]:
        phase = self.phase
        if phase["locked"] is None:
            yield from self.expect("the digest", phase["digest"], "")
            yield from self.expect("the leaves", phase["leaves"], {})
            yield from self.expect("the list of stocks", phase["stocks"], [])
            yield from self.expect(
                "the list of those who sent nothing", phase.get("missed", []), []
            )
            return
        yield from self.expect("the digest", phase["digest"], record.digest(phase["leaves"]))
        if not self.tree["complete"]:
            return
        standing = self._in_force()
        self.texts = {nation: one.text for nation, one in standing.items()}
        for nation in sorted({*self.texts, *phase["leaves"]}):
            one, leaf = standing.get(nation), phase["leaves"].get(nation)
            follows = one and record.leaf(nation, one.text, one.salt)
            yield from self.expect("the leaf of the orders in force", leaf, follows, nation)
        held_by_teams = {seat["nation"] for seat in self.tree["seats"] if seat.get("team")}
        sending = {row["nation"] for row in phase["submissions"] if row.get("member")}
        listed = phase.get("teams", {})
        for nation in sorted({*sending, *listed}):
            holder = phase.get("controllers", {}).get(nation, nation)
            if holder not in held_by_teams or nation not in listed:
                wanted = "of a seat that a team holds"
                yield self.wrong("the team", listed.get(nation), wanted, nation)
        may_miss = [
            seat["nation"]
            for seat in self.tree["seats"]
            if not seat["bot"] and seat["nation"] not in phase["leaves"]
        ]
        for nation in phase.get("missed", ()):
            if nation not in may_miss or nation not in self.rules.acting(self.state):
                wanted = "one that might order and did not"
                yield self.wrong("the list of those who sent nothing", nation, wanted)
        named = [
            self.rules.stocks(state, self.rules.in_force(state, self.texts))
            for state in self.states(at(phase["locked"]))
        ]
        if not phase["session"]:
            yield from self.expect("the list of stocks", phase["stocks"], [])
        elif not any(to_json(phase["stocks"]) == to_json(one) for one in named):
            yield from self.expect("the list of stocks", phase["stocks"], named[-1])

    # 4. digits (3. is in `verify_market`)

    def draws(self) -> Iterator[Difference]:
        volumes = {figure["symbol"]: figure["volume"] for figure in self.phase["figures"]}
        drawn: dict[tuple[str, int], Json] = {}
        for row in self.phase["draws"]:
            nation, line, volume = row["nation"], row["line"], row["volume"]
            what = f"the digit for the attack in {row['area']}"
            if (nation, line) in drawn:
                yield self.wrong(what, "drawn twice", "drawn once", nation, line)
            drawn[nation, line] = row
            sales = f"the sales of {row['stock']} behind {what}"
            yield from self.expect(sales, volume, volumes.get(row["stock"]), nation, line)
            if is_usable(volume):
                yield from self.expect(what, row["digit"], digit_of_shares(volume), nation, line)
        told: set[tuple[str, int]] = set()
        for version in self.phase["resolutions"]:
            ruled = rulings.ruled_volumes(self._rulings_of(version))
            attacks = {
                (e.get("nation"), e.get("line")): e
                for e in version["events"]
                if e["kind"] == "attack"
            }
            attacks |= {
                (told["nation"], told["line"]): told
                for told in digits_in_events(version["events"])
                if DICE < told["line"] < PART
            }
            for nation, line in sorted({*attacks, *drawn}, key=str):
                keys = ("area", "stock", "volume", "digit")
                event, draw = attacks.get((nation, line), {}), drawn.get((nation, line), {})
                if event and draw and all(event.get(key) == draw.get(key) for key in keys):
                    told.add((nation, line))
                    continue
                if self._may_differ(event, draw, ruled, volumes, first=version["version"] == 1):
                    continue
                says = {key: event.get(key) for key in keys}
                held = {key: draw.get(key) for key in keys}
                what = "the digit that the attack's report tells"
                yield from self.expect(what, says, held, str(nation), line)
        for nation, line in drawn:
            if self.phase["resolutions"] and (nation, line) not in told:
                what, wanted = "the digit that was drawn", "told by a report"
                yield self.wrong(what, "there", wanted, nation, line)

    def _may_differ(
        self,
        event: Json,
        draw: Json,
        ruled: Mapping[str, Any],
        volumes: Mapping[str, Any],
        *,
        first: bool,
    ) -> bool:
        """Whether a report may tell something else than was drawn: rulings set results and figures,
        and change which stock decides.

        A digit that is told must be that of the figure all the same.
        """
        if not event:
            return len(self.phase["resolutions"]) > 1
        if event.get("digit") is None:
            return bool(event.get("ruled"))
        stock = str(event.get("stock"))
        figure = ruled[stock] if stock in ruled else volumes.get(stock)
        fits = (
            event.get("volume") == figure
            and is_usable(figure)
            and event["digit"] == digit_of_shares(figure or 0)
        )
        return fits and (stock in ruled or (bool(draw) and not first))

    def _rulings_of(self, row: Json) -> tuple[rulings.Ruling, ...]:
        """The rulings under which a version was judged."""
        return rulings.rulings_on(self.known, self.phase["number"], row.get("after_ruling", 0))

    # 5. resolutions

    def resolutions(self) -> Iterator[Difference]:
        board = None
        for place, row in enumerate(self.phase["resolutions"], start=1):
            after_ruling = row.get("after_ruling", 0)
            position = self.position(after_ruling)
            yield from self.expect("the number of the version", row["version"], place)
            what, made_by = f"the ruling that made version {place}", row["ruling"]
            yield from self.expect(what, made_by, after_ruling if place > 1 else None)
            yield from self.expect("the position before", row["before"], position)
            yield from self._check_rulings_of(row, place, after_ruling)
            if self.versions and after_ruling <= self.versions[-1].after_ruling:
                newer = f"above {self.versions[-1].after_ruling}"
                yield self.wrong(f"the newest ruling of version {place}", after_ruling, newer)
            if row["orders"] is not None:
                state = yield from self._judge(row, position)
            else:
                state = self.rules.load(self.tree["card"], self.options, row["after"])
                yield from self._check_published(row, state)
            made = _Version(after_ruling, at(row["resolved"]), self.rules.dump(state))
            self.versions.append(made)
            board = record.board(self.rules, state)
        yield from self.expect("the board", self.phase["board"], board)
        if self.versions:
            yield from self._check_newest()
            yield from self._check_rulings_told()

    def _check_rulings_of(self, row: Json, place: int, after_ruling: int) -> Iterator[Difference]:
        """The rulings that count for a version had been made by then, and no other. A public record
        may leave some of them out."""
        what = f"the newest ruling of version {place}"
        if not self.tree["complete"]:
            return
        resolved = row["resolved"]
        made = {one["number"]: at(one["made"]) for one in self.tree.get("rulings", ())}
        if after_ruling and (after_ruling not in made or made[after_ruling] > at(resolved)):
            yield self.wrong(what, after_ruling, f"a ruling made by {resolved}")
        if any(number > after_ruling and time < at(resolved) for number, time in made.items()):
            yield self.wrong(what, after_ruling, f"the last one made before {resolved}")

    def _check_newest(self) -> Iterator[Difference]:
        """The newest version is judged upon the newest one before it, under every ruling that
        holds: now, or when the phase was undone."""
        newest, undone_by = self.phase["resolutions"][-1], self.phase.get("undone_by")
        upto = undone_by - 1 if undone_by is not None else None
        position = self.history[-1].position if upto is None else self.position(upto)
        what = "the position before, in the newest version,"
        yield from self.expect(what, newest["before"], position)
        held = [one.number for one in self._rulings_of(newest)]
        now = [one.number for one in rulings.rulings_on(self.known, self.phase["number"], upto)]
        yield from self.expect("the list of rulings that hold in the newest version", held, now)

    def _check_rulings_told(self) -> Iterator[Difference]:
        """A ruling on a phase that was judged already made a version of it, even one by which
        nothing came out otherwise."""
        first = self.phase["resolutions"][0].get("after_ruling", 0)
        made = {row["ruling"] for row in self.phase["resolutions"]}
        by_number = {one.number: one for one in self.known}
        for one in self.known:
            root = one
            while root.revokes in by_number and root.revokes < root.number:
                root = by_number[root.revokes]
            if (
                one.phase == self.phase["number"]
                and one.number > first
                and one.number not in made
                and root.kind != "rollback"
            ):
                yield self.wrong(f"the version that ruling {one.number} made", None, "there")

    def _judge(self, row: Json, position: Json) -> Generator[Difference, None, Any]:
        """Judges the phase anew; returns the state that comes of it."""
        volumes = _Figures({figure["symbol"]: figure["volume"] for figure in self.phase["figures"]})
        sent = {
            one["number"]: rulings.Sent(one["nation"], one["text"])
            for one in self.phase["submissions"]
        }
        card, reserves, held = self.tree["card"], self.tree["reserves"], self._rulings_of(row)
        judged = rulings.judge(
            self.rules, card, self.options, position, self.texts, volumes, reserves, held, sent
        )
        for nation in sorted({*judged.orders, *row["orders"]}):
            told, follow = row["orders"].get(nation), judged.orders.get(nation)
            yield from self.expect("the order text as judged", told, follow, nation)
        follows = judged.resolution
        yield from self._events(map(facts, row["events"]), map(facts, follows.events))
        # What is refused does nothing. Warnings and notes decide nothing, and may say more in a
        # later version than they did when the phase was judged.
        refused = _refused_lines(
            {
                nation: [remark.as_json() for remark in said]
                for nation, said in follows.remarks.items()
            }
        )
        yield from self.expect("the list of refused lines", _refused_lines(row["remarks"]), refused)
        yield from self.expect("the position after", row["after"], self.rules.dump(follows.state))
        standing = self.rules.standing(follows.state)
        over = self.rules.phase(follows.state) is None
        winners, remark = (standing.winners, standing.remark) if over else (None, "")
        yield from self.expect("the list of scores", row["scores"], standing.scores)
        yield from self.expect("the list of winners", row["winners"], winners)
        yield from self.expect("the closing remark", row["closing"], remark)
        return follows.state

    def _events(self, recorded: Iterable[Json], follows: Iterable[Json]) -> Iterator[Difference]:
        """Compare the facts of events. Their sentences may be those of an earlier version."""
        empty: Json = {}
        for place, (told, true) in enumerate(zip_longest(recorded, follows, fillvalue=empty)):
            about = true or told
            nation, line = str(about.get("nation", "")), about.get("line")
            what = (
                f"event {place + 1}"
                f" ({about['kind']}{' in ' + str(about['area']) if 'area' in about else ''})"
            )
            if not told or not true:
                yield self.wrong(what, told or None, true or None, nation, line)
                continue
            for key in [*true, *(key for key in told if key not in true)]:
                one, other = told.get(key), true.get(key)
                yield from self.expect(f"the {key} of {what}", one, other, nation, line)

    def _check_published(self, row: Json, after: Any) -> Iterator[Difference]:
        """What can be said of a result whose orders are withheld: that the board goes on, and the
        scores are the board's."""
        scores = self.rules.standing(after).scores
        yield from self.expect("the list of scores", row["scores"], scores)
        turn = self.rules.phase(after)
        if turn is not None and turn == PhaseId(self.phase["turn"], self.phase["kind"]):
            follows = "one in which the next phase comes"
            yield self.wrong("the position after", row["after"], follows)
