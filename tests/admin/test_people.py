"""An account in the admin: its address and zone are checked as everywhere else."""

from __future__ import annotations

from html import unescape

import pytest

from games.models import Address, Letter, Person
from tests.admin.test_admin import page
from tests.support.browsing import Visitor
from tests.support.campaign import MONDAY, Campaign, person

pytestmark = pytest.mark.django_db


def change(browser: Visitor, who: Person, **fields: str) -> str:
    """Send the form of an account with some fields changed; return the answering page."""
    form = {"email": who.email, "name": who.name, "zone": who.zone, "is_active": "on", **fields}
    answer = browser.post(page(Person, "change", who.pk), form, follow=True)
    who.refresh_from_db()
    return unescape(answer.content.decode())


def test_address_is_tidied(root: Visitor, campaign: Campaign) -> None:
    """Capitals were stored, so nobody with that address could log in or was recognized by mail."""
    gustav = person("gustav")
    change(root, gustav, email=" Gustav@New.Example ")
    assert gustav.email == "gustav@new.example"


def test_address_of_another_account_is_refused_with_what_to_do(
    root: Visitor, campaign: Campaign
) -> None:
    gustav, bea = person("gustav"), person("bea")
    keys = {"nonce": "n", "token_hash": "h"}
    Address.objects.create(
        person=bea, email="bea@work.example", added_at=MONDAY, confirmed_at=MONDAY, **keys
    )
    for email in ("BEA@example.org", "bea@work.example"):
        shown = change(root, gustav, email=email)
        assert f"“{email.lower()}” belongs to another account, Bea" in shown
        assert f'value="{email}"' in shown
        assert gustav.email == "gustav@example.org"


@pytest.mark.parametrize(("written", "zone"), [("Berlin", "Europe/Berlin"), ("UTC", "UTC")])
def test_zone_is_written_as_a_city(
    root: Visitor, campaign: Campaign, written: str, zone: str
) -> None:
    gustav = person("gustav")
    change(root, gustav, zone=written)
    assert gustav.zone == zone


def test_unknown_zone_is_refused_and_quoted(root: Visitor, campaign: Campaign) -> None:
    """Any text was stored, and the person then read all deadlines in UTC."""
    gustav = person("gustav")
    before = gustav.zone
    assert "“Mars/Phobos”" in change(root, gustav, zone="Mars/Phobos")
    assert gustav.zone == before


def test_letters_that_did_not_arrive_go_to_the_new_address(
    root: Visitor, campaign: Campaign
) -> None:
    """Sent again after the change, a letter that had come back went to the dead address."""
    gustav = person("gustav")
    bounced, queued, sent = Letter.objects.filter(person=gustav)[:3]
    for row, status in ((bounced, "bounced"), (queued, "queued"), (sent, "sent")):
        Letter.objects.filter(pk=row.pk).update(status=status)
    further = Letter.objects.filter(person=gustav).exclude(pk__in=[bounced.pk, queued.pk, sent.pk])[
        0
    ]
    Letter.objects.filter(pk=further.pk).update(status="failed", address="gustav@work.example")
    change(root, gustav, email="gustav@new.example")
    addresses = dict(Letter.objects.values_list("pk", "address"))
    assert addresses[bounced.pk] == addresses[queued.pk] == "gustav@new.example"
    assert addresses[sent.pk] == "gustav@example.org"
    assert addresses[further.pk] == "gustav@work.example"


def test_address_of_an_account_that_was_closed_is_refused(
    root: Visitor, campaign: Campaign
) -> None:
    Person.objects.filter(pk=person("bea").pk).update(is_active=False)
    assert "belongs to another account" in change(root, person("gustav"), email="bea@example.org")


def test_page_of_an_account_says_what_a_new_address_does(root: Visitor, campaign: Campaign) -> None:
    shown = root.read(page(Person, "change", person("gustav").pk))
    assert "letters that wait, failed or came back are for the new address" in shown
    assert "Superuser" not in shown


def test_new_account_can_be_added(root: Visitor, campaign: Campaign) -> None:
    form = {"email": "Nina@example.org", "name": "Nina", "zone": "Madrid", "is_active": "on"}
    assert root.post(page(Person, "add"), form).status_code == 302
    nina = Person.objects.get(email="nina@example.org")
    assert (nina.zone, nina.has_usable_password()) == ("Europe/Madrid", False)
