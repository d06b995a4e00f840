"""Answer at once what a page that asks for news already has (games.pages.live)."""

from __future__ import annotations

import re

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified

from games.base import signing
from games.models import Phase
from games.pages.middleware import Middleware
from games.positions import in_force
from games.rules.verification import record

#: Whose letters between nations an answer holds, beside those of the reader's own nations. They
#: stand in the tag, because the middleware does not know its reader.
NO_OTHERS, QUESTIONS, EVERYBODYS = "n", "q", "e"
#: What an answer to one reader depends on, and nothing that others do in secret: a row for each
#: seat. Raw SQL, because Django takes 30 times as long to build this query as the database takes
#: to answer it.
STANDS = """
    SELECT phase.id, phase.status, phase.deadline, game.status, game.record_hash,
        CASE %(reads)s
            WHEN 'e' THEN game.last_press
            WHEN 'q' THEN (SELECT COUNT(*) FROM games_press press
                WHERE press.game_id = game.id AND (press.to_gamesmaster OR press.seat_id IS NULL))
        END,
        seat.id, sitting.id, CASE WHEN sitting.id IS NOT NULL THEN seat.news END,
        CASE WHEN sitting.id IS NOT NULL THEN (SELECT MAX(own.seat_number)
            FROM orders_submission own WHERE own.seat_id = seat.id) END,
        seat.team,
        (SELECT sent.counts FROM orders_submission sent
            WHERE sent.phase_id = phase.id AND sent.seat_id = seat.id
                AND (sent.counts OR (sent.text = %(cancelled)s AND NOT sent.late))
            ORDER BY sent.number DESC LIMIT 1)
    FROM games_game game
    JOIN games_phase phase ON phase.id = (SELECT newest.id FROM games_phase newest
        WHERE newest.game_id = game.id AND newest.status <> %(undone)s
        ORDER BY newest.number DESC LIMIT 1)
    JOIN games_seat seat ON seat.game_id = game.id
    LEFT JOIN games_sitting sitting ON sitting.seat_id = seat.id
        AND sitting.person_id = %(person)s AND sitting.until IS NULL
    WHERE game.id = %(game)s
    ORDER BY seat.id
"""
TEAM = -2  # the place of `seat.team` in a row; the last one says whether its orders are in
_TAG = re.compile(r'"([0-9]{1,18})([nqe])-[0-9a-f]{32}"')


class NotModifiedAnswer(Middleware):
    """Answer 304 to a page that asks again and has missed nothing, before the session and its
    reader are loaded: every open page asks every 2 seconds, and this costs one small query."""

    ADDRESS = re.compile(r"/games/(\d{1,9})/state\.json")

    def __call__(self, request: HttpRequest) -> HttpResponse:
        etags = request.headers.get("If-None-Match")
        match = self.ADDRESS.fullmatch(request.path) if etags else None
        given = _TAG.search(etags) if etags and match else None
        if given and match:
            tag = tag_of(request, int(match[1]), int(given[1]), given[2])
            if tag == given[0]:
                return HttpResponseNotModified(headers={"ETag": tag})
            request.live_tag = tag  # type: ignore[attr-defined]
        return self.get_response(request)


def tag_of(request: HttpRequest, pk: int, person: int, reads: str) -> str:
    """Return the reader and a hash of what an answer to them depends on; "" for a game without a
    phase. `person` is the id of the reader, 0 for a visitor; `reads` whose letters they read.

    Nobody else can compute the hash: a client that sends it has had this answer in this session,
    so its reader and what they read need not be looked up.
    """
    asked: dict[str, str | int] = {"game": pk, "person": person, "reads": reads}
    asked |= {"undone": Phase.Status.UNDONE.value, "cancelled": record.CANCELLED}
    with connection.cursor() as cursor:
        cursor.execute(STANDS, asked)
        rows = cursor.fetchall()
    if not rows:
        return ""
    session = request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
    facts = [session, person, reads, request.GET.get("seen", ""), [row[:-1] for row in rows]]
    if any(row[TEAM] for row in rows):  # votes are combined by rules that SQL does not know
        phase = Phase.objects.select_related("game").get(pk=rows[0][0])
        facts.append(sorted(in_force.in_force(phase)))
    else:
        facts.append([row[-1] for row in rows])
    return f'"{person}{reads}-{signing.derive(signing.Salt.LIVE, repr(facts))[:32]}"'
