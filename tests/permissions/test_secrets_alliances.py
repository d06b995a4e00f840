"""Secret alliances (`wwi.alliance_secrecy` = until_end), read as everybody: only the two allies can
tell that there is one (A8; design 8).

Two games differ only in the nation that Austria-Hungary names: in the first it is France, which has
named Austria-Hungary; in the second Russia, which has not. A person who could tell the games apart
before the last report would know of the alliance.
"""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from pytest_django import Settings

from games import positions
from games.base import clock
from games.evidence import export
from games.letters import rendering
from games.models import Seat
from games.rules.verification import verify
from games.turns import rulings
from tests.inbound.writing import answers, send
from tests.permissions import alike
from tests.records.played import short_card
from tests.support.browsing import log_in
from tests.support.campaign import person
from tests.support.examples import WHOLE, sample
from tests.support.letters import letter_text
from tests.support.origins_ww1 import NATIONS, Campaign
from tests.support.walk import ADA

pytestmark = [
    pytest.mark.long,
    pytest.mark.django_db,
    pytest.mark.usefixtures("letters_with_pictures"),
    pytest.mark.letters,
]
SECRET = {"wwi.alliance_secrecy": "until_end"}
TWO = ("felix", "antal")
#: Readers who may not know: players, a playing gamesmaster, a gamesmaster of another game, an
#: outsider, nobody.
CURIOUS = ("rosa", *(("gustav",) if WHOLE else ()), "bea", "otto", "charlie", "")
COMMANDS = ("BOARD", "STATUS", "HISTORY", "ORDERS", "HELP")


def twins(settings: Any, monkeypatch: pytest.MonkeyPatch, **options: str) -> list[Campaign]:
    short_card(monkeypatch, 2)
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    settings.MAIL_IN, settings.MAIL_ANSWERS_AN_HOUR, settings.MAIL_OBEYED_AN_HOUR = True, 1000, 1000
    campaigns = [Campaign.begin(options={**SECRET, **options}) for _ in range(2)]
    for campaign in campaigns:
        campaign.game.gamesmasters.add(person("bea"))
    monkeypatch.setattr(clock, "now", lambda: campaigns[0].now)
    return campaigns


def place(campaigns: list[Campaign]) -> None:
    """Send placements of all nations; Austria-Hungary's offer makes the difference."""
    for campaign, named in zip(campaigns, ("France", "Russia"), strict=True):
        campaign.order("Britain", "PLACE 5 Italy")
        campaign.order("France", "PLACE 5 Africa\nALLY Austria-Hungary")
        campaign.order("Germany", "PLACE 5 Africa")
        campaign.order("Russia", "PLACE 5 Serbia")
        campaign.order("Austria-Hungary", f"PLACE 5 Serbia\nALLY {named}")


def pass_deadline(campaigns: list[Campaign]) -> None:
    """Pass the deadline in both games at once."""
    numbers = [campaign.phase.number for campaign in campaigns]
    campaigns[0].pass_deadline()
    campaigns[1].now = campaigns[0].now
    for campaign, number in zip(campaigns, numbers, strict=True):
        assert campaign.game.phases.get(number=number).status == "resolved"
        campaign.game.refresh_from_db()


def pages(campaign: Campaign, name: str) -> alike.Seen:
    """Yield every page of the game, and the answers to what may be typed in there."""
    browser = log_in(name)
    yield from alike.pages(campaign, browser, name)
    yield from alike.typed_in(campaign, browser, name, typed)
    tried: list[tuple[str, dict[str, Any]]] = [("rollback", {}), ("again", {})]
    tried.append(("points", {"nation": "France", "points": 3}))
    tried += [("orders", {"nation": nation, "how": "struck", "text": ""}) for nation in NATIONS]
    amended = {"nation": "Austria-Hungary", "how": "amended"}
    tried += [("orders", amended | {"text": f"ALLY {nation}"}) for nation in NATIONS[:4]]
    for nation in NATIONS:
        pair = {"first": "France", "second": nation}
        tried += [("alliance", pair | {"allied": yes}) for yes in ("yes", "no")]
    if name == "bea":
        yield from alike.previews(campaign, browser, [*tried[:3], *sample(tried[3:], 5)])


def typed(seat: Seat) -> str:
    others = [nation for nation in NATIONS if nation != seat.nation]
    lines = [f"ALLY {nation}" for nation in others]
    return "\n".join([*lines, f"ATTACK {others[0]} IN Africa", "LEAVE ALLIANCE", "PLACE 3 Italy"])


def by_mail(campaign: Campaign, nation: str) -> str:
    """Return the answer to a message with every command that Russia or Britain may send."""
    name = {"Russia": "rosa", "Britain": "bea"}[nation]
    send(campaign, nation, "\n".join(COMMANDS) + "\n", sender=f"{name}@example.org")
    return alike.alike(rendering.render(answers(name)[-1]).text, campaign)


def test_secret_alliances_leave_no_trace(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """A8: pages, letters, scripts, printouts and exports, until the last report reveals them."""
    both = twins(settings, monkeypatch)
    first, second = both
    alike.letters(both)
    place(both)
    pass_deadline(both)
    different = positions.position(first.game) != positions.position(second.game)
    assert different, "the games differ in nothing: the test tests nothing"
    for name in CURIOUS:
        leaks = alike.same(dict(pages(first, name)), dict(pages(second, name)))
        assert leaks == [], f"{name or 'nobody'}: {leaks}"
    assert alike.same(*alike.letters(both, *TWO, ADA)) == []
    for nation in ("Russia", "Britain"):
        assert by_mail(first, nation) == by_mail(second, nation)
    for read in (alike.exported, alike.script, alike.printouts):
        assert read(first) == read(second)
    for campaign in both:
        tree = export.record(campaign.game, private=False)
        assert verify.check(json.loads(export.text(tree))) == []
    # The two allies know: their page and letters say so.
    rules, state = first.game.rules, first.game.load(positions.position(first.game))
    view = rules.board(rules.view(state, "France"))
    assert view.alliances == (("France", "Austria-Hungary"),)
    own = letter_text(first.letters("board", "felix")[-1])
    assert "France and Austria-Hungary are allies. Only the two of you know until the game" in own
    # Play to the end.
    while first.game.status == "running":
        pass_deadline(both)
        if first.game.status == "running":
            assert alike.same(*alike.letters(both, *TWO, ADA)) == []
    assert len(first.game.phases.all()) == 4
    alliances = [
        [event["nations"] for event in campaign.resolution().events if event["kind"] == "alliance"]
        for campaign in both
    ]
    assert alliances == [[["France", "Austria-Hungary"]], []]
    last = rendering.render(first.letters("over", "rosa")[-1]).text
    assert "France and Austria-Hungary are allies." in " ".join(last.split())
    tree = json.loads(export.text(export.record(first.game, private=False)))
    assert tree["complete"]
    assert verify.check(tree) == []


def test_only_its_maker_sees_a_standing_offer(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """An ALLY line is an offer until its nation's next turn."""
    both = twins(settings, monkeypatch, **{"wwi.phasing": "sequential"})
    first, second = both
    first.order("Britain", "PLACE 5 Italy\nALLY France")
    second.order("Britain", "PLACE 5 Italy")
    pass_deadline(both)
    assert positions.position(first.game) != positions.position(second.game)
    for name in ("felix", *(("rosa",) if WHOLE else ()), ""):
        assert alike.same(dict(pages(first, name)), dict(pages(second, name))) == [], name
    first.order("France", "PLACE 5 Africa\nALLY Britain")
    pass_deadline(both)
    assert first.game.load(positions.position(first.game)).alliances == (("Britain", "France"),)
    assert not [event for event in first.resolution().events if event["kind"] == "alliance"]


def test_playing_gamesmaster_cannot_rule_on_secret_alliances(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """Its effect reveals who is allied. A gamesmaster who does not play may rule, and all are
    notified."""
    both = twins(settings, monkeypatch)
    campaign = both[0]
    place(both)
    pass_deadline(both)
    phase = campaign.game.phases.get(number=1)
    what = {"nations": ["France", "Austria-Hungary"], "allied": False}
    preview = rulings.preview(phase, "alliance", what)
    ruling = (phase, "alliance", what, "So it was agreed.")
    with pytest.raises(rulings.RulingError) as refused:
        rulings.rule(*ruling, person("bea"), campaign.now, token=preview.token)
    assert "You play in this game" in str(refused.value)
    made = rulings.rule(*ruling, campaign.ada, campaign.now, token=preview.token)
    assert made.words == "France and Austria-Hungary are no longer allies."
    assert campaign.game.load(positions.position(campaign.game)).alliances == ()
