"""The digest of a phase's orders, and how anybody computes it.

The caller has to check with `games.permissions` whose orders a person may see; `seals` alone
returns anything private, for the nations it is called with.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from games.models import Phase
from games.positions import in_force

LEAF_IN_WORDS = (
    "A nation's leaf is the SHA-256, as 64 hexadecimal digits, of its salt, its name and its orders"
    " in UTF-8, each of the three followed by one zero byte. Each set of orders has its own random"
    " salt, so nobody can guess them."
)
DIGEST_IN_WORDS = (
    "The digest is the SHA-256 of all leaves in the alphabetical order of the nations, one line"
    " each: the nation, a space, its leaf and a line feed."
)
LEAF_LINE = r'print(sha256("\0".join([salt, nation, text, ""]).encode()).hexdigest())'
DIGEST_LINE = (
    r'print(sha256("".join(nation + " " + leaf + "\n" for nation, leaf in'
    r" sorted(leaves)).encode()).hexdigest())"
)
IMPORT_LINE = "from hashlib import sha256"


@dataclass(frozen=True)
class Seal:
    """What a nation needs to find its leaf of the digest. Private to it until the game is over."""

    nation: str
    place: int  # "leaf no. 3 of 5"
    leaves: int
    leaf: str
    salt: str
    text: str

    @property
    def snippet(self) -> str:
        """Python that prints the leaf, ready to copy."""
        values = f"salt, nation = {self.salt!r}, {self.nation!r}\ntext = {_literal(self.text)}"
        return "\n".join((IMPORT_LINE, values, LEAF_LINE))

    @property
    def lines(self) -> list[str]:
        """The same, line by line."""
        return self.snippet.split("\n")


def leaves(phase: Phase) -> list[tuple[str, str]]:
    """Return nations and leaves, in the order in which the digest is computed."""
    return sorted(phase.leaves.items())


def leaf_snippet() -> str:
    """Return three lines of Python for any leaf."""
    values = 'salt, nation, text = "the salt", "the nation", "the orders, character by character"'
    return "\n".join((IMPORT_LINE, values, LEAF_LINE))


def digest_snippet(phase: Phase) -> str:
    """Return Python that prints the digest from the published leaves."""
    listed = ",\n          ".join(f"({nation!r}, {leaf!r})" for nation, leaf in leaves(phase))
    return "\n".join((IMPORT_LINE, f"leaves = [{listed}]", DIGEST_LINE))


def seals(phase: Phase, nations: Collection[str]) -> list[Seal]:
    """Return the seals of those of `nations` that have orders in force; none before the lock."""
    if phase.locked_at is None or not nations:
        return []
    order = sorted(phase.leaves)
    return [
        Seal(nation, order.index(nation) + 1, len(order), phase.leaves[nation], salt, text)
        for nation, (salt, text) in sorted(in_force.salted_texts(phase).items())
        if nation in nations and nation in phase.leaves
    ]


def _literal(text: str) -> str:
    """Return a text as a Python literal, with one line for each of its lines."""
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return repr(text)
    return "(" + "\n        ".join(map(repr, lines)) + ")"
