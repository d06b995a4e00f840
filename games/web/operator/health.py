"""Pages for operators: alive, ready, numbers, and what waits."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily

from games import permissions
from games.models import Letter, Person, Phase, service
from games.operations import doctor, restore_hold
from games.operations import metrics as watch
from games.press import complaints
from games.web.requests import person_of
from gamesmaster import clock, starting

#: How much of each list the operator's page shows.
SHOWN = 12
#: Seconds that the page waits for a letter to come back.
DOCTOR_WAITS = 10
NO_STORE = {"Cache-Control": "no-store"}


@dataclass
class _Schema:
    """Whether the database has every migration of this code: once it has, it keeps them."""

    complete: bool = False


_schema = _Schema()


@require_safe
def alive(request: HttpRequest) -> JsonResponse:
    """200 while this process answers at all: whoever starts it anew for less would cut off people
    who are sending orders."""
    return JsonResponse({"ok": True}, headers=NO_STORE)


@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """200 while this process can serve pages: its settings are safe, its database answers and has
    all tables. `why` says what is wrong, a sentence each.

    The tick's age is told and changes nothing: pages take orders though beat has died, and must go
    on to. `/health/` turns red for that.
    """
    told: dict[str, object] = {
        "database": False,
        "migrations": False,
        "tick_age_seconds": None,
        "held_after_restore": False,
    }
    why = [f"{fault.msg} {fault.hint}" for fault in starting.faults()]
    try:
        connection.ensure_connection()
        told["database"] = True
        told["migrations"] = _migrated()
        if told["migrations"]:
            told |= {
                "tick_age_seconds": watch.tick_age(clock.now()),
                "held_after_restore": service.held(),
            }
        else:
            why.append("The database lacks migrations of this version. Run manage.py migrate.")
    except DatabaseError as error:
        told["database"] = False
        why.append(f"The database does not answer ({type(error).__name__}). See DATABASE_URL.")
    ok = not why
    told |= {"why": why}
    return JsonResponse({"ok": ok, **told}, status=200 if ok else 503, headers=NO_STORE)


def _migrated() -> bool:
    if not _schema.complete:
        executor = MigrationExecutor(connection)
        _schema.complete = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return _schema.complete


# --- numbers ---


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Serve what is watched in Prometheus' format; for others there is no such page."""
    if not _may_scrape(request):
        raise Http404
    return HttpResponse(
        exposition(watch.measures(clock.now())), content_type=CONTENT_TYPE_LATEST, headers=NO_STORE
    )


def _may_scrape(request: HttpRequest) -> bool:
    """Return whether METRICS_TOKEN is given; without one, whether asked from here, not by proxy."""
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "")
        return hmac.compare_digest(given.encode(), f"Bearer {settings.METRICS_TOKEN}".encode())
    if any(
        request.headers.get(name)
        for name in ("X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP", "Forwarded", "Via")
    ):
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


class _Collector:
    """What is watched, as prometheus_client asks for it: those of one name stand together."""

    def __init__(self, measures: Iterable[watch.Measure]) -> None:
        self.measures = sorted(measures, key=lambda one: one.name)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for name, group in groupby(self.measures, key=lambda one: one.name):
            rows = list(group)
            labels = sorted(rows[0].labels or {})
            family = GaugeMetricFamily(name, rows[0].help, labels=labels)
            for row in rows:
                family.add_metric([(row.labels or {})[label] for label in labels], row.value)
            yield family


def exposition(measures: Iterable[watch.Measure]) -> bytes:
    """Measures as Prometheus reads them."""
    registry = CollectorRegistry()
    registry.register(_Collector(measures))
    return generate_latest(registry)


# --- the operator's page ---


@require_safe
def operator(request: HttpRequest) -> HttpResponse:
    """Show administrators whether deadlines are kept, what waits, and what runs here."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if not permissions.operates(request.user):
        raise PermissionDenied
    now = clock.now()
    numbers = {
        (one.name, *sorted((one.labels or {}).values())): one.value for one in watch.measures(now)
    }
    held = (
        watch.not_over()
        .filter(status=Phase.Status.HELD)
        .select_related("game")
        .order_by("deadline")
    )
    context = {
        "now": now,
        "held_since": service.current(),
        "lights": _lights(numbers),
        "overdue": list(watch.overdue(now).select_related("game").order_by("due_at")[:SHOWN]),
        "coming": list(
            watch.not_over()
            .filter(due_at__gt=now)
            .select_related("game")
            .order_by("due_at")[:SHOWN]
        ),
        "phases": list(held[:SHOWN]),
        "letters": list(
            watch.unsent().filter(due_at__lte=now).select_related("game").order_by("due_at")[:SHOWN]
        ),
        "deferred": list(
            watch.unsent()
            .filter(status=Letter.Status.DEFERRED)
            .select_related("game")
            .order_by("due_at")[:SHOWN]
        ),
        "complaints": len(complaints.open_for(person_of(request))),
        "versions": watch.versions(),
        "shown": SHOWN,
        "findings": list(doctor.quick_checks(now)),
        "wait": DOCTOR_WAITS,
    }
    return render(request, "operator.html", context)


@dataclass(frozen=True)
class Light:
    """One line at the head of the page: good, or what is wrong and where it is documented."""

    name: str
    good: bool
    words: str


def _lights(numbers: dict[tuple[str, ...], float]) -> list[Light]:
    def of(name: str, *labels: str) -> float:
        return numbers.get((f"gamesmaster_{name}", *labels), 0.0)

    age = of("tick_age_seconds")
    unsent = sum(of("letters_unsent", status) for status in ("queued", "sending", "deferred"))
    late, ticked = (
        _span(of("deadline_lag_seconds")),
        f"The last tick was {_span(age)} ago" if age >= 0 else "Nothing has ever ticked",
    )
    lateness = f"; the phase that is due longest is {late} late." if late != "0 seconds" else "."
    in_time = 0 <= age <= watch.TICK_MAY_BE_OLD.total_seconds() and of("deadline_lag_seconds") < 60
    figures = _waiting(of("readings_outstanding"), "for", of("reading_lag_seconds"))
    letters = _waiting(unsent, "due", of("letter_lag_seconds"), " ago")
    lost = of("letters_undelivered")
    returned = f" Of the newest {watch.NEWEST}, {lost:.0f} could not be delivered." if lost else ""
    answers = (
        "Half of the newest went out within"
        f" {_span(of('letter_seconds', '0.5', 'acknowledgement'))}."
    )
    mail = (
        f"Waiting to be read: {_number(of('mail_waiting'))}. Waiting for a gamesmaster:"
        f" {_number(of('mail_held'))}."
    )
    channels = (
        f"Failed notices: {_number(of('notices_failing'))}. Webhooks given up:"
        f" {_number(of('channels_given_up'))}."
    )
    broker = (
        f"Messages waiting: {_number(of('queue_length'))}."
        if of("broker_up")
        else "It does not answer."
    )
    return [
        Light("Deadlines", in_time, f"{ticked}{lateness}"),
        Light(
            "Phases held",
            of("phases", "held") == 0,
            f"Waiting for their gamesmaster: {_number(of('phases', 'held'))}.",
        ),
        Light("Sales figures", of("reading_lag_seconds") < 72 * 3600, figures),
        Light("Letters", of("letter_lag_seconds") < 600, letters + returned),
        Light("Answers", of("acknowledgement_lag_seconds") < 60, answers),
        Light("Mail that came", of("mail_lag_seconds") < 60, mail),
        Light("Webhooks", of("notices_failing") == 0, channels),
        Light("Broker", of("broker_up") == 1 and of("queue_length") < 1000, broker),
    ]


def _number(value: float) -> str:
    return f"{value:.0f}" if value else "none"


def _waiting(number: float, since: str, oldest: float, after: str = "") -> str:
    """Return how many wait, and since when the oldest does."""
    more = f", the oldest {since} {_span(oldest)}{after}" if number else ""
    return f"Waiting: {_number(number)}{more}."


def _span(seconds: float) -> str:
    """Seconds in words, roughly."""
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {name}s"
    return f"{seconds:.0f} second{'' if round(seconds) == 1 else 's'}"


@require_POST
def doctor_page(request: HttpRequest) -> HttpResponse:
    """Try everything that `manage.py doctor` tries, mail and market too, for administrators."""
    if not permissions.operates(request.user):
        raise PermissionDenied
    now = clock.now()
    findings = [*doctor.quick_checks(now), *doctor.far_checks(now, DOCTOR_WAITS)]
    return render(request, "operator_doctor.html", {"findings": findings})


@require_POST
def resume(request: HttpRequest) -> HttpResponse:
    """An administrator lets the service go on after it has been put back from a copy."""
    person = request.user
    if not isinstance(person, Person) or not permissions.operates(person):
        raise PermissionDenied
    done = restore_hold.release(person, clock.now())
    if done.games or done.moved:
        messages.success(
            request,
            f"The service goes on: {done.games} games told, {len(done.moved)} deadlines moved.",
        )
    else:
        messages.info(
            request, "The service was going on already, or there is no game that anybody waits for."
        )
    return redirect("operator")
