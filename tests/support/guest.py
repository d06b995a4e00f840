"""Say whether World War II Multi-Player, a guest among the games, has changed.

    python -m tests.support.guest           # prints “changed” if it has
    python -m tests.support.guest passed    # notes its files as they are

It has changed if a file of the game, or of the contract through which the rest of the service
knows it, differs from what `make guest` noted when all its tests had passed on both databases. The
Makefile then runs the tests marked `guest` every day.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
NOTED = Path("tests/guest.sha256")
FOLDERS = ("games", "orders", "static", "templates", "tests")
#: What a path has in it that belongs to the game or to the contract.
PARTS = ("multiplayer", "referee", "report_files", "/contract.py", "/situation.py")


def files() -> Iterator[str]:
    """Yield the paths of the game and its contract, sorted."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if any(part in name for part in PARTS) and "__pycache__" not in name and path.is_file():
                yield name


def digest() -> str:
    """Return a SHA-256 of the files' names and contents."""
    whole = hashlib.sha256()
    for name in files():
        content = hashlib.sha256((ROOT / name).read_bytes()).hexdigest()
        whole.update(f"{content}  {name}\n".encode())
    return whole.hexdigest()


def changed() -> bool:
    """Say whether a file differs from what has been noted, or nothing has been."""
    noted = ROOT / NOTED
    return not noted.exists() or noted.read_text().strip() != digest()


def main(words: list[str]) -> None:
    if words == ["passed"]:
        (ROOT / NOTED).write_text(f"{digest()}\n")
    elif changed():
        print(
            "The tests of World War II Multi-Player run: a file of it has changed. “make guest”"
            " notes that they pass.",
            file=sys.stderr,
        )
        print("changed")
    else:
        print(
            "NOT RUN: the tests of World War II Multi-Player, of which no file has changed since"
            " they passed. “make guest” and “make soak” run them.",
            file=sys.stderr,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
