"""Call list, orders taken down, read-back with its code (issue 5, the telephone game)."""

from __future__ import annotations

import html
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from games import desk, permissions
from games.models import Call, Game, Person
from orders.intake import ledger, telephone
from orders.models import Submission
from tests.desk.conftest import Browser, Watch
from tests.support.browsing import Visitor, unmarked
from tests.support.campaign import Campaign, person
from tests.support.letters import letter_text

OF_GAME = (
    "desk-telephone",
    "desk-telephone-script",
    "desk-telephone-table",
    "desk-telephone-table-read",
)


def address(campaign: Campaign, name: str = "desk-telephone-seat", nation: str = "Germany") -> str:
    if name in OF_GAME:
        return reverse(name, args=[campaign.game.pk])
    return reverse(name, args=[campaign.game.pk, campaign.seat(nation).pk])


def heard(client: Visitor, campaign: Campaign, text: str, nation: str = "Germany") -> str:
    """Return the code that the page would send back as read out."""
    page = client.submit(address(campaign, "desk-telephone-read", nation), {"text": text})
    return page.partition('name="heard" value="')[2].partition('"')[0]


def down(
    client: Visitor, campaign: Campaign, text: str, nation: str = "Germany", **more: Any
) -> str:
    do = "heard" if "heard" in more else "down"
    fields = {"do": do, "text": text, "phase": campaign.phase.number, **more}
    return client.submit(address(campaign, nation=nation), fields, follow=True)


# --- the read-back code ---


def test_equal_orders_have_equal_codes_however_they_are_typed(campaign: Campaign) -> None:
    seat, phase = campaign.seat("Germany"), campaign.phase
    first = telephone.read_back(seat, phase, "place 4 pol\nPLACE 2 Austria", campaign.now)
    second = telephone.read_back(
        seat, phase, "# from Gustav\nPLACE 4 Poland.\n\nplace 2 austria\n\nwobble", campaign.now
    )
    assert first.code == second.code != ""
    assert len(first.code) == 4
    assert set(first.code) <= set(telephone.ALPHABET)
    assert not set(telephone.ALPHABET) & set("0O1I5SBDPTVZ")


def test_codes_differ_by_orders_nation_and_phase(campaign: Campaign) -> None:
    phase, seat = campaign.phase, campaign.seat("Germany")
    codes = {telephone.code(seat, phase, [f"PLACE {pf} Poland"]) for pf in range(1, 11)}
    codes.add(telephone.code(campaign.seat("France"), phase, ["PLACE 4 Poland"]))
    campaign.pass_deadline()
    codes.add(telephone.code(seat, campaign.phase, ["PLACE 4 Poland"]))
    assert len(codes) == 12
    assert telephone.code(seat, phase, []) == ""


# --- taking down ---


def test_orders_taken_down_are_in_the_ledger_with_writer_and_code(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    watch.set(campaign.now)
    client = as_("ada")
    code = heard(client, campaign, "PLACE 4 Poland")
    page = down(client, campaign, "PLACE 4 Poland", heard=code, final="on")
    submission = Submission.objects.get()
    assert (submission.channel, submission.text) == ("telephone", "PLACE 4 Poland")
    assert (submission.person, submission.entered_by) == (person("gustav"), person("ada"))
    assert (submission.read_back, submission.final, submission.counts) == (code, True, True)
    assert f"are in force under the code {code}" in page
    [letter] = campaign.letters("receipt")
    receipt_text = letter_text(letter)
    assert letter.person == person("gustav")
    assert f"Ada took them down and read them back under the code {code}." in receipt_text
    assert "Received by telephone on" in receipt_text


def test_orders_changed_after_the_read_back_are_not_marked_as_read_back(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    watch.set(campaign.now)
    client = as_("ada")
    code = heard(client, campaign, "PLACE 4 Poland")
    page = down(client, campaign, "PLACE 5 Poland", heard=code)
    assert f"were read back as {code} and are" in page
    assert "PLACE 5 Poland" in page  # typed text is kept
    assert not Submission.objects.exists()
    assert "have not been read back yet" in down(client, campaign, "PLACE 5 Poland", heard="")


def test_orders_saved_without_reading_back_are_not_marked_and_the_page_says_so(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    """gamesmaster.md 17: saving without reading back passed without a word."""
    watch.set(campaign.now)
    page = down(as_("ada"), campaign, "PLACE 4 Poland")
    assert Submission.objects.get().read_back == ""
    assert "are in force. You did not read them back." in page


def test_page_promises_nobody_the_transcript_of_a_vacant_seat(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    watch.set(campaign.now)
    felix = campaign.players["France"]
    desk.vacate(campaign.seat("France"), felix, "Silent.", campaign.ada, campaign.now)
    page = down(as_("ada"), campaign, "PLACE 4 Poland", "France")
    assert "for France are in force." in page
    assert "transcript" not in page


def test_everyone_in_the_seat_is_notified_of_a_call(campaign: Campaign) -> None:
    """A whole team hears of orders that one member or another person gave by telephone."""
    seat, charlie = campaign.seat("Germany"), person("charlie")
    seat.sittings.create(person=charlie, since=campaign.now)
    telephone.take_down(seat, "PASS", campaign.ada, campaign.now, caller=None, read_back=False)
    assert {letter.person for letter in campaign.letters("receipt")} == {person("gustav"), charlie}


def test_late_orders_are_stored_and_the_page_says_so(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    """Orders for a phase that has closed meanwhile do not count for the next one."""
    client, old = as_("ada"), campaign.phase.number
    campaign.pass_deadline()
    watch.set(campaign.now)
    page = client.submit(
        address(campaign), {"do": "down", "text": "PLACE 4 Poland", "phase": old}, follow=True
    )
    assert "but late" in page
    assert Submission.objects.get().late


def test_read_button_brings_the_text_back_with_its_reading(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    """Issue 43, 5: without a script there is one text box, and one button that reads it back."""
    watch.set(campaign.now)
    page = as_("ada").submit(
        address(campaign), {"do": "read", "text": "PLACE 4 Poland\nplace 2 austria\n"}
    )
    assert "PLACE 4 Poland\nplace 2 austria\n</textarea>" in page
    assert page.count("<textarea") == 1
    assert "Two to Austria." in page
    # What the caller should hear as well.
    assert "PFs are not placed: they go to" in page
    assert not Submission.objects.exists()


def test_typed_orders_are_parsed_while_typing(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    """Issue 43, 5: the answer has no field, so it cannot replace what is being typed."""
    watch.set(campaign.now)
    page = as_("ada").submit(
        address(campaign, "desk-telephone-read"), {"text": "PLACE 4 Poland\nPLACE 4 Mars"}
    )
    assert "Four to Poland." in page
    assert "there is no area" in page
    assert "<html" not in page
    assert "<textarea" not in page


def test_attack_below_one_to_one_is_pointed_out(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    campaign.order("Germany", "PLACE 2 Poland")
    campaign.order("Russia", "PLACE 3 Poland")
    campaign.pass_deadline()
    watch.set(campaign.now)
    page = as_("ada").submit(
        address(campaign, "desk-telephone-read"), {"text": "ATTACK Poland: Russia STOCK GE"}
    )
    assert (
        "Germany attacks Russia in Poland, below one to one at present, General Electric, G E."
        in page
    )
    assert "below 1-1 on the published board" in unmarked(page)


def test_user_text_is_escaped_on_telephone_pages(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    watch.set(campaign.now)
    evil = "</textarea><script>alert(1)</script>"
    for name in ("desk-telephone-seat", "desk-telephone-read"):
        page = as_("ada").submit(address(campaign, name), {"text": evil, "do": "read"})
        assert "<script>alert" not in page
    as_("ada").post(
        address(campaign, "desk-telephone-call"), {"outcome": "left_word", "note": evil}
    )
    assert "<script>alert" not in as_("ada").read(address(campaign, "desk-telephone"))


@pytest.mark.parametrize("text", ["", "x" * 20_001, "PLACE 4 Poland\0", "\n" * 600])
def test_unacceptable_text_is_refused_with_a_sentence(
    as_: Browser, campaign: Campaign, watch: Watch, text: str
) -> None:
    watch.set(campaign.now)
    page = down(as_("ada"), campaign, text)
    assert 'class="fault" role="alert"' in page
    assert not Submission.objects.exists()


def test_rejected_line_blocks_taking_down_until_it_is_left_out(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    """gamesmaster.md B5: the player is still on the line and would lose an order without hearing
    it."""
    watch.set(campaign.now)
    text = "PLACE 2 Italy\n\nPLACE three in Atlantis"
    page = down(as_("ada"), campaign, text)
    assert "The orders of Germany are not saved yet: line 3 does not count as written." in page
    assert "PLACE three in Atlantis</textarea>" in page
    assert not Submission.objects.exists()
    ticked = html.unescape(page.partition('name="leave_out" value="')[2].partition('"')[0])
    assert "“PLACE three in Atlantis”" in ticked
    more = f"{text}\nPLACE 1 Mars"
    assert "lines 3 and 4 do not count" in down(as_("ada"), campaign, more, leave_out=ticked)
    assert not Submission.objects.exists(), "the tick covers what it stood under, no later line"
    page = down(as_("ada"), campaign, text, leave_out=ticked)
    assert "are in force" in page
    assert Submission.objects.get().text.strip() == text


# --- the call list ---


def test_gamesmaster_stores_a_number_for_their_own_game_only(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    """gamesmaster.md U6: in a telephone game the gamesmaster knows the numbers."""
    watch.set(campaign.now)
    there, sitting = (
        address(campaign, "desk-telephone-number"),
        campaign.seat("Germany").sittings.get(),
    )
    typed = {"sitting": sitting.pk, "number": "+49 (40) 77 88"}
    assert "is saved" in as_("ada").submit(there, typed, follow=True)
    assert 'href="tel:+49407788"' in as_("ada").read(address(campaign, "desk-telephone"))
    assert person("gustav").telephone == ""
    answer = as_("ada").submit(there, {**typed, "number": "ring at eight"}, follow=True)
    assert "“ring at eight” is not a telephone number" in answer
    other = campaign.seat("France").sittings.get()
    assert as_("ada").post(there, {**typed, "sitting": other.pk}).status_code == 404
    assert as_("charlie").post(there, typed).status_code == 403


def test_call_list_shows_owed_orders_and_local_times(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    watch.set(campaign.now)
    gustav = person("gustav")
    gustav.telephone, gustav.zone = "+49 (40) 123-456", "Europe/Berlin"
    gustav.save()
    campaign.order("France", "PASS")
    page = as_("ada").read(address(campaign, "desk-telephone"))
    assert 'href="tel:+4940123456"' in page
    assert "Monday 18:00 in Berlin" in page
    assert page.count("<strong>owes orders</strong>") == 4
    assert "4 still owe orders" in page


def test_call_is_stored_and_shown(as_: Browser, campaign: Campaign, watch: Watch) -> None:
    watch.set(campaign.now)
    client = as_("ada")
    there = address(campaign, "desk-telephone-call")
    client.post(there, {"outcome": "no_answer", "note": "try  at eight"})
    call = Call.objects.get()
    assert (call.outcome, call.note) == ("no_answer", "try at eight")
    assert (call.made_by, call.person) == (person("ada"), person("gustav"))
    assert "Last call: no answer" in client.read(address(campaign, "desk-telephone"))
    # A person who was reached may dictate at once.
    assert client.post(there, {"outcome": "reached"})["Location"] == address(campaign)
    client.post(there, {"outcome": "shouted"})
    assert Call.objects.count() == 2


def test_telephone_page_hides_orders_from_a_playing_gamesmaster(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    """They may take orders down, on the record, but may not read what others sent."""
    watch.set(campaign.now)
    campaign.order("Germany", "PLACE 7 Poland")
    campaign.seat("France").sittings.create(person=campaign.ada, since=campaign.now)
    page = as_("ada").read(address(campaign))
    assert "PLACE 7 Poland" not in page.partition("<textarea")[2].partition("</textarea>")[0]
    assert "you cannot see them" in page
    assert permissions.may_take_down(campaign.ada, campaign.seat("Germany"))


def test_telephone_script_is_written_in_words(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    assert "No phase has been judged yet" in as_("ada").read(
        address(campaign, "desk-telephone-script")
    )
    campaign.order("Germany", "PLACE 6 Poland")
    campaign.order("Russia", "PLACE 3 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: Russia STOCK GE")
    campaign.pass_deadline()
    watch.set(campaign.now)
    page = as_("ada").read(address(campaign, "desk-telephone-script"))
    assert "Germany attacks Russia in Poland, six against three, two to one. General" in page
    assert "Next is turn 2, placement. Orders are due by Monday 16 November 2026, 1" in page
    assert "New York time." in page


@pytest.mark.parametrize(
    ("zones", "said"),
    [
        ({}, "New York time.<"),
        ({"una": "America/New_York"}, "New York time.<"),
        (
            {"felix": "Europe/Paris", "gustav": "Europe/Berlin", "rosa": "Asia/Tokyo"},
            "13:00 New York time. That is 19:00 in Paris and Tuesday 03:00 in Tokyo.<",
        ),
    ],
    ids=["nobody named a zone", "the game's zone", "other zones"],
)
def test_script_gives_the_deadline_on_the_clocks_of_who_listens(
    as_: Browser, campaign: Campaign, watch: Watch, zones: dict[str, str], said: str
) -> None:
    """gamesmaster.md 18: it gave New York time only. A clock that shows the same time as one named
    before is not named again."""
    for name, zone in zones.items():
        Person.objects.filter(pk=person(name).pk).update(zone=zone)
    watch.set(campaign.now)
    assert said in as_("ada").read(address(campaign, "desk-telephone-script"))


def test_no_local_time_is_shown_for_a_person_whose_zone_is_unknown(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    """gamesmaster.md 18: “there it is Saturday 08:44” for people who never named a zone."""
    watch.set(campaign.now)
    for name in ("desk-telephone", "desk-telephone-seat"):
        assert "there it is" not in as_("ada").read(address(campaign, name))
    Person.objects.filter(pk=person("gustav").pk).update(zone="Europe/Berlin")
    for name in ("desk-telephone", "desk-telephone-seat"):
        page = as_("ada").read(address(campaign, name))
        assert page.count("there it is") == 1
        assert "there it is Monday 18:00 in Berlin" in page


# --- permissions and methods ---

PAGES = (*OF_GAME[:3], "desk-telephone-seat")
POSTS = (*OF_GAME[2:], "desk-telephone-read", "desk-telephone-call", "desk-telephone-seat")


@pytest.mark.parametrize("name", [*PAGES, *POSTS])
@pytest.mark.parametrize("somebody", ["gustav", "charlie", None])
def test_telephone_pages_are_for_gamesmasters_only(
    as_: Browser, campaign: Campaign, name: str, somebody: str | None
) -> None:
    """Players and strangers are refused; visitors are asked to log in."""
    client = as_(somebody)
    for response in (
        client.get(address(campaign, name)),
        client.post(address(campaign, name), {"do": "down", "text": "PASS"}),
    ):
        assert response.status_code in (302 if somebody is None else 403, 405)
        assert response.status_code != 302 or "/login/" in response["Location"]
    assert not Submission.objects.exists()
    assert not Call.objects.exists()


@pytest.mark.parametrize("name", [*PAGES, *POSTS])
def test_private_games_telephone_pages_are_not_found_for_strangers(
    as_: Browser, private: Campaign, name: str
) -> None:
    assert as_("charlie").get(address(private, name)).status_code in (404, 405)


@pytest.mark.parametrize("name", POSTS)
def test_gamesmaster_of_another_game_and_missing_game_are_not_found(
    as_: Browser, campaign: Campaign, name: str
) -> None:
    other = Campaign.begin(title="Another game")
    Game.objects.get(pk=other.game.pk).gamesmasters.set([person("dana")])
    data = {"do": "down", "text": "PASS"}
    assert as_("dana").post(address(campaign, name), data).status_code == 403
    if name not in OF_GAME:
        crossed = reverse(name, args=[campaign.game.pk, other.seat("Germany").pk])
        assert as_("ada").post(crossed, data).status_code == 404
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("desk-telephone-read", "get"),
        ("desk-telephone-table-read", "get"),
        ("desk-telephone-call", "get"),
        ("desk-telephone", "post"),
    ],
)
def test_wrong_method_is_refused(as_: Browser, campaign: Campaign, name: str, method: str) -> None:
    assert getattr(as_("ada"), method)(address(campaign, name)).status_code == 405


def test_request_without_a_csrf_token_is_refused(campaign: Campaign) -> None:
    client = Visitor(enforce_csrf_checks=True)
    client.force_login(person("ada"), backend="django.contrib.auth.backends.ModelBackend")
    assert client.post(address(campaign), {"do": "down", "text": "PASS"}).status_code == 403


def test_orders_cannot_be_taken_down_before_or_after_the_game(
    as_: Browser, db: None, watch: Watch
) -> None:
    forming = Campaign.open()
    for name in ("desk-telephone", "desk-telephone-script"):
        assert as_("ada").get(address(forming, name)).status_code == 200
    page = as_("ada").read(address(forming), follow=True)
    assert "The game has not begun" in page
    usa, later = forming.seat("USA"), forming.now + timedelta(1)
    with pytest.raises(ledger.LedgerError):
        telephone.take_down(usa, "PASS", forming.ada, later, caller=None, read_back=False)
