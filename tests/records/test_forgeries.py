"""Every field of a record, forged by somebody who recomputes all hashes: the record exposes it, or
letters do (docs/fairness.md)."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import pytest

from games.rules.verification import verify
from games.rules.verification.record import RecordError
from tests.records.forging import (
    BOUND_BY_LETTERS,
    BOUND_BY_NOTHING,
    Path,
    Tree,
    field,
    is_listed,
    recomputed,
)
from tests.records.test_verify import at, changed, places

pytestmark = pytest.mark.django_db  # for the games
#: Entries have hashes of their own, and tests of their own.
NOT_WALKED = ("entries",)


def is_exposed(tree: Tree) -> bool:
    try:
        return next(verify.differences(tree), None) is not None
    except RecordError:
        return True


def forged(whole: Tree, *left_out: str) -> Iterator[tuple[str, Tree]]:
    """The record with one value changed, for every value; with the hashes made anew."""
    for path in places(
        {key: value for key, value in whole.items() if key not in (*NOT_WALKED, *left_out)}
    ):
        tree = copy.deepcopy(whole)
        at(*path, by=changed)(tree)
        try:
            tree = recomputed(tree)
        except (AttributeError, LookupError, TypeError, ValueError):
            continue  # not even the form of a record
        if tree != whole:  # else a hash, which is as it was
            yield field(path), tree


def anchors(tree: Tree) -> list[str]:
    """What letters and receipts show of a record: its hashes, the game's number, and the number of
    each submission within its seat."""
    return [
        tree["id"],
        *(row["hash"] for row in tree["entries"]),
        *(
            f"{row['seat_number']} {row['hash']}"
            for p in tree["phases"]
            for row in p["submissions"]
        ),
    ]


def missed(whole: Tree, *left_out: str) -> set[tuple[str, bool]]:
    """Fields that can be forged so that the record follows, and whether letters differ."""
    return {
        (name, anchors(tree) != anchors(whole))
        for name, tree in forged(whole, *left_out)
        if not is_exposed(tree)
    }


def test_every_forgery_is_exposed_by_the_record_or_listed(whole: Tree, published: Tree) -> None:
    """What is not exposed stands in the table of docs/fairness.md."""
    found = missed(whole) | missed(published, "card", "options", "start")
    assert {
        name
        for name, bound in found
        if not is_listed(name, BOUND_BY_LETTERS if bound else BOUND_BY_NOTHING)
    } == set()


def test_the_page_calls_no_field_both_bound_and_not() -> None:
    assert {"phases.*.readings.*.raw", "phases.*.deadline_changes"} <= BOUND_BY_LETTERS
    assert "title" in BOUND_BY_NOTHING
    assert set() == BOUND_BY_LETTERS & BOUND_BY_NOTHING


def test_the_walk_reaches_every_part_of_a_record(whole: Tree, published: Tree) -> None:
    """Or the test above would prove little."""
    walked = {field(path) for tree in (whole, published) for path in places(tree)}
    assert {
        "phases.*.readings.*.facts.code",
        "phases.*.policy.agree_after",
        "phases.*.deadline_changes.*.reason",
    } <= walked


def test_a_path_names_its_field() -> None:
    path: Path = ("phases", 3, "figures", 0, "volume")
    assert field(path) == "phases.*.figures.*.volume"
