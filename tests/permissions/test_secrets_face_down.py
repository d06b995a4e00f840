"""A game with counters face down, read as everybody: nobody else finds what a nation has hidden
before it is turned up.

design 8, rules F9. Checked in two ways. Words that occur nowhere else, in orders and in what is
made of them, are searched on every page that anybody opens. And two games that differ only in the
values of one nation's counters must look alike: a person who could tell them apart would know what
lies there.
"""

from __future__ import annotations

import json
import logging
import re
from typing import Any

import pytest
from pytest_django import Settings

from games import positions
from games.base import clock
from games.evidence import export
from games.letters import feeds
from games.models import Channel, Notice, Person, Phase, Resolution, Seat
from games.outbox import channel_events
from games.records import archive
from games.rules.verification import verify
from games.turns import rulings
from orders.intake import bots
from orders.models import Submission
from tests.permissions import alike
from tests.records.played import short_card
from tests.support.browsing import log_in
from tests.support.campaign import NATIONS, PLAYERS, Campaign, person
from tests.support.examples import WHOLE, sample
from tests.support.walk import ADA, GAMESMASTERS, OTHER, Play

pytestmark = [
    pytest.mark.long,
    pytest.mark.django_db,
    pytest.mark.usefixtures("letters_with_pictures"),
    pytest.mark.letters,
]
HIDDEN = {"ow2.hidden": "face_down"}
#: Two ways to place ten PFs and two blanks in three areas: equal numbers of counters in each, and
#: an equal sum.
WAYS = (
    "PLACE 8 Poland AS 5+3\nPLACE 1 Austria AS 1\nPLACE 1 Rumania AS 1\n"
    "BLANKS 1 Austria\nBLANKS 1 Rumania",
    "BLANKS 1 Poland\nPLACE 1 Poland AS 1\nPLACE 4 Austria AS 3+1\nPLACE 5 Rumania AS 5\n"
    "BLANKS 1 Rumania",
)
#: The placements of other nations, equal in both games.
OTHERS = {
    "Russia": "PLACE 6 Poland AS 5+1",
    "France": "PLACE 4 Rumania AS 3+1\nPLACE 2 Austria AS 1+1\nBLANKS 2 Poland",
    "Britain": "PLACE 3 Austria AS 3\nPLACE 3 Italy AS 1+1+1",
}
#: Readers who may not know: players, a playing gamesmaster, a gamesmaster of another game,
#: an outsider, nobody.
CURIOUS = (*(("felix",) if WHOLE else ()), "rosa", "bea", "otto", "charlie", "")


# --- two games that nobody can tell apart ---


def twins(**given: Any) -> list[Campaign]:
    """Begin two equal games in which only Germany's first placement differs."""
    campaigns = []
    for way in WAYS:
        campaign = Campaign.begin(options=HIDDEN, **given)
        campaign.game.gamesmasters.add(person("bea"))
        for nation, text in {**OTHERS, "Germany": way}.items():
            assert campaign.order(nation, text).counts
        campaigns.append(campaign)
    return campaigns


#: Areas of the attacks and counters that readers type in.
ATTACKS = ("Poland", "Austria", "Rumania", "Italy")


def pages(campaign: Campaign, name: str) -> alike.Seen:
    """Yield every page of the game, and the answers to what may be typed in there."""
    browser = log_in(name)
    yield from alike.pages(campaign, browser, name)
    yield from alike.typed_in(campaign, browser, name, typed)
    tried: list[tuple[str, dict[str, Any]]] = [("rollback", {}), ("again", {})]
    tried += [("points", {"nation": nation, "points": 3}) for nation in ("Germany", "Britain")]
    text, wishes = "PLACE 3 Poland AS 3", ("understanding", "control")
    for nation in NATIONS:
        of = {"nation": nation}
        tried += [("orders", of | {"how": how, "text": text}) for how in ("amended", "struck")]
        for area in ATTACKS:
            given = {"area": area, "given": "yes"}
            tried += [("counter", of | given | {"counter": kind}) for kind in wishes]
    if name == "bea":
        for where, preview in alike.previews(
            campaign, browser, [*tried[:3], *sample(tried[3:], 6)]
        ):
            assert preview.startswith("200 "), where
            yield where, preview


def typed(seat: Seat) -> str:
    others = ", ".join(nation for nation in NATIONS if nation != seat.nation)
    lines = [f"ATTACK {area}: {others} STOCK GE MIN 1" for area in ATTACKS]
    lines += [f"{kind} {area}" for area in ATTACKS for kind in ("UNDERSTANDING", "CONTROL")]
    return "\n".join([*lines, "PLACE 3 Poland AS 3"])


def test_games_that_differ_face_down_look_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """F9: pages, letters, pictures, scripts, exports; during placement and when judged."""
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    first, second = twins()
    monkeypatch.setattr(clock, "now", lambda: first.now)
    some = ("rosa", "bea")
    for step, readers in (
        ("placement open", some if WHOLE else some[:1]),
        ("attacks open", CURIOUS),
        ("attacks ordered", some if WHOLE else some[1:]),
    ):
        if step == "attacks open":
            first.pass_deadline()
            second.now = first.now
            assert first.phase.kind == second.phase.kind == "attacks"
        if step == "attacks ordered":
            for campaign in (first, second):
                campaign.order("Russia", "ATTACK Poland: Germany STOCK GE")
                campaign.order("Germany", "PASS")
        for name in readers:
            leaks = alike.same(dict(pages(first, name)), dict(pages(second, name)))
            assert leaks == [], f"{step}, {name or 'nobody'}: {leaks}"
        assert alike.same(*alike.letters([first, second], "gustav", ADA)) == [], step
        for read in (alike.exported, alike.script, alike.printouts, _around):
            assert read(first) == read(second), step
    different = positions.position(first.game) != positions.position(second.game)
    assert different, "the games differ in nothing: the test tests nothing"
    first.pass_deadline()
    second.now = first.now
    turned = [row.events for row in (first.resolution(), second.resolution())]
    assert turned[0] != turned[1]


def test_playing_gamesmaster_learns_nothing_by_entering_orders_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F9: “sets 8 against 6” in Germany's name would tell Britain what Germany has there."""
    first, second = twins()
    monkeypatch.setattr(clock, "now", lambda: first.now)
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    first.pass_deadline()  # passes in both games
    second.now = first.now
    assert first.phase.kind == second.phase.kind == "attacks"
    bea = log_in("bea")
    answers = [dict(alike.typed_in(campaign, bea, "bea", typed)) for campaign in (first, second)]
    assert alike.same(*answers) == []


def _around(campaign: Campaign) -> str:
    """Return the calendars, chat notices and feed of this game."""
    game = campaign.game
    calendars = [
        feeds.person_calendar(campaign.players[nation], campaign.now)
        for nation in ("Russia", "Britain", "USA")
    ]
    channel = Channel(game=game)
    about: list[dict[str, Any]] = [{"event": "hello"}]
    about += [
        {"event": "opened", "phase": phase.pk, "deadline": phase.deadline.isoformat()}
        for phase in game.phases.order_by("number")
    ]
    about += [
        {"event": "locked", "phase": phase.pk}
        for phase in game.phases.exclude(locked_at=None).order_by("number")
    ]
    about += [
        {"event": "board", "resolution": row.pk}
        for row in Resolution.objects.filter(phase__game=game).order_by("pk")
    ]
    notices = [str(channel_events.text_of(Notice(channel=channel, about=event))) for event in about]
    # A person plays in both games of a pair: entries of the other game are left out.
    entries = [part for text in calendars for part in text.split("BEGIN:VEVENT")[1:]]
    parts = [part.partition("END:VEVENT")[0] for part in entries]
    own = [part for part in parts if f"game-{game.pk}." in part]
    return "\n".join(
        re.sub(rf"game-{game.pk}\b", "game", alike.alike(part.replace("\r\n ", ""), campaign))
        for part in [*own, *notices]
    )


# --- words that occur nowhere else ---


def begin(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Play:
    """Begin a game of 2 turns with placements ordered, in heaps that occur in no other text."""
    short_card(monkeypatch, turns=2)
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    settings.MAIL_IN, settings.MAIL_UNPROVEN = True, "hold"
    campaign = Campaign.begin(options=HIDDEN)
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    other = Campaign.begin(title="Another", public=False)
    other.game.gamesmasters.set([person(OTHER)])
    campaign.game.gamesmasters.add(person("bea"))
    Person.objects.filter(email__in=[f"{name}@example.org" for name in GAMESMASTERS]).update(
        is_staff=True
    )
    play = Play(campaign)
    assert play.letters() == []
    for nation, lines, heap in (
        ("Germany", ["PLACE 10 Poland AS 5+3+1+1", "BLANKS 3 Poland"], (5, 3, 1, 1, 0, 0, 0)),
        ("Russia", ["PLACE 6 Austria AS 3+1+1+1", "BLANKS 2 Austria"], (3, 1, 1, 1, 0, 0)),
        ("France", ["PLACE 6 Italy AS 1+1+1+1+1+1"], (1,) * 6),
    ):
        play.order(nation, *lines)
        readers = {PLAYERS[nation], ADA}
        play.secrets.may_read |= dict.fromkeys(heaps(lines[0].partition(" AS ")[2], heap), readers)
    return play


def heaps(line: str, heap: tuple[int, ...]) -> tuple[str, ...]:
    """Return a heap in every form in which the service writes one."""
    values = [value for value in heap if value]
    listed = ", ".join(map(str, heap))
    in_words = ", ".join(map(str, values[:-1])) + f" and {values[-1]}"
    plain = (f" {line}", f">{line}<", f"[{listed}]", listed.replace(" ", ""), in_words)
    return (*plain, json.dumps(list(heap), indent=2))


def test_only_its_nation_reads_hidden_counters(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """design 8, F9: while counters lie face down; a playing gamesmaster cannot read judged
    orders."""
    play = begin(monkeypatch, settings)
    campaign = play.campaign
    campaign.pass_deadline()
    assert campaign.phase.kind == "attacks"
    # Every other person has the role of one of these.
    readers = ("felix", "rosa", "gustav", "bea", OTHER, "")
    assert play.pages(*readers) == []
    assert play.letters() == []
    assert min(play.read[name] for name in readers) > (20 if WHOLE else 5)
    germanys_pages = "".join(text for path, text in play.walk(log_in("gustav"), "gustav"))
    assert "5, 3, 1, 1 and 3 blanks" in germanys_pages, (
        "Germany is told what it has: else the test looks for the wrong words"
    )
    public = export.text(export.record(campaign.game, private=False))
    assert play.secrets.found_in(public, "charlie") == []
    assert verify.check(json.loads(public)) == []
    assert verify.check(json.loads(export.text(export.record(campaign.game, private=True)))) == []

    # Once they are turned up everybody knows, and the playing gamesmaster may read the orders.
    play.order("Russia", "ATTACK Poland: Germany STOCK GE")
    campaign.pass_deadline()
    assert any(
        "5, 3, 1, 1 and 3 blanks" in str(event["message"]) for event in campaign.resolution().events
    )
    submission = Submission.objects.filter(phase__number=1, seat__nation="Germany").latest("number")
    answer = log_in("bea").get(submission.get_absolute_url())
    assert answer.status_code == 200


# --- rulings and whole games ---


def test_placement_ruling_and_rollback_keep_counters_hidden(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rulings amend face-down orders; the record verifies, and its public form hides the values."""
    campaign = twins()[0]
    campaign.pass_deadline()
    placement = campaign.game.phases.get(number=1)
    what = {"nation": "Germany", "text": "PLACE 10 Poland AS 5+5"}
    _rule(campaign, placement, "orders", what)
    after = campaign.game.load(positions.position(campaign.game))
    assert after.face_down.counters("Poland", "Germany") == (5, 5)
    assert verify.check(json.loads(export.text(export.record(campaign.game, private=False)))) == []
    _rule(campaign, placement, "position", {"cells": {"Poland": {"Germany": {"pf": 3}}}})
    after = campaign.game.load(positions.position(campaign.game))
    assert after.face_down.counters("Poland", "Germany") == (5, 5)
    assert after.pieces.cell_at("Poland", "Germany").pf == 3
    campaign.order("Russia", "ATTACK Poland: Germany STOCK GE")
    attacks = campaign.pass_deadline()
    assert not campaign.game.load(positions.position(campaign.game)).face_down
    _rule(campaign, attacks, "rollback", {})
    assert (
        campaign.game.load(positions.position(campaign.game)).face_down.number("Poland", "Germany")
        == 2
    )
    campaign.pass_deadline()
    assert verify.check(json.loads(export.text(export.record(campaign.game, private=True)))) == []
    assert verify.check(json.loads(export.text(export.record(campaign.game, private=False)))) == []


def _rule(campaign: Campaign, phase: Phase, kind: str, what: dict[str, Any]) -> None:
    campaign.game.refresh_from_db()
    phase.refresh_from_db()
    preview = rulings.preview(phase, kind, what)
    rulings.rule(phase, kind, what, "a slip", campaign.ada, campaign.now, token=preview.token)
    campaign.game.refresh_from_db()


@pytest.mark.parametrize("placement", sample(["simultaneous", "ordered"], 1))
def test_game_of_bots_is_played_to_the_end_and_verifies(
    monkeypatch: pytest.MonkeyPatch, placement: str
) -> None:
    """F9, F10, P1: bots play to the end; a copy is restored from the record."""
    short_card(monkeypatch, turns=2)
    campaign = Campaign.begin(
        options={**HIDDEN, "ow2.placement": placement}, seats=dict.fromkeys(NATIONS, "bot")
    )
    for _ in range(40):
        if campaign.game.status == "finished":
            break
        bots.play(campaign.now)
        phase = campaign.pass_deadline()
        assert phase.status == Phase.Status.RESOLVED, phase.fault
    assert campaign.game.status == "finished"
    rows = Resolution.objects.filter(phase__game=campaign.game)
    events = [event["kind"] for row in rows for event in row.events]
    assert events.count("placed_face_down") > 10
    assert events.count("turned_up") >= events.count("placed_face_down") / 5
    tree = json.loads(export.text(export.record(campaign.game, private=False)))
    assert verify.check(tree) == []
    copy = archive.restore(tree, campaign.ada)
    assert export.record(copy, private=True)["phases"][-1]["board"] == tree["phases"][-1]["board"]
