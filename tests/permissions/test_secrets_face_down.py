"""A game with counters face down, read as everybody: what one nation has hidden, nobody else finds
before it is turned up.

design 8, rules F9. Two ways. Words that stand nowhere else, in orders and in what is made of them,
are looked for on every page that anybody comes to. And two games that differ in nothing but the
values of one nation's counters are shown and written of alike: whoever could tell them apart would
know what lies there.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core import mail as django_mail
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from pytest_django import Settings

from games import positions
from games.desk import telephone_script
from games.evidence import export
from games.letters import feeds, sending
from games.models import Channel, Letter, Notice, Person, Phase, Resolution
from games.print import board as board_sheet
from games.print import forms as form_sheet
from games.records import archive
from games.rules.verification import verify
from games.turns import rulings
from games.webhooks import words
from gamesmaster import clock
from orders import bots
from orders.models import Draft, Submission
from tests.records.played import short_card
from tests.support.cast import NATIONS, PLAYERS, Campaign, person
from tests.support.examples import WHOLE, sample
from tests.support.walk import ADA, BACKEND, GAMESMASTERS, OTHER, Play, Sampled

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("letters_with_pictures")]
HIDDEN = {"ow2.hidden": "face_down"}
#: Two ways to lay ten PFs and two blanks on three areas: as many counters in each, and the same
# sum.
WAYS = (
    (
        "PLACE 8 Poland AS 5+3\nPLACE 1 Austria AS 1\nPLACE 1 Rumania AS 1\nBLANKS 1"
        " Austria\nBLANKS 1 Rumania"
    ),
    (
        "BLANKS 1 Poland\nPLACE 1 Poland AS 1\nPLACE 4 Austria AS 3+1\nPLACE 5 Rumania AS 5\nBLANKS"
        " 1 Rumania"
    ),
)
OTHERS = {
    "Russia": "PLACE 6 Poland AS 5+1",
    "France": "PLACE 4 Rumania AS 3+1\nPLACE 2 Austria AS 1+1\nBLANKS 2 Poland",
    "Britain": "PLACE 3 Austria AS 3\nPLACE 3 Italy AS 1+1+1",
}
#: Who may not know: players, a gamesmaster who plays, somebody who runs another game, who plays
# nowhere, nobody.
CURIOUS = ("felix", "rosa", "bea", "otto", "charlie", "")


# --- two games that nobody can tell apart ---


def twins(**given: Any) -> list[Campaign]:
    """Two games that begin alike; Germany alone orders differently in the first placement."""
    found = []
    for way in WAYS:
        campaign = Campaign.begin(options=HIDDEN, **given)
        campaign.game.gamesmasters.add(person("bea"))
        for nation, text in {**OTHERS, "Germany": way}.items():
            assert campaign.order(nation, text).counts
        found.append(campaign)
    return found


def pages(campaign: Campaign, name: str) -> Iterator[tuple[str, str]]:
    """Every page of the game, made alike in row numbers, addresses, keys and hashes."""
    browser = Client()
    if name:
        browser.force_login(person(name), backend=BACKEND)
    game = campaign.game
    numbers = list(game.phases.values_list("number", flat=True))
    known = [
        "",
        "board/",
        "standing/",
        "record.json",
        "sheet/",
        "summary/",
        "rulings/",
        "press/",
        "press/write/",
        "honesty/",
        "feed.xml",
    ]
    known += [f"nations/{nation.lower()}/" for nation in NATIONS] + [
        "away/",
        "preview.png",
        "class/",
    ]
    known += [
        "preview.png?phase=1",
        "class/letters/",
        "leave/",
        "questions/",
        "desk/class/",
        "desk/mail/",
        "desk/channels/",
    ]
    known += [
        f"phases/{number}/board.svg?version={version}&fight=1"
        for number in numbers
        for version in (0, 1)
    ]
    known += [
        f"desk/{at}"
        for at in (
            "",
            "prospects/",
            "rulings/",
            "telephone/",
            "telephone/script/",
            "paper/",
            "times/",
            "people/",
        )
    ]
    known += [
        f"phases/{number}/{at}"
        for number in numbers
        for at in ("", "proof/", "board.svg", "board.png", "?version=1")
    ]
    known += [
        f"desk/rulings/phases/{number}/{kind}"
        for number in numbers
        for kind in ("", "orders/", "position/", "counter/")
    ]
    known += [
        f"submissions/{number}/"
        for number in campaign.game.submissions.values_list("number", flat=True)
    ]
    for seat in game.seats.order_by("ordinal"):
        known += [f"orders/{seat.pk}/", f"desk/telephone/{seat.pk}/"]
    sampled = Sampled(name)
    for place, at in enumerate(known):
        if not sampled.opens(f"/games/{game.pk}/{at}", known_as=str(place)):
            continue
        answer = browser.get(f"/games/{game.pk}/{at}")
        content = b"" if answer.streaming else answer.content
        said = (
            content.hex()
            if at.endswith(".png")
            else alike(content.decode("utf-8", "replace"), campaign)
        )
        yield (
            re.sub(r"(orders|telephone)/\d+", r"\1/seat", at) + f" {len(known)}",
            f"{answer.status_code} {said}",
        )
    yield from _asked(campaign, browser, name)


#: What a player or a gamesmaster who plays may type in, to see what is said of it.
ATTACKS = ("Poland", "Austria", "Rumania", "Italy")


def _asked(campaign: Campaign, browser: Client, name: str) -> Iterator[tuple[str, str]]:
    """Answers to orders typed in and rulings previewed, of which nothing is kept."""
    game, phase = campaign.game, campaign.phase
    wishes = "\n".join(
        f"{kind} {area}" for area in ATTACKS for kind in ("UNDERSTANDING", "CONTROL")
    )
    for seat in sample(list(game.seats.order_by("ordinal")), 2):
        others = ", ".join(nation for nation in NATIONS if nation != seat.nation)
        text = "\n".join(
            [
                *(f"ATTACK {area}: {others} STOCK GE MIN 1" for area in ATTACKS),
                wishes,
                "PLACE 3 Poland AS 3",
            ]
        )
        for at, data in (
            (f"orders/{seat.pk}/", {"text": text, "do": "check", "phase": phase.number}),
            (f"orders/{seat.pk}/point/", {"text": text, "phase": phase.number}),
            (f"desk/telephone/{seat.pk}/read/", {"text": text}),
            (f"desk/telephone/{seat.pk}/", {"text": text, "do": "read"}),
            ("desk/paper/orders/", {"seat": seat.pk, "text": text, "do": "look"}),
        ):
            answer = browser.post(f"/games/{game.pk}/{at}", data)
            Draft.objects.all().delete()
            yield (
                f"{at.partition('/')[0]} asked for {seat.nation}: {at.count('/')} {data.get('do')}",
                said_of(answer, campaign),
            )
    tried: list[tuple[str, dict[str, Any]]] = [("rollback", {}), ("again", {})]
    tried += [("points", {"nation": nation, "points": 3}) for nation in ("Germany", "Britain")]
    for nation in NATIONS:
        tried += [
            ("orders", {"nation": nation, "how": how, "text": "PLACE 3 Poland AS 3"})
            for how in ("amended", "struck")
        ]
        tried += [
            ("counter", {"nation": nation, "area": area, "counter": kind, "given": "yes"})
            for area in ATTACKS
            for kind in ("understanding", "control")
        ]
    for kind, data in [*tried[:3], *sample(tried[3:], 10)] if name == "bea" else ():
        for ruled in game.phases.filter(status=Phase.Status.RESOLVED):
            answer = browser.post(
                f"/games/{game.pk}/desk/rulings/phases/{ruled.number}/{kind}/",
                {**data, "step": "preview"},
            )
            assert answer.status_code == 200, (kind, data)
            yield f"ruling {ruled.number} {kind} {sorted(data.items())}", said_of(answer, campaign)


def said_of(answer: Any, campaign: Campaign) -> str:
    said = answer.content.decode("utf-8", "replace")
    if answer.headers["Content-Type"] == "application/json":  # the parts of a page, by their places
        told = json.loads(said)
        said = "\n".join([told["text"], told["fault"], *told["parts"].values()])
    return f"{answer.status_code} {alike(said, campaign)}"


def alike(text: str, campaign: Campaign) -> str:
    text = re.sub(
        r'\b(?:href|src|srcset|action|formaction|hx-[a-z-]+|value|content|id|for|form|name|nonce|aria-labelledby|aria-describedby|data-[a-z-]+)="[^"]*"',
        "",
        text,
    )
    text = re.sub(
        r'(?s)<p class="code">.*?</p>', "", text
    )  # of lines that are read back: it is made of the game's number too
    text = re.sub(r"https?://\S+|/games/\d+\S*", "", text)
    text = re.sub(
        rf'("id": |game-|of game |manage.py honesty |exportgame ){campaign.game.pk}\b', r"\1", text
    )
    return re.sub(r"[A-Za-z0-9_:=+/-]{20,}", "…", text)


def letters(*campaigns: Campaign) -> list[dict[tuple[str, str, int], str]]:
    """What everybody has been written, but Germany and the gamesmaster who does not play."""
    now = campaigns[0].now
    token, ids = sending.claim(now, 10_000)
    sending.send(ids, token, now)
    sent = {str(message.extra_headers.get("Message-ID")): message for message in django_mail.outbox}
    found: list[dict[tuple[str, str, int], str]] = []
    for campaign in campaigns:
        own: dict[tuple[str, str, int], str] = {}
        for letter in Letter.objects.filter(game=campaign.game, pk__in=ids).order_by("pk"):
            message = sent[letter.message_id]
            assert isinstance(message, EmailMultiAlternatives)
            if letter.address.partition("@")[0] in ("gustav", ADA):
                continue
            said = "\n".join(
                [
                    str(message.subject),
                    str(message.body),
                    *(str(part[0]) for part in message.alternatives),
                ]
            )
            pictures = [
                str(part)
                for part in message.message().walk()
                if part.get_content_type() == "image/png"
            ]
            body = [re.sub(r"(?m)^Content-(ID|Disposition):.*$", "", part) for part in pictures]
            number = sum(key[:2] == (letter.kind, letter.address) for key in own)
            dated = [
                part.get_payload(decode=True)
                for part in message.message().walk()
                if part.get_content_type() == "text/calendar"
            ]
            entries = [
                alike(entry.decode().replace("\r\n ", ""), campaign)
                for entry in dated
                if isinstance(entry, bytes)
            ]
            own[letter.kind, letter.address, number] = "\n".join(
                [alike(said, campaign), *body, *entries]
            )
        found.append(own)
    django_mail.outbox.clear()
    return found


def same(one: dict[Any, str], other: dict[Any, str]) -> list[str]:
    """Where two games are told apart: the place, and the first lines that differ."""
    found = [f"{key}: only in one" for key in set(one) ^ set(other)]
    for key in one.keys() & other.keys():
        if one[key] != other[key]:
            pairs = zip(one[key].split("\n"), other[key].split("\n"), strict=False)
            first = next(((a, b) for a, b in pairs if a != b), ("", ""))
            at = max(
                0,
                next((place for place, (a, b) in enumerate(zip(*first, strict=False)) if a != b), 0)
                - 100,
            )
            found.append(f"{key}: {first[0][at : at + 300]!r} and {first[1][at : at + 300]!r}")
    return found


def test_nobody_can_tell_two_games_apart_that_differ_in_what_lies_face_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F9: pages, letters, pictures, scripts, exports; in placement and when judged."""
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    first, second = twins()
    monkeypatch.setattr(clock, "now", lambda: first.now)
    for step in ("placement open", "attacks open", "attacks ordered"):
        if step == "attacks open":
            first.pass_deadline()
            second.now = first.now
            assert first.phase.kind == second.phase.kind == "attacks"
        if step == "attacks ordered":
            for campaign in (first, second):
                campaign.order("Russia", "ATTACK Poland: Germany STOCK GE")
                campaign.order("Germany", "PASS")
        for name in CURIOUS if step == "attacks open" else ("rosa", "bea"):
            leaks = same(dict(pages(first, name)), dict(pages(second, name)))
            assert leaks == [], f"{step}, {name or 'nobody'}: {leaks}"
        assert same(*letters(first, second)) == [], step
        for what in (_exported, _script, _sheets, _around):
            assert what(first) == what(second), step
    position = positions.position(first.game)
    assert position != positions.position(second.game), (
        "the games differ in nothing: the test tests nothing"
    )
    first.pass_deadline()
    second.now = first.now
    turned = [row.events for row in (first.resolution(), second.resolution())]
    assert turned[0] != turned[1]


def test_a_gamesmaster_who_plays_learns_nothing_from_typing_in_what_others_might_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F9: “sets 8 against 6” in Germany's name would tell Britain what Germany has there."""
    first, second = twins()
    monkeypatch.setattr(clock, "now", lambda: first.now)
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    first.pass_deadline()  # what is due is done in both
    second.now = first.now
    assert first.phase.kind == second.phase.kind == "attacks"
    asked = [dict(_asked(campaign, _browser("bea"), "")) for campaign in (first, second)]
    assert same(asked[0], asked[1]) == []


def _exported(campaign: Campaign) -> str:
    return alike(export.text(export.record(campaign.game, private=False)), campaign)


def _around(campaign: Campaign) -> str:
    """Calendars, chat notices and the feed of this game."""
    game = campaign.game
    calendars = [
        feeds.of_person(campaign.players[nation], campaign.now)
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
    notices = [str(words.of(Notice(channel=channel, about=one))) for one in about]
    # A person plays in both games of a pair: what he is told of the other one is not this one's.
    parts = [
        part.partition("END:VEVENT")[0]
        for text in calendars
        for part in text.split("BEGIN:VEVENT")[1:]
    ]
    own = [part for part in parts if f"game-{game.pk}." in part]
    return "\n".join(
        re.sub(rf"game-{game.pk}\b", "game", alike(part.replace("\r\n ", ""), campaign))
        for part in [*own, *notices]
    )


def _script(campaign: Campaign) -> str:
    return str(telephone_script.of(campaign.game, {}).parts)


def _sheets(campaign: Campaign) -> str:
    """What is set on paper for everybody and for Russia."""
    russia = campaign.seat("Russia")
    told = [board_sheet.told(campaign.game, seat, campaign.now) for seat in (None, russia)]
    return alike(
        json.dumps([*told, form_sheet.told(campaign.phase, russia)], default=str), campaign
    )


# --- words that stand nowhere else ---


def begin(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Play:
    """A game of two turns, placement ordered, with heaps that no other line of text has."""
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
    """A heap in every form in which the service ever writes one."""
    values = [value for value in heap if value]
    listed = ", ".join(map(str, heap))
    said = ", ".join(map(str, values[:-1])) + f" and {values[-1]}"
    return (
        f" {line}",
        f">{line}<",
        f"[{listed}]",
        json.dumps(list(heap), indent=2),
        listed.replace(" ", ""),
        said,
    )


def test_what_is_hidden_stands_on_no_page_and_in_no_letter_but_its_nations(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """design 8, F9: while counters lie; a playing gamesmaster reads no judged orders."""
    play = begin(monkeypatch, settings)
    campaign = play.campaign
    campaign.pass_deadline()
    assert campaign.phase.kind == "attacks"
    readers = (
        "felix",
        "rosa",
        "gustav",
        "bea",
        OTHER,
        "",
    )  # the rest of the cast is in a place like one of these
    assert play.pages(*readers) == []
    assert play.letters() == []
    assert min(play.read[name] for name in readers) > (20 if WHOLE else 10)
    found = "".join(text for path, text in play.walk(_browser("gustav"), "gustav"))
    assert "5, 3, 1, 1 and three blanks" in found, (
        "Germany is told what it has: else the test looks for the wrong words"
    )
    public = export.text(export.record(campaign.game, private=False))
    assert play.secrets.found_in(public, "charlie") == []
    assert verify.check(json.loads(public)) == []
    assert verify.check(json.loads(export.text(export.record(campaign.game, private=True)))) == []

    # Once they are turned up, everybody knows, and the gamesmaster who plays may read the orders.
    play.order("Russia", "ATTACK Poland: Germany STOCK GE")
    campaign.pass_deadline()
    assert any(
        "5, 3, 1, 1 and three blanks" in str(event["message"])
        for event in campaign.resolution().events
    )
    submission = Submission.objects.filter(phase__number=1, seat__nation="Germany").latest("number")
    answer = _browser("bea").get(f"/games/{campaign.game.pk}/submissions/{submission.number}/")
    assert answer.status_code == 200


def _browser(name: str) -> Client:
    browser = Client()
    browser.force_login(person(name), backend=BACKEND)
    return browser


# --- rulings and whole games ---


def test_a_ruling_on_a_placement_and_a_rollback_keep_what_is_hidden(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rulings amend face-down orders; the record holds, its public form hides the values."""
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
    assert after.pieces.at("Poland", "Germany").pf == 3
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
    preview = rulings.preview(phase, kind, what, campaign.now)
    rulings.rule(phase, kind, what, "a slip", campaign.ada, campaign.now, token=preview.token)
    campaign.game.refresh_from_db()


@pytest.mark.parametrize("placement", ["simultaneous", "ordered"])
def test_a_whole_game_of_programs_is_played_and_proved(
    monkeypatch: pytest.MonkeyPatch, placement: str
) -> None:
    """F9, F10, P1: programs play to the end; a copy follows from the record."""
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
    events = [
        event["kind"]
        for row in Resolution.objects.filter(phase__game=campaign.game)
        for event in row.events
    ]
    assert events.count("placed_face_down") > 10
    assert events.count("turned_up") >= events.count("placed_face_down") / 5
    tree = json.loads(export.text(export.record(campaign.game, private=False)))
    assert verify.check(tree) == []
    copy = archive.restore(tree, campaign.ada)
    assert export.record(copy, private=True)["phases"][-1]["board"] == tree["phases"][-1]["board"]
