"""Origins of World War I: opened, ordered, and run from the desk (issue 8, points 1, 2, 4)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from games import positions
from games.base import clock
from games.models import Game
from games.positions import in_force
from games.rules import pairs
from orders.intake import telephone
from orders.web import panels, pointing
from orders.web.drafting import Drafting
from tests.support.browsing import Visitor, log_in
from tests.support.campaign import MONDAY
from tests.support.examples import sample
from tests.support.origins_ww1 import ADDRESSES, GAME, NATIONS, Campaign

pytestmark = pytest.mark.django_db
PHASINGS = ("two_phase", "one_deadline", "sequential")


def browser(name: str) -> Visitor:
    client = log_in(name)
    return client


def plain(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: MONDAY)


def begin(monkeypatch: pytest.MonkeyPatch, phasing: str = "two_phase", **options: str) -> Campaign:
    campaign = Campaign.begin(options={"wwi.phasing": phasing, **options})
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    return campaign


# --- opening ---


def typed(client: Visitor, **more: str) -> dict[str, Any]:
    """Return the form as the page shows it, with a title and further values."""
    form = client.get(f"/games/new/?game={GAME}").context["form"]
    fields = {
        name: field.initial
        for name, field in form.fields.items()
        if field.initial not in (None, False, "")
    }
    usual = {"title": "A place in the sun", "market": "demo", "zone": "Berlin, Germany"}
    return {**fields, **usual, **more}


def line(nation: str) -> int:
    return NATIONS.index(nation)


def test_opening_page_uses_the_words_of_this_game(at: None) -> None:
    page = browser("ada").read(f"/games/new/?game={GAME}")
    text = plain(page)
    assert "ten or fifty" in text
    assert "Two nations with one player" in text
    assert "nobody: played with another nation" in text
    assert "When PFs are placed and attacks made" in text
    assert "50 deadlines" in text
    assert "All but the United States" not in text
    assert "Understanding" not in text, "there are no such counters in this game"
    assert "CONTROL" not in text


@pytest.mark.parametrize(
    "preset", ["ww1-as-printed", "ww1-e-mail-league", "ww1-telephone", "ww1-classroom"]
)
def test_preset_fills_in_a_valid_form(at: None, preset: str) -> None:
    client = browser("ada")
    answer = client.post(f"/games/new/?game={GAME}", {**typed(client), "preset": preset})
    form = answer.context["form"]
    fields = {
        name: form[name].value()
        for name in form.fields
        if form[name].value() not in (None, False, "")
    }
    opened = client.post(f"/games/new/?game={GAME}", fields)
    assert opened.status_code == 302, opened.context["form"].errors if opened.context else ""
    assert Game.objects.get().ruleset_id == GAME


def test_game_for_four_is_opened_with_a_pair(at: None) -> None:
    """A.5: the page names two nations for one player; the invitation goes to that player."""
    client = browser("ada")
    who = {
        f"email_{line(nation)}": address
        for nation, address in ADDRESSES.items()
        if nation != "Russia"
    }
    fields = typed(client, **who, pair_0="Germany+Russia")
    opened = client.post(f"/games/new/?game={GAME}", fields)
    assert opened.status_code == 302, opened.context["form"].errors
    game = Game.objects.get()
    assert game.options[pairs.PREMADE] == "Germany+Russia"
    assert "When the game begins, a player with another nation gets it" in plain(
        client.read(f"/games/{game.pk}/desk/people/")
    )


def test_unpaired_nation_is_explained_and_typed_text_stays(at: None) -> None:
    client = browser("ada")
    fields = typed(client, **{f"who_{line('Russia')}": "table"})
    answer = client.post(f"/games/new/?game={GAME}", fields)
    assert "Russia has no player. Name the nation" in plain(answer.content.decode())
    assert answer.context["form"]["title"].value() == "A place in the sun"


# --- orders ---


def drafting_of(campaign: Campaign, nation: str) -> Drafting:
    state = campaign.game.rules.view(positions.state_of(campaign.phase), nation)
    return Drafting(campaign.game.rules, state, nation)


def point(drafting: Drafting, *deeds: str, text: str = "", **fields: str) -> str:
    for do in deeds:
        text = pointing.apply_button(
            drafting, text, do, {name.replace("__", ":"): value for name, value in fields.items()}
        )
    return text


def panel(drafting: Drafting, text: str, area: str) -> panels.Panel:
    board = drafting.rules.board(drafting.state)
    return next(
        candidate
        for candidate in panels.pointing(drafting, board, text, drafting.nation).panels
        if candidate.area == area
    )


def test_placement_by_pointing_respects_the_cap_of_foreign_areas(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A.2: five in one foreign area a turn, any number at home."""
    campaign = begin(monkeypatch)
    drafting = drafting_of(campaign, "Britain")
    text = point(drafting, "all:PLACE:Italy", "more:PLACE:Italy", "more:PLACE:Turkey")
    assert text.strip().splitlines() == ["PLACE 5 Italy", "PLACE 1 Turkey"]
    count = panel(drafting, text, "Italy").counts[0]
    assert (count.number, count.most, count.cap) == (5, 5, 5)
    home = panel(drafting, text, "Britain").counts[0]
    assert (home.most, home.cap) == (8, 0)
    assert point(drafting, "all:PLACE:Britain", text=text).strip().endswith("PLACE 8 Britain")
    with pytest.raises(pointing.PointingError, match="It is now 5, the most possible") as refused:
        pointing.apply_button(
            drafting, "PLACE 1 Italy", "set:PLACE:Italy", {"number:PLACE:Italy": "6"}
        )
    assert refused.value.text == "PLACE 5 Italy"


def board_with_attacks(campaign: Campaign) -> None:
    for nation in NATIONS:
        campaign.order(nation, "PLACE 5 Serbia\nPLACE 3 Italy")
    campaign.pass_deadline()


def test_second_attack_replaces_the_first_and_keeps_its_stock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A.2: at most one attack a turn, on one nation in one area."""
    campaign = begin(monkeypatch)
    board_with_attacks(campaign)
    drafting = drafting_of(campaign, "Germany")
    text = point(drafting, "aim:Serbia:Russia")
    text = pointing.apply_button(drafting, text, "stock:Serbia", {"stock:Serbia": "ge ibm"})
    assert text.strip() == "ATTACK Russia IN Serbia STOCK GE/IBM"
    text = point(drafting, "aim:Italy:Britain", text=text)
    assert text.strip() == "ATTACK Britain IN Italy STOCK GE/IBM"
    assault = panel(drafting, text, "Italy").assault
    assert assault is not None
    assert [target.name for target in assault.targets if target.chosen] == ["Britain"]
    odds = assault.made[0].odds
    assert odds is not None
    assert (odds.attacker, odds.defender, odds.odds) == (3, 3, "1-1")
    assert sum(outcome.percent for outcome in odds.outcomes) == 100
    assert point(drafting, "aim:Italy:Britain", text=text).strip() == ""


def test_one_deadline_allows_three_alternative_attacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A.8, `one_deadline`: up to three, each with lowest odds and stocks; two in one area."""
    campaign = begin(monkeypatch, "one_deadline")
    drafting = drafting_of(campaign, "Germany")
    text = point(drafting, "aim:Serbia:Russia", "aim:Serbia:France", "aim:Africa:France")
    text = pointing.apply_button(drafting, text, "min:Serbia:France", {"min:Serbia:France": "2"})
    text = pointing.apply_button(
        drafting, text, "stock:Africa:France", {"stock:Africa:France": "GE"}
    )
    assert text.strip().splitlines() == [
        "ATTACK Russia IN Serbia",
        "ATTACK France IN Serbia MIN 2-1",
        "ATTACK France IN Africa STOCK GE",
    ]
    with pytest.raises(pointing.PointingError, match="at most 3 attacks"):
        point(drafting, "aim:Italy:Britain", text=text)
    with pytest.raises(pointing.PointingError, match="1-1 to 4-1"):
        pointing.apply_button(drafting, text, "min:Serbia:France", {"min:Serbia:France": "5"})


def test_alliances_are_offered_and_left_by_pointing(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = begin(monkeypatch, **{"wwi.alliance_withdrawal": "allowed"})
    drafting = drafting_of(campaign, "France")
    text = point(drafting, "wish:ALLY::Britain", "wish:ALLY::Russia")
    assert text.strip().splitlines() == ["ALLY Britain", "ALLY Russia"]
    shown = {
        wish.label: wish.chosen
        for wish in panels.pointing(
            drafting, drafting.rules.board(drafting.state), text, "France"
        ).everywhere
    }
    assert shown["Alliance with Britain"]
    assert not shown["Alliance with Germany"]
    assert point(drafting, "wish:ALLY::Britain", text=text).strip() == "ALLY Russia"
    with pytest.raises(pointing.PointingError, match="“France” is not possible; choose from"):
        point(drafting, "wish:ALLY::France")
    campaign.order("France", "ALLY Britain")
    campaign.order("Britain", "ALLY France")
    campaign.pass_deadline()
    assert point(drafting_of(campaign, "France"), "wish:LEAVE ALLIANCE").strip() == "LEAVE ALLIANCE"


@pytest.mark.parametrize("phasing", PHASINGS)
def test_order_page_shows_caps_and_alliances_and_accepts_orders(
    monkeypatch: pytest.MonkeyPatch, phasing: str
) -> None:
    campaign = begin(monkeypatch, phasing)
    client, seat = browser("bea"), campaign.seat("Britain")
    address = f"/games/{campaign.game.pk}/orders/{seat.pk}/"
    page = plain(client.read(address))
    assert "5 at most in a turn" in page
    assert "Alliance with France" in page
    line = {"ALLY-nations": "France", "do": "add:ALLY", "text": "PLACE 5 Italy", "phase": "1"}
    built = client.post(address, line)
    assert "ALLY France" in built.context["page"].text
    if phasing == "one_deadline":
        attack = {
            "ATTACK-area": "Italy",
            "ATTACK-nations": "Russia",
            "ATTACK-stock": "GE",
            "do": "add:ATTACK",
            "text": "",
            "phase": "1",
        }
        assert (
            "ATTACK Russia IN Italy STOCK GE" in client.post(address, attack).context["page"].text
        )
    sent = client.post(
        address, {"text": "PLACE 5 Italy\nALLY France\n", "do": "send-anyway", "phase": "1"}
    )
    assert sent.status_code == 302
    receipt = plain(client.read(sent["Location"]))
    assert "makes an alliance only if France names Britain too" in receipt
    assert in_force.in_force(campaign.phase)["Britain"].text == "PLACE 5 Italy\nALLY France\n"


def test_sequential_phase_takes_orders_of_its_nation_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A.8, `sequential`: the order pages of the others say so; they get no reminder and miss
    nothing."""
    campaign = begin(monkeypatch, "sequential")
    page = plain(
        browser("felix").read(f"/games/{campaign.game.pk}/orders/{campaign.seat('France').pk}/")
    )
    assert "France has nothing to order in this phase" in page
    assert not campaign.order("France", "PLACE 5 Italy").counts
    waits = {
        name: [entry.waiting for entry in browser(name).get("/").context["mine"]]
        for name in ("bea", "felix")
    }
    assert waits == {"bea": [("Britain",)], "felix": [()]}, (
        "nobody is told that a phase waits for him in which he cannot order"
    )
    campaign.wait_until(campaign.phase.remind_at or campaign.now)
    assert {letter.address for letter in campaign.letters("reminder")} == {ADDRESSES["Britain"]}
    phase = campaign.pass_deadline()
    assert phase.missed == ["Britain"]
    assert campaign.game.rules.acting_nations(positions.state_of(campaign.phase)) == ("France",)


@pytest.mark.parametrize("phasing", PHASINGS)
def test_orders_are_read_back_by_telephone(monkeypatch: pytest.MonkeyPatch, phasing: str) -> None:
    campaign = begin(monkeypatch, phasing)
    if phasing == "two_phase":
        board_with_attacks(campaign)
    text = {
        "two_phase": "ATTACK Russia IN Serbia STOCK GE",
        "one_deadline": "PLACE 5 Serbia\nATTACK Russia IN Serbia STOCK GE MIN 2-1",
    }.get(phasing, "PLACE 5 Serbia\nATTACK Russia IN Serbia STOCK GE")
    back = telephone.read_back(
        campaign.seat("Britain"), campaign.phase, f"{text}\nALLY France", campaign.now
    )
    text_read = " ".join(str(read_line) for read_line in back.lines)
    assert "Serbia" in text_read
    assert "France" in text_read


@pytest.mark.parametrize("phasing", sample(PHASINGS, 1))
def test_every_page_and_desk_page_opens_without_words_of_other_games(
    monkeypatch: pytest.MonkeyPatch, phasing: str
) -> None:
    """A soak opens them in each phasing."""
    campaign = begin(monkeypatch, phasing)
    for nation in NATIONS:
        offer = "ALLY France" if nation == "Britain" else "PLACE 3 Italy\nALLY Britain"
        campaign.order(nation, f"PLACE 5 Serbia\n{offer}")
    campaign.pass_deadline()
    game = campaign.game
    known = [
        "",
        "board/",
        "standing/",
        "record.json",
        "scenario/",
        "summary/",
        "rulings/",
        "press/",
    ]
    known += ["press/write/", "honesty/", "feed.xml", "preview.png"]
    known += [f"nations/{nation.lower()}/" for nation in NATIONS]
    of_desk = ("", "prospects/", "rulings/", "telephone/", "telephone/script/", "paper/", "times/")
    known += [f"desk/{at}" for at in (*of_desk, "telephone/table/", "people/", "class/")]
    of_phase, numbers = ("", "proof/", "board.svg", "board.png"), game.phases.values_list("number")
    known += [f"phases/{number}/{at}" for (number,) in numbers for at in of_phase]
    kinds = ("", "orders/", "position/", "alliance/", "points/", "option/", "again/", "rollback/")
    known += [f"desk/rulings/phases/1/{kind}" for kind in kinds]
    for seat in game.seats.all():
        known += [f"orders/{seat.pk}/", f"desk/telephone/{seat.pk}/"]
    for name in ("ada", "felix"):
        client = browser(name)
        for where in known:
            answer = client.get(f"/games/{game.pk}/{where}")
            hers = name == "ada" and "orders/" not in where
            allowed = (200, 302) if hers else (200, 302, 403, 404)
            assert answer.status_code in allowed, f"{where}: {answer.status_code}"
            if not answer.streaming and where.endswith("/"):
                text = plain(answer.content.decode())
                assert "Understanding" not in text, where
                assert "CONTROL" not in text, where
                assert "lt1" not in text, where
    assert browser("ada").get(f"/games/{game.pk}/desk/rulings/phases/1/counter/").status_code == 404


def test_visitor_practices_this_game(at: None) -> None:
    """A practice game is of the game whose rules the visitor has read, and so is the next one."""
    client = Visitor()
    begun = client.post("/practice/", {"game": GAME, "nation": "Russia"})
    game = Game.objects.get()
    assert (game.ruleset_id, game.practice) == (GAME, True)
    programs = game.seats.filter(bot=True).values_list("nation", flat=True)
    assert list(programs) == [nation for nation in NATIONS if nation != "Russia"]
    assert "ten in one area abroad are treaty rights" in plain(client.read(begun["Location"]))
    client.post(f"/practice/{game.pk}/again/")
    assert set(Game.objects.values_list("ruleset_id", flat=True)) == {GAME}
