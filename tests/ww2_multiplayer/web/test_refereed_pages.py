"""Pages of a refereed game, as players and strangers see them (docs/refereed.md, Rules B.8)."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from django.urls import reverse

from games import desk
from games.models import Sitting
from games.rules import cards
from games.web.game.report import CHAPTERS, COUNTERS, report
from games.ww2_multiplayer.rules import order_forms
from orders.models import Submission
from tests.desk.test_desk_pages import shown_tabs
from tests.support.browsing import Visitor
from tests.support.campaign import person
from tests.support.stored import stored
from tests.web.conftest import Browser, Watch
from tests.ww2_multiplayer.campaign import Refereed

pytestmark = [pytest.mark.django_db, pytest.mark.guest]

RULES = Path("games/ww2_multiplayer/rules")


def _ordering() -> Refereed:
    war = Refereed.begin(players=6)
    war.play_to("orders", lambda phase: {"Italy": "MED ON AGAINST Britain"})
    return war


def _begun() -> Refereed:
    return Refereed.begin(players=5)


def _hidden() -> Refereed:
    """Return a game in which only the gamesmaster sees standings and Italy's Player-Turn needs a
    report."""
    war = Refereed.begin(players=6, options={"spi.standings": "gm_only", "spi.last_turn": 1})
    war.play_to("orders")
    war.order("Italy", "SEA 1 SP Naples TO Tripoli VIA MED\nkeep the secret of Taranto")
    war.pass_deadline()
    return war


def at(watch: Watch, war: Refereed) -> Refereed:
    watch.set(war.now)
    return war


@pytest.fixture
def ordering(db: None, watch: Watch) -> Refereed:
    return at(watch, stored("refereed pages: orders", _ordering))


@pytest.fixture
def begun(db: None, watch: Watch) -> Refereed:
    return at(watch, stored("refereed pages: five", _begun))


@pytest.fixture
def hidden(db: None, watch: Watch) -> Refereed:
    return at(watch, stored("refereed pages: hidden", _hidden))


def read(client: Visitor, war: Refereed, path: str = "", who: str | None = None) -> str:
    client.logout()
    if who:
        client.force_login(person(who))
    response = client.get(f"/games/{war.game.pk}/{path}")
    assert response.status_code == 200, (path, who, response.status_code)
    return unescape(response.content.decode())


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html[html.index("<main") :]).split())


# --- the order page ---


def test_orders_are_made_from_forms_buttons_and_free_text(
    ordering: Refereed, client: Visitor
) -> None:
    """Rules B.8: free text is always accepted; forms and buttons make the lines that the service
    can read."""
    address = f"/games/{ordering.game.pk}/orders/{ordering.seat('France').pk}/"
    client.force_login(person("felix"))
    fields = {
        "SEA:sp": "2",
        "SEA:origin": "Marseilles",
        "SEA:to": "Tunis",
        "SEA:via": "MED",
        "SEA:using": "France",
        "do": "add:SEA",
        "text": "hold the line",
    }
    page = unescape(client.submit(address, {"phase": ordering.phase.number, **fields}))
    assert "hold the line\nSEA 2 SP Marseilles TO Tunis VIA MED USING France\n" in page
    assert "in your own words, for the gamesmaster" in page
    assert (
        "Ship 2 Strength Points from Marseilles to Tunis, through the Mediterranean, with transport"
        " of France." in page
    )
    for do, line in (
        ("wish:INVADE:Spain", "INVADE Spain"),
        ("wish:ALLY::Britain", "ALLY Britain"),
        ("wish:DECLARE WAR ON:Italy", "DECLARE WAR ON Italy"),
    ):
        page = unescape(
            client.submit(address, {"do": do, "text": "", "phase": ordering.phase.number})
        )
        assert f"\n{line}</textarea>" in page
        assert f'value="{do}"' in page
        assert 'aria-pressed="true"' in page
        page = unescape(
            client.submit(address, {"do": do, "text": line, "phase": ordering.phase.number})
        )
        assert re.search(r'name="text"[^>]*>\s*</textarea>', page)


def test_missing_blank_is_requested_and_the_text_stays(ordering: Refereed, client: Visitor) -> None:
    address = f"/games/{ordering.game.pk}/orders/{ordering.seat('France').pk}/"
    client.force_login(person("felix"))
    fields = {"do": "add:MOVE", "text": "INVADE Spain", "MOVE:sp": "x"}
    page = unescape(client.submit(address, {"phase": ordering.phase.number, **fields}))
    assert "“Move by land”: “x” is not a number" in page
    assert "INVADE Spain</textarea>" in page


def test_every_form_of_the_order_page_makes_a_readable_line(ordering: Refereed) -> None:
    state = ordering.state("Italy")
    offered = order_forms.order_forms(state, "Italy")
    assert {form.verb for form in offered.forms} >= {"GRANT", "REVOKE", "MED", "SEA", "IF", "MINOR"}
    for form in offered.forms:
        filled = {
            "order": "MOVE 1 SP Rome TO Milan",
            "condition": "France ENTERED",
            "against": "Britain",
        }
        values = {}
        for field in form.fields:
            usual = "3" if field.kind == "number" else "Rome"
            values[field.name] = filled.get(field.name) or (*field.among, usual)[0]
        parsed = ordering.game.rules.read(form.line(values), "Italy", state)
        assert len(parsed.understood) == 1, (form.line(values), parsed.remarks)
        assert not ordering.game.rules.writing.own_words(state, "Italy", form.line(values)), (
            form.line(values)
        )


def test_mediterranean_choice_is_shown_only_to_italy(ordering: Refereed, client: Visitor) -> None:
    """6.53: Italy decides where the rule applies."""
    choice = "You apply the Mediterranean rule to transport of Britain."
    assert choice in read(client, ordering, f"orders/{ordering.seat('Italy').pk}/", "ida")
    assert "Mediterranean rule applied" not in read(
        client, ordering, f"orders/{ordering.seat('France').pk}/", "felix"
    )


def test_order_page_mentions_no_stocks_or_counters(ordering: Refereed, client: Visitor) -> None:
    text = words(read(client, ordering, f"orders/{ordering.seat('France').pk}/", "felix"))
    for word in ("STOCK", "PFs", "Understanding", "CONTROL "):
        assert word not in text, word
    assert "No line names a stock: dice come from the published list." in text


def test_secret_column_is_chosen_within_its_limit_and_stays_hidden(
    begun: Refereed, client: Visitor
) -> None:
    """19.2: one of two printed entries per country, at most 25 points, secret until the end."""
    address = f"/games/{begun.game.pk}/orders/{begun.seat('Germany').pk}/"
    client.force_login(person("gustav"))
    picked = {"blend:Poland": "Germany", "blend:Greece": "Italy", "blend:USSR": "Germany"}
    sealed = {"do": "column", "phase": begun.phase.number}
    page = unescape(client.submit(address, {**sealed, "text": "ALLY USSR", **picked}))
    assert "ALLY USSR\nBLEND Poland Germany\nBLEND Greece Italy\nBLEND USSR Germany\n" in page
    assert re.search(r'class="sum">10</strong>', page)
    areas = cards.load("ww2-multiplayer", "standard")["areas"]
    every = dict.fromkeys((f"blend:{area}" for area in areas), "Germany")
    every |= {"blend:Algeria": "Italy"}
    page = unescape(client.submit(address, {**sealed, "text": "", **every}))
    assert "the limit is 25 (19.2)" in page
    begun.order("Germany", "BLEND Poland Germany\nBLEND Greece Italy")
    begun.pass_deadline()
    begun.play_to("referee")
    for who in ("ada", "felix", None):
        for path in (
            "",
            "phases/1/",
            "nations/germany/",
            "score-sheets/",
            "standing/",
            "phases/1/proof/",
        ):
            assert "BLEND" not in read(client, begun, path, who), (path, who)
    assert "BLEND" not in read(client, begun, "referee/", "ada")


# --- pages for all readers ---


def test_pages_say_that_the_gamesmaster_plays_instead_of_a_deadline(
    hidden: Refereed, client: Visitor
) -> None:
    """gamesmaster.md B3: the desk said “Monday 31 December 2998”."""
    waits = "The gamesmaster is playing out the Player-Turn of Italy."
    for path in ("", f"phases/{hidden.phase.number}/", f"phases/{hidden.phase.number}/proof/"):
        page = read(client, hidden, path)
        assert waits in page, path
        assert not re.search(r"\b299[89]\b", page), path
    assert waits in read(client, hidden, f"orders/{hidden.seat('France').pk}/", "felix")
    for path, who in (
        ("/", None),
        ("/", "felix"),
        ("/games/{}/preview.png", None),
        ("/games/{}/desk/", "ada"),
        ("/games/{}/desk/times/", "ada"),
    ):
        client.logout()
        if who:
            client.force_login(person(who))
        answer = client.get(path.format(hidden.game.pk))
        assert not re.search(rb"\b299[89]\b", answer.content), (path, who)


def test_home_and_desk_tell_the_gamesmaster_that_everybody_waits(
    hidden: Refereed, client: Visitor
) -> None:
    client.force_login(hidden.ada)
    link = f"/games/{hidden.game.pk}/referee/"
    home = client.read("/")
    assert "Everybody waits for your report." in home
    assert link in home
    for path in ("/desk/", f"/games/{hidden.game.pk}/desk/"):
        page = client.read(path)
        assert "Everybody waits for your report" in page, path
        assert link in page, path
    hidden.report()
    assert "Everybody waits for your report." not in client.read("/")


def test_players_never_read_pending_orders_of_others(hidden: Refereed, client: Visitor) -> None:
    for path in (
        "",
        "phases/2/",
        f"phases/{hidden.phase.number}/",
        "nations/italy/",
        "standing/",
        "score-sheets/",
        "board/",
        "phases/2/proof/",
    ):
        for who in ("felix", None):
            assert "Taranto" not in read(client, hidden, path, who), (path, who)
    assert "keep the secret of Taranto" in read(client, hidden, "referee/", "ada")
    hidden.report("LINE Italy 1 DONE\nLINE Italy 2 VOID PRIVATE: it cannot be kept\nEND")
    hidden.carry_out()
    report_page = read(client, hidden, "phases/3/", "felix")
    assert "The gamesmaster ruled on a secret line of Italy." in report_page
    assert "Taranto" not in report_page


def test_private_standings_are_only_on_the_gamesmasters_page(
    hidden: Refereed, client: Visitor
) -> None:
    """spi.standings = gm_only."""
    for who in ("felix", None):
        assert "only the gamesmaster sees the scores" in read(client, hidden, "score-sheets/", who)
        assert "scores are secret" in read(client, hidden, "standing/", who)
    assert "Every point" in read(client, hidden, "score-sheets/", "ada")
    assert "Seats and scores" in read(client, hidden, "", "ada")
    assert "Seats and scores" not in read(client, hidden, "", "felix")
    assert "scores are secret" not in read(client, hidden, "standing/", "ada")
    assert "No hostile force stands in Belgium." in read(client, hidden, "score-sheets/", "ada")
    hidden.play_out()
    assert "No hostile force stands in Belgium." in read(client, hidden, "score-sheets/")


def test_every_kind_of_event_has_a_chapter_in_the_report() -> None:
    """The kinds are collected from the source, so that a new one cannot be forgotten."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in RULES.glob("*.py"))
    kinds = set(re.findall(r'\bevent\(\s*"([a-z_]+)"', text)) | set(
        re.findall(r'"kind": "([a-z_]+)"', text)
    )
    assert len(kinds) > 30
    known = {kind for _, under in CHAPTERS for kind in under}
    assert kinds <= known
    assert COUNTERS not in [
        heading
        for heading, _ in report([{"kind": kind, "message": "x"} for kind in kinds]).chapters
    ]


def test_only_refereed_games_have_score_sheets(client: Visitor, campaign: object) -> None:
    game = getattr(campaign, "game", None)
    assert game is not None
    assert client.get(f"/games/{game.pk}/score-sheets/").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/rules/",
        "/rules/ww2-multiplayer/",
        "/cards/",
        "/cards/ww2-multiplayer/standard/",
        "/cards/ww2-multiplayer/standard.toml",
    ],
)
def test_rules_and_scenario_of_the_game_are_public(client: Visitor, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 200
    assert "World War II" in response.content.decode()


def test_empty_scenario_cannot_be_made_for_a_refereed_game(client: Visitor) -> None:
    """Its charts are printed; copies of them can be corrected
    (tests/ww2_multiplayer/test_own_scenario.py)."""
    client.force_login(person("ada"))
    assert client.post("/cards/ww2-multiplayer/new/").status_code == 404
    assert client.post("/cards/ww2-multiplayer/new/", {"from": "standard"}).status_code == 302


def test_receipt_of_a_report_does_not_speak_of_orders(hidden: Refereed, client: Visitor) -> None:
    report = hidden.report()
    assert isinstance(report, Submission)
    text = words(read(client, hidden, f"submissions/{report.label.replace('-', '/')}/", "ada"))
    assert "This report counts. It takes effect" in text
    assert "These orders" not in text


def test_desk_sets_the_hours_for_corrections_and_applies_a_report_at_once(
    hidden: Refereed, client: Visitor
) -> None:
    client.force_login(hidden.ada)
    address = f"/games/{hidden.game.pk}/desk/times/"
    page = client.read(address)
    assert 'id="extend"' not in page
    assert "You have not sent a report yet" in page
    client.post(address, {"do": "ways", "report_hours": "3", "report_days": "2"})
    hidden.game.refresh_from_db()
    assert (hidden.game.report_hours, hidden.game.report_days) == (3, 2)
    assert "whole number" in client.submit(address, {"do": "ways", "report_hours": "many"})
    hidden.report()
    assert "Apply it now" in client.read(address)
    client.post(address, {"do": "process", "reason": "everybody is here"})
    hidden.carry_out()
    assert hidden.phase.kind != "referee-italy"


def test_power_of_a_player_with_another_has_no_own_column_of_scores(
    begun: Refereed, client: Visitor
) -> None:
    begun.pass_deadline()
    begun.game.refresh_from_db()
    page = read(client, begun, "standing/")
    assert "/nations/germany/" in page
    assert "/nations/italy/" not in page
    assert "Same player as Germany: one score for both." in read(client, begun, "nations/italy/")


def test_ruling_on_the_position_changes_only_edited_squares(
    hidden: Refereed, client: Visitor
) -> None:
    """Control and supply follow from the map; nobody rules on them square by square."""
    hidden.report("FORCES Poland Germany 5 SUPPLIED 3\nREST DONE\nEND")
    hidden.carry_out()
    client.force_login(hidden.ada)
    address = f"/games/{hidden.game.pk}/desk/rulings/phases/3/position/"
    page = unescape(client.read(address))
    assert "SPs of Italy in Poland" in page
    fields = {
        unescape(name): value
        for name, value in re.findall(r'<input type="number" name="(pf-\d+)" value="(\d+)"', page)
    }
    refused = unescape(client.submit(address, {**fields, "reason": "nothing", "do": "preview"}))
    assert "Nothing is changed. Change at least one square." in refused


def test_deals_page_explains_why_the_game_has_no_deals(begun: Refereed, client: Visitor) -> None:
    """Issue 27, 5: orders are free text, so promises cannot be judged."""
    client.force_login(person("gustav"))
    page = client.read(reverse("deals", args=[begun.game.pk]))
    assert "This game has no deals: its orders are free text" in page
    assert "Two nations may make deals" not in page
    assert "Propose a deal" not in page
    assert reverse("deals", args=[begun.game.pk]) not in client.read(begun.game.get_absolute_url())


def test_referee_tab_comes_first_in_a_refereed_game(as_: Browser) -> None:
    """gamesmaster.md U7: World War II Multi-Player had no “Referee” tab."""
    tabs = shown_tabs(as_("ada"), Refereed.begin(players=4).game)
    assert tabs[:2] == ["Referee", "Desk"]
    assert "Forecast" not in tabs


def test_contents_of_its_rules_page_name_its_parts(client: Visitor) -> None:
    """Issue 24, 8."""
    page = client.read(reverse("rules-of", args=["ww2-multiplayer"]))
    for part in ("four, five or six players", "there are no teams", "By telephone", "Hints"):
        assert part in page


def test_people_page_offers_only_what_the_game_has(begun: Refereed, as_: Browser) -> None:
    """Bots and teams cannot play it: the desk refused what these buttons ask for."""
    sitting = Sitting.objects.filter(seat__game=begun.game).earliest("pk")
    desk.vacate(sitting.seat, sitting.person, "Silent.", begun.ada, begun.now)
    page = as_("ada").read(reverse("desk-people", args=[begun.game.pk]))
    assert "Invite a player" in page
    for words in ("Let the service play", "Use stand-ins", "to the team"):
        assert words not in page
