"""Nothing that a reader gets depends on what others do in secret (design 8): no page, feed, header,
id, address, document or letter.

`test_secret_acts_change_nothing_that_others_read` reads every address of the URL configuration as
people who may know nothing of an act, before the act and after it.
`test_secret_acts_change_nothing_that_others_get_afterwards` lets the same things happen to these
people twice, in savepoints: without secret acts before them, and with some. The only rows that
differ are those of the acts, so whatever differs counts them. What is drawn at random is drawn
alike each time, and the clock stands still: what they read must be equal to the last byte.
"""

from __future__ import annotations

import difflib
import logging
import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from pytest_django import Settings

from games import permissions
from games.accounts import access_tokens, tokens
from games.base import clock, https
from games.desk import addresses as desk_addresses
from games.letters import feeds
from games.models import Channel, Game, Person, Press, Sitting
from games.press import complaints, conversations, deals
from games.webhooks import delivery
from orders.models import Draft, OrdersAhead
from tests.inbound.writing import send
from tests.security.addresses import routes, staged
from tests.support import programs
from tests.support.browsing import log_in, send_letters
from tests.support.campaign import Campaign, person
from tests.support.examples import WHOLE
from tests.support.walk import unpacked

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.both_databases,
    pytest.mark.letters,
    pytest.mark.long,
]
#: A player whom the acts do not concern, a former player, a person without a seat, and nobody.
READERS = ("rosa", "dana", "charlie", "")
#: Of these every reader reads the same; a soak reads them as each.
SHARED = re.compile(r"/(rules|cards|anchors|static|checker|healthz|api/v1/(open|rul|sce))")
#: A digest of what came before (docs/fairness.md), which nobody can compute without it.
CHAINED = re.compile(rb"(Hash of this submission to game \d+: |hash\W+)[0-9a-f]{8,64}")


class Dice:
    """The source of what is drawn at random, begun again before each thing that is compared."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.random = Random()
        draws: dict[str, Callable[..., Any]] = {
            "token_bytes": self._bytes,
            "token_hex": lambda size=32: self._bytes(size).hex(),
            "token_urlsafe": lambda size=32: self._bytes(size).hex(),
            "randbelow": lambda most: self.random.randrange(most),
            "choice": lambda signs: self.random.choice(signs),
        }
        for name, draw in draws.items():
            monkeypatch.setattr(secrets, name, draw)

    def _bytes(self, size: int = 32) -> bytes:
        return self.random.randbytes(size)

    def begin(self, what: str) -> None:
        self.random.seed(what)


@dataclass
class Watched:
    """A running game, its dice, and the requests that the service made to other programs."""

    campaign: Campaign
    dice: Dice
    posted: list[bytes] = field(default_factory=list)

    @property
    def game(self) -> Game:
        return self.campaign.game

    def deliver(self) -> None:
        """Send the letters and notices that wait."""
        now = self.campaign.now
        send_letters(now)
        token, ids = delivery.claim(now, 1000)
        delivery.send(ids, token, now)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Watched:
    settings.MAIL_IN, settings.MAIL_UNPROVEN = True, "confirm"
    settings.MAIL_BOUNCES = "bounces@games.test"
    campaign = Campaign.begin(press={"sender": "grey"})
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    # Each refused page would be logged.
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    watched = Watched(campaign, Dice(monkeypatch))

    def post(url: str, body: bytes, headers: Any) -> https.Answer:
        watched.posted.append(f"{url}\n{sorted(headers.items())}\n".encode() + body)
        return https.Answer(200, None)

    monkeypatch.setattr(https, "post", post)
    campaign.order("Germany", "PLACE 3 Poland")
    campaign.order("France", "PLACE 2 Poland")
    campaign.order("Russia", "PLACE 2 Poland")
    usa = campaign.seat("USA")
    Sitting.objects.create(
        seat=usa,
        person=person("dana"),
        since=campaign.now - timedelta(days=2),
        until=campaign.now - timedelta(days=1),
    )
    for name in ("rosa", "gustav"):
        Channel.objects.create(
            person=person(name),
            kind=Channel.Kind.JSON,
            url=f"https://{name}.example.org/",
            nonce="0" * 64,
            added_by=person(name),
            added_at=campaign.now,
        )
    Person.objects.update(last_login=campaign.now)
    watched.deliver()
    return watched


# --- what others do in secret ---


def _write(game: Watched) -> None:
    campaign = game.campaign
    germany, gustav = campaign.seat("Germany"), person("gustav")
    how: Any = {"channel": "web", "now": campaign.now}
    conversations.send(campaign.game, germany, gustav, ["France"], "Shall we?", **how)


def _write_by_mail(game: Watched) -> None:
    send(game.campaign, "Germany", "PRESS TO France\nShall we?\nEND\n")


def _deal(game: Watched) -> None:
    campaign = game.campaign
    germany, france = campaign.seat("Germany"), campaign.seat("France")
    how: Any = {"channel": "web", "now": campaign.now}
    made = deals.propose(game.game, germany, person("gustav"), france, "PEACE", **how)
    deals.answer(made, france, deals.Kind.ACCEPTED, person("felix"), **how)
    deals.propose(game.game, france, person("felix"), germany, "PEACE Poland", **how)


def _change_orders(game: Watched) -> None:
    game.campaign.order("Germany", "PLACE 4 Poland")
    send(game.campaign, "France", "PLACE 1 Italy\n")


def _take_notes(game: Watched) -> None:
    campaign, gustav = game.campaign, person("gustav")
    at: Any = {"person": gustav, "kept_at": campaign.now, "text": "PLACE 5 Poland"}
    Draft.objects.create(seat=campaign.seat("Germany"), phase=campaign.phase, **at)
    turn = campaign.phase.turn
    OrdersAhead.objects.create(seat=campaign.seat("Germany"), turn=turn, kind="attacks", **at)
    browser = log_in("gustav")
    browser.post(f"/games/{campaign.game.pk}/notebook/", {"text": "Beware of Russia."})


def _ask(game: Watched) -> None:
    campaign = game.campaign
    how: Any = {"to_gamesmaster": True, "channel": "web", "now": campaign.now}
    press = conversations.send(
        game.game, campaign.seat("Germany"), person("gustav"), [], "When?", **how
    )
    assert press.to_gamesmaster


def _complain(game: Watched) -> None:
    """Felix blocks Gustav and reports a letter of his."""
    press = Press.objects.filter(seat__nation="Germany", to=["France"]).latest("pk")
    complaints.block(person("felix"), press, game.campaign.now)
    complaints.report(person("felix"), press, "Rude.", game.campaign.now)


def _do_personal_things(game: Watched) -> None:
    """What others do about their accounts, and the gamesmaster of another game about its seats."""
    gustav, now = person("gustav"), game.campaign.now
    access_tokens.make(gustav, "Bot", False, now)
    desk_addresses.add(gustav, "gustav@example.net", now)
    feeds.renew(gustav, now)
    tokens.new_login(gustav, "/me/", now)
    send(game.campaign, "Germany", "PLACE 9 Poland\n", sender="nobody@example.net")


ACTS: dict[str, Callable[[Watched], None]] = {
    "letter": _write,
    "letter by mail": _write_by_mail,
    "deal": _deal,
    "orders": _change_orders,
    "notes": _take_notes,
    "question": _ask,
    "complaint": _complain,
    "account": _do_personal_things,
}


# --- what readers read ---


def _pages(game: Watched, values: dict[str, str], name: str) -> Iterator[tuple[str, bytes]]:
    """Yield what a reader reads at every address, with the header that their program reads."""
    game.dice.begin("log in")
    browser: Client = log_in(name or None)
    Person.objects.update(last_login=game.campaign.now)
    program: Client = programs.Program(name, game.campaign.now)
    every = [route.path() for route in routes(values) if not route.pattern.startswith("admin/")]
    number = game.game.pk
    every += values["programs"].split()
    every += [f"/games/{number}/press/?circle={code}" for code in _codes(name)]
    for path in dict.fromkeys(every):
        if "logout" in path or (name and not WHOLE and SHARED.match(path)):
            continue
        reader = program if path.startswith("/api/") else browser
        game.dice.begin(path)
        with transaction.atomic():
            yield path, _answer(reader, path)
            transaction.set_rollback(True)


def _codes(name: str) -> list[int]:
    """Return the codes of the letters that a person reads."""
    if not name:
        return []
    rows = Press.objects.select_related("game", "seat").order_by("number")
    return [press.code for press in rows if permissions.reads_press(person(name), press)]


def _answer(reader: Client, path: str) -> bytes:
    """Return status, headers and content, but for the time until which a cookie is kept."""
    answer = reader.get(path)
    content = answer.getvalue()
    headers = sorted(answer.headers.items())
    cookies = sorted((morsel.key, morsel.value) for morsel in answer.cookies.values())
    return f"{answer.status_code} {headers} {cookies}\n".encode() + unpacked(content)


def _difference(first: bytes, second: bytes) -> str:
    pairs = [CHAINED.sub(rb"\1", text).decode("utf-8", "replace") for text in (first, second)]
    if pairs[0] == pairs[1]:
        return ""
    lines = difflib.unified_diff(pairs[0].split("\n"), pairs[1].split("\n"), n=0, lineterm="")
    return "\n".join(line[:300] for line in list(lines)[:12])


def _compare(first: dict[str, bytes], second: dict[str, bytes]) -> list[str]:
    found = [f"only once: {place}" for place in first.keys() ^ second.keys()]
    for place in first.keys() & second.keys():
        if difference := _difference(first[place], second[place]):
            found.append(f"{place}\n{difference}")
    return found


def _read_all(game: Watched, values: dict[str, str]) -> dict[str, bytes]:
    return {
        f"{name or 'nobody'} at {path}": answer
        for name in READERS
        for path, answer in _pages(game, values, name)
    }


@pytest.mark.parametrize("acts", [[name] for name in ACTS] if WHOLE else [list(ACTS)])
def test_secret_acts_change_nothing_that_others_read(watched: Watched, acts: list[str]) -> None:
    values = _values(watched)
    if acts == ["complaint"]:
        _write(watched)
    watched.deliver()
    before = _read_all(watched, values)
    assert sum(answer.startswith(b"200") for answer in before.values()) > 250
    for name in acts:
        watched.dice.begin(name)
        ACTS[name](watched)
        watched.deliver()
    assert "\n".join(_compare(before, _read_all(watched, values))) == ""


def _values(game: Watched) -> dict[str, str]:
    """Return the values of every address, with rows of Rosa's."""
    values = staged(game.campaign)
    game.dice.begin("values")
    address = feeds.renew(person("rosa"), game.campaign.now)
    values["programs"] = " ".join(programs.paths(game.game))
    values["key"] = address.rpartition("/")[2].removesuffix(".ics")
    return values
