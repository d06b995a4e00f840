"""No page, document, feed or answer of the API asks the database more than its budget allows, and
none asks more where there is more to show.

query_budget.toml has the greatest number of queries for each address and reader. A soak opens every
address as every reader, with few rows and again where there is more to show. A day opens it once,
there, within the same budget: as a player or as a gamesmaster, half of the addresses as each, or
as whom it opens to. After a change, `BUDGET=write pytest tests/web/test_query_budget.py` opens all
as a soak does, and writes the table again: read the difference.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Container, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import connection, reset_queries, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.accounts import two_factor
from games.models import Game, Person, announced
from tests.support.browsing import log_in
from tests.support.campaign import NATIONS
from tests.support.every_address import Address, every_address
from tests.support.examples import SECOND, WHOLE, chosen
from tests.support.many_rows import multiply, talk
from tests.support.pictures import AT
from tests.support.programs import token
from tests.support.staging import Stage
from tests.support.stored import stored

from .conftest import Watch

pytestmark = [
    *(pytest.mark.django_db, pytest.mark.long, pytest.mark.usefixtures("in_earnest")),
    pytest.mark.skipif(SECOND, reason="pages ask PostgreSQL the same; rows are copied by SQLite"),
]

WRITES = os.environ.get("BUDGET") == "write"
#: Whether every reader opens every address, with few rows and with many.
ALL = WHOLE or WRITES
FILE = Path(__file__).with_name("query_budget.toml")
HEAD = """\
# The greatest number of queries of each address, by reader; of a number, for every reader to whom
# it opens. tests/web/test_query_budget.py opens them with few rows and with many of each kind, and
# `BUDGET=write` writes this table. Raise no number without a reason. “posted” is what an address
# asks that takes forms only.
"""
#: A form with a field for each address that takes forms only.
FORM = {
    **{"text": "PASS", "do": "read", "reason": "It rains.", "note": "Later.", "title": "Again"},
    **{"email": "new@example.org", "outcome": "no_answer", "number": "+49 40 123456", "nation": ""},
    **{"joining": "open", "hours": "2", "label": "mine", "url": "https://example.org/hook"},
    **{"decision": "refuse", "answer": "decline", "kind": "login", "name": "Uwe", "paper": "on"},
}
#: They reach out of the machine, or play whole games.
NOT_POSTED = ("operator-doctor", "practice-again", "scenario-try", "admin:logout", "logout")
#: The order of readers in the table.
ORDER = ("anybody", "player", "gamesmaster", "operator")
#: Pages of the admin that hardly any model has: outside a soak those in the table are asked for.
REFUSED = re.compile(r"admin:\w+_(add|delete)$")
#: What asks alike for other reasons than the nations of a game: for each kind of row of a person,
#: for each of the last seven days, for each pulse.
REPEATING = ("me-export", "anchors-feed", "operator")
#: What an address and reader ask, statement by statement.
Asked = dict[tuple[str, str], list[str]]


class Readers:
    """Browsers and programs of a visitor, a player, the gamesmaster and an operator."""

    def __init__(self, operator: Person) -> None:
        self.operator = operator
        self.clients: dict[tuple[Person | None, bool], Client] = {}
        self.players: dict[Any, Person] = {}  # of Germany, by the number of a game

    def of(self, address: Address) -> Iterator[tuple[str, Client]]:
        """Yield those to whom an address may open: only staff enter the admin, for example."""
        campaign, program = address.campaign, address.name.startswith("api-v1")
        in_admin = address.name.startswith("admin")
        people = {"player": self._player(campaign.game), "gamesmaster": campaign.ada}
        if in_admin:
            del people["player"]
        if not program:  # administrators have no tokens
            people["operator"] = self.operator
        if address.name == "replay-picture":  # takes long, and is the same for all
            people.clear()
        if chosen(address.name) and "player" in people:  # the gamesmaster first
            people = {"gamesmaster": campaign.ada, **people}
        for name, person in people.items():
            yield name, self._client(person, program)
        if not in_admin:
            yield "anybody", self._client(None, program)

    def _player(self, game: Game) -> Person:
        if game.pk not in self.players:
            sitting = game.seats.get(nation="Germany").sittings.earliest("pk")
            self.players[game.pk] = sitting.person
        return self.players[game.pk]

    def _client(self, who: Person | None, program: bool) -> Client:
        if (who, program) not in self.clients:
            self.clients[who, program] = self._program(who) if program else self._browser(who)
        return self.clients[who, program]

    def _program(self, who: Person | None) -> Client:
        return Client(headers={"Authorization": f"Bearer {token(who, AT)}"} if who else None)

    def _browser(self, who: Person | None) -> Client:
        browser = log_in(who)
        if who is not None:
            session = browser.session
            session[two_factor.LOGGED_IN] = AT.isoformat()
            if factor := two_factor.confirmed_factor(who):
                session[two_factor.SHOWN] = [factor.pk, AT.isoformat()]
            session.save()
        return browser


def ask(stage: Stage, readers: Readers, only: Container[tuple[str, str]] | None = None) -> Asked:
    """Open every address as each reader, or those of `only`; return what those ask that open.

    Outside a soak open it as the first to whom it opens.
    """
    asked: Asked = {}
    table = budget()
    for address in every_address(stage):
        names, opened = {address.name, f"{address.name}, posted"}, False
        if not ALL and REFUSED.match(address.name) and address.name not in table:
            continue
        for reader, client in readers.of(address):
            if only is not None and not any((name, reader) in only for name in names):
                continue
            if opened and not ALL:
                break
            answer, statements = _answer(client.get, address.path)
            if answer.status_code == 200:
                asked[address.name, reader] = statements
                opened = True
            elif answer.status_code == 405 and address.name not in NOT_POSTED:
                with transaction.atomic():
                    answer, statements = _answer(client.post, address.path, FORM)
                    transaction.set_rollback(True)
                if answer.status_code < 400:
                    asked[f"{address.name}, posted", reader] = statements
                    opened = True
    return asked


def budget() -> dict[str, Any]:
    """Return the table as it is: a number for each address, or one for each reader."""
    numbers: dict[str, Any] = tomllib.loads(FILE.read_text())["budget"]
    return numbers


def _answer(send: Callable[..., Any], *words: Any) -> tuple[Any, list[str]]:
    """Return the answer to a request, and the statements that it asks the database."""
    ContentType.objects.clear_cache()
    reset_queries()
    with CaptureQueriesContext(connection) as queries:
        answer = send(*words)
        if answer.streaming:
            b"".join(answer)
    return answer, [query["sql"] for query in queries.captured_queries]


def alike(asked: list[str]) -> Counter[str]:
    """Return how often each statement is asked, without its values."""
    return Counter(re.sub(r"'[^']*'|\d+", "…", sql) for sql in asked)


def more(few: list[str], many: list[str]) -> str:
    """Return the statements that many rows add, without their values."""
    added = alike(many) - alike(few)
    return "\n".join(f"    {count} × {sql[:600]}" for sql, count in added.items())


def repeated(name: str, asked: list[str]) -> Iterator[str]:
    """Yield the statements that an address asks once for each nation of a game."""
    for sql, count in alike(asked).items():
        if count >= len(NATIONS) and name not in REPEATING:
            yield f"    {count} × {sql[:600]}"


def written(asked: Asked) -> str:
    """Return the table: a number for each address, or one for each reader."""
    numbers: dict[str, dict[str, int]] = {}
    for (name, reader), statements in asked.items():
        numbers.setdefault(name, {})[reader] = len(statements)
    lines = [HEAD, "[budget]"]
    for name, by_reader in numbers.items():
        least, *others = {*by_reader.values()}
        each = ", ".join(
            f"{reader} = {by_reader[reader]}" for reader in ORDER if reader in by_reader
        )
        lines.append(f'"{name}" = {f"{{ {each} }}" if others else least}')
    return "\n".join([*lines, ""])


def test_no_address_asks_more_than_its_budget_nor_more_for_more_rows(watch: Watch) -> None:
    stage = stored(
        "a game at every stage", lambda: Stage.set_up(AT), whatever=("HELD_BELIEVED_SECONDS",)
    )
    watch.set(AT + timedelta(minutes=1))
    readers = Readers(talk(stage))
    announced()  # as a process does every few seconds, and not for each page
    Client().get("/readyz")  # it looks at the tables once in a process
    for address in every_address(stage):
        [*readers.of(address)]  # they log in, before they have as many tokens as a person may have
    few = ask(stage, readers) if ALL else {}
    multiply()
    many = ask(stage, readers, few if ALL else None)
    if WRITES:
        FILE.write_text(written(few))
    most_of = budget()
    opened = {name for name, _ in many}
    faults = [f"{name} is in the table, and nobody opens it" for name in most_of.keys() - opened]
    for (name, reader), asked in (few or many).items():
        most = most_of.get(name, 0)
        most = most.get(reader, 0) if isinstance(most, dict) else most
        if len(asked) > most:
            faults.append(f"{name} of {reader}: {len(asked)} queries, and at most {most} may be")
    for (name, reader), asked in few.items():
        for statement in repeated(name, asked):
            faults.append(f"{name} of {reader} asks for each nation:\n{statement}")
        grown = many.get((name, reader))
        if grown is None:
            faults.append(f"{name} does not open to {reader} where there are many rows")
        elif len(grown) > len(asked):
            faults.append(f"{name} of {reader}: {len(asked)} queries, and {len(grown)} for many")
            faults[-1] += f" rows\n{more(asked, grown)}"
    assert not faults, "\n".join(sorted(faults))
