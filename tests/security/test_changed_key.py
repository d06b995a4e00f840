"""A changed SECRET_KEY with the old one in SECRET_KEY_FALLBACKS locks nobody out and breaks no link
of a letter already sent."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import timedelta

import pytest
from pytest_django import Settings

from games import desk
from games.accounts import tokens, two_factor
from games.base.signing import Salt
from games.models import Act, Address, Invitation, Letter, LoginKey, ReplyAddress, SecondFactor
from orders.models import Handling
from tests.support.campaign import Campaign, person

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
DAY = timedelta(days=1)


@pytest.fixture
def rotate(settings: Settings) -> Callable[[], None]:
    """Return a function that replaces the key and keeps the old one among the fallbacks."""

    def change() -> None:
        settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
        settings.SECRET_KEY = secrets.token_urlsafe(50)

    return change


def confirmed_factor(campaign: Campaign) -> tuple[SecondFactor, bytes, list[str]]:
    factor = two_factor.begin(campaign.ada, campaign.now)
    app = two_factor.secret(factor)
    shown = two_factor.digits(app, two_factor.step_of(campaign.now))
    return factor, app, two_factor.confirm(factor, shown, campaign.now)


def test_second_factor_works_after_the_key_changed(
    campaign: Campaign, rotate: Callable[[], None]
) -> None:
    _, app, codes = confirmed_factor(campaign)
    rotate()
    rotate()
    later = campaign.now + DAY
    shown = two_factor.digits(app, two_factor.step_of(later))
    two_factor.show(campaign.ada, shown, later)
    two_factor.show(campaign.ada, codes[0], later)
    with pytest.raises(two_factor.FactorRefused, match="has been used"):
        two_factor.show(campaign.ada, codes[0], later)


def test_second_factor_needs_the_old_key(campaign: Campaign, settings: Settings) -> None:
    _, app, codes = confirmed_factor(campaign)
    settings.SECRET_KEY = secrets.token_urlsafe(50)
    later = campaign.now + DAY
    for typed in (two_factor.digits(app, two_factor.step_of(later)), codes[0]):
        with pytest.raises(two_factor.FactorRefused):
            two_factor.show(campaign.ada, typed, later)


def test_login_letter_works_after_the_key_changed(
    campaign: Campaign, rotate: Callable[[], None]
) -> None:
    una, now = person("una"), campaign.now
    keys = [tokens.new_login(una, "", now) for _ in range(2)]
    link, code = tokens.login_token(keys[0]), tokens.login_code(keys[1])
    rotate()
    keys = [LoginKey.objects.get(pk=key.pk) for key in keys]
    assert (tokens.login_token(keys[0]), tokens.login_code(keys[1])) == (link, code)
    assert tokens.find_login(link, now) == keys[0]
    assert tokens.use_code(una.email, code, now) == una
    assert tokens.find_login(tokens.login_token(tokens.new_login(una, "", now)), now)


def test_links_of_letters_work_after_the_key_changed(
    campaign: Campaign, rotate: Callable[[], None]
) -> None:
    game, now, ada = campaign.game, campaign.now, campaign.ada
    gustav = campaign.players["Germany"]
    invitation = tokens.new_invitation(campaign.seat("France"), "dana@example.org", ada, now)
    address = tokens.reply_address(gustav, game, now)
    reply = ReplyAddress.objects.get(person=gustav, game=game, ended_at=None)
    letter = Letter.objects.filter(game=game).latest("pk")
    nonce, token_hash = tokens.new_nonce(Salt.ADDRESS)
    second = Address.objects.create(
        person=gustav, email="g@other.example", added_at=now, nonce=nonce, token_hash=token_hash
    )
    handling = Handling(pk=3, nonce=nonce, token_hash=token_hash)
    invited, joined, muted = (
        tokens.invitation_token(invitation),
        tokens.join_token(game),
        tokens.mute_token(reply),
    )
    bounced, asked = tokens.bounce_token(letter), tokens.asking_token("c", handling)
    confirmed = tokens.address_token(second)
    rotate()
    invitation = Invitation.objects.get(pk=invitation.pk)
    assert tokens.invitation_token(invitation) == invited
    assert tokens.find_invitation(invited, now) == invitation
    assert tokens.is_join(joined, game)
    assert tokens.is_join(tokens.join_token(game), game)
    assert not tokens.is_join("0" * 40, game)
    assert tokens.find_mute(game, muted) == reply
    assert tokens.find_bounced(bounced) == letter
    assert tokens.is_asking(asked, "c", handling)
    assert tokens.reply_address(gustav, game, now) == address
    assert tokens.hash_of(tokens.address_token(second)) == second.token_hash
    assert tokens.address_token(second) == confirmed


def test_printed_code_works_after_the_key_changed(
    campaign: Campaign, rotate: Callable[[], None]
) -> None:
    gustav, now = campaign.players["Germany"], campaign.now
    row = tokens.new_printed_code(gustav, campaign.game, campaign.ada, now)
    printed = tokens.printed_code(row)
    rotate()
    assert tokens.printed_code(row) == printed
    assert tokens.use_printed_code(printed, "10.0.0.1", now) == row


def test_request_to_run_a_game_works_after_the_key_changed(
    campaign: Campaign, rotate: Callable[[], None]
) -> None:
    desk.ask_gamesmaster(campaign.game, "dana@example.org", campaign.ada, campaign.now)
    token = tokens.request_token(Act.objects.latest("pk"))
    rotate()
    assert desk.accept_request(token, campaign.now)[1] == person("dana")


@pytest.mark.parametrize("other", ["person", "time"])
def test_request_link_does_not_fit_another_act_with_its_number(
    campaign: Campaign, other: str
) -> None:
    """A restored database may give the number to another act, which asks another person."""
    desk.ask_gamesmaster(campaign.game, "dana@example.org", campaign.ada, campaign.now)
    act = Act.objects.latest("pk")
    token = tokens.request_token(act)
    assert tokens.is_request(token, act)
    if other == "person":
        act.about["person"] = person("una").pk
    else:
        act.done_at += timedelta(seconds=1)
    assert not tokens.is_request(token, act)
