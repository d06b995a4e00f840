"""A game of teams, read as everybody: nobody reads what belongs to others (design 8; issue 7, point
5).

A team's proposals, votes and letters are for the team, and for a gamesmaster who reads orders and
does not play; a draft is for its writer only. In every phase everybody opens every page, letter,
calendar, feed, printout and export (tests/support/walk.py).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import pytest
from pytest_django import Settings

from games import permissions
from games.accounts import tokens
from games.base import clock
from games.evidence import export
from games.models import Person, Phase
from games.press import conversations
from orders.models import Draft, Handling, Submission
from tests.inbound.writing import send
from tests.records.played import short_card
from tests.support.campaign import PLAYERS, person
from tests.support.examples import WHOLE, sample
from tests.support.teams import TEAMS, begin, order
from tests.support.walk import ADA, GAMESMASTERS, Play

pytestmark = [pytest.mark.django_db, pytest.mark.letters, pytest.mark.long]
#: People by seat; all others have no seat.
SEATS = {nation: TEAMS.get(nation, (name,)) for nation, name in PLAYERS.items()}
EVERYBODY = (*(name for names in SEATS.values() for name in names), ADA, "charlie", "dana", "")
#: One reader for each role: of a team, of another team, alone in a seat, playing gamesmaster,
#: gamesmaster, outsider, nobody.
PLACES = ("flora", "greta", "una", "bea", ADA, "charlie", "")
FEW = ("greta", "bea", "")
#: Readers outside a soak: while orders come in, of the attacks, while digits are awaited, and at
#: the end. What both rules share, pages of closed phases, is read under one of them.
READERS = {
    "spokesman": (PLACES, FEW, FEW, ()),
    "majority": (("flora", "greta", "bea", "charlie"), FEW, (), FEW),
}
VOTING = ("place 3 poland", "PLACE 3 Poland")
#: Prefixes of words that never become public.
PRIVATE = ("team-", "draft-")


@dataclass
class Teams(Play):
    """A play with several people in a seat: each member may know what their team may know."""

    def sits(self, nation: str) -> tuple[str, ...]:
        return SEATS[nation]

    def keys(self) -> dict[str, str]:
        readers_by_key = super().keys()
        for submission in Submission.objects.select_related("seat", "phase"):
            if self.campaign.game.status == "finished":  # then they are public
                readers_by_key.pop(submission.salt, None)
                continue
            readers = [*SEATS[submission.seat.nation], ADA]
            readers += ["bea"] if permissions.is_settled(submission.phase) else []
            readers_by_key[submission.salt] = " ".join(readers)
        return readers_by_key

    def sends(self, name: str, nation: str, *lines: str) -> None:
        """Send orders by page with a comment for the team and a gamesmaster who does not play."""
        word = self.secrets.word(f"orders-{name}", *SEATS[nation], ADA)
        order(self.campaign, name, nation, "\n".join([*lines, f"# {word}"]))

    def mails(self, name: str, nation: str, *lines: str) -> None:
        word = self.secrets.word(f"mailed-{name}", *SEATS[nation], ADA)
        to = tokens.reply_address(person(name), self.campaign.game, self.campaign.now)
        text = "\n".join([*lines, f"# {word}"]) + "\n"
        row = send(self.campaign, nation, text, sender=f"{name}@example.org", to=to)
        assert row.status == Handling.Status.DONE, (row.words, row.fault)

    def keeps(self, name: str, nation: str) -> None:
        """Store a draft, which only its writer may read."""
        word = self.secrets.word(f"draft-{name}", name)
        browser = self.browser(name)
        game, seat = self.campaign.game.pk, self.campaign.seat(nation)
        browser.post(
            f"/games/{game}/orders/{seat.pk}/",
            {"text": f"# {word}", "do": "keep", "phase": self.campaign.phase.number},
        )
        assert Draft.objects.filter(person=person(name), text__contains=word).exists()

    def tells_team(self, name: str, nation: str) -> None:
        word = self.secrets.word(f"team-{name}", *SEATS[nation])
        seat = self.campaign.seat(nation)
        team, now = conversations.team_of(seat), self.campaign.now
        conversations.send(
            self.campaign.game, seat, person(name), team, word, channel="web", now=now
        )

    def settled_is_read(self) -> None:
        """Allow the playing gamesmaster to read the orders of settled phases."""
        rows = Submission.objects.select_related("phase")
        settled = "\n".join(row.text for row in rows if permissions.is_settled(row.phase))
        for said, readers in self.secrets.may_read.items():
            if said in settled:
                readers.add("bea")


@pytest.mark.parametrize("rule", sample(["spokesman", "majority"], 1))
def test_pages_hold_no_secret_of_another_team(
    rule: str, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """design 8: while orders come in, while digits are awaited, and at the end; all readers in a
    soak."""
    later = EVERYBODY if rule == "spokesman" else PLACES
    first, second, third, last = (EVERYBODY, later, later, later) if WHOLE else READERS[rule]
    short_card(monkeypatch, turns=1)
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    settings.MAIL_IN = True
    campaign = begin(rule)
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    campaign.game.gamesmasters.add(person("bea"))
    Person.objects.filter(email__in=[f"{name}@example.org" for name in GAMESMASTERS]).update(
        is_staff=True
    )
    play = Teams(campaign, EVERYBODY)
    assert play.letters() == []
    _write(play)
    assert Submission.objects.filter(proposal=True).exists() == (rule == "spokesman")
    assert play.told(*first) == []
    assert min(play.read[name] for name in first) > (20 if WHOLE else 5)

    play.look_no_further()
    campaign.pass_deadline()
    play.sends("flora", "France", "ATTACK Poland: Germany STOCK GE")
    # with the spokesman and Greta the whole team has voted
    play.sends("gustav", "Germany", "ATTACK Poland: France STOCK IBM")
    play.mails("greta", "Germany", "ATTACK Poland: France STOCK IBM")
    play.keeps("fred", "France")
    play.tells_team("fred", "France")
    play.settled_is_read()
    assert play.told(*second) == []

    for _ in range(9):
        # the lock waits for mail that is being processed
        if campaign.phase.status == Phase.Status.OPEN:
            campaign.wait_until(campaign.phase.due_at or campaign.now)
    assert campaign.phase.status in (Phase.Status.LOCKED, Phase.Status.DRAWING)
    assert play.told(*third) == []

    campaign.pass_deadline()
    assert campaign.game.status == "finished"
    # Orders and their salts are public now; team letters and drafts never are.
    play.secrets.may_read = {
        said: may for said, may in play.secrets.may_read.items() if said.startswith(PRIVATE)
    }
    assert play.secrets.may_read
    assert play.told(*last) == []
    for complete in (False, True):
        text = export.text(export.record(campaign.game, private=complete))
        assert play.secrets.found_in(text, "charlie") == []


def _write(play: Teams) -> None:
    """Send orders, votes or proposals of several team members, drafts, and letters to their own
    team."""
    play.sends("felix", "France", "PLACE 2 Poland")
    play.sends("flora", "France", VOTING[0])
    play.mails("fred", "France", VOTING[1])
    play.sends("gustav", "Germany", "PLACE 7 Poland")
    play.mails("greta", "Germany", "PLACE 7 Poland")
    for name, nation in (("felix", "France"), ("greta", "Germany"), ("una", "USA")):
        play.keeps(name, nation)
    play.tells_team("flora", "France")
    play.tells_team("gustav", "Germany")
