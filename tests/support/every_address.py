"""Name an address of each URL pattern: pages, documents, feeds, answers of the API, the admin.

They come from the patterns, so that tests open a new one at once. What stands for the parameters
is of the staged game “The lights go out” (tests/support/staging.py); a few addresses are only
found in another game.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db.models import Model
from django.urls import URLPattern, URLResolver, get_resolver

from games.accounts import tokens
from games.desk.people import ASKED
from games.letters import feeds
from games.models import (
    Absence,
    AccessToken,
    Block,
    Channel,
    Complaint,
    Game,
    Invitation,
    LoginKey,
    Press,
    ReportFile,
)
from games.models import Address as OtherAddress
from orders.models import Handling
from tests.support.campaign import Campaign, person
from tests.support.staging import Stage

#: The games of addresses that are not of “The lights go out”, as fields of `Stage`.
GAMES = {
    "approval": "desk-approval admin-approval board-preview",
    "paper": "desk-prospects desk-paper desk-paper-form",
    "forming": "join-openly join",
    "over": "game-summary series",
    "school": "class-letters class-letter desk-class desk-class-slips",
    "war": "score-sheets referee report-lines report-file desk-paper-referee",
}
#: The queries without which an address answers nothing.
QUERIES = {
    "api-v1:submission": "?nation=Germany",
    "admin:autocomplete": "?app_label=games&model_name=seat&field_name=game",
    "mail-confirm": "?choice=send",
}
#: Parameters that lead elsewhere, or into an address that changes all games.
ELSEWHERE = ("webhook", "closure", "content_type_id", "url", "app_label")
#: The models of rows whose codes are parameters, or are that of an address called `code`.
ROWS: dict[str, type[Model]] = {
    **{"handling": Handling, "invitation": Invitation, "absence": Absence, "channel": Channel},
    **{"address": OtherAddress, "token-revoke": AccessToken, "webhook-change": Channel},
    **{"unblock": Block, "complaint-close": Complaint},
    **{"press-act": Press, "question-answer": Press},
}
PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


@dataclass(frozen=True)
class Address:
    """`name`: that of the URL pattern, with its namespace. `campaign`: the game that it is of."""

    name: str
    path: str
    campaign: Campaign


def every_address(stage: Stage) -> list[Address]:
    """Return an address of each pattern that has a name, in the order of the patterns."""
    of_game = {name: game for game, names in GAMES.items() for name in names.split()}
    found: dict[str, Address] = {}
    for name, route in _patterns(get_resolver().url_patterns):
        campaign = getattr(stage, of_game.get(name, "lights"))
        values = _values(stage, campaign, name, route)
        path = PARAMETER.sub(lambda part, values=values: str(values[part[1]]), route)  # type: ignore[misc]
        found.setdefault(name, Address(name, f"/{path}{QUERIES.get(name, '')}", campaign))
    return list(found.values())


def _patterns(
    patterns: Iterable[URLPattern | URLResolver], before: str = "", space: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield the name and the route of each pattern, without those of regular expressions."""
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            inside = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from _patterns(pattern.url_patterns, route, inside)
        elif pattern.name and "(?P" not in route:
            yield space + pattern.name, route


def _values(stage: Stage, campaign: Campaign, name: str, route: str) -> dict[str, Any]:
    """Return what stands for each parameter of a route."""
    game, nation = campaign.game, "Germany"
    seat = campaign.seat(nation)
    phases = game.phases.order_by("number")
    of_rules = route.startswith(("cards/<slug:game>", "rules/"))
    values: dict[str, Any] = {
        "pk": game.pk,
        "game": game.ruleset_id if of_rules else game.pk,
        "ruleset": game.ruleset_id,
        "name": game.card["name"],
        "number": phases.filter(status="resolved").values_list("number", flat=True).last(),
        "seat": seat.pk,
        "person": campaign.players.get(nation, campaign.ada).pk,
        "slug": nation.lower(),
        "kind": "result",
        "day": campaign.now.date(),
        "example": 1,
        "what": "report",
    }
    if route.startswith("cards/scenarios/"):
        values["pk"] = stage.scenario
    if name == "track-record":
        values["pk"] = person("gustav").pk
    if name in ("receipt", "api-v1:submission"):
        values["number"] = seat.submissions.latest("number").seat_number
    if "rulings/<int:number>/revoke" in route:
        values["number"] = 1
    if "approval/<int:number>" in route:
        values["number"] = phases.values_list("number", flat=True).last()
    named = {*PARAMETER.findall(route)}
    return values | _keys(stage, campaign, name) | _codes(campaign, name, named)


def _keys(stage: Stage, campaign: Campaign, name: str) -> dict[str, Any]:
    """Return the token or key in an address that has one."""
    if name == "login-link":
        return {"token": tokens.login_token(LoginKey.objects.earliest("pk"))}
    if name == "calendar":
        return {"key": feeds.renew(person("gustav"), campaign.now).rpartition("/")[2][:-4]}
    if name == "run-game":
        return {
            "token": tokens.request_token(stage.lights.game.acts.filter(kind=ASKED).latest("pk"))
        }
    if name == "join":
        return {"token": tokens.join_token(campaign.game)}
    given = {
        "invitation": stage.invitation,
        "mail-confirm": stage.choice,
        "mute": stage.mute,
        "address-confirm": stage.address,
    }
    return {"token": given.get(name, "0")}


def _codes(campaign: Campaign, name: str, named: set[str]) -> dict[str, Any]:
    """Return the codes of rows for the parameters of these names, and the rows of the admin."""
    game = campaign.game
    rows = {key: _code(model, game) for key, model in ROWS.items() if key in {*named, name}}
    codes: dict[str, Any] = {**rows, **dict.fromkeys(ELSEWHERE, 0)}
    if name == "report-file":
        codes["code"] = ReportFile.objects.earliest("pk").code
    elif name in rows:
        codes["code"] = rows[name]
    elif named & {"code", "letter"}:
        reader = game.seats.get(nation="Germany").sittings.earliest("pk").person
        letters = reader.letters.filter(secret=False, game=game).order_by("pk")
        codes["code"] = codes["letter"] = letters.values_list("code", flat=True).first()
    shown = re.fullmatch(r"admin:([a-z]+)_([a-z]+)_(?:change|history|delete)", name)
    codes["object_id"] = _newest(apps.get_model(shown[1], shown[2])) if shown else 0
    return codes


def _code(model: type[Model], game: Game) -> str:
    """Return the code of the first row of a game, or else of the model."""
    rows = model._default_manager.order_by("pk")
    fields = {field.name for field in model._meta.get_fields()}
    path = "game" if "game" in fields else "seat__game" if "seat" in fields else ""
    of_game = rows.filter(**{path: game}) if path else rows
    row: Any = of_game.first() or rows.first()
    assert row is not None, model
    return str(row.code)


def _newest(model: type[Model]) -> Any:
    return model._default_manager.order_by("pk").values_list("pk", flat=True).last() or 0
