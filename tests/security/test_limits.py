"""Rate limits, counted in the database, explained in a sentence (issue 10, 5; ASVS 2.2.1, 11.1)."""

from __future__ import annotations

import threading
from contextlib import suppress
from datetime import timedelta
from functools import partial
from io import BytesIO
from typing import Any

import pytest
from django.http import HttpRequest
from django.urls import reverse
from pytest_django import Settings

from games import desk
from games.accounts import rate_limits, tokens
from games.base import origin
from games.desk import scenarios, seats
from games.models import Game, Invitation, Letter, LoginKey, Person, Press, Tally
from games.outbox import subscriptions
from games.press import conversations
from games.rules import cards
from games.seats.press_rules import PressError
from tests.support.at_once import side_by_side
from tests.support.browsing import Visitor
from tests.support.campaign import MONDAY, NATIONS, Campaign, person
from tests.web.test_opening import filled

from .conftest import Browser, Watch

pytestmark = pytest.mark.django_db


def ask(browser: Visitor, email: str, come_from: str = "192.0.2.1") -> str:
    answer = browser.post("/login/", {"email": email}, REMOTE_ADDR=come_from)
    return "sent" if answer.status_code == 302 else answer.content.decode()


@pytest.mark.both_databases
def test_login_letters_are_limited_per_network(watch: Watch, settings: Settings) -> None:
    """Letters to ever new addresses would annoy strangers and fill the tables."""
    settings.LIMITS = settings.LIMITS | {"logins": (3, 3600)}
    assert [ask(Visitor(), f"p{number}@example.org") for number in range(3)] == ["sent"] * 3
    refused = ask(Visitor(), "p3@example.org")
    assert "from your network" in refused
    assert "still works" in refused  # the alternative
    assert Letter.objects.filter(kind="login").count() == 3
    assert ask(Visitor(), "p3@example.org", "192.0.2.2") == "sent"
    watch.pass_by(hours=1)
    assert ask(Visitor(), "p4@example.org") == "sent"


def test_letters_that_a_person_has_sent_to_others_are_limited(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person could have invitations sent to any addresses, and letters to a gamesmaster, as many
    as their browser sent requests."""
    game, ada, felix, now = campaign.game, campaign.ada, person("felix"), campaign.now
    monkeypatch.setattr(seats, "MOST_INVITED_A_DAY", Invitation.objects.count() + 3)
    other = Campaign.open(seats=dict.fromkeys(NATIONS, "")).game
    seat = other.seats.get(nation="France")
    for number in range(3):
        desk.invite(seat, f"p{number}@example.org", ada, now)
    with pytest.raises(desk.DeskError, match="invitations within a day"):
        desk.invite(seat, "p@example.org", ada, now)
    desk.invite(seat, "p@example.org", ada, now + timedelta(days=1, minutes=1))
    for number in range(20):
        desk.ask_gamesmaster(game, f"g{number}@example.org", ada, now)
    with pytest.raises(desk.DeskError, match="20 gamesmasters within a day"):
        desk.ask_gamesmaster(game, "g@example.org", ada, now)
    for _ in range(20):
        desk.stand_down(desk.stand_by(felix, None, "", now), now)
    with pytest.raises(desk.DeskError, match="20 times within a day"):
        desk.stand_by(felix, None, "", now)
    for _ in range(10):
        subscriptions.mute(felix, game, now)
        subscriptions.unmute(felix, game, now)
    with pytest.raises(subscriptions.MuteRefused, match="10 times within a day"):
        subscriptions.mute(felix, game, now)
    assert subscriptions.mute(felix, game, now + timedelta(days=1, minutes=1))


def wrong_code(number: int) -> str:
    """Return a code that no letter has, different for each number."""
    places = range(tokens.LOGIN_CODE_LENGTH)
    return "".join(tokens.CODE_SIGNS[number >> (5 * place) & 31] for place in places)


def test_wrong_codes_of_a_stranger_lock_nobody_out(watch: Watch) -> None:
    """issue 19, 13: 20 wrong codes from anywhere used to end logins by code for a day."""
    key = tokens.new_login(person("una"), "", watch.now)
    for number in range(100):
        guess = {"email": "una@example.org", "code": wrong_code(number)}
        assert "does not belong" in Visitor().submit(
            "/login/code/", guess, REMOTE_ADDR=f"192.0.2.{number}"
        )
    right = {"email": "una@example.org", "code": tokens.login_code(key)}
    assert Visitor().post("/login/code/", right, REMOTE_ADDR="203.0.113.1").status_code == 302
    assert ask(Visitor(), "una@example.org", "203.0.113.1") == "sent"
    newest = {"email": "una@example.org", "code": tokens.login_code(LoginKey.objects.latest("pk"))}
    assert Visitor().post("/login/code/", newest, REMOTE_ADDR="203.0.113.1").status_code == 302


def test_login_letters_requested_by_a_stranger_lock_nobody_out(watch: Watch) -> None:
    """A new letter ends no older one; links and codes that a person has still work."""
    assert ask(Visitor(), "una@example.org") == "sent"
    own = LoginKey.objects.latest("pk")
    while ask(Visitor(), "una@example.org", "192.0.2.66") == "sent":
        pass
    assert LoginKey.objects.count() == tokens.LOGINS_OPEN
    watch.pass_by(minutes=29)
    assert "still unused" in ask(Visitor(), "una@example.org")
    asked_by_stranger = LoginKey.objects.latest("pk")
    for key in (own, asked_by_stranger):
        code = {"email": "una@example.org", "code": tokens.login_code(key)}
        assert Visitor().post("/login/code/", code).status_code == 302
    assert ask(Visitor(), "una@example.org") == "sent"


def test_login_codes_cannot_be_guessed() -> None:
    """docs/security.md: 1,000 guesses a second, 5 open codes: 1 chance in 7,000 a year."""
    codes = len(tokens.CODE_SIGNS) ** tokens.LOGIN_CODE_LENGTH
    assert codes == 2**50
    year = 365.25 * 24 * 3600
    assert 1 / 7_500 < 1000 * year * tokens.LOGINS_OPEN / codes < 1 / 7_000
    many, seconds = 60, 600
    here = rate_limits.WRONG_CODES_HERE
    assert (here.many, here.within) == (many, timedelta(seconds=seconds))
    assert many / seconds * year * tokens.LOGINS_OPEN / codes < 1 / 70_000_000
    made = {tokens.login_code(LoginKey(nonce=str(number))) for number in range(200)}
    assert len(made) == 200
    assert set("".join(made)) == {*tokens.CODE_SIGNS, "-"}


@pytest.mark.both_databases
def test_wrong_codes_of_a_network_are_limited_over_all_addresses(
    watch: Watch, settings: Settings
) -> None:
    settings.LIMITS = settings.LIMITS | {"codes-here": (4, 600)}
    tries = [
        Visitor().submit("/login/code/", {"email": f"p{n}@example.org", "code": wrong_code(n)})
        for n in range(5)
    ]
    assert ["does not belong" in page for page in tries] == [True] * 4 + [False]
    assert "from your network" in tries[4]
    key = tokens.new_login(person("una"), "", watch.now)
    right = {"email": "una@example.org", "code": tokens.login_code(key)}
    assert "or use the link in the newest letter." in Visitor().submit("/login/code/", right)
    assert Visitor().post("/login/code/", right, REMOTE_ADDR="192.0.2.2").status_code == 302
    link = tokens.login_token(tokens.new_login(person("una"), "", watch.now))
    assert Visitor().post(f"/login/{link}/").status_code == 302


def test_orders_beyond_the_limit_are_shown_again_and_earlier_ones_stand(
    campaign: Campaign, watch: Watch, as_: Browser, settings: Settings
) -> None:
    """Nothing is lost: the page that refuses orders shows them."""
    settings.LIMITS = settings.LIMITS | {"orders": (2, 3600)}
    browser = as_("gustav")
    path = f"/games/{campaign.game.pk}/orders/{campaign.seat('Germany').pk}/"
    for number in (1, 2):
        answer = browser.post(path, {"text": f"PLACE {number} Poland", "do": "send-anyway"})
        assert answer.status_code == 302
    answer = browser.post(path, {"text": "PLACE 3 Poland <b>", "do": "send-anyway"})
    assert answer.status_code == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 3600
    page = answer.content.decode()
    assert "PLACE 3 Poland &lt;b&gt;" in page
    assert "the newest orders we accepted are in force" in page
    assert browser.get(path).status_code == 200
    assert campaign.game.submissions.count() == 2
    path = f"/games/{campaign.game.pk}/orders/{campaign.seat('France').pk}/"
    assert as_("felix").post(path, {"text": "PASS", "do": "send-anyway"}).status_code == 302


@pytest.mark.both_databases
def test_sending_is_limited_per_person(
    campaign: Campaign, watch: Watch, as_: Browser, settings: Settings
) -> None:
    settings.LIMITS = settings.LIMITS | {"sent": (3, 600), "strangers": (2, 600)}
    browser = as_("felix")
    codes = [browser.post("/me/", {"name": "F", "zone": "UTC"}).status_code for _ in range(4)]
    assert codes == [302, 302, 302, 429]
    assert browser.get("/me/").status_code == 200
    codes = [Visitor().post("/class/", {"code": "x"}).status_code for _ in range(3)]
    assert codes == [200, 200, 429]
    assert Visitor().post("/class/", {"code": "x"}, REMOTE_ADDR="192.0.2.77").status_code == 200


def test_games_that_a_person_opens_or_tries_out_are_limited(
    watch: Watch, as_: Browser, settings: Settings
) -> None:
    """Anybody could have the service play thousands, and the deadlines of all others wait."""
    settings.LIMITS = settings.LIMITS | {"games": (2, 3600)}
    felix = as_("felix")
    card = cards.load("origins-ww2", "historical")
    scenario = scenarios.keep(person("felix"), "origins-ww2", card, MONDAY)
    tried = reverse("scenario-try", args=[scenario.pk])
    assert "draw No. 1" in felix.submit(tried, {"seed": "1"})
    felix.post("/practice/")
    played = Game.objects.get()
    sentence = "You have opened or tried out many games within an hour. Wait "
    assert sentence in felix.submit(tried, {"seed": "1"}, follow=True)
    again = felix.submit(reverse("practice-again", args=[played.pk]), follow=True)
    assert sentence in again
    page = felix.submit("/games/new/", filled(title="Mine"))
    assert sentence in page
    assert 'value="Mine"' in page
    assert Game.objects.get().status == Game.Status.RUNNING, "the practice game goes on"
    watch.pass_by(hours=1)
    assert felix.post("/games/new/", filled()).status_code == 302


def test_too_long_body_is_refused(as_: Browser, settings: Settings) -> None:
    settings.BODY_LARGEST = 1000
    answer = as_("felix").post("/me/", {"name": "x" * 2000})
    assert answer.status_code == 413
    assert "1 kilobytes" in answer.content.decode()


@pytest.mark.parametrize(("size", "status"), [(900, 404), (2000, 413)])
def test_body_that_nobody_needs_is_read_all_the_same(
    settings: Settings, size: int, status: int
) -> None:
    """While a proxy still sends a body, an answer and the end of the connection are an error to it:
    nginx showed its 502 for one of eight uploads, and Caddy an empty page."""
    settings.BODY_LARGEST = 1000
    body = BytesIO(b"x" * size)
    given: dict[str, Any] = {"wsgi.input": body}
    answer = Visitor().generic("POST", "/nowhere/", b"x" * size, **given)
    assert answer.status_code == status
    assert body.tell() == size


def test_too_many_fields_are_refused(as_: Browser) -> None:
    """With a page, not with an error."""
    many = "&".join(f"a{number}=" for number in range(100_000))
    answer = as_("felix").post("/me/", many, content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 400
    assert "could not read this request" in answer.content.decode()


def test_network_addresses_are_not_stored(watch: Watch) -> None:
    ask(Visitor(), "una@example.org", "203.0.113.99")
    stored = (
        f"{list(Tally.objects.values())} {list(LoginKey.objects.values())}"
        f" {list(Letter.objects.values())}"
    )
    assert "203.0.113.99" not in stored
    assert rate_limits.clear(watch.now + timedelta(days=2)) > 0
    assert not Tally.objects.exists()


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_concurrent_requests_are_all_counted() -> None:
    """Web processes count in the database: no request is lost."""

    def tries() -> None:
        for _ in range(15):
            rate_limits.count(rate_limits.SENT, 1, MONDAY)

    assert side_by_side(tries, tries, tries) == []
    assert Tally.objects.get().number == 45


# --- the origin of a request ---


@pytest.mark.parametrize(
    ("trusted", "tls_proxy", "direct", "forwarded", "expected"),
    [
        ([], False, "192.0.2.1", "203.0.113.9", "192.0.2.1"),  # anybody can write this header
        # the last entry is our one proxy's
        ([], True, "10.0.0.1", "6.6.6.6, 203.0.113.9", "203.0.113.9"),
        ([], True, "10.0.0.1", "", "10.0.0.1"),
        # two proxies of ours
        (["10.0.0.0/8"], False, "10.0.0.1", "6.6.6.6, 203.0.113.9, 10.0.0.7", "203.0.113.9"),
        # a request that bypasses our proxy: its header is ignored
        (["10.0.0.0/8"], True, "192.0.2.1", "203.0.113.9", "192.0.2.1"),
        (["10.0.0.0/8"], False, "", "203.0.113.9", "203.0.113.9"),  # by a socket
        # what a client wrote before, however long, pushes out nothing that a proxy added
        ([], True, "10.0.0.1", "6.6.6.6, " * 900 + "203.0.113.9", "203.0.113.9"),
        (["10.0.0.0/8"], False, "10.0.0.1", "6.6.6.6, " * 900 + "203.0.113.9", "203.0.113.9"),
        (["10.0.0.0/8"], False, "10.0.0.1", "", "10.0.0.1"),
        (["2001:db8::/32"], False, "2001:db8::1", "2001:470:1:2:3:4:5:6", "2001:470:1:2::/64"),
        # a household has the whole network
        ([], False, "2001:470:1:2:ffff::1", "", "2001:470:1:2::/64"),
        ([], False, "::ffff:192.0.2.1", "", "192.0.2.1"),
        ([], True, "10.0.0.1", "no address", ""),
        ([], False, "", "", ""),
    ],
)
def test_forwarded_address_is_trusted_from_own_proxies_only(
    settings: Settings,
    trusted: list[str],
    tls_proxy: bool,
    direct: str,
    forwarded: str,
    expected: str,
) -> None:
    settings.TRUSTED_PROXIES = trusted
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if tls_proxy else None
    request = HttpRequest()
    request.META = {
        "REMOTE_ADDR": direct,
        **({"HTTP_X_FORWARDED_FOR": forwarded} if forwarded else {}),
    }
    assert origin.origin_of(request) == expected


@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
def test_limit_of_a_new_account_holds_for_two_games_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each request locks its own game; both counted before either had written."""
    monkeypatch.setattr(conversations, "MOST_A_DAY_WHEN_NEW", 1)
    campaigns = [Campaign.begin(), Campaign.begin(title="Another war")]
    gustav = campaigns[0].players["Germany"]
    now = campaigns[0].now
    Person.objects.filter(pk=gustav.pk).update(joined_at=now - timedelta(hours=1))
    counted = threading.Barrier(2, timeout=2)
    check_readers = conversations._check_readers

    def wait_for_the_other(*args: Any) -> None:
        with suppress(threading.BrokenBarrierError):  # it waits for the person's row
            counted.wait()
        check_readers(*args)

    monkeypatch.setattr(conversations, "_check_readers", wait_for_the_other)

    def send(campaign: Campaign) -> None:
        seat, person = campaign.seat("Germany"), Person.objects.get(pk=gustav.pk)
        conversations.send(
            campaign.game, seat, person, ["France"], "Peace?", channel="web", now=now
        )

    (refused,) = side_by_side(*(partial(send, campaign) for campaign in campaigns))
    assert isinstance(refused, PressError)
    assert Press.objects.filter(person=gustav).count() == 1
