"""Every alert of deploy/alerts.yaml fires when its fault is made, and clears when it is mended.

Each fault runs on the project's clock: a tick, a reading of /metrics and an evaluation of all rules
every `step`. docs/operations.md has the table of what was measured, and these tests compare it.
"""

from __future__ import annotations

import contextlib
import re
import shutil
from collections import namedtuple
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import redis
import yaml
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from games import tasks
from games.accounts import tokens
from games.base import clock
from games.models import Letter, Person, Phase, Pulse, service
from games.operations import metrics, restore_hold
from games.outbox import notices
from games.outbox.messages import account_letters
from games.turns import holds
from orders.inbound import queue as intake
from orders.inbound.identity import waiting
from orders.models import Handling
from tests.inbound.writing import send
from tests.letters.postoffice import OK, PostOffice, free_port, open_post_office
from tests.support import servers
from tests.support.alerts import Rule, samples
from tests.support.campaign import MONDAY, Campaign, person
from tests.support.examples import WHOLE
from tests.support.loopback_yahoo import LoopbackYahoo
from tests.support.processes import ROOT
from tests.webhooks.chat import open_chat

pytestmark = [pytest.mark.django_db, pytest.mark.letters]

RULES = yaml.safe_load((ROOT / "deploy" / "alerts.yaml").read_text())["groups"][0]["rules"]
OPERATIONS = (ROOT / "docs" / "operations.md").read_text()
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
#: A game in which nothing else happens meanwhile.
WEEKLY = {"every": "days", "days": 7, "time": "18:00"}
NOBODY = "550 5.1.1 no such user"
LATER = "450 4.2.1 try again later"
Usage = namedtuple("Usage", "total used free")


@dataclass
class Watch:
    """A running service, and an operator's Prometheus that reads it every `step`."""

    patch: pytest.MonkeyPatch
    settings: Settings
    folder: Path
    now: datetime = MONDAY
    step: timedelta = 30 * SECOND
    ticks: bool = True
    #: Jobs whose workers are gone: what they are handed is lost until its lease ends.
    gone: set[str] = field(default_factory=set)
    firing: set[str] = field(default_factory=set)
    #: What has been done until the fault begins.
    pulses: tuple[str, ...] = ("tick", metrics.BACKUP)

    def __post_init__(self) -> None:
        self.rules = [Rule.of(rule) for rule in RULES]
        self.prometheus = Client()
        self.patch.setattr(clock, "now", lambda: self.now)
        self.patch.setattr(tasks.do_job, "delay", self._hand_out)

    def _hand_out(self, name: str, ids: list[int], token: str) -> None:
        if name not in self.gone:
            tasks.do_job(name, ids, token)

    def pass_time(self) -> None:
        self.now += self.step
        if self.ticks:
            tasks.tick()
        answer = self.prometheus.get("/metrics", REMOTE_ADDR="127.0.0.1")
        values = samples(answer.content.decode() if answer.status_code == 200 else "")
        self.firing = {rule.name for rule in self.rules if rule.look(values, self.now)}

    def until(self, reached: Callable[[], bool], within: timedelta) -> timedelta:
        """Pass time until something is so; return how long it took."""
        began = self.now
        while not reached():
            assert self.now - began < within, f"not within {within}; firing: {self.firing}"
            self.pass_time()
        return self.now - began

    def begin(self) -> None:
        for name in self.pulses:
            Pulse.objects.update_or_create(name=name, defaults={"at": self.now})

    @contextlib.contextmanager
    def post_office(self) -> Iterator[PostOffice]:
        with open_post_office() as (office, port):
            self.settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
            self.settings.EMAIL_HOST, self.settings.EMAIL_PORT = "127.0.0.1", port
            self.settings.EMAIL_USE_TLS = self.settings.EMAIL_USE_SSL = False
            self.settings.EMAIL_HOST_USER = self.settings.EMAIL_HOST_PASSWORD = ""
            yield office

    def send_failed_letters_again(self) -> None:
        """Do what docs/operations.md says: the admin's “Send the chosen letters again”."""
        root = Person.objects.at("root@example.org", name="Root")
        Person.objects.filter(pk=root.pk).update(is_superuser=True, is_staff=True)
        root.refresh_from_db()
        admin = Client()
        admin.force_login(root, backend="django.contrib.auth.backends.ModelBackend")
        failed = list(Letter.objects.filter(status="failed").values_list("pk", flat=True))
        chosen = {"action": "try_again", "_selected_action": failed}
        admin.post(reverse("admin:games_letter_changelist"), chosen)
        assert not Letter.objects.filter(status="failed").exists()


#: What makes a fault, and mends it where it goes on after its first `yield`. What must be open
#: until the alert has cleared is closed after a second one.
Make = Callable[[Watch], Generator[None, None, None]]


@dataclass(frozen=True)
class Fault:
    alert: str
    words: str
    make: Make
    step: timedelta
    #: Alerts that this fault must not cause.
    not_: tuple[str, ...]


FAULTS: list[Fault] = []


def fault(
    alert: str, words: str, step: timedelta = 30 * SECOND, not_: tuple[str, ...] = ()
) -> Callable[[Make], Make]:
    def register(make: Make) -> Make:
        FAULTS.append(Fault(alert, words, make, step, not_))
        return make

    return register


# --- the faults ---


@fault("NoTick", "beat or all workers are gone")
def ticks_stop(watch: Watch) -> Generator[None, None, None]:
    watch.ticks = False
    yield
    watch.ticks = True


@fault("NoTick", "beat was never started")
def ticks_never_came(watch: Watch) -> Generator[None, None, None]:
    watch.pulses = (metrics.BACKUP,)
    watch.ticks = False
    yield
    watch.ticks = True


@fault("NotScraped", "no page answers, or the token is wrong")
def token_is_wrong(watch: Watch) -> Generator[None, None, None]:
    watch.settings.METRICS_TOKEN = "a-token-that-prometheus-does-not-have"
    yield
    watch.settings.METRICS_TOKEN = ""


@fault("DeadlinesLate", "workers are gone at a deadline, and ticks go on")
def workers_gone(watch: Watch) -> Generator[None, None, None]:
    campaign = Campaign.begin()
    watch.now = campaign.phase.deadline
    watch.gone = {"phases"}
    yield
    watch.gone = set()


@fault("PhasesFailing", "the rules crash at a deadline")
def rules_crash(watch: Watch) -> Generator[None, None, None]:
    campaign = Campaign.begin()
    watch.now = campaign.phase.deadline

    def crash(*_: object) -> None:
        raise ZeroDivisionError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("games.turns.process.decide", crash)
        yield


@fault("PhasesHeld", "a ruling does not fit, and the gamesmaster is silent", step=10 * MINUTE)
def phase_held(watch: Watch) -> Generator[None, None, None]:
    campaign = Campaign.begin()
    holds.hold_open(campaign.phase, "The rules cannot decide.", watch.now)
    yield
    holds.lift(campaign.game.phases.get(status=Phase.Status.HELD), watch.now)


@fault(
    "HeldAfterRestore",
    "a backup was restored, and nobody resumes the service",
    step=MINUTE,
    not_=("NoTick", "DeadlinesLate", "AnswersLate", "LettersLate", "MailNotRead", "MarketSilent"),
)
def restored(watch: Watch) -> Generator[None, None, None]:
    """While the service is held nothing is due: not the phase, the letters and the message that
    were when the backup was made."""
    watch.now = Campaign.begin().phase.deadline
    account_letters.login(tokens.new_login(person("una"), "/", watch.now), watch.now)
    intake.keep(b"Subject: x\n\nHELP\n", "lmtp", "una@example.org", ["b@games.test"], watch.now)
    restore_hold.begin(watch.now - HOUR, watch.now)
    yield
    restore_hold.release(None, watch.now)


@fault("BackupOld", "the timer of the backup does not run", step=2 * HOUR)
def backups_stop(watch: Watch) -> Generator[None, None, None]:
    yield
    metrics.note_backup(watch.now)


@fault("BackupOld", "no backup was ever made", step=2 * HOUR)
def backup_never_made(watch: Watch) -> Generator[None, None, None]:
    watch.pulses = ("tick",)
    yield
    metrics.note_backup(watch.now)


@fault("AnswersLate", "the mail server is gone, and a player wants to log in")
def nobody_answers(watch: Watch) -> Generator[None, None, None]:
    with watch.post_office():
        port, watch.settings.EMAIL_PORT = watch.settings.EMAIL_PORT, free_port()
        account_letters.login(tokens.new_login(person("una"), "/", watch.now), watch.now)
        yield
        watch.settings.EMAIL_PORT = port
        yield


@fault("LettersLate", "the mail server is gone", step=MINUTE)
def mail_server_gone(watch: Watch) -> Generator[None, None, None]:
    with watch.post_office():
        port, watch.settings.EMAIL_PORT = watch.settings.EMAIL_PORT, free_port()
        Campaign.begin()
        yield
        watch.settings.EMAIL_PORT = port
        yield


@fault("LettersLate", "the mail server defers every letter (450)", MINUTE, ("AnswersLate",))
def mail_server_defers(watch: Watch) -> Generator[None, None, None]:
    with watch.post_office() as office:
        office.at_content = [LATER]
        Campaign.begin()
        yield
        office.at_content = [OK]
        yield


@fault("LettersLate", "the workers that send letters are gone", step=MINUTE)
def letters_not_sent(watch: Watch) -> Generator[None, None, None]:
    Campaign.begin()
    watch.gone = {"letters"}
    yield
    watch.gone = set()


@fault(
    "LettersOld",
    "one mailbox is full for days (452)",
    step=30 * MINUTE,
    not_=("LettersLate", "AnswersLate", "LettersRefused"),
)
def mailbox_full(watch: Watch) -> Generator[None, None, None]:
    with watch.post_office() as office:
        office.at_address["gustav@example.org"] = ["452 4.2.2 mailbox full"]
        Campaign.begin(schedule=WEEKLY)
        yield
        office.at_address.clear()
        yield


@fault("LettersRefused", "the mail server refuses every letter for good (550)")
def all_refused(watch: Watch) -> Generator[None, None, None]:
    with watch.post_office() as office:
        office.at_content = ["550 5.7.1 relay access denied"]
        Campaign.begin()
        yield
        office.at_content = [OK]
        watch.send_failed_letters_again()
        yield


@fault(
    "LettersUndelivered",
    "a provider refuses all its addresses (550), others take letters",
    step=5 * MINUTE,
    not_=("LettersRefused", "LettersLate"),
)
def provider_refuses(watch: Watch) -> Generator[None, None, None]:
    with watch.post_office() as office:
        for number in range(120):
            reader = person(f"reader-{number}")
            account_letters.login(tokens.new_login(reader, "/", watch.now), watch.now)
            if number % 2:
                office.at_address[reader.email] = [NOBODY]
        yield
        office.at_address.clear()
        watch.send_failed_letters_again()
        yield


@fault("MailNotRead", "the workers that read mail are gone")
def mail_workers_gone(watch: Watch) -> Generator[None, None, None]:
    watch.gone = {"mail"}
    intake.keep(b"Subject: x\n\nHELP\n", "lmtp", "una@example.org", ["b@games.test"], watch.now)
    yield
    watch.gone = set()


@fault("MailNotRead", "every message fails")
def mail_fails(watch: Watch) -> Generator[None, None, None]:
    def crash(*_: object) -> None:
        raise ZeroDivisionError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("orders.inbound.handle.decide", crash)
        intake.keep(b"Subject: x\n\nHELP\n", "lmtp", "una@example.org", ["b@games.test"], watch.now)
        yield


@fault("MailHeld", "unproven messages wait for gamesmasters who are silent", step=2 * HOUR)
def mail_held(watch: Watch) -> Generator[None, None, None]:
    watch.settings.MAIL_UNPROVEN, watch.settings.MAIL_IN = "hold", True
    campaign = Campaign.begin(schedule=WEEKLY)
    for number in range(21):
        send(campaign, "Germany", f"PLACE {number % 4} Poland\n", sender="x@example.net")
    assert Handling.objects.filter(status=Handling.Status.HELD).count() == 21
    yield
    for row in Handling.objects.filter(status=Handling.Status.HELD)[:5]:
        waiting.refuse(row, campaign.ada, watch.now)


@contextlib.contextmanager
def drawing_by_yahoo(watch: Watch, settle: str) -> Iterator[LoopbackYahoo]:
    """Play until a phase waits for its first reading from Yahoo."""
    watch.patch.setattr("yfinance.data._time.sleep", lambda seconds: None)
    with LoopbackYahoo() as yahoo:
        watch.settings.MARKET = {**watch.settings.MARKET, "yahoo_base_url": yahoo.url}
        campaign = Campaign.begin(market="yahoo", options={"rng.settle": settle})
        campaign.attack_in_poland()
        campaign.wait_until(campaign.phase.deadline)
        assert campaign.phase.first_reading_at is not None
        watch.now = campaign.phase.first_reading_at
        yield yahoo


@fault("MarketSilent", "the market is down for everybody, in a game by telephone", step=MINUTE)
def market_down(watch: Watch) -> Generator[None, None, None]:
    with drawing_by_yahoo(watch, "first_reading") as yahoo:
        yahoo.mode = "drop"
        yield
        yahoo.mode = "ok"
        yield


@fault("MarketSilent", "the market is down for everybody, in a game by mail", step=MINUTE)
def market_down_in_the_morning(watch: Watch) -> Generator[None, None, None]:
    with drawing_by_yahoo(watch, "agreed_readings") as yahoo:
        yahoo.mode = "429"
        yield
        yahoo.mode = "ok"
        yield


@fault(
    "FiguresMissing",
    "a publisher answers, but does not report",
    step=30 * MINUTE,
    not_=("MarketSilent",),
)
def publisher_silent(watch: Watch) -> Generator[None, None, None]:
    with drawing_by_yahoo(watch, "first_reading") as yahoo:
        yahoo.mode = "wrong day"
        yield
        yahoo.mode = "ok"
        yield


@fault("DiskFull", "the disk has less than 1 GB left")
def disk_nearly_full(watch: Watch) -> Generator[None, None, None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: Usage(50e9, 49.1e9, 0.9e9))
        yield


@fault("DiskFull", "the folder of the data cannot be read")
def disk_gone(watch: Watch) -> Generator[None, None, None]:
    folder, watch.settings.VAR_DIR = watch.settings.VAR_DIR, watch.folder / "not there"
    yield
    watch.settings.VAR_DIR = folder


@fault("QueueLong", "workers do less than comes in")
def queue_long(watch: Watch) -> Generator[None, None, None]:
    with servers.redis(watch.folder) as broker:
        watch.settings.CELERY_BROKER_URL, watch.settings.IN_MEMORY = broker.url, False
        client = redis.Redis.from_url(broker.url)
        client.rpush(metrics.QUEUE, *(b"a task" for _ in range(1001)))
        yield
        client.delete(metrics.QUEUE)
        yield
        client.close()


@fault("BrokerGone", "Redis is killed")
def broker_killed(watch: Watch) -> Generator[None, None, None]:
    with servers.redis(watch.folder) as broker:
        watch.settings.CELERY_BROKER_URL, watch.settings.IN_MEMORY = broker.url, False
        broker.kill()
        yield
        broker.start()
        yield


@fault("ChannelsFailing", "a chat program takes no notices (500)", step=5 * MINUTE)
def chat_program_fails(watch: Watch) -> Generator[None, None, None]:
    watch.settings.CHANNELS_LOOPBACK = True
    campaign = Campaign.begin(schedule=WEEKLY)
    with open_chat() as chat:
        chat.answers = [500]
        added = {"kind": "slack", "added_by": campaign.ada, "added_at": watch.now}
        channels = [
            campaign.game.channels.create(url=chat.url(f"/hooks/{number}"), **added)
            for number in range(21)
        ]
        about = {"phase": campaign.phase.pk}
        notices.write(channels, "opened", "told", watch.now, about)
        yield
        chat.answers = [204]
        yield


# --- each is made, and mended ---


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path) -> Iterator[Watch]:
    yield Watch(monkeypatch, settings, tmp_path)
    service.forget()


def span(time: timedelta) -> str:
    """Return a time as the table says it."""
    seconds = int(time.total_seconds())
    for size, name in ((3600, "h"), (60, "min")):
        if seconds >= size:
            rest = seconds % size
            more = f" {rest // 60} min" if size == 3600 and rest else f" {rest} s" if rest else ""
            return f"{seconds // size} {name}{more}"
    return f"{seconds} s"


def table() -> list[str]:
    """Return the rows of the table in docs/operations.md."""
    start = OPERATIONS.index("| alert | fault |")
    return OPERATIONS[start : OPERATIONS.index("\n\n", start)].splitlines()[2:]


#: The first fault of each alert; others make the same rule fire, and are made in a soak.
FIRST = list({fault.alert: fault for fault in reversed(FAULTS)}.values())


@pytest.mark.parametrize(
    "fault", FAULTS if WHOLE else FIRST, ids=lambda fault: f"{fault.alert}: {fault.words}"
)
def test_alert_fires_by_its_fault_and_clears_when_it_is_mended(fault: Fault, watch: Watch) -> None:
    """docs/operations.md, “What to watch”. Other rules may fire too, but not those that are named
    with the fault."""
    rule = next(rule for rule in watch.rules if rule.name == fault.alert)
    watch.step = fault.step
    with contextlib.closing(fault.make(watch)) as running:
        next(running)
        watch.begin()
        seen = set[str]()

        def fires() -> bool:
            seen.update(watch.firing)
            return fault.alert in watch.firing

        fired = watch.until(fires, 60 * HOUR)
        assert fired >= rule.lasts
        assert seen & set(fault.not_) == set()
        next(running, None)
        cleared = watch.until(lambda: fault.alert not in watch.firing, 3 * DAY)
    row = (
        f"| {fault.alert} | {fault.words} | `{rule.expression}` for {span(rule.lasts)}"
        f" | {span(fired)} | {span(cleared)} |"
    )
    assert row in table()


def test_every_alert_has_a_fault_and_reads_what_metrics_prints(watch: Watch) -> None:
    printed = samples(watch.prometheus.get("/metrics", REMOTE_ADDR="127.0.0.1").content.decode())
    for rule in watch.rules:
        assert rule.metrics, rule.name
        assert rule.metrics <= printed.keys(), rule.name
    assert {rule.name for rule in watch.rules} == {fault.alert for fault in FAULTS}
    listed = [re.match(r"\| (\w+) \| ([^|]+) \|", row) for row in table()]
    assert [row and (row[1], row[2]) for row in listed] == [
        (fault.alert, fault.words) for fault in FAULTS
    ]
