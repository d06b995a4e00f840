"""Origins of World War I with four and three players, and nations by lot (Rules A.5)."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from django.test import Client

from games import desk, positions
from games.accounts import tokens
from games.evidence import export
from games.letters import rendering
from games.models import Act, Sitting
from games.records import archive
from games.rules import pairs
from games.rules.verification import verify
from games.seats import pairs as hands
from orders import in_force
from tests.inbound.writing import answers, send
from tests.records.played import short_card
from tests.support.browsing import log_in
from tests.support.campaign import person
from tests.support.origins_ww1 import ADDRESSES, NATIONS, PLAYERS, Campaign

pytestmark = pytest.mark.django_db


def seats(*alone: str, **others: str) -> dict[str, str]:
    """Everybody's address, and nobody for some."""
    return {**ADDRESSES, **dict.fromkeys(alone, "table"), **others}


PAIR, EAST = [("France", "Britain")], ("Germany", "Russia")
DRAWN, PROGRAMS = {"wwi.pairing": "random"}, dict.fromkeys(NATIONS, "bot")


def names(campaign: Campaign) -> dict[str, str]:
    return {nation: campaign.name_of(nation) for nation in NATIONS}


def text(letter: Any) -> str:
    return " ".join(rendering.render(letter).text.split())


def play_on(campaign: Campaign) -> None:
    for _ in range(60):
        if campaign.game.status == "finished":
            return
        phase = campaign.phase
        for nation in campaign.game.rules.acting(positions.state_of(phase)):
            placing = f"PLACE 2 {'Italy' if nation != 'Russia' else 'Serbia'}"
            campaign.order(nation, placing if "lacement" in phase.title else "PASS")
        assert campaign.pass_deadline().status == "resolved"


def test_four_players_one_of_whom_holds_two_nations_as_agreed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A.5: one person plays both allied nations, each by itself; it is never dissolved."""
    short_card(monkeypatch, 2)
    campaign = Campaign.begin(
        seats=seats("Austria-Hungary"),
        pairs=[("Austria-Hungary", "Germany")],
        options={"wwi.alliance_withdrawal": "allowed"},
    )
    game = campaign.game
    assert game.options[pairs.PREMADE] == "Germany+Austria-Hungary"
    assert names(campaign) == {**PLAYERS, "Austria-Hungary": "gustav"}
    assert not game.seats.filter(by_table=True).exists()
    invited = text(campaign.letters("invitation", "gustav")[0])
    assert "invites you to play Germany and Austria-Hungary in" in invited, "ways-in.md T6"
    begins = text(campaign.letters("begins", "gustav")[0])
    assert "You play Germany and Austria-Hungary." in begins
    first = begins.index("Germany and Austria-Hungary have the same player")
    assert first < 1_500, "ways-in.md T7: it stood 120 lines below"
    assert "Germany and Austria-Hungary have the same player: allies from start to" in begins
    assert len(campaign.letters("begins")) == 5, "four players and the gamesmaster: no copies"
    board = game.rules.board(game.rules.view(game.load(positions.position(game)), None))
    assert board.alliances == (("Germany", "Austria-Hungary"),)
    campaign.players["Austria-Hungary"] = person("gustav")
    campaign.order("Austria-Hungary", "LEAVE ALLIANCE\nPLACE 5 Serbia")
    play_on(campaign)
    board = game.rules.board(game.load(positions.position(campaign.game)))
    assert board.alliances == (("Germany", "Austria-Hungary"),)
    assert campaign.game.status == "finished"
    tree = json.loads(export.text(export.record(campaign.game, private=True)))
    assert [str(difference) for difference in verify.check(tree)] == []
    assert archive.restore(tree, campaign.ada).options == campaign.game.options


def test_two_nations_in_one_hand_are_ordered_for_side_by_side_by_mail(settings: Any) -> None:
    """A.5: a section for each nation in one message, one answer for both."""
    settings.MAIL_IN = True
    pair = ("Germany", "Austria-Hungary")
    campaign = Campaign.begin(seats=seats("Austria-Hungary"), pairs=[pair])
    orders = "FOR Germany\nPLACE 5 Africa\nFOR Austria-Hungary\nPLACE 5 Serbia\n"
    send(campaign, "Germany", orders, sender="gustav@example.org")
    texts = in_force.texts_in_force(campaign.phase)
    assert texts == {"Germany": "PLACE 5 Africa", "Austria-Hungary": "PLACE 5 Serbia"}
    (answer,) = answers("gustav")
    assert "FOR GERMANY" in text(answer)
    assert "FOR AUSTRIA-HUNGARY" in text(answer)
    (opened,) = campaign.letters("opened", "gustav")
    assert "Germany" in text(opened)
    assert "Austria-Hungary" in text(opened)


def test_three_players_draw_who_holds_the_other_two_nations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A.5: two alliances, one person each, a single third; the lot is a public act."""
    short_card(monkeypatch, 1)
    found = set()
    for _ in range(6):
        campaign = Campaign.begin(
            seats=seats("Russia", "Austria-Hungary"), options={"wwi.pairing": "random"}
        )
        drawn = pairs.read(campaign.game.options[pairs.PREMADE])
        found.add(drawn)
        assert len(drawn) == 2
        held = names(campaign)
        assert {held[nation] for nation in NATIONS} == {"bea", "felix", "gustav"}
        for one, other in drawn:
            assert held[one] == held[other]
            assert len({one, other} & {"Russia", "Austria-Hungary"}) == 1
        told = [act.words for act in Act.objects.filter(game=campaign.game, kind=hands.DEALT)]
        assert len(told) == 2
        assert all("drawn by lot that one person holds" in words for words in told)
        begins = text(campaign.letters("begins", "bea")[0])
        assert all(words in begins for words in told)
    assert len(found) > 1, "six draws of six pairings each are hardly ever all alike"
    play_on(campaign)
    assert campaign.game.status == "finished"


def test_nations_are_dealt_when_the_game_begins_and_the_first_letter_tells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A.6 16, `wwi.seating` = random: until then the seats only say who plays."""
    dealt = []
    for _ in range(4):
        campaign = Campaign.open(options={"wwi.seating": "random"})
        assert names(campaign) == PLAYERS
        desk.start(campaign.game, campaign.ada, campaign.now)
        campaign.game.refresh_from_db()
        held = names(campaign)
        assert sorted(held.values()) == sorted(PLAYERS.values())
        assert [seat.nation for seat in campaign.game.seats.order_by("ordinal")] == list(NATIONS)
        dealt.append(tuple(held.values()))
        act = Act.objects.get(game=campaign.game, kind=hands.DEALT)
        assert act.words == "The nations were dealt by lot."
        own = next(nation for nation, name in held.items() if name == "bea")
        begins = text(campaign.letters("begins", "bea")[0])
        assert f"You play {own}." in begins
        assert "The nations were dealt by lot." in begins
    assert len(set(dealt)) > 1


def test_dealt_nations_keep_the_agreed_pair_in_one_hand() -> None:
    campaign = Campaign.begin(
        seats=seats("France"), pairs=[("Britain", "France")], options={"wwi.seating": "random"}
    )
    held = names(campaign)
    assert held["Britain"] == held["France"]
    assert sorted(set(held.values())) == sorted({"bea", "gustav", "rosa", "antal"})


def test_dealt_and_drawn_together_give_everybody_something() -> None:
    campaign = Campaign.begin(
        seats=seats("France", "Russia"), options={"wwi.seating": "random", "wwi.pairing": "random"}
    )
    held = names(campaign)
    assert sorted(set(held.values())) == ["antal", "bea", "gustav"]
    assert sorted(Counter(held.values()).values()) == [1, 2, 2]


def test_programs_hold_pairs_too() -> None:
    campaign = Campaign.begin(
        seats={**dict.fromkeys(NATIONS, "bot"), "Germany": "table"}, pairs=[("Germany", "Russia")]
    )
    assert campaign.game.seats.get(nation="Germany").bot


def test_whoever_leaves_leaves_both_and_whoever_comes_gets_both() -> None:
    """The two nations of one person stay in one hand, whoever that is."""
    campaign = Campaign.begin(seats=seats("France"), pairs=[("Britain", "France")])
    game, now = campaign.game, campaign.now
    seat = campaign.seat("France")
    desk.vacate(seat, person("bea"), "She is ill", campaign.ada, now)
    assert not Sitting.objects.current().filter(seat__game=game, person=person("bea")).exists()
    assert desk.empty_seats(game) == ["Britain", "France"]
    told = [act.words for act in Act.objects.filter(game=game)]
    assert "The seat of Britain and France was vacated." in told
    invitation = desk.invite(campaign.seat("Britain"), "dana@example.org", campaign.ada, now)
    desk.accept(invitation, person("dana"), now)
    assert names(campaign)["Britain"] == names(campaign)["France"] == "dana"
    desk.eject(campaign.seat("Britain"), person("dana"), "She never wrote", campaign.ada, now)
    desk.let_the_service_play(campaign.seat("France"), now, campaign.ada)
    programs = game.seats.filter(bot=True).values_list("nation", flat=True)
    assert set(programs) == {"Britain", "France"}
    assert campaign.pass_deadline().status == "resolved"
    desk.stop_service(campaign.seat("Britain"), campaign.ada, campaign.now)
    assert not game.seats.filter(bot=True).exists()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"seats": seats("France")}, "Nobody holds France: name the nation that one person holds"),
        ({"seats": seats("France", "Russia", "Germany")}, "three people are the fewest who can"),
        (
            {"seats": seats("France"), "pairs": [("France", "Narnia")]},
            "no nation “Narnia”",
        ),
        (
            {"seats": seats("France"), "pairs": [("France", "Britain"), ("Russia", "France")]},
            "France stands in two places",
        ),
        ({"pairs": PAIR}, "One person holds Britain and France: say who in one of the two lines"),
        ({"seats": seats("France", "Britain"), "pairs": PAIR}, "say in one of the two lines who"),
        ({"options": {"wwi.pairing": "random"}}, "each has a player"),
        (
            {"seats": seats("France"), "pairs": PAIR, "options": {"wwi.pairing": "random"}},
            "leave one of the two out",
        ),
        (
            {"options": {"wwi.alliance_secrecy": "until_end", "wwi.attack_ally": "forbidden"}},
            "would reveal a secret alliance",
        ),
        (
            {"options": {"wwi.phasing": "sequential"}, "press": {"closed": ["attacks"]}},
            "letters are carried always",
        ),
        (
            {"ruleset_id": "origins-ww2", "card_name": "historical", "seats": {}, "pairs": PAIR},
            "nobody holds two nations",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(desk.DeskError) as refused:
        Campaign.open(**given)
    assert sentence in str(refused.value)


def test_an_invitation_says_that_nations_are_dealt_later() -> None:
    campaign = Campaign.open(options={"wwi.seating": "random"})
    told = text(campaign.letters("invitation", "bea")[0])
    assert "The nations are dealt by lot when the game begins: until then the seats only" in told
    plain = Campaign.open()
    assert "dealt" not in text(plain.letters("invitation", "bea")[0])


def opened_by_page(path: str) -> bytes:
    answer = log_in("ada").get(path)
    assert answer.status_code == 200, (path, answer.status_code)
    return answer.content


@pytest.mark.parametrize(
    "given",
    [
        {"seats": seats("Austria-Hungary"), "pairs": [("Germany", "Austria-Hungary")]},
        {"seats": seats("Russia", "France"), "pairs": [("Britain", "France"), EAST]},
        {"seats": seats("Russia"), "options": DRAWN},
        {"seats": seats("Russia", "France"), "options": DRAWN | {"wwi.seating": "random"}},
        {"seats": PROGRAMS | {"Britain": "me", "Germany": ""}, "pairs": [EAST]},
    ],
    ids=["four agreed", "three agreed", "four drawn", "three drawn", "programs"],
)
def test_a_forming_game_with_pairs_shows_its_pages_and_starts_from_them(
    given: dict[str, Any],
) -> None:
    """issue 19, 15: both pages answered 500 until the pairs were seated."""
    campaign = Campaign.open(**given)
    game = campaign.game
    for path in ("", "desk/", "board/", "standing/", "record.json", "nations/germany/"):
        opened_by_page(f"/games/{game.pk}/{path}")
    tree = json.loads(export.text(export.record(game, private=True)))
    assert [str(difference) for difference in verify.check(tree)] == []
    assert opened_by_page(f"/games/{game.pk}/").count(b"/start/") == 1
    assert log_in(campaign.ada).post(f"/games/{game.pk}/start/").status_code == 302
    game.refresh_from_db()
    assert (game.status, game.seats.filter(by_table=True).count()) == ("running", 0)
    opened_by_page(f"/games/{game.pk}/")


def test_an_accepted_invitation_lands_on_the_page_of_a_game_with_a_pair() -> None:
    campaign = Campaign.open(seats=seats("France", Germany=""), pairs=[("Britain", "France")])
    seat, ada = campaign.seat("Germany"), campaign.ada
    invitation = desk.invite(seat, "dana@example.org", ada, campaign.now)
    answer = Client().post(f"/invitation/{tokens.invitation_token(invitation)}/", follow=True)
    assert answer.status_code == 200
    assert answer.redirect_chain


def test_two_seats_of_one_person_lock_early_only_when_both_are_final() -> None:
    """Each nation is ordered for by itself, and the phase waits for both."""
    campaign = Campaign.begin(
        seats=seats("France"), pairs=[("Britain", "France")], may_lock_early=True
    )
    phase = campaign.phase
    for nation in NATIONS:
        if nation != "France":
            text = "PLACE 5 Italy" if nation != "Russia" else "PLACE 5 Serbia"
            campaign.order(nation, text, final=True)
    campaign.wait_until(campaign.now)
    assert campaign.phase == phase
    campaign.order("France", "PLACE 5 Africa", final=True)
    campaign.wait_until(campaign.now)
    assert campaign.phase != phase


def test_lines_above_the_heading_are_for_the_other_nation(settings: Any) -> None:
    """ways-in.md B8: docs/mail.md taught to write one's own lines first, and they were refused."""
    settings.MAIL_IN = True
    pair = ("Germany", "Austria-Hungary")
    campaign = Campaign.begin(seats=seats("Austria-Hungary"), pairs=[pair])
    send(
        campaign,
        "Germany",
        "Dear Ada,\nPLACE 3 Africa\nPLACE 2 Italy\nFOR Austria-Hungary\nPLACE 2 Serbia\n\n"
        "Best regards\nGustav\n",
    )
    standing = in_force.texts_in_force(campaign.phase)
    assert standing == {
        "Germany": "PLACE 3 Africa\nPLACE 2 Italy",
        "Austria-Hungary": "PLACE 2 Serbia",
    }
    assert "not as orders: “Dear Ada,”, “Best regards”, “Gustav”" in text(answers("gustav")[-1])


def test_lines_that_may_be_for_either_nation_come_back_whole(settings: Any) -> None:
    """ways-in.md B8: the refusal named one line of eight, and neither FINAL nor who had orders."""
    settings.MAIL_IN = True
    pair = ("Germany", "Austria-Hungary")
    campaign = Campaign.begin(seats=seats("Austria-Hungary"), pairs=[pair])
    send(campaign, "Germany", "PLACE 3 Africa\nPLACE 2 Serbia\nFINAL\n")
    assert in_force.texts_in_force(campaign.phase) == {}
    said = text(answers("gustav")[-1])
    for words in (
        "you play Germany and Austria-Hungary",
        "PLACE 3 Africa PLACE 2 Serbia",
        "“FINAL” with them was ignored",
        "Germany has no orders in force",
        "Austria-Hungary has no orders in force",
    ):
        assert words in said, words
