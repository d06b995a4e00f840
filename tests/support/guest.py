"""Say whether World War II Multi-Player, a guest among the games, has changed.

    python -m tests.support.guest

prints “changed” if a file of the game, or of the contract through which the rest of the service
knows it, differs from the last common commit with `main`; on `main` itself, from the last tag. If
git cannot say, it counts as changed. The Makefile then runs the tests marked `guest`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Paths of the game and of the contract, as git matches them.
PATHS = ("*multiplayer*", "*referee*", "*report_files*", "*/contract.py", "*/situation.py")
MAIN = ("origin/main", "main")


class GitError(Exception):
    """Git is missing, or does not know what it was asked for."""


def git(*words: str) -> str:
    """Return what git prints, or raise `GitError`."""
    try:
        done = subprocess.run(
            ("git", *words), cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise GitError(str(error)) from error
    if done.returncode:
        raise GitError(done.stderr.strip())
    return done.stdout.strip()


def base() -> str:
    """Return the commit to compare with."""
    head = git("rev-parse", "HEAD")
    for main in MAIN:
        try:
            common = git("merge-base", "HEAD", main)
        except GitError:
            continue
        if common != head:
            return common
    return git("describe", "--tags", "--abbrev=0")


def changed() -> list[str]:
    """Return the changed and the new files of the game and its contract."""
    return [
        *git("diff", "--name-only", base(), "--", *PATHS).splitlines(),
        *git("ls-files", "--others", "--exclude-standard", "--", *PATHS).splitlines(),
    ]


def main() -> None:
    try:
        files = changed()
    except GitError as error:
        reason = f"run, because git cannot say whether it has changed ({error})"
    else:
        if not files:
            print(
                "NOT RUN: the tests of World War II Multi-Player, which has not changed."
                " “make soak” runs them.",
                file=sys.stderr,
            )
            return
        reason = f"run, because {files[0]} has changed" + (
            f", and {len(files) - 1} other files." if files[1:] else "."
        )
    print(f"The tests of World War II Multi-Player {reason}", file=sys.stderr)
    print("changed")


if __name__ == "__main__":
    main()
