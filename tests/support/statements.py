"""Which lines of the service ask the database, in one run of the tests and in another: whether a
shorter run leaves out any of them.

    STATEMENTS=/tmp/whole SOAK=1 python -m pytest -n auto
    STATEMENTS=/tmp/second TESTS_DATABASE=postgresql python -m pytest -n auto
    python -m tests.support.statements /tmp/whole /tmp/second          # those that ask in the first
      alone

A line is the innermost one of the service's own code below which a statement was sent.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

ROOT = Path(__file__).resolve().parents[2]
OURS = tuple(f"{ROOT / folder}{os.sep}" for folder in ("games", "orders", "gamesmaster"))
_asking: set[str] = set()


def record() -> None:
    """From now on, until `keep`."""
    connection_created.connect(_listen)


def keep(folder: Path) -> None:
    """Writes what this process has found into a file of its own in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{os.getpid()}.txt").write_text("\n".join(sorted(_asking)), encoding="utf-8")


def _listen(connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    connection.execute_wrappers.append(_heard)


def _heard(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not frame.f_code.co_filename.startswith(OURS):
        frame = frame.f_back
    if frame is not None:
        _asking.add(
            f"{frame.f_code.co_filename.removeprefix(str(ROOT) + os.sep)}:{frame.f_lineno}"
            f" {frame.f_code.co_name}"
        )
    return execute(sql, params, many, context)


def main(first: str, second: str) -> int:
    """Prints what asks in the first run alone. Returns how many lines that are."""
    whole, part = (
        {
            line
            for file in Path(one).glob("*.txt")
            for line in file.read_text(encoding="utf-8").splitlines()
        }
        for one in (first, second)
    )
    missing = sorted(whole - part)
    print("\n".join(missing))
    print(
        f"{len(missing)} of {len(whole)} lines that ask the database do so in the first run alone.",
        file=sys.stderr,
    )
    return len(missing)


if __name__ == "__main__":
    main(*sys.argv[1:3])
