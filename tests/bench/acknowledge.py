"""W1: orders received while 25 to 5,000 games run must cost the same in all.

    python -m tests.bench acknowledge [--database sqlite|postgresql] [--games 25 500] [--times 60]

By mail: from its bytes to the answer in the outbox, and from there to a mail server. By page: the
order page opened and the orders sent, as a browser does it; then the receipt. All that in a game of
the league in its second turn, and in one as people play it in its sixth (`talkative`), whose pages
are opened, too. In turns with a bare page that writes one row."""

from __future__ import annotations

import argparse
import itertools
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from games.base import clock

from . import bare, figures, many, talkative

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
    talkative.add_options(parser)
    arguments = parser.parse_args(words)
    if min(arguments.games) <= arguments.played:
        parser.error(f"--games {min(arguments.games)}: more than {arguments.played} are needed.")
    with figures.database(arguments.database):
        results = measured(arguments)
        figures.keep(
            f"acknowledge-{arguments.database}", {"database": arguments.database, **results}
        )


def measured(wanted: argparse.Namespace) -> dict[str, Any]:
    """Return the costs at each number of games, in bare pages, and how they grow."""
    from games.models import Phase

    now = clock.now()
    # The phase opens 18 hours before its deadline: until then orders by mail would be refused.
    deadline = now + timedelta(hours=6)
    told = talkative.Told(deadline, wanted)
    apart = Phase.objects.filter(status="open").count()
    league = many.League(5, deadline, played=wanted.played)

    def prepare(size: int) -> dict[str, Callable[[], Any]]:
        league.grow(size)
        assert Phase.objects.filter(status="open").count() == apart + size
        in_told = acts(told.game, "Germany")
        return {
            figures.BARE: bare.bare_page(),
            **acts(league.game(size // 2), "Germany"),
            **{f"{talkative.TALK}{name}": act for name, act in in_told.items()},
            **told.acts(now),
        }

    sizes = sorted(wanted.games)
    return figures.by_size(sizes, "running games", wanted.times, prepare)


def acts(game: Any, nation: str) -> dict[str, Callable[[], Any]]:
    """Return the measured functions: a player sends a nation's orders."""
    from games.accounts import tokens
    from games.letters import sending
    from orders.inbound import handle

    seat = game.seats.get(nation=nation)
    player = seat.sittings.get(until=None).person
    to = tokens.reply_address(player, game, clock.now())
    browser = bare.browser(player)
    path = f"/games/{game.pk}/orders/{seat.pk}/"
    receipts: list[str] = []
    mails: list[Any] = []

    def obey() -> None:
        received = clock.now()
        mails.append(
            handle.take_in(
                talkative.message(player.email, to, ORDERS, received),
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
        sent = urlencode({**fields, "text": text, "do": "send-anyway"})
        answer = browser.post(path, sent, "application/x-www-form-urlencoded")
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
        talkative.put_away(clock.now())

    return {
        OBEYED: obey,
        SENT: send,
        PAGE: page,
        RECEIPT: receipt,
        figures.ASIDE: put_away,
    }
