"""A whole game by mail, with letters between nations: every page and every letter is read as
everybody, and tells nobody what is not his.

design 8. Each secret is a word that stands nowhere else, with the people who may read it; whoever
else finds it has found a leak.
"""

from __future__ import annotations

import logging

import pytest
from pytest_django import Settings

from games.evidence import export
from games.models import Person
from gamesmaster import clock
from orders.models import Submission
from tests.inbound.writing import send
from tests.records.played import short_card
from tests.support.campaign import PLAYERS, Campaign, person
from tests.support.examples import SECOND, WHOLE
from tests.support.walk import ADA, EVERYBODY, GAMESMASTERS, OTHER, Play

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("letters_with_pictures")]

#: Of everybody one in each place, for the second database: there it is looked up what is asked,
# and this says who may know it.
ONE_IN_EACH_PLACE = ("gustav", "bea", ADA, OTHER, "charlie", "")


def begin(monkeypatch: pytest.MonkeyPatch, settings: Settings, *, gamesmaster_reads: bool) -> Play:
    """A game of one turn with orders and letters of every kind; beside it a private one."""
    short_card(monkeypatch, turns=1)
    # Each page that is refused would be told of.
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    settings.MAIL_IN, settings.MAIL_UNPROVEN = True, "hold"
    campaign = Campaign.begin(press={"sender": "grey", "gamesmaster_reads": gamesmaster_reads})
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    other = Campaign.begin(title="Another", public=False)
    other.game.gamesmasters.set([person(OTHER)])
    campaign.game.gamesmasters.add(person("bea"))
    Person.objects.filter(email__in=[f"{name}@example.org" for name in GAMESMASTERS]).update(
        is_staff=True
    )
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


def test_nobody_finds_in_any_page_or_letter_what_is_not_his(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """design 8; issue 4, item 5: as player, gamesmaster, other gamesmaster, outsider, nobody."""
    play = begin(monkeypatch, settings, gamesmaster_reads=False)
    campaign = play.campaign
    drafted = [play.begin_to_write("Germany"), play.begin_to_write("Britain")]
    ahead = [play.keep_ahead("Germany", "1-attacks"), play.keep_ahead("Russia", "1-attacks")]
    names = ONE_IN_EACH_PLACE if SECOND and not WHOLE else EVERYBODY
    assert play.pages(*names) == []
    assert play.letters() == []
    assert min(play.read[name] for name in names) > (20 if WHOLE else 10)
    assert play.read[ADA] > (100 if WHOLE else 50)

    campaign.pass_deadline()
    for said in ahead:  # they are orders now, and read as orders are
        play.secrets.may_read[said].add(ADA)
    play.order("Germany", "ATTACK Poland: France STOCK IBM")
    play.order("France", "ATTACK Poland: Germany STOCK GE")
    # Of a phase that is settled a gamesmaster who plays reads everybody's orders; of the present
    # one none but his own.
    settled = Submission.objects.exclude(phase=campaign.phase)
    for said, readers in play.secrets.may_read.items():
        if any(said in submission.text for submission in settled):
            readers.add("bea")
    assert play.pages("bea", "felix", "charlie") == []
    assert play.letters() == []

    campaign.pass_deadline()
    assert campaign.game.status == "finished"
    monkeypatch.setattr(
        play, "keys", lambda: {key: who for key, who in Play.keys(play).items() if len(key) != 32}
    )
    # Orders are everybody's now, with their salts; what nations wrote to each other is not, for the
    # rules did not say so.
    kept = play.secrets.may_read.items()
    play.secrets.may_read = {
        said: may for said, may in kept if not said.startswith(("orders-", "ahead-"))
    }
    assert play.pages("gustav", "bea", "charlie", "") == []
    assert play.letters() == []
    for private, reader in ((False, "charlie"), (True, ADA)):
        text = export.text(export.record(campaign.game, private=private))
        assert play.secrets.found_in(text, reader) == []
        assert not any(said in text for said in drafted)


def test_a_gamesmaster_reads_letters_where_the_rules_say_so_and_one_who_plays_does_not(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """issue 4, item 5: the gamesmaster reads press only where the game's first report said so."""
    play = begin(monkeypatch, settings, gamesmaster_reads=True)
    assert play.pages(ADA, "bea", OTHER) == []
    assert play.letters() == []


def test_the_walk_would_have_found_a_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test of the test: a planted word is found by a reader who may not know it."""
    campaign = Campaign.begin()
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    play = Play(campaign)
    campaign.game.title = play.secrets.word("title", "gustav")
    campaign.game.save()
    found = play.pages_of("felix")
    assert any("title-0-qzx" in leak for leak in found)
    assert play.pages_of("gustav") == []
