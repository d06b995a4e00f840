"""Run the service's processes on one machine: start them, restart those that die, and end all of
them on Ctrl-C.

The module has no knowledge of games. A process that is asked to end finishes its work and then ends
its own children: only it gets the signal, as with deploy/systemd. Each process is the leader of its
own group, so that one signal can kill its children too if necessary.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType

logger = logging.getLogger(__name__)

#: From <linux/prctl.h>.
PR_SET_PDEATHSIG = 1
#: A process that dies repeatedly is restarted more and more slowly, up to this many seconds apart.
SLOWEST_RESTART = 30.0
#: Seconds that a process has to finish its work before it is killed. The next tick does the rest.
PATIENCE = 10.0


def _end_with_parent() -> None:
    """Let Linux end a child if the supervisor is killed, since nobody could end it then.

    On other systems it lives on.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


@dataclass
class Child:
    """A process: its name for the log, its command line, and how often it has died lately."""

    name: str
    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    deaths: int = field(default=0)
    due_at: float = 0.0


class Supervisor:
    """Run children until told to stop; a second Ctrl-C kills them at once.

    They inherit the file descriptors `inherited`.
    """

    def __init__(
        self,
        commands: Mapping[str, Sequence[str]],
        environment: Mapping[str, str],
        inherited: Sequence[int] = (),
    ) -> None:
        self.children = [Child(name, command) for name, command in commands.items()]
        self.environment = {**os.environ, **environment}
        self.inherited = inherited
        self.stopping = threading.Event()
        self.signals = 0

    def run(self) -> None:
        # Ctrl-C, a service manager, a terminal that is closed.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._asked_to_stop)
        try:
            while not self.stopping.is_set():
                for child in self.children:
                    self._look_after(child)
                self.stopping.wait(0.2)
        finally:
            self._end_all()

    def _asked_to_stop(self, number: int, frame: FrameType | None) -> None:
        self.signals += 1
        self.stopping.set()

    def _look_after(self, child: Child) -> None:
        now = time.monotonic()
        if child.process is None:
            if now >= child.due_at:
                child.process = subprocess.Popen(
                    child.command,
                    env=self.environment,
                    start_new_session=True,
                    pass_fds=self.inherited,
                    stdin=subprocess.DEVNULL,
                    preexec_fn=_end_with_parent,
                )
                child.started_at = now
            return
        code = child.process.poll()
        if code is None:
            return
        child.deaths = 1 if now - child.started_at > 60 else child.deaths + 1
        wait = min(SLOWEST_RESTART, 0.5 * 2 ** (child.deaths - 1))
        logger.error("%s ended with status %s; restarting in %.1f seconds", child.name, code, wait)
        child.process, child.due_at = None, now + wait

    def _end_all(self) -> None:
        running = [child for child in self.children if child.process is not None]
        for child in running:
            if child.process is not None:
                child.process.terminate()
        last_moment = time.monotonic() + PATIENCE
        while any(child.process is not None and child.process.poll() is None for child in running):
            if time.monotonic() > last_moment or self.signals > 1:
                for child in running:
                    self._kill(child)
                break
            time.sleep(0.05)
        for child in running:
            if child.process is not None:
                child.process.wait()

    def _kill(self, child: Child) -> None:
        if child.process is not None and child.process.poll() is None:
            # It may have ended since the check.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.process.pid, signal.SIGKILL)
