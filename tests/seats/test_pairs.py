"""Origins of World War I with four and three players, and nations by lot (Rules A.5)."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games import desk, positions
from games.accounts import tokens
from games.evidence import export
from games.models import Act, Sitting
from games.positions import in_force
from games.records import archive
from games.rules import pairs
from games.rules.verification import verify
from games.seats import pairs as hands
from tests.inbound.writing import answers, send
from tests.records.played import short_card
from tests.support.browsing import log_in
from tests.support.campaign import person
from tests.support.letters import letter_text
from tests.support.origins_ww1 import ADDRESSES, NATIONS, PLAYERS, Campaign

pytestmark = pytest.mark.django_db


def seats(*alone: str, **others: str) -> dict[str, str]:
    """Return all players' addresses, with “table” for nations that nobody holds alone."""
    return {**ADDRESSES, **dict.fromkeys(alone, "table"), **others}


PAIR, EAST = [("France", "Britain")], ("Germany", "Russia")
DRAWN, PROGRAMS = {"wwi.pairing": "random"}, dict.fromkeys(NATIONS, "bot")


def names(campaign: Campaign) -> dict[str, str]:
    return {nation: campaign.name_of(nation) for nation in NATIONS}


def play_on(campaign: Campaign) -> None:
    for _ in range(60):
        if campaign.game.status == "finished":
            return
        phase = campaign.phase
        for nation in campaign.game.rules.acting_nations(positions.state_of(phase)):
            placing = f"PLACE 2 {'Italy' if nation != 'Russia' else 'Serbia'}"
            campaign.order(nation, placing if "lacement" in phase.title else "PASS")
        assert campaign.pass_deadline().status == "resolved"


def test_buttons_of_a_class_take_a_pupil_with_two_nations() -> None:
    campaign = Campaign.begin(
        seats=seats("Austria-Hungary"), pairs=[("Austria-Hungary", "Germany")]
    )
    gustav = person("gustav")
    button = reverse("desk-class-pupil", args=[campaign.game.pk, gustav.pk])
    log_in("ada").post(button, {"do": "move", "nation": "Germany"})
    assert names(campaign)["Germany"] == "gustav"


def test_four_players_with_an_agreed_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """A.5: one person plays both allied nations separately; the alliance is never dissolved."""
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
    invitation = letter_text(campaign.letters("invitation", "gustav")[0])
    assert "invites you to play Germany and Austria-Hungary in" in invitation, "ways-in.md T6"
    begins = letter_text(campaign.letters("begins", "gustav")[0])
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


def test_orders_for_a_pair_are_sent_in_one_message(settings: Any) -> None:
    """A.5: a section for each nation in one message, and one answer for both."""
    settings.MAIL_IN = True
    pair = ("Germany", "Austria-Hungary")
    campaign = Campaign.begin(seats=seats("Austria-Hungary"), pairs=[pair])
    orders = "FOR Germany\nPLACE 5 Africa\nFOR Austria-Hungary\nPLACE 5 Serbia\n"
    send(campaign, "Germany", orders, sender="gustav@example.org")
    texts = in_force.texts_in_force(campaign.phase)
    assert texts == {"Germany": "PLACE 5 Africa", "Austria-Hungary": "PLACE 5 Serbia"}
    (answer,) = answers("gustav")
    assert "FOR GERMANY" in letter_text(answer)
    assert "FOR AUSTRIA-HUNGARY" in letter_text(answer)
    (opened,) = campaign.letters("opened", "gustav")
    assert "Germany" in letter_text(opened)
    assert "Austria-Hungary" in letter_text(opened)
    send(campaign, "Germany", "I withdraw my orders.", sender="gustav@example.org")
    assert "Reply with the lines FOR Germany and CANCEL" in letter_text(answers("gustav")[-1])
    send(campaign, "Germany", "FOR Germany\nCANCEL\n", sender="gustav@example.org")
    assert set(in_force.texts_in_force(campaign.phase)) == {"Austria-Hungary"}


def test_three_players_draw_lots_for_two_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A.5: two alliances of one person each, and a single third; the lot is a public act."""
    short_card(monkeypatch, 1)
    pairings = set()
    for _ in range(6):
        campaign = Campaign.begin(
            seats=seats("Russia", "Austria-Hungary"), options={"wwi.pairing": "random"}
        )
        drawn = pairs.read(campaign.game.options[pairs.PREMADE])
        pairings.add(drawn)
        assert len(drawn) == 2
        held = names(campaign)
        assert {held[nation] for nation in NATIONS} == {"bea", "felix", "gustav"}
        for first_nation, second_nation in drawn:
            assert held[first_nation] == held[second_nation]
            assert len({first_nation, second_nation} & {"Russia", "Austria-Hungary"}) == 1
        acts = [act.words for act in Act.objects.filter(game=campaign.game, kind=hands.DEALT)]
        assert len(acts) == 2
        assert all("By lot one person plays" in words for words in acts)
        begins = letter_text(campaign.letters("begins", "bea")[0])
        assert all(words in begins for words in acts)
    assert len(pairings) > 1, "six draws of six pairings each are hardly ever all alike"
    play_on(campaign)
    assert campaign.game.status == "finished"


def test_nations_by_lot_are_dealt_at_the_start_and_announced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A.6 16, `wwi.seating` = random: until then the seats only say who plays."""
    dealt = []
    for _ in range(4):
        campaign = Campaign.open(options={"wwi.seating": "random"})
        assert names(campaign) == PLAYERS
        desk.start(campaign.game, campaign.now)
        campaign.game.refresh_from_db()
        held = names(campaign)
        assert sorted(held.values()) == sorted(PLAYERS.values())
        assert [seat.nation for seat in campaign.game.seats.order_by("ordinal")] == list(NATIONS)
        dealt.append(tuple(held.values()))
        act = Act.objects.get(game=campaign.game, kind=hands.DEALT)
        assert act.words == "The nations were assigned by lot."
        own = next(nation for nation, name in held.items() if name == "bea")
        begins = letter_text(campaign.letters("begins", "bea")[0])
        assert f"You play {own}." in begins
        assert "The nations were assigned by lot." in begins
    assert len(set(dealt)) > 1


def test_dealt_nations_keep_an_agreed_pair_together() -> None:
    campaign = Campaign.begin(
        seats=seats("France"), pairs=[("Britain", "France")], options={"wwi.seating": "random"}
    )
    held = names(campaign)
    assert held["Britain"] == held["France"]
    assert sorted(set(held.values())) == sorted({"bea", "gustav", "rosa", "antal"})


def test_dealt_nations_and_drawn_pairs_give_everybody_a_seat() -> None:
    campaign = Campaign.begin(
        seats=seats("France", "Russia"), options={"wwi.seating": "random", "wwi.pairing": "random"}
    )
    held = names(campaign)
    assert sorted(set(held.values())) == ["antal", "bea", "gustav"]
    assert sorted(Counter(held.values()).values()) == [1, 2, 2]


def test_bots_hold_pairs() -> None:
    campaign = Campaign.begin(
        seats={**dict.fromkeys(NATIONS, "bot"), "Germany": "table"}, pairs=[("Germany", "Russia")]
    )
    assert campaign.game.seats.get(nation="Germany").bot


def test_leaving_player_leaves_both_nations_and_successor_gets_both() -> None:
    """Both nations of one person always have the same player."""
    campaign = Campaign.begin(seats=seats("France"), pairs=[("Britain", "France")])
    game, now = campaign.game, campaign.now
    seat = campaign.seat("France")
    desk.vacate(seat, person("bea"), "She is ill", campaign.ada, now)
    assert not Sitting.objects.current().filter(seat__game=game, person=person("bea")).exists()
    assert desk.empty_seats(game) == ["Britain", "France"]
    acts = [act.words for act in Act.objects.filter(game=game)]
    assert "The seat of Britain and France was vacated." in acts
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
        ({"seats": seats("France")}, "France has no player. Name the nation it is paired with"),
        ({"seats": seats("France", "Russia", "Germany")}, "The game needs at least 3 players"),
        (
            {"seats": seats("France"), "pairs": [("France", "Narnia")]},
            "no nation “Narnia”",
        ),
        (
            {"seats": seats("France"), "pairs": [("France", "Britain"), ("Russia", "France")]},
            "France is named twice",
        ),
        (
            {"pairs": PAIR},
            "One person plays Britain and France. Name the player on one of the two lines, and",
        ),
        (
            {"seats": seats("France", "Britain"), "pairs": PAIR},
            "Name the player on one of the two lines, or",
        ),
        ({"options": {"wwi.pairing": "random"}}, "every nation has a player"),
        (
            {"seats": seats("France"), "pairs": PAIR, "options": {"wwi.pairing": "random"}},
            "Leave out one of the two",
        ),
        (
            {"options": {"wwi.alliance_secrecy": "until_end", "wwi.attack_ally": "forbidden"}},
            "would reveal a secret alliance",
        ),
        (
            {"options": {"wwi.phasing": "sequential"}, "press": {"closed": "attacks"}},
            "letters cannot be closed",
        ),
        (
            {"ruleset_id": "origins-ww2", "card_name": "historical", "seats": {}, "pairs": PAIR},
            "nobody plays two nations",
        ),
    ],
)
def test_invalid_pairs_are_refused_with_a_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(desk.DeskError) as refused:
        Campaign.open(**given)
    assert sentence in str(refused.value)


def test_invitation_says_that_nations_are_dealt_later() -> None:
    campaign = Campaign.open(options={"wwi.seating": "random"})
    invitation = letter_text(campaign.letters("invitation", "bea")[0])
    assert (
        "The nations are dealt by lot when the game begins: until then the seats only" in invitation
    )
    plain = Campaign.open()
    assert "dealt" not in letter_text(plain.letters("invitation", "bea")[0])


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
def test_forming_game_with_pairs_shows_its_pages_and_starts(given: dict[str, Any]) -> None:
    """issue 19, 15: both pages answered 500 until the pairs were seated."""
    campaign = Campaign.open(**given)
    game = campaign.game
    for path in ("", "desk/", "board/", "standing/", "record.json", "nations/germany/"):
        opened_by_page(f"/games/{game.pk}/{path}")
    tree = json.loads(export.text(export.record(game, private=True)))
    assert [str(difference) for difference in verify.check(tree)] == []
    assert opened_by_page(f"/games/{game.pk}/desk/").count(b"/start/") == 1
    assert log_in(campaign.ada).post(f"/games/{game.pk}/start/").status_code == 302
    game.refresh_from_db()
    assert (game.status, game.seats.filter(by_table=True).count()) == ("running", 0)
    opened_by_page(f"/games/{game.pk}/")


def test_accepted_invitation_leads_to_the_page_of_a_game_with_a_pair() -> None:
    campaign = Campaign.open(seats=seats("France", Germany=""), pairs=[("Britain", "France")])
    seat, ada = campaign.seat("Germany"), campaign.ada
    invitation = desk.invite(seat, "dana@example.org", ada, campaign.now)
    answer = Client().post(f"/invitation/{tokens.invitation_token(invitation)}/", follow=True)
    assert answer.status_code == 200
    assert answer.redirect_chain


def test_pair_locks_early_only_when_both_nations_are_final() -> None:
    """Each nation has its own orders, and the phase waits for both."""
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


def test_lines_above_the_first_heading_are_for_the_writers_other_nation(settings: Any) -> None:
    """ways-in.md B8: docs/mail.md teaches to write the own nation's lines first, and they were
    refused."""
    settings.MAIL_IN = True
    pair = ("Germany", "Austria-Hungary")
    campaign = Campaign.begin(seats=seats("Austria-Hungary"), pairs=[pair])
    send(
        campaign,
        "Germany",
        "Dear Ada,\nPLACE 3 Africa\nPLACE 2 Italy\nFOR Austria-Hungary\nPLACE 2 Serbia\n\n"
        "Best regards\nGustav\n",
    )
    orders = in_force.texts_in_force(campaign.phase)
    assert orders == {
        "Germany": "PLACE 3 Africa\nPLACE 2 Italy",
        "Austria-Hungary": "PLACE 2 Serbia",
    }
    assert "not as orders: “Dear Ada,”, “Best regards”, “Gustav”" in letter_text(
        answers("gustav")[-1]
    )


def test_ambiguous_lines_for_a_pair_are_returned_whole(settings: Any) -> None:
    """ways-in.md B8: the refusal quoted one line of eight, and said nothing of FINAL or of orders
    in force."""
    settings.MAIL_IN = True
    pair = ("Germany", "Austria-Hungary")
    campaign = Campaign.begin(seats=seats("Austria-Hungary"), pairs=[pair])
    send(campaign, "Germany", "PLACE 3 Africa\nPLACE 2 Serbia\nFINAL\n")
    assert in_force.texts_in_force(campaign.phase) == {}
    answer = letter_text(answers("gustav")[-1])
    for words in (
        "you play Germany and Austria-Hungary",
        "PLACE 3 Africa PLACE 2 Serbia",
        "“FINAL” with them was ignored",
        "Germany has no orders in force",
        "Austria-Hungary has no orders in force",
    ):
        assert words in answer, words
