"""A whole record checked (contract.md 5): does every published result follow from the orders and the digits?

No database, network or clock: a stranger may copy `games/rules` and run this with a record and a newspaper. In order, for each phase:

1. its deadline, and that it was locked by it; each submission: number, hash chain, in time or late, counted or not;
2. the orders in force, from the submissions; the leaves and the digest, from the orders; the stocks, from the orders;
3. the session opened after the lock, every figure was read after its close, and is what its readings say;
4. the digits, from the figures; each belongs to one attack;
5. the resolution, by the rules from position, orders, figures and reserve list; the board, the scores, the winners.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from . import Json, PhaseId, RulesError, Ruleset, options, record, ruleset
from .digits import (
    STOCKS,
    beacon_digit,
    beacon_number,
    digit_of_shares,
    is_seed,
    roll_number,
    roll_symbol,
    seed_digit,
    seed_hash,
    usable,
    volume_of_roll,
)

#: From 20:00 New York of the evening before to the opening bell at 09:30. The clocks change on Sunday mornings, never in between; so no
#: table of time zones is needed, which a stranger's Python may lack.
OVERNIGHT = timedelta(hours=13, minutes=30)
#: What a change of session says of the old and the new one: label, opening, close.
ENDS = ("", "_opens", "_closes")
#: What the rules may raise over a position that no game ever came to: only a record that withholds its orders can bring one in.
_UNFIT = (RulesError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True)
class Difference:
    """One thing in a record that does not follow: where it stands, what is recorded, and what should be there."""

    phase: str  # "Phase 4 (turn 2, attacks)", or "" for the game as a whole
    what: str  # "the result of the attack on Poland"
    recorded: object
    follows: object
    nation: str = ""
    line: int | None = None
    fault: str = ""  # where the rules cannot even be asked what should be there: why

    def __str__(self) -> str:
        where = [self.phase, self.nation, f"line {self.line}" if self.line is not None else ""]
        start = ", ".join(part for part in where if part)
        if self.fault:
            return f"{start}: {self.what} cannot be judged again: {self.fault}."
        return f"{start + ': ' if start else ''}{self.what} is recorded as {_shown(self.recorded)}, but should be {_shown(self.follows)}."


@dataclass(frozen=True)
class Counts:
    """How much was checked. Phases whose orders the record leaves out (a running game's public record) are not judged again."""

    phases: int
    submissions: int
    digits: int
    judged: int
    withheld: int


def check(tree: Json) -> list[Difference]:
    """All differences, the first one first; none for a record that holds. Raises `RecordError` for a document that is no record."""
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
        start = rules.setup(tree["card"], tree["options"], [seat["nation"] for seat in tree["seats"]])
    except RulesError as error:
        raise record.RecordError(f"The record's game cannot be set up: {error}") from error
    yield from _game(tree, rules, start)
    previous, number = "", 0
    position = tree["start"]
    for index, phase in enumerate(tree["phases"]):
        try:
            checker = _Phase(tree, rules, phase, position)
            yield from _one("", "the number of the phase", phase["number"], index + 1)
            yield from checker.identity()
            yield from checker.times()
            for submission in phase["submissions"]:
                number += 1
                yield from checker.submission(submission, number, previous)
                previous = submission["hash"]
            yield from checker.orders()
            yield from checker.sessions()
            yield from checker.figures()
            yield from checker.draws()
            yield from checker.resolutions()
        except _UNFIT as error:
            yield Difference(_name(phase), "the phase", phase["status"], None, fault=str(error))
            return
        if phase["resolutions"]:
            position = checker.after
        elif phase is not tree["phases"][-1]:
            yield Difference(_name(phase), "the resolution", None, "there, for a later phase follows")
            return
    yield from _end(tree, rules, position)


# --- the game as a whole ---


def _game(tree: Json, rules: Ruleset, start: Any) -> Iterator[Difference]:
    shown = start if tree["complete"] else rules.view(start, None)
    yield from _one("", "the position at the start", tree["start"], rules.dump(shown))
    if listed := tree["options"]["rng.reserve_list"]:
        yield from _one("", "the reserve list", tree["reserves"], listed)
    if tree["status"] == "finished":
        yield from _one("", "whether the record of the finished game is complete", tree["complete"], True)


def _end(tree: Json, rules: Ruleset, position: Json) -> Iterator[Difference]:
    last = tree["phases"][-1]["resolutions"][-1:] if tree["phases"] else []
    over = bool(last) and rules.phase(rules.load(tree["card"], tree["options"], position)) is None
    if over or tree["status"] == "finished":
        yield from _one("", "the status of the game", tree["status"], "finished" if over else "running")


def _name(phase: Json) -> str:
    return f"Phase {phase['number']} (turn {phase['turn']}, {phase['kind']})"


def _one(phase: str, what: str, recorded: object, follows: object, nation: str = "", line: int | None = None) -> Iterator[Difference]:
    if _plain(recorded) != _plain(follows):
        yield Difference(phase, what, recorded, follows, nation, line)


def _plain(value: object) -> str:
    """As JSON has it: a tuple is a list there, true is not 1, and the order of keys says nothing."""
    return json.dumps(value, sort_keys=True)


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return f"“{value}”"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return json.dumps(value, ensure_ascii=False)


class _Figures:
    """The recorded figures as the rules take them. One that the rules ask for and the record lacks is a difference of its own."""

    def __init__(self, volumes: Mapping[str, int | None]) -> None:
        self._volumes = volumes

    def get(self, symbol: str, /) -> int | None:
        if symbol not in self._volumes:
            raise RulesError(f"an attack needs the sales of {symbol}, and the record has no figure for it")
        return self._volumes[symbol]


class _Phase:
    """One phase of a record with the position in which it was played."""

    def __init__(self, tree: Json, rules: Ruleset, phase: Json, position: Json) -> None:
        self.tree, self.rules, self.phase, self.position = tree, rules, phase, position
        self.options: Json = tree["options"]
        self.state = rules.load(tree["card"], self.options, position)
        self.name = _name(phase)
        self.grace = timedelta(hours=self.options["orders.grace_hours"])
        self.texts: dict[str, str] = {}
        self.after = position  # the position that the phase leaves: as judged here, not as recorded

    def one(self, what: str, recorded: object, follows: object, nation: str = "", line: int | None = None) -> Iterator[Difference]:
        return _one(self.name, what, recorded, follows, nation, line)

    def identity(self) -> Iterator[Difference]:
        identity = self.rules.phase(self.state)
        yield from self.one("the phase that comes next", [self.phase["turn"], self.phase["kind"]], identity and list(identity))
        resolved = bool(self.phase["resolutions"])
        if resolved or self.phase["status"] == "resolved":
            yield from self.one("the status", self.phase["status"], "resolved" if resolved else "not resolved, for it has no resolution")

    # 1. deadlines and submissions

    def times(self) -> Iterator[Difference]:
        phase, changes = self.phase, self.phase["deadline_changes"]
        followed = [*(change["old"] for change in changes[1:]), phase["deadline"]]
        for change, deadline in zip(changes, followed, strict=False):
            yield from self.one("the deadline after it was moved", deadline, change["new"])
        if phase["locked"] is None:
            if phase["resolutions"]:
                yield Difference(self.name, "the lock", None, "an instant, for the phase is resolved")
            return
        early = self.tree["may_lock_early"] and all(row["final"] for row in self._in_force().values())
        if _at(phase["locked"]) < _at(phase["deadline"]) + self.grace and not early:
            yield Difference(self.name, "the lock", phase["locked"], f"not before the deadline {phase['deadline']}")
        moments = [("its opening", phase["opened"]), ("the lock", phase["locked"])]
        if phase["session"]:
            moments += [("the session's opening", phase["session"]["opens"]), ("its close", phase["session"]["closes"])]
        moments += [("the resolution", version["resolved"]) for version in phase["resolutions"]]
        for (before, first), (after, second) in pairwise(moments):
            if _at(second) < _at(first):
                yield Difference(self.name, f"the time of {after}", second, f"not before {before} at {first}")

    def submission(self, row: Json, number: int, previous: str) -> Iterator[Difference]:
        nation, what = row["nation"], f"submission {row['number']}"
        yield from self.one("the number of a submission", row["number"], number, nation)
        if nation not in self.rules.nations(self.state):
            yield Difference(self.name, f"the nation of {what}", nation, "a nation of the card")
            return
        yield from self.one(f"the hash before {what}", row["previous_hash"], previous, nation)
        chained = {key: row[key] for key in ("number", "nation", "received", "channel", "salt", "text")}
        follows = record.chain_hash(previous=row["previous_hash"], turn=self.phase["turn"], phase=self.phase["kind"], **chained)
        yield from self.one(f"the hash of {what}", row["hash"], follows, nation)
        late = self._late(_at(row["received"]))
        if row["late"] not in late:
            yield from self.one(f"whether {what} was late", row["late"], not row["late"], nation)
        readable = bool(self.rules.read(row["text"], nation, self.state).understood)
        counts = readable and nation in self.rules.acting(self.state) and not row["late"]
        yield from self.one(f"whether {what} counts", row["counts"], counts, nation)

    def _late(self, received: datetime) -> set[bool]:
        """Whether orders received then were late. Both, where the deadline moved or the phase was locked at that very instant."""
        changes = self.phase["deadline_changes"]
        found = set()
        for known in ([c for c in changes if _at(c["changed"]) < received], [c for c in changes if _at(c["changed"]) <= received]):
            announced = known[-1]["new"] if known else changes[0]["old"] if changes else self.phase["deadline"]
            found.add(received > _at(announced) + self.grace)
        locked = self.phase["locked"] and _at(self.phase["locked"])
        if locked and received > locked:
            return {True}
        return found | {True} if received == locked else found

    def _in_force(self) -> dict[str, Json]:
        """The newest submission that counts of each nation."""
        return {row["nation"]: row for row in self.phase["submissions"] if row["counts"]}

    # 2. orders, leaves, digest, stocks

    def orders(self) -> Iterator[Difference]:
        phase = self.phase
        if phase["locked"] is None:
            return
        yield from self.one("the digest", phase["digest"], record.digest(phase["leaves"]))
        if not self.tree["complete"]:
            return
        newest = self._in_force()
        for row in phase["submissions"]:
            if not row["counts"]:
                continue
            nation, text = row["nation"], row["text"]
            merging = self.options["orders.amend"] == "merge_lines" and nation in self.texts
            self.texts[nation] = self.rules.merge(self.texts[nation], text, nation, self.state) if merging else text
        for nation in sorted({*self.texts, *phase["leaves"]}):
            follows = record.leaf(nation, self.texts[nation], newest[nation]["salt"]) if nation in self.texts else None
            yield from self.one("the leaf of the orders in force", phase["leaves"].get(nation), follows, nation)
        judged = self.rules.in_force(self.state, self.texts)
        yield from self.one("the list of stocks", phase["stocks"], self.rules.stocks(self.state, judged) if phase["session"] else [])

    # 3. and 4. session, figures, digits

    def figures(self) -> Iterator[Difference]:
        phase, session = self.phase, self.phase["session"]
        if session and (phase["locked"] is None or _at(session["opens"]) <= _at(phase["locked"])):
            yield Difference(self.name, "the opening of the session", session["opens"], f"after the lock at {phase['locked']}")
        if session and _at(session["closes"]) <= _at(session["opens"]):
            yield Difference(self.name, "the close of the session", session["closes"], f"after its opening at {session['opens']}")
        for row in phase["readings"]:
            what = f"reading {row['number']} of {row['symbol']}"
            if "hash" in row:
                yield from self._reading_hash(what, row)
            if (row["kind"] == "ok") != usable(row["volume"]) or (row["kind"] != "ok" and row["volume"] is not None):
                yield Difference(self.name, f"the volume of {what}", row["volume"], "above zero for a figure, and nothing otherwise")
        readings = {row["number"]: row for row in phase["readings"]}
        symbols = [figure["symbol"] for figure in phase["figures"]]
        yield from self.one("the list of settled stocks", symbols, sorted(set(symbols)))
        if self.options["rng.source"] != "commit_reveal":
            for key in ("seed", "seed_hash"):
                yield from self.one(f"the {key.replace('_', ' ')}", phase.get(key, ""), "")
        if self.options["rng.source"] != STOCKS:
            yield from self._rolls(symbols)
        elif symbols and not session:
            yield Difference(self.name, "the session", None, "there, for sales of it were read")
        for figure in phase["figures"]:
            yield from self._figure(figure, readings)

    def sessions(self) -> Iterator[Difference]:
        """Which session decides: fixed at the lock, and anew only where the exchange did not open or close as announced."""
        phase, session = self.phase, self.phase["session"]
        changes = phase.get("session_changes", [])
        for change, following in zip(changes, (*changes[1:], None), strict=False):
            then = [following[f"old{end}"] for end in ENDS] if following else None
            if then is None:
                then = [session["label"], session["opens"], session["closes"]] if session else None
            yield from self.one("the session after it was changed", then, [change[f"new{end}"] for end in ENDS])
            for which in ("old", "new"):
                if phase["locked"] and _at(change[f"{which}_opens"]) <= _at(phase["locked"]):
                    late = f"after the lock at {phase['locked']}"
                    yield Difference(self.name, f"the opening of the {which} session", change[f"{which}_opens"], late)
            for figure in phase["figures"]:
                if _at(figure["settled"]) < _at(change["changed"]):
                    late = f"not before the session was changed at {change['changed']}"
                    yield Difference(self.name, f"the time at which {figure['symbol']} settled", figure["settled"], late)
        if session and phase["locked"] and self.tree.get("strict_evening") and session["exchange"] != "DEMO":
            begins = _at(session["opens"]) - OVERNIGHT
            if begins <= _at(phase["locked"]):
                late = f"one whose evening before begins after the lock at {phase['locked']}"
                yield Difference(self.name, "the session", session["label"], late)

    def _rolls(self, symbols: list[str]) -> Iterator[Difference]:
        """Where no sales decide: rolls are used in order, and a seed is the one whose hash was published beforehand."""
        phase = self.phase
        follows = sorted(roll_symbol(number) for number in range(1, len(symbols) + 1))
        yield from self.one("the list of rolls", symbols, follows)
        readings = {row["number"]: row for row in phase["readings"]}
        if self.options["rng.source"] == "gm_dice":
            for figure in phase["figures"]:
                typed = all(readings.get(number, {}).get("entered_by_gamesmaster") for number in figure["readings"])
                yield from self.one(f"whether the gamesmaster entered {figure['symbol']}", typed, True)
            return
        seed = phase.get("seed", "")
        drawing = self.rules.draws(PhaseId(phase["turn"], phase["kind"]))
        if not seed and drawing and phase["resolutions"]:
            yield Difference(self.name, "the seed", None, "there, for the phase is judged")
        if not seed:
            return
        if not is_seed(seed):
            yield Difference(self.name, "the seed", seed, "64 hexadecimal digits")
            return
        yield from self.one("the hash of the seed, published when the phase opened,", phase.get("seed_hash", ""), seed_hash(seed))
        for figure in phase["figures"]:
            number = roll_number(figure["symbol"])
            if number is not None:
                digit = seed_digit(seed, phase["turn"], phase["kind"], number)
                yield from self.one(f"the digit {figure['symbol']} from the seed", figure["volume"], volume_of_roll(digit))

    def _figure(self, figure: Json, readings: Mapping[int, Json]) -> Iterator[Difference]:
        what, session = f"the figure of {figure['symbol']}", self.phase["session"]
        first = any(number in readings and not self._second(readings[number]) for number in figure["readings"])
        for number in figure["readings"]:
            row = readings.get(number, {"symbol": None})
            yield from self.one(f"the stock of reading {number}, on which {what} rests,", row["symbol"], figure["symbol"])
            if row["symbol"] is None:
                continue
            if session and _at(row["time"]) < _at(session["closes"]):
                late = f"not before the close at {session['closes']}"
                yield Difference(self.name, f"the time of reading {number}, on which {what} rests,", row["time"], late)
            if figure["volume"] is not None and not (first and self._second(row)):
                yield from self.one(what, figure["volume"], row["volume"])
            elif figure["volume"] is not None and usable(row["volume"]):
                digits = [digit_of_shares(figure["volume"]), digit_of_shares(row["volume"])]
                yield from self.one(f"the digit of {what} by the second source", digits[0], digits[1])
            number = beacon_number(figure["symbol"])
            if number is not None and row.get("source") == "drand":
                yield from self._beacon(what, number, figure, row)
            if row.get("flag") == "split" and figure["volume"] is not None:
                yield Difference(self.name, f"the figure behind {what}", "one restated after a split", "the gamesmaster's own")
        if figure["volume"] is not None and not usable(figure["volume"]):
            yield Difference(self.name, what, figure["volume"], "above zero, or nothing")
        if not figure["readings"]:
            yield Difference(self.name, f"the list of readings behind {what}", [], "one reading or more: no stock settles unread")

    def _reading_hash(self, what: str, row: Json) -> Iterator[Difference]:
        missing = [key for key in record.READING_PARTS if key not in row]
        if missing:
            yield Difference(self.name, f"“{missing[0]}” of {what}", None, "there")
        else:
            yield from self.one(f"the hash of {what}", row["hash"], record.reading_hash(row))

    def _beacon(self, what: str, number: int, figure: Json, row: Json) -> Iterator[Difference]:
        """A digit of drand follows from the round's signature. That the signature is drand's needs drand's own tools."""
        raw = row.get("raw")
        signature = raw.get("signature") if isinstance(raw, dict) else None
        if not isinstance(signature, str) or len(signature) != 96 or not set(signature) <= set("0123456789abcdef"):
            yield Difference(self.name, f"the signature behind {what}", signature, "96 hexadecimal digits")
            return
        yield from self.one(f"{what} from drand's signature", figure["volume"], volume_of_roll(beacon_digit(signature, number)))

    def _second(self, row: Json) -> bool:
        """Whether a reading is of the source that was only compared with: its digit must be the same, not its figure."""
        return bool(row["source"]) and row["source"] == self.tree.get("second_source")

    def draws(self) -> Iterator[Difference]:
        volumes = {figure["symbol"]: figure["volume"] for figure in self.phase["figures"]}
        drawn: dict[tuple[str, int], Json] = {}
        for row in self.phase["draws"]:
            nation, line, what = row["nation"], row["line"], f"the digit for the attack in {row['area']}"
            if (nation, line) in drawn:
                yield Difference(self.name, what, "drawn twice", "drawn once", nation, line)
            drawn[nation, line] = row
            yield from self.one(f"the sales of {row['stock']} behind {what}", row["volume"], volumes.get(row["stock"]), nation, line)
            if usable(row["volume"]):
                yield from self.one(what, row["digit"], digit_of_shares(row["volume"]), nation, line)
        for version in self.phase["resolutions"]:
            attacks = {(e.get("nation"), e.get("line")): e for e in version["events"] if e["kind"] == "attack"}
            for nation, line in sorted({*attacks, *drawn}, key=str):
                keys = ("area", "stock", "volume", "digit")
                event, draw = attacks.get((nation, line), {}), drawn.get((nation, line), {})
                told, held = {key: event.get(key) for key in keys}, {key: draw.get(key) for key in keys}
                if version["version"] == 1 or event:
                    yield from self.one("the digit that the attack's report tells", told, held, str(nation), line)

    # 5. resolutions

    def resolutions(self) -> Iterator[Difference]:
        board = None
        for place, row in enumerate(self.phase["resolutions"], start=1):
            yield from self.one("the number of the version", row["version"], place)
            yield from self.one("the position before", row["before"], self.position)
            if row["orders"] is not None:
                state = yield from self._judge(row)
            else:
                state = self.rules.load(self.tree["card"], self.options, row["after"])
                yield from self._published(row, state)
            self.after, board = self.rules.dump(state), record.board(self.rules, state)
        yield from self.one("the board", self.phase["board"], board)

    def _judge(self, row: Json) -> Generator[Difference, None, Any]:
        """Judges the phase anew; returns the state that comes of it."""
        judged = self.rules.in_force(self.state, self.texts)
        for nation in sorted({*judged, *row["orders"]}):
            yield from self.one("the order text as judged", row["orders"].get(nation), judged.get(nation), nation)
        volumes = _Figures({figure["symbol"]: figure["volume"] for figure in self.phase["figures"]})
        follows = self.rules.resolve(self.state, judged, volumes, self.tree["reserves"])
        yield from self._events(row["events"], list(follows.events))
        remarks = {nation: [remark.as_json() for remark in said] for nation, said in follows.remarks.items()}
        yield from self.one("the list of remarks", row["remarks"], remarks)
        yield from self.one("the position after", row["after"], self.rules.dump(follows.state))
        standing = self.rules.standing(follows.state)
        over = self.rules.phase(follows.state) is None
        yield from self.one("the list of scores", row["scores"], standing.scores)
        yield from self.one("the list of winners", row["winners"], standing.winners if over else None)
        yield from self.one("the closing remark", row["closing"], standing.remark if over else "")
        return follows.state

    def _events(self, recorded: list[Json], follows: list[Json]) -> Iterator[Difference]:
        for place in range(max(len(recorded), len(follows))):
            told = recorded[place] if place < len(recorded) else {}
            true = follows[place] if place < len(follows) else {}
            about = true or told
            nation, line = str(about.get("nation", "")), about.get("line")
            what = f"event {place + 1} ({about['kind']}{' in ' + str(about['area']) if 'area' in about else ''})"
            if not told or not true:
                yield Difference(self.name, what, told or None, true or None, nation, line)
                continue
            for key in [*true, *(key for key in told if key not in true)]:
                yield from self.one(f"the {key} of {what}", told.get(key), true.get(key), nation, line)

    def _published(self, row: Json, after: Any) -> Iterator[Difference]:
        """What can be said of a result whose orders are withheld: that the board goes on, and the scores are the board's."""
        yield from self.one("the list of scores", row["scores"], self.rules.standing(after).scores)
        turn = self.rules.phase(after)
        if turn is not None and turn == PhaseId(self.phase["turn"], self.phase["kind"]):
            yield Difference(self.name, "the position after", row["after"], "one in which the next phase comes")


def _at(written: str) -> datetime:
    return datetime.fromisoformat(written)
