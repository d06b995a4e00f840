"""A whole game by mail, with press: every reader opens every page and letter and finds no secret of
others.

design 8. Each secret is a word that occurs nowhere else, with the people who may read it; for any
other person who finds it, the test reports a leak.
"""

from __future__ import annotations

import logging

import pytest
from pytest_django import Settings

from games.base import clock
from games.evidence import export
from games.models import Person
from orders.models import Submission
from tests.inbound.writing import send
from tests.records.played import short_card
from tests.support.campaign import PLAYERS, Campaign, person
from tests.support.examples import WHOLE
from tests.support.walk import ADA, EVERYBODY, GAMESMASTERS, OTHER, Play

pytestmark = [
    pytest.mark.long,
    pytest.mark.django_db,
    pytest.mark.usefixtures("letters_with_pictures"),
    pytest.mark.letters,
]

#: One reader for each role; a soak reads as everybody.
ONE_IN_EACH_PLACE = ("gustav", "bea", ADA, OTHER, "charlie", "")


def begin(monkeypatch: pytest.MonkeyPatch, settings: Settings, *, gamesmaster_reads: bool) -> Play:
    """Begin a game of one turn with orders and letters of every kind, and a private game beside
    it."""
    short_card(monkeypatch, turns=1)
    # Each refused page would be logged.
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
    assert play.letters() == []  # those of the beginning, which Ada got of both games
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
    play.agree("Germany", "France", "Rumania", *master)
    play.agree("Russia", "Britain", "Austria", *master)
    held = play.secrets.word("held", ADA)
    send(campaign, "Germany", f"PLACE 9 Poland\n# {held}\n", sender="gustav@example.net")
    return play


def test_pages_and_letters_hold_no_secret_of_others(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """design 8; issue 4, item 5: as player, gamesmaster, other gamesmaster, outsider, nobody."""
    play = begin(monkeypatch, settings, gamesmaster_reads=False)
    campaign = play.campaign
    draft_words = [play.begin_to_write("Germany"), play.begin_to_write("Britain")]
    ahead = [play.keep_ahead("Germany", "1-attacks"), play.keep_ahead("Russia", "1-attacks")]
    names = EVERYBODY if WHOLE else ONE_IN_EACH_PLACE
    assert play.pages(*names) == []
    assert play.letters() == []
    assert min(play.read[name] for name in names) > (20 if WHOLE else 5)
    assert play.read[ADA] > (100 if WHOLE else 30)

    play.look_no_further()
    campaign.pass_deadline()
    for word in ahead:  # they are orders now, with the readers of orders
        play.secrets.may_read[word].add(ADA)
    play.order("Germany", "ATTACK Poland: France STOCK IBM")
    play.order("France", "ATTACK Poland: Germany STOCK GE")
    # Of a settled phase a playing gamesmaster reads all orders; of the open phase only their own.
    settled = Submission.objects.exclude(phase=campaign.phase)
    for word, readers in play.secrets.may_read.items():
        if any(word in submission.text for submission in settled):
            readers.add("bea")
    assert play.pages("bea", "felix", "charlie") == []
    assert play.letters() == []

    campaign.pass_deadline()
    assert campaign.game.status == "finished"
    monkeypatch.setattr(
        play, "keys", lambda: {key: who for key, who in Play.keys(play).items() if len(key) != 32}
    )
    # Orders and their salts are public now; press is not, because the rules of this game did not
    # say so.
    words_with_readers = play.secrets.may_read.items()
    play.secrets.may_read = {
        word: may for word, may in words_with_readers if not word.startswith(("orders-", "ahead-"))
    }
    assert play.pages("gustav", "bea", "charlie", "") == []
    assert play.letters() == []
    for private, reader in ((False, "charlie"), (True, ADA)):
        text = export.text(export.record(campaign.game, private=private))
        assert play.secrets.found_in(text, reader) == []
        assert not any(word in text for word in draft_words)


def test_gamesmaster_reads_press_if_allowed_but_not_as_a_player(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """issue 4, item 5: only if the game's first report said so."""
    play = begin(monkeypatch, settings, gamesmaster_reads=True)
    assert play.pages(*((ADA, "bea", OTHER) if WHOLE else ("bea",))) == []
    assert play.letters() == []


@pytest.mark.quick
def test_the_walk_would_have_found_a_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted word is found by a reader who may not know it."""
    campaign = Campaign.begin()
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    play = Play(campaign)
    play.look_no_further()
    campaign.game.title = play.secrets.word("title", "gustav")
    campaign.game.save()
    leaks = play.pages_of("felix")
    assert any("title-0-qzx" in leak for leak in leaks)
    assert play.pages_of("gustav") == []
