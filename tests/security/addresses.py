"""Every address of the URL configuration, with valid values and hostile ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from games import desk
from games.accounts import tokens
from games.base import clock
from games.desk import addresses as desk_addresses
from games.models import Channel, Letter, MarketClosure, Person, Scenario
from games.models.coded import draw_code
from games.press import conversations
from games.rules import cards
from orders.models import Handling
from tests.inbound.writing import send
from tests.support.campaign import PLAYERS, Campaign, person
from tests.support.stored import stored

#: A placeholder in a route, such as `<int:pk>` or `<token>`.
PART = re.compile(r"<(?:(?P<converter>\w+):)?(?P<name>\w+)>")
#: Hostile values by converter, percent-encoded if necessary: any of them may lead to “not found”
#: only.
HOSTILE = {
    "int": ["0", "999999", str(2**31), str(2**63 - 1), str(2**63), "9" * 400],
    "code": ["0" * 24, "f" * 23, "F" * 24, "1", "%00", "a" * 3000],
    "day": ["0000-00-00", "0001-01-01", "2026-02-30", "9999-12-31", "today", "2026-1-1"],
    "slug": ["no-such-name", "a" * 3000, "-", "__class__"],
    "str": [
        "no-such-key",
        "%00",
        "%ff%fe",
        "a" * 3000,
        "..%2f..%2fetc",
        "%F0%9F%8E%B2",
        "%0d%0aSet-Cookie:x=1",
        "r" + "a" * 26,
        "9" * 40,
    ],
    "path": ["0", "9" * 30, "%00", "no/such/row", "%ff", "-1", "_5F", "add/..", "1_2F2"],
}


@dataclass(frozen=True)
class Route:
    """A route: its pattern, such as `games/<int:pk>/board/`, and values that exist."""

    pattern: str
    values: Mapping[str, str]

    def path(self) -> str:
        """Return the address with valid values."""
        return "/" + PART.sub(lambda part: self.values[part["name"]], self.pattern)

    @property
    def is_alike(self) -> bool:
        """Whether it is one of the admin's pages that are alike for every model: what adds and
        deletes a row, its history, and the address that leads to it."""
        return self.pattern.startswith("admin/") and self.pattern.endswith(
            ("/add/", "/delete/", "/history/", "<path:object_id>/")
        )

    def hostile(self) -> Iterator[str]:
        """Yield the address with each value in turn replaced by hostile ones."""
        for wrong in PART.finditer(self.pattern):
            for value in HOSTILE[wrong["converter"] or "str"]:
                values = {**self.values, wrong["name"]: value}
                yield Route(self.pattern, values).path()


def patterns(resolver: URLResolver | None = None, before: str = "") -> Iterator[str]:
    """Yield all routes as written in the URL configuration."""
    for entry in (resolver or get_resolver()).url_patterns:
        if isinstance(entry, URLResolver):
            yield from patterns(entry, before + str(entry.pattern))
        elif isinstance(entry, URLPattern):
            route = before + str(entry.pattern)
            if "(?P<app_label>" in route:  # the admin's two routes that are regular expressions
                route = "admin/games/"
            elif "(?P<url>" in route:
                route = "admin/no-such-page/"
            yield route


def staged(campaign: Campaign) -> dict[str, str]:
    """Create rows for every address of a game in its second phase; return values by route and
    name."""
    game, now = campaign.game, campaign.now
    rosa = person("rosa")
    seat = campaign.seat("Germany")
    address = desk_addresses.add(rosa, "rosa@example.net", now)
    absence = desk.announce(game, rosa, now.date(), now.date(), rosa, now)
    added: Any = {"added_by": campaign.ada, "added_at": now, "label": "The table"}
    url = "https://example.org/hook"
    channel = Channel.objects.create(game=game, kind="discord", url=url, **added)
    closure = MarketClosure.objects.create(
        exchange="XNYS", day=timezone.localdate(), entered_by=campaign.ada, entered_at=now
    )
    card = cards.load("origins-ww2", "historical")
    scenario = Scenario.objects.create(
        owner=campaign.ada, name="mine", title="Mine", card=card, made_at=now, changed_at=now
    )
    pupil = Person.objects.create(email="pupil@class.invalid", name="Pupil", by_post=True)
    tokens.new_printed_code(pupil, game, campaign.ada, now)
    invitation = tokens.new_invitation(seat, "new@example.org", campaign.ada, now)
    usa, una = campaign.seat("USA"), person("una")
    how: Any = {"to_gamesmaster": True, "channel": "web", "now": now}
    question = conversations.send(game, usa, una, [], "When?", **how)
    letter = Letter.objects.filter(game=game, person=rosa).earliest("pk")
    login = tokens.new_login(rosa, "/me/", now)
    reply = tokens.find_reply(
        tokens.reply_address(rosa, game, now).partition("+")[2].partition("@")[0]
    )
    assert reply is not None
    held = Handling.objects.order_by("-pk").first()
    return {
        "pk": str(game.pk),
        "code": letter.code,
        "scenario": str(scenario.pk),
        "seat": str(seat.pk),
        "person": str(rosa.pk),
        "letter": letter.code,
        "number": "1",
        "games/<int:pk>/press/<int:code>/<slug:what>/:code": str(question.code),
        "games/<int:pk>/questions/<int:code>/:code": str(question.code),
        "channel": channel.code,
        "absence": absence.code,
        "closure": str(closure.pk),
        "address": address.code,
        "invitation": invitation.code,
        "handling": held.code if held else draw_code(),
        "day": "2026-01-05",
        "kind": "result",
        "slug": "germany",
        "game": "origins-ww2",
        "name": "historical",
        "example": "attack",
        "key": "no-such-key",
        "question": str(question.code),
        "login/<str:token>/:token": tokens.login_token(login),
        "invitation/<str:token>/:token": tokens.invitation_token(invitation),
        "games/<int:pk>/mute/<str:token>/:token": tokens.mute_token(reply),
        "address/<str:token>/:token": tokens.address_token(address),
        "token": "no-such-key",
        "content_type_id": str(ContentType.objects.get_for_model(Person).pk),
        "object_id": str(rosa.pk),
    }


def second_phase() -> tuple[Campaign, dict[str, str]]:
    """Return a public game in its second phase with a row for every address, and the values of
    `staged`; Ada and Root are staff."""
    return stored("a row for every address", _second_phase)


def _second_phase() -> tuple[Campaign, dict[str, str]]:
    campaign = Campaign.begin(press={"sender": "grey"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "now", lambda: campaign.now)
        send(campaign, "Germany", "PLACE 9 Poland\n", sender="gustav@example.net")
        for nation in PLAYERS:
            campaign.order(nation, "PLACE 5 Poland" if nation != "USA" else "PASS")
        campaign.pass_deadline()
        Person.objects.filter(email="ada@example.org").update(is_staff=True)
        Person.objects.at("root@example.org", is_staff=True, is_superuser=True)
        return campaign, staged(campaign)


def routes(values: Mapping[str, str]) -> list[Route]:
    """Return every route with valid values: values for the route come before values for the
    name."""
    result = []
    for pattern in dict.fromkeys(patterns()):
        names = [part["name"] for part in PART.finditer(pattern)]
        filled: dict[str, Any] = {
            name: values.get(f"{pattern}:{name}", values.get(name, "1")) for name in names
        }
        if pattern.startswith("cards/scenarios/"):
            filled["pk"] = values.get("scenario", "1")
        if pattern.startswith("api/"):
            filled |= {name: values["pk"] for name in names if name == "game"}
            filled |= {name: values["game"] for name in names if name == "ruleset"}
        if pattern.startswith("admin/") and "object_id" in filled:
            filled["object_id"] = _row_of(pattern)
        result.append(Route(pattern, filled))
    return result


def _row_of(pattern: str) -> str:
    """Return the newest row of the model of an admin page."""
    _, app, model, *_ = pattern.split("/")
    try:
        newest = apps.get_model(app, model)._default_manager.order_by("-pk").first()
    except LookupError:
        return "1"
    return str(newest.pk) if newest is not None else "1"
