"""Named stocks: answered at once, looked up later, told to whom (foundations.md 2, 3 to 5)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import desk, tasks
from games.letters import rendering, sending
from games.market import listings
from games.models import Letter, Listing
from games.rules.options import LIQUID_STOCKS
from gamesmaster import clock
from orders import ledger, stock_checks
from orders.models import StockCheck, Submission
from tests.support.campaign import MONDAY, Campaign
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
    """The stocks that were asked for, in order; yfinance makes one request or several of each."""
    asked: list[str] = []
    ask = listings.look_up

    def counted(symbol: str, now: datetime) -> Listing:
        asked.append(symbol)
        return ask(symbol, now)

    monkeypatch.setattr(listings, "look_up", counted)
    return asked


def attacks(market: str = "yahoo", now: Any = MONDAY, **options: Any) -> Campaign:
    """A campaign in its first attacks, in which Germany, France and Russia stand in Poland."""
    campaign = Campaign.begin(now, market=market, options=options)
    for nation in ("Germany", "France", "Russia"):
        campaign.order(nation, "PLACE 6 Poland")
    campaign.pass_deadline()
    return campaign


def look_up(campaign: Campaign) -> None:
    """One step of the tick."""
    token, ids = stock_checks.claim(campaign.now)
    stock_checks.check(ids, token, campaign.now)


def said(submission: Submission) -> list[str]:
    return [remark["message"] for remark in submission.remarks]


def text_of(letter: Letter) -> str:
    return " ".join(rendering.render(letter).text.split())


# --- at once ---


def test_the_receipt_says_at_once_what_is_known() -> None:
    """Policy 3: checked at receipt, so that the answer can complain in time."""
    campaign = attacks("demo")
    submission = campaign.order("Germany", "ATTACK Poland: France STOCK ZZTOP/GE")
    expected = (
        "“ATTACK Poland: France STOCK ZZTOP/GE”: ZZTOP never has a report on the DEMO exchange: it"
        " has no usable report, and the next stock on the line decides."
    )
    assert said(submission) == [expected]
    assert submission.counts, "a warning refuses nothing"
    assert expected in text_of(campaign.letters("receipt", "gustav")[-1])
    assert not StockCheck.objects.exists()


def test_what_has_been_looked_up_before_is_said_at_once_and_nobody_is_asked(
    yahoo: LoopbackYahoo, looked_up: list[str]
) -> None:
    meta = {"exchangeName": "NYQ", "exchangeTimezoneName": "America/New_York"}
    about = {"verdict": "good", "instrument": "EQUITY", "median_volume": 4300}
    kept = {"source": "yahoo", "checked_at": MONDAY, "raw": {"meta": meta}}
    Listing.objects.create(symbol="THIN", **about, **kept)
    submission = attacks().order("Germany", "# to begin\nATTACK Poland: France STOCK THIN")
    (remark,) = submission.remarks
    assert (remark["line"], remark["code"]) == (2, "stock_thin")
    assert remark["severity"] == "warning"
    assert said(submission)[0].endswith(
        "THIN sells about 4,300 shares a day, and at least 100,000 are asked for: it has no usable"
        " report, and the reserve list decides."
    )
    assert not StockCheck.objects.exists()
    assert yahoo.asked == []


def test_receiving_orders_asks_nobody(yahoo: LoopbackYahoo) -> None:
    """No request waits for the market; unknown stocks are queued in the same transaction."""
    campaign = attacks()
    text = "ATTACK Poland: France STOCK NONE/GE\nUNDERSTANDING Russia"
    pk, seat = campaign.order("Germany", text).pk, campaign.seat("Germany")
    ledger.reading(seat, campaign.phase, "ATTACK Poland: France STOCK F", campaign.now)
    assert yahoo.asked == []
    queued = sorted(StockCheck.objects.values_list("submission", "symbol"))
    assert queued == [(pk, "GE"), (pk, "NONE")]


def test_the_second_use_of_a_stock_is_pointed_out_at_once() -> None:
    """Policy 4; rules.md 0.1, `rng.duplicate_stock`."""
    campaign = attacks("demo")
    campaign.order("Germany", "UNDERSTANDING Poland")
    text = "ATTACK Poland: France STOCK GE\nATTACK Austria: France STOCK GE"
    submission = campaign.order("Germany", text)
    assert [remark for remark in said(submission) if "names GE again" in remark]
    assert "names GE again" in text_of(campaign.letters("receipt", "gustav")[-1])


@pytest.mark.parametrize(
    "reserves",
    [None, [f"{letter}X" for letter in "ABCDEFGHIJKLMNOPQRSTU"]],
    ids=["the usual list", "his own list"],
)
def test_a_stock_off_a_binding_list_is_pointed_out_at_once(reserves: list[str] | None) -> None:
    """rules.md 0.1: `rng.stock_choice` = list_only, own list and the service's."""
    campaign = Campaign.begin(options={"rng.stock_choice": "list_only"}, reserves=reserves)
    published = campaign.game.options["rng.reserve_list"]
    assert published == campaign.game.reserves == (reserves or list(LIQUID_STOCKS))
    campaign.order("Germany", "PLACE 6 Poland")
    campaign.order("France", "PLACE 6 Poland")
    campaign.pass_deadline()
    listed = campaign.game.reserves[0]
    submission = campaign.order("Germany", f"ATTACK Poland: France STOCK ZZZQ/{listed}")
    assert len(said(submission)) == 1, "what is passed over in any case needs no second remark"
    assert "names ZZZQ, not on the published list" in said(submission)[0]


def test_placements_and_late_orders_are_not_looked_up(
    yahoo: LoopbackYahoo, looked_up: list[str]
) -> None:
    campaign = attacks()
    late = campaign.phase.deadline + MINUTE
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE", at=late)
    assert not StockCheck.objects.exists()


def test_a_text_full_of_stocks_asks_for_no_more_than_a_nation_can_use(yahoo: LoopbackYahoo) -> None:
    """Nobody makes the service ask a thousand times by one text."""
    campaign = attacks()
    areas = campaign.game.card["areas"]
    lines = [f"ATTACK {area}: France STOCK A{n}X/B{n}X/C{n}X" for n in range(12) for area in areas]
    campaign.order("Germany", "\n".join(lines))
    assert 0 < StockCheck.objects.count() <= 60


# --- by the tick ---


def test_a_doubtful_stock_found_later_is_told_by_one_short_letter(
    yahoo: LoopbackYahoo, looked_up: list[str]
) -> None:
    """Policy 3: in time to change it. Policy 5: the next stock named, else the reserve list."""
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE/GE")
    assert tasks.all_due(campaign.now) > 0
    (letter,) = campaign.letters("stock")
    assert letter.address == "gustav@example.org"
    text = text_of(letter)
    for words in (
        "name NONE. NONE is not a stock that Yahoo knows: it has no usable report.",
        "the next one that you named decides; if you named none, the reserve list decides",
        "You can change them until",
    ):
        assert words in text
    assert "until Monday 16 November 2026, 19:00 UTC (14:00 New York)." in text
    for _ in range(3):
        look_up(campaign)
        tasks.all_due(campaign.now)
    assert len(campaign.letters("stock")) == 1, "once for each submission and stock"
    assert sorted(looked_up) == ["GE", "NONE"]
    verdicts = dict(Listing.objects.values_list("symbol", "verdict"))
    assert verdicts == {"NONE": "unknown", "GE": "good"}


def test_a_stock_of_bombay_decides_nothing_and_the_letter_says_so_in_time(
    yahoo: LoopbackYahoo,
) -> None:
    """rules.md 0.1, `rng.market`: Bombay's sales are public at 08:55 in New York."""
    campaign = attacks()
    submission = campaign.order("Germany", "ATTACK Poland: France STOCK TCS.NS")
    assert submission.counts
    look_up(campaign)
    text = text_of(campaign.letters("stock")[0])
    assert "name TCS.NS. TCS.NS is listed in Mumbai, not in New York: it has no usable" in text
    again = campaign.order("Germany", "ATTACK Poland: France STOCK TCS.NS")
    assert said(again) == [
        "“ATTACK Poland: France STOCK TCS.NS”: TCS.NS is listed in Mumbai, not in New York: it has"
        " no usable report, and the reserve list decides."
    ]


def test_a_thin_stock_decides_nothing_and_the_letter_says_so(yahoo: LoopbackYahoo) -> None:
    """rules.md 0.1, `rng.floor`: below the median of the game a stock has no usable report."""
    campaign = attacks(**{"rng.no_stock": "attack_void"})
    campaign.order("Germany", "ATTACK Poland: France STOCK THIN")
    look_up(campaign)
    text = text_of(campaign.letters("stock")[0])
    assert "about 4,300 shares a day" in text
    assert (
        "THIN sells about 4,300 shares a day, and at least 100,000 are asked for: it has no usable"
        " report." in text
    )
    assert "if you named none, the attack is void" in text


def test_nothing_is_asked_twice_within_a_day(yahoo: LoopbackYahoo, looked_up: list[str]) -> None:
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


def test_a_market_that_is_down_is_asked_again_later_and_nobody_is_told(
    yahoo: LoopbackYahoo, looked_up: list[str]
) -> None:
    campaign = attacks()
    yahoo.modes |= {"GE": "500", "NONE": "500"}
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE/GE")
    written = Letter.objects.count()
    look_up(campaign)
    tried = len(looked_up)
    look_up(campaign)
    assert len(looked_up) == tried, "not again at once, and not the other stock"
    assert (Letter.objects.count(), Listing.objects.count()) == (written, 0)
    yahoo.modes |= {"GE": "ok", "NONE": "404"}
    campaign.now += 15 * MINUTE
    look_up(campaign)
    assert len(campaign.letters("stock")) == 1
    assert not StockCheck.objects.exclude(due_at=None).exists()


def test_orders_that_were_replaced_are_not_written_about(
    yahoo: LoopbackYahoo, looked_up: list[str]
) -> None:
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    look_up(campaign)
    assert campaign.letters("stock") == []
    assert looked_up == ["GE"], "nor is anybody asked about them"


def test_orders_that_are_put_together_are_written_about_as_they_stand(yahoo: LoopbackYahoo) -> None:
    """rules.md 0.2, `orders.amend` = merge_lines: a line sent earlier still holds."""
    campaign = attacks(**{"orders.amend": "merge_lines"})
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    campaign.order("Germany", "UNDERSTANDING Russia")
    campaign.order("Russia", "ATTACK Poland: France STOCK THIN")
    campaign.order("Russia", "ATTACK Poland: France STOCK GE")
    look_up(campaign)
    assert [letter.address for letter in campaign.letters("stock")] == ["gustav@example.org"]


def test_after_the_deadline_nobody_is_asked_and_nobody_is_written_to(yahoo: LoopbackYahoo) -> None:
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    campaign.now = campaign.phase.deadline
    look_up(campaign)
    assert campaign.letters("stock") == []
    assert yahoo.asked == []
    assert not StockCheck.objects.exclude(due_at=None).exists()


def test_a_letter_that_comes_too_late_is_not_sent(yahoo: LoopbackYahoo) -> None:
    """The mail server was down until the lock: advice that cannot be followed any more is none."""
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    look_up(campaign)
    phase = campaign.phase
    phase.status = "locked"
    phase.save()
    token, ids = sending.claim(campaign.now, 50)
    sending.send(ids, token, campaign.now)
    (letter,) = campaign.letters("stock")
    assert letter.status == "failed"
    assert "closed before" in letter.fault
    assert not campaign.letters("undelivered")


def test_whoever_has_left_the_seat_is_not_written_to(yahoo: LoopbackYahoo) -> None:
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    campaign.seat("Germany").sittings.update(until=campaign.now)
    look_up(campaign)
    assert campaign.letters("stock") == []


def test_a_program_s_orders_are_not_looked_up(yahoo: LoopbackYahoo, looked_up: list[str]) -> None:
    campaign = attacks()
    ledger.receive(
        campaign.seat("Germany"),
        "ATTACK Poland: France STOCK NONE",
        channel="program",
        person=None,
        now=campaign.now,
    )
    assert not StockCheck.objects.exists()


# --- leases ---


def test_of_two_workers_each_check_goes_to_one_and_each_stock_is_asked_once(
    yahoo: LoopbackYahoo, looked_up: list[str]
) -> None:
    """Design 5: leases; a stock being asked for waits for that worker."""
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


def test_a_worker_that_died_is_followed_by_another_and_writes_nothing_late(
    yahoo: LoopbackYahoo, looked_up: list[str]
) -> None:
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    token, ids = stock_checks.claim(campaign.now)
    assert stock_checks.claim(campaign.now) == ("", [])
    campaign.now += 3 * MINUTE
    look_up(campaign)
    stock_checks.check(ids, token, campaign.now)
    assert len(campaign.letters("stock")) == 1
    assert looked_up == ["NONE"]


def test_a_task_delivered_twice_checks_a_stock_once(
    yahoo: LoopbackYahoo, looked_up: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second comes while the first asks the market: it finds nothing under the token."""
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


def test_checks_that_could_not_be_handed_out_are_free_again(yahoo: LoopbackYahoo) -> None:
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    token, ids = stock_checks.claim(campaign.now)
    StockCheck.objects.release(ids, token)
    assert stock_checks.claim(campaign.now)[1] == ids


def test_the_tick_hands_the_lookups_to_a_worker(
    yahoo: LoopbackYahoo, looked_up: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design 5: the database is the queue; without a broker nothing is lost."""
    campaign = attacks()
    campaign.order("Germany", "ATTACK Poland: France STOCK NONE")
    handed: list[Any] = []

    def no_broker(*task: Any) -> None:
        raise ConnectionError

    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    monkeypatch.setattr(tasks.do_job, "delay", no_broker)
    with pytest.raises(ConnectionError):
        tasks.tick()
    monkeypatch.setattr(tasks.do_job, "delay", lambda *task: handed.append(task))
    tasks.tick()
    tasks.tick()
    assert looked_up == []
    (task,) = [task for task in handed if task[0] == "stock checks"]
    tasks.do_job(*task)
    tasks.do_job(*task)
    assert looked_up == ["NONE"]
    assert len(campaign.letters("stock")) == 1


def test_the_market_is_never_asked_inside_a_transaction(
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


def test_what_one_nation_has_asked_for_is_kept_back_from_another(
    yahoo: LoopbackYahoo, looked_up: list[str]
) -> None:
    """Design 8: an instant remark would tell France what Germany has named."""
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
    assert not said(submission)
    look_up(campaign)
    assert [remark for remark in remarks("France") if "NONE is not" in remark.message]
    assert [letter.address for letter in campaign.letters("stock")] == [
        "gustav@example.org",
        "felix@example.org",
    ]
    assert looked_up == ["NONE"], "the second question is answered from the record"


def test_a_letter_about_a_stock_goes_to_its_sender_alone(yahoo: LoopbackYahoo) -> None:
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
    tasks.all_due(campaign.now)
    others = Letter.objects.exclude(address="gustav@example.org")
    assert not [letter for letter in others if "NONE" in letter.text or "NONE" in letter.key]


def test_an_idle_tick_asks_one_question_about_stocks(yahoo: LoopbackYahoo) -> None:
    """Beat rings every second: what is looked at each time must be cheap."""
    attacks()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert stock_checks.claim(MONDAY) == ("", [])
    assert len(queries) == 1
