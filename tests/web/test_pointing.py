"""Ordering by pointing, and drafts: the text decides; a draft is for its writer only (issue 6,
4)."""

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
from games.pages.headings import headings
from games.rules import cards
from games.rules.options import validate
from games.rules.registry import ruleset
from orders.models import Draft, Submission
from orders.web import panels, pointing
from orders.web.drafting import Drafting
from orders.web.parts import panels_in_html
from tests.support.browsing import unmarked
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
    parsed: dict[str, Any] = answer.json()
    return parsed


def contested() -> Campaign:
    """Return a campaign in an attack phase; in Poland Germany has 8, France 4 and Russia 1."""
    campaign = Campaign.begin()
    for nation, number in {"Germany": 8, "France": 4, "Russia": 1}.items():
        campaign.order(nation, f"PLACE {number} Poland")
    campaign.pass_deadline()
    return campaign


# --- buttons and the text ---


def test_placement_buttons_add_remove_and_place_the_rest(as_: Browser, campaign: Campaign) -> None:
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
    answer = point(client, campaign, "set:PLACE:Poland", text, **{"number:PLACE:Poland": "7"})
    assert answer["text"].strip() == "# for the west\nPLACE 7 Poland"
    assert '<span class="left">3</span> of 10' in answer["parts"]["totals"]
    assert "+7" in answer["parts"]["marks"]
    assert "+7" in answer["parts"]["areas"]


def test_pointing_counts_typed_lines(as_: Browser, campaign: Campaign) -> None:
    """Also if they are split in two or abbreviated."""
    answer = point(
        as_("gustav"), campaign, "more:PLACE:Poland", "place 2 pol  # mine\nPLACE 3 Poland\nWobble"
    )
    assert answer["text"] == "PLACE 6 Poland  # mine\nWobble"
    assert "rejected</span>" in answer["parts"]["reading"]


@pytest.mark.parametrize("number", ["11", "99", "9" * 5000])
def test_too_large_number_becomes_the_largest_possible(
    as_: Browser, campaign: Campaign, number: str
) -> None:
    """player.md B5: the field says so."""
    more = {"number:PLACE:Poland": number}
    answer = point(as_("gustav"), campaign, "set:PLACE:Poland", "PLACE 4 Austria", **more)
    assert answer["text"].splitlines() == ["PLACE 4 Austria", "PLACE 6 Poland"]
    assert "It is now 6, the most possible." in answer["fault"]
    answer = point(as_("gustav"), campaign, "set:PLACE:Poland", "PLACE 10 Austria", **more)
    assert answer["text"].splitlines() == ["PLACE 10 Austria"]
    assert "It is now 0, the most possible." in answer["fault"]


def test_impossible_counter_is_disabled_with_the_reason(as_: Browser) -> None:
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
    answer = point(as_("gustav"), campaign, "read", "CONTROL Austria")
    assert (
        "has no effect: Germany needs 5 PFs in Austria and has 4." in (answer["parts"]["reading"])
    )
    assert not next(
        wish for wish in panel_of(campaign, "Austria", "CONTROL Austria").wishes
    ).disabled


def panel_of(campaign: Campaign, area: str, text: str = "") -> panels.Panel:
    state = RULES.view(positions.state_of(campaign.phase), "Germany")
    drafting = Drafting(RULES, state, "Germany")
    shown = panels.pointing(drafting, RULES.board(state), text, "Germany").panels
    return next(panel for panel in shown if panel.area == area)


@pytest.mark.parametrize(
    ("do", "more", "message"),
    [
        ("set:PLACE:Poland", {"number:PLACE:Poland": ""}, "Write a whole number from 0 to 10."),
        ("set:PLACE:Poland", {"number:PLACE:Poland": "٣"}, "a whole number from 0 to 10."),
        ("more:PLACE:Atlantis", {}, "Choose again"),
        ("more:ATTACK:Poland", {}, "Choose again"),
        ("more:PLACE", {}, "Load the page again"),
        ("aim:Poland:France", {}, "Choose again"),
        ("lay:PLACE:Poland:5", {}, "no counter of “5”; there are none"),
        ("wish:CONTROL:Poland", {}, "Choose again"),
        ("drop:1:PLACE 9 Austria", {}, "has changed in the meantime"),
        ("drop:x:", {}, "has changed in the meantime"),
    ],
)
def test_impossible_action_is_explained_and_the_text_is_kept(
    as_: Browser, campaign: Campaign, do: str, more: dict[str, str], message: str
) -> None:
    answer = point(as_("gustav"), campaign, do, "# mine", **more)
    assert message in answer["fault"]
    assert message in answer["parts"]["reading"]
    assert answer["text"] == "# mine"


def test_attack_is_built_target_by_target_with_its_chances(as_: Browser) -> None:
    """C.0: 8 to 4 is 2-1 (one D, five X, four dashes in ten); with Russia 8 to 5 is 1-1."""
    campaign, client = contested(), as_("gustav")
    answer = point(client, campaign, "aim:Poland:France")
    assert answer["text"] == "ATTACK Poland: France\n"
    panel = unmarked(answer["parts"]["at-poland"])
    assert "8 against 4: 2-1" in panel
    assert [panel.count(f">{percent} %<") for percent in (10, 50, 40)] == [1, 1, 1]
    assert "Germany 4, " not in panel, "losses stand in card order"
    assert "France 4, Germany 4" in panel, "an exchange costs both the same (K12)"
    keeps = [panel.count(f"you keep <strong>{pf}</strong>") for pf in (4, 8)]
    assert keeps == [1, 2], "what it would have after the attack (issue 24, 3)"
    answer = point(client, campaign, "aim:Poland:Russia", answer["text"])
    assert answer["text"] == "ATTACK Poland: France, Russia\n"
    assert "8 against 5: 1-1" in unmarked(answer["parts"]["at-poland"])
    assert "1-1" in answer["parts"]["marks"]
    answer = point(client, campaign, "stock:Poland", answer["text"], **{"stock:Poland": "ge, f"})
    answer = point(client, campaign, "min:Poland", answer["text"], **{"min:Poland": "1"})
    answer = point(client, campaign, "else:Poland:Russia", answer["text"])
    assert answer["text"] == "ATTACK Poland: France, Russia STOCK GE/F ELSE Russia MIN 1-1\n"
    answer = point(client, campaign, "aim:Poland:France", answer["text"])
    assert answer["text"] == "ATTACK Poland: Russia STOCK GE/F ELSE Russia MIN 1-1\n"
    assert point(client, campaign, "aim:Poland:Russia", answer["text"])["text"].strip() == ""


def test_consequences_of_a_failed_attack_at_home_are_shown_where_they_matter() -> None:
    """I1, I7: with the attack at home, with the attacks that it would end; and who is immune
    there."""
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
    """Return Germany's panel of an area for attacks on a board, as its page shows it."""
    chosen = validate({f"ow2.{name}": value for name, value in options.items()})
    state = RULES.situation({"turn": 2, "phase": "attacks", "board": board}, CARD, chosen)
    pointed = panels.pointing(
        Drafting(RULES, state, "Germany"), RULES.board(state), text, "Germany"
    )
    panel = next(panel for panel in pointed.panels if panel.area == area)
    nations = headings(RULES.nations(state))
    game = Game(ruleset_id=RULES.id, reserves=[])
    parts = panels_in_html([panel], game, "Germany", nations=nations, worth={}, listed=())
    return parts[panel.anchor]


def test_incomplete_attack_is_explained(as_: Browser) -> None:
    campaign, client = contested(), as_("gustav")
    assert (
        "First choose whom to attack"
        in point(client, campaign, "stock:Poland", "", **{"stock:Poland": "GE"})["fault"]
    )
    assert "“Mars” is not possible" in point(client, campaign, "aim:Poland:Mars")["fault"]
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
        "Choose the lowest odds"
        in point(client, campaign, "min:Poland", attack, **{"min:Poland": "9"})["fault"]
    )


def test_pointing_refuses_stocks_outside_a_binding_list(as_: Browser) -> None:
    """rules.md 0.1, `rng.stock_choice` = list_only."""
    campaign = Campaign.begin(options={"rng.stock_choice": "list_only"})
    for nation in ("Germany", "France"):
        campaign.order(nation, "PLACE 5 Poland")
    campaign.pass_deadline()
    answer = point(
        as_("gustav"), campaign, "stock:Poland", "ATTACK Poland: France", **{"stock:Poland": "QQQQ"}
    )
    assert "QQQQ is not on the published list" in answer["fault"]
    assert "<select" in answer["parts"]["at-poland"]


def test_wish_buttons_set_and_remove_wishes(as_: Browser) -> None:
    campaign, client = contested(), as_("gustav")
    answer = point(client, campaign, "wish:CONTROL:Poland")
    assert answer["text"] == "CONTROL Poland\n"
    assert 'aria-pressed="true">CONTROL' in answer["parts"]["at-poland"]
    answer = point(client, campaign, "wish:STANDING UNDERSTANDING ALL", answer["text"])
    assert answer["text"] == "CONTROL Poland\nSTANDING UNDERSTANDING ALL\n"
    assert (
        "Remove the other orders first"
        in point(client, campaign, "wish:PASS", answer["text"])["fault"]
    )
    assert (
        point(client, campaign, "wish:CONTROL:Poland", answer["text"])["text"]
        == "STANDING UNDERSTANDING ALL\n"
    )
    assert (
        point(client, campaign, "wish:PASS", "# nothing today\n")["text"]
        == "# nothing today\nPASS\n"
    )


def test_line_is_removed_only_if_it_is_unchanged(as_: Browser, campaign: Campaign) -> None:
    text = "PLACE 1 Poland\nPLACE 1 Austria"
    assert (
        point(as_("gustav"), campaign, "drop:1:PLACE 1 Poland", text)["text"] == "PLACE 1 Austria"
    )
    assert point(as_("gustav"), campaign, "drop:2:PLACE 1 Poland", text)["text"] == text


def test_face_down_counters_are_placed_one_by_one(as_: Browser) -> None:
    """F9-F11: 1, 3, 5 and 10, and blanks."""
    campaign, client = Campaign.begin(options={"ow2.hidden": "face_down"}), as_("gustav")
    answer = point(client, campaign, "lay:PLACE:Poland:3")
    answer = point(client, campaign, "lay:PLACE:Poland:1", answer["text"])
    answer = point(client, campaign, "more:BLANKS:Poland", answer["text"])
    assert answer["text"] == "PLACE 4 Poland AS 3+1\nBLANKS 1 Poland\n"
    assert (
        "Only 6 are left for Poland"
        in point(client, campaign, "lay:PLACE:Poland:10", answer["text"])["fault"]
    )
    answer = point(client, campaign, "lift:PLACE:Poland:3", answer["text"])
    assert answer["text"] == "PLACE 1 Poland AS 1\nBLANKS 1 Poland\n"
    assert (
        point(client, campaign, "lift:PLACE:Poland:1", answer["text"])["text"]
        == "BLANKS 1 Poland\n"
    )


def test_buttons_without_a_script_reload_the_page_and_keep_the_text(
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


def test_order_page_has_the_map_with_areas_as_links(as_: Browser, campaign: Campaign) -> None:
    page = as_("gustav").read(address(campaign, name="orders"))
    assert '<svg class="hits"' in page
    assert (
        'href="#at-alsace-lorraine" data-area="Alsace-Lorraine" aria-label="Alsace-Lorraine: nobody'
        ' is there."' in page
    )
    assert "<script>" not in page, "pages run no inline script"


def test_receipt_shows_the_map_with_the_orders(as_: Browser, campaign: Campaign) -> None:
    submission = campaign.order("Germany", "PLACE 4 Poland")
    page = as_("gustav").read(submission.get_absolute_url())
    assert 'class="marks"' in page
    assert ">+4<" in page
    assert 'class="hits"' not in page


def test_receipt_keeps_the_board_of_its_orders_after_judging(
    as_: Browser, campaign: Campaign
) -> None:
    """Issue 24: a receipt drew “+4” over a board on which those four already stood."""
    submission = campaign.order("Germany", "PLACE 4 Poland")
    campaign.pass_deadline()
    page = as_("gustav").read(submission.get_absolute_url())
    [picture] = re.findall(r'<img src="([^"]*board\.svg[^"]*)"', page)
    assert "version=0" in picture
    assert ">+4<" in page


def test_map_shows_trimmed_placements(as_: Browser, campaign: Campaign) -> None:
    """gamesmaster.md B12: “+1” in Poland for a line of which the receipt said that nothing goes
    there, and it said “1 PFs”."""
    client = as_("gustav")
    page = client.read(
        campaign.order("Germany", "PLACE 10 Austria\nPLACE 1 Poland").get_absolute_url()
    )
    assert ">+10<" in page
    assert ">+1<" not in page
    assert "asks for 1 PF, but you have none left" in page
    page = client.read(
        campaign.order("Germany", "PLACE 8 Austria\nPLACE 5 Poland").get_absolute_url()
    )
    assert ">+2<" in page
    assert ">+5<" not in page


# --- every line that pointing makes is accepted ---

SETTINGS = settings(
    deadline=None,
    max_examples=examples(30),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def buttons(shown: panels.Pointing) -> list[tuple[str, dict[str, str]]]:
    """Return every button of the panels, with a value for its field."""
    pairs: list[tuple[str, dict[str, str]]] = [(wish.do, {}) for wish in shown.everywhere]
    for panel in shown.panels:
        for count in panel.counts:
            pairs += [(f"{how}:{count.key}", {}) for how in ("more", "less", "all", "none")]
            pairs.append((f"set:{count.key}", {f"number:{count.key}": str(count.most)}))
            pairs += [(f"lay:{count.key}:{heap.value}", {}) for heap in count.heaps if heap.more]
            pairs += [(f"lift:{count.key}:{heap.value}", {}) for heap in count.heaps if heap.lying]
        if panel.assault:
            pairs += [(f"aim:{panel.area}:{target.name}", {}) for target in panel.assault.targets]
            if panel.assault.made:
                pairs.append((f"stock:{panel.area}", {f"stock:{panel.area}": "GE/F"}))
                if panel.assault.conditions:
                    pairs += [
                        (f"else:{panel.area}:{target.name}", {}) for target in panel.assault.targets
                    ]
                    pairs.append((f"min:{panel.area}", {f"min:{panel.area}": "2"}))
        pairs += [(wish.do, {}) for wish in panel.wishes]
    return pairs


@SETTINGS
@given(st.data())
def test_every_line_made_by_pointing_is_accepted(data: st.DataObject) -> None:
    """Any buttons in any order and game: no error, nothing missing, nothing ineffective."""
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
    view = RULES.view(state, nation)
    drafting, board = Drafting(RULES, view, nation), RULES.board(view)
    home = CARD["home"].get(nation)
    text = ""
    for _ in range(data.draw(st.integers(1, 8))):
        do, typed = data.draw(
            st.sampled_from(buttons(panels.pointing(drafting, board, text, home)))
        )
        text = pointing.apply_button(drafting, text, do, typed)
        reading = RULES.read(text, nation, view)
        assert not [remark.message for remark in reading.remarks if remark.severity == "error"], (
            do,
            text,
        )
        assert all(total.over == 0 for total in RULES.planner.plan(view, nation, text).totals), (
            do,
            text,
        )


# --- drafts ---


@pytest.mark.both_databases
def test_draft_is_saved_until_orders_are_sent(as_: Browser, campaign: Campaign) -> None:
    """On every device of the same person."""
    saved_at = point(as_("gustav"), campaign, "read", "PLACE 4 Poland\nPLACE")["kept"]
    assert saved_at
    page = as_("gustav").read(address(campaign, name="orders"))
    assert "PLACE 4 Poland\nPLACE</textarea>" in page
    assert "and not sent" in page
    assert f'value="{saved_at}"' in page
    assert not Submission.objects.exists()
    sending = {"text": "PLACE 4 Poland", "do": "send-anyway"}
    as_("gustav").post(address(campaign, name="orders"), sending)
    assert not Draft.objects.exists()
    page = as_("gustav").read(address(campaign, name="orders"))
    assert "PLACE 4 Poland" in page
    assert "and not sent" not in page


def test_draft_is_saved_and_discarded_by_buttons_without_a_script(
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


def test_orders_in_force_and_blank_text_are_no_drafts(as_: Browser, campaign: Campaign) -> None:
    """A page that saves a moment after sending leaves no draft behind."""
    campaign.order("Germany", "PLACE 4 Poland")
    client = as_("gustav")
    assert point(client, campaign, "read", "PLACE 4 Poland")["kept"] == ""
    assert point(client, campaign, "read", "  \n")["kept"] == ""
    assert point(client, campaign, "read", "PLACE 1 Poland\n" * 2000)["kept"] == ""
    assert not Draft.objects.exists()


def test_only_its_writer_reads_a_draft(as_: Browser, campaign: Campaign) -> None:
    """docs/design.md 8: not the gamesmaster, another player or a successor."""
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


def test_two_devices_do_not_overwrite_each_others_draft(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    at_home, on_the_way = as_("gustav"), as_("gustav")
    first = point(at_home, campaign, "read", "PLACE 1 Poland")["kept"]
    watch.pass_by(minutes=1)
    second = point(on_the_way, campaign, "read", "PLACE 2 Poland", kept=first)["kept"]
    assert second > first
    watch.pass_by(minutes=1)
    answer = point(at_home, campaign, "read", "PLACE 3 Poland", kept=first)
    assert "written something else meanwhile" in answer["parts"]["kept"]
    assert "PLACE 2 Poland" in answer["parts"]["kept"]
    assert Draft.objects.get().text == "PLACE 2 Poland"
    page = at_home.submit(
        address(campaign, name="orders"), {"text": "PLACE 3 Poland", "do": "keep", "kept": first}
    )
    assert "written something else meanwhile" in page
    at_home.post(
        address(campaign, name="orders"),
        {"text": "PLACE 3 Poland", "do": "keep-this", "kept": first},
    )
    assert Draft.objects.get().text == "PLACE 3 Poland"


def test_draft_of_a_closed_phase_is_shown_until_it_is_discarded(
    as_: Browser, campaign: Campaign
) -> None:
    client = as_("gustav")
    saved_at = point(client, campaign, "read", "PLACE 6 Rumania", phase="1")["kept"]
    campaign.pass_deadline()
    answer = point(client, campaign, "more:PLACE:Rumania", "PLACE 7 Rumania", phase="1")
    assert "not saved" in answer["fault"], "another device has saved something else"
    answer = point(
        client, campaign, "more:PLACE:Rumania", "PLACE 8 Rumania", phase="1", kept=saved_at
    )
    assert "what you wrote is saved there" in answer["fault"]
    assert answer["text"] == "PLACE 8 Rumania"
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


def test_late_orders_are_not_saved_as_a_draft(as_: Browser, campaign: Campaign) -> None:
    Phase.objects.filter(pk=campaign.phase.pk).update(status=Phase.Status.LOCKED)
    assert point(as_("gustav"), campaign, "read", "PLACE 4 Poland")["kept"] == ""
    assert not Draft.objects.exists()


# --- queries ---

#: Queries: each press of a button, and each pause in typing, is a request. Four are for the
#: session, the reader and the count of requests; one more in the first phase reads who plays, and
#: at most one every two seconds reads the operator's announcements.
TO_POINT, TO_OPEN, TO_SEND = 12, 12, 13


@pytest.mark.usefixtures("in_earnest")
def test_order_page_makes_few_queries(as_: Browser) -> None:
    """Their number does not grow with orders sent or with phases."""
    campaign, client = Campaign.begin(), as_("gustav")
    where, page = address(campaign), address(campaign, name="orders")
    for phase in ("placement", "attacks"):
        for nation in NATIONS:
            campaign.order(nation, "PLACE 5 Poland" if phase == "placement" else "PASS")
        saved_at = ""
        for number in range(3):
            text = "PLACE 4 Poland\n" if phase == "placement" else "ATTACK Poland: France\n"
            with CaptureQueriesContext(connection) as queries:
                saved_at = client.post(
                    where, {"text": f"{text}# {number}\n", "do": "read", "kept": saved_at}
                ).json()["kept"]
            assert saved_at
            check_queries(queries, TO_POINT)
        with CaptureQueriesContext(connection) as queries:
            opened = client.get(page)
        check_queries(queries, TO_OPEN)
        match = re.search(r'name="seen" value="(\w+)"', opened.content.decode())
        assert match
        sent = {"text": text, "do": "send-anyway", "seen": match[1], "phase": campaign.phase.number}
        with CaptureQueriesContext(connection) as queries:
            answer = client.post(page, sent)
        assert answer.status_code == 302
        check_queries(queries, TO_SEND)
        campaign.pass_deadline()


def check_queries(asked: CaptureQueriesContext, most: int) -> None:
    """Fail if there are more queries than `most`, not counting those that begin and end
    transactions."""
    frames = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE SAVEPOINT")
    queries = [query["sql"] for query in asked.captured_queries]
    queries = [sql for sql in queries if not sql.startswith(frames)]
    assert 0 < len(queries) <= most, "\n".join(queries)
