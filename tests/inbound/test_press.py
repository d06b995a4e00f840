"""Letters between nations: what is allowed, who gets and reads them, who never (issue 4, 5)."""

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
from games.press import circles, conversations, rules
from tests.support.campaign import NATIONS, Campaign, person

pytestmark = pytest.mark.django_db
ADDRESS = re.compile(r"\b[a-z]+@example\.org\b")


def write(
    campaign: Campaign, nation: str | None, to: str, text: str = "Shall we talk?", **how: Any
) -> Press:
    """A letter of a nation's player, or of Ada; `to` as typed, "all" or "gamesmaster"."""
    campaign.game.refresh_from_db()
    seat = campaign.seat(nation) if nation else None
    by = campaign.players[nation] if nation else campaign.ada
    named = (
        []
        if to in ("all", "gamesmaster")
        else conversations.addressees(campaign.game, to.split(", "), nation)
    )
    given = {
        "to_all": to == "all",
        "to_gamesmaster": to == "gamesmaster",
        "channel": "web",
        "now": campaign.now,
        **how,
    }
    return conversations.send(campaign.game, seat, by, named, text, **given)


def got(one: Press) -> dict[str, str]:
    """Who has a letter of it, by first name, with its kind."""
    letters = Letter.objects.filter(kind__in=("press", "question"), game=one.game)
    return {
        letter.address.partition("@")[0]: letter.kind
        for letter in letters
        if letter.about["press"] == one.pk
    }


def rendered(letter: Letter) -> str:
    content = rendering.render(
        Letter.objects.select_related("game", "phase", "person").get(pk=letter.pk)
    )
    return f"{content.subject}\n{content.text}\n{content.html}"


def readers(one: Press) -> set[str]:
    """Which of the cast may read it."""
    names = ("una", "felix", "bea", "rosa", "gustav", "ada", "charlie")
    return {name for name in names if permissions.reads_press(person(name), one)}


# --- who gets it ---


def test_a_letter_goes_to_whom_it_names_and_to_nobody_else(campaign: Campaign) -> None:
    one = write(campaign, "Germany", "France, brit")
    assert one.to == ["France", "Britain"]
    assert got(one) == {"felix": "press", "bea": "press"}
    assert readers(one) == {"gustav", "felix", "bea"}


def test_a_letter_to_all_goes_to_every_seat(campaign: Campaign) -> None:
    one = write(campaign, "Germany", "all")
    assert set(got(one)) == {"una", "felix", "bea", "rosa"}
    assert readers(one) == {"una", "felix", "bea", "rosa", "gustav"}


def test_a_team_sees_its_nations_letters(campaign: Campaign) -> None:
    """Issue 4, item 5: a team reads together, and gets a copy of what one of them writes."""
    hilda = person("hilda")
    Sitting.objects.create(seat=campaign.seat("Germany"), person=hilda, since=campaign.now)
    assert set(got(write(campaign, "France", "Germany"))) == {"gustav", "hilda"}
    own = write(campaign, "Germany", "France")
    assert set(got(own)) == {"hilda", "felix"}
    copy = Letter.objects.get(kind="press", person=hilda, about__press=own.pk)
    assert "Gustav wrote for Germany, to France. This is your copy." in rendered(copy)


def test_programs_read_no_letters() -> None:
    seats = {
        "USA": "bot",
        "France": "bot",
        "Britain": "bea@example.org",
        "Russia": "bot",
        "Germany": "gustav@example.org",
    }
    campaign = Campaign.begin(seats=seats)
    with pytest.raises(
        rules.PressError, match="France is played by the service, which reads no letters"
    ):
        write(campaign, "Germany", "France")
    assert set(got(write(campaign, "Germany", "France, Britain"))) == {"bea"}


def test_a_letter_to_an_empty_seat_waits_for_whoever_takes_it(campaign: Campaign) -> None:
    campaign.seat("France").sittings.update(until=campaign.now)
    one = write(campaign, "Germany", "France", now=campaign.now + timedelta(minutes=1))
    assert conversations.nobody_there(one) == ["France"]
    newcomer = person("hilda")
    Sitting.objects.create(
        seat=campaign.seat("France"), person=newcomer, since=campaign.now + timedelta(minutes=2)
    )
    assert permissions.reads_press(newcomer, one)
    assert not permissions.reads_press(campaign.players["France"], one)


def test_who_has_left_reads_the_letters_of_his_time_and_his_successor_reads_all(
    campaign: Campaign,
) -> None:
    """The nation's letters are the nation's."""
    before = write(campaign, "Germany", "France")
    campaign.seat("France").sittings.update(until=campaign.now + timedelta(minutes=1))
    hilda = person("hilda")
    Sitting.objects.create(
        seat=campaign.seat("France"), person=hilda, since=campaign.now + timedelta(minutes=1)
    )
    after = write(campaign, "Germany", "France", now=campaign.now + timedelta(minutes=5))
    felix = campaign.players["France"]
    assert [permissions.reads_press(felix, one) for one in (before, after)] == [True, False]
    assert [permissions.reads_press(hilda, one) for one in (before, after)] == [True, True]


# --- the gamesmaster ---


def test_the_gamesmaster_reads_what_is_addressed_to_him_and_no_more(campaign: Campaign) -> None:
    private = write(campaign, "Germany", "France")
    asked = write(campaign, "Germany", "gamesmaster")
    assert got(asked) == {"ada": "question"}
    assert readers(asked) == {"gustav", "ada"}
    assert [one.number for one in permissions.readable_press(campaign.ada, campaign.game)] == [
        asked.number
    ]
    assert private.number == 1


def test_the_gamesmaster_reads_letters_where_the_first_letter_said_so() -> None:
    """Issue 4, item 5."""
    campaign = Campaign.begin(press={"gamesmaster_reads": True})
    assert readers(write(campaign, "Germany", "France")) == {"gustav", "felix", "ada"}
    first = campaign.letters("begins", "felix")[0]
    assert "The gamesmaster can read them all, unless the gamesmaster plays." in " ".join(
        rendered(first).split()
    )


def test_a_gamesmaster_who_plays_reads_no_letters_of_his_opponents() -> None:
    campaign = Campaign.begin(press={"gamesmaster_reads": True})
    one = write(campaign, "Germany", "France")
    Sitting.objects.create(seat=campaign.seat("USA"), person=campaign.ada, since=campaign.now)
    assert not permissions.reads_press(campaign.ada, one)


def test_an_answer_of_the_gamesmaster_goes_to_who_asked(campaign: Campaign) -> None:
    asked = write(campaign, "Germany", "gamesmaster")
    assert [one.number for one in conversations.unanswered(campaign.game)] == [1]
    answer = write(campaign, None, "Germany", answers=asked)
    assert conversations.unanswered(campaign.game) == []
    assert got(answer) == {"gustav": "press"}
    assert (
        circles.conversation(answer)
        == circles.conversation(asked)
        == ("Germany", "the Gamesmaster")
    )
    assert "A letter from the Gamesmaster, to Germany." in rendered(
        Letter.objects.get(kind="press")
    )


# --- the rules of a game ---


def test_every_letter_is_signed_unless_the_game_says_otherwise(campaign: Campaign) -> None:
    with pytest.raises(rules.PressError, match="every letter is signed"):
        write(campaign, "Germany", "all", signed=False)


def test_grey_letters_are_for_all_alone_and_tell_nobody_who_wrote_them() -> None:
    campaign = Campaign.begin(press={"sender": "grey"})
    with pytest.raises(rules.PressError, match="only a letter to all nations may be unsigned"):
        write(campaign, "Germany", "France", signed=False)
    write(campaign, "Germany", "all", "France is arming.", signed=False)
    for letter in campaign.letters("press"):
        assert "a nation that does not sign" in rendered(letter)
        assert "Germany" not in rendered(letter)
        assert "Gustav" not in rendered(letter)


def test_an_unsigned_letter_has_no_way_back_to_its_writer() -> None:
    campaign = Campaign.begin(press={"sender": "anonymous"})
    one = write(campaign, "Germany", "France", signed=False)
    with pytest.raises(rules.PressError, match="no answer finds its writer"):
        conversations.circle_of_reply(one, "France")
    with pytest.raises(rules.PressError, match="are signed"):
        write(campaign, "Germany", "gamesmaster", signed=False)


def test_a_blackout_says_until_when_and_lets_questions_through() -> None:
    campaign = Campaign.begin(press={"closed": ["placement"]})
    with pytest.raises(rules.PressError) as refused:
        write(campaign, "Germany", "France")
    assert (
        str(refused.value)
        == "No letters are carried in Turn 1, placement, until it has been judged; its deadline is"
        " Monday 16 November 2026, 13:00 New York time. Keep the letter and send it then."
    )
    write(campaign, "Germany", "gamesmaster")
    write(campaign, None, "all")
    campaign.pass_deadline()
    write(campaign, "Germany", "France")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"sender": "masked"}, "“masked” is no way to sign letters"),
        ({"closed": ["retreats"]}, "“retreats” is no kind of phase"),
        ({"closed": ["placement", "attacks"]}, "No letter could ever be carried"),
        ({"released": "yes"}, "“yes” is no answer to “released”"),
        ({"colour": "red"}, "“colour” is no rule of letters between nations"),
    ],
)
def test_rules_that_make_no_sense_are_refused_at_the_desk(
    given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(rules.PressError, match=sentence):
        rules.check(given)
    with pytest.raises(desk.DeskError, match=sentence):
        Campaign.open(press=given)


def test_a_game_opened_before_there_were_rules_of_press_has_the_usual_ones() -> None:
    assert rules.in_words({}) == rules.in_words(rules.check({}))


# --- what is refused ---


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (" \n ", "The letter is empty"),
        ("x" * 8_001, "8,001 characters long; at most 8,000"),
        ("first\nsec\x07ond", "Line 2 of the letter contains a control character"),
        ("a\0b", "Line 1 of the letter contains a control character"),
    ],
)
def test_what_cannot_be_carried_is_refused_with_a_sentence(
    campaign: Campaign, text: str, sentence: str
) -> None:
    with pytest.raises(rules.PressError, match=sentence):
        write(campaign, "Germany", "France", text)
    assert not Press.objects.exists()
    assert Game.objects.get(pk=campaign.game.pk).last_press == 0


@pytest.mark.parametrize(
    ("to", "sentence"),
    [("Mars", "no nation “Mars”"), ("Germany", "You are Germany yourself"), ("", "no nation")],
)
def test_a_letter_to_nobody_is_refused(campaign: Campaign, to: str, sentence: str) -> None:
    with pytest.raises(rules.PressError, match=sentence):
        write(campaign, "Germany", to)


def test_fifty_letters_a_day_are_carried(campaign: Campaign) -> None:
    for _ in range(conversations.MOST_A_DAY):
        write(campaign, "Germany", "France")
    with pytest.raises(rules.PressError, match="Germany has sent 50 letters within a day"):
        write(campaign, "Germany", "France")
    write(campaign, "France", "Germany")
    write(campaign, "Germany", "France", now=campaign.now + timedelta(days=1, seconds=1))


def test_nothing_is_carried_before_a_game_begins_and_after_it_is_over(campaign: Campaign) -> None:
    with pytest.raises(rules.PressError, match="has not begun"):
        write(Campaign.open(title="Another"), "Germany", "France")
    Game.objects.filter(pk=campaign.game.pk).update(status="finished")
    with pytest.raises(rules.PressError, match="is over"):
        write(campaign, "Germany", "France")


# --- threads and secrets ---


def test_the_letters_of_a_circle_are_one_thread_for_each_reader(campaign: Campaign) -> None:
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


def test_no_letter_tells_an_address_and_nobody_else_has_a_letter_that_tells_its_text(
    campaign: Campaign,
) -> None:
    """Issue 4, item 5: every letter of the game to anybody else is searched."""
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


def test_what_a_writer_writes_is_text_and_not_markup(campaign: Campaign) -> None:
    write(campaign, "Germany", "France", "<script>alert(1)</script>\n</pre><b>x</b>")
    content = rendered(campaign.letters("press", "felix")[0])
    assert "<script>alert" not in content.partition("<!DOCTYPE")[2]
    assert "    <script>alert(1)</script>" in content


def test_letters_are_opened_at_the_end_only_where_the_rules_said_so() -> None:
    secret, opened = (
        Campaign.begin(),
        Campaign.begin(title="Open", press={"released": True, "sender": "grey"}),
    )
    for campaign in (secret, opened):
        write(campaign, "Germany", "France")
        assert rules.as_record(campaign.game, private=True) == []
    write(opened, "Germany", "all", signed=False)
    Game.objects.all().update(status="finished")
    for campaign in (secret, opened):
        campaign.game.refresh_from_db()
    assert rules.as_record(secret.game, private=True) == []
    assert permissions.readable_press(AnonymousUser(), secret.game) == []
    record = rules.as_record(opened.game, private=False)
    assert [(row["from"], row["to"], row["to_all"]) for row in record] == [
        ("Germany", ["France"], False),
        (None, [], True),
    ]
    assert not ADDRESS.search(str(record))
    assert len(permissions.readable_press(AnonymousUser(), opened.game)) == 2


def test_letters_are_evidence_and_numbered_without_gaps(campaign: Campaign) -> None:
    assert [write(campaign, nation, "all").number for nation in NATIONS] == [1, 2, 3, 4, 5]


def test_a_letter_says_how_to_answer_by_mail_only_where_mail_comes_in(
    campaign: Campaign, settings: Settings
) -> None:
    written = write(campaign, "Germany", "France")
    letter = campaign.letters("press", "felix")[0]
    for on in (True, False):
        settings.MAIL_IN = on
        assert ("REPLY" in rendered(letter)) == on
        assert f"press/write/?answer={written.code}" in rendered(letter)
