"""A refereed campaign, read as everybody: secrets are found only by those who may know them (Rules
0.3, B.8; docs/design.md 8, docs/refereed.md).

Five people play, so that Germany's player also has Italy and chooses a secret column. Words that
occur nowhere else are planted in pending orders, in a line that is ruled on in private, in a draft
of a report and in one that is not carried out yet, in offers, and in the first diplomacy.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from django.core import mail as django_mail
from django.test import Client

from games.accounts import tokens
from games.base import clock
from games.evidence import export
from games.letters import rendering
from games.rules import REFEREE_SEAT
from games.turns import rulings
from orders.inbound import handle
from orders.models import Draft, Handling, Mail
from tests.inbound.writing import written
from tests.support.browsing import log_in
from tests.support.campaign import person
from tests.support.walk import ADA, Play

from .campaign import PLAYERS, Refereed

pytestmark = [
    pytest.mark.long,
    pytest.mark.django_db,
    pytest.mark.usefixtures("letters_with_pictures"),
    pytest.mark.letters,
    pytest.mark.guest,
]

#: The person who plays each power, with five players.
HELD = {**PLAYERS, "Italy": "gustav"}
COLUMN = ("BLEND Persia Germany", "BLEND Tunisia Italy")


class War(Play):
    """The walk of other games, with orders and pages of a refereed one."""

    campaign: Refereed

    def sits(self, nation: str) -> tuple[str, ...]:
        return (HELD[nation],) if nation in HELD else ()

    def sends(self, nation: str, *lines: str, readers: tuple[str, ...] = (ADA,)) -> str:
        """Send orders by mail with a comment that only the power and `readers` may ever see."""
        who = person(HELD[nation])
        word = self.secrets.word(f"orders-{nation}", HELD[nation], *readers)
        to = tokens.reply_address(who, self.campaign.game, self.campaign.now)
        head = [] if HELD[nation] == PLAYERS[nation] else [f"FOR {nation}"]
        raw = written(who.email, to, "\n".join([*head, *lines, f"# {word}"]) + "\n")
        mail = handle.take_in(
            raw, way=Mail.Way.LMTP, envelope_from=who.email, envelope_to=[to], now=self.campaign.now
        )
        row = Handling.objects.get(mail=mail)
        assert row.status == Handling.Status.DONE, (row.words, row.fault)
        return word

    def only(self, text: str, *names: str) -> str:
        """Declare a text that only these people may see from now on."""
        self.secrets.may_read[text] = set(names)
        return text

    def known_to_all(self, text: str) -> None:
        del self.secrets.may_read[text]

    def _typed_in(self, browser: Client, phase: Any) -> Iterator[tuple[str, str]]:
        """Yield the answers to orders and a report that are typed in and not sent; they must not
        reveal what others sent."""
        game = self.campaign.game
        text = (
            "ALLY Britain\nPEACE Italy\nIF Germany INVADES Poland THEN hold Paris\nMINOR Greece:"
            " PEACE Italy\nSEA 1 SP Brest TO Oran"
        )
        report = "LINE France 1 DONE\nLINE Germany 1 DONE\nREST DONE\nEND"
        drafts = list(Draft.objects.all())
        for seat in [game.seats.get(nation="France"), game.seats.get(nation=REFEREE_SEAT)]:
            typed = report if seat.nation == REFEREE_SEAT else text
            for at, data in (
                (f"orders/{seat.pk}/", {"text": typed, "do": "check", "phase": phase.number}),
                (f"desk/telephone/{seat.pk}/read/", {"text": typed}),
                ("desk/telephone/table/read/", {f"{seat.pk}-text": typed}),
                ("referee/", {"text": typed, "do": "check", "phase": phase.number}),
            ):
                answer = browser.post(f"/games/{game.pk}/{at}", data)
                Draft.objects.all().delete()
                Draft.objects.bulk_create(drafts)
                yield (
                    f"{at} asked for {seat.nation}",
                    f"{answer.status_code} {answer.content.decode('utf-8', 'replace')}",
                )

    def _known(self, name: str) -> Iterable[str]:
        yield from super()._known(name)
        game = self.campaign.game
        yield f"/games/{game.pk}/referee/"
        for power in HELD:
            yield f"/games/{game.pk}/nations/{power.lower()}/"
        for country in ("poland", "france"):
            yield f"/games/{game.pk}/areas/{country}/"


@pytest.fixture
def war(monkeypatch: pytest.MonkeyPatch, settings: Any) -> War:
    """Begin turn 1, with five players."""
    settings.MAIL_IN, settings.MAIL_TRUST = True, "address"
    settings.MAIL_ANSWERS_AN_HOUR = settings.MAIL_OBEYED_AN_HOUR = 1000
    campaign = Refereed.begin(players=5, options={"spi.last_turn": 1})
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    return War(
        campaign, everybody=("felix", "bea", "rosa", "una", "gustav", ADA, "otto", "charlie", "")
    )


def test_secrets_are_found_only_by_their_readers(war: War) -> None:
    """In each kind of phase, as player, neighbor, gamesmaster, other gamesmaster, nobody."""
    # First diplomacy: not even the gamesmaster may see the secret column.
    war.sends("Germany", *COLUMN, "hold what we have", readers=())
    war.only("2 countries and adds up to 3", "gustav")
    # its single lines are among the choices on the page for taking down orders
    war.only("\n".join(COLUMN), "gustav")
    war.sends("France", "ALLY USSR")  # an offer without an answer
    war.sends("USSR", "GRANT SUPPLY TO France IN Odessa")
    assert war.told("bea", ADA) == []
    war.look_no_further()
    war.campaign.pass_deadline()

    # Orders: for their senders and the gamesmaster, before the deadline and until a report rules on
    # them.
    french = war.only("hold the Vosges at all costs", "felix", ADA)
    german = war.only("wheel through the Ardennes", "gustav", ADA)
    italian = war.only("look to the Alps", "gustav", ADA)
    war.sends("France", french, "MOVE 2 SP Paris TO Metz")
    war.sends("Germany", german, "INVADE Poland")
    war.sends("Italy", italian)
    assert war.told("rosa", "") == []
    war.campaign.pass_deadline()
    assert war.campaign.phase.kind == "referee-france"

    # A draft of a report, then a report in force that is not carried out, then a line ruled on in
    # private.
    reason = war.only("the gamesmaster knows of a mutiny", "felix", ADA)
    note = war.only("snow lies on the passes", ADA)
    report = (
        f"LINE France 1 VOID PRIVATE: {reason}\nLINE France 2 DONE\nNOTE {note}\nDICE 1 FOR the"
        " weather\nEND"
    )
    page = log_in(ADA)
    phase = war.campaign.phase
    answer = page.post(
        f"/games/{war.campaign.game.pk}/referee/",
        {"text": report, "do": "check", "phase": phase.number, "was": ""},
    )
    assert answer.status_code == 200
    assert note in answer.content.decode()
    assert war.told("felix") == []
    war.campaign.report(report)
    assert war.told("gustav") == []
    war.campaign.carry_out()
    war.known_to_all(note)
    assert note in str(war.campaign.resolution(phase).events)
    assert war.campaign.phase.kind == "referee-ussr", "the die has been thrown"
    assert war.told("charlie") == []

    # Once a report has ruled on them, everybody reads the rulings and only the sender the lines: in
    # letters of every kind, on pages, by the API, in feeds and in the record (issue 43, 11).
    war.campaign.play_to("count")
    judged = war.campaign.game.phases.get(turn=1, kind="referee-germany")
    events = war.campaign.resolution(judged).events
    assert [event["message"] for event in events if event["kind"] == "line"] == [
        "Italy, line 1, is done.",
        "Germany, line 1, is done.",
        "Germany, line 2, is done.",
    ]
    own = [rendering.render(letter).text for letter in war.campaign.letters("board", "gustav")]
    assert any(f"Germany, line 1, “{german}”, is done." in text for text in own)
    result = log_in("gustav").read(f"/games/{war.campaign.game.pk}/phases/{judged.number}/")
    assert f"Germany, line 1, “{german}”, is done." in result
    amended = war.only("march on the Brenner", "gustav", ADA)
    rulings.rule(
        war.campaign.game.phases.get(kind="orders"),
        "orders",
        {"nation": "Italy", "text": amended},
        "I had misread his letter.",
        war.campaign.ada,
        war.campaign.now,
    )
    assert war.told("otto", "bea", "felix", "gustav", "") == []
    read_back = [letter.body for letter in django_mail.outbox]
    assert read_back == [], "all of them have been read"
    # The end publishes secret columns and all texts.
    war.campaign.report("END")
    war.campaign.carry_out()
    assert war.campaign.over
    open_record = json.dumps(export.record(war.campaign.game, private=False), ensure_ascii=False)
    assert all(line in open_record for line in COLUMN)
    assert reason in open_record
    opened = [event for event in war.campaign.resolution().events if event["kind"] == "column"]
    assert [event["nation"] for event in opened] == ["Germany"]
