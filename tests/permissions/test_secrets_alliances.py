"""Secret alliances (`wwi.alliance_secrecy` = until_end), read as everybody: nobody but the two can
tell that there is one (A8; design 8).

Two games differ in nothing but whom Austria-Hungary names: in the first France, which has named it,
in the second Russia, which has not. Whoever could tell the games apart before the last report would
know of the alliance.
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
from games.evidence import export
from games.letters import rendering, sending
from games.models import Letter, Phase
from games.rules.verification import verify
from games.turns import rulings
from gamesmaster import clock
from orders.models import Draft
from tests.inbound.writing import answers, send
from tests.permissions.test_secrets_face_down import (
    _exported,
    _script,
    _sheets,
    alike,
    said_of,
    same,
)
from tests.records.played import short_card
from tests.support.cast import person
from tests.support.examples import sample
from tests.support.origins_ww1 import NATIONS, Campaign
from tests.support.walk import ADA, BACKEND, Sampled

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("letters_with_pictures")]
SECRET = {"wwi.alliance_secrecy": "until_end"}
TWO = ("felix", "antal")
#: Who may not know: players, a gamesmaster who plays, somebody who runs another game, who plays
# nowhere, nobody.
CURIOUS = ("rosa", "gustav", "bea", "otto", "charlie", "")
COMMANDS = ("BOARD", "STATUS", "HISTORY", "ORDERS", "HELP")


def twins(settings: Any, monkeypatch: pytest.MonkeyPatch, **options: str) -> list[Campaign]:
    short_card(monkeypatch, 2)
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    settings.MAIL_IN, settings.MAIL_ANSWERS_AN_HOUR, settings.MAIL_OBEYED_AN_HOUR = True, 1000, 1000
    found = [Campaign.begin(options={**SECRET, **options}) for _ in range(2)]
    for campaign in found:
        campaign.game.gamesmasters.add(person("bea"))
    monkeypatch.setattr(clock, "now", lambda: found[0].now)
    return found


def place(campaigns: list[Campaign]) -> None:
    """Everybody places; Austria-Hungary's orders hold the offer that makes the difference."""
    for campaign, named in zip(campaigns, ("France", "Russia"), strict=True):
        campaign.order("Britain", "PLACE 5 Italy")
        campaign.order("France", "PLACE 5 Africa\nALLY Austria-Hungary")
        campaign.order("Germany", "PLACE 5 Africa")
        campaign.order("Russia", "PLACE 5 Serbia")
        campaign.order("Austria-Hungary", f"PLACE 5 Serbia\nALLY {named}")


def pass_deadline(campaigns: list[Campaign]) -> None:
    """What is due is done in both games at once."""
    numbers = [campaign.phase.number for campaign in campaigns]
    campaigns[0].pass_deadline()
    campaigns[1].now = campaigns[0].now
    for campaign, number in zip(campaigns, numbers, strict=True):
        assert campaign.game.phases.get(number=number).status == "resolved"
        campaign.game.refresh_from_db()


def pages(campaign: Campaign, name: str) -> Iterator[tuple[str, str]]:
    """Every page of the game that somebody comes to, with what is of this game alone made alike."""
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
        "honesty/",
        "feed.xml",
        "preview.png",
    ]
    known += [f"nations/{nation.lower()}/" for nation in NATIONS] + [
        "away/",
        "leave/",
        "questions/",
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
        for kind in ("", "orders/", "position/", "alliance/")
    ]
    known += [
        f"submissions/{number}/" for number in game.submissions.values_list("number", flat=True)
    ]
    known += [f"orders/{seat.pk}/" for seat in game.seats.order_by("ordinal")]
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
    yield from asked(campaign, browser, name)


def asked(campaign: Campaign, browser: Client, name: str) -> Iterator[tuple[str, str]]:
    """Answers to orders typed in and rulings previewed, of which nothing is kept."""
    game, phase = campaign.game, campaign.phase
    for seat in sample(list(game.seats.order_by("ordinal")), 2):
        others = [nation for nation in NATIONS if nation != seat.nation]
        text = "\n".join(
            [
                *(f"ALLY {nation}" for nation in others),
                f"ATTACK {others[0]} IN Africa",
                "LEAVE ALLIANCE",
                "PLACE 3 Italy",
            ]
        )
        for at, data in (
            (f"orders/{seat.pk}/", {"text": text, "do": "check", "phase": phase.number}),
            (f"orders/{seat.pk}/point/", {"text": text, "phase": phase.number}),
            (f"desk/telephone/{seat.pk}/read/", {"text": text}),
            ("desk/paper/orders/", {"seat": seat.pk, "text": text, "do": "look"}),
        ):
            answer = browser.post(f"/games/{game.pk}/{at}", data)
            Draft.objects.all().delete()
            yield (
                f"{at.partition('/')[0]} asked for {seat.nation}: {at.count('/')} {data.get('do')}",
                said_of(answer, campaign),
            )
    tried: list[tuple[str, dict[str, Any]]] = [
        ("rollback", {}),
        ("again", {}),
        ("points", {"nation": "France", "points": 3}),
    ]
    tried += [("orders", {"nation": nation, "how": "struck", "text": ""}) for nation in NATIONS]
    tried += [
        ("orders", {"nation": "Austria-Hungary", "how": "amended", "text": f"ALLY {nation}"})
        for nation in NATIONS[:4]
    ]
    tried += [
        ("alliance", {"first": "France", "second": nation, "allied": yes})
        for nation in NATIONS
        for yes in ("yes", "no")
    ]
    for kind, data in [*tried[:3], *sample(tried[3:], 8)] if name == "bea" else ():
        for ruled in game.phases.filter(status=Phase.Status.RESOLVED):
            answer = browser.post(
                f"/games/{game.pk}/desk/rulings/phases/{ruled.number}/{kind}/",
                {**data, "step": "preview"},
            )
            yield f"ruling {ruled.number} {kind} {sorted(data.items())}", said_of(answer, campaign)


def letters(*campaigns: Campaign) -> list[dict[tuple[str, str, int], str]]:
    """What everybody has been written, but the two and the gamesmaster who does not play."""
    now = campaigns[0].now
    token, ids = sending.claim(now, 10_000)
    sending.send(ids, token, now)
    sent = {str(message.extra_headers.get("Message-ID")): message for message in django_mail.outbox}
    found: list[dict[tuple[str, str, int], str]] = []
    for campaign in campaigns:
        own: dict[tuple[str, str, int], str] = {}
        for letter in Letter.objects.filter(game=campaign.game).order_by("pk"):
            message = sent.get(letter.message_id)
            if message is None or letter.address.partition("@")[0] in (*TWO, ADA):
                continue
            assert isinstance(message, EmailMultiAlternatives)
            said = "\n".join(
                [
                    str(message.subject),
                    str(message.body),
                    *(str(part[0]) for part in message.alternatives),
                ]
            )
            number = sum(key[:2] == (letter.kind, letter.address) for key in own)
            own[letter.kind, letter.address, number] = alike(said, campaign)
        found.append(own)
    django_mail.outbox.clear()
    return found


def by_mail(campaign: Campaign, nation: str) -> str:
    """What Russia is answered when it asks for everything that may be asked for."""
    name = {"Russia": "rosa", "Britain": "bea"}[nation]
    send(campaign, nation, "\n".join(COMMANDS) + "\n", sender=f"{name}@example.org")
    return alike(rendering.render(answers(name)[-1]).text, campaign)


def test_nobody_can_tell_whether_there_is_a_secret_alliance(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """A8: pages, letters, scripts, sheets and exports, until the last report tells."""
    both = twins(settings, monkeypatch)
    first, second = both
    letters(*both)
    place(both)
    pass_deadline(both)
    assert positions.position(first.game) != positions.position(second.game), (
        "the games differ in nothing: the test tests nothing"
    )
    for name in CURIOUS:
        leaks = same(dict(pages(first, name)), dict(pages(second, name)))
        assert leaks == [], f"{name or 'nobody'}: {leaks}"
    assert same(*letters(*both)) == []
    for nation in ("Russia", "Britain"):
        assert by_mail(first, nation) == by_mail(second, nation)
    for what in (_exported, _script, _sheets):
        assert what(first) == what(second)
    for campaign in both:
        tree = export.record(campaign.game, private=False)
        assert verify.check(json.loads(export.text(tree))) == []
    # The two know, and their page and letters say so.
    seen = first.game.rules.board(
        first.game.rules.view(first.game.load(positions.position(first.game)), "France")
    )
    assert seen.alliances == (("France", "Austria-Hungary"),)
    own = rendering.render(first.letters("board", "felix")[-1]).text
    assert (
        "France and Austria-Hungary are allies. Nobody else is told before the end of the game."
        in " ".join(own.split())
    )
    # To the end.
    while first.game.status == "running":
        pass_deadline(both)
        if first.game.status == "running":
            assert same(*letters(*both)) == []
    assert len(first.game.phases.all()) == 4
    told = [
        [event["nations"] for event in campaign.resolution().events if event["kind"] == "alliance"]
        for campaign in both
    ]
    assert told == [[["France", "Austria-Hungary"]], []]
    last = rendering.render(first.letters("board", "rosa")[-1]).text
    assert "France and Austria-Hungary are allies." in " ".join(last.split())
    tree = json.loads(export.text(export.record(first.game, private=False)))
    assert tree["complete"]
    assert verify.check(tree) == []


def test_an_offer_that_stands_is_known_to_its_maker_alone(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """An ALLY line is an offer until its nation's next turn, and only its maker sees it."""
    both = twins(settings, monkeypatch, **{"wwi.phasing": "sequential"})
    first, second = both
    first.order("Britain", "PLACE 5 Italy\nALLY France")
    second.order("Britain", "PLACE 5 Italy")
    pass_deadline(both)
    assert positions.position(first.game) != positions.position(second.game)
    for name in ("felix", "rosa", ""):
        assert same(dict(pages(first, name)), dict(pages(second, name))) == [], name
    first.order("France", "PLACE 5 Africa\nALLY Britain")
    pass_deadline(both)
    assert first.game.load(positions.position(first.game)).alliances == (("Britain", "France"),)
    assert not [event for event in first.resolution().events if event["kind"] == "alliance"]


def test_a_gamesmaster_who_plays_makes_no_ruling_on_secret_alliances(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """Its effect tells who is allied; one who does not play may rule, and all are told."""
    both = twins(settings, monkeypatch)
    campaign = both[0]
    place(both)
    pass_deadline(both)
    phase = campaign.game.phases.get(number=1)
    what = {"nations": ["France", "Austria-Hungary"], "allied": False}
    preview = rulings.preview(phase, "alliance", what, campaign.now)
    with pytest.raises(rulings.RulingError) as refused:
        rulings.rule(
            phase,
            "alliance",
            what,
            "So it was agreed.",
            person("bea"),
            campaign.now,
            token=preview.token,
        )
    assert "You play yourself" in str(refused.value)
    made = rulings.rule(
        phase,
        "alliance",
        what,
        "So it was agreed.",
        campaign.ada,
        campaign.now,
        token=preview.token,
    )
    assert made.words == "France and Austria-Hungary are allies no more."
    assert campaign.game.load(positions.position(campaign.game)).alliances == ()
