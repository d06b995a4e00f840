"""Sessions and figures derived again from the record (issue 19, item 5; rules.md 0.1)."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from typing import Any

import pytest

from games.rules.sessions import session_on
from games.rules.verification import verify
from games.rules.verification.record import RecordError, instant, reading_hash
from tests.records.forging import recomputed

Tree = dict[str, Any]
Change = Callable[[Tree], object]
pytestmark = pytest.mark.django_db  # for the one game

HOUR = timedelta(hours=1)
LEADING = ("KO", "IBM", "F", "T", "XOM")
NEW_YORK = {"code": "NYQ", "zone": "America/New_York", "instrument": "EQUITY"}


@pytest.fixture
def tree(published: Tree) -> Tree:
    return copy.deepcopy(published)


def attacks(tree: Tree) -> Tree:
    """Return the phase of the one attack: session of 18 November, stock read four times."""
    phase: Tree = tree["phases"][1]
    return phase


def moved(moment: str, by: timedelta) -> str:
    return instant(datetime.fromisoformat(moment) + by)


def first(tree: Tree) -> str:
    return str(next(verify.differences(recomputed(tree)), ""))


def test_record_contains_the_cases_to_verify(tree: Tree) -> None:
    assert verify.check(tree) == []
    phase = attacks(tree)
    assert phase["session"]["label"] == "2026-11-18"
    assert [(row["kind"], row["volume"]) for row in phase["readings"]] == [
        ("no_bar", None),
        ("ok", 5_412_300),
        ("ok", 5_412_400),
        ("ok", 5_412_400),
    ]
    assert [(row["symbol"], row["volume"], row["readings"]) for row in phase["figures"]] == [
        ("GE", 5_412_400, [3, 4])
    ]


def keep(phase: Tree, *numbers: int) -> None:
    """Keep only these readings; the figure rests on the last of them."""
    phase["readings"] = [row for row in phase["readings"] if row["number"] in numbers]
    for number, row in enumerate(phase["readings"], start=1):
        row["number"] = number


def one_reading(tree: Tree) -> None:
    keep(attacks(tree), 4)
    attacks(tree)["figures"][0]["readings"] = [1]


def a_minute_apart(tree: Tree) -> None:
    phase = attacks(tree)
    phase["readings"][2]["time"] = moved(phase["readings"][3]["time"], timedelta(minutes=-1))


def contradicted(tree: Tree) -> None:
    """Let the reading between two equal ones differ, which restarts the count."""
    phase = attacks(tree)
    phase["readings"][1]["volume"], phase["readings"][2]["volume"] = 5_412_400, 5_412_300
    phase["figures"][0]["readings"] = [2, 4]


def to_session(tree: Tree, label: str, *, days: int) -> None:
    """Move the phase to another session, with readings taken after it."""
    phase, by = attacks(tree), timedelta(days=days)
    session = session_on("XNYS", date.fromisoformat(label))
    old = phase["session"]
    phase["session"] = {
        "exchange": "XNYS",
        "label": label,
        "opens": instant(session.opens) if session else moved(old["opens"], by),
        "closes": instant(session.closes) if session else moved(old["closes"], by),
    }
    for row in (*phase["readings"], *phase["later_readings"]):
        row |= {"session": label, "time": moved(row["time"], by)}
    for row in phase["figures"]:
        row["settled"] = moved(row["settled"], by)
    for row in phase["draws"]:
        row["drawn"] = moved(row["drawn"], by)
    for row in phase["resolutions"]:
        row["resolved"] = moved(row["resolved"], by)


def of_london(tree: Tree) -> None:
    attacks(tree)["session"]["exchange"] = "XLON"
    for row in attacks(tree)["readings"]:
        row["exchange"] = "XLON"


def longer_hours(tree: Tree) -> None:
    """Let the session close an hour earlier, so that readings could come earlier."""
    attacks(tree)["session"]["closes"] = moved(attacks(tree)["session"]["closes"], -HOUR)


def skipped(tree: Tree) -> None:
    """Record “no usable report” although two readings agree, so that the reserve decides."""
    attacks(tree)["figures"][0] |= {"volume": None, "reason": "no usable report"}


def forgotten(tree: Tree) -> None:
    """Remove the figure of the named stock."""
    attacks(tree)["figures"] = []


def in_the_evening(tree: Tree) -> None:
    """Move the readings to the evening, when a publisher may still show yesterday's bar."""
    for row in attacks(tree)["readings"]:
        row["time"] = moved(row["time"], -10 * HOUR)
    attacks(tree)["figures"][0]["settled"] = moved(
        attacks(tree)["figures"][0]["settled"], -10 * HOUR
    )


def of_yesterday(tree: Tree) -> None:
    """Use the previous session's bar, whose sales were known while orders were open."""
    attacks(tree)["readings"][3]["session"] = "2026-11-17"


def without_policy(tree: Tree) -> None:
    attacks(tree)["policy"] = None


def by_first_reading(tree: Tree) -> None:
    one_reading(tree)
    attacks(tree)["policy"]["agree_after"] = None


def lost(tree: Tree, **listed: Any) -> None:
    """Let the publisher lose the stock for two hours, and find it again."""
    readings = attacks(tree)["readings"]
    for row in readings[:2]:
        row |= {"kind": "unknown", "volume": None, "facts": {"probe": "KO", **listed}}
    readings[1]["time"] = moved(readings[2]["time"], timedelta(minutes=-1))


def skipped_as_lost(tree: Tree) -> None:
    """Record “no usable report” by the two answers in which the stock was lost."""
    lost(tree, listed=NEW_YORK)
    attacks(tree)["figures"][0] |= {"volume": None, "readings": [1, 2]}


FORGED: dict[str, tuple[Change, str]] = {
    "one reading": (
        one_reading,
        (
            "the figure of GE, settled from its readings, is recorded as “5,412,400”, but should be"
            " “not settled: one"
        ),
    ),
    "two readings a minute apart": (
        a_minute_apart,
        "the figure of GE, settled from its readings, is recorded as “5,412,400”, but should be",
    ),
    "a contradicting reading in between": (
        contradicted,
        "the figure of GE, settled from its readings, is recorded as “5,412,400”",
    ),
    "a moved session": (
        lambda tree: to_session(tree, "2026-11-19", days=1),
        (
            "the session is recorded as “XNYS 2026-11-19, 2026-11-19T14:30:00+00:00 to"
            " 2026-11-19T21:00:00+00:00”, but should be “XNYS 2026-11-18, 2026-11-18T14:30:00+00:00"
            " to 2026-11-18T21:00:00+00:00”."
        ),
    ),
    "an earlier session": (
        lambda tree: to_session(tree, "2026-11-17", days=-1),
        "the session is recorded as “XNYS 2026-11-17",
    ),
    "a Sunday": (
        lambda tree: to_session(tree, "2026-11-22", days=4),
        "the session is recorded as “XNYS 2026-11-22",
    ),
    "a session of another exchange": (
        of_london,
        "the exchange of the session is recorded as “XLON”, but should be “XNYS”.",
    ),
    "other hours of the session": (
        longer_hours,
        "the session is recorded as “XNYS 2026-11-18, 2026-11-18T14:30:00+00:00 to 2026-11-18T20",
    ),
    "a stock skipped although its readings agree": (
        skipped,
        (
            "the figure of GE, settled from its readings, is recorded as “no usable report”, but"
            " should be “5,412,400: two readings agree"
        ),
    ),
    "a lost stock that had not been found before, waited for": (
        lost,
        (
            "the figure of GE, settled from its readings, is recorded as “5,412,400”, but should be"
            " “no usable report"
        ),
    ),
    "a lost stock that had been found before, skipped": (
        skipped_as_lost,
        (
            "the figure of GE, settled from its readings, is recorded as “no usable report”, but"
            " should be “5,412,400: two readings agree"
        ),
    ),
    "a named stock without a figure": (
        forgotten,
        "the figure of GE is recorded as nothing, but should be “there",
    ),
    "readings of the same evening": (
        in_the_evening,
        "the figure of GE, settled from its readings, is recorded as “5,412,400”",
    ),
    "yesterday's bar": (
        of_yesterday,
        (
            'the session of reading 4 of GE is recorded as ["XNYS", "2026-11-17"], but should be'
            ' ["XNYS"'
        ),
    ),
    "a policy left out": (
        without_policy,
        "the policy by which figures are read is recorded as nothing, but should be “there",
    ),
    "a policy by which one reading counts": (
        by_first_reading,
        "whether the first reading counts, by the policy, is recorded as true",
    ),
    "no floor": (
        lambda tree: attacks(tree)["policy"].update(floor=0),
        (
            'the list of market, floor and median in the policy is recorded as ["new_york", 0,'
            " 100000], but should be"
        ),
    ),
    "a source that the game does not have": (
        lambda tree: attacks(tree)["readings"][2].update(source="tiingo"),
        (
            "the source of reading 3 of GE is recorded as “tiingo”, but should be “one of"
            " newspaper, yahoo”."
        ),
    ),
    "a publisher's reading called the gamesmaster's": (
        lambda tree: attacks(tree)["readings"][2].update(entered_by_gamesmaster=True),
        "whether the gamesmaster entered reading 3 of GE is recorded as true, but should be false.",
    ),
    "a reading hidden among the later ones": (
        lambda tree: attacks(tree)["later_readings"].append({**attacks(tree)["readings"][1]}),
        "the time of a later reading of GE is recorded as",
    ),
    "a figure that rests on other readings": (
        lambda tree: attacks(tree)["figures"][0].update(readings=[4]),
        "the list of readings that settle GE is recorded as [4], but should be [3, 4].",
    ),
}


@pytest.mark.parametrize(("change", "sentence"), FORGED.values(), ids=FORGED)
def test_verify_detects_forged_figures_with_recomputed_hashes(
    tree: Tree, change: Change, sentence: str
) -> None:
    change(tree)
    assert first(tree).startswith(f"Phase 2 (turn 1, attacks): {sentence}")


def test_record_of_a_lost_stock_that_had_been_found_before_verifies(tree: Tree) -> None:
    lost(tree, listed=NEW_YORK)
    assert first(tree) == ""


def test_missing_hash_is_detected(tree: Tree) -> None:
    del attacks(tree)["readings"][2]["hash"]
    with pytest.raises(RecordError, match=r"“phases\[1\].readings\[2\].hash” is missing"):
        verify.check(tree)


def test_late_lock_does_not_move_the_session(tree: Tree) -> None:
    """Rules 0.1: the announced deadline decides the session, if it has not opened."""
    phase = attacks(tree)
    phase["locked"] = moved(phase["session"]["opens"], timedelta(seconds=-1))
    assert verify.check(recomputed(tree)) == []


def test_lock_after_its_session_opened_is_a_difference(tree: Tree) -> None:
    """Time must have been given back: nobody chooses between two sessions."""
    phase = attacks(tree)
    phase["locked"] = phase["session"]["opens"]
    (difference,) = verify.check(recomputed(tree))
    assert "or time given back" in str(difference)


def test_simultaneous_reading_of_another_game_changes_nothing(tree: Tree) -> None:
    """Readings are shared: one taken earlier may be stored after this game has settled."""
    phase = attacks(tree)
    phase["readings"].insert(
        3,
        {
            **phase["readings"][3],
            "time": moved(phase["readings"][3]["time"], timedelta(seconds=-1)),
            "number": 4,
        },
    )
    phase["readings"][4]["number"] = 5
    phase["figures"][0]["readings"] = [3, 5]
    assert verify.check(recomputed(tree)) == []


def test_reading_stored_after_settling_is_a_later_reading(tree: Tree) -> None:
    """Another game's worker read before this stock settled, and wrote afterward."""
    phase = attacks(tree)
    phase["later_readings"].append(
        {
            **phase["readings"][3],
            "time": moved(phase["figures"][0]["settled"], timedelta(seconds=-30)),
        }
    )
    assert verify.check(recomputed(tree)) == []


# --- closures ---


def answer(symbol: str, label: str, time: str, volume: int | None = None) -> Tree:
    """Return a reading of a leading stock: by default the publisher has no entry for it."""
    row: Tree = {
        "exchange": "XNYS",
        "session": label,
        "symbol": symbol,
        "source": "yahoo",
        "kind": "no_bar" if volume is None else "ok",
        "volume": volume,
        "time": time,
        "detail": "",
        "flag": "",
        "facts": {},
        "raw": {},
        "entered_by_gamesmaster": False,
    }
    return {**row, "hash": reading_hash(row)}


def proof(
    missing: str = "2026-11-18",
    traded: str = "2026-11-19",
    time: str = "2026-11-20T11:30:00+00:00",
    stocks: Sequence[str] = LEADING,
) -> list[Tree]:
    """Return readings by which these stocks were traded on one day and not on the other."""
    days = (missing, None), (traded, 1_000_000)
    return [answer(symbol, day, time, volume) for symbol in stocks for day, volume in days]


def closed(tree: Tree, **changes: Any) -> Tree:
    """Close Wednesday 18 November, the day of the draw; the phase draws on Thursday."""
    to_session(tree, "2026-11-19", days=1)
    phase = attacks(tree)
    closure = {
        "exchange": "XNYS",
        "day": "2026-11-18",
        "reason": "A storm.",
        "entered": "2026-11-18T16:00:00+00:00",
        "confirmed": "2026-11-20T11:40:00+00:00",
        "removed": None,
        "removed_because": "",
        "readings": proof(),
    }
    tree["closures"] = [{**closure, **changes}]
    old, new = session_on("XNYS", date(2026, 11, 18)), session_on("XNYS", date(2026, 11, 19))
    assert old is not None
    assert new is not None
    phase["session_changes"] = [
        {
            "old": old.label, "old_opens": instant(old.opens), "old_closes": instant(old.closes),
            "new": new.label, "new_opens": instant(new.opens), "new_closes": instant(new.closes),
            "reason": "A storm.", "changed": "2026-11-20T11:40:00+00:00",
        }
    ]  # fmt: skip
    return tree


def test_a_closure_with_evidence_moves_the_session(tree: Tree) -> None:
    """Issue 19, item 4: the leading stocks have sales of the next day, and none of this one."""
    assert verify.check(recomputed(closed(tree))) == []


def test_a_closure_entered_before_the_session_needs_no_evidence(tree: Tree) -> None:
    closed(tree, entered="2026-11-17T16:00:00+00:00", confirmed=None, readings=[])
    attacks(tree)["session_changes"] = []
    assert verify.check(recomputed(tree)) == []


def test_a_closure_is_not_removed_once_the_sales_of_that_day_are_known(tree: Tree) -> None:
    """Else an operator could enter closures ahead, and remove the one whose digits they like."""
    phase = attacks(closed(tree, entered="2026-11-17T16:00:00+00:00", confirmed=None, readings=[]))
    to_session(tree, "2026-11-18", days=-1)
    (change,), (closure,) = phase["session_changes"], tree["closures"]
    for end in ("", "_opens", "_closes"):
        change[f"old{end}"], change[f"new{end}"] = change[f"new{end}"], change[f"old{end}"]
    change["changed"] = closure["removed"] = "2026-11-18T14:00:00+00:00"
    assert first(tree) == ""
    change["changed"] = closure["removed"] = "2026-11-18T23:00:00+00:00"
    assert "the time of the session change is recorded as “2026-11-18T23:00" in first(tree)


UNPROVED: dict[str, tuple[Tree, str]] = {
    "one that was never confirmed": (
        {"confirmed": None},
        "the time of the session change is recorded as “2026-11-20T11:40:00+00:00”",
    ),
    "one that was removed before": (
        {"removed": "2026-11-19T11:59:00+00:00"},
        "the session is recorded as “XNYS 2026-11-19",
    ),
    "one without readings": (
        {"readings": []},
        "the evidence for the closure of XNYS on 2026-11-18 is recorded as []",
    ),
    "one stock only": (
        {"readings": proof(stocks=["KO"])},
        'the evidence for the closure of XNYS on 2026-11-18 is recorded as ["KO"]',
    ),
    "one of them was traded": (
        {
            "readings": [
                *proof(),
                answer("AAPL", "2026-11-18", "2026-11-20T11:30:00+00:00", 5_412_300),
            ]
        },
        (
            "the list of leading stocks with sales behind the closure of XNYS on 2026-11-18 is"
            ' recorded as ["AAPL"], but should be [].'
        ),
    ),
    "a publisher that is late with everything": (
        {"readings": [row for row in proof() if row["kind"] == "no_bar"]},
        "the evidence for the closure of XNYS on 2026-11-18 is recorded as []",
    ),
    "sales of the day before": (
        {"readings": proof(traded="2026-11-17")},
        "the evidence for the closure of XNYS on 2026-11-18 is recorded as []",
    ),
    "sales of a Saturday": (
        {"readings": proof(traded="2026-11-21")},
        "the evidence for the closure of XNYS on 2026-11-18 is recorded as []",
    ),
    "sales of no day": (
        {"readings": proof(traded="tomorrow")},
        "the evidence for the closure of XNYS on 2026-11-18 is recorded as []",
    ),
    "missing in other stocks": (
        {
            "readings": [
                row
                for symbol, other in zip(LEADING, ("GE", "GM", "PG", "WMT", "MCD"), strict=True)
                for row in (proof(stocks=[symbol])[0], proof(stocks=[other])[1])
            ]
        },
        "the evidence for the closure of XNYS on 2026-11-18 is recorded as []",
    ),
    "read on the evening of the next session": (
        {"readings": proof(time="2026-11-19T22:00:00+00:00")},
        "the evidence for the closure of XNYS on 2026-11-18 is recorded as []",
    ),
    "read after it counted": (
        {"readings": proof(time="2026-11-20T11:50:00+00:00")},
        "the evidence for the closure of XNYS on 2026-11-18 is recorded as []",
    ),
    "read of another day": (
        {"readings": proof(missing="2026-11-17")},
        "the evidence for the closure of XNYS on 2026-11-18 is recorded as []",
    ),
    "of another exchange": (
        {"exchange": "XLON", "confirmed": None},
        "the time of the session change is recorded as “2026-11-20T11:40:00+00:00”",
    ),
    "of another day": (
        {"day": "2026-11-20", "confirmed": None},
        "the time of the session change is recorded as “2026-11-20T11:40:00+00:00”",
    ),
}


@pytest.mark.parametrize(("changes", "sentence"), UNPROVED.values(), ids=UNPROVED)
def test_closure_without_proof_does_not_move_the_session(
    tree: Tree, changes: Tree, sentence: str
) -> None:
    difference = first(closed(tree, **changes))
    assert difference.removeprefix("Phase 2 (turn 1, attacks): ").startswith(sentence), difference


def test_session_on_a_closed_day_is_detected(tree: Tree) -> None:
    closure = copy.deepcopy(closed(copy.deepcopy(tree))["closures"])
    tree["closures"] = [{**closure[0], "entered": "2026-11-17T16:00:00+00:00"}]
    assert first(tree).startswith(
        "Phase 2 (turn 1, attacks): the session is recorded as “XNYS 2026-11-18"
    )
