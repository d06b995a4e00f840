"""Notifications in a person's browser: contents, encryption, turning them on and off (issue 27, 7;
RFC 8291, RFC 8292)."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, expect

from games import tasks
from games.base import https
from games.models import Channel, Letter, Notice
from games.operations.personal import erasure
from games.webhooks import browsers
from tests.support.browser import OpenPage
from tests.support.campaign import Campaign, person
from tests.support.programs import Program
from tests.web.conftest import Browser, Watch, as_, watch
from tests.webhooks.chat import Chat
from tests.webhooks.test_personal import press

__all__ = ["as_", "watch"]
pytestmark = pytest.mark.django_db


def decode(value: str) -> bytes:
    return urlsafe_b64decode(value + "=" * (-len(value) % 4))


def encode(value: bytes) -> str:
    return urlsafe_b64encode(value).rstrip(b"=").decode()


class Device:
    """A browser as a push service sees it, with its own keys, which decrypts (RFC 8291)."""

    def __init__(self, chat: Chat, auth: bytes = bytes(range(16))) -> None:
        self.chat, self.auth, self.key = chat, auth, ec.generate_private_key(ec.SECP256R1())
        self.point = self.key.public_key().public_bytes(
            Encoding.X962, PublicFormat.UncompressedPoint
        )

    def subscription(self, label: str = "Firefox on Android") -> dict[str, str]:
        return {
            "endpoint": self.chat.url("/push/abc"),
            "p256dh": encode(self.point),
            "auth": encode(self.auth),
            "label": label,
        }

    def read(self, body: bytes) -> dict[str, Any]:
        salt, length = body[:16], body[20]
        sender, encrypted = body[21 : 21 + length], body[21 + length :]
        theirs = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
        shared = self.key.exchange(ec.ECDH(), theirs)

        def derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
            return HKDF(hashes.SHA256(), length, salt, info).derive(secret)

        info = b"WebPush: info\0" + self.point + sender
        secret = derive(shared, self.auth, info, 32)
        key = derive(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = derive(secret, salt, b"Content-Encoding: nonce\0", 12)
        plain = AESGCM(key).decrypt(nonce, encrypted, None)
        read: dict[str, Any] = json.loads(plain.rstrip(b"\0")[:-1])
        return read

    def shown(self) -> list[dict[str, Any]]:
        """Return every notification that the push service got for this browser, decrypted."""
        return [self.read(body) for _, body in self.chat.raw]


def subscribe(campaign: Campaign, device: Device, name: str = "gustav") -> Channel:
    channel = browsers.subscribe(person(name), **device.subscription(), now=campaign.now)
    tasks.do_all_due(campaign.now)
    return channel


def test_browser_notifications_have_no_content(chat: Chat) -> None:
    campaign, device = Campaign.begin(public=False, title="Slow war"), Device(chat)
    subscribe(campaign, device)
    press(campaign, "France", "Let us share Poland.")
    campaign.order("Germany", "PLACE 7 Baltic States # for Berlin")
    first = campaign.pass_deadline()
    test, message, judged = device.shown()
    assert test == {
        "title": "Gamesmaster",
        "body": "Notifications work in this browser.",
        "url": test["url"],
    }
    assert message["body"] == "You have a new message."
    assert judged["title"] == "Slow war"
    assert judged["body"].startswith(f"{first.title}: see what happened. Next orders are due by ")
    assert judged["url"].endswith(f"/games/{campaign.game.pk}/")
    assert judged["tag"] == message["tag"]
    for secret in ("Poland", "Baltic", "Berlin", "France", "Germany", "@"):
        assert secret not in str(device.shown()), secret


def test_reminder_names_the_deadline_in_the_readers_zone(chat: Chat) -> None:
    campaign, device = Campaign.begin(), Device(chat)
    gustav = person("gustav")
    gustav.zone = "America/New_York"
    gustav.save()
    subscribe(campaign, device)
    campaign.wait_until(campaign.phase.deadline - timedelta(minutes=5))
    reminder = device.shown()[-1]["body"]
    assert reminder.startswith(f"{campaign.phase.title}: your orders are due by ")
    assert reminder.endswith("New York time.")


def test_push_service_can_verify_the_sender_but_read_nothing(chat: Chat) -> None:
    """RFC 8292, 2: a token for the push service's origin, signed with the key that the browser
    got."""
    campaign, device = Campaign.begin(), Device(chat)
    subscribe(campaign, device)
    headers, body = chat.raw[0]
    assert b"Notifications" not in body
    scheme, token, key = headers["Authorization"].replace(",", "").split()
    assert (scheme, key) == ("vapid", f"k={browsers.public_key()}")
    point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode(key[2:]))
    claims = jwt.decode(
        token.removeprefix("t="),
        point,
        algorithms=["ES256"],
        audience="http://127.0.0.1",
        options={"verify_exp": False},
    )
    assert claims["sub"].startswith("mailto:")
    assert headers["TTL"] == str(browsers.LIFETIME)
    assert (headers["Content-Encoding"], headers["Content-Type"]) == (
        "aes128gcm",
        "application/octet-stream",
    )


@pytest.mark.parametrize("answer", [404, 410])
def test_ended_subscription_is_removed_without_a_letter(chat: Chat, answer: int) -> None:
    campaign, device = Campaign.begin(), Device(chat)
    chat.answers = [answer]
    channel = subscribe(campaign, device)
    channel.refresh_from_db()
    assert (channel.removed_at is not None, channel.url, channel.auth) == (True, "", "")
    assert not Letter.objects.filter(kind="webhook").exists()


@pytest.mark.both_databases
def test_account_page_turns_notifications_on_and_off(
    chat: Chat, watch: Watch, as_: Browser
) -> None:
    campaign, device = Campaign.begin(now=watch.now), Device(chat)
    gustav = as_("gustav")
    account = gustav.submit("/me/notifications/", device.subscription("A <b>phone"), follow=True)
    channel = Channel.objects.get()
    assert "A &lt;b&gt;phone" in account
    assert channel.url not in account
    assert browsers.fingerprint(channel.url) in account
    gustav.submit("/me/notifications/", device.subscription("Again"), follow=True)
    assert Channel.objects.get().label == "Again"
    at = f"/me/webhooks/{channel.code}"
    as_("felix").post(f"{at}/remove/")
    assert Channel.objects.filter(removed_at=None).exists()
    gustav.post(f"{at}/pause/")
    campaign.pass_deadline()
    assert len(chat.raw) == 1
    gustav.post(f"{at}/resume/")
    campaign.pass_deadline()
    assert len(chat.raw) == 2
    gustav.post(f"{at}/remove/")
    campaign.pass_deadline()
    assert len(chat.raw) == 2


def spoil_endpoint(sent: dict[str, str]) -> None:
    sent["endpoint"] = "https://10.0.0.1/push"


def spoil_key(sent: dict[str, str]) -> None:
    sent["p256dh"] = encode(b"\x04" + bytes(64))


def spoil_auth(sent: dict[str, str]) -> None:
    sent["auth"] = "AAAA"


@pytest.mark.parametrize("spoil", [spoil_endpoint, spoil_key, spoil_auth])
def test_invalid_subscription_is_refused(
    chat: Chat, watch: Watch, as_: Browser, spoil: Callable[[dict[str, str]], None]
) -> None:
    Campaign.begin(now=watch.now)
    sent = Device(chat).subscription()
    spoil(sent)
    page = as_("gustav").submit("/me/notifications/", sent, follow=True)
    assert "on the public internet" in page or "keys we cannot use" in page
    assert not Channel.objects.exists()


def test_guests_and_an_eleventh_browser_are_refused(chat: Chat) -> None:
    campaign = Campaign.begin()
    guest = person("felix")
    guest.guest = True
    with pytest.raises(https.WebhookError, match="Log in"):
        browsers.subscribe(guest, **Device(chat).subscription(), now=campaign.now)
    for number in range(browsers.MOST):
        sent = Device(chat).subscription() | {"endpoint": chat.url(f"/push/{number}")}
        browsers.subscribe(person("gustav"), **sent, now=campaign.now)
    with pytest.raises(https.WebhookError, match="10 browsers"):
        browsers.subscribe(person("gustav"), **Device(chat).subscription(), now=campaign.now)


def test_api_lists_webhooks_but_no_browsers(chat: Chat) -> None:
    campaign = Campaign.begin()
    channel = subscribe(campaign, Device(chat))
    gustav = Program("gustav", campaign.now, sends_orders=True)
    assert gustav.read("webhooks") == {"webhooks": []}
    assert gustav.delete(f"/api/v1/webhooks/{channel.code}").status_code == 404


def test_erasure_deletes_browsers(chat: Chat) -> None:
    campaign = Campaign.begin()
    subscribe(campaign, Device(chat))
    erasure.erase(person("gustav"), campaign.now, by=None, press=False)
    assert not Channel.objects.exists()
    assert not Notice.objects.exists()


@pytest.fixture(scope="module")
def chromium(whole_chromium: Chromium) -> Chromium:
    """Return the whole Chromium, for `open_page`: its shell shows no notifications."""
    return whole_chromium


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_worker_shows_a_push_as_a_notification(open_page: OpenPage) -> None:
    """The page offers notifications, and its worker shows what a push service delivers."""
    Campaign.begin()
    page: Page = open_page("/me/", 390, who="gustav")
    expect(page.get_by_role("button", name="Notify me in this browser")).to_be_visible()
    page.context.grant_permissions(["notifications"])
    devtools = page.context.new_cdp_session(page)
    versions: list[dict[str, Any]] = []
    devtools.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: versions.extend(event["registrations"]),
    )
    devtools.send("ServiceWorker.enable")
    worker = page.locator("#notify").get_attribute("data-worker")
    page.evaluate(
        """async (worker) => {
            const registration = await navigator.serviceWorker.register(worker);
            while (registration.active?.state !== "activated")
                await new Promise((wait) => setTimeout(wait, 20));
        }""",
        worker,
    )
    content = {"title": "Slow war", "body": "Orders are due.", "url": page.url, "tag": "game-1"}
    push = {
        "origin": page.url.removesuffix("/me/"),
        "registrationId": versions[-1]["registrationId"],
        "data": json.dumps(content),
    }
    shown: list[Any] = []
    for _ in range(20):  # the browser loses some of those that come by its developers' tools
        devtools.send("ServiceWorker.deliverPushMessage", push)
        shown = page.evaluate(
            """async (worker) => {
                const registration = await navigator.serviceWorker.getRegistration(worker);
                const end = performance.now() + 3000;
                let shown = [];
                while (!shown.length && performance.now() < end) {
                    await new Promise((wait) => setTimeout(wait, 20));
                    shown = await registration.getNotifications();
                }
                return shown.map((one) => [one.title, one.body, one.data]);
            }""",
            worker,
        )
        if shown:
            break
    assert shown == [["Slow war", "Orders are due.", page.url]]
