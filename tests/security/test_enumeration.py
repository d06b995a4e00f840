"""Nobody learns who plays here, or which private games exist (issue 10, 5; ASVS 2.1, 4.2)."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from games.accounts import tokens
from games.models import LoginKey, Person
from tests.support.campaign import Campaign, person

from .addresses import PART, routes, staged
from .conftest import Browser, Watch

pytestmark = [pytest.mark.django_db, pytest.mark.quick]
TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]+"')


def work(do: Callable[[], object]) -> list[str]:
    """Return the queries without values: a measure of time that does not depend on the machine's
    load."""
    with CaptureQueriesContext(connection) as queries:
        do()
    return [
        re.sub(r"'[^']*'(?:::\w+)?|\bNULL\b|\b\d+\b|s\d+_x\d+", "?", str(query["sql"]))
        for query in queries.captured_queries
    ]


def test_login_makes_equal_queries_for_known_unknown_and_closed_addresses(watch: Watch) -> None:
    """Compares the queries in their order."""
    person("una")
    Person.objects.at("gone@example.org", is_active=False)
    # the first one fills Django's caches
    done = [
        work(lambda email=email: Client().post("/login/", {"email": email}))  # type: ignore[misc]
        for email in ("first@example.org", "una@example.org", "new@example.org", "gone@example.org")
    ][1:]
    assert len(done[0]) > 5
    assert done[0] == done[1] == done[2]


def test_wrong_code_makes_equal_queries_for_known_and_unknown_addresses(watch: Watch) -> None:
    Client().post("/login/", {"email": "una@example.org"})
    assert LoginKey.objects.count() == 1
    done = [
        work(
            lambda email=email: Client().post(  # type: ignore[misc]
                "/login/code/", {"email": email, "code": "AAAAA-AAAAA"}
            )
        )
        for email in ("first@example.org", "una@example.org", "nobody@example.org")
    ][1:]
    assert len(done[0]) > 3
    assert done[0] == done[1]


def test_private_and_missing_games_give_equal_answers_to_every_reader(
    watch: Watch, as_: Browser
) -> None:
    """For every address of a game: strangers are sent to the login, others get 404."""
    private = Campaign.begin(public=False)
    missing = private.game.pk + 1000
    values = staged(private)
    game_routes = [route for route in routes(values) if route.pattern.startswith("games/<int:pk>/")]
    assert len(game_routes) > 60
    for name in (None, "charlie"):
        browser = as_(name)
        for route in game_routes:
            for method in ("GET", "POST"):
                answers = []
                for number in (private.game.pk, missing):
                    given = {**route.values, "pk": str(number)}
                    path = "/" + PART.sub(
                        lambda part, given=given: given[part["name"]],  # type: ignore[misc]
                        route.pattern,
                    )
                    answer = browser.generic(method, path)
                    text = (
                        answer.headers.get("Location", "")
                        + TOKEN.sub(b"", answer.content).decode("utf-8", "replace")
                    ).replace(path, "PATH")
                    answers.append(
                        (answer.status_code, re.sub(rf"games(/|%2F){number}\b", "games/N", text))
                    )
                if "mute" in route.pattern:
                    continue  # the owner of that key already has a letter of the game
                codes = (answers[0][0], answers[1][0])
                assert answers[0] == answers[1], (name, method, route.pattern, codes)


def test_numbers_of_letters_and_people_reveal_nothing(
    watch: Watch, as_: Browser, campaign: Campaign
) -> None:
    """The answers for another person's row and for a missing one are equal."""
    browser = as_("charlie")
    values = staged(campaign)
    for there, none in (
        (f"/letters/{values['letter']}/", f"/letters/{'0' * 24}/"),
        (f"/letters/{values['letter']}.pdf", f"/letters/{'0' * 24}.pdf"),
        (f"/cards/scenarios/{values['scenario']}/", "/cards/scenarios/999999/"),
        (f"/me/addresses/{values['address']}/remove/", f"/me/addresses/{'0' * 24}/remove/"),
        (
            f"/games/{campaign.game.pk}/submissions/{campaign.seat('Germany').pk}/1/",
            f"/games/{campaign.game.pk}/submissions/{campaign.seat('Germany').pk}/999999/",
        ),
    ):
        for method in ("GET", "POST"):
            codes = [browser.generic(method, path).status_code for path in (there, none)]
            assert codes[0] == codes[1], there


@pytest.mark.parametrize("given", ["\U0001f3b2", "b\u0661-0123456789abcdef", "\udcff"])
def test_non_ascii_token_is_refused_without_an_error(campaign: Campaign, given: str) -> None:
    """Found by the fuzzer: non-ASCII tokens broke the comparison, as did other scripts' digits."""
    tokens.reply_address(person("felix"), campaign.game, campaign.now)
    assert tokens.find_mute(campaign.game, given) is None
    assert tokens.find_bounced(given) is None
    seat = campaign.seat("Germany")
    invitation = tokens.new_invitation(seat, "new@example.org", campaign.ada, campaign.now)
    assert not tokens.is_asking(given, "i", invitation)


def test_admin_leads_a_gamesmaster_to_no_row_of_other_games(
    campaign: Campaign, as_: Browser
) -> None:
    """Django's redirect to a row's page takes any number: it told every gamesmaster when, and for
    which nation, orders came in all games."""
    submission = campaign.order("Germany", "PLACE 10 Poland")
    other = Campaign.open(title="Another game").game
    other.gamesmasters.set([person("charlie")])
    for row in (submission, campaign.game):
        kind = ContentType.objects.get_for_model(row)
        for key in (row.pk, row.pk + 1000):
            assert as_("charlie").get(f"/admin/r/{kind.pk}/{key}/").status_code == 404
    shown = as_("charlie").read(reverse("admin:games_game_change", args=[other.pk]))
    assert f'href="{other.get_absolute_url()}" class="viewsitelink"' in shown
