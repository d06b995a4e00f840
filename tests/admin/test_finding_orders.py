"""Orders are found in the admin by their text, by who may read them."""

from __future__ import annotations

from collections import Counter

import pytest
from django.contrib import admin
from django.test import RequestFactory

from games import permissions
from games.admin.orders import LISTED
from games.models import Game, Letter, Person
from orders.models import Submission
from tests.admin.test_admin import page
from tests.admin.test_withheld_values import PAGES, list_of
from tests.support.browsing import Visitor, log_in
from tests.support.campaign import Campaign, person
from tests.ww2_multiplayer import staging

pytestmark = pytest.mark.django_db
SECRET = "PLACE 9 Rumania # nobody must know"


def found(browser: Visitor, words: str) -> list[str]:
    return [row.text for row in list_of(browser, Submission, q=words).result_list]


@pytest.mark.parametrize(
    "words", ["nobody must know", '"place 9"', "RUMANIA germany 9", '"lights go out" know']
)
def test_gamesmaster_finds_orders_by_their_words(
    ada: Visitor, campaign: Campaign, words: str
) -> None:
    assert found(ada, words) == [SECRET]


@pytest.mark.parametrize("words", ["nobody must know Britain", '"know nobody"', "Atlantis"])
def test_search_finds_no_orders_without_the_words(
    ada: Visitor, campaign: Campaign, words: str
) -> None:
    assert found(ada, words) == []


def test_list_shows_orders_to_the_gamesmaster_and_not_to_an_operator(
    ada: Visitor, root: Visitor, campaign: Campaign
) -> None:
    """docs/design.md 8: an operator reads no orders before they are judged."""
    assert SECRET in ada.read(page(Submission, "changelist"))
    assert SECRET not in root.read(page(Submission, "changelist"))
    assert "withheld here" in root.read(page(Submission, "changelist"))
    assert found(root, "know") == []


def test_gamesmaster_who_plays_finds_only_their_own_orders(campaign: Campaign) -> None:
    gustav = person("gustav")
    campaign.game.gamesmasters.add(gustav)
    campaign.order("Britain", "PLACE 1 Rumania # nor this")
    browser = log_in(gustav)
    assert found(browser, "nobody") == [SECRET]
    assert found(browser, "nor") == []


def test_orders_of_a_game_that_is_over_are_found(root: Visitor, campaign: Campaign) -> None:
    Game.objects.update(status=Game.Status.FINISHED)
    assert found(root, "know") == [SECRET]


@pytest.mark.guest
def test_lists_show_no_orders_that_their_reader_may_not_read(campaign: Campaign) -> None:
    """Also where the rules hide orders from the gamesmaster (World War II Multi-Player)."""
    war = staging.on_the_table(campaign.now)
    war.game.gamesmasters.add(campaign.ada)
    rows = admin.site.get_model_admin(Submission)
    readers = [campaign.ada, person("gustav"), Person.objects.create_superuser("r@example.org")]
    campaign.game.gamesmasters.add(readers[1])
    pairs: Counter[tuple[bool, bool]] = Counter()
    for reader in readers:
        request = RequestFactory().get("/")
        request.user = reader
        for row in rows.get_queryset(request):
            shown = bool(vars(row)["readable"])
            pairs[shown, permissions.reads_orders(reader, row)] += 1
    assert pairs[True, True] > 10
    assert pairs[False, False] > 0
    assert pairs[True, False] == 0


def test_long_orders_are_cut_in_the_list(ada: Visitor, campaign: Campaign) -> None:
    campaign.order("Russia", "PLACE 1 Poland\n" * 40)
    shown = ada.read(page(Submission, "changelist"))
    assert "PLACE 1 Poland / PLACE 1 Poland" in shown
    assert "PLACE 1 Poland / " * (LISTED // 10) not in shown


@pytest.mark.parametrize("rows", PAGES, ids=lambda rows: rows.model.__name__)
def test_list_says_where_its_search_looks(rows: admin.ModelAdmin[Letter]) -> None:
    assert bool(rows.search_fields) == bool(rows.search_help_text)


def test_search_is_labeled_in_words_and_keeps_the_filter(ada: Visitor, campaign: Campaign) -> None:
    """A picture of a lens was its only label."""
    game = campaign.game.pk
    shown = ada.read(page(Submission, "changelist"), {"q": "PASS", "game__id__exact": game})
    assert '<label for="searchbar">Looks in nations, titles of games' in shown
    assert f'<input type="hidden" name="game__id__exact" value="{game}">' in shown
