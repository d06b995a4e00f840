"""A game of teams is read as everybody, and tells nobody what is not his (design 8; issue 7, point
5).

A team's proposals, votes and letters are the team's and, where he does not play, the gamesmaster's
who reads orders; a draft is its writer's alone. At every phase everybody opens every page, letter,
calendar, feed, sheet and export (tests/support/walk.py).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import pytest
from pytest_django import Settings

from games import permissions
from games.accounts import tokens
from games.evidence import export
from games.models import Person, Phase
from games.press import conversations
from gamesmaster import clock
from orders.models import Draft, Handling, Submission
from tests.inbound.writing import send
from tests.records.played import short_card
from tests.support.campaign import PLAYERS, person
from tests.support.examples import WHOLE, sample
from tests.support.teams import TEAMS, begin, order
from tests.support.walk import ADA, GAMESMASTERS, Play

pytestmark = pytest.mark.django_db
#: Who sits where; everybody else sits nowhere.
SEATS = {nation: TEAMS.get(nation, (name,)) for nation, name in PLAYERS.items()}
EVERYBODY = (*(name for names in SEATS.values() for name in names), ADA, "charlie", "dana", "")
#: One in each place that somebody can be in: of a team, of another, alone, playing and running the
# game, running it, nowhere, nobody.
PLACES = ("flora", "greta", "una", "bea", ADA, "charlie", "")
FEW = ("greta", "bea", "")
#: Where no soak is asked for, who reads while orders come in, of the attacks, while digits are
# waited for and when all is over: what the : two rules have in common, which are pages of phases
# that nobody can write to any more, is read under one of them.
READERS = {
    "spokesman": (PLACES, FEW, FEW, ()),
    "majority": (("flora", "greta", "bea", "charlie"), FEW, (), FEW),
}
VOTING = ("place 3 poland", "PLACE 3 Poland")
#: Words that stay their readers' for ever.
PRIVATE = ("team-", "draft-")


@dataclass
class Teams(Play):
    """The same play, with several people in a seat: what one of them may know his team may."""

    def sits(self, nation: str) -> tuple[str, ...]:
        return SEATS[nation]

    def keys(self) -> dict[str, str]:
        found = super().keys()
        for submission in Submission.objects.select_related("seat", "phase"):
            if self.campaign.game.status == "finished":  # then they are everybody's
                found.pop(submission.salt, None)
                continue
            readers = [*SEATS[submission.seat.nation], ADA]
            readers += ["bea"] if permissions.is_settled(submission.phase) else []
            found[submission.salt] = " ".join(readers)
        return found

    def sends(self, name: str, nation: str, *lines: str) -> None:
        """Orders by page with a comment for the team and the gamesmaster who does not play."""
        said = self.secrets.word(f"orders-{name}", *SEATS[nation], ADA)
        order(self.campaign, name, nation, "\n".join([*lines, f"# {said}"]))

    def mails(self, name: str, nation: str, *lines: str) -> None:
        said = self.secrets.word(f"mailed-{name}", *SEATS[nation], ADA)
        to = tokens.reply_address(person(name), self.campaign.game, self.campaign.now)
        text = "\n".join([*lines, f"# {said}"]) + "\n"
        row = send(self.campaign, nation, text, sender=f"{name}@example.org", to=to)
        assert row.status == Handling.Status.DONE, (row.words, row.fault)

    def keeps(self, name: str, nation: str) -> None:
        """Something written and not sent: its writer's alone."""
        said = self.secrets.word(f"draft-{name}", name)
        browser = self.browser(name)
        game, seat = self.campaign.game.pk, self.campaign.seat(nation)
        browser.post(
            f"/games/{game}/orders/{seat.pk}/",
            {"text": f"# {said}", "do": "keep", "phase": self.campaign.phase.number},
        )
        assert Draft.objects.filter(person=person(name), text__contains=said).exists()

    def tells_team(self, name: str, nation: str) -> None:
        said = self.secrets.word(f"team-{name}", *SEATS[nation])
        seat = self.campaign.seat(nation)
        team, now = conversations.team_of(seat), self.campaign.now
        conversations.send(
            self.campaign.game, seat, person(name), team, said, channel="web", now=now
        )

    def settled_is_read(self) -> None:
        """Of a phase that is settled a gamesmaster who plays reads everybody's orders."""
        rows = Submission.objects.select_related("phase")
        settled = "\n".join(row.text for row in rows if permissions.is_settled(row.phase))
        for said, readers in self.secrets.may_read.items():
            if said in settled:
                readers.add("bea")


@pytest.mark.parametrize("rule", sample(["spokesman", "majority"], 1))
def test_nobody_finds_what_another_team_has_written(
    rule: str, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """design 8: while orders come in, digits are awaited, all is over; all readers in a soak."""
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
    assert min(play.read[name] for name in first) > (20 if WHOLE else 10)

    campaign.pass_deadline()
    play.sends("flora", "France", "ATTACK Poland: Germany STOCK GE")
    play.sends(
        "gustav", "Germany", "ATTACK Poland: France STOCK IBM"
    )  # the spokesman, and with greta all of the team
    play.mails("greta", "Germany", "ATTACK Poland: France STOCK IBM")
    play.keeps("fred", "France")
    play.tells_team("fred", "France")
    play.settled_is_read()
    assert play.told(*second) == []

    for _ in range(9):
        if (
            campaign.phase.status == Phase.Status.OPEN
        ):  # the lock waits a moment for mail that is on its way
            campaign.wait_until(campaign.phase.due_at or campaign.now)
    assert campaign.phase.status in (Phase.Status.LOCKED, Phase.Status.DRAWING)
    assert play.told(*third) == []

    campaign.pass_deadline()
    assert campaign.game.status == "finished"
    # Orders are everybody's now, with their salts; team letters and drafts are nobody else's for
    # ever.
    play.secrets.may_read = {
        said: may for said, may in play.secrets.may_read.items() if said.startswith(PRIVATE)
    }
    assert play.secrets.may_read
    assert play.told(*last) == []
    for complete in (False, True):
        text = export.text(export.record(campaign.game, private=complete))
        assert play.secrets.found_in(text, "charlie") == []


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
