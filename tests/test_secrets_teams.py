"""A game of teams is read as everybody, and tells nobody what is not his (design 8; issue 7, point 5).

A team's proposals, votes and letters are the team's and, where he does not play, the gamesmaster's who reads orders; a draft is its
writer's alone. The walk is that of tests/test_secrets.py.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import pytest
from django.core import mail as django_mail
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from pytest_django import Settings

from games import archive, keys, press
from games.models import Invitation, LoginKey, Person, ReplyAddress
from games.post import outbox
from gamesmaster import clock
from orders.models import Draft, Handling, Submission
from tests.archive.played import short_card
from tests.cast import PLAYERS, person
from tests.mail.writing import send
from tests.teams import TEAMS, begin, order
from tests.test_secrets import ADA, BACKEND, GAMESMASTERS, Play

pytestmark = pytest.mark.django_db
#: Who sits where; everybody else sits nowhere.
SEATS = {nation: TEAMS.get(nation, (name,)) for nation, name in PLAYERS.items()}
EVERYBODY = (*(name for names in SEATS.values() for name in names), ADA, "charlie", "dana", "")
VOTING = ("place 3 poland", "PLACE 3 Poland")


@dataclass
class Teams(Play):
    """The same play, with several people in a seat: what one of them may know his team may."""

    def keys(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for reply in ReplyAddress.objects.select_related("person"):
            found |= dict.fromkeys((keys.reply_token(reply), keys.mute_token(reply)), _first(reply.person))
        for login in LoginKey.objects.select_related("person"):
            found[keys.login_token(login)] = _first(login.person)
        for invitation in Invitation.objects.all():
            found[keys.invitation_token(invitation)] = invitation.email.partition("@")[0]
        for submission in Submission.objects.select_related("seat") if not self.over else ():
            found[submission.salt] = " ".join((*SEATS[submission.seat.nation], *self.also_salts))
        return found

    over: bool = False
    also_salts: tuple[str, ...] = (ADA,)

    def letters(self) -> list[str]:
        now = self.campaign.now
        token, ids = outbox.claim(now, 10_000)
        outbox.send(ids, token, now)
        found = []
        opened = self.keys()
        for message in django_mail.outbox:
            name = message.to[0].partition("@")[0]
            assert isinstance(message, EmailMultiAlternatives)
            raw = f"{message.message().as_string()}\n{message.subject}\n{message.body}\n{message.alternatives[0][0]!s}"
            found += [f"letter to {name}: {said}" for said in self.secrets.found_in(raw, name)]
            found += [f"letter to {name}: a key of {whose}" for key, whose in opened.items() if name not in whose.split() and key in raw]
        django_mail.outbox.clear()
        return found

    def sends(self, name: str, nation: str, *lines: str) -> None:
        """Orders by page with a comment that only the team, and the gamesmaster who does not play, may read."""
        said = self.secrets.word(f"orders-{name}", *SEATS[nation], ADA)
        order(self.campaign, name, nation, "\n".join([*lines, f"# {said}"]))

    def mails(self, name: str, nation: str, *lines: str) -> None:
        said = self.secrets.word(f"mailed-{name}", *SEATS[nation], ADA)
        to = keys.reply_address(person(name), self.campaign.game, self.campaign.now)
        row = send(self.campaign, nation, "\n".join([*lines, f"# {said}"]) + "\n", sender=f"{name}@example.org", to=to)
        assert row.status == Handling.Status.DONE, (row.words, row.fault)

    def keeps(self, name: str, nation: str) -> None:
        """Something written and not sent: its writer's alone."""
        said = self.secrets.word(f"draft-{name}", name)
        browser = Client()
        browser.force_login(person(name), backend=BACKEND)
        game, seat = self.campaign.game.pk, self.campaign.seat(nation)
        browser.post(f"/games/{game}/orders/{seat.pk}/", {"text": f"# {said}", "do": "keep", "phase": self.campaign.phase.number})
        assert Draft.objects.filter(person=person(name), text__contains=said).exists()

    def tells_team(self, name: str, nation: str) -> None:
        said = self.secrets.word(f"team-{name}", *SEATS[nation])
        seat = self.campaign.seat(nation)
        press.send(self.campaign.game, seat, person(name), press.team_of(seat), said, channel="web", now=self.campaign.now)


def _first(whose: Person | None) -> str:
    return whose.email.partition("@")[0] if whose else ""


@pytest.mark.parametrize("rule", ["spokesman", "majority"])
def test_nobody_finds_what_another_team_has_written(rule: str, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """design 8, over a game of teams: every page and every letter, as every person."""
    short_card(monkeypatch, turns=2)
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    settings.MAIL_IN = True
    campaign = begin(rule)
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    campaign.game.gamesmasters.add(person("bea"))
    Person.objects.filter(email__in=[f"{name}@example.org" for name in GAMESMASTERS]).update(is_staff=True)
    play = Teams(campaign)
    assert play.letters() == []
    _write(play)
    assert Submission.objects.filter(proposal=True).exists() == (rule == "spokesman")
    assert play.pages(*EVERYBODY) == []
    assert play.letters() == []
    assert min(play.read[name] for name in EVERYBODY) > 20

    campaign.pass_deadline()
    assert play.letters() == []
    play.sends("flora", "France", "ATTACK Poland: Germany STOCK GE")
    play.sends("gustav", "Germany", "ATTACK Poland: France STOCK IBM")
    play.tells_team("fred", "France")
    settled = "\n".join(Submission.objects.exclude(phase=campaign.phase).values_list("text", flat=True))
    for said, readers in play.secrets.may_read.items():
        if said in settled:  # of a phase that is settled a gamesmaster who plays reads everybody's orders, with their salts
            readers.add("bea")
    play.also_salts = (ADA, "bea")
    assert play.pages("felix", "fred", "greta", "una", "bea", ADA, "charlie", "") == []

    for _ in range(3):
        campaign.pass_deadline()
    assert campaign.game.status == "finished"
    assert play.letters() == []
    play.over = True  # orders are everybody's now, with their salts; team letters and drafts are nobody else's for ever
    private = ("team-", "draft-")
    play.secrets.may_read = {said: readers for said, readers in play.secrets.may_read.items() if said.startswith(private)}
    assert play.secrets.may_read
    assert play.pages("felix", "greta", ADA, "charlie", "") == []
    for complete in (False, True):
        assert play.secrets.found_in(archive.text(archive.record(campaign.game, private=complete)), "charlie") == []


def _write(play: Teams) -> None:
    """Orders, votes or proposals of several of a team, drafts, and letters to one's own team."""
    play.sends("felix", "France", "PLACE 2 Poland")
    play.sends("flora", "France", VOTING[0])
    play.mails("fred", "France", VOTING[1])
    play.sends("gustav", "Germany", "PLACE 7 Poland")
    play.mails("greta", "Germany", "PLACE 7 Poland")
    for name, nation in (("felix", "France"), ("greta", "Germany"), ("una", "USA")):
        play.keeps(name, nation)
    play.tells_team("flora", "France")
    play.tells_team("gustav", "Germany")
