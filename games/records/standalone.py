"""Pack the checker as one file that anybody with Python can run.

It is a zip application with the rules, with the same bytes every time.
"""

from __future__ import annotations

import io
import zipfile
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from games.rules import registry

ROOT = Path(__file__).parents[2]
#: Packages in the archive: the rules, and those of guests.
PACKAGES = ("games.rules", *(f"{guest}.rules" for guest in registry.GUESTS.values()))
NAME = "checker.pyz"
#: The first instant that a zip archive can store. With the files' own times copies would differ.
THE_SAME_TIME = (1980, 1, 1, 0, 0, 0)
MAIN = f'''"""Checks the record of a game: python {NAME} FILE"""

import sys

if sys.version_info < (3, 11):
    sys.exit("Python 3.11 or newer is needed; this is %d.%d." % sys.version_info[:2])

from games.rules.verification.checker import main

sys.exit(main(sys.argv[1:]))
'''


@lru_cache(maxsize=1)
def build_archive() -> bytes:
    """Return the archive.

    It has `__main__.py`, every module of the rules and of guests' rules, the options, the settings,
    the verbs, the words of plain orders, and the trading calendars, uncompressed, because the bytes
    must not depend on the version of zlib.
    """
    files = {"__main__.py": MAIN.encode()}
    tables = ("**/options.toml", "settings.toml", "**/verbs.toml", "plain/*.toml")
    patterns = ("**/*.py", *tables, "calendars/*.txt")
    for package in PACKAGES:
        folder = ROOT / package.replace(".", "/")
        outer = [
            place / "__init__.py"
            for place in folder.parents
            if place.is_relative_to(ROOT / "games")
        ]
        for path in (*outer, *(path for pattern in patterns for path in folder.glob(pattern))):
            files[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    out = io.BytesIO()
    out.write(b"#!/usr/bin/env python3\n")
    with zipfile.ZipFile(out, "a", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, THE_SAME_TIME)
            # Unix, always: otherwise the bytes depend on the machine.
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name])
    return out.getvalue()


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """Return SHA-256 of the archive."""
    return sha256(build_archive()).hexdigest()
