"""What it costs to acknowledge orders, by mail and by page, with few and many games under way
(issue 4: flat, and below 8.6 ms).

By mail: from the bytes of a message to its answer in the outbox, and from there to the answer
handed to a mail server that takes everything. By page: from the request to the page that says what
was understood. Processor time, so that others on the machine count less.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

GAMES = (5, 50, 500)
TIMES = 60
ORDERS = "PLACE 5 Poland\r\nPLACE 3 Austria\r\nPLACE 2 Rumania\r\n"
#: So that nothing of what is measured is held back as too much of one sender.
ENVIRONMENT = {
    "MAIL_DOMAIN": "games.example.org",
    "MAIL_ANSWERS_AN_HOUR": "1000000",
    "MAIL_OBEYED_AN_HOUR": "1000000",
    "LIMIT_ORDERS": "1000000",
    "LIMIT_SENT": "1000000",
}
_numbers = itertools.count(1)


def message(to: str) -> bytes:
    """Plain orders, as a mail program sends them."""
    number = next(_numbers)
    return (
        f"From: Gustav <gustav@example.org>\r\nTo: {to}\r\nSubject: Re: [Game] Turn"
        f" 1\r\nMessage-ID: <bench-{number}@example.org>\r\nDate: Mon, 16 Nov 2026 18:00:00"
        " +0000\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + ORDERS
    ).encode()


def median(work: Callable[[], Any]) -> float:
    """Seconds of processor time that one of many runs takes; the first few, which warm caches, are
    left out."""
    taken = []
    for number in range(TIMES + 5):
        began = time.process_time()
        work()
        if number >= 5:
            taken.append(time.process_time() - began)
    return statistics.median(taken)


def rows(bare: float) -> list[tuple[str, str]]:
    """The figures. `bare` is a bare durable transaction in seconds, beside which they stand."""
    from django.conf import settings

    from games.models import Letter, Person
    from gamesmaster import clock
    from tests.support.cast import NATIONS, Campaign

    settings.MAIL_IN = True  # the letters measured before had no reply address of their own
    now = clock.now()
    made: list[Campaign] = []
    found: list[tuple[str, str]] = []
    costs: dict[int, tuple[float, float, float]] = {}
    for number in GAMES:
        while len(made) < number:
            seats = {"Germany": "gustav@example.org", **dict.fromkeys(NATIONS[:-1], "bot")}
            made.append(Campaign.begin(now, title=f"Acknowledged {len(made)}", seats=seats))
        Letter.objects.filter(due_at__isnull=False).update(
            status=Letter.Status.SENT, due_at=None, sent_at=now
        )
        costs[number] = _costs(
            made[number // 2], Person.objects.get(email="gustav@example.org"), now
        )
        obeyed, sent, page = (f"{cost * 1000:.2f} ms" for cost in costs[number])
        found += [
            (f"orders by mail obeyed and answered, {number} running games", obeyed),
            ("  the answer set and handed over", sent),
            (f"orders by page, {number} running games", page),
        ]
    first, last = costs[GAMES[0]], costs[GAMES[-1]]
    for name, at in (("by mail, obeyed", 0), ("by mail, handed over", 1), ("by page", 2)):
        found.append((f"{name}: {GAMES[-1]} games to {GAMES[0]}", f"{last[at] / first[at]:.2f}"))
        found.append((f"{name}: in bare transactions", f"{last[at] / bare:.1f}"))
    return found


def _costs(campaign: Any, gustav: Any, now: datetime) -> tuple[float, float, float]:
    from django.conf import settings
    from django.test import Client

    from games.accounts import tokens
    from games.letters import sending
    from orders.inbound import handle

    to = tokens.reply_address(gustav, campaign.game, now)

    def obey() -> None:
        handle.take_in(
            message(to), way="lmtp", envelope_from="gustav@example.org", envelope_to=[to], now=now
        )

    def send() -> None:
        token, ids = sending.claim(now, 1)
        assert sending.send(ids, token, now) == 1

    browser = Client(SERVER_NAME=settings.SITE_HOST)
    browser.force_login(gustav)
    path = f"/games/{campaign.game.pk}/orders/{campaign.seat('Germany').pk}/"

    def page() -> None:
        answer = browser.post(path, {"text": ORDERS, "do": "send"}, follow=True)
        assert answer.status_code == 200
        assert b"PLACE 5 Poland" in answer.content

    # One answer is sent for each message: every sample of the second finds what the first has
    # written.
    return median(obey), median(send), median(page)
