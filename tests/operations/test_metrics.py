"""What an operator watches: health, readiness, metrics, and the operator's page
(docs/operations.md, “What to watch”)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
import yaml
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from prometheus_client import CONTENT_TYPE_LATEST
from pytest_django import Settings

from games.base import clock
from games.letters import sending
from games.models import Channel, Letter, Notice, Person, Phase, Pulse, Restoration, service
from games.operations import metrics, restore_hold
from games.outbox import rows
from games.outbox.messages import game_letters
from games.outbox.outgoing import Outgoing
from games.turns import holds
from games.web.operator import health as pages
from games.web.operator.health import exposition
from orders.inbound import queue as intake
from orders.models import Handling
from tests.inbound.writing import send
from tests.operations.test_indexes import read_from_end_to_end
from tests.support.alerts import evaluate, samples
from tests.support.campaign import MONDAY, Campaign, person
from tests.support.processes import ROOT

pytestmark = [pytest.mark.django_db, pytest.mark.letters]

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@pytest.fixture(autouse=True)
def _monday(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(clock, "now", lambda: MONDAY)
    yield
    service.forget()


def number(name: str, *labels: str, now: datetime = MONDAY) -> float:
    """Return the value of one metric."""
    values = [
        measure.value
        for measure in metrics.measures(now)
        if measure.name == f"gamesmaster_{name}"
        and set(labels) <= set((measure.labels or {}).values())
    ]
    assert len(values) == 1, (name, labels, values)
    return values[0]


def administrator() -> Client:
    client = Client()
    root = Person.objects.at("root@example.org", name="Root", is_superuser=True)
    client.force_login(root, backend="django.contrib.auth.backends.ModelBackend")
    return client


# --- metrics ---


@pytest.mark.both_databases
def test_metrics_show_how_late_the_service_is() -> None:
    campaign = Campaign.begin()
    assert number("tick_age_seconds") == -1
    Pulse.objects.create(name="tick", at=MONDAY - 7 * MINUTE)
    assert number("tick_age_seconds") == 420
    assert (number("phases_due"), number("deadline_lag_seconds")) == (0, 0)
    late = campaign.phase.deadline + 90 * timedelta(seconds=1)
    assert (number("phases_due", now=late), number("deadline_lag_seconds", now=late)) == (1, 90)
    assert number("phases", "open") == 1


def test_held_phases_are_counted() -> None:
    campaign = Campaign.begin()
    holds.hold_open(campaign.phase, "The dog ate it.", MONDAY)
    assert number("phases", "held") == 1
    Phase.objects.update(status=Phase.Status.RESOLVED)
    assert number("phases", "held") == 0


@pytest.mark.both_databases
def test_unsent_letters_are_counted_with_the_age_of_the_oldest() -> None:
    """The oldest acknowledgment is counted separately, because a person waits for it."""
    # A game of its own: the letters of one that other tests have begun have old numbers.
    campaign = Campaign.begin(title="Letters")
    unsent = Letter.objects.count()
    campaign.order("Germany", "PLACE 10 Poland", at=MONDAY + 5 * MINUTE)
    now = MONDAY + 6 * MINUTE
    assert number("letters_unsent", "queued", now=now) == unsent + 1
    assert (
        number("oldest_unsent_letter_seconds", now=now),
        number("acknowledgement_lag_seconds", now=now),
    ) == (360, 60)
    token, ids = sending.claim(now, 100)
    sending.send(ids, token, now)
    assert number("oldest_unsent_letter_seconds", now=now) == 0
    assert number("letter_seconds", "acknowledgement", "95") == 60
    assert number("letter_seconds", "letter", "100") == 360
    Letter.objects.filter(kind="opened", address="gustav@example.org").update(
        status=Letter.Status.BOUNCED
    )
    assert number("letters_undelivered") == 1


@pytest.mark.both_databases
def test_letter_that_is_deferred_is_as_late_as_when_it_was_due_first() -> None:
    """Each failed try moves `due_at` into the future."""
    Campaign.begin()
    Letter.objects.update(status=Letter.Status.DEFERRED, attempts=4, due_at=MONDAY + 2 * HOUR)
    assert number("letter_lag_seconds", now=MONDAY + HOUR) == 3600
    assert number("late_addresses", now=MONDAY + HOUR) == 6
    assert number("acknowledgement_lag_seconds", now=MONDAY + HOUR) == 0


def test_letter_that_is_meant_for_later_is_not_late() -> None:
    """It is late from the instant at which it was meant to go out (games.outbox.daily)."""
    campaign = Campaign.begin()
    Letter.objects.all().delete()
    reader = rows.Reader(campaign.ada)
    with Outgoing([campaign.game]) as out:
        kind, about, due = game_letters.BEGINS, dict[str, Any](), MONDAY + 20 * HOUR
        out.write_to([reader], campaign.game, None, kind, "later", MONDAY, about, due=due)
    assert number("letter_lag_seconds", now=due - MINUTE) == 0
    Letter.objects.update(status=Letter.Status.DEFERRED, due_at=due + HOUR)
    assert number("letter_lag_seconds", now=due + MINUTE) == 60
    Letter.objects.update(status=Letter.Status.FAILED, due_at=None)
    rows.send_again(Letter.objects.all(), due + 5 * HOUR)
    assert number("letter_lag_seconds", now=due + 5 * HOUR + MINUTE) == 60


def test_letter_that_was_dropped_is_not_undelivered() -> None:
    """A reminder is out of date once its phase has closed."""
    campaign = Campaign.begin()
    game_letters.reminder(campaign.phase, [campaign.seat("Germany")], MONDAY)
    Letter.objects.exclude(kind="reminder").delete()
    Phase.objects.update(status=Phase.Status.LOCKED)
    token, ids = sending.claim(MONDAY + HOUR, 10)
    assert sending.send(ids, token, MONDAY + HOUR) == 0
    assert Letter.objects.get().status == Letter.Status.DROPPED
    assert (number("letters_undelivered"), number("letters_refused")) == (0, 0)


def test_outstanding_readings_are_counted() -> None:
    campaign = Campaign.begin()
    campaign.attack_in_poland()
    campaign.wait_until(campaign.phase.deadline)
    phase = campaign.phase
    assert phase.status == Phase.Status.DRAWING
    assert phase.first_reading_at is not None
    assert number("readings_outstanding", now=campaign.now) == len(phase.stocks) >= 1
    assert number("reading_lag_seconds", now=phase.first_reading_at + HOUR) == 3600


def test_waiting_and_held_mail_is_counted(settings: Settings) -> None:
    campaign = Campaign.begin()
    intake.keep(
        b"Subject: x\n\nPLACE 4 Poland\n", "lmtp", "a@example.org", ["b@games.test"], MONDAY
    )
    assert (
        number("mail_waiting", now=MONDAY + MINUTE),
        number("mail_lag_seconds", now=MONDAY + MINUTE),
    ) == (1, 60)
    Handling.objects.update(status=Handling.Status.HELD, game=campaign.game, due_at=None)
    assert (number("mail_waiting"), number("mail_held")) == (0, 1)


def test_mail_that_waits_for_people_is_not_unread(settings: Settings) -> None:
    """A message that nothing proves waits a week for its sender; a limit postpones others."""
    settings.MAIL_IN = True
    campaign = Campaign.begin()
    row = send(campaign, "Germany", "PLACE 4 Poland\n", sender="x@example.net")
    assert (row.status, row.due_at is None) == (Handling.Status.UNCONFIRMED, False)
    later = MONDAY + 3 * 24 * HOUR
    assert (number("mail_waiting", now=later), number("mail_lag_seconds", now=later)) == (0, 0)
    Handling.objects.update(status=Handling.Status.WAITING, attempts=0)
    assert number("mail_waiting", now=later) == 0
    Handling.objects.update(attempts=1)
    assert number("mail_lag_seconds", now=later) == 3 * 24 * 3600


def test_clock_a_little_behind_that_of_the_ticks_is_no_alarm() -> None:
    """Web and worker may run on two machines; deploy/alerts.yaml asks for -1, which is never."""
    Pulse.objects.create(name="tick", at=MONDAY + MINUTE / 60)
    Pulse.objects.create(name=metrics.BACKUP, at=MONDAY + MINUTE / 60)
    printed = samples(exposition(metrics.measures(MONDAY + MINUTE / 240)).decode())
    rules = yaml.safe_load((ROOT / "deploy" / "alerts.yaml").read_text())["groups"][0]["rules"]
    for rule in rules:
        assert evaluate(rule["expr"], printed) == {}, rule["alert"]


def test_failing_channels_are_counted() -> None:
    campaign = Campaign.begin()
    channel = Channel.objects.create(
        game=campaign.game,
        kind="slack",
        url="https://chat.example.org/x",
        added_by=campaign.ada,
        added_at=MONDAY,
    )
    Notice.objects.create(channel=channel, key="x", written_at=MONDAY, due_at=MONDAY, attempts=2)
    assert (number("notices_waiting"), number("notices_failing"), number("channels_given_up")) == (
        1,
        1,
        0,
    )
    Channel.objects.update(removed_at=MONDAY, removed_because="It answered with 404.")
    assert number("channels_given_up") == 1


def test_broker_that_is_down_is_a_metric(settings: Settings) -> None:
    settings.CELERY_BROKER_URL, settings.IN_MEMORY = "redis://127.0.0.1:1/0", False
    assert number("broker_up") == 0
    assert not [
        measure
        for measure in metrics.measures(MONDAY)
        if measure.name == "gamesmaster_queue_length"
    ]


@pytest.mark.parametrize("url", ["amqp://guest@localhost//", "localhost:6379", "unix:///nowhere"])
def test_unknown_broker_counts_as_down(settings: Settings, url: str) -> None:
    settings.CELERY_BROKER_URL, settings.IN_MEMORY = url, False
    assert metrics.queue_length() is None
    assert number("broker_up") == 0


def test_broker_at_a_socket_is_asked_there(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def from_url(url: str, **_: object) -> object:
        asked.append(url)
        raise OSError

    monkeypatch.setattr("redis.Redis.from_url", from_url)
    settings.CELERY_BROKER_URL = "redis+socket:///run/redis.sock?virtual_host=2"
    settings.IN_MEMORY = False
    assert metrics.queue_length() is None
    assert asked == ["unix:///run/redis.sock?db=2"]


@pytest.mark.skipif(
    connection.vendor != "sqlite",
    reason="PostgreSQL reads a small table from end to end whatever its indexes are",
)
def test_metrics_scan_no_growing_table() -> None:
    """They are read several times a minute as long as the service runs."""
    campaign = Campaign.begin()
    campaign.pass_deadline()
    metrics.measures(MONDAY)
    with CaptureQueriesContext(connection) as queries:
        metrics.measures(MONDAY)
    assert len(queries) > 8
    assert read_from_end_to_end(queries) == []


# --- the pages for programs ---


def test_metrics_are_readable_from_this_machine_only(client: Client) -> None:
    """But not through a proxy on this machine."""
    Campaign.begin()
    answer = client.get("/metrics", REMOTE_ADDR="127.0.0.1")
    assert answer.headers["Content-Type"] == CONTENT_TYPE_LATEST
    assert client.get("/metrics", REMOTE_ADDR="192.0.2.7").status_code == 404
    assert client.get("/metrics", REMOTE_ADDR="").status_code == 404
    assert client.get("/metrics", headers={"X-Forwarded-For": "192.0.2.7"}).status_code == 404
    assert client.post("/metrics").status_code == 405


def test_metrics_need_the_token(client: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN = "a-token-that-nobody-guesses"
    good = {"Authorization": "Bearer a-token-that-nobody-guesses", "X-Forwarded-For": "192.0.2.7"}
    assert client.get("/metrics", headers=good).status_code == 200
    for bad in (
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer ä"},
        {"Authorization": "a-token-that-nobody-guesses"},
    ):
        assert client.get("/metrics", headers=bad).status_code == 404


@pytest.mark.both_databases
def test_metrics_are_valid_for_prometheus(client: Client) -> None:
    """Each name comes once, with HELP and TYPE before it; no addresses of people, no titles of
    games."""
    Campaign.begin(title='A "quoted" title')
    text = client.get("/metrics").content.decode()
    names = re.findall(r"^# TYPE (\S+) gauge$", text, re.MULTILINE)
    assert len(names) == len(set(names)) >= 20
    line = re.compile(
        r'^(gamesmaster_[a-z_]+)(\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\})? -?[0-9.e+]+$'
    )
    values = [row for row in text.splitlines() if not row.startswith("#")]
    assert [row for row in values if not line.match(row)] == []
    assert {match[1] for row in values if (match := line.match(row))} == set(names)
    assert "@" not in text
    assert "quoted" not in text


def test_healthz_makes_no_query(client: Client, django_assert_num_queries) -> None:  # type: ignore[no-untyped-def]
    """Killing a process that answers would not help if only the database is gone."""
    with django_assert_num_queries(0):
        assert client.get("/healthz").json() == {"ok": True}


@pytest.mark.both_databases
def test_readyz_needs_a_database_with_all_tables(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    Pulse.objects.create(name="tick", at=MONDAY - HOUR)
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json()) == (
        200,
        {
            "ok": True,
            "database": True,
            "migrations": True,
            "tick_age_seconds": 3600.0,
            "held_after_restore": False,
            "why": [],
        },
    )
    monkeypatch.setattr(pages._schema, "complete", False)
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda *_: ["something"])
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["why"] == [
        "The database lacks one migration of this version. Run `manage.py migrate`."
    ]

    def gone() -> None:
        raise OperationalError("the server has gone away")

    monkeypatch.setattr(connection, "ensure_connection", gone)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["database"]) == (503, False)
    assert [answer.json()[name] for name in ("migrations", "held_after_restore")] == [None, None]
    assert "See DATABASE_URL" in answer.json()["why"][0]


@pytest.mark.django_db
def test_readyz_names_a_dangerous_setting(client: Client, settings: Settings) -> None:
    """gamesmaster.md D3: it was green without a permanent key."""
    settings.SECRET_KEY = "for-this-process-only-0123456789-abcdefghijklmnop"
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["why"][0].startswith("There is no permanent secret key. Set SECRET_KEY")


# --- the operator's page ---


def test_operators_page_is_for_administrators_only(client: Client) -> None:
    address = reverse("operator")
    assert client.get(address).headers["Location"].startswith("/login/")
    client.force_login(person("ada"), backend="django.contrib.auth.backends.ModelBackend")
    assert client.get(address).status_code == 403
    assert client.post(reverse("operator-resume")).status_code == 403
    assert client.get(reverse("operator-resume")).status_code == 405
    assert administrator().get(address).status_code == 200


def test_operators_page_names_faults() -> None:
    campaign = Campaign.begin()
    page = administrator().get(reverse("operator")).content.decode()
    assert "There was never a tick." in page
    holds.hold_open(campaign.phase, "The rules cannot decide <this>.", MONDAY)
    Pulse.objects.create(name="tick", at=MONDAY)
    page = administrator().get(reverse("operator")).content.decode()
    assert "The rules cannot decide &lt;this&gt;." in page
    assert "Waiting for their gamesmaster: 1." in page
    assert "The last tick was 0 seconds ago" in page
    # no page says whose letters these are
    assert "example.org" not in page.replace("root@example.org", "")


def test_administrator_resumes_the_service_after_a_restore() -> None:
    """Everybody is notified (games.operations.restore_hold)."""
    campaign = Campaign.begin()
    restore_hold.begin(MONDAY - HOUR, MONDAY)
    client = administrator()
    assert "The service is on hold" in client.get(reverse("operator")).content.decode()
    page = client.post(reverse("operator-resume"), follow=True).content.decode()
    assert "The service is running again: 1 games notified" in page
    assert Restoration.objects.get().released_by is not None
    assert len(campaign.letters("restored")) == 6
    assert (
        "was already running"
        in client.post(reverse("operator-resume"), follow=True).content.decode()
    )
