"""Checks of named stocks: remarks, lookups, letters (foundations.md 2, 3 to 5)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import desk, tasks
from games.base import clock
from games.letters import sending
from games.market import listings
from games.models import Letter, Listing
from games.rules.options import LIQUID_STOCKS
from orders.intake import ledger, stock_checks
from orders.models import StockCheck, Submission
from tests.support.campaign import MONDAY, Campaign
from tests.support.letters import letter_text
from tests.support.loopback_yahoo import LoopbackYahoo

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.fixture
def yahoo(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackYahoo]:
    # yfinance waits before it tries again.
    monkeypatch.setattr("yfinance.data._time.sleep", lambda seconds: None)
    with LoopbackYahoo() as server:
        settings.MARKET = {**settings.MARKET, "yahoo_base_url": server.url}
        server.modes["NONE"] = "404"
        server.daily["THIN"] = 4_300
        yield server


@pytest.fixture
def looked_up(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the stocks looked up, in order; yfinance makes one or more requests for each."""
    asked: list[str] = []
    ask = listings.look_up

    def counted(symbol: str, now: datetime) -> Listing:
        asked.append(symbol)
        return ask(symbol, now)

    monkeypatch.setattr(listings, "look_up", counted)
    return asked


def attacks(market: str = "yahoo", now: Any = MONDAY, **options: Any) -> Campaign:
    """Begin a game in its first attacks, with Germany, France and Russia in Poland."""
    campaign = Campaign.begin(now, market=market, options=options)
    for nation in ("Germany", "France", "Russia"):
        campaign.order(nation, "PLACE 6 Poland")
    campaign.pass_deadline()
    return campaign


def look_up(campaign: Campaign) -> None:
    """Run one step of the tick."""
    token, ids = stock_checks.claim(campaign.now)
    stock_checks.check(ids, token, campaign.now)


def messages(submission: Submission) -> list[str]:
    return [remark["message"] for remark in submission.remarks]


# --- at once ---


def test_receipt_shows_known_stock_checks_at_once() -> None:
    """Policy 3: the receipt warns while the orders can still be changed."""
    campaign = attacks("demo")
    submission = campaign.order("Germany", "ATTACK Poland: France STOCK ZZTOP/GE")
    expected = (
        "“ATTACK Poland: France STOCK ZZTOP/GE”: ZZTOP never has a report on the DEMO exchange: it"
        " has no usable report, and the next stock on the line decides."
    )
    assert messages(submission) == [expected]
    assert submission.counts, "a warning refuses nothing"
    assert expected in letter_text(campaign.letters("receipt", "gustav")[-1])
    assert not StockCheck.objects.exists()


def test_known_stock_gets_a_remark_without_a_lookup(
    yahoo: LoopbackYahoo, looked_up: list[str]
) -> None:
    meta = {"exchangeName": "NYQ", "exchangeTimezoneName": "America/New_York"}
    facts = {"verdict": "good", "instrument": "EQUITY", "median_volume": 4300}
    origin = {"source": "yahoo", "checked_at": MONDAY, "raw": {"meta": meta}}
    Listing.objects.create(symbol="THIN", **facts, **origin)
    submission = attacks().order("Germany", "# to begin\nATTACK Poland: France STOCK THIN")
    (remark,) = submission.remarks
    assert (remark["line"], remark["code"]) == (2, "stock_thin")
    assert remark["severity"] == "warning"
    assert messages(submission)[0].endswith(
        "THIN sells about 4,300 shares a day, and at least 100,000 are asked for: it has no usable"
        " report, and the reserve list decides."
    )
    assert not StockCheck.objects.exists()
    assert yahoo.asked == []


def test_receiving_orders_makes_no_market_request(yahoo: LoopbackYahoo) -> None:
    """No request waits for the market; unknown stocks are queued in the same transaction."""
    campaign = attacks()
    text = "ATTACK Poland: France STOCK NONE/GE\nUNDERSTANDING Russia"
    pk, seat = campaign.order("Germany", text).pk, campaign.seat("Germany")
    ledger.reading(seat, campaign.phase, "ATTACK Poland: France STOCK F", campaign.now)
    assert yahoo.asked == []
    queued = sorted(StockCheck.objects.values_list("submission", "symbol"))
    assert queued == [(pk, "GE"), (pk, "NONE")]


def test_second_use_of_a_stock_gets_a_warning() -> None:
    """Policy 4; rules.md 0.1, `rng.duplicate_stock`."""
    campaign = attacks("demo")
    campaign.order("Germany", "UNDERSTANDING Poland")
    text = "ATTACK Poland: France STOCK GE\nATTACK Austria: France STOCK GE"
    submission = campaign.order("Germany", text)
    assert [remark for remark in messages(submission) if "names GE again" in remark]
    assert "names GE again" in letter_text(campaign.letters("receipt", "gustav")[-1])


@pytest.mark.parametrize(
    "reserves",
    [None, [f"{letter}X" for letter in "ABCDEFGHIJKLMNOPQRSTU"]],
    ids=["the usual list", "his own list"],
)
def test_stock_not_on_a_binding_list_gets_a_warning(reserves: list[str] | None) -> None:
    """rules.md 0.1: `rng.stock_choice` = list_only, with the game's own list and the service's."""
    campaign = Campaign.begin(options={"rng.stock_choice": "list_only"}, reserves=reserves)
    published = campaign.game.options["rng.reserve_list"]
    assert published == campaign.game.reserves == (reserves or list(LIQUID_STOCKS))
    campaign.order("Germany", "PLACE 6 Poland")
    campaign.order("France", "PLACE 6 Poland")
    campaign.pass_deadline()
    listed = campaign.game.reserves[0]
    submission = campaign.order("Germany", f"ATTACK Poland: France STOCK ZZZQ/{listed}")
    assert len(messages(submission)) == 1, "what is passed over in any case needs no second remark"
    assert "names ZZZQ, not on the published list" in messages(submission)[0]


def test_placements_and_late_orders_are_not_looked_up(
    yahoo: LoopbackYahoo, looked_up: list[str]
) -> None:
    campaign = attacks()
    late = campaign.phase.deadline + MINUTE
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE", at=late)
    assert not StockCheck.objects.exists()


def test_number_of_checks_per_submission_is_limited(yahoo: LoopbackYahoo) -> None:
    """One text must not cause a thousand requests."""
    campaign = attacks()
    areas = campaign.game.card["areas"]
    lines = [f"ATTACK {area}: France STOCK A{n}X/B{n}X/C{n}X" for n in range(12) for area in areas]
    campaign.order("Germany", "\n".join(lines))
    assert 0 < StockCheck.objects.count() <= 60


# --- by the tick ---


def test_unusable_stock_found_later_is_reported_in_one_letter(
    yahoo: LoopbackYahoo, looked_up: list[str]
) -> None:
    """Policy 3: in time to change it. Policy 5: the next named stock, else the reserve list."""
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE/GE")
    assert tasks.do_all_due(campaign.now) > 0
    (letter,) = campaign.letters("stock")
    assert letter.address == "gustav@example.org"
    text = letter_text(letter)
    for words in (
        "name NONE. NONE is not a stock that Yahoo knows: it has no usable report.",
        "the next one that you named decides; if you named none, the reserve list decides",
        "You can change them until",
    ):
        assert words in text
    assert "until Mon 16 Nov, 19:00 UTC." in text
    for _ in range(3):
        look_up(campaign)
        tasks.do_all_due(campaign.now)
    assert len(campaign.letters("stock")) == 1, "once for each submission and stock"
    assert sorted(looked_up) == ["GE", "NONE"]
    verdicts = dict(Listing.objects.values_list("symbol", "verdict"))
    assert verdicts == {"NONE": "unknown", "GE": "good"}


def test_letter_warns_of_a_stock_listed_in_another_market(
    yahoo: LoopbackYahoo,
) -> None:
    """rules.md 0.1, `rng.market`: Bombay's sales are public at 08:55 in New York."""
    campaign = attacks()
    submission = campaign.order("Germany", "ATTACK Poland: France STOCK TCS.NS")
    assert submission.counts
    look_up(campaign)
    text = letter_text(campaign.letters("stock")[0])
    assert "name TCS.NS. TCS.NS is listed in Mumbai, not in New York: it has no usable" in text
    again = campaign.order("Germany", "ATTACK Poland: France STOCK TCS.NS")
    assert messages(again) == [
        "“ATTACK Poland: France STOCK TCS.NS”: TCS.NS is listed in Mumbai, not in New York: it has"
        " no usable report, and the reserve list decides."
    ]


def test_letter_warns_of_a_thin_stock(yahoo: LoopbackYahoo) -> None:
    """rules.md 0.1, `rng.floor`: below the game's median a stock has no usable report."""
    campaign = attacks(**{"rng.no_stock": "attack_void"})
    campaign.order("Germany", "ATTACK Poland: France STOCK THIN")
    look_up(campaign)
    text = letter_text(campaign.letters("stock")[0])
    assert "about 4,300 shares a day" in text
    assert (
        "THIN sells about 4,300 shares a day, and at least 100,000 are asked for: it has no usable"
        " report." in text
    )
    assert "if you named none, the attack is void" in text


def test_stock_is_looked_up_once_a_day(yahoo: LoopbackYahoo, looked_up: list[str]) -> None:
    campaign = attacks()
    for minute in range(3):
        campaign.order(
            "Germany", "ATTACK Poland: France STOCK THIN", at=campaign.now + minute * MINUTE
        )
        campaign.order(
            "Russia", "ATTACK Poland: France STOCK THIN", at=campaign.now + minute * MINUTE
        )
        campaign.now += MINUTE
        look_up(campaign)
    assert looked_up == ["THIN"]
    assert sorted(letter.address for letter in campaign.letters("stock")) == [
        "gustav@example.org",
        "rosa@example.org",
    ]


def test_failed_lookup_is_retried_later_without_a_letter(
    yahoo: LoopbackYahoo, looked_up: list[str]
) -> None:
    campaign = attacks()
    yahoo.modes |= {"GE": "500", "NONE": "500"}
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE/GE")
    letters = Letter.objects.count()
    look_up(campaign)
    tried = len(looked_up)
    look_up(campaign)
    assert len(looked_up) == tried, "not again at once, and not the other stock"
    assert (Letter.objects.count(), Listing.objects.count()) == (letters, 0)
    yahoo.modes |= {"GE": "ok", "NONE": "404"}
    campaign.now += 15 * MINUTE
    look_up(campaign)
    assert len(campaign.letters("stock")) == 1
    assert not StockCheck.objects.exclude(due_at=None).exists()


@pytest.mark.both_databases
def test_replaced_orders_get_no_letter(yahoo: LoopbackYahoo, looked_up: list[str]) -> None:
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    look_up(campaign)
    assert campaign.letters("stock") == []
    assert looked_up == ["GE"], "nor is anybody asked about them"


@pytest.mark.both_databases
def test_merged_orders_get_letters_about_lines_in_force(yahoo: LoopbackYahoo) -> None:
    """rules.md 0.2, `orders.amend` = merge_lines: a line sent earlier still holds."""
    campaign = attacks(**{"orders.amend": "merge_lines"})
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    campaign.order("Germany", "UNDERSTANDING Russia")
    campaign.order("Russia", "ATTACK Poland: France STOCK THIN")
    campaign.order("Russia", "ATTACK Poland: France STOCK GE")
    look_up(campaign)
    assert [letter.address for letter in campaign.letters("stock")] == ["gustav@example.org"]


@pytest.mark.both_databases
def test_stock_checks_end_at_the_deadline(yahoo: LoopbackYahoo) -> None:
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    campaign.now = campaign.phase.deadline
    look_up(campaign)
    assert campaign.letters("stock") == []
    assert yahoo.asked == []
    assert not StockCheck.objects.exclude(due_at=None).exists()


def test_letter_delayed_past_the_lock_is_not_sent(yahoo: LoopbackYahoo) -> None:
    """The mail server was down until the lock; the orders can no longer be changed."""
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    look_up(campaign)
    phase = campaign.phase
    phase.status = "locked"
    phase.save()
    token, ids = sending.claim(campaign.now, 50)
    sending.send(ids, token, campaign.now)
    (letter,) = campaign.letters("stock")
    assert letter.status == "dropped"
    assert "closed before" in letter.fault
    assert not campaign.letters("undelivered")


def test_former_player_gets_no_letter(yahoo: LoopbackYahoo) -> None:
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    campaign.seat("Germany").sittings.update(until=campaign.now)
    look_up(campaign)
    assert campaign.letters("stock") == []


def test_stocks_of_a_bots_orders_are_not_looked_up(
    yahoo: LoopbackYahoo, looked_up: list[str]
) -> None:
    campaign = attacks()
    ledger.receive(
        campaign.seat("Germany"),
        "ATTACK Poland: France STOCK NONE",
        ledger.Arrival("program", None, campaign.now),
    )
    assert not StockCheck.objects.exists()


# --- leases ---


@pytest.mark.both_databases
def test_two_workers_look_up_each_stock_once(yahoo: LoopbackYahoo, looked_up: list[str]) -> None:
    """Design 5: leases. A check waits while another worker looks up the same stock."""
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    token, ids = stock_checks.claim(campaign.now)
    campaign.order("Russia", "ATTACK Poland: France STOCK NONE/GE")
    other, others = stock_checks.claim(campaign.now)
    assert [StockCheck.objects.get(pk=pk).symbol for pk in others] == ["GE"]
    stock_checks.check(others, other, campaign.now)
    stock_checks.check(ids, token, campaign.now)
    look_up(campaign)
    assert sorted(looked_up) == ["GE", "NONE"]
    assert len(campaign.letters("stock")) == 2


@pytest.mark.both_databases
def test_checks_of_a_dead_worker_are_taken_over(yahoo: LoopbackYahoo, looked_up: list[str]) -> None:
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    token, ids = stock_checks.claim(campaign.now)
    assert stock_checks.claim(campaign.now) == ("", [])
    campaign.now += 3 * MINUTE
    look_up(campaign)
    stock_checks.check(ids, token, campaign.now)
    assert len(campaign.letters("stock")) == 1
    assert looked_up == ["NONE"]


@pytest.mark.both_databases
def test_a_task_delivered_twice_checks_a_stock_once(
    yahoo: LoopbackYahoo, looked_up: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second delivery, during the first one's request, finds no rows under the token."""
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    token, ids = stock_checks.claim(campaign.now)
    ask = listings.look_up

    def delivered_again(symbol: str, now: datetime) -> Listing:
        monkeypatch.setattr(listings, "look_up", ask)
        stock_checks.check(ids, token, now)
        return ask(symbol, now)

    monkeypatch.setattr(listings, "look_up", delivered_again)
    stock_checks.check(ids, token, campaign.now)
    assert looked_up == ["NONE"]
    assert len(campaign.letters("stock")) == 1


@pytest.mark.both_databases
def test_released_checks_can_be_claimed_again(yahoo: LoopbackYahoo) -> None:
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    token, ids = stock_checks.claim(campaign.now)
    StockCheck.objects.release(ids, token)
    assert stock_checks.claim(campaign.now)[1] == ids


def test_tick_queues_lookups_for_a_worker(
    yahoo: LoopbackYahoo, looked_up: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design 5: the database is the queue; without a broker nothing is lost."""
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    queued: list[Any] = []

    def no_broker(*task: Any) -> None:
        raise ConnectionError

    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    monkeypatch.setattr(tasks.do_job, "delay", no_broker)
    with pytest.raises(ConnectionError):
        tasks.tick()
    monkeypatch.setattr(tasks.do_job, "delay", lambda *task: queued.append(task))
    tasks.tick()
    tasks.tick()
    assert looked_up == []
    (task,) = [task for task in queued if task[0] == "stock checks"]
    tasks.do_job(*task)
    tasks.do_job(*task)
    assert looked_up == ["NONE"]
    assert len(campaign.letters("stock")) == 1


def test_market_request_runs_outside_transactions(
    yahoo: LoopbackYahoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Decisions: no slow HTTP in a transaction (the test's own is the outermost)."""
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    before, ask = len(connection.savepoint_ids), listings.look_up

    def measured(symbol: str, now: datetime) -> Listing:
        assert len(connection.savepoint_ids) == before
        return ask(symbol, now)

    monkeypatch.setattr(listings, "look_up", measured)
    look_up(campaign)
    assert len(campaign.letters("stock")) == 1


# --- secrets ---


def test_lookup_by_one_nation_is_not_revealed_to_another(
    yahoo: LoopbackYahoo, looked_up: list[str]
) -> None:
    """Design 8: an instant remark would tell France which stock Germany named."""
    campaign = attacks()
    text = "ATTACK Poland: Russia STOCK NONE"
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    look_up(campaign)

    def remarks(nation: str) -> tuple[Any, ...]:
        return ledger.reading(campaign.seat(nation), campaign.phase, text, campaign.now).remarks

    assert not [remark for remark in remarks("France") if "NONE is not" in remark.message]
    assert [remark for remark in remarks("Germany") if "NONE is not" in remark.message], (
        "Germany's own question is answered"
    )
    submission = campaign.order("France", text)
    assert not messages(submission)
    look_up(campaign)
    assert [remark for remark in remarks("France") if "NONE is not" in remark.message]
    assert [letter.address for letter in campaign.letters("stock")] == [
        "gustav@example.org",
        "felix@example.org",
    ]
    assert looked_up == ["NONE"], "the second question is answered from the record"


@pytest.mark.letters
def test_stock_letter_goes_only_to_the_sender(yahoo: LoopbackYahoo) -> None:
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    look_up(campaign)
    holders = Letter.objects.filter(kind="stock").values_list("address", flat=True)
    assert list(holders) == ["gustav@example.org"]
    desk.extend(
        campaign.phase,
        campaign.phase.deadline + timedelta(hours=1),
        "Bea is away.",
        campaign.ada,
        campaign.now,
    )
    tasks.do_all_due(campaign.now)
    others = Letter.objects.exclude(address="gustav@example.org")
    assert not [letter for letter in others if "NONE" in letter.text or "NONE" in letter.key]


@pytest.mark.both_databases
def test_claim_without_due_checks_takes_one_query(yahoo: LoopbackYahoo) -> None:
    """The tick runs every second, so an idle one must be cheap."""
    attacks()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert stock_checks.claim(MONDAY) == ("", [])
    assert len(queries) == 1
