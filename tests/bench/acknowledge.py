"""W1: orders received while 5 to 5,000 games run must cost the same in all (issue 10, 3).

    python -m tests.bench acknowledge [--database sqlite|postgresql] [--games 5 50] [--times 60]

By mail: from its bytes to the answer in the outbox, and from there to a mail server. By page: the
order page opened and the orders sent, as a browser does it; then the receipt. In turns with a bare
page that writes one row."""

from __future__ import annotations

import argparse
import itertools
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from email.utils import format_datetime
from typing import Any

from games.base import clock

from . import figures, many

#: The least is more than are played (`--played`), because a copy is measured.
GAMES = (25, 500, 5000)
ORDERS = "PLACE 5 Poland\r\nPLACE 3 Austria\r\nPLACE 2 Rumania\r\n"
OBEYED, SENT, PAGE, RECEIPT = (
    "by mail: obeyed, its answer set",
    "by mail: the answer handed over",
    "by page: opened and sent",
    "by page: the receipt",
)
#: Hidden fields of the order page.
FIELDS = ("phase", "seen")
_numbers = itertools.count(1)


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench acknowledge")
    parser.add_argument("--database", choices=figures.DATABASES, default="sqlite")
    parser.add_argument("--games", type=int, nargs="+", default=list(GAMES))
    parser.add_argument("--times", type=int, default=60)
    many.add_played(parser)
    arguments = parser.parse_args(words)
    if min(arguments.games) <= arguments.played:
        parser.error(f"--games {min(arguments.games)}: more than {arguments.played} are needed.")
    with figures.database(arguments.database):
        results = measured(sorted(arguments.games), arguments.times, arguments.played)
        figures.keep(
            f"acknowledge-{arguments.database}", {"database": arguments.database, **results}
        )


def measured(sizes: list[int], times: int, played: int) -> dict[str, Any]:
    """Return the costs at each number of games, in bare pages, and how they grow."""
    from django.conf import settings

    from games.models import Phase

    settings.MAIL_IN = True  # so that letters have reply addresses
    now = clock.now()
    # The phase opens 18 hours before its deadline: until then orders by mail would be refused.
    league = many.League(5, now + timedelta(hours=6), played=played)

    def prepare(size: int) -> dict[str, Callable[[], Any]]:
        league.grow(size)
        assert Phase.objects.filter(status="open").count() == size
        return acts(league.game(size // 2), "Germany", now)

    return figures.by_size(sizes, "running games", (OBEYED, SENT, PAGE, RECEIPT), times, prepare)


def message(sender: str, to: str, now: datetime) -> bytes:
    """Return a message with orders in plain text, as a mail program sends it now."""
    return (
        f"From: Gustav <{sender}>\r\nTo: {to}\r\nSubject: Re: [Game] Turn 1\r\n"
        f"Message-ID: <bench-{next(_numbers)}@example.org>\r\n"
        f"Date: {format_datetime(now)}\r\nMIME-Version: 1.0\r\n"
        f"Content-Type: text/plain; charset=utf-8\r\n\r\n{ORDERS}"
    ).encode()


def acts(game: Any, nation: str, now: datetime) -> dict[str, Callable[[], Any]]:
    """Return the measured functions: a player sends a nation's orders; the bare page opens."""
    from django.conf import settings
    from django.test import Client, override_settings

    from games.accounts import tokens
    from games.letters import sending
    from games.models import Letter
    from orders.inbound import handle

    seat = game.seats.get(nation=nation)
    player = seat.sittings.get(until=None).person
    to = tokens.reply_address(player, game, now)
    browser, plain = Client(SERVER_NAME=settings.SITE_HOST), Client(SERVER_NAME=settings.SITE_HOST)
    browser.force_login(player, backend="django.contrib.auth.backends.ModelBackend")
    path = f"/games/{game.pk}/orders/{seat.pk}/"
    # A handler reads its middleware once. Changing settings between the samples would empty
    # Django's caches of templates and URL patterns.
    with override_settings(MIDDLEWARE=["tests.bench.bare.alone"]):
        plain.get("/bare/")

    receipts: list[str] = []
    mails: list[Any] = []

    def bare() -> None:
        assert plain.get("/bare/").content == b"Kept."

    def obey() -> None:
        received = clock.now()
        mails.append(
            handle.take_in(
                message(player.email, to, received),
                way="lmtp",
                envelope_from=player.email,
                envelope_to=[to],
                now=received,
            )
        )

    def send() -> None:
        now = clock.now()
        token, ids = sending.claim(now, 1)
        assert sending.send(ids, token, now) == 1

    def page() -> None:
        # The text differs each time, because identical orders are not received again.
        text = f"{ORDERS}# {next(_numbers)}"
        content = browser.get(path).content.decode()
        hidden = {name: re.findall(rf'name="{name}" value="(.*?)"', content) for name in FIELDS}
        fields = {name: values[0] for name, values in hidden.items()}
        answer = browser.post(path, {**fields, "text": text, "do": "send-anyway"})
        assert answer.status_code == 302
        receipts.append(answer["Location"])

    def receipt() -> None:
        assert b"PLACE 5 Poland" in browser.get(receipts[-1]).content

    def put_away() -> None:
        """Mark the receipt of the page's orders as sent, so that the next answer goes first.

        The orders by mail must have been received: a refusal costs half as much.
        """
        words = mails[-1].handling.words
        assert words.startswith("orders No."), words
        Letter.objects.filter(due_at__isnull=False).update(
            status=Letter.Status.SENT, due_at=None, sent_at=now
        )

    return {
        figures.BARE: bare,
        OBEYED: obey,
        SENT: send,
        PAGE: page,
        RECEIPT: receipt,
        "put away": put_away,
    }
