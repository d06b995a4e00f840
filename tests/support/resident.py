"""Call functions in one process with the environment of a service: to start Python and Django for
each of them takes longer than most of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib import import_module
from typing import IO, Any

import django
from django.db import connections

from tests.support.children import Child


class Resident(Child):
    """The process. It starts at once, and waits for calls."""

    def __init__(self, env: Mapping[str, str], log: IO[bytes], *, shown: bool) -> None:
        pipe = subprocess.PIPE
        command = [sys.executable, "-m", __name__]
        super().__init__(
            "a function", command, env=env, log=log, shown=shown, stdin=pipe, stdout=pipe
        )

    def call(self, function: Callable[..., Any], *given: Any) -> Any:
        """Call a function of a module with these arguments, all of them plain data; return what it
        returns as JSON has it (a data class is a dictionary).

        Raises:
            ChildEndedError: The function has raised something: its traceback.
        """
        assert self.stdin is not None
        assert self.stdout is not None
        self.name = function.__name__
        self.stdin.write(json.dumps([function.__module__, self.name, given]).encode() + b"\n")
        self.stdin.flush()
        answer = self.stdout.readline()
        if not answer:
            self.wait()
            raise self.ended()
        return json.loads(answer)

    def __exit__(self, *exception: Any) -> None:
        assert self.stdin is not None
        self.stdin.close()
        super().__exit__(*exception)


def _answer() -> None:
    """Answer each line of standard input, which names a function, with a line."""
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        module, name, given = json.loads(line)
        result = getattr(import_module(module), name)(*given)
        connections.close_all()  # a server may be started again before the next call
        print(json.dumps(result, default=asdict), file=answers, flush=True)


if __name__ == "__main__":
    django.setup()
    _answer()
