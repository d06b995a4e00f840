"""Access tokens: created, shown once, used, revoked; and people who may have none."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from pytest_django import Settings

from games.accounts import access_tokens
from games.models import AccessToken, Game, Person
from games.operations.personal import retention
from tests.support.campaign import Campaign, person
from tests.support.programs import Program

from .conftest import Browser, Watch

pytestmark = pytest.mark.django_db


def made(page: str) -> str:
    match = re.search(r'value="(gm_[0-9a-f]{40})"', page)
    assert match, page
    return match[1]


def status(token: str) -> int:
    return Client().get("/api/v1/me", HTTP_AUTHORIZATION=f"Bearer {token}").status_code


def test_token_is_shown_once_and_stored_as_a_hash(watch: Watch, as_: Browser) -> None:
    rosa = as_("rosa")
    page = rosa.submit("/me/tokens/", {"label": "My <b>bot</b>", "scope": "orders"})
    token = made(page)
    row = AccessToken.objects.get()
    assert (row.label, row.scopes) == ("My <b>bot</b>", ["read", "orders"])
    assert token not in str(vars(row))
    account = rosa.read("/me/")
    assert "My &lt;b&gt;bot&lt;/b&gt;" in account
    assert "never used" in account
    assert token not in account
    assert status(token) == 200
    assert "last used" in rosa.read("/me/")


def test_revoked_token_is_refused(watch: Watch, as_: Browser) -> None:
    rosa = as_("rosa")
    token = made(rosa.submit("/me/tokens/", {"label": "Bot"}))
    row = AccessToken.objects.get()
    as_("felix").post(f"/me/tokens/{row.code}/revoke/")
    assert status(token) == 200, "another person has revoked it"
    assert "Revoked." in rosa.submit(f"/me/tokens/{row.code}/revoke/", follow=True)
    assert status(token) == 401


@pytest.mark.parametrize(
    "change", [{"is_active": False}, {"is_superuser": True}, {"guest": True}], ids=str
)
def test_token_is_refused_once_its_owner_becomes_an_administrator(
    watch: Watch, change: dict[str, bool]
) -> None:
    """Administrators show a second factor on every page, which a program cannot do."""
    token = access_tokens.make(person("rosa"), "Bot", False, watch.now)
    Person.objects.filter(pk=person("rosa").pk).update(**change)
    assert status(token) == 401
    with pytest.raises(access_tokens.TokenRefused):
        access_tokens.make(person("rosa"), "Bot", False, watch.now)


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer ", "Basic eDp4", "Bearer gm_" + "0" * 40, "Bearer \x7f", "gm_x"],
)
def test_malformed_token_is_refused_with_instructions(watch: Watch, header: str) -> None:
    answer = Client().get("/api/v1/me", HTTP_AUTHORIZATION=header)
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == "Bearer"
    assert "About you" in answer.json()["detail"]


def test_wrong_token_is_refused_even_on_public_pages(watch: Watch) -> None:
    assert Client().get("/api/v1/games").status_code == 200
    answer = Client().get("/api/v1/games", HTTP_AUTHORIZATION="Bearer gm_" + "0" * 40)
    assert answer.status_code == 401


def test_session_cookie_gives_no_access(private: Campaign, as_: Browser) -> None:
    """No other site's page may use a reader's cookie."""
    assert as_("gustav").get(f"/games/{private.game.pk}/").status_code == 200
    assert as_("gustav").get(f"/api/v1/games/{private.game.pk}").status_code == 404
    assert as_("gustav").get("/api/v1/me").status_code == 401


@pytest.mark.both_databases
def test_person_has_at_most_ten_named_tokens(watch: Watch, as_: Browser) -> None:
    rosa = as_("rosa")
    assert "Give the token a name" in rosa.submit("/me/tokens/", {"label": " \n"}, follow=True)
    for number in range(access_tokens.MOST):
        rosa.post("/me/tokens/", {"label": f"Bot {number}"})
    assert "You have 10 access tokens" in rosa.submit("/me/tokens/", {"label": "x"}, follow=True)
    assert AccessToken.objects.count() == access_tokens.MOST


@pytest.mark.both_databases
def test_last_use_is_stored_to_the_minute(watch: Watch) -> None:
    token = access_tokens.make(person("rosa"), "Bot", False, watch.now)
    first = watch.pass_by(hours=1)
    for _ in range(3):
        assert status(token) == 200
        watch.pass_by(seconds=10)
    assert AccessToken.objects.get().last_used_at == first
    later = watch.pass_by(minutes=1)
    assert status(token) == 200
    assert AccessToken.objects.get().last_used_at == later


@pytest.mark.both_databases
def test_requests_are_limited_per_person_over_all_tokens(watch: Watch, settings: Settings) -> None:
    settings.LIMITS = {**settings.LIMITS, "api": (3, 600)}
    rosa, again = (access_tokens.make(person("rosa"), "Bot", False, watch.now) for _ in range(2))
    assert [status(token) for token in (rosa, again, rosa)] == [200] * 3
    answer = Client().get("/api/v1/me", HTTP_AUTHORIZATION=f"Bearer {again}")
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) <= 600
    assert "Try again in" in answer.json()["detail"]
    assert Program("felix", watch.now).read("me")["name"] == "Felix"
    watch.pass_by(minutes=10)
    assert status(rosa) == 200


@pytest.mark.both_databases
def test_strangers_and_wrong_tokens_are_limited_per_network(
    watch: Watch, settings: Settings
) -> None:
    settings.LIMITS = {**settings.LIMITS, "api": (2, 600)}
    assert Client().get("/api/v1/games").status_code == 200
    assert status("gm_" + "0" * 40) == 401
    assert Client().get("/api/v1/games").status_code == 429
    assert Client().get("/api/v1/games", REMOTE_ADDR="10.1.2.3").status_code == 200


def test_me_names_own_seats_and_gamesmaster_games(campaign: Campaign) -> None:
    game = campaign.game.pk
    una = Program("una", campaign.now, sends_orders=True).read("me")
    assert una["seats"] == [{"game": game, "nation": "USA"}]
    assert (una["scopes"], una["runs"]) == (["read", "orders", "webhooks"], [])
    assert Program("ada", campaign.now).read("me")["runs"] == [game]
    assert Game.objects.count() == 1


@pytest.mark.both_databases
def test_revoked_tokens_are_deleted_with_old_logins(watch: Watch, settings: Settings) -> None:
    settings.KEEP = {**settings.KEEP, "logins": 3}
    access_tokens.make(person("rosa"), "Bot", False, watch.now)
    token = access_tokens.make(person("rosa"), "Kept", False, watch.now)
    access_tokens.revoke(person("rosa"), AccessToken.objects.earliest("pk").code, watch.now)
    retention.carry_out(watch.now + timedelta(days=100))
    assert status(token) == 200
    assert AccessToken.objects.count() == 1
