"""An operator, who runs every game and enters the admin, reads no orders that are still secret.

design 8: before the lock only their sender and a gamesmaster see orders. An operator who must
see them becomes a gamesmaster of the game, and everybody is told.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib import admin
from django.urls import reverse
from pytest_django import Settings

from games import desk, permissions
from games.models import Act, Letter, Person, Press
from orders.models import Handling, StockCheck
from tests.inbound.writing import send
from tests.permissions.alike import known_pages
from tests.support.browsing import Visitor, log_in
from tests.support.campaign import Campaign, person

pytestmark = [pytest.mark.django_db, pytest.mark.letters]

#: In what Germany has sent; a stock that its orders name.
WORD, STOCK = "swordfish", "XOM"


@pytest.fixture
def campaign(settings: Settings) -> Campaign:
    """Germany's orders are in force, and a message of hers is held."""
    settings.MAIL_IN, settings.MAIL_UNPROVEN = True, "hold"
    settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID = "results", "mx.games.test"
    campaign = Campaign.begin()
    sent = campaign.order("Germany", f"PLACE 9 Poland # {WORD}")
    StockCheck.objects.create(submission=sent, symbol=STOCK, due_at=campaign.now)
    held = send(campaign, "Germany", f"PLACE 8 Poland # {WORD}")
    assert held.status == Handling.Status.HELD
    Letter.objects.filter(about__submission=sent.pk).update(text=f"Your orders: {WORD}")
    return campaign


@pytest.fixture
def root(campaign: Campaign) -> Visitor:
    return log_in(Person.objects.create_superuser("root@example.org"))


def read(browser: Visitor, campaign: Campaign) -> Iterator[tuple[str, str]]:
    """Yield the text of all pages of the game, and of all rows in the admin with their history."""
    addresses = [f"/games/{campaign.game.pk}/{at}" for at in known_pages(campaign.game)]
    for model in admin.site._registry:
        place = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        addresses.append(reverse(f"{place}_changelist"))
        for pk in model._default_manager.values_list("pk", flat=True):
            addresses += [reverse(f"{place}_{what}", args=[pk]) for what in ("change", "history")]
    for address in addresses:
        answer = browser.get(address)
        if answer.status_code == 200 and not answer.streaming:
            yield address, answer.content.decode(errors="replace")


def places_of_secrets(browser: Visitor, campaign: Campaign) -> list[str]:
    return [
        address for address, text in read(browser, campaign) if WORD in text or f"{STOCK}<" in text
    ]


def receipt(campaign: Campaign) -> str:
    sent = campaign.game.submissions.get(seat__nation="Germany")
    return f"/games/{campaign.game.pk}/submissions/{sent.seat_id}/{sent.seat_number}/"


def test_no_page_shows_an_operator_orders_in_force_or_mail_that_is_held(
    root: Visitor, campaign: Campaign
) -> None:
    assert places_of_secrets(root, campaign) == []
    assert root.get(receipt(campaign)).status_code == 404
    desk_page = root.read(f"/games/{campaign.game.pk}/desk/")
    assert "You are not a gamesmaster of this game, so you see orders only after" in desk_page


def test_the_search_would_have_found_the_orders(campaign: Campaign) -> None:
    """A gamesmaster who does not play sees them, and the held message, at the desk."""
    Person.objects.filter(pk=campaign.ada.pk).update(is_staff=True)
    found = places_of_secrets(log_in(campaign.ada), campaign)
    assert receipt(campaign) in found
    assert f"/games/{campaign.game.pk}/desk/" in found
    assert [at for at in found if "/admin/orders/submission/" in at]
    assert [at for at in found if "/admin/games/letter/" in at]


def test_operator_reads_no_letters_between_nations_that_the_gamesmaster_reads() -> None:
    """Its players were told of the gamesmaster alone (press.gamesmaster_reads)."""
    campaign = Campaign.begin(press={"gamesmaster_reads": True})
    send(campaign, "Germany", f"PRESS TO France\n{WORD}\nEND\n")
    root = log_in(Person.objects.create_superuser("root@example.org"))
    assert places_of_secrets(root, campaign) == []
    assert f"/games/{campaign.game.pk}/press/" in places_of_secrets(log_in("ada"), campaign)


def test_operator_reads_no_questions_to_the_gamesmaster() -> None:
    """A question may tell of a nation's plans, and its writer meant the gamesmaster alone."""
    campaign = Campaign.begin()
    send(campaign, "Germany", f"QUESTION\nMay I attack with {WORD}?\nEND\n")
    question = Press.objects.get()
    assert question.to_gamesmaster
    Letter.objects.filter(about__press=question.pk).update(text=WORD)  # as it was sent
    root = log_in(Person.objects.create_superuser("root@example.org"))
    assert places_of_secrets(root, campaign) == []
    asked = reverse("questions", args=[campaign.game.pk])
    answer = reverse("question-answer", args=[campaign.game.pk, question.code])
    assert root.get(asked).status_code == 403
    assert root.post(answer, {"text": "No."}).status_code == 403
    assert asked not in root.read(reverse("desk", args=[campaign.game.pk]))
    assert asked in places_of_secrets(log_in("ada"), campaign)


def test_operator_reads_no_forecast_and_no_page_as_a_player(
    root: Visitor, campaign: Campaign
) -> None:
    """Both rest on orders that are secret."""
    seat = campaign.seat("Germany")
    assert root.get(reverse("desk-prospects", args=[campaign.game.pk])).status_code == 403
    address = reverse("desk-as", args=[campaign.game.pk, seat.pk])
    assert root.post(address, {}).status_code == 403


def test_operator_reads_orders_once_the_phase_is_judged(root: Visitor, campaign: Campaign) -> None:
    campaign.pass_deadline()
    assert WORD in root.read(receipt(campaign))


def test_operator_who_becomes_a_gamesmaster_reads_orders_and_everybody_is_told(
    root: Visitor, campaign: Campaign
) -> None:
    keeper = Person.objects.get(email="root@example.org")
    desk.add_gamesmaster(campaign.game, keeper.email, keeper, campaign.now)
    assert WORD in root.read(receipt(campaign))
    act = Act.objects.get(kind="gamesmaster")
    assert (act.private, act.words) == (False, "The game has another gamesmaster.")


def test_operator_who_also_plays_and_runs_the_game_reads_only_their_own(
    campaign: Campaign,
) -> None:
    gustav, felix = person("gustav"), person("felix")
    for player in (gustav, felix):
        Person.objects.filter(pk=player.pk).update(is_superuser=True)
        campaign.game.gamesmasters.add(player)
    sent = campaign.game.submissions.get(seat__nation="Germany")
    assert permissions.reads_orders(Person.objects.get(pk=gustav.pk), sent)
    assert not permissions.reads_orders(Person.objects.get(pk=felix.pk), sent)
