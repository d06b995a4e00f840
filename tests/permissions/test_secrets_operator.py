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
from tests.support.examples import WHOLE

pytestmark = [pytest.mark.django_db, pytest.mark.letters]

#: In what Germany has sent: orders, of which a message is held; a letter to France; a question. A
#: stock that its orders name, as a cell of a table shows it.
SECRETS = (ORDERED, WRITTEN, ASKED, STOCK) = ("swordfish", "marlin", "barracuda", "XOM<")


@pytest.fixture
def campaign(settings: Settings) -> Campaign:
    """Germany's orders are in force, and a message of hers is held; she has written to France, and
    asked the gamesmaster, who reads all letters."""
    settings.MAIL_IN, settings.MAIL_UNPROVEN = True, "hold"
    campaign = Campaign.begin(press={"gamesmaster_reads": True})
    send(campaign, "Germany", f"PRESS TO France\n{WRITTEN}\nEND\n")
    send(campaign, "Germany", f"QUESTION\nMay I attack with {ASKED}?\nEND\n")
    question = Press.objects.get(to_gamesmaster=True)
    Letter.objects.filter(about__press=question.pk).update(text=ASKED)  # as it was sent
    settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID = "results", "mx.games.test"
    sent = campaign.order("Germany", f"PLACE 9 Poland # {ORDERED}")
    StockCheck.objects.create(submission=sent, symbol=STOCK[:-1], due_at=campaign.now)
    held = send(campaign, "Germany", f"PLACE 8 Poland # {ORDERED}")
    assert held.status == Handling.Status.HELD
    Letter.objects.filter(about__submission=sent.pk).update(text=f"Your orders: {ORDERED}")
    return campaign


@pytest.fixture
def root(campaign: Campaign) -> Visitor:
    return log_in(Person.objects.create_superuser("root@example.org"))


def read(browser: Visitor, campaign: Campaign) -> Iterator[tuple[str, str]]:
    """Yield the text of all pages of the game, and of rows in the admin with their history: those
    that hold a secret, and one more of each model; in a soak all."""
    addresses = [f"/games/{campaign.game.pk}/{at}" for at in known_pages(campaign.game)]
    for model in admin.site._registry:
        place = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        addresses.append(reverse(f"{place}_changelist"))
        another = False
        for row in model._default_manager.all():
            holds = any(secret in str(vars(row)) for secret in (*SECRETS, STOCK[:-1]))
            if holds or not another or WHOLE:
                another |= not holds
                for what in ("change", "history"):
                    addresses.append(reverse(f"{place}_{what}", args=[row.pk]))
    for address in addresses:
        answer = browser.get(address)
        if answer.status_code == 200 and not answer.streaming:
            yield address, answer.content.decode(errors="replace")


def places_of_secrets(browser: Visitor, campaign: Campaign) -> dict[str, list[str]]:
    """Return the addresses that show each secret."""
    found: dict[str, list[str]] = {}
    for address, text in read(browser, campaign):
        for secret in SECRETS:
            if secret in text:
                found.setdefault(secret, []).append(address)
    return found


def receipt(campaign: Campaign) -> str:
    sent = campaign.game.submissions.get(seat__nation="Germany")
    return f"/games/{campaign.game.pk}/submissions/{sent.seat_id}/{sent.seat_number}/"


def test_no_page_shows_an_operator_what_the_gamesmaster_alone_may_read(
    root: Visitor, campaign: Campaign
) -> None:
    """Orders in force and mail that is held; letters between nations, whose players were told of
    the gamesmaster alone (press.gamesmaster_reads); a question, which may tell of a nation's plans
    and whose writer meant the gamesmaster alone."""
    assert places_of_secrets(root, campaign) == {}
    assert root.get(receipt(campaign)).status_code == 404
    desk_page = root.read(f"/games/{campaign.game.pk}/desk/")
    assert "You are not a gamesmaster of this game, so you see orders only after" in desk_page
    asked = reverse("questions", args=[campaign.game.pk])
    question = Press.objects.get(to_gamesmaster=True)
    answer = reverse("question-answer", args=[campaign.game.pk, question.code])
    assert root.get(asked).status_code == 403
    assert root.post(answer, {"text": "No."}).status_code == 403
    assert asked not in desk_page


def test_the_search_would_have_found_what_is_secret(campaign: Campaign) -> None:
    """A gamesmaster who does not play sees it, and the held message, at the desk."""
    Person.objects.filter(pk=campaign.ada.pk).update(is_staff=True)
    found, game = places_of_secrets(log_in(campaign.ada), campaign), f"/games/{campaign.game.pk}/"
    assert {receipt(campaign), f"{game}desk/"} <= {*found[ORDERED]}
    assert [at for at in found[ORDERED] if "/admin/orders/submission/" in at]
    assert [at for at in found[ORDERED] if "/admin/games/letter/" in at]
    assert f"{game}press/" in found[WRITTEN]
    assert f"{game}questions/" in found[ASKED]


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
    assert ORDERED in root.read(receipt(campaign))


def test_operator_who_becomes_a_gamesmaster_reads_orders_and_everybody_is_told(
    root: Visitor, campaign: Campaign
) -> None:
    keeper = Person.objects.get(email="root@example.org")
    desk.add_gamesmaster(campaign.game, keeper.email, keeper, campaign.now)
    assert ORDERED in root.read(receipt(campaign))
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
