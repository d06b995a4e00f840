"""What is asked every second, or with every message, is answered from an index, however much the
archive holds (issue 4: flat)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from games import tasks
from games.models import Game, Letter, Phase, service
from games.outbox import queue
from games.turns import phases as turns
from games.webhooks import delivery as channels
from gamesmaster.questions import INSTANT, TEXT, WHOLE, Change, Insert, Question, Save
from orders import stock_checks
from orders.inbound import queue as intake
from orders.inbound.identity import limits
from tests.inbound.writing import send
from tests.support.cast import Campaign

pytestmark = pytest.mark.django_db
NEWEST = Question(
    lambda game, kind: (
        Phase.objects.filter(game=game, kind=kind)
        .order_by("-number")
        .values_list("kind", "number")[:1]
    ),
    game=WHOLE,
    kind=TEXT,
)


def read_from_end_to_end(asked: CaptureQueriesContext) -> list[str]:
    """Statements for which SQLite reads all of a table that grows with the archive."""
    found = []
    with connection.cursor() as cursor:
        for query in asked.captured_queries:
            if query["sql"].startswith(("SELECT", "UPDATE")):
                cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}".replace("%", "%%"))
                plans = [str(row[3]) for row in cursor.fetchall()]
                found += [
                    query["sql"]
                    for plan in plans
                    if plan.startswith(("SCAN games_", "SCAN orders_")) and " USING " not in plan
                ]
    return found


@pytest.mark.skipif(
    connection.vendor != "sqlite",
    reason="PostgreSQL reads a small table from end to end whatever its indexes are",
)
def test_nothing_that_is_asked_every_second_or_with_every_message_reads_a_whole_table(
    settings: Settings,
) -> None:
    settings.MAIL_IN = True
    campaign = Campaign.begin()
    now = campaign.now
    token, ids = queue.claim(now, 50)
    queue.send(ids, token, now)
    tasks.beat(now)  # what is done once an hour may read all games
    with CaptureQueriesContext(connection) as asked:
        send(campaign, "Germany", "PLACE 4 Poland\n")
        turns.in_flight(now)
        turns.claim(now, 10)
        turns.remind(now)
        queue.in_flight(now)
        token, ids = queue.claim(now, 50)
        queue.send(ids, token, now)
        queue.oldest_unsent()
        intake.claim(now)
        stock_checks.claim(now)
        channels.claim(now)
        service.current()
        limits.may_answer("gustav@example.org", now)
        tasks.beat(now)
    assert len(asked) > 30
    assert read_from_end_to_end(asked) == []


def test_a_question_asked_again_gives_what_stands_now(db: None) -> None:
    campaign = Campaign.begin()
    assert NEWEST.first(game=campaign.game, kind="placement") == ("placement", 1)
    assert NEWEST.first(game=campaign.game.pk, kind="attacks") is None
    campaign.pass_deadline()
    assert NEWEST.first(game=campaign.game, kind="attacks") == ("attacks", 2)
    assert NEWEST.first(game=campaign.game.pk + 1, kind="attacks") is None


def test_rows_of_a_question_are_the_same_objects_that_django_gives(db: None) -> None:
    campaign = Campaign.begin()
    of_game = Question(lambda game: Phase.objects.filter(game=game), game=WHOLE)
    alone = Question(lambda pk: Game.objects.filter(pk=pk), pk=WHOLE)
    asked, known = alone.model(Game, pk=campaign.game.pk), Game.objects.get(pk=campaign.game.pk)
    for field in Game._meta.concrete_fields:
        assert getattr(asked, field.attname) == getattr(known, field.attname), field.attname
    phase, stored = of_game.model(Phase, game=campaign.game), campaign.game.phases.get()
    for column in Phase._meta.concrete_fields:
        assert getattr(phase, column.attname) == getattr(stored, column.attname), column.attname


def test_a_change_meets_the_rows_that_it_names_and_no_others(db: None) -> None:
    one, other = Campaign.begin(), Campaign.begin(title="Another")
    move = Change(
        lambda game, before: Phase.objects.filter(game=game, deadline__lt=before),
        lambda due, claim: {
            "due_at": due,
            "claim": claim,
            "attempts": F("attempts") + 1,
            "claimed_until": None,
        },
        game=WHOLE,
        before=INSTANT,
        due=INSTANT,
        claim=TEXT,
    )
    due = datetime(2027, 1, 2, 3, 4, 5, 678, tzinfo=UTC)
    assert move.make(game=one.game, before=one.phase.deadline, due=due, claim="x") == 0
    assert (
        move.make(
            game=one.game, before=datetime(2030, 1, 1, tzinfo=UTC), due=due, claim="it's 50 %s"
        )
        == 1
    )
    phase = one.phase
    assert (phase.due_at, phase.claim, phase.attempts, phase.claimed_until) == (
        due,
        "it's 50 %s",
        1,
        None,
    )
    assert other.phase.attempts == 0
    assert other.phase.due_at != due


def test_a_question_that_forgets_one_of_its_values_is_refused(db: None) -> None:
    forgetful = Question(lambda game, kind: Letter.objects.filter(game=game), game=WHOLE, kind=TEXT)
    with pytest.raises(ValueError, match="game, kind must stand in the question once"):
        forgetful.rows(game=1, kind="board")


def letters(campaign: Campaign, *keys: str) -> list[Letter]:
    """Rows with a value of every kind: texts with odd signs, JSON, an instant to the microsecond,
    yes and no, and nothing."""
    at = datetime(2027, 1, 2, 3, 4, 5, 678, tzinfo=UTC)
    said = {
        "about": {"seats": [1, None], "“so”": 'it\'s 50 %s \\ "x"\n'},
        "text": "Größe € 😀\n\t'%%'",
        "secret": True,
        "sent_at": None,
    }
    return [
        Letter(
            key=key,
            kind="word",
            message_id=f"<{key}>",
            game=campaign.game,
            written_at=at,
            due_at=at,
            **said,
        )
        for key in keys
    ]


def test_rows_written_by_a_built_statement_are_those_that_django_writes(db: None) -> None:
    campaign = Campaign.begin()
    kept, one, *many = letters(campaign, "a", "b", "c", "d")
    kept.save()
    Insert(Letter).write(one)
    Insert(Letter).write_all(many)
    assert [
        letter.key
        for letter in Letter.objects.filter(pk__in=[row.pk for row in many]).order_by("pk")
    ] == ["c", "d"]
    for row in (one, *many):
        stored = Letter.objects.get(pk=row.pk)
        for field in Letter._meta.concrete_fields:
            if field.name not in ("id", "key", "message_id"):
                assert getattr(stored, field.attname) == getattr(kept, field.attname), field.attname
        with pytest.raises(ValueError, match="written before"):
            Insert(Letter).write(row)


def test_of_rows_written_together_those_that_are_there_are_left_alone(db: None) -> None:
    campaign = Campaign.begin()
    Insert(Letter).write_all(letters(campaign, "a"))
    again = letters(campaign, "a", "b")
    for row in again:
        row.text = "another"
    Insert(Letter).write_all(again, ignore_conflicts=True)
    assert dict(Letter.objects.filter(key__in="ab").values_list("key", "text")) == {
        "a": "Größe € 😀\n\t'%%'",
        "b": "another",
    }


def test_saving_some_columns_leaves_the_others_alone(db: None) -> None:
    campaign = Campaign.begin()
    rows = letters(campaign, "a", "b", "c")
    Insert(Letter).write_all(rows)
    for row in rows:
        row.about, row.due_at, row.text, row.kind = (
            {"new": [row.pk, "€ '%s'"]},
            None,
            f"{row.key} '%s' €",
            "not to be written",
        )
    save = Save(Letter, "about", "due_at", "text")
    assert save.write(rows[0]) == 1
    assert save.write_all(rows[1:]) == 2
    for row in rows:
        stored = Letter.objects.get(pk=row.pk)
        assert (stored.about, stored.due_at, stored.text, stored.kind) == (
            row.about,
            None,
            row.text,
            "word",
        )
    rows[0].pk = 0
    assert save.write(rows[0]) == 0


def test_an_object_comes_with_those_that_the_question_selects_with_it(db: None) -> None:
    campaign = Campaign.begin()
    phases = Question(
        lambda game: Phase.objects.filter(game=game).select_related("game", "previous"), game=WHOLE
    )
    campaign.pass_deadline()
    with CaptureQueriesContext(connection) as asked:
        first, second = phases.models(Phase, game=campaign.game)
        assert (first.game.title, first.previous, second.previous.kind) == (
            campaign.game.title,
            None,
            "placement",
        )
        assert second.game.card == campaign.game.card
    assert len(asked) == 1
