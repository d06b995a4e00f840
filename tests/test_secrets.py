"""A whole game by mail, with letters between nations: every page and every letter is read as everybody, and tells nobody what is not his.

design 8. Each secret is a word that stands nowhere else, with the people who may read it; whoever else finds it has found a leak.
"""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urlsplit

import pytest
from django.core import mail as django_mail
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from pytest_django import Settings

from games import archive, keys, sight
from games.models import Invitation, Letter, LoginKey, Person, Phase, Press, ReplyAddress
from games.post import outbox
from gamesmaster import clock
from orders.models import Handling, Submission
from tests.archive.played import short_card
from tests.cast import PLAYERS, Campaign, person
from tests.mail.writing import send

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"
ADA, OTHER = "ada", "otto"
EVERYBODY = (*PLAYERS.values(), ADA, OTHER, "charlie", "dana", "")
#: Bea plays Britain and is a gamesmaster besides; Otto runs another game. All gamesmasters may enter the admin.
GAMESMASTERS = (ADA, "bea", OTHER)
#: Letters that say what one reader may know and another may not.
TELLING = ("press", "question", "answer", "receipt", "confirm", "word", "mailheld", "login", "invitation")


@dataclass
class Secrets:
    """Words that stand nowhere else, and who may read each."""

    may_read: dict[str, set[str]] = field(default_factory=dict)
    number: Iterator[int] = field(default_factory=itertools.count)

    def word(self, what: str, *names: str) -> str:
        said = f"{what}-{next(self.number)}-qzx"
        self.may_read[said] = set(names)
        return said

    def found_in(self, text: str, name: str) -> list[str]:
        return [said for said, readers in self.may_read.items() if name not in readers and said in text]


@dataclass
class Play:
    """The game, and what has been found out."""

    campaign: Campaign
    secrets: Secrets = field(default_factory=Secrets)
    read: dict[str, int] = field(default_factory=dict)  # pages by reader

    def order(self, nation: str, *lines: str) -> str:
        """Orders by mail with a comment that only the nation and the gamesmaster who does not play may read."""
        said = self.secrets.word(f"orders-{nation}", PLAYERS[nation], ADA)
        row = send(self.campaign, nation, "\n".join([*lines, f"# {said}"]) + "\n")
        assert row.status == Handling.Status.DONE, (row.words, row.fault)
        return said

    def begin_to_write(self, nation: str) -> str:
        """Orders that somebody has on his order page and not sent: his alone, and no gamesmaster's."""
        said = self.secrets.word(f"draft-{nation}", PLAYERS[nation])
        seat = self.campaign.seat(nation)
        browser = Client()
        browser.force_login(person(PLAYERS[nation]), backend=BACKEND)
        answer = browser.post(f"/games/{self.campaign.game.pk}/orders/{seat.pk}/point/", {"text": f"PASS # {said}", "do": "read"})
        assert answer.json()["kept"]
        assert said in browser.get(f"/games/{self.campaign.game.pk}/orders/{seat.pk}/").content.decode()
        return said

    def write(self, nation: str, opened: str, *readers: str) -> None:
        said = self.secrets.word(f"press-{nation}", PLAYERS[nation], *readers)
        before = Press.objects.count()
        send(self.campaign, nation, f"{opened}\n{said}\nEND\n")
        assert Press.objects.count() == before + 1, opened

    def letters(self) -> list[str]:
        """What letters have told to whom they must not."""
        now = self.campaign.now
        token, ids = outbox.claim(now, 10_000)
        outbox.send(ids, token, now)
        found = []
        addresses = {f"{name}@example.org": name for name in EVERYBODY if name}
        for message in django_mail.outbox:
            (reader,) = message.to
            assert isinstance(message, EmailMultiAlternatives)
            raw = f"{message.message().as_string()}\n{message.subject}\n{message.body}\n{message.alternatives[0][0]!s}"
            name = addresses[reader]
            found += [f"letter to {name}: {said}" for said in self.secrets.found_in(raw, name)]
            # Who answers somebody sees no address of anybody else; a gamesmaster knows those of his players.
            if name not in GAMESMASTERS:
                found += [
                    f"letter to {name}: the address of {other}" for address, other in addresses.items() if other != name and address in raw
                ]
            found += [
                f"letter to {name}: a key of {whose}" for key, whose in self.keys().items() if name not in whose.split() and key in raw
            ]
        django_mail.outbox.clear()
        return found

    def keys(self) -> dict[str, str]:
        """Everything that opens something, with the first name of whose it is."""
        every: dict[str, str] = {}
        for reply in ReplyAddress.objects.select_related("person"):
            every |= dict.fromkeys((keys.reply_token(reply), keys.mute_token(reply)), _name(reply.person))
        for row in Handling.objects.exclude(nonce="").select_related("person"):
            every[keys.key_of("confirm", row.nonce)] = _name(row.person)
        for login in LoginKey.objects.select_related("person"):
            every[keys.login_token(login)] = _name(login.person)
        for invitation in Invitation.objects.all():
            every[keys.invitation_token(invitation)] = invitation.email.partition("@")[0]
        for submission in Submission.objects.exclude(person=None).select_related("person"):
            readers = [_name(submission.person), ADA]  # who reads the orders may read what seals them
            if sight.settled(submission.phase):
                readers.append("bea")  # of a phase that is settled a gamesmaster who plays reads everybody's
            every[submission.salt] = " ".join(readers)
        return every

    def pages(self, *names: str) -> list[str]:
        """What pages have told to whom they must not: every page that anybody comes to by links, and every one by its address."""
        return [leak for name in names for leak in self.pages_of(name)]

    def pages_of(self, name: str) -> list[str]:
        browser, found = Client(), []
        if name:
            browser.force_login(person(name), backend=BACKEND)
        addresses = [f"{one}@example.org" for one in PLAYERS.values() if one != name]
        opened = {key: whose for key, whose in self.keys().items() if name not in whose.split()}
        for path, text in self._walk(browser, name):
            self.read[name] = self.read.get(name, 0) + 1
            found += [f"{name or 'nobody'} at {path}: {said}" for said in self.secrets.found_in(text, name)]
            if name not in GAMESMASTERS:
                found += [f"{name or 'nobody'} at {path}: {address}" for address in addresses if address in text]
            found += [f"{name or 'nobody'} at {path}: a key of {whose}" for key, whose in opened.items() if key in text]
        return found

    def _walk(self, browser: Client, name: str) -> Iterator[tuple[str, str]]:
        waiting, seen = [*self._known(name)], set()
        while waiting:
            path = waiting.pop(0)
            if path in seen or path.endswith((".pdf", ".pyz")) or "/logout" in path:
                continue
            seen.add(path)
            assert len(seen) < 1500, "the walk does not end"
            answer = browser.get(path)
            text = unescape(answer.content.decode("utf-8", "replace"))
            yield path, f"{text}\n{answer.headers}"
            if answer.status_code in (301, 302):
                waiting.append(_local(answer["Location"]))
            elif answer.status_code == 200 and "html" in answer["Content-Type"]:
                waiting += [_local(href) for href in re.findall(r'href="([^"#]+)', text) if _wanted(href)]

    def _known(self, name: str) -> Iterable[str]:
        """Addresses that somebody who knows the service tries by hand."""
        game = self.campaign.game.pk
        yield from ("/", "/me/", "/desk/", "/standby/", "/closures/", "/honesty/", "/letters/", "/games/new/", "/admin/")
        for at in (
            "",
            "record.json",
            "honesty/",
            "rulings/",
            "press/",
            "press/write/",
            "questions/",
            "away/",
            "leave/",
            "desk/",
            "desk/mail/",
        ):
            yield f"/games/{game}/{at}"
        for at in ("prospects", "approval", "rulings", "telephone", "telephone/script", "paper", "times", "people"):
            yield f"/games/{game}/desk/{at}/"
        for phase in Phase.objects.filter(game=game):
            for at in ("", "proof/"):
                yield f"/games/{game}/phases/{phase.number}/{at}"
            yield f"/games/{game}/desk/rulings/phases/{phase.number}/"
            for kind in ("orders", "figure", "result", "position"):
                yield f"/games/{game}/desk/rulings/phases/{phase.number}/{kind}/"
        for seat in self.campaign.game.seats.all():
            yield from (f"/games/{game}/orders/{seat.pk}/", f"/games/{game}/desk/telephone/{seat.pk}/")
        for number in Submission.objects.values_list("number", flat=True):
            yield f"/games/{game}/submissions/{number}/"
        for number in Press.objects.values_list("number", flat=True):
            yield from (f"/games/{game}/press/?circle={number}", f"/games/{game}/press/write/?answer={number}")
        for row in Handling.objects.values_list("pk", flat=True):
            yield from (f"/admin/orders/handling/{row}/change/", f"/admin/orders/mail/{row}/change/")
        if name in GAMESMASTERS:
            for letter in Letter.objects.filter(kind__in=TELLING).values_list("pk", flat=True):
                yield f"/admin/games/letter/{letter}/change/"
            for row in Press.objects.values_list("pk", flat=True):
                yield f"/admin/games/press/{row}/change/"
            for row in Submission.objects.values_list("pk", flat=True):
                yield f"/admin/orders/submission/{row}/change/"


def _name(whose: Person | None) -> str:
    return whose.email.partition("@")[0] if whose else ""


def _local(href: str) -> str:
    parts = urlsplit(unescape(href))
    return parts.path + (f"?{parts.query}" if parts.query else "")


def _wanted(href: str) -> bool:
    """Pages of the service. In the admin a list can be sorted in a hundred ways; rows that tell anything are opened by their numbers."""
    if not href.startswith("/") or href.startswith(("//", "/static")):
        return False
    return not (
        href.startswith("/admin") and ("?" in href or "/change/" in href or "history" in href or "jsi18n" in href or "auth" in href)
    )


def begin(monkeypatch: pytest.MonkeyPatch, settings: Settings, *, gamesmaster_reads: bool) -> Play:
    """A game of one turn, with orders and letters of every kind in its placement; beside it another that is private."""
    short_card(monkeypatch, turns=1)
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)  # each page that is refused would be told of
    settings.MAIL_IN, settings.MAIL_UNPROVEN = True, "hold"
    campaign = Campaign.begin(press={"sender": "grey", "gamesmaster_reads": gamesmaster_reads})
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    other = Campaign.begin(title="Another", public=False)
    other.game.gamesmasters.set([person(OTHER)])
    campaign.game.gamesmasters.add(person("bea"))
    Person.objects.filter(email__in=[f"{name}@example.org" for name in GAMESMASTERS]).update(is_staff=True)
    play = Play(campaign)
    assert play.letters() == []  # those of the beginning, which Ada had of both games
    master = (ADA,) if gamesmaster_reads else ()
    other.game.title = play.secrets.word("other-game", *PLAYERS.values(), OTHER)
    other.game.save()
    for nation, amount in (("Germany", 7), ("Russia", 6), ("Britain", 3), ("France", 4)):
        play.order(nation, f"PLACE {amount} Poland")
    play.write("Germany", "PRESS TO France", "felix", *master)
    play.write("France", "PRESS TO Germany, Russia", "gustav", "rosa", *master)
    play.write("Russia", "BROADCAST UNSIGNED", *PLAYERS.values(), *master)
    play.write("USA", "QUESTION", ADA, "bea")
    play.write("Britain", "PRESS TO USA, Gamesmaster", "una", ADA)
    held = play.secrets.word("held", ADA)
    send(campaign, "Germany", f"PLACE 9 Poland\n# {held}\n", sender="gustav@example.net")
    return play


def test_nobody_finds_in_any_page_or_letter_what_is_not_his(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """design 8; issue 4, item 5: as everybody who plays, who runs the game, who runs another, who plays nowhere, and as nobody."""
    play = begin(monkeypatch, settings, gamesmaster_reads=False)
    campaign = play.campaign
    drafted = [play.begin_to_write("Germany"), play.begin_to_write("Britain")]
    assert play.pages(*EVERYBODY) == []
    assert play.letters() == []
    assert min(play.read[name] for name in EVERYBODY) > 20
    assert play.read[ADA] > 100

    campaign.pass_deadline()
    play.order("Germany", "ATTACK Poland: France STOCK IBM")
    play.order("France", "ATTACK Poland: Germany STOCK GE")
    # Of a phase that is settled a gamesmaster who plays reads everybody's orders; of the present one none but his own.
    settled = Submission.objects.exclude(phase=campaign.phase)
    for said, readers in play.secrets.may_read.items():
        if any(said in submission.text for submission in settled):
            readers.add("bea")
    assert play.pages("bea", "felix", "charlie") == []
    assert play.letters() == []

    campaign.pass_deadline()
    assert campaign.game.status == "finished"
    monkeypatch.setattr(play, "keys", lambda: {key: who for key, who in Play.keys(play).items() if len(key) != 32})
    # Orders are everybody's now, with their salts; what nations wrote to each other is not, for the rules did not say so.
    play.secrets.may_read = {said: readers for said, readers in play.secrets.may_read.items() if not said.startswith("orders-")}
    assert play.pages("gustav", "bea", "charlie", "") == []
    assert play.letters() == []
    assert play.secrets.found_in(archive.text(archive.record(campaign.game, private=False)), "charlie") == []
    assert play.secrets.found_in(archive.text(archive.record(campaign.game, private=True)), ADA) == []
    for private in (False, True):
        assert not any(said in archive.text(archive.record(campaign.game, private=private)) for said in drafted)


def test_a_gamesmaster_reads_letters_where_the_rules_say_so_and_one_who_plays_does_not(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """issue 4, item 5: the gamesmaster reads press only where the game's first report said so."""
    play = begin(monkeypatch, settings, gamesmaster_reads=True)
    assert play.pages(ADA, "bea", OTHER) == []
    assert play.letters() == []


def test_the_walk_would_have_found_a_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test of the test: a word that stands on a page is found there, by whoever may not know it."""
    campaign = Campaign.begin()
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    play = Play(campaign)
    campaign.game.title = play.secrets.word("title", "gustav")
    campaign.game.save()
    found = play.pages_of("felix")
    assert any("title-0-qzx" in leak for leak in found)
    assert play.pages_of("gustav") == []
