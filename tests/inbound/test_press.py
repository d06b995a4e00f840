"""Press: what is allowed, who gets it, and who may read it (issue 4, 5)."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from pytest_django import Settings

from games import desk, permissions
from games.letters import headers, rendering
from games.models import Game, Letter, Press, Sitting
from games.press import conversations
from games.seats import press_rules
from tests.support.campaign import NATIONS, Campaign, person

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
ADDRESS = re.compile(r"\b[a-z]+@example\.org\b")


def write(
    campaign: Campaign, nation: str | None, to: str, text: str = "Shall we talk?", **how: Any
) -> Press:
    """Send a letter as a nation's player, or as Ada. `to`: as typed, "all" or "gamesmaster"."""
    campaign.game.refresh_from_db()
    seat = campaign.seat(nation) if nation else None
    by = campaign.players[nation] if nation else campaign.ada
    named = (
        []
        if to in ("all", "gamesmaster")
        else conversations.addressees(campaign.game, to.split(", "), nation)
    )
    options = {
        "to_all": to == "all",
        "to_gamesmaster": to == "gamesmaster",
        "channel": "web",
        "now": campaign.now,
        **how,
    }
    return conversations.send(campaign.game, seat, by, named, text, **options)


def got(press: Press) -> dict[str, str]:
    """Return the kind of letter that each recipient has, by first name."""
    letters = Letter.objects.filter(kind__in=("press", "question"), game=press.game)
    return {
        letter.address.partition("@")[0]: letter.kind
        for letter in letters
        if letter.about["press"] == press.pk
    }


def rendered(letter: Letter) -> str:
    content = rendering.render(
        Letter.objects.select_related("game", "phase", "person").get(pk=letter.pk)
    )
    return f"{content.subject}\n{content.text}\n{content.html}"


def readers(press: Press) -> set[str]:
    """Return the people of the cast who may read it."""
    names = ("una", "felix", "bea", "rosa", "gustav", "ada", "charlie")
    return {name for name in names if permissions.reads_press(person(name), press)}


# --- recipients ---


def test_letter_goes_only_to_the_named_nations(campaign: Campaign) -> None:
    press = write(campaign, "Germany", "France, brit")
    assert press.to == ["France", "Britain"]
    assert got(press) == {"felix": "press", "bea": "press"}
    assert readers(press) == {"gustav", "felix", "bea"}


def test_letter_to_all_goes_to_every_other_seat(campaign: Campaign) -> None:
    press = write(campaign, "Germany", "all")
    assert set(got(press)) == {"una", "felix", "bea", "rosa"}
    assert readers(press) == {"una", "felix", "bea", "rosa", "gustav"}


def test_team_members_get_their_nations_letters(campaign: Campaign) -> None:
    """Issue 4, item 5: a team reads together, and gets a copy of what a member writes."""
    hilda = person("hilda")
    Sitting.objects.create(seat=campaign.seat("Germany"), person=hilda, since=campaign.now)
    assert set(got(write(campaign, "France", "Germany"))) == {"gustav", "hilda"}
    own = write(campaign, "Germany", "France")
    assert set(got(own)) == {"hilda", "felix"}
    copy = Letter.objects.get(kind="press", person=hilda, about__press=own.pk)
    assert "Gustav wrote for Germany, to France. This is your copy." in rendered(copy)


def test_letter_to_bots_only_is_refused() -> None:
    seats = {
        "USA": "bot",
        "France": "bot",
        "Britain": "bea@example.org",
        "Russia": "bot",
        "Germany": "gustav@example.org",
    }
    campaign = Campaign.begin(seats=seats)
    with pytest.raises(
        press_rules.PressError, match="France is played by the service, which reads no letters"
    ):
        write(campaign, "Germany", "France")
    assert set(got(write(campaign, "Germany", "France, Britain"))) == {"bea"}


def test_letter_to_an_empty_seat_waits_for_its_next_player(campaign: Campaign) -> None:
    campaign.seat("France").sittings.update(until=campaign.now)
    press = write(campaign, "Germany", "France", now=campaign.now + timedelta(minutes=1))
    assert conversations.unheld_addressees(press) == ["France"]
    newcomer = person("hilda")
    Sitting.objects.create(
        seat=campaign.seat("France"), person=newcomer, since=campaign.now + timedelta(minutes=2)
    )
    assert permissions.reads_press(newcomer, press)
    assert not permissions.reads_press(campaign.players["France"], press)


def test_former_player_reads_letters_of_their_time_and_successor_reads_all(
    campaign: Campaign,
) -> None:
    """Letters belong to the nation."""
    before = write(campaign, "Germany", "France")
    campaign.seat("France").sittings.update(until=campaign.now + timedelta(minutes=1))
    hilda = person("hilda")
    Sitting.objects.create(
        seat=campaign.seat("France"), person=hilda, since=campaign.now + timedelta(minutes=1)
    )
    after = write(campaign, "Germany", "France", now=campaign.now + timedelta(minutes=5))
    felix = campaign.players["France"]
    assert [permissions.reads_press(felix, press) for press in (before, after)] == [True, False]
    assert [permissions.reads_press(hilda, press) for press in (before, after)] == [True, True]


# --- the gamesmaster ---


def test_gamesmaster_reads_only_addressed_letters(campaign: Campaign) -> None:
    private = write(campaign, "Germany", "France")
    question = write(campaign, "Germany", "gamesmaster")
    assert got(question) == {"ada": "question"}
    assert readers(question) == {"gustav", "ada"}
    assert [press.number for press in permissions.readable_press(campaign.ada, campaign.game)] == [
        question.number
    ]
    assert private.number == 1


def test_gamesmaster_reads_letters_if_the_press_rules_say_so() -> None:
    """Issue 4, item 5."""
    campaign = Campaign.begin(press={"gamesmaster_reads": True})
    assert readers(write(campaign, "Germany", "France")) == {"gustav", "felix", "ada"}
    first = campaign.letters("begins", "felix")[0]
    assert "The gamesmaster can read them all, unless the gamesmaster plays." in " ".join(
        rendered(first).split()
    )


def test_playing_gamesmaster_reads_no_letters_of_opponents() -> None:
    campaign = Campaign.begin(press={"gamesmaster_reads": True})
    press = write(campaign, "Germany", "France")
    Sitting.objects.create(seat=campaign.seat("USA"), person=campaign.ada, since=campaign.now)
    assert not permissions.reads_press(campaign.ada, press)


def test_gamesmasters_answer_goes_to_the_asking_player(campaign: Campaign) -> None:
    question = write(campaign, "Germany", "gamesmaster")
    assert [press.number for press in conversations.unanswered_questions([campaign.game])] == [1]
    answer = write(campaign, None, "Germany", answers=question)
    assert not conversations.unanswered_questions([campaign.game])
    assert got(answer) == {"gustav": "press"}
    assert (
        press_rules.conversation(answer)
        == press_rules.conversation(question)
        == ("Germany", "the Gamesmaster")
    )
    assert "A letter from the Gamesmaster, to Germany." in rendered(
        Letter.objects.get(kind="press")
    )


# --- the rules of a game ---


def test_unsigned_letter_is_refused_by_default(campaign: Campaign) -> None:
    with pytest.raises(press_rules.PressError, match="every letter is signed"):
        write(campaign, "Germany", "all", signed=False)


def test_gray_letters_go_to_all_and_hide_their_writer() -> None:
    campaign = Campaign.begin(press={"sender": "grey"})
    with pytest.raises(
        press_rules.PressError, match="only a letter to all nations may be unsigned"
    ):
        write(campaign, "Germany", "France", signed=False)
    write(campaign, "Germany", "all", "France is arming.", signed=False)
    for letter in campaign.letters("press"):
        assert "a nation that does not sign" in rendered(letter)
        assert "Germany" not in rendered(letter)
        assert "Gustav" not in rendered(letter)


def test_unsigned_letter_cannot_be_answered() -> None:
    campaign = Campaign.begin(press={"sender": "anonymous"})
    press = write(campaign, "Germany", "France", signed=False)
    with pytest.raises(press_rules.PressError, match="cannot answer an unsigned letter"):
        conversations.circle_of_reply(press, "France")
    with pytest.raises(press_rules.PressError, match="are always signed"):
        write(campaign, "Germany", "gamesmaster", signed=False)


def test_closed_press_names_its_end_and_allows_questions() -> None:
    campaign = Campaign.begin(press={"closed": "placement"})
    with pytest.raises(press_rules.PressError) as refused:
        write(campaign, "Germany", "France")
    assert (
        str(refused.value)
        == "You cannot send letters in Turn 1, placement, until it is resolved. Its deadline is"
        " Monday 16 November 2026, 13:00 New York time. Keep the letter and send it then."
    )
    write(campaign, "Germany", "gamesmaster")
    write(campaign, None, "all")
    campaign.pass_deadline()
    write(campaign, "Germany", "France")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"sender": "masked"}, "“masked” is not possible for “Letters between nations”"),
        ({"closed": "retreats"}, "“retreats” is not possible for “When players cannot write"),
        ({"released": "yes"}, "“yes” is not a value of “Letters become readable at the end”"),
        ({"colour": "red"}, "“press.colour” is not a setting"),
    ],
)
def test_invalid_press_rules_are_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(desk.DeskError, match=sentence):
        Campaign.open(press=given)


def test_game_without_press_rules_has_the_defaults() -> None:
    assert press_rules.describe_rules(Game()) == press_rules.describe_rules(Campaign.open().game)


# --- refusals ---


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (" \n ", "The letter is empty"),
        ("x" * 8_001, "8,001 characters long; at most 8,000"),
        ("first\nsec\x07ond", "Line 2 of the letter contains a control character"),
        ("a\0b", "Line 1 of the letter contains a control character"),
    ],
)
def test_invalid_letter_text_is_refused_with_a_sentence(
    campaign: Campaign, text: str, sentence: str
) -> None:
    with pytest.raises(press_rules.PressError, match=sentence):
        write(campaign, "Germany", "France", text)
    assert not Press.objects.exists()
    assert Game.objects.get(pk=campaign.game.pk).last_press == 0


@pytest.mark.parametrize(
    ("to", "sentence"),
    [("Mars", "no nation “Mars”"), ("Germany", "You are Germany yourself"), ("", "no nation")],
)
def test_letter_to_no_valid_nation_is_refused(campaign: Campaign, to: str, sentence: str) -> None:
    with pytest.raises(press_rules.PressError, match=sentence):
        write(campaign, "Germany", to)


def test_letters_are_limited_to_fifty_a_day(campaign: Campaign) -> None:
    for number in range(conversations.MOST_A_DAY):
        write(campaign, "Germany", "France", f"Letter {number}")
    with pytest.raises(press_rules.PressError, match="Germany has sent 50 letters within a day"):
        write(campaign, "Germany", "France")
    write(campaign, "France", "Germany")
    write(campaign, "Germany", "France", now=campaign.now + timedelta(days=1, seconds=1))


def test_letters_before_and_after_the_game_are_refused(campaign: Campaign) -> None:
    with pytest.raises(press_rules.PressError, match="has not begun"):
        write(Campaign.open(title="Another"), "Germany", "France")
    Game.objects.filter(pk=campaign.game.pk).update(status="finished")
    with pytest.raises(press_rules.PressError, match="is over"):
        write(campaign, "Germany", "France")


# --- threads and secrets ---


def test_letters_of_a_circle_are_one_thread_per_reader(campaign: Campaign) -> None:
    """Issue 4, item 5: threads that work in ordinary mail programs."""
    write(campaign, "Germany", "France, Britain")
    write(campaign, "Germany", "France")
    write(campaign, "Britain", "Germany, France")
    first, other, answer = campaign.letters("press", "felix")
    assert answer.in_reply_to == first.message_id
    assert other.in_reply_to not in (first.message_id, first.in_reply_to)
    assert campaign.game.thread_id not in headers.headers_of(first, "")["References"]
    subjects = [rendered(letter).partition("\n")[0] for letter in (first, other, answer)]
    assert subjects == [
        "[The lights go out] France, Britain and Germany",
        "[The lights go out] France and Germany",
        "[The lights go out] France, Britain and Germany",
    ]


def test_letters_reveal_no_address_and_no_press_of_others(
    campaign: Campaign,
) -> None:
    """Issue 4, item 5: searches every letter of the game to anybody else."""
    write(campaign, "Germany", "France", "The raven flies at midnight.")
    write(campaign, "Germany", "gamesmaster", "Is the owl allowed?")
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.pass_deadline()
    for letter in Letter.objects.filter(game=campaign.game, secret=False):
        text = rendered(letter)
        assert not ADDRESS.search(text), letter.kind
        assert ("raven" in text) == (letter.kind == "press"), letter.kind
        assert ("owl" in text) == (letter.kind == "question"), letter.kind
        assert letter.kind != "press" or letter.address == "felix@example.org"


def test_letter_to_all_says_in_a_sentence_who_gets_an_answer(
    campaign: Campaign, settings: Settings
) -> None:
    settings.MAIL_IN = True
    write(campaign, None, "all")
    letter = Letter.objects.filter(kind="press").latest("pk")
    text = " ".join(rendered(letter).split())
    assert text.count("It goes to the same people: all nations.") == 2, "text and HTML"


def test_press_text_is_escaped_in_html(campaign: Campaign) -> None:
    write(campaign, "Germany", "France", "<script>alert(1)</script>\n</pre><b>x</b>")
    content = rendered(campaign.letters("press", "felix")[0])
    assert "<script>alert" not in content.partition("<!DOCTYPE")[2]
    assert "    <script>alert(1)</script>" in content


def test_letters_are_released_after_the_game_only_by_the_rules() -> None:
    secret, opened = (
        Campaign.begin(),
        Campaign.begin(title="Open", press={"released": True, "sender": "grey"}),
    )
    for campaign in (secret, opened):
        write(campaign, "Germany", "France")
        assert press_rules.letters_as_record(campaign.game, private=True) == []
    write(opened, "Germany", "all", signed=False)
    Game.objects.all().update(status="finished")
    for campaign in (secret, opened):
        campaign.game.refresh_from_db()
    assert press_rules.letters_as_record(secret.game, private=True) == []
    assert permissions.readable_press(AnonymousUser(), secret.game) == []
    record = press_rules.letters_as_record(opened.game, private=False)
    assert [(row["from"], row["to"], row["to_all"]) for row in record] == [
        ("Germany", ["France"], False),
        (None, [], True),
    ]
    assert not ADDRESS.search(str(record))
    assert len(permissions.readable_press(AnonymousUser(), opened.game)) == 2


def test_letters_are_numbered_without_gaps(campaign: Campaign) -> None:
    assert [write(campaign, nation, "all").number for nation in NATIONS] == [1, 2, 3, 4, 5]


def test_letter_offers_reply_by_mail_only_with_incoming_mail(
    campaign: Campaign, settings: Settings
) -> None:
    press = write(campaign, "Germany", "France")
    letter = campaign.letters("press", "felix")[0]
    for on in (True, False):
        settings.MAIL_IN = on
        assert ("REPLY" in rendered(letter)) == on
        assert f"press/write/?answer={press.code}" in rendered(letter)
