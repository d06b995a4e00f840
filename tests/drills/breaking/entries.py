"""Compare the orders that people sent, one by one, with the ledger and with the results."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from tests.drills.breaking import tables
from tests.drills.breaking.expected import OVER
from tests.drills.breaking.faults_found import Faults
from tests.drills.breaking.players import Game, Sent, orders_by, sign_in
from tests.drills.breaking.tables import Database, loaded


def compare(database: Database, games: list[Game], sent: Sent, faults: Faults) -> None:
    """Compare orders and letters to other nations with what was sent and accepted.

    Every try has a mark of its own, and a try without an answer may have been entered or not.
    """
    rows: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for row in database.rows(
        "SELECT game_id, seat_id, channel, text FROM orders_submission"
        " WHERE channel IN ('web', 'mail')"
    ):
        rows[sign_in(row[-1])].append(row)
    messages = {
        sign_in(name): (status, words or "", loaded(outcome) or {})
        for name, status, words, outcome in database.rows(
            "SELECT m.message_id, h.status, h.words, h.outcome FROM orders_mail m"
            " LEFT JOIN orders_handling h ON h.mail_id = m.id"
        )
    }
    refused = {
        sign for sign, (_, words, outcome) in messages.items() if _are_refused(words, outcome)
    }
    faults.lose(
        "orders accepted by page and not in the record",
        [sign for sign in sent.accepted_pages if sign not in rows],
    )
    unread = {sign for sign, (status, *_) in messages.items() if status in (None, "waiting")}
    faults.lose(
        "orders accepted by mail and not in the record",
        [sign for sign in sent.accepted_mail if sign not in {*rows, *refused, *unread}],
    )
    faults.double("orders entered twice", [sign for sign, same in rows.items() if len(same) > 1])
    numbers = {game.number for game in games}
    faults.lose(
        "orders that nobody sent",
        [
            f"{sign}: {same}"
            for sign, same in rows.items()
            if sign not in sent.written and same[0][0] in numbers
        ],
    )
    faults.lose(
        "orders that differ from what was sent",
        [
            f"{sign}: {text!r}"
            for sign, same in rows.items()
            for *_, channel, text in same
            if text.split() != orders_by(channel, sign).split()
        ],
    )
    seats = _seats(database, games)
    faults.lose(
        "orders of another nation or game",
        [
            f"{sign}: game {game}, seat {seat}, by {channel}"
            for sign, same in rows.items()
            for game, seat, channel, _ in same
            if sign in sent.written and (game, seat) != seats[channel, sent.written[sign]]
        ],
    )
    faults.lose(
        "messages given up",
        [sign for sign, (status, *_) in messages.items() if status == "failed"],
    )
    faults.leave("messages not handled", sorted(unread))
    over = {sign for sign, (_, words, _) in messages.items() if words == OVER}
    _compare_press(database, numbers, sent, over | unread, faults)


def _are_refused(words: str, outcome: Mapping[str, Any]) -> bool:
    """Return whether the answer to a message says that its orders changed nothing: the game was
    over, or newer orders were in force (docs/design.md 7). Its letter to another nation is sent.
    """
    headings = [section["heading"] for section in outcome.get("sections", ())]
    return words == OVER or ("orders No." not in words and "Not done" in headings)


def _seats(database: Database, games: list[Game]) -> dict[tuple[str, int], tuple[int, int]]:
    """Return by channel and game the game and seat of the person who orders by it."""
    seats = tables.seats(database)
    people = dict(database.rows("SELECT email, id FROM games_person"))
    found = {}
    for game in games:
        found["web", game.number] = (game.number, game.seat)
        (writers,) = (
            seat.pk
            for seat in seats.values()
            if seat.game == game.number and people[game.writes_from] in seat.people
        )
        found["mail", game.number] = (game.number, writers)
    return found


def _compare_press(
    database: Database, numbers: set[int], sent: Sent, unsent: set[str], faults: Faults
) -> None:
    """Compare the letters to other nations, which come with some orders by mail."""
    rows: dict[str, list[int]] = defaultdict(list)
    for game, text in database.rows("SELECT game_id, text FROM games_press"):
        rows[sign_in(text)].append(game)
    faults.lose(
        "letters between nations accepted and not in the record",
        [sign for sign in sent.press if sign not in rows and sign not in unsent],
    )
    faults.double(
        "letters between nations entered twice",
        [sign for sign, same in rows.items() if len(same) > 1],
    )
    faults.lose(
        "letters between nations in another game",
        [
            sign
            for sign, same in rows.items()
            if set(same) != {sent.written.get(sign)} and set(same) & numbers
        ],
    )


def judged(database: Database, faults: Faults) -> None:
    """Note the nations whose newest orders that count were not those that were judged."""
    nation = dict(database.rows("SELECT id, nation FROM games_seat"))
    newest: dict[tuple[int, str], str] = {}
    for phase, seat, text in database.rows(
        "SELECT phase_id, seat_id, text FROM orders_submission WHERE counts ORDER BY number"
    ):
        newest[phase, nation[seat]] = text
    results: Mapping[int, Any] = dict(
        database.rows("SELECT phase_id, orders FROM games_resolution")
    )
    faults.lose(
        "orders in force and not judged",
        [
            f"phase {phase}, {name}: {text!r}"
            for (phase, name), text in newest.items()
            if phase in results and text.strip() not in str(loaded(results[phase]).get(name, ""))
        ],
    )


def drawn(database: Database, faults: Faults) -> None:
    """Compare the digits drawn, one by one, with the attacks of the results."""
    draws = database.rows("SELECT phase_id, nation, line, digit FROM games_draw")
    attacks = {
        (phase, event["nation"], event["line"], event["digit"])
        for phase, events in database.rows("SELECT phase_id, events FROM games_resolution")
        for event in loaded(events)
        if event["kind"] == "attack"
    }
    faults.lose("digits lost", [str(attack) for attack in attacks - set(draws)])
    faults.lose("digits without an attack", [str(draw) for draw in set(draws) - attacks])
    places = Counter(draw[:3] for draw in draws)
    faults.double("digits drawn twice", [str(one) for one, times in places.items() if times > 1])
