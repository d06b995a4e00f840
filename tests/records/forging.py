"""Recompute every hash of a changed record, as a forger could."""

from __future__ import annotations

import re
from pathlib import Path as File
from typing import Any

from games.rules.verification import entries, record

Tree = dict[str, Any]
Path = tuple[str | int, ...]

PAGE = File(__file__).resolve().parents[2] / "docs" / "fairness.md"


def bound_fields(bound_by: str) -> frozenset[str]:
    """Return the fields in rows of fairness.md that end in `bound_by`.

    Each stands for all below it.
    """
    rows = [
        line
        for line in PAGE.read_text("utf-8").splitlines()
        if re.search(rf"\| {bound_by} *\|$", line)
    ]
    return frozenset(name for row in rows for name in re.findall(r"`([^`]+)`", row))


#: Fields whose change the record alone does not expose if a forger recomputes all hashes;
# a letter does.
BOUND_BY_LETTERS = bound_fields("letters")
#: Fields that no letter's hash binds either. They decide nothing.
BOUND_BY_NOTHING = bound_fields("nothing")


def is_listed(name: str, table: frozenset[str]) -> bool:
    return any(name == listed or name.startswith(f"{listed}.") for listed in table)


def field(path: Path) -> str:
    """Return the name of the field at a path, such as phases.*.readings.*.volume."""
    return ".".join("*" if isinstance(step, int) else step for step in path)


def recomputed(tree: Tree) -> Tree:
    """Return the record with all hashes recomputed: readings, ledger, digests, entries."""
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
        linked = {
            key: row[key]
            for key in ("nation", "received", "channel", "salt", "text", "member", "proposal")
            if key in row
        }
        previous = row["hash"] = record.chain_hash(
            previous=previous,
            number=number,
            turn=of_phase["turn"],
            phase=of_phase["kind"],
            **linked,
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
    """Cover the record's present content; a new part goes into the lock entry of its phase."""
    if not tree["entries"]:
        return
    parts = {name: list(name) for name in entries.parts(tree)}
    for row in tree["entries"]:
        row["covers"] = [
            part
            for part in row["covers"]
            if parts.pop(tuple(part[: entries.NAMED_BY[part[0]]]), None)
        ]
    for part in parts.values():
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
        linked = {key: row[key] for key in ("number", "made", "leaf", "covers")}
        previous = row["hash"] = entries.entry_hash(previous=previous, **linked)
