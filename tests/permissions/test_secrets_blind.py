"""A blind game, read as everybody: nobody learns which objectives another nation has drawn (design
8, rules F4, F5, F7).

Checked in two ways. The secret, and positions that hold the draw, are searched on every page and in
every letter. And the same game is shown twice, with the objectives of two nations exchanged in all
stored rows: a person who could tell the two apart would know something of them.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from django.db.models import QuerySet
from pytest_django import Settings

from games.base import clock
from games.evidence import export
from games.letters import entries, rendering
from games.models import Letter, Person, Resolution, Ruling
from games.rules.digits import seed_hash
from games.rules.verification import verify
from tests.records.played import short_card
from tests.support.browsing import log_in
from tests.support.campaign import NATIONS, PLAYERS, Campaign, person
from tests.support.examples import WHOLE
from tests.support.letters import letter_text
from tests.support.walk import ADA, EVERYBODY, GAMESMASTERS, OTHER, Play

pytestmark = [
    pytest.mark.long,
    pytest.mark.django_db,
    pytest.mark.usefixtures("letters_with_pictures"),
    pytest.mark.letters,
]
BLIND = {"ow2.blind": "yes"}
#: Readers who may know only their own objectives: players, a playing gamesmaster, a gamesmaster of
#: another game, a stranger, nobody.
CURIOUS = ("gustav", "bea", OTHER, "charlie", "")
WISHES = {
    "Germany": "CONTROL Poland\nSHARE Poland WITH Russia",
    "Russia": "SHARE Poland WITH Germany\nUNDERSTANDING USA",
    "USA": "UNDERSTANDING Italy\nCONTROL Italy\nSTANDING UNDERSTANDING ALL",
    "Britain": "CONTROL France",
}


def begin(monkeypatch: pytest.MonkeyPatch, settings: Settings, *held: str) -> Play:
    """Begin a blind game whose objectives are drawn; with 2 seats, unheld nations draw too."""
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    settings.MAIL_IN = True
    seats = {
        nation: f"{PLAYERS[nation]}@example.org" if nation in (held or NATIONS) else "table"
        for nation in NATIONS
    }
    short_card(monkeypatch, turns=1)
    campaign = Campaign.begin(options=BLIND, seats=seats)
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    campaign.game.gamesmasters.add(person("bea"))
    person(OTHER)
    Person.objects.filter(email__in=[f"{name}@example.org" for name in GAMESMASTERS]).update(
        is_staff=True
    )
    play = Play(campaign)
    play.secrets.may_read[campaign.game.secret] = set()
    campaign.pass_deadline()
    return play


def objectives(play: Play) -> dict[str, str]:
    drawn: dict[str, str] = play.campaign.resolution().after["charts"]["objectives"]
    return drawn


def titles(campaign: Campaign) -> dict[str, str]:
    """Return the titles of the scenarios on the slips, by name."""
    return {scenario["name"]: scenario["title"] for scenario in campaign.game.card["scenarios"]}


def exchange(play: Play, nation: str, other: str) -> None:
    """Exchange the objectives of two nations in all stored rows."""
    for row in Resolution.objects.filter(phase__game=play.campaign.game):
        changed = {}
        for name in ("before", "after"):
            position = deepcopy(getattr(row, name))
            drawn = position.get("charts", {}).get("objectives")
            if drawn:
                drawn[nation], drawn[other] = drawn[other], drawn[nation]
            changed[name] = position
        # Evidence is never changed; only this test does so, to see who would notice.
        QuerySet(Resolution).filter(pk=row.pk).update(**changed)


def pages(play: Play, name: str) -> dict[str, str]:
    browser = play.browser(name)
    pages_by_path = {path: alike(text) for path, text in play.walk(browser, name)}
    # Only this changes with every answer; other pages need not be opened twice.
    return pages_by_path | {path: alike(text) for path, text in play.beside(browser, name)}


def letters(play: Play, name: str) -> dict[int, str]:
    """Return the letters to a person that are not secret."""
    texts = {}
    for letter in Letter.objects.filter(
        game=play.campaign.game, address=f"{name}@example.org", secret=False
    ):
        rendered = rendering.render(letter)
        texts[letter.pk] = alike(
            f"{rendered.subject}\n{rendered.text}\n{rendered.html}\n{entries.letter_calendar(letter)}"
        )
    return texts


def alike(text: str) -> str:
    """Return the text without what changes with every answer."""
    text = re.sub(r"'Expires': '[^']*'", "", text)
    return re.sub(r'(csrfmiddlewaretoken" value="|"X-CSRFToken": ")[A-Za-z0-9]+', r"\1", text)


def told_apart(play: Play, name: str, nation: str, other: str) -> Iterator[str]:
    """Yield where a person would notice that two other nations exchanged objectives."""
    before = everything(play, name)
    exchange(play, nation, other)
    after = everything(play, name)
    exchange(play, nation, other)
    assert before.keys() == after.keys()
    yield from (f"{name or 'nobody'}: {at}" for at, text in before.items() if after[at] != text)


def everything(play: Play, name: str) -> dict[str, str]:
    written = {f"letter {number}": text for number, text in letters(play, name).items()}
    return {**pages(play, name), **written, **play.around(name)}


def the_others(play: Play, name: str) -> tuple[str, str]:
    """Return two nations of other people with different objectives."""
    drawn = objectives(play)
    strange = [nation for nation in NATIONS if PLAYERS[nation] != name]
    return next(
        (first, second) for first in strange for second in strange if drawn[first] != drawn[second]
    )


def leaks(play: Play, *names: str) -> list[str]:
    return [leak for name in names for leak in told_apart(play, name, *the_others(play, name))]


def test_drawn_objectives_leave_no_trace(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """F4, F5: a whole game, with allowed and forbidden wishes; at the end everything is
    published."""
    play = begin(monkeypatch, settings)
    campaign = play.campaign
    assert leaks(play, *(CURIOUS if WHOLE else ("gustav", ""))) == []
    play.look_no_further()
    for nation in NATIONS:
        campaign.order(nation, "PLACE 3 Poland\nPLACE 2 Italy\nPLACE 1 France")
    campaign.pass_deadline()
    for nation, text in WISHES.items():
        assert campaign.order(nation, text).counts
    # The gamesmaster of another game is a stranger here and sees the same.
    assert leaks(play, *(CURIOUS if WHOLE else ("gustav", "bea", "charlie"))) == []
    assert play.pages(*(EVERYBODY if WHOLE else ("una", ADA))) == []
    assert play.letters() == []
    public = export.text(export.record(campaign.game, private=False))
    assert campaign.game.secret not in public
    assert seed_hash(campaign.game.secret) in public
    # No position in the public record holds the draw.
    assert '"objectives":' not in json.dumps(json.loads(public)["phases"])
    assert verify.check(json.loads(public)) == []
    drawn = objectives(play)

    campaign.pass_deadline()
    assert campaign.game.status == "finished"
    tree = json.loads(export.text(export.record(campaign.game, private=False)))
    assert verify.check(tree) == []
    assert tree["secret"] == campaign.game.secret
    last_report = rendering.render(campaign.letters("over", "gustav")[-1])
    assert campaign.game.secret in last_report.text
    for nation, chart in drawn.items():
        title = f"the scenario {titles(campaign)[chart]}"
        player = "You" if nation == "Germany" else nation  # the letter's reader
        assert f"{player} played for the objectives of {title}." in " ".join(
            last_report.text.split()
        )


def test_every_nation_learns_its_own_objectives_and_the_hash_of_the_secret(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """F4: in the letter of the draw and on the page of the game."""
    play = begin(monkeypatch, settings)
    campaign, drawn = play.campaign, objectives(play)
    for nation, name in PLAYERS.items():
        mine = f"Objectives of the scenario {titles(campaign)[drawn[nation]]}"
        (board,) = campaign.letters("board", name)
        assert mine in letter_text(board)
        page = log_in(name).read(f"/games/{campaign.game.pk}/")
        assert mine in page
        assert seed_hash(campaign.game.secret) in page
        first = rendering.render(campaign.letters("begins", name)[0])
        assert seed_hash(campaign.game.secret) in first.text
        assert "Objectives of the scenario" not in first.text


def test_only_the_controller_learns_the_allowed_counters(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """F7: with unheld nations."""
    play = begin(monkeypatch, settings, "Britain", "Germany")
    campaign = play.campaign
    campaign.pass_deadline()  # the draw of the allies
    assert campaign.phase.kind == "placement"
    looked = 0
    play.look_no_further()
    for name, own in (("bea", "Britain"), ("gustav", "Germany")):
        controllers = {nation: nation for nation in NATIONS} | campaign.phase.controllers
        strange = [nation for nation in NATIONS if controllers[nation] != own]
        drawn: dict[str, Any] = objectives(play)
        pairs = [
            (first, second)
            for first in strange
            for second in strange
            if drawn[first] != drawn[second]
        ]
        if pairs:
            looked += 1
            assert list(told_apart(play, name, *pairs[0])) == []
    assert looked, "to somebody two nations have charts that he may not know"
    play.leaves = True
    assert play.pages("bea", "gustav", "charlie", *(("", ADA) if WHOLE else ())) == []
    assert play.letters() == []


def test_exchanged_own_objectives_are_noticed(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """The check itself works: a person sees the exchange on their own pages and in their
    letters."""
    play = begin(monkeypatch, settings)
    play.look_no_further()
    drawn = objectives(play)
    other = next(nation for nation in NATIONS if drawn[nation] != drawn["Germany"])
    places = list(told_apart(play, "gustav", "Germany", other))
    assert f"gustav: /games/{play.campaign.game.pk}/" in places
    assert any(": letter " in leak for leak in places), "in a letter too"
    assert not Ruling.objects.exists()
