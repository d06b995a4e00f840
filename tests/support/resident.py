"""Call functions and run commands in one process with the environment of a service: to start Python
and Django for each of them takes longer than most of them."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
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
        self.environment = dict(env)

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

    def manage(self, words: Sequence[str], given: str) -> subprocess.CompletedProcess[str]:
        """Run a command of `manage.py` in a fork of the process; return its code and output.

        `given` is the file that it reads as its standard input.
        """
        return subprocess.CompletedProcess(words, *self.call(run_command, given, *words))

    def __exit__(self, *exception: Any) -> None:
        assert self.stdin is not None
        self.stdin.close()
        super().__exit__(*exception)


def run_command(given: str, *words: str) -> tuple[int, str, str]:
    """Run a command of `manage.py` in a fork of this process, where Django is set up, with a file
    as its standard input; return its code, output and standard error."""
    import_module("gamesmaster.urls")  # the checks of each command need it
    with (
        open(given) as file_given,
        tempfile.TemporaryFile("w+") as output,
        tempfile.TemporaryFile("w+") as errors,
    ):
        child = os.fork()
        if not child:
            for number, file in enumerate((file_given, output, errors)):
                os.dup2(file.fileno(), number)
            sys.stdout, sys.argv = sys.__stdout__, ["manage.py", *words]
            runpy.run_path("manage.py", run_name="__main__")
            sys.exit()
        _, status = os.waitpid(child, 0)
        for file in (output, errors):
            file.seek(0)
        return os.waitstatus_to_exitcode(status), output.read(), errors.read()


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
