"""`manage.py adjudicate [FILE] [--lines]`: judge situations. Pure."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError

from games.rules import RulesError, strict_json
from games.rules.situation import adjudicate

MALFORMED = 2


class Command(BaseCommand):
    help = "Judge one situation from FILE or standard input, and print the result as JSON."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file",
            nargs="?",
            default="-",
            metavar="FILE",
            help="a situation (default: standard input)",
        )
        parser.add_argument(
            "--lines",
            action="store_true",
            help="read one situation per line, print one result per line",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["file"] == "-":
                self._judge(_standard_input(), options["lines"])
            else:
                with Path(options["file"]).open("rb") as source:
                    self._judge(source, options["lines"])
        except OSError as error:
            raise CommandError(
                f"{options['file']}: {error.strerror or error}", returncode=MALFORMED
            ) from error

    def _judge(self, source: Iterable[bytes], lines: bool) -> None:
        if not lines:
            try:
                resolution = adjudicate(_parse(b"".join(source)))
            except RulesError as error:
                raise CommandError(str(error), returncode=MALFORMED) from error
            self._print(resolution, indent=2)
            return
        for line in source:
            if line.strip():
                self._print(_one(line))

    def _print(self, answer: Any, indent: int | None = None) -> None:
        text = json.dumps(answer, ensure_ascii=False, indent=indent)
        try:
            text.encode(getattr(self.stdout, "encoding", None) or "utf-8")
        except UnicodeEncodeError:  # a terminal without these letters, or a lone surrogate in an id
            text = json.dumps(answer, indent=indent)
        self.stdout.write(text)


def _standard_input() -> BinaryIO | Iterable[bytes]:
    raw = getattr(sys.stdin, "buffer", None)
    return raw if raw is not None else (line.encode("utf-8", "surrogatepass") for line in sys.stdin)


def _parse(data: bytes) -> Any:
    """Parse bytes as JSON. Raise `RulesError` if they are not JSON."""
    try:
        return strict_json.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, strict_json.DocumentError) as error:
        raise RulesError(f"not JSON: {error}") from error


def _one(line: bytes) -> Any:
    """Return the answer to one line; a malformed situation gets an error in its place."""
    name = None
    try:
        tree = _parse(line)
        name = tree.get("id") if isinstance(tree, dict) else None
        return adjudicate(tree)
    except RulesError as error:
        return {"id": name, "error": str(error)}
