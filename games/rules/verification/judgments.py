"""Judge one phase of a record again, in each version of its result (`verify`)."""

from __future__ import annotations

from collections.abc import Container, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from .. import REFEREE_SEAT, Json, PhaseId, RulesError, UnknownFigure, facts, rulings
from ..plain import editions
from ..plain.facts import is_plain
from . import record
from .difference import Difference, parse_time
from .phases import Before, PhaseCheck, Version


def _refused_lines(remarks: Mapping[str, list[Json]], besides: Container[str]) -> Json:
    """Return the refused lines with their codes, by nation, for all nations `besides` some."""
    errors = {
        nation: [
            [remark["line"], remark["code"]] for remark in rows if remark["severity"] == "error"
        ]
        for nation, rows in remarks.items()
        if nation not in besides
    }
    return {nation: rows for nation, rows in errors.items() if rows}


def _understood(row: Json) -> editions.Understood | None:
    """Return what a record says was understood, whatever edition did."""
    understood: editions.Understood | None = row.get("understood")
    return understood if row["nation"] != REFEREE_SEAT else None


def _replace_texts(tree: Any, texts: Mapping[str, str], kept: Any) -> Any:
    """Return a JSON value with other texts in place of some, wherever they stand.

    `kept`: the recorded value, which may have some of these texts as they are.
    """
    if isinstance(tree, dict):
        kept = kept if isinstance(kept, dict) else {}
        return {key: _replace_texts(value, texts, kept.get(key)) for key, value in tree.items()}
    if isinstance(tree, list):
        others = kept if isinstance(kept, list) else ()
        pairs = zip_longest(tree, others[: len(tree)])
        return [_replace_texts(value, texts, other) for value, other in pairs]
    return texts.get(tree, tree) if isinstance(tree, str) and tree != kept else tree


class _MissingFigure(RulesError, UnknownFigure):
    """A figure that the record does not have. An attack with a ruled result may do without."""


class _Figures:
    """The recorded figures in the form that the rules take.

    A figure that the rules need and the record lacks is a difference of its own.
    """

    def __init__(self, volumes: Mapping[str, int | None]) -> None:
        self._volumes = volumes

    def get(self, symbol: str, /) -> int | None:
        if symbol not in self._volumes:
            raise _MissingFigure(
                f"an attack needs the sales of {symbol}, and the record has no figure for it"
            )
        return self._volumes[symbol]


class JudgmentCheck(PhaseCheck):
    """Checks all of a phase: what came before its results, and each version of them."""

    # 5. resolutions

    def resolutions(self) -> Iterator[Difference]:
        board = None
        for number, row in enumerate(self.phase["resolutions"], start=1):
            after_ruling = row["after_ruling"]
            position = self.position(after_ruling)
            yield from self.expect("the number of the version", row["version"], number)
            subject, made_by = f"the ruling that made version {number}", row["ruling"]
            yield from self.expect(subject, made_by, after_ruling if number > 1 else None)
            yield from self.expect("the position before", row["before"], position)
            yield from self._check_rulings_of(row, number, after_ruling)
            if self.versions and after_ruling <= self.versions[-1].after_ruling:
                newer = f"above {self.versions[-1].after_ruling}"
                yield self.wrong(f"the newest ruling of version {number}", after_ruling, newer)
            if row["orders"] is not None:
                state = yield from self._judge(row, position)
            else:
                state = self.rules.load(self.tree["card"], self.options, row["after"])
                yield from self._check_published(row, state)
            made = Version(after_ruling, parse_time(row["resolved"]), self.rules.dump(state))
            self.versions.append(made)
            board = record.board(self.rules, state)
        yield from self.expect("the board", self.phase["board"], board)
        if self.versions:
            yield from self._check_newest()
            yield from self._check_rulings_told()

    def _check_rulings_of(self, row: Json, place: int, after_ruling: int) -> Iterator[Difference]:
        """Check that the rulings that count for a version had been made by then, and no others.

        A public record may leave out some, so it is not checked.
        """
        subject = f"the newest ruling of version {place}"
        if not self.tree["complete"]:
            return
        resolved = row["resolved"]
        made = {ruling["number"]: parse_time(ruling["made"]) for ruling in self.tree["rulings"]}
        if after_ruling and (after_ruling not in made or made[after_ruling] > parse_time(resolved)):
            yield self.wrong(subject, after_ruling, f"a ruling made by {resolved}")
        if any(
            number > after_ruling and time < parse_time(resolved) for number, time in made.items()
        ):
            yield self.wrong(subject, after_ruling, f"the last one made before {resolved}")

    def _check_newest(self) -> Iterator[Difference]:
        """Check that the newest version rests on the newest one before it and on all rulings.

        These are the rulings in force now or, for an undone phase, when it was undone.
        """
        newest, undone_by = self.phase["resolutions"][-1], self.phase["undone_by"]
        upto = undone_by - 1 if undone_by is not None else None
        position = self.history[-1].position if upto is None else self.position(upto)
        subject = "the position before, in the newest version,"
        yield from self.expect(subject, newest["before"], position)
        recorded = [ruling.number for ruling in self._rulings_of(newest)]
        expected = [
            ruling.number for ruling in rulings.rulings_on(self.known, self.phase["number"], upto)
        ]
        yield from self.expect(
            "the list of rulings that hold in the newest version", recorded, expected
        )

    def _check_rulings_told(self) -> Iterator[Difference]:
        """Check that each ruling on a phase that was already judged made a version of it.

        That includes rulings that changed nothing.
        """
        first = self.phase["resolutions"][0]["after_ruling"]
        made = {row["ruling"] for row in self.phase["resolutions"]}
        by_number = {ruling.number: ruling for ruling in self.known}
        for ruling in self.known:
            root = ruling
            while root.revokes in by_number and root.revokes < root.number:
                root = by_number[root.revokes]
            if (
                ruling.phase == self.phase["number"]
                and ruling.number > first
                and ruling.number not in made
                and root.kind != "rollback"
            ):
                yield self.wrong(f"the version that ruling {ruling.number} made", None, "there")

    def _judge(self, row: Json, position: Json) -> Generator[Difference, None, Any]:
        """Judge the phase again: yield differences, and return the resulting state."""
        volumes = _Figures({figure["symbol"]: figure["volume"] for figure in self.phase["figures"]})
        submissions = self._ruled_submissions(self.before)
        card, reserves, held = self.tree["card"], self.tree["reserves"], self._rulings_of(row)
        judged = rulings.judge(
            self.rules,
            card,
            self.options,
            position,
            self.texts,
            volumes,
            reserves,
            held,
            submissions,
        )
        otherwise = self._judged_otherwise(row["orders"], judged, held)
        for nation in sorted({*judged.orders, *row["orders"]} - otherwise.keys()):
            recorded, expected = row["orders"].get(nation), judged.orders.get(nation)
            yield from self.expect("the order text as judged", recorded, expected, nation)
        follows = judged.resolution
        yield from self._events(map(facts, row["events"]), map(facts, follows.events))
        # Refused lines do nothing, so they must be the same. Warnings and notes decide nothing, and
        # may say more in a later version than when the phase was judged.
        refused = _refused_lines(
            {
                nation: [remark.as_json() for remark in remarks]
                for nation, remarks in follows.remarks.items()
            },
            otherwise,
        )
        recorded = _refused_lines(row["remarks"], otherwise)
        yield from self.expect("the list of refused lines", recorded, refused)
        state, after = follows.state, self.rules.dump(follows.state)
        # A position may keep order texts, as sent or as understood.
        texts = {judged.orders[nation]: text for nation, text in otherwise.items()}
        kept = _replace_texts(after, texts, row["after"])
        if row["after"] != after and row["after"] == kept:
            state, after = self.rules.load(card, self.options, kept), kept
        yield from self.expect("the position after", row["after"], after)
        standing = self.rules.standing(state)
        over = self.rules.phase(state) is None
        winners, remark = (standing.winners, standing.remark) if over else (None, "")
        yield from self.expect("the list of scores", row["scores"], standing.scores)
        yield from self.expect("the list of winners", row["winners"], winners)
        yield from self.expect("the closing remark", row["closing"], remark)
        return state

    def _judged_otherwise(
        self,
        recorded: Mapping[str, str],
        judged: rulings.JudgedPhase,
        held: Sequence[rulings.Ruling],
    ) -> dict[str, str]:
        """Return by nation the texts that another edition of the reader judged instead.

        An edition judges the texts that it read itself, and for those of another edition the lines
        that were understood. The orders are the same; the refused lines differ.
        """
        differ = {n: text for n, text in recorded.items() if judged.orders.get(n, text) != text}
        if not differ or not is_plain(self.options):
            return {}
        standing = self.orders_of(self.phase["submissions"], _understood)
        as_understood = {nation: orders.judged for nation, orders in standing.items()}
        forms = [
            self.rules.in_force(
                judged.state, rulings.ruled_texts(texts, held, self._ruled_submissions(before))
            )
            for texts, before in (
                (self.sent_texts, lambda row: None),
                (as_understood, _understood),
            )
        ]
        return {n: text for n, text in differ.items() if text in [form.get(n) for form in forms]}

    def _ruled_submissions(self, before: Before) -> dict[int, rulings.RuledSubmission]:
        return {
            row["number"]: rulings.RuledSubmission(
                row["nation"], editions.judged_text(row["text"], before(row))
            )
            for row in self.phase["submissions"]
        }

    def _events(self, recorded: Iterable[Json], follows: Iterable[Json]) -> Iterator[Difference]:
        """Compare the facts of events, not their sentences, whose wording may change."""
        empty: Json = {}
        for index, (actual, expected) in enumerate(zip_longest(recorded, follows, fillvalue=empty)):
            about = expected or actual
            nation, line = str(about.get("nation", "")), about.get("line")
            subject = (
                f"event {index + 1}"
                f" ({about['kind']}{' in ' + str(about['area']) if 'area' in about else ''})"
            )
            if not actual or not expected:
                yield self.wrong(subject, actual or None, expected or None, nation, line)
                continue
            for key in [*expected, *(key for key in actual if key not in expected)]:
                actual_value, expected_value = actual.get(key), expected.get(key)
                yield from self.expect(
                    f"the {key} of {subject}", actual_value, expected_value, nation, line
                )

    def _check_published(self, row: Json, after: Any) -> Iterator[Difference]:
        """Check a result whose orders are withheld.

        The game must go on to another phase, and the scores must be those of the board.
        """
        scores = self.rules.standing(after).scores
        yield from self.expect("the list of scores", row["scores"], scores)
        turn = self.rules.phase(after)
        if turn is not None and turn == PhaseId(self.phase["turn"], self.phase["kind"]):
            follows = "one in which the next phase comes"
            yield self.wrong("the position after", row["after"], follows)
