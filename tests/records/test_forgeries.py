"""Every field of a record, forged with all hashes recomputed.

The record exposes the forgery, or letters do (docs/fairness.md). Each day a field is forged in
one of the rows that have it, in a soak in all.
"""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Iterable, Iterator
from typing import Any

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
from tests.support.examples import sample

pytestmark = pytest.mark.django_db  # for the games
#: Entries have their own hashes and tests.
NOT_WALKED = ("entries",)


def is_exposed(tree: Tree) -> bool:
    try:
        return next(verify.differences(tree), None) is not None
    except RecordError:
        return True


def walked(whole: Tree, *left_out: str) -> Tree:
    """Return the parts of a record that are forged."""
    return {key: value for key, value in whole.items() if key not in (*NOT_WALKED, *left_out)}


def rearranged(value: Any) -> list[Any]:
    """Return a list with an item twice, without its first, and in another order; [] for others.

    The order of numbers says nothing.
    """
    if not isinstance(value, list) or not value:
        return []
    orders = [] if isinstance(value[0], int) else [value[::-1]]
    return [[*value, value[-1]], [value[0], *value], value[1:], *orders]


def values_of(trees: Iterable[Tree]) -> dict[str, list[Any]]:
    """Return the different values of each field in records: what a forger could copy."""
    known: dict[str, dict[str, Any]] = {}
    for tree in trees:
        for path in places(walked(tree, "card", "options", "start")):
            value: Any = tree
            for step in path:
                value = value[step]
            known.setdefault(field(path), {})[json.dumps(value, sort_keys=True)] = value
    return {name: list(values.values()) for name, values in known.items()}


def changed_fields(tree: Tree, path: Path, old: Any, new: Any) -> set[str]:
    """Return the fields that differ, without hashes: a forger recomputes them.

    Orders added to a phase that nobody judged decide nothing and have no name here: letters bind
    them (docs/fairness.md).
    """
    names: set[str] = set()
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        for key in old.keys() - {"hash", "previous_hash"}:
            names |= changed_fields(tree, (*path, key), old[key], new[key])
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, item in enumerate(old):
            names |= changed_fields(tree, (*path, place), item, new[place])
    elif old != new:
        added_in_vain = path[0] == "phases" and path[2:] == ("submissions",)
        if not (added_in_vain and not tree["phases"][path[1]]["resolutions"]):
            names.add(field(path))
    return names


def forged(
    whole: Tree, known: dict[str, list[Any]], each: int, *left_out: str
) -> Iterator[tuple[str, Tree]]:
    """Yield the record with one value changed and all hashes recomputed, for values of every
    field.

    `known`: values that the field may have. `each`: how many of them it gets outside a soak, and
    in how many ways a list is rearranged.
    """
    rows: dict[str, list[Path]] = {}
    kept = pickle.dumps(whole)  # read again in a fifth of the time of a deep copy
    for path in places(walked(whole, *left_out)):
        rows.setdefault(field(path), []).append(path)
    for path in (path for paths in rows.values() for path in sample(paths, 1)):
        value: Any = whole
        for step in path:
            value = value[step]
        copied = [other for other in known.get(field(path), []) if other != value]
        ways, copies = sample(rearranged(value), each), sample(copied, each)
        for other in (changed(value), *ways, *copies):
            tree = pickle.loads(kept)
            at(*path, be=copy.deepcopy(other))(tree)
            try:
                tree = recomputed(tree)
            except (AttributeError, LookupError, TypeError, ValueError):
                continue  # no longer a record
            if tree != whole:  # equal where a hash was changed and recomputed
                yield from ((name, tree) for name in changed_fields(whole, path, value, other))


def anchors(tree: Tree) -> list[str]:
    """Return what letters and receipts show: hashes, the game's number, numbers within seats."""
    return [
        tree["id"],
        *(row["hash"] for row in tree["entries"]),
        *(
            f"{row['seat_number']} {row['hash']}"
            for p in tree["phases"]
            for row in p["submissions"]
        ),
    ]


def missed(
    whole: Tree, known: dict[str, list[Any]], each: int, *left_out: str
) -> set[tuple[str, bool]]:
    """Return fields whose forgery the record does not expose, and whether letters do."""
    return {
        (name, anchors(tree) != anchors(whole))
        for name, tree in forged(whole, known, each, *left_out)
        if not is_exposed(tree)
    }


def test_every_forgery_is_exposed_or_listed_in_the_docs(
    whole: Tree, published: Tree, abandoned: Tree, turned: Tree
) -> None:
    """The table of docs/fairness.md lists what the record does not expose."""
    known = values_of([whole, published, abandoned, turned])
    unexposed = missed(whole, known, 2)
    for tree in (published, abandoned, turned):
        unexposed |= missed(tree, known, 1, "card", "options", "start")
    assert {
        name
        for name, bound in unexposed
        if not is_listed(name, BOUND_BY_LETTERS if bound else BOUND_BY_NOTHING)
    } == set()


#: Looks like “winners”: its last letter is Cyrillic.
LOOK_ALIKE = "winner\u0455"


def objects(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every object in a value."""
    if isinstance(value, dict):
        yield path
        for key, item in value.items():
            yield from objects(item, (*path, key))
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from objects(item, (*path, number))


def unexposed_keys(whole: Tree, *left_out: str) -> set[tuple[str, bool]]:
    """Return objects with a further key that the record does not expose, and whether letters do."""
    found = set()
    found_in = objects({key: row for key, row in whole.items() if key not in left_out})
    for path in {field(path): path for path in found_in}.values():
        tree = copy.deepcopy(whole)
        inside: Any = tree
        for step in path:
            inside = inside[step]
        inside[LOOK_ALIKE] = ["France"]
        tree = recomputed(tree)
        if tree != whole and not is_exposed(tree):  # equal where leaves were recomputed
            found.add((field(path), anchors(tree) != anchors(whole)))
    return found


def test_a_key_that_no_record_has_is_exposed_or_listed_in_the_docs(
    whole: Tree, published: Tree, abandoned: Tree
) -> None:
    """A person could read it instead of the true one."""
    known = "card", "options", "start"
    unexposed = unexposed_keys(whole) | unexposed_keys(published, *known)
    unexposed |= unexposed_keys(abandoned, *known)
    assert {
        name
        for name, bound in unexposed
        if not is_listed(name, BOUND_BY_LETTERS if bound else BOUND_BY_NOTHING)
    } == set()
    # A publisher's own words about a reading may have any keys.
    assert {re.sub(r".*readings.*?\.(\w+).*", r"\1", name) for name, _ in unexposed} == {
        "facts",
        "raw",
    }


def test_checker_names_a_key_that_no_record_has(whole: Tree) -> None:
    """The sign that looks like another one is named, too."""
    tree = copy.deepcopy(whole)
    tree["phases"][3]["resolutions"][0][LOOK_ALIKE] = ["France"]
    assert [str(difference) for difference in verify.check(tree)] == [
        "the key “phases[3].resolutions[0].winner\u0455” (“\u0455” is U+0455) is recorded as"
        ' ["France"], but should be nothing.'
    ]


def test_record_with_the_names_of_its_players_verifies(whole: Tree) -> None:
    """A gamesmaster's own export may have them."""
    tree = copy.deepcopy(whole)
    sitting = {"name": "Gustav", "since": tree["started"], "until": None}
    tree["seats"][0]["people"] = [sitting]
    assert verify.check(tree) == []
    sitting["nation"] = "Russia"
    assert "the key “seats[0].people[0].nation” is" in str(verify.check(tree)[0])


def test_docs_list_no_field_as_both_bound_and_unbound() -> None:
    assert {"phases.*.readings.*.raw", "phases.*.deadline_changes"} <= BOUND_BY_LETTERS
    assert "title" in BOUND_BY_NOTHING
    assert set() == BOUND_BY_LETTERS & BOUND_BY_NOTHING


#: Nobody sent orders in doubt or removed a closure in these games.
EMPTY = {"phases.*.submissions.*.doubt", "closures.*.removed"}


def test_walk_reaches_every_part_of_a_record(
    whole: Tree, published: Tree, abandoned: Tree, turned: Tree
) -> None:
    """Otherwise the test above would prove little: nothing is not forged into something."""
    filled: set[str] = set()
    empty: set[str] = set()
    for tree in (whole, published, abandoned, turned):
        for path in places(walked(tree, "card", "options", "start")):
            value: Any = tree
            for step in path:
                value = value[step]
            (empty if value in (None, []) else filled).add(field(path))
        filled |= {field(path) for path in objects(walked(tree)) if path}
    assert {"phases.*.readings.*.facts.code", "closures.*.readings.*.facts.code"} <= filled
    assert empty - filled == EMPTY


def test_last_phase_that_is_left_out_is_a_difference(abandoned: Tree) -> None:
    """Nobody judged it, so that nothing else follows from it but what its players ordered."""
    tree = copy.deepcopy(abandoned)
    del tree["phases"][-1]
    (found,) = verify.check(recomputed(tree))
    assert str(found).startswith("the phase that comes next is recorded as nothing")


def test_field_name_of_a_path() -> None:
    path: Path = ("phases", 3, "figures", 0, "volume")
    assert field(path) == "phases.*.figures.*.volume"
