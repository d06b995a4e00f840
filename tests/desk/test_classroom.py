"""A class: list, teams, seats, moves, printed codes (issue 7, point 5; Rules C.2, F1)."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest

from games import desk
from games.accounts import tokens
from games.desk import classroom, presets, roster
from games.letters import printing
from games.models import Game, Letter, Person, PrintedCode, WrongCode
from tests.support.campaign import MONDAY, NATIONS, Campaign, person

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
        ("France", roster.Pupil("France")),  # a name on a line of its own is a name, whatever it is
    ],
)
def test_a_line_of_the_list_is_read(line: str, pupil: roster.Pupil) -> None:
    assert roster.read_list(f"\n{line}\n\n", NATIONS) == [pupil]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Paste the class list"),
        ("anna@school.example", "Line 1, “anna@school.example”, has no name"),
        (
            "Anna, Atlantis",
            "“Atlantis” is not a team. Choose from USA, France, Britain, Russia, Germany.",
        ),
        ("Anna, anna@school", "“anna@school” in line 1 is not an e-mail address"),
        ("Anna, a@b.example, c@d.example", "has two addresses"),
        ("Anna\nBen\nanna", "The name “anna” is in the list twice"),
        ("Anna, a@b.example\nBen, a@b.example", "“a@b.example” is in the list twice"),
        ("x" * 90, "The name in line 1 is 90 signs long"),
        ("\n".join(f"P{n}" for n in range(121)), "The list has 121 pupils"),
    ],
)
def test_a_list_that_will_not_do_is_refused_with_its_line(text: str, sentence: str) -> None:
    with pytest.raises(desk.DeskError) as refused:
        roster.read_list(text, NATIONS)
    assert sentence in str(refused.value)


def test_twelve_pupils_make_the_printed_teams() -> None:
    """F1: USA 3, Britain 2, France 5, Germany 1, Russia 1."""
    dealt = roster.deal_teams(
        roster.read_list(TWELVE, NATIONS), NATIONS, presets.printed_teams(), {}
    )
    assert Counter(pupil.nation for pupil in dealt) == presets.printed_teams()


@pytest.mark.parametrize("number", range(1, 31))
def test_any_number_is_dealt_evenly_or_by_the_printed_sizes_and_nobody_is_left_out(
    number: int,
) -> None:
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


def test_who_has_a_team_keeps_it_and_who_sits_there_counts() -> None:
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


def test_pupils_without_an_address_sit_down_at_once_and_others_are_invited(game: Game) -> None:
    coded = seated(game, "Anna, France\nBen, France\nCara, cara@example.org, France\nDan, Germany")
    assert [one.name for one in coded] == ["Anna", "Ben", "Dan"]
    assert all(classroom.is_pupil(one) for one in coded)
    france = game.seats.get(nation="France")
    assert france.team
    assert not game.seats.get(nation="Germany").team, "one alone is no team"
    assert [offer.email for offer in france.invitations.all()] == ["cara@example.org"]
    assert Letter.objects.filter(kind="invitation", address="cara@example.org").exists()
    assert PrintedCode.objects.count() == 3


def test_all_of_a_list_sit_down_or_none(game: Game) -> None:
    desk.let_the_service_play(game.seats.get(nation="Germany"), MONDAY, person("ada"))
    with pytest.raises(desk.DeskError, match="Germany is played by the service"):
        seated(game)
    assert not PrintedCode.objects.exists()
    assert not game.seats.filter(sittings__isnull=False).exists()


def test_a_game_that_begins_when_it_is_full_begins_with_the_class(db: None) -> None:
    game = Campaign.open(seats=dict.fromkeys(NATIONS, ""), starts_when_full=True).game
    seated(game, TWELVE)
    game.refresh_from_db()
    assert game.status == Game.Status.RUNNING


def test_nothing_is_printed_for_a_class_but_its_letters_are_written(game: Game) -> None:
    seated(game, TWELVE)
    desk.start(game, person("ada"), MONDAY)
    assert Letter.objects.filter(game=game, kind="begins", status=Letter.Status.PRINT).count() == 12
    assert not printing.letters_to_print(game).exists()


def test_a_code_opens_one_game_and_is_kept_as_a_hash(game: Game) -> None:
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


def test_a_new_code_ends_the_old_one_and_an_ended_one_opens_nothing(game: Game) -> None:
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


def test_codes_cannot_be_tried_out(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many wrong codes from one place: ten minutes without any, not even the right one."""
    monkeypatch.setattr(tokens, "WRONG_PRINTED_CODES", 5)
    code = tokens.printed_code(PrintedCode.objects.get(person=seated(game)[0]))
    for number in range(5):
        with pytest.raises(tokens.KeyRefused, match="opens no game"):
            tokens.use_printed_code(f"WRONG{number}", "10.0.0.1", MONDAY)
    with pytest.raises(tokens.KeyRefused, match="Wait ten minutes"):
        tokens.use_printed_code(code, "10.0.0.1", MONDAY)
    assert tokens.use_printed_code(code, "10.0.0.2", MONDAY)
    assert tokens.use_printed_code(code, "10.0.0.1", MONDAY + timedelta(minutes=11))
    assert "10.0.0.1" not in str(list(WrongCode.objects.values())), "no address is kept"


def test_old_tries_are_forgotten(game: Game) -> None:
    for days in range(3):
        with pytest.raises(tokens.KeyRefused):
            tokens.use_printed_code("NOTHING", "10.0.0.1", MONDAY + timedelta(days=2 * days))
    assert WrongCode.objects.count() == 1


def test_a_pupil_moves_to_another_team(game: Game) -> None:
    anna, ben, cara = seated(game)
    classroom.move(game, anna, "Germany", person("ada"), MONDAY)
    germany = game.seats.get(nation="Germany")
    assert {one.person for one in germany.sittings.current()} == {anna, cara}
    assert germany.team
    assert {one.person for one in game.seats.get(nation="France").sittings.current()} == {ben}
    act = game.acts.get(kind="class-moved")
    assert act.words == "A member of France's team moved to Germany's."
    assert "Anna" not in act.words
    for nation, sentence in (
        ("Germany", "is in that team already"),
        ("Atlantis", "is not a nation of this game"),
    ):
        with pytest.raises(desk.DeskError, match=sentence):
            classroom.move(game, anna, nation, person("ada"), MONDAY)
    with pytest.raises(desk.DeskError, match="no longer in a team"):
        classroom.move(game, person("charlie"), "France", person("ada"), MONDAY)
