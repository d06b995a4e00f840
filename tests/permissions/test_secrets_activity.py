"""Nobody learns how much others send while a phase is open (issue 25.9; reviews/mail.md B10)."""

from __future__ import annotations

import re

import pytest

from games.models import Press
from games.press import conversations
from orders.models import Submission
from tests.permissions import alike
from tests.support.browsing import Visitor, log_in
from tests.support.campaign import Campaign

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
_PLACED = "PLACE 6 Poland"


def write(campaign: Campaign, nation: str, to: str) -> Press:
    campaign.game.refresh_from_db()
    return conversations.send(
        campaign.game,
        campaign.seat(nation),
        campaign.players[nation],
        [to],
        "Shall we talk?",
        channel="web",
        now=campaign.now,
    )


@pytest.fixture
def campaigns() -> tuple[Campaign, Campaign]:
    """Return two games in which Germany does the same; in the second one others write and order
    more."""
    quiet, busy = Campaign.begin(), Campaign.begin()
    for campaign in (quiet, busy):
        campaign.order("France", _PLACED)
        campaign.order("Germany", "PLACE 4 Poland")
        if campaign is busy:
            for nation in ("France", "Russia", "France", "France"):
                write(campaign, nation, "Britain")
            campaign.order("France", "PLACE 1 Italy")
            campaign.order("France", _PLACED)
        campaign.order("Germany", "PLACE 5 Poland")
        write(campaign, "Germany", "France")
        write(campaign, "France", "Germany")
    return quiet, busy


def test_submissions_are_numbered_by_seat_and_by_game(campaigns: tuple[Campaign, Campaign]) -> None:
    rows = Submission.objects.filter(game=campaigns[1].game).order_by("number")
    numbers = [(row.seat.nation, row.number, row.seat_number) for row in rows]
    assert numbers == [
        ("France", 1, 1),
        ("Germany", 2, 1),
        ("France", 3, 2),
        ("France", 4, 3),
        ("Germany", 5, 2),
    ]


def test_letters_do_not_depend_on_how_much_others_send(
    campaigns: tuple[Campaign, Campaign],
) -> None:
    quiet, busy = alike.letters(campaigns, "felix", "bea", "rosa", "una", "ada")
    assert {kind for kind, _, _ in quiet} >= {"receipt", "press"}
    assert not alike.same(quiet, busy)


def test_pages_and_api_do_not_depend_on_how_much_others_send(
    campaigns: tuple[Campaign, Campaign],
) -> None:
    for name in ("gustav", "charlie", None):
        browser = log_in(name) if name else Visitor()
        shown: list[dict[str, str]] = []
        for campaign in campaigns:
            seat = campaign.seat("Germany")
            paths = ["", "press/", "phases/1/", "record.json", "standing/", "feed.xml"]
            paths += [f"orders/{seat.pk}/", f"submissions/{seat.pk}/2/"]
            game = f"/games/{campaign.game.pk}/"
            read = {
                str(place): alike.alike(browser.get(game + path).content.decode(), campaign)
                for place, path in enumerate(paths)
            }
            shown.append(read)
        assert not alike.same(*shown), name
    assert [receipt_of(campaign) for campaign in campaigns] == ["Receipt No. 2"] * 2


def receipt_of(campaign: Campaign) -> str:
    newest = campaign.seat("Germany").submissions.latest("number")
    page = log_in("gustav").read(newest.get_absolute_url())
    match = re.search(r"Receipt No\. \d+", page)
    return match[0] if match else ""


def test_press_codes_do_not_count(campaigns: tuple[Campaign, Campaign]) -> None:
    codes = list(Press.objects.order_by("game", "number").values_list("code", flat=True))
    assert len(set(codes)) == len(codes)
    assert codes != sorted(codes)
    page = log_in("gustav").read(f"/games/{campaigns[1].game.pk}/press/")
    assert "No. " not in page
