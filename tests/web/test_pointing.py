"""Ordering by pointing, and drafts: the text is the truth, a draft its writer's (issue 6, 4)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games import positions
from games.models import Game, Phase
from games.rules import cards
from games.rules.options import validate
from games.rules.registry import ruleset
from games.web.headings import headings
from orders.models import Draft, Submission
from orders.web import panels, pointing
from orders.web.parts import panels_in_html
from tests.support.campaign import NATIONS, Campaign, person
from tests.support.examples import examples

from .conftest import Browser, Watch

pytestmark = pytest.mark.django_db

RULES = ruleset("origins-ww2")
CARD = cards.load("origins-ww2", "historical")


def address(campaign: Campaign, nation: str = "Germany", name: str = "orders-point") -> str:
    return reverse(name, args=[campaign.game.pk, campaign.seat(nation).pk])


def point(
    client: Client, campaign: Campaign, do: str, text: str = "", **more: str
) -> dict[str, Any]:
    answer = client.post(address(campaign), {"text": text, "do": do, **more})
    assert answer.status_code == 200
    told: dict[str, Any] = answer.json()
    return told


def contested() -> Campaign:
    """Attacks are due; in Poland Germany has 8, France 4 and Russia 1."""
    campaign = Campaign.begin()
    for nation, number in {"Germany": 8, "France": 4, "Russia": 1}.items():
        campaign.order(nation, f"PLACE {number} Poland")
    campaign.pass_deadline()
    return campaign


# --- what a button does to the text ---


def test_placing_taking_back_and_all_that_is_left(as_: Browser, campaign: Campaign) -> None:
    """P3, P6: never more than there is."""
    client, text = as_("gustav"), "# for the west\n"
    for do, expected in (
        ("more:PLACE:Poland", "PLACE 1 Poland"),
        ("more:PLACE:Poland", "PLACE 2 Poland"),
        ("all:PLACE:Austria", "PLACE 2 Poland\nPLACE 8 Austria"),
        ("more:PLACE:Poland", "PLACE 2 Poland\nPLACE 8 Austria"),
        ("less:PLACE:Poland", "PLACE 1 Poland\nPLACE 8 Austria"),
        ("none:PLACE:Austria", "PLACE 1 Poland"),
    ):
        text = point(client, campaign, do, text)["text"]
        assert text.strip() == f"# for the west\n{expected}", do
    told = point(client, campaign, "set:PLACE:Poland", text, **{"number:PLACE:Poland": "7"})
    assert told["text"].strip() == "# for the west\nPLACE 7 Poland"
    assert '<span class="left">3</span> of 10' in told["parts"]["totals"]
    assert "+7" in told["parts"]["marks"]
    assert "+7" in told["parts"]["areas"]


def test_pointing_and_typing_are_one(as_: Browser, campaign: Campaign) -> None:
    """A typed line counts like a pointed one, also split in two or by a name's beginning."""
    told = point(
        as_("gustav"), campaign, "more:PLACE:Poland", "place 2 pol  # mine\nPLACE 3 Poland\nWobble"
    )
    assert told["text"] == "PLACE 6 Poland  # mine\nWobble"
    assert "not taken" in told["parts"]["reading"]


@pytest.mark.parametrize("number", ["11", "99", "9" * 5000])
def test_a_number_that_is_too_large_becomes_the_largest_possible(
    as_: Browser, campaign: Campaign, number: str
) -> None:
    """player.md B5: the field says what it has done."""
    more = {"number:PLACE:Poland": number}
    told = point(as_("gustav"), campaign, "set:PLACE:Poland", "PLACE 4 Austria", **more)
    assert told["text"].splitlines() == ["PLACE 4 Austria", "PLACE 6 Poland"]
    assert "6 is the most, and is set." in told["fault"]
    told = point(as_("gustav"), campaign, "set:PLACE:Poland", "PLACE 10 Austria", **more)
    assert told["text"].splitlines() == ["PLACE 10 Austria"]
    assert "0 is the most" in told["fault"]


def test_a_counter_that_cannot_be_placed_is_disabled_with_the_reason(as_: Browser) -> None:
    """player.md B2: 4 PFs are too few, and Russia is not there."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 4 Austria\nPLACE 5 Poland")
    campaign.pass_deadline()
    austria, poland = panel_of(campaign, "Austria"), panel_of(campaign, "Poland")
    assert {wish.label: wish.disabled for wish in austria.wishes} == {"CONTROL": True}
    assert austria.barred == (("", "Germany needs 5 PFs in Austria and has 4"),)
    assert {wish.label: wish.disabled for wish in poland.wishes} == {
        "CONTROL": False,
        "share CONTROL with Russia": True,
    }
    page = as_("gustav").get(address(campaign, name="orders")).content.decode()
    assert "Russia needs 5 PFs in Poland and has none." in page
    told = point(as_("gustav"), campaign, "read", "CONTROL Austria")
    assert "has no effect: Germany needs 5 PFs in Austria and has 4." in (told["parts"]["reading"])
    assert not next(
        wish for wish in panel_of(campaign, "Austria", "CONTROL Austria").wishes
    ).disabled


def panel_of(campaign: Campaign, area: str, text: str = "") -> panels.Panel:
    state = RULES.view(positions.state_of(campaign.phase), "Germany")
    desk = pointing.Desk(RULES, state, "Germany")
    shown = panels.pointing(desk, RULES.board(state), text, "Germany").panels
    return next(panel for panel in shown if panel.area == area)


@pytest.mark.parametrize(
    ("do", "more", "said"),
    [
        ("set:PLACE:Poland", {"number:PLACE:Poland": ""}, "Write a whole number from 0 to 10."),
        ("set:PLACE:Poland", {"number:PLACE:Poland": "٣"}, "a whole number from 0 to 10."),
        ("more:PLACE:Atlantis", {}, "choose again"),
        ("more:ATTACK:Poland", {}, "choose again"),
        ("more:PLACE", {}, "load the page again"),
        ("aim:Poland:France", {}, "choose again"),
        ("lay:PLACE:Poland:5", {}, "no counter of “5”; there are none"),
        ("wish:CONTROL:Poland", {}, "choose again"),
        ("drop:1:PLACE 9 Austria", {}, "has changed meanwhile"),
        ("drop:x:", {}, "has changed meanwhile"),
    ],
)
def test_what_cannot_be_done_is_told_and_the_text_is_kept(
    as_: Browser, campaign: Campaign, do: str, more: dict[str, str], said: str
) -> None:
    told = point(as_("gustav"), campaign, do, "# mine", **more)
    assert said in told["fault"]
    assert said in told["parts"]["reading"]
    assert told["text"] == "# mine"


def test_an_attack_is_built_target_by_target_with_its_chances(as_: Browser) -> None:
    """C.0: 8 to 4 is 2-1 (one D, five X, four dashes in ten); with Russia 8 to 5 is 1-1."""
    campaign, client = contested(), as_("gustav")
    told = point(client, campaign, "aim:Poland:France")
    assert told["text"] == "ATTACK Poland: France\n"
    panel = told["parts"]["at-poland"]
    assert "8 against 4: 2-1" in panel
    assert [panel.count(f">{percent} %<") for percent in (10, 50, 40)] == [1, 1, 1]
    assert "Germany 4, " not in panel, "losses stand in card order"
    assert "France 4, Germany 4" in panel, "an exchange costs both the same (K12)"
    kept = [panel.count(f"you keep <strong>{pf}</strong>") for pf in (4, 8)]
    assert kept == [1, 2], "what it would have after the attack (issue 24, 3)"
    told = point(client, campaign, "aim:Poland:Russia", told["text"])
    assert told["text"] == "ATTACK Poland: France, Russia\n"
    assert "8 against 5: 1-1" in told["parts"]["at-poland"]
    assert "1-1" in told["parts"]["marks"]
    told = point(client, campaign, "stock:Poland", told["text"], **{"stock:Poland": "ge, f"})
    told = point(client, campaign, "min:Poland", told["text"], **{"min:Poland": "1"})
    told = point(client, campaign, "else:Poland:Russia", told["text"])
    assert told["text"] == "ATTACK Poland: France, Russia STOCK GE/F ELSE Russia MIN 1-1\n"
    told = point(client, campaign, "aim:Poland:France", told["text"])
    assert told["text"] == "ATTACK Poland: Russia STOCK GE/F ELSE Russia MIN 1-1\n"
    assert point(client, campaign, "aim:Poland:Russia", told["text"])["text"].strip() == ""


def test_what_a_failed_attack_at_home_ends_is_told_where_it_matters() -> None:
    """I1, I7: with the attack at home, with those it would end; and who is immune there."""
    board = {
        "Germany": {"Germany": {"pf": 8}, "France": {"understanding": True}},
        "Poland": {"Germany": {"pf": 4}, "France": {"pf": 1}, "Russia": {"pf": 2}},
    }
    both = "ATTACK Germany: France\nATTACK Poland: Russia"
    assert "none of your other attacks of this turn is made" in shown(board, both, "Germany")
    assert "Not made if your attack in" not in shown(board, both, "Germany")
    assert "Not made if your attack in Germany fails." in shown(board, both, "Poland")
    assert "fails" not in shown(board, "ATTACK Poland: Russia", "Poland").replace(
        "attacker eliminated", ""
    )
    immune = shown(board, "ATTACK Poland: France", "Poland")
    assert "France is immune while an Understanding of theirs stands in your home area." in immune
    assert "An attack there comes before the others" in immune
    lenient = shown(board, both, "Germany", failed_home="only_that_nation")
    assert "If this attack fails, France stays immune." in lenient
    assert "Not made if" not in shown(board, both, "Poland", failed_home="only_that_nation")


def shown(board: dict[str, Any], text: str, area: str, **options: str) -> str:
    """Germany's panel of an area in attacks on a board, as its page shows it."""
    chosen = validate({f"ow2.{name}": value for name, value in options.items()})
    state = RULES.situation({"turn": 2, "phase": "attacks", "board": board}, CARD, chosen)
    found = panels.pointing(
        pointing.Desk(RULES, state, "Germany"), RULES.board(state), text, "Germany"
    )
    panel = next(panel for panel in found.panels if panel.area == area)
    nations = headings(RULES.nations(state))
    game = Game(ruleset_id=RULES.id, reserves=[])
    parts = panels_in_html([panel], game, "Germany", nations=nations, worth={}, listed=())
    return parts[panel.anchor]


def test_faults_of_an_attack_are_told(as_: Browser) -> None:
    campaign, client = contested(), as_("gustav")
    assert (
        "Choose first whom to attack"
        in point(client, campaign, "stock:Poland", "", **{"stock:Poland": "GE"})["fault"]
    )
    assert "“Mars” cannot be named" in point(client, campaign, "aim:Poland:Mars")["fault"]
    attack = "ATTACK Poland: France"
    assert (
        "not a stock symbol"
        in point(client, campaign, "stock:Poland", attack, **{"stock:Poland": "4%"})["fault"]
    )
    assert (
        "names 4 stocks"
        in point(client, campaign, "stock:Poland", attack, **{"stock:Poland": "A B C D"})["fault"]
    )
    assert (
        "choose again"
        in point(client, campaign, "min:Poland", attack, **{"min:Poland": "9"})["fault"]
    )


def test_a_binding_list_binds_who_points_too(as_: Browser) -> None:
    """rules.md 0.1, `rng.stock_choice` = list_only."""
    campaign = Campaign.begin(options={"rng.stock_choice": "list_only"})
    for nation in ("Germany", "France"):
        campaign.order(nation, "PLACE 5 Poland")
    campaign.pass_deadline()
    told = point(
        as_("gustav"), campaign, "stock:Poland", "ATTACK Poland: France", **{"stock:Poland": "QQQQ"}
    )
    assert "QQQQ is not on the published list" in told["fault"]
    assert "<select" in told["parts"]["at-poland"]


def test_wishes_and_the_standing_wish(as_: Browser) -> None:
    campaign, client = contested(), as_("gustav")
    told = point(client, campaign, "wish:CONTROL:Poland")
    assert told["text"] == "CONTROL Poland\n"
    assert 'aria-pressed="true">CONTROL' in told["parts"]["at-poland"]
    told = point(client, campaign, "wish:STANDING UNDERSTANDING ALL", told["text"])
    assert told["text"] == "CONTROL Poland\nSTANDING UNDERSTANDING ALL\n"
    assert (
        "take the other orders out first"
        in point(client, campaign, "wish:PASS", told["text"])["fault"]
    )
    assert (
        point(client, campaign, "wish:CONTROL:Poland", told["text"])["text"]
        == "STANDING UNDERSTANDING ALL\n"
    )
    assert (
        point(client, campaign, "wish:PASS", "# nothing today\n")["text"]
        == "# nothing today\nPASS\n"
    )


def test_a_line_is_taken_out_only_while_it_is_the_line_that_was_meant(
    as_: Browser, campaign: Campaign
) -> None:
    text = "PLACE 1 Poland\nPLACE 1 Austria"
    assert (
        point(as_("gustav"), campaign, "drop:1:PLACE 1 Poland", text)["text"] == "PLACE 1 Austria"
    )
    assert point(as_("gustav"), campaign, "drop:2:PLACE 1 Poland", text)["text"] == text


def test_face_down_counters_are_laid_one_by_one(as_: Browser) -> None:
    """F9-F11: 1, 3, 5 and 10; blanks beside them."""
    campaign, client = Campaign.begin(options={"ow2.hidden": "face_down"}), as_("gustav")
    told = point(client, campaign, "lay:PLACE:Poland:3")
    told = point(client, campaign, "lay:PLACE:Poland:1", told["text"])
    told = point(client, campaign, "more:BLANKS:Poland", told["text"])
    assert told["text"] == "PLACE 4 Poland AS 3+1\nBLANKS 1 Poland\n"
    assert (
        "Only 6 are left for Poland"
        in point(client, campaign, "lay:PLACE:Poland:10", told["text"])["fault"]
    )
    told = point(client, campaign, "lift:PLACE:Poland:3", told["text"])
    assert told["text"] == "PLACE 1 Poland AS 1\nBLANKS 1 Poland\n"
    assert (
        point(client, campaign, "lift:PLACE:Poland:1", told["text"])["text"] == "BLANKS 1 Poland\n"
    )


def test_without_a_script_the_same_buttons_bring_the_page_back_with_nothing_lost(
    as_: Browser, campaign: Campaign
) -> None:
    client = as_("gustav")
    page = client.submit(
        address(campaign, name="orders"),
        {"text": "PLACE 1 Austria\nWobble", "do": "more:PLACE:Poland"},
    )
    assert "PLACE 1 Austria\nWobble\nPLACE 1 Poland\n" in page
    assert '<a href="#at-poland"' in page
    assert 'id="at-poland"' in page
    assert 'formaction="#at-poland"' in page
    assert not Submission.objects.exists()


def test_the_page_has_the_map_with_its_areas_as_links(as_: Browser, campaign: Campaign) -> None:
    page = as_("gustav").read(address(campaign, name="orders"))
    assert '<svg class="hits"' in page
    assert (
        'href="#at-alsace-lorraine" data-area="Alsace-Lorraine" aria-label="Alsace-Lorraine: nobody'
        ' is there."' in page
    )
    assert "<script>" not in page, "pages run no inline script"


def test_the_receipt_shows_the_map_with_the_orders(as_: Browser, campaign: Campaign) -> None:
    submission = campaign.order("Germany", "PLACE 4 Poland")
    page = as_("gustav").read(submission.get_absolute_url())
    assert 'class="marks"' in page
    assert ">+4<" in page
    assert 'class="hits"' not in page


# --- every line that pointing makes is accepted ---

SETTINGS = settings(
    deadline=None,
    max_examples=examples(30),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def buttons(shown: panels.Pointing) -> list[tuple[str, dict[str, str]]]:
    """Every button that the panels offer, with what would stand in its field."""
    found: list[tuple[str, dict[str, str]]] = [(wish.do, {}) for wish in shown.everywhere]
    for panel in shown.panels:
        for count in panel.counts:
            found += [(f"{how}:{count.key}", {}) for how in ("more", "less", "all", "none")]
            found.append((f"set:{count.key}", {f"number:{count.key}": str(count.most)}))
            found += [(f"lay:{count.key}:{heap.value}", {}) for heap in count.heaps if heap.more]
            found += [(f"lift:{count.key}:{heap.value}", {}) for heap in count.heaps if heap.lying]
        if panel.assault:
            found += [(f"aim:{panel.area}:{target.name}", {}) for target in panel.assault.targets]
            if panel.assault.made:
                found.append((f"stock:{panel.area}", {f"stock:{panel.area}": "GE/F"}))
                if panel.assault.conditions:
                    found += [
                        (f"else:{panel.area}:{target.name}", {}) for target in panel.assault.targets
                    ]
                    found.append((f"min:{panel.area}", {f"min:{panel.area}": "2"}))
        found += [(wish.do, {}) for wish in panel.wishes]
    return found


@SETTINGS
@given(st.data())
def test_every_line_that_pointing_makes_is_accepted_without_error(data: st.DataObject) -> None:
    """Any buttons in any order and game: no error, nothing missing asked for, none fails."""
    options = {
        "ow2.hidden": data.draw(st.sampled_from(("off", "face_down"))),
        "ow2.overplaced": data.draw(st.sampled_from(("trim", "reject_all"))),
        "ow2.conditionals": data.draw(st.sampled_from(("else_and_min", "none"))),
    }
    state = RULES.setup(CARD, validate(options), NATIONS)
    for phase in range(data.draw(st.integers(0, 3))):
        sent = {
            nation: RULES.bot.orders(RULES.view(state, nation), nation, f"{phase}")
            for nation in NATIONS
        }
        state = RULES.resolve(state, RULES.in_force(state, sent), {}, ["GE", "F"]).state
    nation = data.draw(st.sampled_from(NATIONS))
    seen = RULES.view(state, nation)
    desk, board = pointing.Desk(RULES, seen, nation), RULES.board(seen)
    home = CARD["home"].get(nation)
    text = ""
    for _ in range(data.draw(st.integers(1, 8))):
        do, typed = data.draw(st.sampled_from(buttons(panels.pointing(desk, board, text, home))))
        text = pointing.apply_button(desk, text, do, typed)
        reading = RULES.read(text, nation, seen)
        assert not [remark.message for remark in reading.remarks if remark.severity == "error"], (
            do,
            text,
        )
        assert all(total.over == 0 for total in RULES.planner.plan(seen, nation, text).totals), (
            do,
            text,
        )


# --- drafts ---


def test_what_is_written_is_kept_until_it_is_sent(as_: Browser, campaign: Campaign) -> None:
    """From any device: another browser of the same person has it."""
    kept = point(as_("gustav"), campaign, "read", "PLACE 4 Poland\nPLACE")["kept"]
    assert kept
    page = as_("gustav").read(address(campaign, name="orders"))
    assert "PLACE 4 Poland\nPLACE</textarea>" in page
    assert "and not sent" in page
    assert f'value="{kept}"' in page
    assert not Submission.objects.exists()
    as_("gustav").post(address(campaign, name="orders"), {"text": "PLACE 4 Poland", "do": "send"})
    assert not Draft.objects.exists()
    page = as_("gustav").read(address(campaign, name="orders"))
    assert "PLACE 4 Poland" in page
    assert "and not sent" not in page


def test_the_button_keeps_without_a_script_and_throws_away(
    as_: Browser, campaign: Campaign
) -> None:
    client = as_("gustav")
    page = client.submit(
        address(campaign, name="orders"), {"text": "PLACE 6 Rumania", "do": "keep"}
    )
    assert "and not sent" in page
    assert Draft.objects.get().text == "PLACE 6 Rumania"
    data = {"text": "PLACE 5 Poland", "do": "discard"}
    assert client.post(address(campaign, name="orders"), data).status_code == 302
    assert not Draft.objects.exists()
    assert "PLACE 6 Rumania" not in client.read(address(campaign, name="orders"))


def test_nothing_is_kept_that_is_in_force_or_blank(as_: Browser, campaign: Campaign) -> None:
    """So that what a page keeps a moment after it was sent leaves no draft behind."""
    campaign.order("Germany", "PLACE 4 Poland")
    client = as_("gustav")
    assert point(client, campaign, "read", "PLACE 4 Poland")["kept"] == ""
    assert point(client, campaign, "read", "  \n")["kept"] == ""
    assert point(client, campaign, "read", "PLACE 1 Poland\n" * 2000)["kept"] == ""
    assert not Draft.objects.exists()


def test_a_draft_is_its_writers_alone(as_: Browser, campaign: Campaign) -> None:
    """docs/design.md 8: not the gamesmaster's, another player's, or a successor's."""
    secret = "PLACE 7 Rumania  # nobody must know"
    point(as_("gustav"), campaign, "read", secret)
    seat = campaign.seat("Germany")
    for name in ("ada", "felix", "charlie", None):
        for page in (
            address(campaign, name="orders"),
            campaign.game.get_absolute_url(),
            f"{campaign.game.get_absolute_url()}desk/",
        ):
            assert "nobody must know" not in as_(name).read(page), (name, page)
    seat.sittings.update(until=campaign.now)
    seat.sittings.create(person=person("dana"), since=campaign.now)
    assert "nobody must know" not in as_("dana").read(address(campaign, name="orders"))
    assert as_("gustav").get(address(campaign, name="orders")).status_code == 403


def test_two_devices_never_write_over_each_other(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    at_home, on_the_way = as_("gustav"), as_("gustav")
    first = point(at_home, campaign, "read", "PLACE 1 Poland")["kept"]
    watch.pass_by(minutes=1)
    second = point(on_the_way, campaign, "read", "PLACE 2 Poland", kept=first)["kept"]
    assert second > first
    watch.pass_by(minutes=1)
    told = point(at_home, campaign, "read", "PLACE 3 Poland", kept=first)
    assert "something else meanwhile" in told["parts"]["kept"]
    assert "PLACE 2 Poland" in told["parts"]["kept"]
    assert Draft.objects.get().text == "PLACE 2 Poland"
    page = at_home.submit(
        address(campaign, name="orders"), {"text": "PLACE 3 Poland", "do": "keep", "kept": first}
    )
    assert "something else meanwhile" in page
    at_home.post(
        address(campaign, name="orders"),
        {"text": "PLACE 3 Poland", "do": "keep-this", "kept": first},
    )
    assert Draft.objects.get().text == "PLACE 3 Poland"


def test_a_draft_of_a_phase_that_is_over_is_shown_as_text_until_it_is_put_away(
    as_: Browser, campaign: Campaign
) -> None:
    client = as_("gustav")
    kept = point(client, campaign, "read", "PLACE 6 Rumania", phase="1")["kept"]
    campaign.pass_deadline()
    told = point(client, campaign, "more:PLACE:Rumania", "PLACE 7 Rumania", phase="1")
    assert "not kept" in told["fault"], "another device has kept something else"
    told = point(client, campaign, "more:PLACE:Rumania", "PLACE 8 Rumania", phase="1", kept=kept)
    assert "what you have written is kept" in told["fault"]
    assert told["text"] == "PLACE 8 Rumania"
    page = client.read(address(campaign, name="orders"))
    assert "It was never sent." in page
    assert "PLACE 8 Rumania</pre>" in page
    assert "PLACE 8 Rumania</textarea>" not in page
    typed = client.submit(
        address(campaign, name="orders"), {"text": "PASS", "do": "away", "phase": "2"}
    )
    assert "It was never sent." not in typed
    assert ">\nPASS</textarea>" in typed
    assert not Draft.objects.filter(phase__number=1).exists()


def test_late_orders_are_not_kept_as_a_draft(as_: Browser, campaign: Campaign) -> None:
    Phase.objects.filter(pk=campaign.phase.pk).update(status=Phase.Status.LOCKED)
    assert point(as_("gustav"), campaign, "read", "PLACE 4 Poland")["kept"] == ""
    assert not Draft.objects.exists()


# --- what it costs ---

#: Queries: each press of a button, and each pause in typing, asks the service. Four are session,
# reader, and what counts what one sends; one more in the first phase reads who plays.
TO_POINT, TO_OPEN, TO_SEND = 12, 8, 15


@pytest.mark.usefixtures("in_earnest")
def test_opening_pointing_and_sending_take_few_queries_and_no_more_later(as_: Browser) -> None:
    """The number of queries grows neither with orders sent nor with phases."""
    campaign, client = Campaign.begin(), as_("gustav")
    where, page = address(campaign), address(campaign, name="orders")
    for phase in ("placement", "attacks"):
        for nation in NATIONS:
            campaign.order(nation, "PLACE 5 Poland" if phase == "placement" else "PASS")
        kept = ""
        for number in range(3):
            text = "PLACE 4 Poland\n" if phase == "placement" else "ATTACK Poland: France\n"
            with CaptureQueriesContext(connection) as asked:
                kept = client.post(
                    where, {"text": f"{text}# {number}\n", "do": "read", "kept": kept}
                ).json()["kept"]
            assert kept
            check_queries(asked, TO_POINT)
        with CaptureQueriesContext(connection) as asked:
            opened = client.get(page)
        check_queries(asked, TO_OPEN)
        seen = re.search(r'name="seen" value="(\w+)"', opened.content.decode())
        assert seen
        sent = {"text": text, "do": "send", "seen": seen[1], "phase": campaign.phase.number}
        with CaptureQueriesContext(connection) as asked:
            answer = client.post(page, sent)
        assert answer.status_code == 302
        check_queries(asked, TO_SEND)
        campaign.pass_deadline()


def check_queries(asked: CaptureQueriesContext, most: int) -> None:
    """Fail where there are more queries than so many, besides what begins and ends transactions."""
    frames = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE SAVEPOINT")
    queries = [one["sql"] for one in asked.captured_queries]
    queries = [sql for sql in queries if not sql.startswith(frames)]
    assert 0 < len(queries) <= most, "\n".join(queries)
