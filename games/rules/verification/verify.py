"""Check a whole record: does every published result follow?

Results must follow from the orders and the digits. No database, network or clock: a stranger may
copy `games/rules` and run this with a record and a newspaper. For each phase, in order:

1. its deadline, and that it was locked by it; each submission: number, hash chain, in time or late,
   counted or not;
2. the orders in force, from the submissions; the leaves and the digest, from the orders; the
   stocks, from the orders;
3. the session, from deadline and calendar, and every figure, from its readings (`market`);
4. the digits, from the figures; each belongs to one attack;
5. each version of the resolution, by the rules from position, orders, figures, reserve list and the
   rulings in force then; the board, the scores, the winners.

A phase is played upon the result of another one ("previous"), in the version that was newest then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import (
    Json,
    PhaseId,
    RulesError,
    options,
    pairs,
    ruling_kinds,
    rulings,
)
from ..contract import Ruleset
from ..deals import terms
from ..digits import is_seed, seed_hash
from ..plain import editions
from ..registry import ruleset
from . import closures, entries, form, in_doubt, market, record, shapes, stages, undone
from .difference import GAME, Difference, phase_name
from .judgments import JudgmentCheck
from .phases import Version

#: Errors that the rules may raise for a position that no game can reach. Only a record that
#: withholds its orders can contain one.
_UNFIT = (RulesError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True)
class Counts:
    """How much was checked.

    Phases whose orders the record leaves out (a running game's public record) are not judged again.
    """

    phases: int
    submissions: int
    digits: int
    judged: int
    withheld: int
    #: Submissions that other editions of the reader read, by edition.
    before: Mapping[int, int] = field(default_factory=dict)


def check(tree: Json) -> list[Difference]:
    """Return all differences in order; none for a correct record.

    Raise `RecordError` for a document that is not a record.
    """
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
        before=Counter(
            row["edition"]
            for phase in phases
            for row in phase["submissions"]
            if "edition" in row
            and editions.understood_before(
                tree["options"], row["nation"], row["edition"], row["understood"]
            )
            is not None
        ),
    )


def differences(tree: Json) -> Iterator[Difference]:
    """Yield differences one by one, so that a caller can stop after the first.

    Raise `RecordError` for a document that is not a record.
    """
    try:
        form.check_form(tree)
    except shapes.UnknownKey as error:
        yield GAME.wrong(f"the key {error.key}", error.value, None)
        return
    try:
        rules = ruleset(tree["game"])
        rules.check_card(tree["card"])
        options.validate(tree["options"], partial=False)
        seats = [
            (seat["nation"], seat["by_table"]) for seat in tree["seats"] if not seat["referee"]
        ]
        played = pairs.seated_nations(rules, seats)
        start = rules.setup(tree["card"], tree["options"], played, tree["secret"])
    except RulesError as error:
        raise record.RecordError(f"The record's game cannot be set up: {error}") from error
    yield from _game(tree, rules, start)
    yield from _rulings(tree, rules)
    yield from _deals(tree, rules, start)
    try:
        yield from closures.check(tree)
    except _UNFIT as error:
        yield Difference("", "the list of closures", len(tree["closures"]), None, fault=str(error))
    all_rulings = [_ruling(row) for row in tree["rulings"]]
    chain = _chain(tree)
    upon = [phase["previous"] for phase in tree["phases"]]
    versions: dict[int, list[Version]] = {}
    for index, phase in enumerate(tree["phases"]):
        history = _history(tree, versions, upon[index])
        if not history:
            missing = f"there, for phase {phase['number']} follows"
            yield Difference(f"Phase {upon[index]}", "the resolution", None, missing)
            return
        try:
            checker = JudgmentCheck(tree, rules, phase, history, all_rulings)
            yield from GAME.expect("the number of the phase", phase["number"], index + 1)
            yield from checker.identity()
            yield from stages.differences(phase)
            yield from checker.times()
            for submission in phase["submissions"]:
                yield from checker.submission(submission, *chain[id(submission)])
            yield from in_doubt.differences(checker)
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
            and not all(later["status"] == "undone" for later in tree["phases"][index + 1 :])
        ):
            yield checker.wrong("the resolution", None, "there, for a later phase follows")
            return
    yield from undone.differences(tree)
    yield from _end(tree, rules, versions)
    for where, subject, recorded, follows in entries.check(tree):
        yield Difference(where, subject, recorded, follows)


# --- the game as a whole ---


def _game(tree: Json, rules: Ruleset, start: Any) -> Iterator[Difference]:
    if tree["secret"]:
        if not is_seed(tree["secret"]):
            yield GAME.wrong("the secret of the game", tree["secret"], "64 hexadecimal digits")
            return
        subject = "the hash of the secret, published when the game began,"
        yield from GAME.expect(subject, tree["secret_hash"], seed_hash(tree["secret"]))
    elif tree["complete"] and tree["started"] and rules.needs_secret(tree["options"]):
        follows = "there, for its charts are drawn in secret"
        yield GAME.wrong("the secret of the game", None, follows)
    elif tree["complete"]:
        yield from GAME.expect("the hash of the secret", tree["secret_hash"], "")
    shown = start if tree["complete"] else rules.view(start, None)
    referees = [seat["nation"] for seat in tree["seats"] if seat["referee"]]
    seats = list(rules.referee.seats)
    yield from GAME.expect("the seat of the gamesmaster", referees, seats)
    yield from GAME.expect("the position at the start", tree["start"], rules.dump(shown))
    if listed := tree["options"]["rng.reserve_list"]:
        yield from GAME.expect("the reserve list", tree["reserves"], listed)
    tells_all = any(row["salt"] for row in tree["entries"]) or any(
        phase["submissions"] for phase in tree["phases"]
    )
    over = tree["status"] in form.OVER
    if over or tells_all:
        subject = f"whether the record of the {tree['status']} game is complete"
        yield from GAME.expect(subject, tree["complete"], True)
    if not over:
        begun = tree["started"] is not None
        subject = "whether the game has begun, by its status,"
        yield from GAME.expect(subject, tree["status"] != "forming", begun)
    abandonment = tree["abandonment"]
    if (abandonment is not None) != (tree["status"] == "abandoned"):
        follows = "there for an abandoned game, and only for one"
        yield GAME.wrong("the reason why the game was abandoned", abandonment, follows)
    elif abandonment is not None:
        subject = "the time at which the game was abandoned"
        yield from GAME.expect(subject, tree["finished"], abandonment["at"])


def _ruling(row: Json) -> rulings.Ruling:
    keys = ("number", "phase", "kind", "what", "words", "reason", "revokes")
    return rulings.Ruling(**{key: row[key] for key in keys})


def _chain(tree: Json) -> dict[int, tuple[int, str]]:
    """Return the number and the previous hash that each submission should have, by its `id()`.

    Numbers run through the whole game: a submission may come in late for an old phase.
    """
    rows: list[tuple[int, Json]] = []
    # By number, but those of one phase in their order there, which is how they are numbered.
    for phase in tree["phases"]:
        highest = 0
        for row in phase["submissions"]:
            highest = max(highest, row["number"])
            rows.append((highest, row))
    rows.sort(key=lambda entry: entry[0])
    expected, previous = {}, ""
    for number, (_, row) in enumerate(rows, start=1):
        expected[id(row)] = (number, previous)
        previous = row["hash"]
    return expected


def _history(tree: Json, versions: Mapping[int, list[Version]], upon: int | None) -> list[Version]:
    """Return the versions that a phase may be played upon; none if that phase has no result."""
    return [Version(0, None, tree["start"])] if upon is None else versions.get(upon, [])


def _rulings(tree: Json, rules: Ruleset) -> Iterator[Difference]:
    """Check each ruling: its number, phase and turn, its sentence, and what it revokes."""
    revoked: set[int] = set()
    turns = {phase["number"]: phase["turn"] for phase in tree["phases"]}
    ruled_on = {row["number"]: row["phase"] for row in tree["rulings"]}
    last = 0
    for row in tree["rulings"]:
        subject = f"ruling {row['number']}"
        if row["number"] <= last or (tree["complete"] and row["number"] != last + 1):
            yield GAME.wrong("the number of a ruling", row["number"], last + 1)
        if row["phase"] not in turns:
            follows: object = "the number of a phase of the game"
            yield GAME.wrong(f"the phase of {subject}", row["phase"], follows)
        else:
            yield from GAME.expect(f"the turn of {subject}", row["turn"], turns[row["phase"]])
        if (
            (row["kind"] == "revoke") != (row["revokes"] is not None)
            or (row["revokes"] or 0) >= row["number"]
            or row["revokes"] in revoked
        ):
            follows = "an earlier ruling that holds, where it is a revocation"
            yield GAME.wrong(f"what {subject} revokes", row["revokes"], follows)
        if row["revokes"] is not None:
            revoked.add(row["revokes"])
            yield from GAME.expect(
                f"what {subject} revokes", row["what"], {"ruling": row["revokes"]}
            )
            phase = ruled_on.get(row["revokes"])
            yield from GAME.expect(f"the phase of {subject}", row["phase"], phase)
        if not row["what"].get("withheld"):
            try:
                ids = {
                    phase["number"]: PhaseId(phase["turn"], phase["kind"])
                    for phase in tree["phases"]
                }
                title = rules.facts(ids[row["phase"]], tree["options"]).title
                follows = ruling_kinds.words(row["kind"], row["what"], title, rules.unit)
            except _UNFIT as error:
                yield Difference("", subject, row["what"], None, fault=str(error))
                return
            # 0.1.0 named the number of an accepted submission.
            named = f"Submission {row['what'].get('submission')} "
            said = row["words"].replace(named, "A submission ")
            yield from GAME.expect(f"what {subject} says in words", said, follows)
        last = row["number"]


def _deals(tree: Json, rules: Ruleset, start: Any) -> Iterator[Difference]:
    """Check that each deal is one that nations of the game can have made; no hash binds it."""
    if not tree["deals"] or rules.deals is None:
        yield from GAME.expect("the list of deals", tree["deals"], [])
        return
    board = rules.board(rules.view(start, None))
    verbs = tuple(rules.deals.verbs)
    ground = terms.Ground(board.nations, board.areas, 1, rules.turns(start), verbs)
    phases = {phase["number"] for phase in tree["phases"]}
    for index, row in enumerate(tree["deals"]):
        subject, counters = f"deal {index + 1}", row["counters"]
        if (
            len({row["by"], row["to"]} & {*board.nations}) < 2
            or row["phase"] not in phases
            or not (counters is None or 0 <= counters < index)
            or (row["answer"] is None) != (row["answered"] is None)
        ):
            expected = "of two nations and a phase of the game, and answered at a time or not"
            yield GAME.wrong(subject, row, expected)
            continue
        try:
            terms.read(row["text"], row["by"], row["to"], ground)
        except terms.DealFault:
            yield GAME.wrong(subject, row["text"], "promises that can be read")


def _end(tree: Json, rules: Ruleset, versions: Mapping[int, list[Version]]) -> Iterator[Difference]:
    standing = [phase for phase in tree["phases"] if phase["status"] != "undone"]
    last = versions[standing[-1]["number"]][-1:] if standing else []
    over = (
        bool(last)
        and rules.phase(rules.load(tree["card"], tree["options"], last[0].position)) is None
    )
    if over or tree["status"] == "finished":
        follows = "finished" if over else "running"
        yield from GAME.expect("the status of the game", tree["status"], follows)
    elif last or (tree["started"] and not standing):  # opened with the start, or the last result
        yield GAME.wrong("the phase that comes next", None, "there, for the game is not over")
