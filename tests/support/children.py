"""Start processes for tests, benchmarks and drills; notice what they say and that they end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[2]
#: Last lines of standard error that an error repeats.
LINES = 40


class ChildEndedError(AssertionError):
    """A process has ended that should run, or with an error. The message has its last words."""


class Child(subprocess.Popen[bytes]):
    """A process in its own group, whose standard error is kept, logged and shown as it comes.

    Args:
        name: What an error calls it.
        log: A file for its standard error, and for its output unless `stdout` says otherwise.
        shown: Whether its standard error is repeated on that of this process.
        stdin, stdout: `subprocess.PIPE`, to write its input and to read its output.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path = ROOT,
        log: IO[bytes] | None = None,
        shown: bool = True,
        stdin: int = subprocess.DEVNULL,
        stdout: int | None = None,
    ) -> None:
        self.name, self.log, self.shown = name, log, shown
        self.said: deque[bytes] = deque(maxlen=LINES)
        super().__init__(
            command,
            cwd=cwd,
            env=env,
            stdin=stdin,
            stdout=stdout or log or subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        # `communicate` must not read it too.
        said, self.stderr = self.stderr, None
        assert said is not None
        self._reader = threading.Thread(target=self._read, args=(said,), daemon=True)
        self._reader.start()

    def _read(self, said: IO[bytes]) -> None:
        with said:
            for line in said:
                self.said.append(line)
                # The log may be on a full disk, or closed at the end of a test.
                with contextlib.suppress(OSError, ValueError):
                    if self.log is not None:
                        os.write(self.log.fileno(), line)
                with contextlib.suppress(OSError, ValueError):
                    if self.shown:
                        sys.stderr.write(line.decode(errors="replace"))
                        sys.stderr.flush()

    def words(self) -> str:
        """Return the last lines of its standard error."""
        if self.poll() is not None:
            self._reader.join(5)
        return b"".join(self.said).decode(errors="replace")

    def ended(self) -> ChildEndedError:
        return ChildEndedError(f"{self.name} has ended with {self.returncode}:\n{self.words()}")

    def must_run(self) -> None:
        """Raise `ChildEndedError` if it has ended."""
        if self.poll() is not None:
            raise self.ended()

    def signal_group(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def reap(self, within: float = 20.0) -> None:
        """Wait until it has ended; kill it and its children after `within` seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(within)
        self.signal_group(signal.SIGKILL)
        self.wait()

    def __exit__(self, *_: Any) -> None:
        self.terminate()
        self.reap()
        if self.stdout is not None:
            self.stdout.close()


def run(name: str, command: Sequence[str], *, codes: Sequence[int] = (0,), **given: Any) -> str:
    """Run a process to its end, and return its output. The other arguments are those of `Child`.

    Without a time limit, because a busy machine is slow, and what it says is shown.

    Raises:
        ChildEndedError: It has ended with a code that is not one of `codes`.
    """
    with Child(name, command, stdout=subprocess.PIPE, **given) as child:
        output, _ = child.communicate()
        if child.returncode not in codes:
            if output:
                child.said.append(b"Its output: " + output[-2000:])
            raise child.ended()
    return output.decode(errors="replace")
