"""What a forger of records can do: recompute every hash that a record has after it was changed."""

from __future__ import annotations

import re
from pathlib import Path as File
from typing import Any

from games.rules.verification import entries, record

Tree = dict[str, Any]
Path = tuple[str | int, ...]

PAGE = File(__file__).resolve().parents[2] / "docs" / "fairness.md"


def told(bound_by: str) -> frozenset[str]:
    """The fields in rows of the page's table that end so. Each stands for all below it."""
    rows = [
        line
        for line in PAGE.read_text("utf-8").splitlines()
        if re.search(rf"\| {bound_by} *\|$", line)
    ]
    return frozenset(name for row in rows for name in re.findall(r"`([^`]+)`", row))


#: What the record alone does not expose, in every place of it, when somebody changes it and
# recomputes all hashes; a letter does.
BOUND_BY_LETTERS = told("letters")
#: What no letter's hash binds either. It decides nothing.
BOUND_BY_NOTHING = told("nothing")


def is_listed(name: str, table: frozenset[str]) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in table)


def field(path: Path) -> str:
    """The name of a field: phases.*.readings.*.volume."""
    return ".".join("*" if isinstance(step, int) else step for step in path)


def recomputed(tree: Tree) -> Tree:
    """The record with all its hashes made anew: readings, ledger, digests, entries."""
    for rows in (
        *(phase["readings"] + phase["later_readings"] for phase in tree["phases"]),
        *(c["readings"] for c in tree["closures"]),
    ):
        for row in rows:
            row["hash"] = record.reading_hash(row)
    ledger = [
        (row["number"], row, phase) for phase in tree["phases"] for row in phase["submissions"]
    ]
    previous = ""
    for number, row, of_phase in sorted(ledger, key=lambda entry: entry[0]):
        row["previous_hash"] = previous
        kept = {
            key: row[key]
            for key in ("nation", "received", "channel", "salt", "text", "member", "proposal")
            if key in row
        }
        previous = row["hash"] = record.chain_hash(
            previous=previous, number=number, turn=of_phase["turn"], phase=of_phase["kind"], **kept
        )
    for phase in tree["phases"]:
        if phase["locked"] is not None:
            in_force = {row["nation"]: row for row in phase["submissions"] if row["counts"]}
            phase["leaves"] = {
                nation: record.leaf(nation, row["text"], row["salt"])
                for nation, row in in_force.items()
            }
            phase["digest"] = record.digest(phase["leaves"])
    _recompute_entries(tree)
    return tree


def _recompute_entries(tree: Tree) -> None:
    """Covers what the record has now; what is new stands with the lock of its phase."""
    if not tree["entries"]:
        return
    wanted = {name: list(name) for name in entries.parts(tree)}
    for row in tree["entries"]:
        row["covers"] = [
            part
            for part in row["covers"]
            if wanted.pop(tuple(part[: entries.NAMED_BY[part[0]]]), None)
        ]
    for part in wanted.values():
        part += [[]] if part[0] == "figure" else []
        locks = [row for row in tree["entries"] if ["locked", part[1]] in row["covers"]]
        locks[0]["covers"].append(part)
    previous = ""
    for row in tree["entries"]:
        for part in row["covers"]:
            if part[0] == "figure":
                part[-1] = entries.reading_hashes(entries.content(tree, part))
        row["leaf"] = entries.leaf(
            row["salt"], [(part, entries.content(tree, part)) for part in row["covers"]]
        )
        kept = {key: row[key] for key in ("number", "made", "leaf", "covers")}
        previous = row["hash"] = entries.entry_hash(previous=previous, **kept)
