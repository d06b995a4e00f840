"""Read a game as everybody: pages, letters, calendar, feeds, pictures and exports (design 8).

Every address of the API is read too, with a token of each person.

    play = Play(campaign)
    said = play.secrets.word("orders", "gustav", ADA)      # the readers allowed
    assert play.told(*EVERYBODY) == []                     # where anybody else found it

`pages` follows links and tries addresses; `beside` is what it has not opened; `around` is what is
outside the pages; `letters` sends and reads what waits. `told` is all of it. A soak opens every
page; otherwise every reader opens a page of every third kind and a twelfth of the rest, those
without a part in the game a third of that, in the next phase a page of other kinds (`Sampled`), and
leaves the game in one of its phases only (`Play.look_no_further`).
"""

from __future__ import annotations

import io
import itertools
import json
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import urlsplit

from django.core import mail as django_mail
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from django.urls import Resolver404, resolve

from games import permissions
from games.accounts import tokens
from games.base.signing import Salt
from games.desk import telephone_script
from games.evidence import export
from games.letters import feeds, sending
from games.models import (
    Channel,
    Game,
    Invitation,
    Letter,
    LoginKey,
    Notice,
    Person,
    Phase,
    Press,
    ProposalAnswer,
    ReplyAddress,
    Resolution,
)
from games.outbox import channel_events
from games.press import deals
from games.print import board as printed_board
from games.print import forms as printed_forms
from orders.models import Draft, Handling, Submission
from tests.inbound.writing import send
from tests.support import programs
from tests.support.campaign import NATIONS, PLAYERS, Campaign, person
from tests.support.examples import WHOLE, sample

BACKEND = "django.contrib.auth.backends.ModelBackend"
ADA, OTHER = "ada", "otto"
EVERYBODY = (*PLAYERS.values(), ADA, OTHER, "charlie", "dana", "")
#: Bea plays Britain and is a gamesmaster besides; Otto runs another game. All gamesmasters may
# enter the admin.
GAMESMASTERS = (ADA, "bea", OTHER)
#: They have no part in the game, and most pages are the same for all of them.
OUTSIDERS = (OTHER, "charlie", "dana", "")
#: Kinds of letters with contents that only some readers may know.
TELLING = (
    "press",
    "proposal",
    "proposal_answer",
    "question",
    "answer",
    "receipt",
    "confirm",
    "choice",
    "word",
    "mailheld",
    "mailaside",
    "login",
    "invitation",
    "runs",
)


#: Pages that everybody always opens, because they lead to the others.
LEADING = ("", "games/<int:pk>/", "games/<int:pk>/desk/")


@dataclass
class Secrets:
    """Unique words, and who may read each."""

    may_read: dict[str, set[str]] = field(default_factory=dict)
    number: Iterator[int] = field(default_factory=itertools.count)

    def word(self, what: str, *names: str) -> str:
        said = f"{what}-{next(self.number)}-qzx"
        self.may_read[said] = set(names)
        return said

    def found_in(self, text: str, name: str) -> list[str]:
        return [
            said for said, readers in self.may_read.items() if name not in readers and said in text
        ]


@dataclass
class Sampled:
    """Choose which pages a reader opens, always the same ones.

    Outside a soak: a page of every third kind, and in the next phase of others; which ones depends
    on the reader. Of the other pages a twelfth. `OUTSIDERS` share: each opens a third of these.
    """

    name: str
    game: Game
    kinds: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.phase = self.game.phases.count()

    def opens(self, path: str, known_as: str = "") -> bool:
        """Whether to open it; `known_as` names it in two games with different numbers."""
        try:
            route = resolve(path.partition("?")[0]).route
        except Resolver404:
            return True
        kind = route + "?".join(re.findall(r"[?&](\w+)=", path))
        first = kind not in self.kinds
        self.kinds.add(kind)
        if WHOLE or route in LEADING:
            return True
        of = 3 if self.name in OUTSIDERS else 1
        if first:
            return (zlib.crc32(f"{self.name} {kind}".encode()) + self.phase) % (3 * of) == 0
        return zlib.crc32(f"{self.name} {known_as or path}".encode()) % (12 * of) == 0


@dataclass
class Play:
    """The game, and what its readers found."""

    campaign: Campaign
    everybody: tuple[str, ...] = EVERYBODY
    secrets: Secrets = field(default_factory=Secrets)
    read: dict[str, int] = field(default_factory=dict)  # pages by reader
    opened: set[str] = field(default_factory=set)  # by the reader of the last walk
    leaves: bool = True  # whether pages outside the game are opened

    def look_no_further(self) -> None:
        """Stay within the game from now on, but in a soak: its phases change few pages outside.

        Of these everybody still opens their first page, their account and the list of their games.
        """
        self.leaves = WHOLE

    def order(self, nation: str, *lines: str) -> str:
        """Send orders by mail with a comment for the nation and an outside gamesmaster."""
        said = self.secrets.word(f"orders-{nation}", PLAYERS[nation], ADA)
        row = send(self.campaign, nation, "\n".join([*lines, f"# {said}"]) + "\n")
        assert row.status == Handling.Status.DONE, (row.words, row.fault)
        return said

    def begin_to_write(self, nation: str) -> str:
        """Draft orders on a person's page: secret even from gamesmasters."""
        said = self.secrets.word(f"draft-{nation}", PLAYERS[nation])
        seat = self.campaign.seat(nation)
        browser = Client()
        browser.force_login(person(PLAYERS[nation]), backend=BACKEND)
        answer = browser.post(
            f"/games/{self.campaign.game.pk}/orders/{seat.pk}/point/",
            {"text": f"PASS # {said}", "do": "read"},
        )
        assert answer.json()["kept"]
        assert (
            said
            in browser.get(f"/games/{self.campaign.game.pk}/orders/{seat.pk}/").content.decode()
        )
        return said

    def keep_ahead(self, nation: str, phase: str) -> str:
        """Keep orders for a phase such as 1-attacks: secret even from gamesmasters."""
        said = self.secrets.word(f"ahead-{nation}", PLAYERS[nation])
        browser = Client()
        browser.force_login(person(PLAYERS[nation]), backend=BACKEND)
        seat = self.campaign.seat(nation)
        there = f"/games/{self.campaign.game.pk}/orders/{seat.pk}/ahead/"
        answer = browser.post(there, {"for": phase, "text": f"PASS # {said}", "do": "keep-ahead"})
        assert answer.status_code == 302
        assert said in browser.get(f"{there}?for={phase}").content.decode()
        return said

    def write(self, nation: str, opened: str, *readers: str) -> None:
        said = self.secrets.word(f"press-{nation}", PLAYERS[nation], *readers)
        before = Press.objects.count()
        send(self.campaign, nation, f"{opened}\n{said}\nEND\n")
        assert Press.objects.count() == before + 1, opened

    def agree(self, nation: str, to: str, area: str, *readers: str) -> None:
        """Agree on a peace of which nobody else may read, in the words of the rules."""
        seats = self.campaign.seat(nation), self.campaign.seat(to)
        given: dict[str, Any] = {"channel": "web", "now": self.campaign.now}
        made = deals.propose(
            self.campaign.game,
            seats[0],
            person(PLAYERS[nation]),
            seats[1],
            f"PEACE {area}",
            **given,
        )
        kind = ProposalAnswer.Kind.ACCEPTED
        deals.answer(made, seats[1], kind, person(PLAYERS[to]), **given)
        for said in (made.text, f"do not attack each other in {area}"):
            self.secrets.may_read[said] = {PLAYERS[nation], PLAYERS[to], *readers}

    def letters(self) -> list[str]:
        """Return what letters told the wrong readers."""
        now = self.campaign.now
        token, ids = sending.claim(now, 10_000)
        sending.send(ids, token, now)
        found = []
        addresses = {f"{name}@example.org": name for name in self.everybody if name}
        keys = self.keys() if django_mail.outbox else {}
        for message in django_mail.outbox:
            (reader,) = message.to
            assert isinstance(message, EmailMultiAlternatives)
            whole = message.message()
            dated = [
                part.get_payload(decode=True)
                for part in whole.walk()
                if part.get_content_type() == "text/calendar"
            ]
            entry = "".join(part.decode() for part in dated if isinstance(part, bytes)).replace(
                "\r\n ", ""
            )
            raw = (
                f"{whole.as_string()}\n{message.subject}\n{message.body}\n"
                f"{message.alternatives[0][0]!s}\n{entry}"
            )
            name = addresses[reader]
            found += [f"letter to {name}: {said}" for said in self.secrets.found_in(raw, name)]
            # Who answers a person sees no address of anybody else; a gamesmaster knows those of
            # their players.
            if name not in GAMESMASTERS:
                found += [
                    f"letter to {name}: the address of {other}"
                    for address, other in addresses.items()
                    if other != name and address in raw
                ]
            found += [
                f"letter to {name}: a key of {whose}"
                for key, whose in keys.items()
                if name not in whose.split() and key in raw
            ]
        django_mail.outbox.clear()
        return found

    def keys(self) -> dict[str, str]:
        """Return every key that opens something, with the first names of its owners."""
        owner_of_key: dict[str, str] = {}
        for reply in ReplyAddress.objects.select_related("person"):
            owner_of_key |= dict.fromkeys(
                (tokens.reply_token(reply), tokens.mute_token(reply)), _name(reply.person)
            )
        for row in Handling.objects.exclude(nonce="").select_related("person"):
            owner_of_key[tokens.key_of(Salt.CONFIRMATION, row.nonce)] = _name(row.person)
        for login in LoginKey.objects.select_related("person"):
            owner_of_key[tokens.login_token(login)] = _name(login.person)
        for invitation in Invitation.objects.all():
            owner_of_key[tokens.invitation_token(invitation)] = invitation.email.partition("@")[0]
        for submission in Submission.objects.exclude(person=None).select_related("person"):
            readers = [
                _name(submission.person),
                ADA,
            ]  # who reads the orders may read what seals them
            if permissions.is_settled(submission.phase):
                readers.append(
                    "bea"
                )  # of a phase that is settled a gamesmaster who plays reads everybody's
            owner_of_key[submission.salt] = " ".join(readers)
        return owner_of_key

    def told(self, *names: str) -> list[str]:
        """Return all leaks: pages, what is around them, letters."""
        found, of_all = list[str](), self._of_everybody()
        for name in names:
            found += self.pages_of(name)
            texts = {**dict(self.beside(self.browser(name), name)), **of_all, **self._own(name)}
            found += [
                f"{name or 'nobody'} at {at}: {said}"
                for at, text in texts.items()
                for said in self.secrets.found_in(text, name)
            ]
        return found + self.letters()

    def browser(self, name: str) -> Client:
        browser = Client()
        if name:
            browser.force_login(person(name), backend=BACKEND)
            Person.objects.filter(pk=person(name).pk).update(
                last_login=None
            )  # by the machine's own clock, and told in what they take along
        return browser

    def beside(self, browser: Client, name: str) -> Iterator[tuple[str, str]]:
        """Yield what the walk before has not opened: pictures, feeds, answers to unsent orders."""
        game, phase = self.campaign.game, self.campaign.phase
        known = ["feed.xml", "preview.png", "standing/", "summary/", "board/", "scenario/"]
        known += ["class/", "class/letters/", "desk/class/"]
        known += ["referee/", "referee/lines/", "score-sheets/"]
        known += [f"nations/{nation.lower()}/" for nation in NATIONS]
        for row in game.phases.order_by("number"):
            at = f"phases/{row.number}"
            known += [
                f"{at}/board.svg",
                f"{at}/board.svg?version=1&fight=1",
                f"{at}/?version=1",
                f"preview.png?phase={row.number}",
            ]
        sampled = Sampled(name, self.campaign.game)
        for path in filter(
            sampled.opens, ("/feed.xml", *(f"/games/{game.pk}/{at}" for at in known))
        ):
            if path in self.opened:
                continue
            answer = browser.get(path)
            content = b"" if answer.streaming else answer.content
            yield (
                path,
                (
                    f"{answer.status_code}"
                    f" {content.hex() if '.png' in path else content.decode('utf-8', 'replace')}"
                ),
            )
        yield from self._typed_in(browser, phase)

    def _typed_in(self, browser: Client, phase: Phase) -> Iterator[tuple[str, str]]:
        areas = ("Poland", "Austria", "Italy", "France", "USA")
        shares = [f"SHARE {area} WITH {nation}" for area in areas[:2] for nation in NATIONS[:3]]
        wishes = [f"{kind} {area}" for area in areas for kind in ("UNDERSTANDING", "CONTROL")]
        text = "\n".join([*wishes, *shares, "STANDING UNDERSTANDING ALL"])
        drafts = list(Draft.objects.all())
        for seat in sample(list(self.campaign.game.seats.order_by("ordinal")), 2):
            for at, data in (
                (f"orders/{seat.pk}/", {"text": text, "do": "check", "phase": phase.number}),
                (
                    f"orders/{seat.pk}/point/",
                    {"text": text, "phase": phase.number, "do": "wish:CONTROL:Poland"},
                ),
                (f"desk/telephone/{seat.pk}/read/", {"text": text}),
                ("desk/telephone/table/read/", {f"{seat.pk}-text": text}),
                ("desk/paper/orders/", {"seat": seat.pk, "text": text, "do": "look"}),
            ):
                answer = browser.post(f"/games/{self.campaign.game.pk}/{at}", data)
                # what is typed in is kept as a draft: the next look must begin as this one did
                Draft.objects.all().delete()
                Draft.objects.bulk_create(drafts)
                yield (
                    f"{at} asked for {seat.nation}",
                    f"{answer.status_code} {answer.content.decode('utf-8', 'replace')}",
                )

    def around(self, name: str) -> dict[str, str]:
        """Return printouts, calendar, notices, phone script and public record."""
        return {**self._of_everybody(), **self._own(name)}

    def _own(self, name: str) -> dict[str, str]:
        game, phase, now = self.campaign.game, self.campaign.phase, self.campaign.now
        own = (
            [seat for seat in game.seats.order_by("ordinal") if name in self.sits(seat.nation)]
            if name
            else []
        )
        found = {
            f"board on paper for {seat}": json.dumps(
                printed_board.content(game, seat, now), default=str
            )
            for seat in own
        }
        found |= {
            f"form of {seat}": json.dumps(printed_forms.content(phase, seat), default=str)
            for seat in own
            if phase.status == "open"
        }
        if name:
            found["calendar"] = feeds.person_calendar(person(name), now)
        return found

    def _of_everybody(self) -> dict[str, str]:
        game, now = self.campaign.game, self.campaign.now
        found = {
            "board on paper for None": json.dumps(
                printed_board.content(game, None, now), default=str
            )
        }
        rows = Resolution.objects.filter(phase__game=game).order_by("pk")
        found |= {
            f"notice of {row}": str(
                channel_events.text_of(
                    Notice(
                        channel=Channel(game=game), about={"event": "board", "resolution": row.pk}
                    )
                )
            )
            for row in rows
        }
        found["script"] = str(telephone_script.make_script(game, {}).parts)
        found["record"] = export.text(export.record(game, private=False))
        return found

    def sits(self, nation: str) -> tuple[str, ...]:
        """Return who plays a nation, by first name."""
        return (PLAYERS[nation],)

    def pages(self, *names: str) -> list[str]:
        """Return what pages told the wrong readers, by links and by address."""
        return [leak for name in names for leak in self.pages_of(name)]

    def pages_of(self, name: str) -> list[str]:
        browser, found = self.browser(name), list[str]()
        addresses = [f"{player}@example.org" for player in PLAYERS.values() if player != name]
        opened = {key: whose for key, whose in self.keys().items() if name not in whose.split()}
        for path, text in itertools.chain(self.walk(browser, name), self.programs(name)):
            self.read[name] = self.read.get(name, 0) + 1
            found += [
                f"{name or 'nobody'} at {path}: {said}"
                for said in self.secrets.found_in(text, name)
            ]
            if name not in GAMESMASTERS:
                found += [
                    f"{name or 'nobody'} at {path}: {address}"
                    for address in addresses
                    if address in text
                ]
            found += [
                f"{name or 'nobody'} at {path}: a key of {whose}"
                for key, whose in opened.items()
                if key in text
            ]
        return found

    def walk(self, browser: Client, name: str) -> Iterator[tuple[str, str]]:
        waiting, seen, sampled = [*self._known(name)], set(), Sampled(name, self.campaign.game)
        self.opened.clear()
        within = f"/games/{self.campaign.game.pk}/"
        while waiting:
            path = waiting.pop(0)
            if (
                path in seen
                or path.partition("?")[0].endswith((".pdf", ".pyz"))
                or "/logout" in path
                or _shipped(path)
                # it takes long, and is the same for all who may see it
                or (path.endswith("/replay.gif") and name and not WHOLE)
            ):
                continue
            seen.add(path)
            assert len(seen) < 1500, "the walk does not end"
            if not sampled.opens(path):
                continue
            self.opened.add(path)
            answer = browser.get(path)
            text = unescape(unpacked(answer.content).decode("utf-8", "replace"))
            yield path, f"{text}\n{answer.headers}"
            if answer.status_code in (301, 302):
                waiting.append(_local(answer["Location"]))
            elif answer.status_code == 200 and "html" in answer["Content-Type"]:
                waiting += [
                    _local(href)
                    for href in re.findall(r'href="([^"#]+)', text)
                    if _wanted(href) and (self.leaves or href.startswith(within))
                ]

    def programs(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield what a program with the person's token reads of all games, or of this one."""
        program = programs.Program(name, self.campaign.now)
        sampled = Sampled(name, self.campaign.game)
        games: Iterable[Game] = [self.campaign.game]
        if self.leaves:
            games = Game.objects.order_by("pk")
        for game in games:
            for path in filter(sampled.opens, programs.paths(game)):
                answer = program.get(path)
                assert answer.status_code in (200, 401, 404), (path, answer.status_code)
                yield path, f"{json.dumps(answer.json(), ensure_ascii=False)}\n{answer.headers}"

    def _known(self, name: str) -> Iterable[str]:
        """Yield addresses that an experienced user may try by hand."""
        game = self.campaign.game.pk
        yield from ("/", "/me/", "/desk/")
        if self.leaves:
            yield from ("/standby/", "/closures/", "/complaints/", "/honesty/", "/letters/")
            yield from ("/games/new/", "/admin/")
        for at in (
            "",
            "record.json",
            "honesty/",
            "rulings/",
            "press/",
            "press/write/",
            "deals/",
            "deals/?counter=1",
            "questions/",
            "away/",
            "leave/",
            "desk/",
            "desk/mail/",
        ):
            yield f"/games/{game}/{at}"
        for at in (
            "prospects",
            "approval",
            "rulings",
            "telephone",
            "telephone/script",
            "telephone/table",
            "paper",
            "times",
            "people",
        ):
            yield f"/games/{game}/desk/{at}/"
        for phase in Phase.objects.filter(game=game):
            for at in ("", "proof/"):
                yield f"/games/{game}/phases/{phase.number}/{at}"
            yield f"/games/{game}/desk/rulings/phases/{phase.number}/"
            for kind in ("orders", "figure", "result", "position"):
                yield f"/games/{game}/desk/rulings/phases/{phase.number}/{kind}/"
        for seat in self.campaign.game.seats.all():
            yield from (
                f"/games/{game}/orders/{seat.pk}/",
                f"/games/{game}/desk/telephone/{seat.pk}/",
            )
        for row in Submission.objects.all():
            yield row.get_absolute_url()
        for number in Press.objects.values_list("code", flat=True):
            yield from (
                f"/games/{game}/press/?circle={number}",
                f"/games/{game}/press/write/?answer={number}",
            )
        for row in Handling.objects.values_list("pk", flat=True):
            yield from (
                f"/admin/orders/handling/{row}/change/",
                f"/admin/orders/mail/{row}/change/",
            )
        if name in GAMESMASTERS:
            for letter in Letter.objects.filter(kind__in=TELLING).values_list("pk", flat=True):
                yield f"/admin/games/letter/{letter}/change/"
            for row in Press.objects.values_list("pk", flat=True):
                yield f"/admin/games/press/{row}/change/"
            for row in Submission.objects.values_list("pk", flat=True):
                yield f"/admin/orders/submission/{row}/change/"


def _name(whose: Person | None) -> str:
    return whose.email.partition("@")[0] if whose else ""


def _shipped(path: str) -> bool:
    """Whether the page is the same for everybody: printouts of scenarios, the rules, and the
    reference of the API."""
    return path.startswith(("/rules/", "/api/")) or (
        path.startswith("/cards/origins") and not path.endswith("/new/")
    )


def unpacked(content: bytes) -> bytes:
    """Return the files of a downloaded archive, or the content itself."""
    if not content.startswith(b"PK\x03\x04"):
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return b"\n".join(packed.read(name) for name in packed.namelist())


def _local(href: str) -> str:
    parts = urlsplit(unescape(href))
    return parts.path + (f"?{parts.query}" if parts.query else "")


def _wanted(href: str) -> bool:
    """Whether to follow a link: not the many sort orders of the admin's lists."""
    if not href.startswith("/") or href.startswith(("//", "/static")):
        return False
    return not (
        href.startswith("/admin")
        and (
            "?" in href
            or "/change/" in href
            or "history" in href
            or "jsi18n" in href
            or "auth" in href
        )
    )
