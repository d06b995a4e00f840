"""The first administrator by one command (issue 26, 2)."""

from __future__ import annotations

import io
import re

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from games.models import Person

pytestmark = pytest.mark.django_db


def made(address: str) -> str:
    out = io.StringIO()
    call_command("makeadmin", address, stdout=out)
    return out.getvalue()


def test_makeadmin_makes_an_administrator_and_its_link_logs_in(client: Client) -> None:
    told = made("Ada@Example.org")
    person = Person.objects.get(email="ada@example.org")
    assert person.is_staff
    assert person.is_superuser
    assert not person.has_usable_password()
    found = re.search(r"https?://[^/]+(\S+)", told)
    assert found is not None
    answer = client.post(found[1])
    assert answer["Location"] == reverse("operator")
    assert client.get(reverse("operator")).status_code == 200


def test_makeadmin_makes_an_administrator_of_a_player() -> None:
    player = Person.objects.at("una@example.org", name="Una")
    made("una@example.org")
    player.refresh_from_db()
    assert (player.name, player.is_superuser) == ("Una", True)


def test_makeadmin_refuses_what_is_no_address() -> None:
    with pytest.raises(CommandError, match="is not an e-mail address"):
        made("ada")


def test_the_account_page_links_what_an_administrator_may_see(client: Client) -> None:
    """gamesmaster.md 0: /admin and /operator were linked from no page."""
    made("ada@example.org")
    client.force_login(Person.objects.get())
    page = client.get(reverse("me")).content.decode()
    assert reverse("operator") in page
    assert reverse("admin:index") in page
    client.force_login(Person.objects.at("una@example.org"))
    page = client.get(reverse("me")).content.decode()
    assert reverse("operator") not in page
    assert reverse("admin:index") not in page
