"""Give staged games (tests/support/staging.py) a row of each kind, then multiply all rows.

operator = talk(stage)
multiply()      # ten times the rows of each kind, three times the phases, then the games
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Max, Model

from games import desk
from games.accounts import two_factor
from games.models import (
    AccessToken,
    Announcement,
    Barring,
    Block,
    Channel,
    Coded,
    Complaint,
    Erasure,
    Game,
    Listing,
    MarketClosure,
    Motion,
    Notebook,
    Notice,
    Outage,
    Person,
    PersonNote,
    Phase,
    Reading,
    RecoveryCode,
    ReportFile,
    Restoration,
    Scenario,
    SecondFactor,
    SessionChange,
    Tally,
    WrongCode,
)
from orders.models import Handling, OrdersAhead, Signature, StockCheck
from tests.bench.copies import Copies
from tests.support.campaign import person
from tests.support.staging import Stage

#: What games share: their copies are of the same people.
SHARED = (
    *("Person", "SecondFactor", "RecoveryCode", "Feed", "LoginKey", "AccessToken", "Address"),
    *("PersonNote", "Signature"),
)
#: What is as long as a game.
LONG = (
    *("Phase", "Resolution", "Submission", "Figure", "Figure_readings", "Reading", "Draw"),
    *("Ruling", "DeadlineChange", "SessionChange", "Proposal", "ProposalAnswer", "RecordEntry"),
)
#: Rows of which a person has one in a game: their copies are of copies of the person.
OF_OTHERS = (
    *("games_standby", "games_notebook", "games_personnote", "games_complaint"),
    *("games_printedcode", "games_secondfactor", "orders_draft", "orders_ordersahead"),
)
#: Columns in which a copy within a game must differ from its row. `far` is above all numbers.
DIFFERENT = {
    "games_press.number": "t.number + k * {far}",
    "games_press.code": "t.code + k * {far}",
    "games_proposal.number": "t.number + k * {far}",
    "games_proposal.to_number": "t.to_number + k * {far}",
    "games_ruling.number": "t.number + k * {far}",
    "games_recordentry.number": "t.number + k * {far}",
    "orders_submission.number": "t.number + k * {far}",
    "orders_submission.seat_number": "t.seat_number + k * {far}",
    "games_tally.whose": "k || t.whose",
    "orders_stockcheck.symbol": "k || t.symbol",
    "games_feed.ended_at": "COALESCE(t.ended_at, t.made_at)",
    "games_motion.closed_at": "COALESCE(t.closed_at, t.opened_at)",
    "games_mute.until": "COALESCE(t.until, t.since)",
    "games_replyaddress.ended_at": "COALESCE(t.ended_at, t.made_at)",
    "games_sitting.until": "COALESCE(t.until, t.since)",
}
IN_A_PHASE = {
    "games_resolution.version": "t.version + k * {far}",
    "games_figure.symbol": "k || substr(t.symbol, 1, 6)",
    "games_draw.line": "t.line + k * {far}",
}
#: The newest phase of a game is number `NEWEST` then; its copies are undone.
NEWEST = 10_000
OF_PHASES = {
    "games_phase.number": "t.number + k * 100",
    "games_phase.turn": "t.turn + k * 20",
    "games_phase.status": f"CASE WHEN t.number = {NEWEST} THEN 'undone' ELSE t.status END",
    "games_phase.due_at": "NULL",
}
#: What belongs to no game and no person.
APART = (Barring, Listing, Restoration, Scenario, MarketClosure, Erasure, WrongCode, Tally)


def talk(stage: Stage) -> Person:
    """Add a row of each kind that the staged games do not have. Return an operator."""
    now, game, phase = stage.now, stage.lights.game, stage.lights.phase
    gustav, ada, germany = person("gustav"), stage.lights.ada, stage.lights.seat("Germany")
    before = game.phases.get(number=4)
    day = timedelta(days=1)
    alma = Person.objects.at("alma@example.org", is_staff=True, is_superuser=True)
    factor = two_factor.begin(alma, now)
    SecondFactor.objects.filter(pk=factor.pk).update(confirmed_at=now)
    new: dict[type[Model], dict[str, Any]] = {
        AccessToken: {"person": gustav, "label": "program", "token_hash": "0", "made_at": now},
        Announcement: {"text": "Tonight we move.", "since": now},
        Barring: {"email": "out@example.org", "reason": "Insults.", "since": now, "made_by": ada},
        Block: {
            "person": gustav,
            "blocked": person("una"),
            "press": game.press_written.get(to_all=True),
            "since": now,
        },
        Complaint: {
            "press": game.press_written.earliest("pk"),
            "person": person("rosa"),
            "made_at": now,
        },
        Erasure: {"person": person("dana"), "erased_at": now, "press": False},
        LogEntry: {
            "user": ada,
            "content_type": ContentType.objects.get_for_model(Game),
            "object_id": str(game.pk),
            "action_flag": CHANGE,
        },
        Listing: {"symbol": "GE", "source": "demo", "verdict": "good", "checked_at": now},
        MarketClosure: {"day": (now + day).date(), "reason": "A day of mourning."},
        Motion: {"game": game, "phase": phase, "kind": "draw", "opened_at": now},
        Notebook: {"game": game, "person": gustav, "text": "Trust Russia.", "saved_at": now},
        OrdersAhead: {
            **{"seat": germany, "person": gustav, "turn": 3, "kind": "attacks"},
            **{"text": "PASS", "kept_at": now},
        },
        Outage: {"way": "mail", "since": now - day, "until": now},
        PersonNote: {"person": gustav, "writer": ada, "text": "Plays in time.", "saved_at": now},
        RecoveryCode: {"factor": factor, "code_hash": "0"},
        ReportFile: {
            **{"phase": stage.war.phase, "person": ada, "name": "map.png"},
            **{"media_type": "image/png", "content": b"0", "added_at": now},
        },
        Restoration: {"taken_at": now - day, "restored_at": now, "released_at": now},
        SessionChange: {
            **{"phase": before, "old": "2026-11-19", "old_opens": now, "old_closes": now},
            **{"new": "2026-11-20", "new_opens": now, "new_closes": now, "reason": "Mourning."},
            "changed_at": now,
        },
        Signature: {"handling": Handling.objects.earliest("pk"), "mark": "0"},
        StockCheck: {"submission": germany.submissions.latest("pk"), "symbol": "GE"},
        Tally: {"what": "login", "whose": "0", "since": now, "number": 1},
        WrongCode: {"origin_hash": "0", "tried_at": now},
    }
    desk.ask_gamesmaster(game, "wanda@example.org", ada, now)
    for model, values in new.items():
        model._default_manager.create(**values)
    channel = {"kind": "discord", "nonce": "0", "added_by": ada, "added_at": now}
    for of in ({"game": game}, {"person": gustav}):
        made = Channel.objects.create(**channel, **of, url="https://example.org/0", label="club")
        Notice.objects.create(channel=made, key=f"notice {made.pk}", written_at=now)
    MarketClosure.objects.get().readings.add(Reading.objects.earliest("pk"))
    return alma


def multiply() -> None:
    """Make ten times the rows of each kind; of those of games, then three times the games.

    What is as long as a game is three times as much in a phase, and there are three times the
    phases. A game has no more seats than its scenario has nations: `repeated` in
    tests/web/test_query_budget.py finds what is asked for each of them.
    """
    for row in Phase.objects.values("game").annotate(last=Max("number")):
        Phase.objects.filter(game=row["game"], number=row["last"]).update(number=NEWEST)
    models = {model.__name__ for model in apps.get_models(include_auto_created=True)}
    apart = {model.__name__ for model in APART}
    frame = apart | {"Game", "Game_gamesmasters", "Seat", "Letter", "MarketClosure_readings"}
    long = {*LONG}
    for times, without, far, different in (
        (10, frame | long, 10**5, DIFFERENT),
        (3, models - (long - {"Phase"}), 10**6, DIFFERENT | IN_A_PHASE),
        (3, models - long, 10**7, DIFFERENT | OF_PHASES),
        (3, {*SHARED, *apart, "MarketClosure_readings"}, 0, {}),
    ):
        Copies(without=without, values=_values(far, different), mark=f"{far}-").grow(times)
    for model in APART:
        for row in list(model._default_manager.all()):
            related = {
                field.name: list(getattr(row, field.name).all())
                for field in model._meta.many_to_many
            }
            for k in range(1, 10):
                row.pk, row._state.adding = None, True
                for name, other in _others(row, k).items():
                    setattr(row, name, other)
                row.save()
                for name, rows in related.items():
                    getattr(row, name).set(rows)


def _others(row: Model, k: int) -> dict[str, Any]:
    """Return what must differ in copy `k` of a row of `APART`."""
    if isinstance(row, MarketClosure):
        return {"day": row.day + timedelta(days=k)}
    if isinstance(row, Scenario):
        return {"name": f"{row.name}-{k}"}
    return {"whose": f"{row.whose}{k}"} if isinstance(row, Tally) else {}


def _values(far: int, different: dict[str, str]) -> dict[str, str]:
    """Return the columns in which copies differ; those of people do only in some tables."""
    values = {column: value.format(far=far) for column, value in different.items()}
    for model in apps.get_models():
        table = model._meta.db_table
        if issubclass(model, Coded):  # a code is of hexadecimal digits
            values[f"{table}.code"] = "lower(hex(randomblob(12)))"
        for field in model._meta.concrete_fields:
            if field.related_model is Person and far and table not in OF_OTHERS:
                values[f"{table}.{field.column}"] = f't."{field.column}"'
    return values
