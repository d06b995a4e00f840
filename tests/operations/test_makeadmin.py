"""`manage.py makeadmin` creates the first administrator (issue 26, 2)."""

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


def test_makeadmin_creates_an_administrator_whose_link_logs_in(client: Client) -> None:
    output = made("Ada@Example.org")
    person = Person.objects.get(email="ada@example.org")
    assert person.is_staff
    assert person.is_superuser
    assert not person.has_usable_password()
    link = re.search(r"https?://[^/]+(\S+)", output)
    assert link is not None
    answer = client.post(link[1])
    assert answer["Location"] == reverse("operator")
    assert client.get(reverse("operator")).status_code == 200


def test_makeadmin_promotes_a_player_to_administrator() -> None:
    player = Person.objects.at("una@example.org", name="Una")
    made("una@example.org")
    player.refresh_from_db()
    assert (player.name, player.is_superuser) == ("Una", True)


def test_makeadmin_refuses_a_malformed_address() -> None:
    with pytest.raises(CommandError, match="is not an e-mail address"):
        made("ada")


def test_account_page_links_the_administrators_pages(client: Client) -> None:
    """gamesmaster.md 0: no page linked to /admin and /operator."""
    made("ada@example.org")
    client.force_login(Person.objects.get())
    page = client.get(reverse("me")).content.decode()
    assert reverse("operator") in page
    assert reverse("admin:index") in page
    client.force_login(Person.objects.at("una@example.org"))
    page = client.get(reverse("me")).content.decode()
    assert reverse("operator") not in page
    assert reverse("admin:index") not in page
