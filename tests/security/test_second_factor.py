"""Two-factor login for those who run the service (issue 10, point 5; ASVS 2.8)."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django import Settings

from games.accounts import rate_limits, tokens, two_factor
from games.models import Person, RecoveryCode, SecondFactor
from tests.support.browsing import Visitor, log_in
from tests.support.campaign import Campaign, person

from .conftest import Watch

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _asked_for(settings: Settings, watch: Watch) -> None:
    settings.ADMIN_SECOND_FACTOR = True


def staff(name: str = "root", *, superuser: bool = True) -> Person:
    member = person(name)
    member.is_staff, member.is_superuser = True, superuser
    member.save()
    return member


def by_letter(who: Person, watch: Watch) -> Visitor:
    """Return a browser in which a person has just followed the link of their letter."""
    browser = Visitor()
    key = tokens.new_login(who, "", watch.now)
    assert browser.post(f"/login/{tokens.login_token(key)}/").status_code == 302
    return browser


def set_up(browser: Visitor, who: Person, watch: Watch) -> tuple[SecondFactor, list[str]]:
    """Set up two-factor by the page with the QR code; return the factor and its recovery codes."""
    assert "data:image/svg+xml" in browser.read("/second-factor/new/")
    factor = SecondFactor.objects.get(person=who)
    answer = browser.post("/second-factor/new/", {"digits": shown_now(factor, watch)})
    codes = re.findall(r"<code>([a-z0-9]{5}-[a-z0-9]{5})</code>", answer.content.decode())
    assert len(codes) == two_factor.RECOVERY_CODES
    return factor, codes


def shown_now(factor: SecondFactor, watch: Watch, off: int = 0) -> str:
    return two_factor.digits(two_factor.secret(factor), two_factor.step_of(watch.now) + off)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (59, "94287082"),
        (1111111109, "07081804"),
        (1111111111, "14050471"),
        (1234567890, "89005924"),
        (20000000000, "65353130"),
    ],
)
def test_digits_match_the_standard(seconds: int, expected: str) -> None:
    """RFC 6238, appendix B, SHA-1; six digits are the last six of its eight."""
    made = two_factor.digits(b"12345678901234567890", seconds // two_factor.STEP)
    assert made == expected[-two_factor.DIGITS :]


def test_admin_needs_letter_and_second_factor(watch: Watch) -> None:
    """ASVS 4.3.1: a letter alone opens neither the admin nor, for an administrator, any game."""
    root = staff()
    browser = by_letter(root, watch)
    for path in ("/admin/", "/admin/games/person/", "/", "/desk/", "/me/", "/admin/logout/"):
        assert browser.get(path).headers["Location"] == "/second-factor/", path
    assert browser.post("/me/", {"name": "Changed"}).headers["Location"] == "/second-factor/"
    assert browser.get("/second-factor/").headers["Location"] == "/second-factor/new/"
    set_up(browser, root, watch)
    assert browser.get("/admin/").status_code == 200
    # another browser needs its own second factor
    assert by_letter(root, watch).get("/admin/").status_code == 302


def test_gamesmaster_needs_a_second_factor_in_the_admin_only(watch: Watch) -> None:
    campaign = Campaign.begin()
    ada = campaign.ada
    browser = by_letter(ada, watch)
    assert browser.get(f"/games/{campaign.game.pk}/desk/").status_code == 200
    assert browser.get("/admin/games/game/").headers["Location"] == "/second-factor/"
    set_up(browser, ada, watch)
    assert browser.get("/admin/games/game/").status_code == 200


def test_login_returns_to_the_requested_page(watch: Watch) -> None:
    root = staff()
    factor, _ = set_up(by_letter(root, watch), root, watch)
    watch.pass_by(minutes=5)
    browser = by_letter(root, watch)
    browser.get("/admin/games/game/?q=lights")
    answer = browser.post("/second-factor/", {"digits": shown_now(factor, watch)})
    assert answer.headers["Location"] == "/admin/games/game/?q=lights"


def test_digits_work_only_once(watch: Watch) -> None:
    """ASVS 2.8.4: replayed digits are refused, from another browser too."""
    root = staff()
    factor, _ = set_up(by_letter(root, watch), root, watch)
    watch.pass_by(minutes=5)
    typed = shown_now(factor, watch)
    first, second = by_letter(root, watch), by_letter(root, watch)
    assert first.post("/second-factor/", {"digits": f"{typed[:3]} {typed[3:]}"}).status_code == 302
    assert "already been used" in second.submit("/second-factor/", {"digits": typed})
    assert second.get("/admin/").status_code == 302


@pytest.mark.parametrize(("off", "opens"), [(-2, False), (-1, True), (1, True), (2, False)])
def test_clock_of_the_telephone_may_differ_by_half_a_minute(
    watch: Watch, off: int, opens: bool
) -> None:
    root = staff()
    factor, _ = set_up(by_letter(root, watch), root, watch)
    watch.pass_by(minutes=5)
    typed = {"digits": shown_now(factor, watch, off)}
    assert (by_letter(root, watch).post("/second-factor/", typed).status_code == 302) is opens


def test_wrong_digits_are_limited_for_a_time(watch: Watch) -> None:
    root = staff()
    factor, codes = set_up(by_letter(root, watch), root, watch)
    watch.pass_by(minutes=40)
    browser = by_letter(root, watch)
    for _ in range(rate_limits.WRONG_FACTORS.many):
        assert "not the code" in browser.submit("/second-factor/", {"digits": "000000"})
    refused = browser.post("/second-factor/", {"digits": shown_now(factor, watch)})
    assert refused.status_code == 429
    assert "Wait" in refused.content.decode()
    elsewhere = by_letter(root, watch)
    assert elsewhere.post("/second-factor/", {"digits": codes[0]}).status_code == 429
    watch.pass_by(minutes=16)
    assert browser.post("/second-factor/", {"digits": shown_now(factor, watch)}).status_code == 302


def test_digits_tried_at_the_same_time_are_limited_too(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each try begins while those before it are still looked at."""
    root = staff()
    set_up(by_letter(root, watch), root, watch)
    looked_at: list[str] = []

    def take(factor: SecondFactor, typed: str, now: datetime) -> None:
        looked_at.append(typed)
        if len(looked_at) < 20:
            with suppress(two_factor.FactorRefused, rate_limits.TooMany):
                two_factor.show(root, "000000", now)
        raise two_factor.FactorRefused

    monkeypatch.setattr(two_factor, "_take", take)
    with suppress(two_factor.FactorRefused):
        two_factor.show(root, "000000", watch.now)
    assert len(looked_at) == rate_limits.WRONG_FACTORS.many


def test_recovery_code_works_only_once(watch: Watch) -> None:
    root = staff()
    factor, codes = set_up(by_letter(root, watch), root, watch)
    first, second = by_letter(root, watch), by_letter(root, watch)
    assert first.post("/second-factor/", {"digits": codes[3].upper()}).status_code == 302
    refused = second.submit("/second-factor/", {"digits": codes[3]})
    assert "not one of your recovery codes" in refused
    assert two_factor.recovery_codes_left(factor) == two_factor.RECOVERY_CODES - 1


def test_database_contains_no_digits_or_recovery_codes(watch: Watch) -> None:
    """design 8: keys are computed from a nonce and the service's secret; codes are hashed."""
    root = staff()
    factor, codes = set_up(by_letter(root, watch), root, watch)
    stored = f"{list(SecondFactor.objects.values())} {list(RecoveryCode.objects.values())}"
    for secret in (
        two_factor.secret(factor).hex(),
        two_factor.grouped_secret(factor).replace(" ", ""),
        *codes,
        *(code.replace("-", "") for code in codes),
    ):
        assert secret.lower() not in stored.lower()


def test_second_factor_is_set_up_after_a_fresh_login_only(watch: Watch) -> None:
    """ASVS 2.2.4, 3.7.1: an open browser or a stolen cookie cannot set up or replace it."""
    root = staff()
    browser = by_letter(root, watch)
    watch.pass_by(minutes=31)
    assert "Log in again" in browser.read("/second-factor/new/")
    assert not SecondFactor.objects.filter(person=root).exists()
    forced = log_in(root)  # a session without a login time
    assert "Log in again" in forced.read("/second-factor/new/")
    factor, _ = set_up(by_letter(root, watch), root, watch)
    watch.pass_by(hours=1)
    late = by_letter(root, watch)
    late.post("/second-factor/", {"digits": shown_now(factor, watch)})
    watch.pass_by(minutes=31)
    assert "Log in again" in late.submit("/second-factor/change/", {"wish": "end"})
    assert SecondFactor.objects.filter(person=root).exists()


def test_second_factor_expires_after_half_a_day_and_when_replaced(watch: Watch) -> None:
    root = staff()
    browser = by_letter(root, watch)
    set_up(browser, root, watch)
    watch.pass_by(hours=11)
    assert browser.get("/admin/").status_code == 200
    watch.pass_by(hours=2)
    assert browser.get("/admin/").status_code == 302
    other = by_letter(root, watch)
    factor = SecondFactor.objects.get(person=root)
    other.post("/second-factor/", {"digits": shown_now(factor, watch)})
    assert "New recovery codes" in other.read("/second-factor/")
    assert "Write these down" in other.submit("/second-factor/change/", {"wish": "codes"})
    ended = other.post("/second-factor/change/", {"wish": "end"})
    assert ended.headers["Location"] == "/second-factor/new/"
    assert other.get("/admin/").status_code == 302


def test_operator_turns_off_a_lost_second_factor(
    watch: Watch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = staff()
    set_up(by_letter(root, watch), root, watch)
    call_command("second_factor", end="Root@Example.org")
    assert "Turned off." in capsys.readouterr().out
    answer = by_letter(root, watch).get("/second-factor/")
    assert answer.headers["Location"] == "/second-factor/new/"
    with pytest.raises(CommandError, match=r"“nobody@example\.org”"):
        call_command("second_factor", end="nobody@example.org")


def test_players_are_never_asked_for_a_second_factor(watch: Watch) -> None:
    browser = by_letter(person("felix"), watch)
    assert browser.get("/").status_code == 200
    for path in ("/second-factor/", "/second-factor/new/"):
        assert browser.get(path).status_code == 403
    assert Visitor().get("/second-factor/").headers["Location"].startswith("/login/")


def test_second_factor_stays_required_for_owners_without_the_setting(
    watch: Watch, settings: Settings
) -> None:
    root, other = staff(), staff("olga")
    set_up(by_letter(root, watch), root, watch)
    settings.ADMIN_SECOND_FACTOR = False
    assert by_letter(root, watch).get("/admin/").status_code == 302
    assert by_letter(other, watch).get("/admin/").status_code == 200


def test_next_page_after_two_factor_stays_on_this_site(watch: Watch) -> None:
    root = staff()
    factor, _ = set_up(by_letter(root, watch), root, watch)
    watch.pass_by(minutes=5)
    browser = by_letter(root, watch)
    session = browser.session
    session[two_factor.NEXT] = "//evil.example/"
    session.save()
    answer = browser.post("/second-factor/", {"digits": shown_now(factor, watch)})
    assert answer.headers["Location"] == "/"
