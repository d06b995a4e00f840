"""No log line holds a key, code, reply address or orders (issue 10, point 5; ASVS 7.1)."""

from __future__ import annotations

import itertools
import logging

import pytest
from django.test import Client
from pytest_django import Settings

from games import desk
from games.accounts import tokens, two_factor
from games.base import clock, logs
from games.base.signing import Salt
from games.models import Invitation, LoginKey, ReplyAddress
from orders.models import Handling, Submission
from tests.inbound.writing import send
from tests.support.browsing import send_letters
from tests.support.campaign import PLAYERS, Campaign, person

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


def test_log_of_a_game_contains_no_secret(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, settings: Settings
) -> None:
    """At DEBUG: opening, orders, mail, links, wrong keys, refused letters, an error."""
    caplog.set_level(logging.DEBUG)
    settings.MAIL_UNPROVEN = "confirm"
    campaign = Campaign.open()
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    invitation = tokens.new_invitation(
        campaign.seat("Germany"), "dana@example.org", campaign.ada, campaign.now
    )
    Client().get(f"/invitation/{tokens.invitation_token(invitation)}/")

    desk.withdraw(invitation, campaign.now)
    desk.start(campaign.game, campaign.now)
    campaign.game.refresh_from_db()
    send(campaign, "Germany", "PLACE 9 Poland # qzx-by-mail\n")
    send(campaign, "France", "PLACE 9 Poland # qzx-forged\n", sender="felix@example.net")
    for nation in PLAYERS:
        campaign.order(nation, "PASS # qzx-by-page")
    browser = Client()
    browser.post("/login/", {"email": "una@example.org"})
    login = LoginKey.objects.latest("pk")
    browser.post("/login/code/", {"email": "una@example.org", "code": "AAAAA-AAAAA"})
    browser.post(f"/login/{tokens.login_token(login)}/")
    root = person("root")
    root.is_staff = root.is_superuser = True
    root.save()
    settings.ADMIN_SECOND_FACTOR = True
    admin = Client()
    admin.post(f"/login/{tokens.login_token(tokens.new_login(root, '', campaign.now))}/")
    admin.get("/second-factor/new/")
    factor = root.second_factor
    admin.post(
        "/second-factor/new/",
        {"digits": two_factor.digits(two_factor.secret(factor), two_factor.step_of(campaign.now))},
    )
    settings.EMAIL_BACKEND = "tests.security.test_logs.Refusing"
    send_letters(campaign.now)
    campaign.pass_deadline()

    strict = Client(enforce_csrf_checks=True)
    last = LoginKey.objects.latest("pk")
    for key in ReplyAddress.objects.all():
        strict.get(f"/games/{campaign.game.pk}/mute/{tokens.mute_token(key)}x/")
    for path in (
        f"/login/{tokens.login_token(last)}/",
        f"/mail/{tokens.key_of(Salt.CONFIRMATION, Handling.objects.latest('pk').nonce)}/",
    ):
        assert strict.post(path).status_code == 403  # Django logs the address that it refuses

    lines = [
        [form.format(record) for record in caplog.records] for form in (logs.Line(), logs.Json())
    ]
    assert len(lines[0]) > 20, "nothing was logged: this test proves nothing"
    assert any("/login/" in line for line in lines[0])
    log = "\n".join(itertools.chain(*lines))
    secrets = [tokens.login_token(row) for row in LoginKey.objects.all()]
    secrets += [tokens.invitation_token(row) for row in Invitation.objects.all()]
    for row in ReplyAddress.objects.all():
        secrets += [tokens.reply_token(row), tokens.mute_token(row)]
    secrets += [
        tokens.key_of(Salt.CONFIRMATION, row.nonce) for row in Handling.objects.exclude(nonce="")
    ]
    secrets += list(Submission.objects.values_list("salt", flat=True))
    secrets += [two_factor.grouped_secret(factor).replace(" ", ""), two_factor.secret(factor).hex()]
    secrets.append(settings.SECRET_KEY)
    secrets += ["qzx-by-mail", "qzx-by-page", "qzx-forged"]
    assert len(secrets) > 20
    assert [secret for secret in secrets if secret in log] == []


class Refusing:
    """A mail server that refuses every message and quotes it, as some servers do."""

    def __init__(self, *args: object, **kwargs: object) -> None: ...

    def open(self) -> bool:
        return True

    def close(self) -> None: ...

    def send_messages(self, messages: list) -> int:
        raise OSError(f"refused: {messages[0].body[:2000]}")
