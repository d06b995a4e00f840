"""Login by letter."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from games.accounts import tokens
from games.models import Letter, LoginKey, Person
from games.print.setting import address_of
from tests.support.campaign import person

from .conftest import Browser, Watch

pytestmark = pytest.mark.django_db


def ask(client: Client, email: str, next_page: str = "") -> LoginKey:
    answer = client.post(reverse("login"), {"email": email, "next": next_page})
    assert answer.status_code == 302
    assert answer["Location"] == reverse("login-code")
    return LoginKey.objects.latest("pk")


def who(client: Client) -> str | None:
    return client.session.get("_auth_user_id")


def test_login_link_works_once(as_: Browser) -> None:
    client = as_()
    una = person("una")
    key = ask(client, "Una@Example.org ", reverse("me"))
    assert Letter.objects.get(kind="login").address == "una@example.org"
    link = reverse("login-link", args=[tokens.login_token(key)])

    another = as_()
    answer = another.post(link)
    assert answer["Location"] == reverse("me")
    assert who(another) == str(una.pk)
    assert as_().post(link).status_code == 410


@pytest.mark.parametrize("end", [">", ".", ")", ").", "%3E", "”"])
def test_login_link_works_with_the_punctuation_behind_it(as_: Browser, end: str) -> None:
    """Mail programs take what stands behind a link for part of it."""
    link = reverse("login-link", args=[tokens.login_token(ask(as_(), "una@example.org"))])
    answer = as_().get(f"{link}{end}", follow=True)
    assert answer.redirect_chain == [(link, 302)]
    assert b"una@example.org" in answer.content


@pytest.mark.parametrize("path", ["/nowhere/.", "/nowhere)", "/games/>/"])
def test_unknown_address_with_punctuation_is_not_found(as_: Browser, path: str) -> None:
    assert as_().get(path).status_code == 404


def test_link_scanner_neither_logs_in_nor_uses_up_the_link(as_: Browser) -> None:
    key = ask(as_(), "una@example.org")
    link = reverse("login-link", args=[tokens.login_token(key)])
    scanner = as_()
    for _ in range(3):
        answer = scanner.get(link)
        assert answer.status_code == 200
        assert b"una@example.org" in answer.content
    assert who(scanner) is None
    assert scanner.head(link).status_code == 200
    assert as_().post(link).status_code == 302


def test_login_code_logs_in(as_: Browser) -> None:
    client = as_()
    key = ask(client, "una@example.org", reverse("game-new"))
    code = tokens.login_code(key)
    answer = client.post(
        reverse("login-code"),
        {"email": "una@example.org", "code": f" {code[:3].lower()} {code[3:]}"},
    )
    assert answer["Location"] == reverse("game-new")
    assert who(client) == str(person("una").pk)


def test_login_code_works_once_within_half_an_hour(as_: Browser, watch: Watch) -> None:
    used, late = ask(as_(), "una@example.org"), ask(as_(), "una@example.org")
    form = {"email": "una@example.org", "code": tokens.login_code(used)}
    assert as_().post(reverse("login-code"), form).status_code == 302
    assert "does not belong" in as_().submit(reverse("login-code"), form)
    watch.pass_by(minutes=30)
    assert "does not belong" in as_().submit(
        reverse("login-code"), form | {"code": tokens.login_code(late)}
    )


def test_login_code_opens_no_other_account(as_: Browser) -> None:
    ask(as_(), "felix@example.org")
    key = ask(as_(), "una@example.org")
    answer = as_().post(
        reverse("login-code"), {"email": "felix@example.org", "code": tokens.login_code(key)}
    )
    assert "does not belong" in answer.content.decode()


def test_malformed_code_is_quoted_with_advice(as_: Browser) -> None:
    answer = as_().post(reverse("login-code"), {"email": "una@example.org", "code": "abc"})
    assert "“abc” is not a code. A code has 10 letters and digits" in answer.content.decode()


def test_expired_link_is_refused(as_: Browser, watch: Watch) -> None:
    key = ask(as_(), "una@example.org")
    watch.pass_by(minutes=31)
    answer = as_().get(reverse("login-link", args=[tokens.login_token(key)]))
    assert answer.status_code == 410
    assert reverse("login") in answer.content.decode()


def test_new_address_gets_the_same_answer_and_an_account(as_: Browser) -> None:
    person("una")
    pages = []
    for email in ("una@example.org", "new@example.org"):
        client = as_()
        ask(client, email)
        token = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]+"')
        shown = token.sub(b"", client.get(reverse("login-code")).content)
        pages.append(shown.replace(email.encode(), b"ADDRESS"))
    assert pages[0] == pages[1]
    assert Person.objects.filter(email="new@example.org").exists()


def test_closed_account_gets_the_same_answer_but_no_letter(as_: Browser) -> None:
    Person.objects.at("gone@example.org", is_active=False)
    assert as_().post(reverse("login"), {"email": "gone@example.org"})["Location"] == reverse(
        "login-code"
    )
    # written so that it takes as long, but never sent
    assert not Letter.objects.filter(due_at__isnull=False).exists()


def test_too_many_login_letters_are_refused_with_a_sentence(as_: Browser) -> None:
    for _ in range(tokens.LOGINS_OPEN):
        ask(as_(), "una@example.org")
    answer = as_().post(reverse("login"), {"email": "una@example.org"})
    assert "5 login letters to that address are still unused." in answer.content.decode()
    assert "una@example.org" in answer.content.decode()
    assert reverse("login-code") in answer.content.decode()


def test_invalid_address_is_explained_and_kept(as_: Browser) -> None:
    answer = as_().post(reverse("login"), {"email": "una at example"})
    assert "not an e-mail address" in answer.content.decode()
    assert "una at example" in answer.content.decode()


def test_login_redirects_to_own_pages_only(as_: Browser) -> None:
    for elsewhere in ("https://elsewhere.test/", "//elsewhere.test/", "javascript:alert(1)"):
        key = ask(as_(), f"p{len(elsewhere)}@example.org", elsewhere)
        assert key.next_page == ""
        answer = as_().post(reverse("login-link", args=[tokens.login_token(key)]))
        assert answer["Location"] == reverse("home")


def test_logout_needs_post(as_: Browser) -> None:
    client = as_("una")
    assert client.get(reverse("logout")).status_code == 405
    client.post(reverse("logout"))
    assert who(client) is None


def test_gamesmaster_enters_a_postal_address(as_: Browser) -> None:
    """issue 5, paper: the return address of printed letters and order forms."""
    client = as_("ada")
    data = {
        "name": "Ada",
        "zone": "Europe/London",
        "postal_address": "12 Harbour Lane\r\nOxford OX1 2AB",
    }
    client.post(reverse("me"), data)
    assert address_of(person("ada")) == ["Ada", "12 Harbour Lane", "Oxford OX1 2AB"]
    assert "12 Harbour Lane" in client.read(reverse("me"))


def test_new_player_gives_a_name(as_: Browser) -> None:
    client = as_("una")
    client.post(
        reverse("me"), {"name": "Una the Bold", "zone": "Asia/Tokyo", "telephone": "03 1234"}
    )
    una = person("una")
    assert (una.name, una.zone, una.telephone) == ("Una the Bold", "Asia/Tokyo", "03 1234")
    answer = client.post(reverse("me"), {"name": "Una", "zone": "Mars/Olympus"})
    assert "not a time zone" in answer.content.decode()
    assert as_().get(reverse("me")).status_code == 302
    assert client.put(reverse("me")).status_code == 405
