"""The page of a game, and the actions of its gamesmaster there."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from games import tasks
from games.models import Game, Phase, Reading
from games.pages.tags import formatting
from tests.records.played import short_card
from tests.support.campaign import NATIONS, Campaign, person

from .conftest import Browser, Watch

pytestmark = pytest.mark.django_db

SECRET = "PLACE 3 Rumania"


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch, db: None) -> Campaign:
    """Return a public game of two turns, in its first placement."""
    short_card(monkeypatch, turns=2)
    return Campaign.begin()


def page(as_: Browser, campaign: Campaign, name: str | None = None) -> str:
    answer = as_(name).get(campaign.game.get_absolute_url())
    assert answer.status_code == 200
    return answer.content.decode()


def test_game_page_needs_permission(as_: Browser, campaign: Campaign, private: Campaign) -> None:
    """Wrong person, wrong role, wrong method, other game."""
    for name in (None, "charlie", "gustav", "ada"):
        assert as_(name).get(campaign.game.get_absolute_url()).status_code == 200
    address = private.game.get_absolute_url()
    assert as_().get(address)["Location"].startswith(reverse("login"))
    assert as_("charlie").get(address).status_code == 404
    assert as_("gustav").get(address).status_code == 200
    assert as_("ada").post(address).status_code == 405
    assert as_("ada").get(reverse("game", args=[10**6])).status_code == 404


def test_game_page_shows_that_orders_are_in_without_their_content(
    as_: Browser, campaign: Campaign
) -> None:
    submission = campaign.order("Germany", SECRET, final=True)
    for name in (None, "charlie", "felix", "una"):
        shown = page(as_, campaign, name)
        assert "<td>in</td>" in shown
        assert SECRET not in shown
        assert submission.hash not in shown
        assert submission.salt not in shown


def test_addresses_are_shown_at_the_desk_only(as_: Browser, campaign: Campaign) -> None:
    """A gamesmaster shows the game's page to a class or a club."""
    people = reverse("desk-people", args=[campaign.game.pk])
    assert "gustav@example.org" in as_("ada").read(people)
    for name in (None, "charlie", "felix", "ada"):
        assert "gustav@example.org" not in page(as_, campaign, name)


def test_address_never_replaces_a_missing_name(as_: Browser, campaign: Campaign) -> None:
    gustav = person("gustav")
    gustav.name = ""
    gustav.save()
    assert "gustav@" not in page(as_, campaign, "felix")


def test_deadline_is_shown_in_the_readers_zone_beside_the_schedule(
    as_: Browser, campaign: Campaign
) -> None:
    gustav = person("gustav")
    gustav.zone = "Asia/Tokyo"
    gustav.save()
    shown = page(as_, campaign, "gustav")
    assert "Tuesday 17 November 2026, 03:00 JST" in shown
    assert "In\xa060\xa0minutes" in shown
    assert "every 60 minutes" in shown
    assert "Monday 16 November 2026, 18:00 UTC" in page(as_, campaign)


@pytest.mark.parametrize("where", ["game", "orders"])
def test_page_uses_only_the_readers_zone(as_: Browser, campaign: Campaign, where: str) -> None:
    """Review of a player, B4: a deadline in EST stood beside a session in UTC."""
    gustav = person("gustav")
    gustav.zone = "America/New_York"
    gustav.save()
    campaign.order("Germany", "PLACE 3 Poland")
    campaign.pass_deadline()
    address = campaign.game.get_absolute_url()
    if where == "orders":
        address = reverse("orders", args=[campaign.game.pk, campaign.seat("Germany").pk])
    shown = as_("gustav").read(address)
    assert "EST" in shown
    assert not re.search(r"\d\d:\d\d(:\d\d)? UTC", shown)


def test_list_of_reports_shows_when_each_was_judged(as_: Browser, campaign: Campaign) -> None:
    """Review of a player, B3: it showed the deadline, which was still to come."""
    Game.objects.filter(pk=campaign.game.pk).update(may_lock_early=True)
    campaign.game.refresh_from_db()
    deadline = campaign.phase.deadline
    for nation in NATIONS:
        campaign.order(nation, "PASS", final=True)
    tasks.do_all_due(campaign.now)
    assert campaign.phase.number == 2
    reports = page(as_, campaign).split('id="past"')[1].split("</section>")[0]
    assert deadline.isoformat() not in reports
    assert (
        campaign.resolution(campaign.game.phases.get(number=1)).resolved_at.isoformat() in reports
    )


def test_game_page_board_marks_changes(as_: Browser, campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.pass_deadline()
    shown = page(as_, campaign)
    assert '<span class="unseen"> PFs</span>' in shown
    assert '<span class="was">new</span>' in shown
    assert "Framed squares changed" in shown


def test_screen_reader_hears_one_pf_in_the_singular(as_: Browser, campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 9 Poland\nPLACE 1 Rumania")
    campaign.pass_deadline()
    shown = page(as_, campaign)
    assert '1<span class="unseen"> PF</span>' in shown
    assert '9<span class="unseen"> PFs</span>' in shown


def test_made_up_figures_are_marked(as_: Browser, campaign: Campaign) -> None:
    assert "<strong>DEMO</strong>" in page(as_, campaign)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("stocks", "comes from the stock market"),
        ("gm_dice", "is thrown by the gamesmaster"),
        ("commit_reveal", "comes from a secret seed"),
    ],
)
def test_primer_says_where_digits_of_this_game_come_from(
    as_: Browser, db: None, source: str, said: str
) -> None:
    """Issue 44, 12: fixed sentences about rules look at the options."""
    campaign = Campaign.begin(options={"rng.source": source})
    shown = page(as_, campaign)
    assert said in shown
    assert ("comes from the stock market" in shown) == (source == "stocks")


def test_game_without_sales_is_not_marked_as_made_up(as_: Browser) -> None:
    """gamesmaster.md B9: a sealed seed decides, and “made up” was the most prominent word on the
    wall."""
    sealed = Campaign.begin(options={"rng.source": "commit_reveal"})
    assert sealed.game.market == "demo"
    assert "<strong>DEMO</strong>" not in page(as_, sealed)


def test_newspaper_is_needed_only_where_real_sales_decide(as_: Browser, campaign: Campaign) -> None:
    words = "without this service, from the game's record"
    address = campaign.game.get_absolute_url()
    assert f"{words}." in as_("gustav").read(address)
    Game.objects.filter(pk=campaign.game.pk).update(market="yahoo")
    assert f"{words} and a newspaper." in as_("gustav").read(address)


def test_closed_phase_shows_session_stocks_and_digest(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    drawing = drawing_phase(campaign, watch)
    shown = page(as_, campaign)
    assert drawing.digest in shown
    assert "GE" in shown
    assert "The result is expected" in shown
    assert "ATTACK" not in shown


def drawing_phase(campaign: Campaign, watch: Watch) -> Phase:
    """Return a phase whose orders have locked and whose sales are not out yet."""
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("Russia", "PLACE 3 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: Russia STOCK GE")
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.DRAWING
    watch.set(campaign.now)
    return phase


def test_fault_of_a_held_phase_is_shown_to_the_gamesmaster_only(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    phase = drawing_phase(campaign, watch)
    Phase.objects.filter(pk=phase.pk).update(
        status="held", held_from="drawing", fault="The wires are down.", due_at=None
    )
    assert "The wires are down." in page(as_, campaign, "ada")
    for name in (None, "gustav"):
        shown = page(as_, campaign, name)
        assert "The wires are down." not in shown
        assert "On hold" in shown
    desk = reverse("desk", args=[campaign.game.pk])
    assert f'{desk}#held"' in page(as_, campaign, "ada")
    times = reverse("desk-times", args=[campaign.game.pk])
    assert as_("ada").post(times, {"do": "lift", "to": "desk"})["Location"] == desk
    phase.refresh_from_db()
    assert phase.status == Phase.Status.DRAWING


def test_gamesmaster_enters_a_figure(as_: Browser, campaign: Campaign, watch: Watch) -> None:
    phase = drawing_phase(campaign, watch)
    address = reverse("phase-figure", args=[campaign.game.pk, phase.number])
    answer = as_("ada").post(address, {"symbol": "GE", "volume": "many", "note": "Times"})
    assert "whole number of shares" in answer.content.decode()
    assert "Times" in answer.content.decode()
    watch.set(phase.session_closes + timedelta(minutes=1) if phase.session_closes else watch.now)
    answer = as_("ada").post(address, {"symbol": "ge", "volume": "5412345", "note": "Times"})
    assert answer.status_code == 302, answer.content.decode()
    reading = Reading.objects.get(volume=5412345)
    assert reading.symbol == "GE"
    assert reading.entered_by == campaign.ada


def test_desk_fills_in_the_first_stock_that_is_waited_for(as_: Browser, watch: Watch) -> None:
    campaign = Campaign.begin(
        market="newspaper",
        zone="America/New_York",
        schedule={"every": "minutes", "minutes": 1440},
        options={"rng.settle": "agreed_readings"},
    )
    phase = drawing_phase(campaign, watch)
    assert phase.session_closes is not None
    watch.set(phase.session_closes + timedelta(minutes=1))
    shown = as_("ada").get(f"/games/{campaign.game.pk}/desk/")
    assert [wait.symbol for wait in shown.context["waits"]] == ["GE"]
    assert shown.context["figure_form"].stocks == ("GE",)


def test_gamesmaster_enters_that_there_is_no_report(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    """rules.md 0.1, `rng.floor`: a figure below the floor is refused on the same form."""
    phase = drawing_phase(campaign, watch)
    address = reverse("phase-figure", args=[campaign.game.pk, phase.number])
    watch.set(phase.session_closes + timedelta(minutes=1) if phase.session_closes else watch.now)
    refused = as_("ada").submit(address, {"symbol": "ge", "volume": "37"})
    assert "Enter “no report” for GE instead" in refused
    for neither in ({}, {"volume": "5412345", "no_report": "on"}):
        assert "but not both" in as_("ada").submit(address, {"symbol": "ge", **neither})
    assert as_("ada").post(address, {"symbol": "ge", "no_report": "on"}).status_code == 302
    assert Reading.objects.get(source="newspaper").kind == "no_bar"


def test_gamesmaster_moves_the_deadline(as_: Browser, campaign: Campaign) -> None:
    address = reverse("desk-times", args=[campaign.game.pk])
    assert f'{address}#extend"' in page(as_, campaign, "ada"), "one tap away"
    answer = as_("ada").post(
        address, {"do": "extend", "deadline": "2026-11-18T09:00", "reason": ""}
    )
    assert "Enter a reason" in answer.content.decode()
    answer = as_("ada").post(
        address, {"do": "extend", "deadline": "2026-11-01T09:00", "reason": "Flu"}
    )
    assert "in the past" in answer.content.decode()
    assert "Flu" in answer.content.decode()
    data = {"do": "extend", "deadline": "2026-11-18T09:00", "reason": "Flu in three houses"}
    assert as_("ada").post(address, data).status_code == 302
    shown = page(as_, campaign)
    assert "Wednesday 18 November 2026, 09:00 UTC" in shown
    assert "Flu in three houses" in shown


def test_finished_game_names_its_winners(as_: Browser, campaign: Campaign, watch: Watch) -> None:
    for _ in range(12):
        campaign.pass_deadline()
    watch.set(campaign.now)
    assert campaign.game.status == Game.Status.FINISHED
    shown = page(as_, campaign)
    winners = campaign.resolution().winners
    assert winners
    assert all(winner in shown for winner in winners)
    assert " wins" in shown or "share the win" in shown
    assert len(re.findall(r'/phases/[0-9]+/"', shown)) == 12


def test_hidden_scores_are_not_shown(as_: Browser, db: None) -> None:
    campaign = Campaign.begin(options={"ow2.running_score": "hidden"})
    campaign.pass_deadline()
    assert "score" not in page(as_, campaign).split("Objectives and rules")[0].lower()
    assert "Scores as if" not in as_().read(reverse("phase", args=[campaign.game.pk, 1]))


# --- the page of a phase ---


def fought(campaign: Campaign) -> Phase:
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("Russia", "PLACE 3 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: Russia STOCK GE\nUNDERSTANDING Poland")
    return campaign.pass_deadline()


def test_report_shows_how_an_attack_was_decided(as_: Browser, campaign: Campaign) -> None:
    phase = fought(campaign)
    event = next(event for event in campaign.resolution(phase).events if event["kind"] == "attack")
    shown = as_().read(reverse("phase", args=[campaign.game.pk, phase.number]))
    for phrase in (
        "10 to 3",
        "3-1",
        "GE",
        f"{event['volume']:,}",
        f"{event['volume'] // 100:,}",
        f"row {event['digit']}",
        phase.digest,
    ):
        assert phrase in shown


def test_judged_orders_need_permission(as_: Browser, campaign: Campaign) -> None:
    phase = fought(campaign)
    address = reverse("phase", args=[campaign.game.pk, phase.number])
    line = "ATTACK Poland: Russia STOCK GE"
    for name, sees in (
        ("gustav", True),
        ("ada", True),
        ("rosa", False),
        ("charlie", False),
        (None, False),
    ):
        assert (line in as_(name).read(address)) is sees, name


def test_open_phase_shows_no_orders(as_: Browser, campaign: Campaign) -> None:
    campaign.order("Germany", SECRET)
    address = reverse("phase", args=[campaign.game.pk, 1])
    for name in (None, "charlie", "felix"):
        shown = as_(name).read(address)
        assert SECRET not in shown
        assert "/submissions/" not in shown


def test_finished_game_shows_all_orders(as_: Browser, short: Campaign) -> None:
    campaign = short
    phase = fought(campaign)
    for _ in range(2):
        campaign.pass_deadline()
    assert campaign.game.status == Game.Status.FINISHED
    shown = as_().read(reverse("phase", args=[campaign.game.pk, phase.number]))
    assert "ATTACK Poland: Russia STOCK GE" in shown
    assert all(nation in shown for nation in NATIONS)


def test_phase_page_needs_permission(as_: Browser, campaign: Campaign, private: Campaign) -> None:
    hidden = reverse("phase", args=[private.game.pk, 1])
    assert as_("charlie").get(hidden).status_code == 404
    assert as_().get(hidden).status_code == 302
    assert as_("ada").post(hidden).status_code == 405
    assert as_("ada").get(reverse("phase", args=[campaign.game.pk, 2])).status_code == 404
    assert (
        as_("ada").get(reverse("phase", args=[campaign.game.pk, 1]) + "?version=7").status_code
        == 404
    )


def test_finished_game_accounts_for_every_point(as_: Browser, short: Campaign) -> None:
    campaign = short
    campaign.order("Germany", "PLACE 5 Austria")
    campaign.pass_deadline()
    campaign.order("Germany", "CONTROL Austria")
    for _ in range(3):
        campaign.pass_deadline()
    result = page(as_, campaign).split('id="board"')[0]
    assert "CONTROL in Austria" in result
    assert "uncontrolled" in result


def test_newcomer_reads_instructions_until_the_first_report(
    as_: Browser, campaign: Campaign
) -> None:
    """Open in a player's first phase, folded later, never on the page of a finished game."""
    client = as_("gustav")
    assert '<details class="new" open>' in client.read(campaign.game.get_absolute_url())
    campaign.pass_deadline()
    later = client.read(campaign.game.get_absolute_url())
    assert '<details class="new">' in later
    assert "Judged last: " in later


def test_pages_show_no_option_ids(as_: Browser, campaign: Campaign) -> None:
    """The rules of a game and the form for choosing them are written for people."""
    shown = page(as_, campaign).split("The rules chosen for this game")[1]
    form = as_("ada").read(reverse("game-new"))
    form = re.sub(r'value="[^"]*"|name="[^"]*"|id="[^"]*"|for="[^"]*"', "", form)
    form = form.split("Rule options")[1]
    for text in (shown.split("Market, deadlines")[0], form):
        assert not re.search(r"\b[a-z]+_[a-z]+\b", re.sub(r"<[^>]*>", "", text))
        assert "first session after lock" not in text


def test_instants_have_seconds_only_in_proofs() -> None:
    """voice.md, 6: no seconds in anything over a minute."""
    instant = datetime(2026, 11, 16, 17, 0, 42, tzinfo=UTC)
    assert "Monday 16 November 2026, 17:00 UTC<" in formatting.moment(instant)
    assert "16 Nov 2026, 17:00 UTC<" in formatting.short_moment(instant)
    assert "Monday 16 November 2026, 17:00:42 UTC<" in formatting.exact_moment(instant)
