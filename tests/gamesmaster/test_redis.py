"""A campaign on PostgreSQL and Redis while processes are replaced (design 5; issue 10)."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session

from games.base import clock
from games.base.processes import commands
from games.models import Letter
from gamesmaster.supervisor import PATIENCE
from tests.drills import faults
from tests.support.examples import sample
from tests.support.processes import Service, Sink, eventually, free_port, production, service
from tests.support.servers import redis

pytestmark = pytest.mark.processes

GAMES = 2


@pytest.mark.soak  # each day without pages, as the drill “deploy”
def test_a_deploy_in_the_midst_of_deadlines_loses_nothing(tmp_path: Path) -> None:
    """docs/operations.md, “Upgrading”: no letter goes out twice, no page is cut off."""
    with faults.deployed(tmp_path, GAMES) as (running, sink, games):
        faults.start(running)
        web = Web(running, f"/games/{games[0].number}/")

        def exchange() -> None:
            for name in (*faults.WORKERS, "beat"):
                running.end(name)
                faults.start(running, name)
            web.exchange()

        with web:
            faults.play(running, games, {after: [exchange] for after in sample([3, 10], 1)})
        assert faults.zeros(faults.lost_and_doubled(running, sink, games)) == {}
        assert faults.doubled_deliveries(sink) == 0
        assert web.answered > 20
        assert web.spoiled == []


class Web:
    """A person who reads pages all the time while the web processes are replaced."""

    def __init__(self, running: Service, path: str) -> None:
        self.running, self.path, self.port, self.number = running, path, free_port(), 0
        self.answered, self.spoiled, self.over = 0, list[str](), threading.Event()
        self.reader = threading.Thread(target=self._read)

    def _start(self) -> str:
        self.number += 1
        name, port = f"web-{self.number}", free_port()
        places = {"127.0.0.1:8000": f"127.0.0.1:{port}", "2": "1"}  # one process answers threads
        self.running.start(name, production("web", places))
        eventually("the pages", lambda: self._ask(port) == 200, self.running)
        self.port = port
        return name

    def exchange(self) -> None:
        """Start the new process, send no more requests to the old one, then end it, as a proxy
        does."""
        old = f"web-{self.number}"
        self._start()
        self.running.end(old)

    def _ask(self, port: int) -> int:
        """Return the status of a complete answer, -1 of an incomplete one; 0 if nobody answers."""
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{port}{self.path}", timeout=30
            ) as answer:
                return int(answer.status) if answer.read().endswith(b"</html>\n") else -1
        except urllib.error.HTTPError as error:
            return error.code
        except urllib.error.URLError:
            return 0

    def _read(self) -> None:
        # at most 10 pages a second, to leave processor time for the games
        while not self.over.wait(0.1):
            port = self.port
            try:
                status = self._ask(port)
            except (OSError, http.client.HTTPException) as error:
                self.spoiled.append(repr(error))
                continue
            if status == 200:
                self.answered += 1
            elif port == self.port or status != 0:  # the old process has ended, as expected
                self.spoiled.append(f"status {status}")

    def __enter__(self) -> Web:
        self._start()
        self.reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.reader.join()


class SlowSink(Sink):
    """A mail server that takes its time over one letter."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.may_go_on = threading.Event(), threading.Event()

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 (aiosmtpd calls it so)
        self.begun.set()
        await asyncio.to_thread(self.may_go_on.wait)
        return await super().handle_DATA(server, session, envelope)


def write_letters(count: int) -> None:
    now = clock.now()
    Letter.objects.bulk_create(
        Letter(key=f"letter-{n}", kind="webhook", text="Text", address=f"a{n}@b.org", due_at=now)
        for n in range(count)
    )


@pytest.mark.parametrize("pool", ["threads", "prefork"])
def test_worker_ends_after_the_letter_that_it_has_begun(pool: str, tmp_path: Path) -> None:
    """Promise 4: killed because it had more to send, it would send that letter again."""
    with contextlib.ExitStack() as stack:
        sink = stack.enter_context(SlowSink())
        broker = stack.enter_context(redis(tmp_path)).url if pool == "prefork" else ""
        running = stack.enter_context(service(tmp_path, EMAIL_URL=sink.address, BROKER_URL=broker))
        stack.callback(sink.may_go_on.set)
        running.call(write_letters, 20)
        if pool == "prefork":
            running.start("beat", production("beat"))
            running.start("worker", production("worker"))
        else:
            running.start("worker", commands("127.0.0.1:0", 2)["worker"])
        eventually("the first letter", sink.begun.is_set, running)
        running.running["worker"].terminate()
        eventually("the worker to hear of it", lambda: "Warm shutdown" in running.said())
        sink.may_go_on.set()
        running.end("worker", within=PATIENCE)
        states = "SELECT status, attempts, claim, count(*) FROM games_letter GROUP BY 1, 2, 3"
        assert sorted(running.rows(states)) == [("queued", 0, "", 19), ("sent", 1, "", 1)]
        assert len(sink.messages) == 1


#: Beat as deployed, but what Celery raises at SIGTERM is lost.
DEAF_BEAT = """
import sys
from celery.apps import beat
from celery import platforms
beat.Beat.install_sync_handler = lambda self, service: platforms.signals.update(
    SIGTERM=lambda *_: None, SIGINT=lambda *_: None
)
from celery.__main__ import main
sys.argv = ["celery", *sys.argv[1:]]
main()
"""


def test_beat_ends_though_what_celery_raises_is_lost(tmp_path: Path) -> None:
    """Python drops an exception that is raised while an object is freed; beat went on for ever."""
    with redis(tmp_path) as broker, service(tmp_path, BROKER_URL=broker.url) as running:
        running.set_clock(0)
        python, _, _, *words = production("beat")
        running.start("beat", [python, "-c", DEAF_BEAT, *words])
        eventually("a tick", lambda: broker.ask("EXISTS", "celery") == ":1")
        running.end("beat", within=30)
