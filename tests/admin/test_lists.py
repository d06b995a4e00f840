"""Lists of the admin: newest first, links, kinds in words, times with their zone."""

from __future__ import annotations

import pytest
from django.db.models import Model
from django.utils.html import escape

from games.admin import columns
from games.models import Act, Figure, Game, Phase, Ruling, Seat
from gamesmaster.admin_site import GAMESMASTERS
from orders.models import Submission
from tests.admin.test_admin import page
from tests.support.browsing import Visitor
from tests.support.campaign import MONDAY, Campaign

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("model", [Act, Submission, Figure, Phase])
def test_list_begins_with_the_newest_row(
    ada: Visitor, campaign: Campaign, model: type[Model]
) -> None:
    rows = list(ada.get(page(model, "changelist")).context["cl"].result_list)
    assert len(rows) > 1
    assert rows == sorted(rows, key=lambda row: -row.pk)


def test_list_of_rulings_links_things_and_says_kind_reason_and_revocation(
    ada: Visitor, campaign: Campaign
) -> None:
    given = {"game": campaign.game, "phase": campaign.game.phases.get(number=1)}
    made = {"made_by": campaign.ada, "made_at": MONDAY, "words": "Done."}
    first = Ruling.objects.create(
        **given, **made, number=2, kind="digit", reason="The newspaper says so."
    )
    second = Ruling.objects.create(**given, **made, number=3, kind="revoke", revokes=first)
    listed = ada.get(page(Ruling, "changelist")).context["cl"].result_list
    assert list(listed)[:2] == [second, first]
    shown = ada.read(page(Ruling, "changelist"))
    for row in (campaign.game, given["phase"], campaign.ada, second):
        assert f'href="{page(type(row), "change", row.pk)}"' in shown
    for words in ("Sales figure", "Revocation", "The newspaper says so.", "Turn 1, placement"):
        assert words in shown


def test_states_begin_with_a_capital_in_list_and_filter(ada: Visitor, campaign: Campaign) -> None:
    """Issue 43: words of the filter by status were in mixed case."""
    Phase.objects.filter(pk=campaign.phase.pk).update(status=Phase.Status.UNDONE)
    listed = ada.get(page(Phase, "changelist"))
    (states,) = (each for each in listed.context["cl"].filter_specs if each.title == "status")
    shown = [choice["display"] for choice in states.choices(listed.context["cl"])]
    assert {"Open", "Undone by a ruling", "Judged, waiting for the gamesmaster"} <= set(shown)
    assert [words for words in shown if not words[0].isupper()] == []
    assert '<td class="field-column">Undone by a ruling</td>' in listed.content.decode()


def test_times_name_their_zone(ada: Visitor, campaign: Campaign) -> None:
    assert "16 Nov 2026, 17:00 UTC" in ada.read(page(Game, "changelist"))


def test_list_of_games_says_phase_and_who_owes_orders(ada: Visitor, campaign: Campaign) -> None:
    shown = ada.read(page(Game, "changelist"))
    assert f'href="{page(Phase, "change", campaign.phase.pk)}"' in shown
    assert "USA, France, Britain and Russia" in shown


def test_phases_can_be_chosen_once_a_game_is(ada: Visitor, campaign: Campaign) -> None:
    path, phase = page(Act, "changelist"), campaign.phase
    assert "By phase" not in ada.read(path)
    shown = ada.read(f"{path}?game__id__exact={campaign.game.pk}")
    assert f"phase__id__exact={phase.pk}" in shown
    assert ada.get(path, {"game__id__exact": "x"}).status_code == 200


def test_index_lists_the_tables_that_a_gamesmaster_works_with(ada: Visitor, root: Visitor) -> None:
    for browser, listed in ((ada, False), (root, True)):
        shown = browser.read("/admin/")
        assert "/admin/games/phase/" in shown
        assert ("/admin/games/loginkey/" in shown) is listed
        assert ("/admin/orders/mail/" in shown) is listed


def test_index_says_what_is_found_in_each_table(ada: Visitor, campaign: Campaign) -> None:
    """“Resolutions”, “Draws” and “Acts” were words without an explanation."""
    shown = ada.read("/admin/")
    assert shown.count('<th scope="row"') == len(GAMESMASTERS)
    assert [about for about in GAMESMASTERS.values() if escape(about) not in shown] == []


def test_page_of_a_game_says_who_plays(ada: Visitor, campaign: Campaign) -> None:
    Seat.objects.filter(pk=campaign.seat("France").pk).update(bot=True)
    campaign.seat("USA").sittings.update(until=MONDAY)
    shown = ada.get(page(Game, "change", campaign.game.pk)).context["inline_admin_formsets"][0]
    players = {
        one.original.nation: one.model_admin.players(one.original) for one in shown if one.original
    }
    assert players["Germany"] == "Gustav"
    assert (players["France"], players["USA"]) == ("the service", "nobody")


def test_lists_offer_the_newest_games_to_filter_by(
    ada: Visitor, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 45: a list beside the links of 2,000 games took five times as long."""
    monkeypatch.setattr(columns, "GAMES_LISTED", 2)
    newest = [Campaign.begin(title=f"Game {number}").game for number in range(2)]
    listed = ada.get(page(Phase, "changelist"))
    (games,) = (each for each in listed.context["cl"].filter_specs if each.title == "game")
    shown = [choice["display"] for choice in games.choices(listed.context["cl"])]
    assert shown == ["All", *(game.title for game in reversed(newest))]
    other = ada.get(page(Phase, "changelist"), {"game__id__exact": campaign.game.pk})
    assert {row.game for row in other.context["cl"].result_list} == {campaign.game}
