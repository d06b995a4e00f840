"""Pages for operators: liveness, readiness, metrics, and what waits."""

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
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily

from games import permissions
from games.base import clock, starting
from games.models import Letter, Person, Phase, Pulse, service
from games.operations import doctor, outstanding, restore_hold
from games.operations import metrics as watch
from games.pages.requests import person_of
from games.press import complaints

#: How many rows of each list the operator's page shows.
SHOWN = 12
#: Seconds that the page waits for a test letter to come back.
DOCTOR_WAITS = 10
NO_STORE = {"Cache-Control": "no-store"}


@dataclass
class _Schema:
    """Whether the database has all migrations of this code. Once it has, it keeps them."""

    complete: bool = False


_schema = _Schema()


@require_safe
def alive(request: HttpRequest) -> JsonResponse:
    """Return 200 while this process responds at all. Restarting it for anything less would cut off
    people who are sending orders."""
    return JsonResponse({"ok": True}, headers=NO_STORE)


@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """Return 200 while this process can serve pages: its settings are safe, and its database
    responds and has all tables. `why` lists what is wrong, one sentence each.

    What only the database can say is null while it does not answer. The tick's age is reported but
    does not change the status: pages must accept orders even if the beat process has died.
    `/health/` fails in that case.
    """
    facts: dict[str, object] = {
        "database": False,
        "migrations": None,
        "tick_age_seconds": None,
        "held_after_restore": None,
    }
    why = [f"{fault.msg} {fault.hint}" for fault in starting.faults()]
    try:
        connection.ensure_connection()
        facts["database"] = True
        words = "" if _schema.complete else starting.not_migrated()
        facts["migrations"] = _schema.complete = not words
        if _schema.complete:
            facts |= {
                "tick_age_seconds": Pulse.objects.age("tick", clock.now()),
                "held_after_restore": service.is_held(),
            }
        else:
            why.append(words)
    except DatabaseError as error:
        facts |= {"database": False, "migrations": None, "held_after_restore": None}
        why.append(f"The database does not answer ({type(error).__name__}). See DATABASE_URL.")
    ok = not why
    facts |= {"why": why}
    return JsonResponse({"ok": ok, **facts}, status=200 if ok else 503, headers=NO_STORE)


# --- numbers ---


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Serve the metrics in Prometheus' format; 404 for clients that may not have them."""
    if not _may_scrape(request):
        raise Http404
    return HttpResponse(
        exposition(watch.measures(clock.now())), content_type=CONTENT_TYPE_LATEST, headers=NO_STORE
    )


def _may_scrape(request: HttpRequest) -> bool:
    """Return whether METRICS_TOKEN was sent; without one, whether the client is local, no proxy."""
    if settings.METRICS_TOKEN:
        authorization = request.headers.get("Authorization", "")
        return hmac.compare_digest(
            authorization.encode(), f"Bearer {settings.METRICS_TOKEN}".encode()
        )
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
    """Passes measures to prometheus_client, which needs all measures of a name together."""

    def __init__(self, measures: Iterable[watch.Measure]) -> None:
        self.measures = sorted(measures, key=lambda measure: measure.name)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for name, group in groupby(self.measures, key=lambda measure: measure.name):
            rows = list(group)
            labels = sorted(rows[0].labels or {})
            family = GaugeMetricFamily(name, rows[0].help, labels=labels)
            for row in rows:
                family.add_metric([(row.labels or {})[label] for label in labels], row.value)
            yield family


def exposition(measures: Iterable[watch.Measure]) -> bytes:
    """Return measures in the format that Prometheus reads."""
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
        (measure.name, *sorted((measure.labels or {}).values())): measure.value
        for measure in watch.measures(now)
    }
    held = (
        outstanding.unfinished_phases()
        .filter(status=Phase.Status.HELD)
        .select_related("game")
        .order_by("deadline")
    )
    context = {
        "now": now,
        "held_since": service.current(),
        "lights": _lights(numbers),
        "overdue": list(
            outstanding.overdue_phases(now).select_related("game").order_by("due_at")[:SHOWN]
        ),
        "coming": list(
            outstanding.coming_phases(now).select_related("game").order_by("due_at")[:SHOWN]
        ),
        "phases": list(held[:SHOWN]),
        "letters": list(
            outstanding.unsent_letters()
            .filter(due_at__lte=now)
            .select_related("game")
            .order_by("due_at")[:SHOWN]
        ),
        "deferred": list(
            outstanding.unsent_letters()
            .filter(status=Letter.Status.DEFERRED)
            .select_related("game")
            .order_by("due_at")[:SHOWN]
        ),
        "complaints": len(complaints.open_for(person_of(request))),
        "versions": watch.versions(),
        "shown": SHOWN,
        "findings": doctor.near(),
        "wait": DOCTOR_WAITS,
    }
    return render(request, "operator.html", context)


@dataclass(frozen=True)
class Light:
    """A line at the top of the page: good, or what is wrong and where it is documented."""

    name: str
    good: bool
    words: str


def _lights(numbers: dict[tuple[str, ...], float]) -> list[Light]:
    def value(name: str, *labels: str) -> float:
        return numbers.get((f"gamesmaster_{name}", *labels), 0.0)

    age = value("tick_age_seconds")
    unsent = sum(value("letters_unsent", status) for status in ("queued", "sending", "deferred"))
    late, ticked = (
        doctor.span(value("deadline_lag_seconds")),
        f"The last tick was {doctor.span(age)} ago" if age >= 0 else "There was never a tick",
    )
    lateness = f"; the longest overdue phase is {late} late." if late != "0 seconds" else "."
    failing = value("phases_failing")
    if failing:
        lateness += f" Phases that fail and are tried again: {failing:.0f}."
    in_time = (
        0 <= age <= watch.TICK_MAY_BE_OLD.total_seconds()
        and value("deadline_lag_seconds") < 60
        and not failing
    )
    silent = value("market_silent_seconds")
    figures = _waiting_sentence(value("readings_outstanding"), "for", value("reading_lag_seconds"))
    if silent:
        figures += f" A source has answered nothing for {doctor.span(silent)}."
    letters = _waiting_sentence(unsent, "due", value("letter_lag_seconds"), " ago")
    refused, lost = value("letters_refused"), value("letters_undelivered")
    taken = refused <= value("letters_delivered")
    if not taken:
        letters += f" Refused in the last hour: {refused:.0f}."
    if lost:
        letters += f" Of the newest {outstanding.NEWEST}, {lost:.0f} could not be delivered."
    answers = (
        "Half of the newest went out within"
        f" {doctor.span(value('letter_seconds', '50', 'acknowledgement'))}."
    )
    mail = (
        f"Unread: {_number(value('mail_waiting'))}. Waiting for a gamesmaster:"
        f" {_number(value('mail_held'))}."
    )
    channels = (
        f"Failed notices: {_number(value('notices_failing'))}. Webhooks given up:"
        f" {_number(value('channels_given_up'))}."
    )
    broker = (
        f"Messages waiting: {_number(value('queue_length'))}."
        if value("broker_up")
        else "It does not answer."
    )
    return [
        Light("Deadlines", in_time, f"{ticked}{lateness}"),
        Light(
            "Phases held",
            value("phases", "held") == 0,
            f"Waiting for their gamesmaster: {_number(value('phases', 'held'))}.",
        ),
        Light("Sales figures", value("reading_lag_seconds") < 72 * 3600 and silent < 900, figures),
        Light("Letters", value("late_addresses") < 2 and taken, letters),
        Light("Answers", value("acknowledgement_lag_seconds") < 60, answers),
        Light("Mail that came", value("mail_lag_seconds") < 60, mail),
        Light("Webhooks", value("notices_failing") == 0, channels),
        Light("Broker", value("broker_up") == 1 and value("queue_length") < 1000, broker),
    ]


def _number(value: float) -> str:
    return f"{value:.0f}" if value else "none"


def _waiting_sentence(number: float, since: str, oldest: float, after: str = "") -> str:
    """Return how many wait, and how long the oldest has been waiting."""
    more = f", the oldest {since} {doctor.span(oldest)}{after}" if number else ""
    return f"Waiting: {_number(number)}{more}."


@require_POST
def doctor_page(request: HttpRequest) -> HttpResponse:
    """Run all checks of `manage.py doctor`, including mail and market, for administrators."""
    if not permissions.operates(request.user):
        raise PermissionDenied
    findings = doctor.near() + doctor.far(DOCTOR_WAITS)
    return render(request, "operator_doctor.html", {"findings": findings})


@require_POST
def resume(request: HttpRequest) -> HttpResponse:
    """Resume the service after a restore."""
    person = request.user
    if not isinstance(person, Person) or not permissions.operates(person):
        raise PermissionDenied
    outcome = restore_hold.release(person, clock.now())
    if outcome.games or outcome.moved:
        messages.success(
            request,
            f"The service is running again: {outcome.games} games notified, {len(outcome.moved)}"
            " deadlines moved.",
        )
    else:
        messages.info(request, "The service was already running, or it has no running game.")
    return redirect("operator")
