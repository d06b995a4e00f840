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
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.contrib import admin
from django.core import mail as django_mail
from django.core.mail import EmailMultiAlternatives
from django.db import transaction
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from games import desk, permissions
from games.accounts import access_tokens, tokens
from games.base import clock, https
from games.desk import addresses as desk_addresses
from games.letters import feeds
from games.models import Channel, Game, Letter, Person, Press, Sitting
from games.outbox import personal_webhooks
from games.outbox.messages import account_letters
from games.press import complaints, conversations, deals
from games.webhooks import delivery
from orders.models import Draft, OrdersAhead, Submission
from tests.inbound.writing import send
from tests.security.addresses import routes, staged
from tests.support import programs
from tests.support.browsing import log_in, send_letters
from tests.support.campaign import Campaign, person
from tests.support.examples import SECOND, WHOLE, sample
from tests.support.walk import unpacked

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.letters,
    pytest.mark.long,
]
#: A player whom the acts do not concern, a former player, a person without a seat, and nobody.
WITHOUT_A_SEAT = ("dana", "charlie", "")
READERS = ("rosa", *WITHOUT_A_SEAT)
#: Of these every reader reads the same; a soak reads them as each.
SHARED = re.compile(r"/(rules|cards|anchors|static|checker|healthz|api/$|api/v1/(open|rul|sce))")
_DIGEST = re.compile(rb"[0-9a-f]{20,64}")
#: Headers that are computed from the content.
_OF_CONTENT = re.compile(rb"\('(?:Content-Length|ETag)', '[^']+'\), ")


#: Kinds of letters that `_happen` causes.
WRITTEN = {"press", "proposal", "receipt", "answer", "confirm", "address", "invitation", "moved"}


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
    settings.METRICS_TOKEN = "of the operator"  # readers are not on the machine of the service
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
    """Let Felix block Gustav and report a letter from Germany."""
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


#: Acts of which the gamesmasters of a game are to know.
TO_GAMESMASTERS = {"question", "complaint", "account"}

# --- what readers read ---


def _log_in(game: Watched, *names: str) -> dict[str, tuple[Client, Client]]:
    """Return for each of these readers a browser and a program with a token."""
    game.dice.begin("log in")
    now = game.campaign.now
    clients: dict[str, tuple[Client, Client]] = {
        name: (log_in(name or None), programs.Program(name, now)) for name in names
    }
    for browser, _ in clients.values():
        browser.get("/login/")  # it has the cookie of forms from now on
    Person.objects.update(last_login=now)  # by the machine's own clock
    return clients


def _pages(
    game: Watched,
    values: dict[str, str],
    name: str,
    browser: Client,
    program: Client,
    more: Sequence[str] = (),
) -> Iterator[tuple[str, bytes]]:
    """Yield what a reader and their program read at every address."""
    every = [route.path() for route in routes(values) if not route.pattern.startswith("admin/")]
    number = game.game.pk
    every += values["programs"].split()
    every += [f"/games/{number}/press/?circle={code}" for code in _codes(name)]
    every += more
    for path in dict.fromkeys(every):
        if "logout" in path or not (WHOLE or _reads(name, path)):
            continue
        reader = program if path.startswith("/api/") else browser
        cookies = copy(reader.cookies)  # messages on the next page are among them
        game.dice.begin(path)
        with transaction.atomic():
            yield path, _answer(reader, path)
            transaction.set_rollback(True)
        reader.cookies = cookies


def _reads(name: str, path: str) -> bool:
    """Whether a reader opens an address outside a soak."""
    if SHARED.match(path):
        return name == ""
    return name not in WITHOUT_A_SEAT or name == WITHOUT_A_SEAT[zlib.crc32(path.encode()) % 3]


def _codes(name: str) -> list[int]:
    """Return the codes of the letters that a person reads."""
    if not name:
        return []
    rows = Press.objects.select_related("game", "seat").order_by("number")
    return [press.code for press in rows if permissions.reads_press(person(name), press)]


def _answer(reader: Client, path: str) -> bytes:
    """Return status, headers and content, without what is computed from the machine's clock: until
    when a page and a cookie are kept, and when messages for the next page were signed."""
    answer = reader.get(path)
    content = answer.getvalue()
    headers = sorted(pair for pair in answer.headers.items() if pair[0] != "Expires")
    cookies = sorted(
        (morsel.key, morsel.value.rsplit(":", 2)[0] if morsel.key == "messages" else morsel.value)
        for morsel in answer.cookies.values()
    )
    return f"{answer.status_code} {headers} {cookies}\n".encode() + unpacked(content)


def _difference(first: bytes, second: bytes) -> str:
    if first == second:
        return ""
    old, new = (text.decode("utf-8", "replace").split("\n") for text in (first, second))
    lines = difflib.unified_diff(old, new, n=0, lineterm="")
    return "\n".join(line[:300] for line in list(lines)[:12])


def _check_equal(first: dict[str, bytes], second: dict[str, bytes]) -> None:
    found = [f"only once: {place}" for place in first.keys() ^ second.keys()]
    for place in first.keys() & second.keys():
        if difference := _difference(first[place], second[place]):
            found.append(f"{place}\n{difference}")
    if found:
        pytest.fail(f"{len(found)} depend on secret acts:\n" + "\n".join(sorted(found)))


def _read_all(
    game: Watched,
    values: dict[str, str],
    readers: Mapping[str, tuple[Client, Client]],
    more: Sequence[str] = (),
) -> dict[str, bytes]:
    return {
        f"{name or 'nobody'} at {path}": answer
        for name, (browser, program) in readers.items()
        for path, answer in _pages(game, values, name, browser, program, more)
    }


@pytest.mark.parametrize("acts", [[name] for name in ACTS] if WHOLE else [list(ACTS)])
def test_secret_acts_change_nothing_that_others_read(watched: Watched, acts: list[str]) -> None:
    """Each day one of the three who have no seat reads each address, and below Rosa reads all; a
    soak reads as each of them, after each act."""
    values = _values(watched)
    if acts == ["complaint"]:
        _write(watched)
    watched.deliver()
    readers = _log_in(watched, *(READERS if WHOLE else WITHOUT_A_SEAT))
    before = _read_all(watched, values, readers)
    shown = sum(answer.startswith(b"200") for answer in before.values())
    assert shown > (240 if WHOLE else 40)
    for name in acts:
        watched.dice.begin(name)
        ACTS[name](watched)
        watched.deliver()
    _check_equal(before, _read_all(watched, values, readers))


def _rows_in_admin() -> Iterator[str]:
    """Yield the addresses of the admin's lists, and of the rows that there are now; outside a soak
    of the first of each."""
    for model in admin.site._registry:
        place = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield reverse(f"{place}_changelist")
        rows = list(model._default_manager.order_by("pk").values_list("pk", flat=True))
        for pk in sample(rows, 1):
            yield reverse(f"{place}_change", args=[pk])


def test_secret_acts_change_nothing_that_a_gamesmaster_who_plays_reads(watched: Watched) -> None:
    """At the desk, in the admin, at the telephone: but what is sent to the gamesmaster."""
    watched.game.gamesmasters.add(person("una"))
    values = _values(watched)
    watched.deliver()
    readers, rows = _log_in(watched, "una"), list(_rows_in_admin())
    before = _read_all(watched, values, readers, rows)
    seen = [place for place, answer in before.items() if answer.startswith(b"200")]
    assert sum("/desk/" in place for place in seen) > 10
    assert sum("/admin/" in place for place in seen) > 40
    for name in ACTS.keys() - TO_GAMESMASTERS:
        watched.dice.begin(name)
        ACTS[name](watched)
        watched.deliver()
    _check_equal(before, _read_all(watched, values, readers, rows))


def _values(game: Watched) -> dict[str, str]:
    """Return the values of every address, with rows of Rosa's."""
    values = staged(game.campaign)
    game.dice.begin("values")
    address = feeds.renew(person("rosa"), game.campaign.now)
    values["closure"] = "1"  # staff alone know its number, which PostgreSQL does not draw again
    values["programs"] = " ".join(programs.paths(game.game))
    values["key"] = address.rpartition("/")[2].removesuffix(".ics")
    return values


# --- what happens to readers afterwards ---


def _happen(game: Watched) -> None:
    """Let one thing of each kind happen to Rosa, in letters, pages and programs; invite Dana."""
    campaign, rosa, una = game.campaign, person("rosa"), person("una")
    russia, usa, now = campaign.seat("Russia"), campaign.seat("USA"), campaign.now
    how: Any = {"channel": "web", "now": now}
    first = conversations.send(game.game, usa, una, ["Russia"], "Shall we?", **how)
    conversations.send(game.game, russia, rosa, ["USA"], "Gladly.", answers=first, **how)
    deals.answer(
        deals.propose(game.game, usa, una, russia, "PEACE", **how),
        russia,
        deals.Kind.ACCEPTED,
        rosa,
        **how,
    )
    deals.propose(game.game, russia, rosa, usa, "PEACE Poland", **how)
    campaign.order("Russia", "PLACE 3 Poland")
    fresh: Any = {"message_id": "<fresh-1@mail.example.org>"}
    send(campaign, "Russia", "PLACE 4 Poland\n", **fresh)
    fresh = {"message_id": "<fresh-2@mail.example.org>", "sender": "rosa@example.com"}
    send(campaign, "Russia", "PLACE 5 Poland\n", **fresh)
    desk_addresses.add(rosa, "rosa@example.com", now)
    complaints.block(rosa, first, now)
    access_tokens.make(rosa, "Bot", False, now)
    personal_webhooks.add(rosa, "https://rosa.example.org/second", "Second", now)
    invitation = tokens.new_invitation(russia, "dana@example.org", campaign.ada, now)
    account_letters.invitation(invitation, now)
    desk.extend(
        campaign.phase, campaign.phase.deadline + timedelta(days=1), "Post.", campaign.ada, now
    )


def _course(game: Watched, acts: list[str]) -> dict[str, bytes]:
    """Return all that readers get of what happens after these acts, which are then undone."""
    with transaction.atomic():
        for name in acts:
            game.dice.begin(name)
            ACTS[name](game)
        game.deliver()
        django_mail.outbox.clear()
        game.posted.clear()
        game.dice.begin("what happens")
        _happen(game)
        values = _values(game)
        game.deliver()
        got = dict(_letters()) | {
            f"notice {place}": request
            for place, request in enumerate(game.posted)
            if b"rosa" in request.partition(b"\n")[0]
        }
        got |= _read_all(game, values, _log_in(game, "rosa"))
        got = {place: _without_chain(text) for place, text in got.items()}
        transaction.set_rollback(True)
    return got


def _without_chain(text: bytes) -> bytes:
    """Return a text without the hashes of submissions, which cover what was received before them.

    They reveal nothing: nobody can compute one without the hash before it, and the service shows a
    person no two that follow each other (templates/orders/receipt.html).
    """
    chained = {row[:20].encode() for row in Submission.objects.values_list("hash", flat=True)}
    shown = _DIGEST.sub(lambda found: b"" if found[0][:20] in chained else found[0], text)
    return shown if shown == text else _OF_CONTENT.sub(b"", shown)


def _letters() -> Iterator[tuple[str, bytes]]:
    """Yield the letters to readers, with envelope senders and all headers."""
    for place, message in enumerate(django_mail.outbox):
        (address,) = message.to
        if address.partition("@")[0] in READERS:
            assert isinstance(message, EmailMultiAlternatives)
            envelope = f"{message.from_email}\n".encode()
            code = Letter.code_in(str(message.extra_headers["Message-ID"]))
            kind = Letter.objects.get(code=code).kind
            parts = message.message().walk()
            shown = [b"%s\n%s" % (str(part.items()).encode(), _content(part)) for part in parts]
            yield f"letter {place} {kind} to {address}", envelope + b"\n".join(shown)


def _content(part: Any) -> bytes:
    return b"" if part.is_multipart() else bytes(part.get_payload(decode=True))


@pytest.mark.skipif(SECOND, reason="PostgreSQL numbers rows on after the first course is undone")
def test_secret_acts_change_nothing_that_others_get_afterwards(watched: Watched) -> None:
    quiet, busy = _course(watched, []), _course(watched, list(ACTS))
    kinds = {place.split()[2] for place in quiet if place.startswith("letter")}
    assert kinds >= WRITTEN
    assert sum(place.startswith("notice") for place in quiet) >= 3
    _check_equal(quiet, busy)
