"""Opening a game, inviting, sitting down, starting."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse
from django.utils.html import escape

from games import desk
from games.accounts import tokens
from games.desk import presets, times
from games.market import bank
from games.models import Game, Invitation, Letter, Person, Seat
from games.operations.personal import erasure
from games.rules.options import LIQUID_STOCKS
from games.web.desk.forms import field_name
from tests.support.campaign import NATIONS, Campaign, person

from .conftest import Browser, Watch

pytestmark = pytest.mark.django_db


def filled(**changes: Any) -> dict[str, Any]:
    """Return a valid form: Ada plays France, bots Britain and the USA; two people are invited."""
    fields = {"title": "The lights go out", "card": "historical", "market": "demo", "public": "on"}
    fields |= {"every": "weekday", "weeks": "2", "weekday": "friday", "days": "14"}
    fields |= {"sessions": "1", "minutes": "5", "time": "09:00", "zone": "America/New_York"}
    fields |= {"who_0": "bot", "who_1": "me", "who_2": "bot", "who_3": "address", "who_4": ""}
    fields |= {"email_3": "rosa@example.org", "email_4": "gustav@example.org"}
    return {**fields, **changes}


def opened(as_: Browser, **changes: Any) -> Game:
    answer = as_("ada").post(reverse("game-new"), filled(**changes))
    assert answer.status_code == 302, answer.content.decode()
    return Game.objects.latest("pk")


def test_form_refuses_one_address_for_two_nations(as_: Browser) -> None:
    fields = filled(email_4="Rosa@example.org")
    answer = as_("ada").post(reverse("game-new"), fields)
    assert answer.status_code == 200
    assert "is also the address for Russia" in answer.content.decode()
    assert not Game.objects.exists()


def do_with_people(as_: Browser, game: Game, **data: Any) -> str:
    """Press a button of the desk's page of people; return the page that comes."""
    return as_("ada").submit(reverse("desk-people", args=[game.pk]), data, follow=True)


def token(seat: Seat) -> str:
    invitation = seat.invitations.order_by("-pk").first()
    assert invitation is not None
    return tokens.invitation_token(invitation)


def test_game_is_opened_accepted_and_started(as_: Browser) -> None:
    game = opened(as_)
    assert game.schedule == {"every": "weekday", "weekday": "friday", "weeks": 2, "time": "09:00"}
    assert set(Letter.objects.filter(kind="invitation").values_list("address", flat=True)) == {
        "rosa@example.org",
        "gustav@example.org",
    }
    assert game.seats.get(nation="Britain").bot
    assert game.seats.get(nation="France").people.get() == person("ada")

    as_("ada").post(reverse("game-start", args=[game.pk]))
    game.refresh_from_db()
    assert game.status == Game.Status.FORMING, "two seats are empty"

    for nation in ("Russia", "Germany"):
        browser = as_()
        link = reverse("invitation", args=[token(game.seats.get(nation=nation))])
        assert nation in browser.read(link)
        assert "_auth_user_id" not in browser.session, "looking takes no seat"
        answer = browser.post(link, {"name": f"Player of {nation}"})
        assert answer["Location"] == game.get_absolute_url()
        assert browser.session["_auth_user_id"] == str(
            game.seats.get(nation=nation).people.get().pk
        )
    rosa = Person.objects.get(email="rosa@example.org")
    assert (rosa.name, rosa.zone) == ("Player of Russia", game.zone)

    as_("ada").post(reverse("game-start", args=[game.pk]))
    game.refresh_from_db()
    assert game.status == Game.Status.RUNNING
    phase = game.phases.current()
    assert phase is not None
    assert phase.number == 1


def test_name_given_with_an_address_is_the_gamesmasters_until_the_person_takes_one(
    as_: Browser,
) -> None:
    """Issue 43: names instead of addresses for people invited."""
    game = opened(
        as_, email_4="Gustav Holst <gustav@example.org>", email_3="Rosa <rosa@example.org>"
    )
    page = as_("ada").read(reverse("desk-people", args=[game.pk]))
    assert "Gustav Holst (gustav@example.org) was invited" in page
    assert "Gustav Holst" in as_("ada").read(reverse("desk-letters", args=[game.pk]))
    Letter.objects.filter(address="gustav@example.org").update(status=Letter.Status.FAILED)
    assert "Gustav Holst" in as_("ada").read(reverse("desk", args=[game.pk])), "what came back"
    assert not Person.objects.filter(email="gustav@example.org").exists(), "nobody is named unasked"
    for email, typed, name in (
        ("gustav@example.org", "Gustav Holst", "Gustav Holst"),
        ("rosa@example.org", "Rosa Luxemburg", "Rosa Luxemburg"),
    ):
        offer = Invitation.objects.get(email=email)
        link, browser = reverse("invitation", args=[tokens.invitation_token(offer)]), as_()
        assert f'value="{offer.name}"' in browser.read(link), "offered, to be kept or changed"
        browser.post(link, {"name": typed})
        assert Person.objects.get(email=email).name == name


def test_name_given_by_a_gamesmaster_does_not_replace_a_persons_own(as_: Browser) -> None:
    person("gustav")
    game = opened(as_, email_4="Somebody Else <gustav@example.org>")
    link = reverse("invitation", args=[token(game.seats.get(nation="Germany"))])
    assert "Somebody Else" not in as_().read(link)
    as_().post(link, {"name": "Somebody Else"})
    assert person("gustav").name == "Gustav"


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        ({"every": "minutes", "minutes": "7"}, {"every": "minutes", "minutes": 7}),
        (
            {"every": "days", "days": "3", "time": "18:30"},
            {"every": "days", "days": 3, "time": "18:30"},
        ),
        (
            {"every": "trading_morning"},
            {"every": "trading_morning", "sessions": 1, "time": "09:00"},
        ),
        (
            {"every": "weekdays", "weekdays": ["tuesday", "friday"], "lasts_first": "14"},
            {
                "every": "weekdays",
                "weekdays": ["tuesday", "friday"],
                "time": "09:00",
                "lasts": {"first": 14},
            },
        ),
    ],
)
def test_every_kind_of_schedule_is_stored(
    as_: Browser, kind: dict[str, Any], rule: dict[str, Any]
) -> None:
    assert opened(as_, **kind).schedule == rule


def test_holidays_are_set_at_opening(as_: Browser) -> None:
    """Issue 25, 5."""
    game = opened(as_, holidays="2026-12-24 2026-12-26 Christmas")
    assert game.holidays == [["2026-12-24", "2026-12-26", "Christmas"]]


def test_chosen_options_are_stored(as_: Browser) -> None:
    game = opened(as_, option_ow2_sub_1_1="attacker_removed", option_orders_grace_hours="2")
    assert game.options["ow2.sub_1_1"] == "attacker_removed"
    assert game.options["orders.grace_hours"] == 2
    assert game.options["ow2.u_loss"] == "pf_first"


@pytest.mark.parametrize("name", bank.suggested_lists())
def test_suggested_list_becomes_the_reserve_list(as_: Browser, name: str) -> None:
    """rules.md 0.1: the reserve list is fixed at opening, in its order."""
    page = as_("ada").read(reverse("game-new"))
    for words in (
        bank.suggested_lists()[name].title,
        bank.suggested_lists()[name].why,
        " ".join(bank.suggested_lists()[name].symbols),
    ):
        assert escape(words) in page
    game = opened(as_, bank=name, option_rng_market=bank.suggested_lists()[name].market)
    assert (
        game.reserves
        == game.options["rng.reserve_list"]
        == list(bank.suggested_lists()[name].symbols)
    )


def test_default_reserve_list_is_the_services_own(as_: Browser) -> None:
    assert opened(as_).reserves == list(LIQUID_STOCKS)


@pytest.mark.parametrize(
    ("exchange", "zone", "time"),
    [
        ("", "America/New_York", "09:00"),
        ("new_york", "America/New_York", "09:00"),
        ("london", "Europe/London", "07:30"),
        ("tokyo", "Asia/Tokyo", "08:30"),
        ("sydney", "Australia/Sydney", "09:30"),
    ],
)
def test_default_deadlines_follow_the_clock_of_the_exchange(
    as_: Browser, exchange: str, zone: str, time: str
) -> None:
    """rules.md 0.1: they come before the bell, so that day's sales decide."""
    game = opened(as_, option_rng_market=exchange, market="yahoo", zone="", time="")
    assert (game.zone, game.schedule["time"]) == (zone, time)
    assert game.options["rng.market"] == (exchange or "new_york")


def test_chosen_zone_and_time_are_kept_on_any_exchange(as_: Browser) -> None:
    game = opened(
        as_, option_rng_market="tokyo", market="newspaper", zone="Europe/Berlin", time="20:00"
    )
    assert (game.zone, game.schedule["time"]) == ("Europe/Berlin", "20:00")
    assert game.reserves[0] == "7203.T"


@pytest.mark.parametrize(
    ("preset", "exchange", "time"),
    [
        ("e-mail-league", "tokyo", "08:30"),
        ("e-mail-league", "new_york", "09:00"),
        ("as-printed", "london", "07:30"),
    ],
)
def test_preset_keeps_the_exchange_and_sets_a_deadline_before_its_bell(
    as_: Browser, preset: str, exchange: str, time: str
) -> None:
    page = as_("ada").post(
        reverse("game-new"), filled(preset=preset, option_rng_market=exchange, zone="", time="")
    )
    form = page.context["form"]
    assert form["option_rng_market"].value() == exchange
    sent = {
        name: form[name].value() for name in form.fields if form[name].value() not in (None, False)
    }
    as_("ada").post(reverse("game-new"), {**sent, "card": "historical", "title": "As filled in"})
    game = Game.objects.latest("pk")
    assert (game.options["rng.market"], game.schedule["time"]) == (exchange, time)


def test_exchanges_are_offered_with_hours_and_symbols(as_: Browser) -> None:
    page = as_("ada").read(reverse("game-new"))
    assert page.count('name="option_rng_market"') == 1
    assert "Trading begins at 9:00 Tokyo time; symbols end in .T, such as 7203.T." in page
    game = opened(as_, option_rng_market="tokyo", market="yahoo")
    shown = as_("ada").read(game.get_absolute_url())
    assert "Tokyo sales as Yahoo reports them; symbols end in .T, such as 7203.T" in shown


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"title": ""}, "Enter a title"),
        ({"option_rng_market": "london", "bank": "household-names"}, "has no stocks of London"),
        ({"option_rng_market": "vienna"}, "“vienna” is not one of the choices"),
        ({"every": "days", "days": ""}, "whole number from 1"),
        ({"every": "minutes", "minutes": "0"}, "“0” is too small. It must be at least 1"),
        ({"time": "nine"}, "time of day"),
        ({"zone": "Mars/Olympus"}, "not a time zone"),
        ({"email_3": ""}, "Enter the address of the player of Russia"),
        ({"email_3": "rosa"}, "not an e-mail address"),
        ({"who_4": "bot"}, "clear one of the two"),
        ({"reserves": "GE IBM"}, "“GE IBM” names 2 different stocks; a reserve list needs 20"),
        ({"reserves": "GE, 😀"}, "“😀” is not a stock symbol such as GE"),
        ({"title": "x" * 90}, "is too long. Use at most 80 characters"),
        ({"title": "a\0b"}, "contains a character that cannot be stored"),
        ({"weeks": "9" * 30}, "is too large. It must be at most 52"),
        ({"option_ow2_tie": "coin"}, "“coin” is not one of the choices"),
        ({"bank": "old-dow", "reserves": "GE IBM"}, "Clear the list, or choose"),
        ({"bank": "no-such"}, "“no-such” is not one of the choices"),
        ({"card": "no-such"}, "“no-such” is not one of the choices"),
    ],
)
def test_invalid_input_is_explained_at_its_field_and_kept(
    as_: Browser, changes: dict[str, str], sentence: str
) -> None:
    answer = as_("ada").post(reverse("game-new"), filled(**{"title": "Kept as typed"} | changes))
    page = answer.content.decode()
    assert answer.status_code == 200
    assert sentence in page
    assert "gustav@example.org" in page
    assert "title" in changes or "Kept as typed" in page
    assert not Game.objects.exists()


def test_opening_needs_a_login(as_: Browser) -> None:
    assert as_().get(reverse("game-new"))["Location"].startswith(reverse("login"))
    assert as_("ada").get(reverse("game-new")).status_code == 200
    assert as_("ada").delete(reverse("game-new")).status_code == 405


def test_used_invitation_leads_to_the_login_or_the_game(as_: Browser) -> None:
    """Review of a player, B7: it was a dead end for the player who had used it."""
    game = opened(as_)
    link = reverse("invitation", args=[token(game.seats.get(nation="Russia"))])
    as_().post(link)
    for answer in (as_().get(link), as_().post(link)):
        assert answer.status_code == 410
        assert "Send me a login letter" in answer.content.decode()
    rosa = as_("rosa")
    assert rosa.get(link).headers["Location"] == game.get_absolute_url()
    assert game.seats.get(nation="Russia").sittings.count() == 1


def test_invitation_can_be_declined_on_its_page(as_: Browser) -> None:
    """gamesmaster.md U13: “To decline you need do nothing”, though the letter offered DECLINE."""
    game = opened(as_)
    link = reverse("invitation", args=[token(game.seats.get(nation="Russia"))])
    assert "Decline" in as_().read(link)
    page = as_().submit(link, {"decline": "yes"}, follow=True)
    assert "You have declined to play Russia. The gamesmaster is notified." in page
    assert not game.seats.get(nation="Russia").sittings.exists()
    as_().post(link, {"decline": "yes"})
    assert Letter.objects.filter(kind="declined").count() == 1, "told once"


def test_withdrawn_or_unknown_invitation_is_refused(as_: Browser) -> None:
    game = opened(as_)
    seat = game.seats.get(nation="Russia")
    link = reverse("invitation", args=[token(seat)])
    invitation = Invitation.objects.get(seat=seat)
    do_with_people(as_, game, do="uninvite", invitation=invitation.code)
    assert as_().post(link).status_code == 410
    assert as_().get(reverse("invitation", args=["0" * 40])).status_code == 410
    assert not seat.sittings.exists()


def test_invitation_to_a_game_that_is_over_offers_no_seat(as_: Browser, campaign: Campaign) -> None:
    """It said “The game is in progress, and this seat is free”, above a button that was refused."""
    seat, game = campaign.seat("Russia"), campaign.game
    desk.replace(seat, "zoe@example.org", "Away.", campaign.ada, campaign.now)
    link = reverse("invitation", args=[token(seat)])
    assert "The game is in progress, and this seat is free." in as_().read(link)
    times.abandon(game, "Too few players.", campaign.ada, campaign.now)
    for answer in (as_().get(link), as_().post(link)):
        assert answer.status_code == 410
        assert f"“{game.title}” is over: there are no seats to take." in answer.content.decode()


@pytest.mark.parametrize(
    ("seats", "sentence", "filled_button"),
    [
        ({}, "The invitations are on their way.", False),
        ({"email_3": "", "who_3": ""}, "The invitation is on its way.", False),
        (
            {"email_3": "", "who_3": "", "email_4": "", "who_4": ""},
            "Nobody is invited yet.",
            False,
        ),
        (
            {"email_3": "", "who_3": "bot", "email_4": "", "who_4": "bot"},
            "The game is open, and every seat is taken. You can start it.",
            True,
        ),
    ],
)
def test_opened_game_says_what_is_on_its_way(
    as_: Browser, seats: dict[str, str], sentence: str, filled_button: bool
) -> None:
    """Issue 43, small things: “The invitations are on their way” where nobody was invited; “Start
    the game” as the one filled button while seats are empty."""
    answer = as_("ada").post(reverse("game-new"), filled(**seats), follow=True)
    page = answer.content.decode()
    assert sentence in page
    assert ("<button>Start the game" in page) == filled_button
    assert ('<button class="quiet">Start the game' in page) != filled_button


def test_full_game_begins_when_it_is_opened(as_: Browser) -> None:
    """Review of a player, B6."""
    seats = {f"who_{place}": "bot" for place in range(5)} | {
        f"email_{place}": "" for place in range(5)
    }
    game = opened(as_, **seats | {"who_1": "me", "starts_when_full": "on"})
    assert game.status == Game.Status.RUNNING


def test_game_of_bots_begins_when_full(as_: Browser) -> None:
    """Issue 25, 4: also if the last bot is added later."""
    bots = {f"who_{place}": "bot" for place in range(5)} | {
        f"email_{place}": "" for place in range(5)
    }
    assert opened(as_, **bots | {"starts_when_full": "on"}).status == Game.Status.RUNNING
    game = opened(as_, **bots | {"starts_when_full": "on", "who_4": ""})
    assert game.status == Game.Status.FORMING
    do_with_people(as_, game, do="service", seat=game.seats.get(nation="Germany").pk)
    game.refresh_from_db()
    assert game.status == Game.Status.RUNNING


def test_shared_link_seats_visitors_until_seats_are_taken(as_: Browser) -> None:
    """Issue 25, 4: a link to share besides invitations by address."""
    game = opened(as_, email_4="", starts_when_full="on")
    link = reverse("join", args=[game.pk, tokens.join_token(game)])
    assert link in as_("ada").read(reverse("desk-people", args=[game.pk]))
    assert as_().get(link).status_code == 302
    dana = as_("dana")
    shown = dana.read(link)
    assert "Play Germany" in shown
    assert "Play Russia" not in shown  # Rosa is invited by address
    assert dana.get(reverse("join", args=[game.pk, "0" * 40])).status_code == 404
    assert "That seat is taken" in dana.submit(link, {"nation": "Russia"})
    welcome = "Times are shown in New York time, as in this game; if you live in another zone,"
    assert welcome in dana.submit(link, {"nation": "Germany"}, follow=True)
    assert person("dana").zone == game.zone
    assert game.seats.get(nation="Germany").people.get() == person("dana")
    assert "Every seat is taken" in as_("charlie").read(link)


def test_replaced_shared_link_is_refused(as_: Browser) -> None:
    """Issue 25, 4: a link that went to the wrong people can be replaced."""
    game = opened(as_, email_4="")
    before = reverse("join", args=[game.pk, tokens.join_token(game)])
    do_with_people(as_, game, do="link")
    game.refresh_from_db()
    after = reverse("join", args=[game.pk, tokens.join_token(game)])
    assert as_("dana").get(before).status_code == 404
    assert as_("dana").post(before, {"nation": "Germany"}).status_code == 404
    assert after in as_("ada").read(reverse("desk-people", args=[game.pk]))
    assert "Play Germany" in as_("dana").read(after)
    assert game.acts.filter(kind="join-link", private=True).count() == 1


def test_opening_page_folds_details_and_links_faults_to_their_fields(as_: Browser) -> None:
    """Issue 25, 4 (gamesmaster.md U3, U4): all but title, scenario and people is one line each with
    its value."""
    page = as_("ada").read(reverse("game-new"))
    for line, value in (
        ("Deadlines", "Every second Friday at 09:00 New York time"),
        ("Free seats and readers", "Only people whom you invite; anybody may watch"),
        ("Rule options", "the usual game"),
        ("Letters between nations", "Every letter says which nation wrote it;.*"),
    ):
        assert re.search(rf"<summary>{line} <span[^>]*>{value}</span>", page), line
    assert not re.search(r'class="options[^"]*" open', page)
    assert "Like my last game" not in page
    opened(as_)
    assert "Like my last game, “The lights go out”" in as_("ada").read(reverse("game-new"))
    wrong = filled(title="", option_ow2_tie="coin", days="x", every="days")
    page = as_("ada").submit(reverse("game-new"), wrong)
    for at in ("id_title", "id_option_ow2_tie", "id_every"):
        assert f'<a href="#{at}">' in page
        assert f'id="{at}"' in page
    assert re.search(r'class="options deadlines" open>', page)
    assert len(re.findall(r'class="options[^"]*" open>', page)) >= 2, "and the rule that is wrong"


@pytest.mark.parametrize(
    ("changes", "value"),
    [
        ({"every": "minutes", "minutes": "7"}, "Every 7 minutes"),
        (
            {"zone": "", "time": "", "market": "yahoo"},
            "Every second Friday at 09:00 New York time",
        ),
        (
            {"zone": "", "time": "", "market": "yahoo", "option_rng_market": "tokyo"},
            "Every second Friday at 08:30 Tokyo time",
        ),
        ({"zone": "", "time": ""}, "Every second Friday at 09:00 your time"),
        ({"zone": "", "zone_here": "Asia/Tokyo"}, "Every second Friday at 09:00 Tokyo time"),
        ({"lasts_first": "14"}, "14 days for the first phase"),
        ({"every": "days", "days": "x"}, ""),
    ],
)
def test_deadline_summary_shows_the_chosen_schedule(
    as_: Browser, changes: dict[str, str], value: str
) -> None:
    """Issue 25, 4: with its present value, by default that of the exchange."""
    page = as_("ada").post(reverse("game-new"), filled(title="", **changes))
    line = page.context["form"].deadlines.value
    assert value in line
    assert bool(value) == bool(line)


def test_preset_sets_each_setting_that_it_does_not_name_to_its_usual_value(as_: Browser) -> None:
    """Its page says so. A class that only its players may watch would not open for anybody."""
    sent = filled(preset="classroom", joining="open", absence_days="3", second_source="yahoo")
    form = as_("ada").post(reverse("game-new"), sent).context["form"]
    chosen = presets.presets()["classroom"].settings
    for setting in form.settings:
        value = form[field_name(setting.id)].value()
        assert value == chosen.get(setting.id, setting.usual), setting.id


def test_form_like_an_earlier_game_has_all_its_settings(as_: Browser) -> None:
    game = opened(
        as_,
        starts_when_full="on",
        least_on_time="50",
        anonymous="on",
        absence_days="3",
        press_closed="attacks",
        press_deals="none",
    )
    form = as_("ada").get(reverse("game-new"), {"again": game.pk}).context["form"]
    values = {setting.id: form[field_name(setting.id)].value() for setting in form.settings}
    assert values == {id: game.setting(id) for id in values}
    assert values["least_on_time"] == 50
    assert values["press.closed"] == "attacks"


def test_form_like_an_earlier_game_invites_no_closed_account(as_: Browser) -> None:
    """An erased person had the address erased-7@erased.invalid in it."""
    campaign = Campaign.begin()
    desk.abandon(campaign.game, "Two have left.", campaign.ada, campaign.now)
    erasure.erase(person("gustav"), campaign.now, by=None, press=False)
    again = {"again": campaign.game.pk}
    form = as_("ada").get(reverse("game-new"), again).context["form"]
    addresses = [form[f"email_{place}"].value() for place in range(len(NATIONS))]
    assert addresses[NATIONS.index("Germany")] in ("", None)
    assert addresses[NATIONS.index("USA")] == "una@example.org"


def test_preset_focuses_the_title(as_: Browser) -> None:
    """gamesmaster.md U3: “Fill in” came back with an empty title, far above the visible part."""
    page = as_("ada").submit(reverse("game-new"), filled(preset="classroom", title=""))
    assert re.search(r'<input[^>]*name="title"[^>]*autofocus', page)


def test_empty_seat_is_filled_later(as_: Browser) -> None:
    game = opened(as_, email_4="")
    seat = game.seats.get(nation="Germany")
    page = as_("ada").read(game.get_absolute_url())
    assert f'{reverse("desk-people", args=[game.pk])}#seat-{seat.pk}"' in page, "one tap away"
    answer = do_with_people(as_, game, do="invite", seat=seat.pk, email="nonsense")
    assert "not an e-mail address" in answer
    assert "nonsense" in answer
    do_with_people(as_, game, do="invite", seat=seat.pk, email="gustav@example.org")
    assert seat.invitations.get().email == "gustav@example.org"
    do_with_people(as_, game, do="service", seat=seat.pk)
    seat.refresh_from_db()
    assert seat.bot


def test_desk_buttons_are_for_the_gamesmaster_only(as_: Browser, watch: Watch) -> None:
    """Wrong person, wrong role, wrong method, other game, for every button of the desk."""
    mine, other = Campaign.open(), Campaign.open(public=False)
    theirs = other.seat("Germany")
    buttons = [reverse(name, args=[mine.game.pk, 1]) for name in ("phase-figure", "phase-rolls")]
    buttons.append(reverse("game-start", args=[mine.game.pk]))
    for button in buttons:
        assert as_().post(button)["Location"].startswith(reverse("login")), button
        assert as_("charlie").post(button).status_code == 403, button
        assert as_("gustav").post(button).status_code == 403, button
        assert as_("ada").get(button).status_code == 405, button
    assert as_("charlie").post(reverse("game-start", args=[other.game.pk])).status_code == 404
    people = reverse("desk-people", args=[mine.game.pk])
    for do in ("invite", "service"):
        crossed = {"do": do, "seat": theirs.pk, "email": "x@example.org"}
        assert as_("ada").post(people, crossed).status_code == 404
    mine.game.refresh_from_db()
    assert mine.game.status == Game.Status.FORMING


def test_unavailable_sources_are_not_offered(as_: Browser, settings: Any) -> None:
    """gamesmaster.md U15: Tiingo without a key, recorded figures without a file."""
    tiingo, recorded = 'value="tiingo"', 'value="recorded"'
    settings.MARKET = settings.MARKET | {"tiingo_key": "", "recorded_file": ""}
    page = as_("ada").read(reverse("game-new"))
    assert 'value="yahoo"' in page
    assert tiingo not in page
    assert recorded not in page
    settings.MARKET = settings.MARKET | {"tiingo_key": "key"}
    assert tiingo in as_("ada").read(reverse("game-new"))


def test_get_on_a_post_address_is_explained(as_: Browser) -> None:
    """gamesmaster.md B14: the page was empty after a reload."""
    answer = as_("ada").get(reverse("scenario-new", args=["origins-ww2"]))
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    assert "only takes what a button sends" in answer.content.decode()


def test_unknown_game_cannot_be_opened(as_: Browser) -> None:
    assert as_("ada").get(reverse("game-new") + "?game=chess").status_code == 404


# --- the time zone, where no exchange decides, and deadlines by minutes, where one does ---


def as_classroom(as_: Browser, **changes: Any) -> dict[str, Any]:
    """Return the form as “Classroom” fills it in for a person whose zone we do not know."""
    typed = filled(preset="classroom", zone="", time="", **changes)
    form = as_("ada").post(reverse("game-new"), typed).context["form"]
    values = {name: form[name].value() for name in form.fields}
    return {name: value for name, value in values.items() if value not in (None, False)} | {
        "title": "History, form 10b",
        "card": "historical",
    }


def test_classroom_counts_in_the_zone_of_the_browser(as_: Browser) -> None:
    """A school in Berlin that wrote no zone had its deadlines at 9:00 and 14:00 in New York."""
    game = opened(as_, **as_classroom(as_, zone_here="Europe/Berlin"))
    assert game.zone == "Europe/Berlin"
    assert game.schedule["times"] == ["09:00", "14:00"]


def test_classroom_counts_in_the_zone_of_the_account(as_: Browser) -> None:
    Person.objects.filter(pk=person("ada").pk).update(zone="Europe/Vienna")
    game = opened(as_, **as_classroom(as_, zone_here="Asia/Tokyo"))
    assert game.zone == "Europe/Vienna"


@pytest.mark.parametrize("here", ["", "Middle-earth"])
def test_zone_is_asked_for_where_nobody_knows_it_and_no_exchange_decides(
    as_: Browser, here: str
) -> None:
    """Not where an exchange decides, nor by minutes, where no deadline depends on it."""
    unknown = as_classroom(as_, zone_here=here)
    page = as_("ada").post(reverse("game-new"), unknown).content.decode()
    assert "we do not know your time zone" in page
    assert not Game.objects.exists()
    assert opened(as_, **{**unknown, "every": "minutes"}).zone == "America/New_York"
    sales = {"market": "yahoo", "option_rng_source": "stocks", "option_rng_market": "tokyo"}
    assert opened(as_, **{**unknown, **sales}).zone == "Asia/Tokyo"


def test_preset_for_lessons_names_no_zone_of_an_exchange(as_: Browser) -> None:
    page = as_("ada").read(reverse("game-new"))
    assert "every weekday at 09:00 and 14:00 your time" in page
    assert "every weekday at 09:00 and 20:00 New York time" in page


def test_deadlines_by_minutes_with_real_sales_are_warned_of(as_: Browser) -> None:
    """Their phases of attacks last until a trading day is over: that is no evening's game."""
    warning = "but the sales of a whole trading day decide"
    game = opened(as_, every="minutes", market="yahoo")
    for name in ("desk", "desk-times"):
        assert warning in as_("ada").read(reverse(name, args=[game.pk]))
    for fine in (
        {"every": "minutes", "market": "demo"},
        {"every": "minutes", "market": "yahoo", "option_rng_source": "gm_dice"},
        {"every": "weekday", "market": "yahoo"},
    ):
        game = opened(as_, **fine)
        for name in ("desk", "desk-times"):
            assert warning not in as_("ada").read(reverse(name, args=[game.pk])), fine


@pytest.mark.parametrize(
    ("changes", "warned"), [({"market": "yahoo"}, True), ({"market": "demo"}, False)]
)
def test_form_warns_of_them_before_the_game_is_open(
    as_: Browser, changes: dict[str, str], warned: bool
) -> None:
    page = as_("ada").submit(reverse("game-new"), filled(title="", every="minutes", **changes))
    shown = re.search(r'id="waits-for-sales"( hidden)?', page)
    assert shown is not None
    assert (shown[1] is None) == warned
