"""A class: list, teams, seats, moves, printed codes (issue 7, point 5; Rules C.2, F1; source 000,
line 252)."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from games import desk, permissions
from games.accounts import tokens
from games.desk import by_post, classroom, presets, roster
from games.evidence import export
from games.letters import printing
from games.models import Game, Invitation, Letter, Person, PrintedCode, WrongCode
from games.press import conversations
from games.rules.verification import verify
from games.seats import teams as seat_teams
from tests.support import origins_ww1
from tests.support.campaign import MONDAY, NATIONS, Campaign, person
from tests.support.letters import letter_text

TWELVE = "\n".join(f"Pupil {number}" for number in range(1, 13))


@pytest.mark.parametrize(
    ("line", "pupil"),
    [
        ("Anna Berg", roster.Pupil("Anna Berg")),
        ("Anna Berg, Anna@School.example", roster.Pupil("Anna Berg", "anna@school.example")),
        ("Anna Berg; France", roster.Pupil("Anna Berg", "", "France")),
        (
            "france\tAnna Berg\tanna@school.example",
            roster.Pupil("Anna Berg", "anna@school.example", "France"),
        ),
        ("Anna Berg,,USA", roster.Pupil("Anna Berg", "", "USA")),
        ('"Berg, Anna",anna@school.example', roster.Pupil("Berg, Anna", "anna@school.example")),
        ("Berg, Anna; UK", roster.Pupil("Berg, Anna", "", "Britain")),
        ("Anna Berg <anna@school.example>", roster.Pupil("Anna Berg", "anna@school.example")),
        (
            "France",
            roster.Pupil("France"),
        ),  # A line with one field is a name, even if it names a nation.
    ],
)
def test_list_line_is_parsed(line: str, pupil: roster.Pupil) -> None:
    assert roster.read_list(f"\n{line}\n\n", NATIONS) == [pupil]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Paste the class list"),
        ("anna@school.example", "Line 1, “anna@school.example”, has no name"),
        (
            "Anna Berg, Atlantis",
            "“Atlantis” is not a team. Choose from USA, France, Britain, Russia, Germany.",
        ),
        ("Name;Class;Team\nAnna Berg;9b;France", "If line 1 is a heading, delete it."),
        ("Anna;Berg;9b", "“9b” is not a team"),
        ("Anna, anna@school", "“anna@school” in line 1 is not an e-mail address"),
        ("Anna, a@b.example, c@d.example", "has two addresses"),
        ("Anna\nBen\nanna", "The name “Anna” is in the list twice"),
        ("Anna, a@b.example\nBen, a@b.example", "“a@b.example” is in the list twice"),
        ("x" * 90, "The name in line 1 is 90 characters long"),
        ("\n".join(f"P{n}" for n in range(121)), "The list has 121 pupils"),
    ],
)
def test_invalid_list_is_refused_with_its_line(text: str, sentence: str) -> None:
    with pytest.raises(desk.DeskError) as refused:
        roster.read_list(text, NATIONS)
    assert sentence in str(refused.value)


def test_surname_and_first_name_may_have_a_column_each() -> None:
    """As schools export their lists."""
    assert roster.read_list(
        "Berg\tAnna\t\tFrance\nvan Dyk\tBen\tben@school.example\t", NATIONS
    ) == [
        roster.Pupil("Berg Anna", "", "France"),
        roster.Pupil("van Dyk Ben", "ben@school.example"),
    ]


def test_twelve_pupils_make_the_printed_teams() -> None:
    """F1: USA 3, Britain 2, France 5, Germany 1, Russia 1."""
    dealt = roster.deal_teams(
        roster.read_list(TWELVE, NATIONS), NATIONS, presets.printed_teams(), {}
    )
    assert Counter(pupil.nation for pupil in dealt) == presets.printed_teams()


@pytest.mark.parametrize("number", range(1, 31))
def test_pupils_of_any_number_are_all_placed_evenly_or_by_printed_sizes(number: int) -> None:
    pupils = [roster.Pupil(f"Pupil {place}") for place in range(number)]
    even = Counter(pupil.nation for pupil in roster.deal_teams(pupils, NATIONS, {}, {}))
    assert sum(even.values()) == number
    assert max(even.values()) - min(even.get(nation, 0) for nation in NATIONS) <= 1
    printed = Counter(
        pupil.nation for pupil in roster.deal_teams(pupils, NATIONS, presets.printed_teams(), {})
    )
    assert sum(printed.values()) == number
    if number >= 5:
        assert len(printed) == 5, "no nation without a player"
    for nation, size in presets.printed_teams().items():
        assert abs(printed[nation] - number * size / 12) <= 2


def test_pupil_with_a_team_keeps_it_and_sitting_members_count() -> None:
    pupils = [roster.Pupil("Anna", nation="France"), roster.Pupil("Ben"), roster.Pupil("Cara")]
    dealt = roster.deal_teams(
        pupils, NATIONS, {}, {"USA": 2, "Britain": 2, "Russia": 1, "Germany": 0}
    )
    assert [pupil.nation for pupil in dealt][:2] == ["France", "Germany"]


@pytest.fixture
def game(db: None) -> Game:
    return Campaign.open(seats=dict.fromkeys(NATIONS, "")).game


def seated(game: Game, text: str = "Anna, France\nBen, France\nCara, Germany") -> list[Person]:
    pupils = roster.deal_teams(
        roster.read_list(text, NATIONS), NATIONS, presets.printed_teams(), {}
    )
    return classroom.seat_class(game, pupils, person("ada"), MONDAY)


def test_pupils_without_an_address_are_seated_and_others_are_invited(game: Game) -> None:
    coded = seated(game, "Anna, France\nBen, France\nCara, cara@example.org, France\nDan, Germany")
    assert [pupil.name for pupil in coded] == ["Anna", "Ben", "Dan"]
    assert all(pupil.is_pupil for pupil in coded)
    france = game.seats.get(nation="France")
    assert france.team
    assert not game.seats.get(nation="Germany").team, "one alone is no team"
    assert [offer.email for offer in france.invitations.all()] == ["cara@example.org"]
    assert Letter.objects.filter(kind="invitation", address="cara@example.org").exists()
    assert PrintedCode.objects.count() == 3


def test_class_list_is_seated_completely_or_not_at_all(game: Game) -> None:
    desk.let_the_service_play(game.seats.get(nation="Germany"), MONDAY, person("ada"))
    with pytest.raises(desk.DeskError, match="Germany is played by a bot"):
        seated(game)
    assert not PrintedCode.objects.exists()
    assert not game.seats.filter(sittings__isnull=False).exists()


def test_nobody_is_seated_twice(game: Game) -> None:
    seated(game)
    with pytest.raises(desk.DeskError, match=r"^Anna is already in this game"):
        seated(game, "Dan\nAnna")
    assert game.seats.filter(sittings__isnull=False).count() == 3


def test_class_starts_a_game_that_begins_when_full(db: None) -> None:
    game = Campaign.open(seats=dict.fromkeys(NATIONS, ""), starts_when_full=True).game
    seated(game, TWELVE)
    game.refresh_from_db()
    assert game.status == Game.Status.RUNNING


def test_class_gets_letters_but_no_printouts(game: Game) -> None:
    seated(game, TWELVE)
    desk.start(game, MONDAY)
    assert Letter.objects.filter(game=game, kind="begins", status=Letter.Status.PRINT).count() == 12
    assert not printing.letters_to_print(game).exists()


def test_printed_code_opens_one_game_and_is_stored_as_a_hash(game: Game) -> None:
    anna = seated(game)[0]
    row = PrintedCode.objects.get(person=anna)
    code = tokens.printed_code(row)
    assert len(code) == 9
    plain = code.replace("-", "")
    assert plain not in str(list(PrintedCode.objects.values()))
    for written in (code, plain.lower(), f" {plain[:4]} {plain[4:]} "):
        assert tokens.use_printed_code(written, "10.0.0.1", MONDAY).person == anna
    row.refresh_from_db()
    assert row.last_used_at == MONDAY


@pytest.mark.both_databases
def test_new_code_replaces_the_old_one_and_a_revoked_one_opens_nothing(game: Game) -> None:
    anna = seated(game)[0]
    first = tokens.printed_code(PrintedCode.objects.get(person=anna))
    second = tokens.printed_code(classroom.new_code(game, anna, person("ada"), MONDAY))
    assert first != second
    with pytest.raises(tokens.KeyRefused):
        tokens.use_printed_code(first, "10.0.0.1", MONDAY)
    assert tokens.use_printed_code(second, "10.0.0.1", MONDAY).person == anna
    classroom.end_code(game, anna, person("ada"), MONDAY)
    with pytest.raises(tokens.KeyRefused):
        tokens.use_printed_code(second, "10.0.0.1", MONDAY)
    with pytest.raises(desk.DeskError):
        classroom.end_code(game, anna, person("ada"), MONDAY)
    with pytest.raises(desk.DeskError, match="only pupils without an address"):
        classroom.new_code(game, person("gustav"), person("ada"), MONDAY)


def test_wrong_codes_are_limited_per_network(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """After too many wrong codes from one network no code works for 10 minutes, not even a valid
    one."""
    monkeypatch.setattr(tokens, "WRONG_PRINTED_CODES", 5)
    code = tokens.printed_code(PrintedCode.objects.get(person=seated(game)[0]))
    for number in range(5):
        with pytest.raises(tokens.KeyRefused, match="is not a code of any game"):
            tokens.use_printed_code(f"WRONG{number}", "10.0.0.1", MONDAY)
    with pytest.raises(tokens.KeyRefused, match="Wait 10 minutes"):
        tokens.use_printed_code(code, "10.0.0.1", MONDAY)
    assert tokens.use_printed_code(code, "10.0.0.2", MONDAY)
    assert tokens.use_printed_code(code, "10.0.0.1", MONDAY + timedelta(minutes=11))
    assert "10.0.0.1" not in str(list(WrongCode.objects.values())), "no address is kept"


def test_old_wrong_codes_are_deleted(game: Game) -> None:
    for days in range(3):
        with pytest.raises(tokens.KeyRefused):
            tokens.use_printed_code("NOTHING", "10.0.0.1", MONDAY + timedelta(days=2 * days))
    assert WrongCode.objects.count() == 1


def test_pupil_moves_to_another_team(game: Game) -> None:
    anna, ben, cara = seated(game)
    classroom.move(game, anna, "Germany", person("ada"), MONDAY)
    germany = game.seats.get(nation="Germany")
    assert {sitting.person for sitting in germany.sittings.current()} == {anna, cara}
    assert germany.team
    assert {sitting.person for sitting in game.seats.get(nation="France").sittings.current()} == {
        ben
    }
    act = game.acts.get(kind="class-moved")
    assert act.words == "A member of France's team moved to Germany's."
    assert "Anna" not in act.words
    for nation, sentence in (
        ("Germany", "is already in that team"),
        ("Atlantis", "is not a nation of this game"),
    ):
        with pytest.raises(desk.DeskError, match=sentence):
            classroom.move(game, anna, nation, person("ada"), MONDAY)
    with pytest.raises(desk.DeskError, match="no longer in a team"):
        classroom.move(game, person("charlie"), "France", person("ada"), MONDAY)


@pytest.mark.letters
def test_players_are_told_of_a_pupil_who_changes_teams_or_joins_late(game: Game) -> None:
    """A pupil who changes teams knows what the old one planned, and needs the new one's orders."""
    seated(game, TWELVE)
    desk.start(game, MONDAY)
    (zoe,) = seated(game, "Zoe New, Germany")
    anna = game.seats.get(nation="France").sittings.current().order_by("pk")[0].person
    classroom.move(game, anna, "Germany", person("ada"), MONDAY)
    told = {
        (letter.kind, letter.person): letter_text(letter)
        for letter in Letter.objects.filter(game=game, kind__in=("seat", "newcomer"))
        .select_related("person", "game", "phase")
        .order_by("pk")
    }
    assert "Welcome: you now play Germany." in told["newcomer", zoe]
    assert "Welcome: you now play Germany." in told["newcomer", anna]
    bystander = game.seats.get(nation="Russia").sittings.get().person
    assert "A member of France's team moved to Germany's." in told["seat", bystander]
    assert f"The new player is {anna.name}." in told["seat", bystander]
    france = game.seats.get(nation="France").sittings.current()
    spokesmen = Letter.objects.filter(game=game, kind="spokesman")
    assert {letter.person for letter in spokesmen} == {row.person for row in france}


def test_members_of_a_team_hold_both_nations_of_a_pair(db: None) -> None:
    """Rules A.5: a member who stayed in one of the two would read the secrets of two sides."""
    seats = {**origins_ww1.ADDRESSES, "France": "table", "Russia": "table"}
    given: Any = {"seats": seats, "pairs": [("Britain", "France"), ("Germany", "Russia")]}
    campaign = origins_ww1.Campaign.begin(**given)
    game, by, both = campaign.game, (campaign.ada, campaign.now), ["Germany", "Russia"]

    def nations(who: Person) -> list[str]:
        return sorted(seat.nation for seat in permissions.held_seats(who, game))

    (anna,) = classroom.seat_class(game, [roster.Pupil("Anna", "", "Germany")], *by)
    offer = desk.invite(campaign.seat("Germany"), "zoe@example.org", *by, joins=True)
    desk.accept(offer, person("zoe"), campaign.now)
    assert nations(anna) == nations(person("zoe")) == nations(person("gustav")) == both
    assert {seat.nation for seat in game.seats.filter(team=True)} == {*both}
    classroom.move(game, anna, "Austria-Hungary", *by)
    assert nations(anna) == ["Austria-Hungary"]
    classroom.move(game, anna, "Russia", *by)
    assert nations(anna) == both
    with pytest.raises(desk.DeskError, match="already in that team"):
        classroom.move(game, anna, "Germany", *by)
    assert verify.check(export.record(game, private=True)) == []


def test_a_member_speaks_for_both_nations_of_a_pair(db: None) -> None:
    """Rules A.5: the spokesman of one of the two sends the orders of both."""
    seats = {**origins_ww1.ADDRESSES, "Russia": "table"}
    given: Any = {"seats": seats, "pairs": [("Germany", "Russia")]}
    campaign = origins_ww1.Campaign.begin(**given)
    game, by = campaign.game, (campaign.ada, campaign.now)
    (anna,) = classroom.seat_class(game, [roster.Pupil("Anna", "", "Germany")], *by)
    assert {spokesman_of(game, nation) for nation in ("Germany", "Russia")} == {"Gustav"}
    named = classroom.let_speak(game, anna, *by)
    assert {seat.nation for seat in named} == {"Germany", "Russia"}
    assert {spokesman_of(game, nation) for nation in ("Germany", "Russia")} == {"Anna"}
    with pytest.raises(desk.DeskError, match="already speaks for"):
        classroom.let_speak(game, anna, *by)


def spokesman_of(game: Game, nation: str) -> str:
    lead = seat_teams.spokesman(game.seats.get(nation=nation))
    assert lead is not None
    return lead.person.name


def accept(game: Game, name: str, nation: str) -> Person:
    """Accept the invitation of a pupil with an address."""
    who = person(name)
    invitation = Invitation.objects.open().get(seat__game=game, email=who.email)
    assert desk.accept(invitation, who, MONDAY).nation == nation
    return who


def test_a_pupil_with_an_address_speaks_before_those_with_codes(game: Game) -> None:
    """Mail review, L11: with a roster the first pupil with a code was spokesman at once, before
    anybody with an address could accept."""
    seated(game, "Anna, France\nBen, ben@example.org, France\nCara, cara@example.org, France")
    assert spokesman_of(game, "France") == "Anna"  # a team is never without a spokesman
    accept(game, "ben", "France")
    assert spokesman_of(game, "France") == "Ben"
    accept(game, "cara", "France")
    assert spokesman_of(game, "France") == "Ben"


def test_a_team_of_codes_alone_is_led_by_its_first(game: Game) -> None:
    """Mail review, L11: a code speaks only where no member has an address."""
    seated(game)
    assert spokesman_of(game, "France") == "Anna"


def test_a_code_speaks_if_the_gamesmaster_says_so(game: Game) -> None:
    """Mail review, L11: the gamesmaster's choice stays when a pupil with an address accepts."""
    anna, ben = seated(game, "Anna, France\nBen, France\nCara, cara@example.org, France")
    classroom.let_speak(game, ben, game.opened_by, MONDAY)
    accept(game, "cara", "France")
    assert spokesman_of(game, "France") == "Ben"
    assert anna.by_post


def test_a_team_is_told_that_a_newcomer_speaks_for_it(db: None) -> None:
    """Mail review, L11: what Anna sends becomes a proposal, so she must hear of it."""
    campaign = Campaign.begin(options={"ow2.team": "spokesman"})
    game = campaign.game
    seated(game, "Anna, France\nBen, ben@example.org, Germany\nDora, France")
    anna = Person.objects.get(name="Anna")
    desk.vacate(campaign.seat("France"), person("felix"), "Moved away.", campaign.ada, MONDAY)
    assert spokesman_of(game, "France") == "Anna"
    desk.invite(campaign.seat("France"), "cara@example.org", campaign.ada, MONDAY, joins=True)
    cara = accept(game, "cara", "France")
    told = Letter.objects.filter(kind="spokesman", game=game)
    assert {letter.person for letter in told} >= {anna, cara}
    assert spokesman_of(game, "France") == "Cara"
    accept(game, "ben", "Germany")
    assert spokesman_of(game, "Germany") == "Gustav"


@pytest.mark.letters
def test_letters_on_paper_ask_for_no_answer_by_mail(game: Game, settings: Settings) -> None:
    """A player without mail is not told what to type above the quoted text."""
    settings.MAIL_IN = True
    seated(game, TWELVE)
    desk.start(game, MONDAY)
    how: Any = {"channel": "web", "now": MONDAY}
    conversations.send(game, None, person("ada"), list(NATIONS), "Well played.", **how)
    letter = Letter.objects.filter(game=game, kind="press").exclude(person=person("ada"))[0]
    text = letter_text(letter)
    assert "Well played." in text
    assert "Write on the page:" in text
    assert "REPLY" not in text


@pytest.mark.django_db
def test_pupil_is_not_the_telephone_player_of_the_same_name() -> None:
    """A pupil belongs to one game; their printed code must open no other seat."""
    campaign = Campaign.open(seats=dict.fromkeys(NATIONS, ""))
    (pupil,) = classroom.seat_class(
        campaign.game, [roster.Pupil("Anna Berg", "", "France")], campaign.ada, campaign.now
    )
    caller = by_post.seat_by_post(
        campaign.seat("Britain"), "Anna Berg", "", "020 40", "Europe/London", campaign.ada,
        campaign.now,
    )  # fmt: skip
    assert caller.pk != pupil.pk
    pupil.refresh_from_db()
    assert pupil.telephone == ""
