"""What a gamesmaster hands out to people without e-mail: letters, printouts, the codes of pupils.

Nobody reads by it who may not read orders that are still secret (design 8), but that a gamesmaster
who plays prints for players by post.
"""

from __future__ import annotations

import pytest
from django.urls import reverse

from games.models import Letter, Person, PrintedCode
from tests.support.browsing import Visitor, log_in
from tests.support.campaign import MONDAY, Campaign, person
from tests.support.staging_class import school

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


def operator() -> Visitor:
    return log_in(Person.objects.create_superuser("root@example.org"))


@pytest.fixture
def by_post() -> Campaign:
    """Germany is played by post, and has sent orders."""
    campaign = Campaign.begin()
    address = {"by_post": True, "postal_address": "Hafenstraße 7\n20457 Hamburg"}
    Person.objects.filter(pk=person("gustav").pk).update(**address)
    campaign.order("Germany", "PLACE 9 Poland")
    return campaign


@pytest.fixture
def history() -> Campaign:
    """A class with codes has sent orders; Bea, a second gamesmaster, plays for the USA."""
    campaign = school(MONDAY)
    bea = person("bea")
    campaign.game.gamesmasters.add(bea)
    campaign.game.seats.get(nation="USA").sittings.create(person=bea, since=MONDAY)
    campaign.players["Germany"] = pupil_of(campaign, "Germany")
    campaign.order("Germany", "PLACE 9 Poland")
    return campaign


def pupil_of(campaign: Campaign, nation: str) -> Person:
    return Person.objects.filter(sittings__seat=campaign.seat(nation)).earliest("pk")


def statuses(browser: Visitor, campaign: Campaign, nation: str = "Germany") -> dict[str, int]:
    """Return how a nation's printouts, and the receipt for its orders, are answered."""
    place = [campaign.game.pk, campaign.seat(nation).pk]
    receipt = Letter.objects.get(kind="receipt", about__submission__isnull=False)
    found = {
        name: browser.get(reverse(name, args=place)).status_code
        for name in ("desk-paper-seat-board", "desk-paper-form")
    }
    return found | {"letter": browser.get(reverse("letter-pdf", args=[receipt.code])).status_code}


NOTHING = {"desk-paper-seat-board": 404, "desk-paper-form": 404, "letter": 404}
ALL = dict.fromkeys(NOTHING, 200)


def test_operator_prints_nothing_of_a_player_by_post(by_post: Campaign) -> None:
    """An operator reads secret orders as everybody does; its gamesmaster posts the letters."""
    assert statuses(operator(), by_post) == NOTHING
    assert statuses(log_in("ada"), by_post) == ALL


def test_gamesmaster_who_plays_prints_for_a_player_by_post(by_post: Campaign) -> None:
    by_post.game.gamesmasters.add(person("felix"))
    assert statuses(log_in("felix"), by_post) == ALL


@pytest.mark.parametrize("who", ["root", "bea"])
def test_nobody_prints_secrets_of_pupils_who_read_them_on_pages(
    history: Campaign, who: str
) -> None:
    assert statuses(operator() if who == "root" else log_in(who), history) == NOTHING


@pytest.mark.parametrize("who", ["root", "bea"])
def test_only_who_reads_secret_orders_gets_codes_of_pupils(history: Campaign, who: str) -> None:
    """With a code they would read, and send, what its pupil may."""
    browser = operator() if who == "root" else log_in(who)
    pupil = history.players["Germany"]
    slips = reverse("desk-class-slips", args=[history.game.pk])
    button = reverse("desk-class-pupil", args=[history.game.pk, pupil.pk])
    code = PrintedCode.objects.get(person=pupil)
    for query in ("", f"?pupil={pupil.pk}"):
        assert browser.get(slips + query).status_code == 403
    page = browser.submit(button, {"do": "code"}, follow=True)
    assert "Only a gamesmaster of this game who does not play hands out codes" in page
    assert slips not in page
    assert PrintedCode.objects.get(person=pupil, revoked_at=None) == code
    assert browser.submit(button, {"do": "end"}, follow=True)  # a lost slip is anybody's to end
    assert not PrintedCode.objects.filter(person=pupil, revoked_at=None).exists()
    assert log_in("ada").get(slips).status_code == 200
