"""Tiingo, the second publisher, and two sources that disagree (issue 3; foundations.md 1.5)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from games import desk
from games.evidence import export
from games.market import Report, bank, enter_figure
from games.market.report import is_stale
from games.market.tiingo import Tiingo
from games.models import Figure, Person, Phase, Reading
from games.records import archive
from games.rules.markets import NEW_YORK
from games.rules.sessions import sessions_before
from games.rules.settling import is_listed
from games.rules.verification import verify
from tests.support.campaign import Campaign
from tests.support.loopback_tiingo import LoopbackTiingo, row

from .conftest import FIRST, TUESDAY, MakePhase, Ticker, observe

HOUR = timedelta(hours=1)


@pytest.fixture
def tiingo(settings: Any) -> Iterator[LoopbackTiingo]:
    with LoopbackTiingo() as server:
        settings.MARKET = {**settings.MARKET, "tiingo_base_url": server.url, "tiingo_key": "a-key"}
        yield server


def read(symbol: str = "GE") -> Report:
    return Tiingo().read(symbol, TUESDAY, FIRST)


def test_tiingo_row_is_read_with_its_evidence(tiingo: LoopbackTiingo) -> None:
    """The raw row is stored; the key goes into the header and nowhere else."""
    tiingo.rows["GE"] = [row("2026-11-23", 100, price=30), row("2026-11-24", 5_412_345)]
    report = read()
    assert (report.kind, report.volume, report.flag) == ("ok", 5_412_345, "")
    assert report.raw["rows"][0]["volume"] == 5_412_345
    assert [(path.split("?")[0], key) for path, key in tiingo.asked] == [
        ("/tiingo/daily/GE/prices", "Token a-key"),
        ("/tiingo/daily/GE", "Token a-key"),
    ]
    assert "a-key" not in repr([path for path, _ in tiingo.asked]) + repr(report.raw)


@pytest.mark.parametrize(
    ("exchange", "counts"),
    [
        ("NASDAQ", True),
        ("NYSE ARCA", True),
        ("PINK", False),
        ("NMFQS", False),
        ("SHE", False),
        (None, False),
    ],
)
def test_tiingo_says_where_a_stock_is_listed(
    tiingo: LoopbackTiingo, exchange: str | None, counts: bool
) -> None:
    """rules.md 0.1, `rng.market`: from the publisher's own metadata."""
    tiingo.rows["GE"] = [row("2026-11-24", 5_412_345)]
    tiingo.exchanges["GE"] = exchange
    assert is_listed(read().facts, "new_york") == counts


def test_tiingo_that_does_not_say_where_a_stock_is_listed_is_asked_again(
    tiingo: LoopbackTiingo,
) -> None:
    """A partial answer says nothing about the stock, which would be out after two of them."""
    rows = json.dumps([row("2026-11-24", 5_412_345)])
    tiingo.answers["GE"] = (200, rows)  # whatever is asked about the stock
    assert read().kind == "later"


def test_tiingo_median_covers_twenty_sessions(tiingo: LoopbackTiingo) -> None:
    """rules.md 0.1, `rng.floor`: a session without an entry counts 0."""
    days = [session.day.isoformat() for session in sessions_before("XNYS", TUESDAY.day, 20)]
    tiingo.rows["GE"] = [*(row(day, 300_000) for day in days[:11]), row("2026-11-24", 5_412_345)]
    assert read().facts["median"] == 300_000
    tiingo.rows["GE"] = [*(row(day, 300_000) for day in days[:9]), row("2026-11-24", 5_412_345)]
    assert read().facts["median"] == 0


@pytest.mark.parametrize("knows", [True, False])
def test_tiingo_probes_a_known_symbol_beside_an_unknown_one(
    tiingo: LoopbackTiingo, knows: bool
) -> None:
    """Two 404s from a source that knows nothing at all do not settle a stock."""
    not_found = (404, '{"detail": "Error: Ticker not found"}')
    tiingo.answers["GONE"] = not_found
    tiingo.rows["KO"] = [row("2026-11-24", 5_412_345)]
    if not knows:
        tiingo.answers["KO"] = not_found
    report = read("GONE")
    assert (report.kind, report.facts) == ("unknown", {"probe": "KO"} if knows else {})


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ([row("2026-11-23", 100)], "no_bar"),
        ([], "no_bar"),
        ([row("2026-11-24", 0)], "no_sales"),
        ([row("2026-11-24", None)], "no_sales"),
        ([row("2026-11-24", 12.5)], "later"),
        ([row("2026-11-24", -3)], "later"),
        ([row("2026-11-24", 100), row("2026-11-24", 200)], "later"),
        ([row("2026-11-23", 700), row("2026-11-24", 700)], "later"),
        ([row("2026-11-24", 700.0)], "later"),
        ([row("2026-11-24", True)], "later"),
        ([row("2026-11-24", 10**12)], "later"),
        ([row("2026-11-23", 12_000), row("2026-11-24", 12_000, price=40)], "later"),
    ],
    ids=[
        "halt",
        "nothing",
        "zero",
        "null",
        "no whole number",
        "below zero",
        "double row",
        "stale row",
        "a float",
        "true",
        "too many",
        "sales of the day before",
    ],
)
def test_tiingo_recognizes_every_bad_row(
    tiingo: LoopbackTiingo, rows: list[dict[str, Any]], kind: str
) -> None:
    """rules.md 0.1: missing, halted or blank is never 0; foundations.md 1.3: double rows."""
    tiingo.rows["GE"] = rows
    report = read()
    assert report.kind == kind, report
    assert report.kind == "ok" or report.detail


@pytest.mark.parametrize(
    ("status", "body", "kind", "down"),
    [
        (404, '{"detail": "Error: Ticker \'GE\' not found"}', "unknown", False),
        (404, "<html>", "later", True),
        (429, "{}", "later", True),
        (200, '{"detail": "You have run over your hourly request allocation"}', "later", True),
        (401, '{"detail": "Invalid token."}', "later", True),
        (500, "<html>", "later", True),
        (200, "", "later", True),
        (302, "", "later", True),
        (200, '[{"date": "2026-11-24T00:00:00.000Z", "volume": NaN}]', "later", True),
        (200, '[{"date": "2026-11-24T00:00:00.000Z", "volume": 1e400}]', "later", True),
        (200, '[{"date": "soon", "volume": 5412345}]', "later", True),
        (200, '[{"volume": 5412345}]', "later", True),
        (200, "[" * 100_000, "later", True),
    ],
    ids=lambda value: str(value)[:60],
)
def test_tiingo_maps_every_failure_to_a_kind(
    tiingo: LoopbackTiingo, status: int, body: str, kind: str, down: bool
) -> None:
    tiingo.answers["GE"] = (status, body)
    report = read()
    assert (report.kind, report.down) == (kind, down)


def test_tiingo_flags_a_split_on_or_after_the_day(tiingo: LoopbackTiingo) -> None:
    """foundations.md 1.3: the gamesmaster must look at such a figure."""
    tiingo.rows["GE"] = [row("2026-11-23", 100, split=2.0), row("2026-11-24", 5_000)]
    assert read().flag == ""
    tiingo.rows["GE"] = [row("2026-11-24", 5_000), row("2026-11-25", 100, split=30.0)]
    assert (read().volume, read().flag) == (5_000, "split")
    tiingo.rows["GE"] = [row("2026-11-24", 5_000, split=0.5)]
    assert read().flag == "split"


def test_share_class_is_read_in_tiingos_spelling(tiingo: LoopbackTiingo) -> None:
    read("BRK.B")
    assert tiingo.asked[0][0].startswith("/tiingo/daily/BRK-B/prices")


def test_tiingo_without_a_key_is_not_asked_and_not_offered(
    tiingo: LoopbackTiingo, settings: Any, db: None
) -> None:
    settings.MARKET = {**settings.MARKET, "tiingo_key": ""}
    assert (read().kind, tiingo.asked) == ("later", [])
    with pytest.raises(desk.DeskError, match="MARKET_TIINGO_KEY"):
        Campaign.open(market="yahoo", second_source="tiingo")


def test_row_is_stale_only_if_prices_and_sales_are_equal() -> None:
    day = row("2026-11-24", 700)
    assert is_stale(day, row("2026-11-23", 700))
    assert not is_stale(day, row("2026-11-23", 800))
    assert not is_stale(day, row("2026-11-23", 700, price=31.6))
    assert not is_stale(day, None)


# --- two sources ---


@pytest.fixture
def second(monkeypatch: pytest.MonkeyPatch) -> Ticker:
    source = Ticker(name="tiingo")
    monkeypatch.setattr(
        "games.market.sources.second_source_for",
        lambda game: source if game.second_source else None,
    )
    return source


@pytest.fixture
def phase(make_phase: MakePhase) -> Phase:
    phase = make_phase()
    phase.game.second_source = "tiingo"
    phase.game.save()
    return phase


def test_two_sources_with_the_same_digit_settle_on_the_first_figure(
    phase: Phase, ticker: Ticker, second: Ticker
) -> None:
    ticker.says["GE"], second.says["GE"] = Report("ok", 5_412_345), Report("ok", 5_412_399)
    observe(phase, ["GE"], FIRST)
    assert observe(phase, ["GE"], FIRST + 2 * HOUR).settled == {"GE": 5_412_345}
    figure = Figure.objects.get()
    assert "Tiingo has the same digit (5,412,399 shares)" in figure.reason
    assert sorted(reading.source for reading in figure.readings.all()) == [
        "tiingo",
        "tiingo",
        "yahoo",
        "yahoo",
    ]


def test_two_sources_that_disagree_wait_for_a_typed_figure(
    phase: Phase, ticker: Ticker, second: Ticker, ada: Person
) -> None:
    """Issue 3: the gamesmaster sees both figures."""
    ticker.says["GE"], second.says["GE"] = Report("ok", 5_412_345), Report("ok", 5_412_445)
    for hours in (0, 2, 4, 71, 73, 100):
        result = observe(phase, ["GE"], FIRST + hours * HOUR)
        assert result.settled == {}
    assert "Yahoo has 5,412,345 shares (digit 3), Tiingo 5,412,445 (digit 4)" in result.needs["GE"]
    assert len(ticker.asked) == len(second.asked) == 2
    assert not Figure.objects.exists()
    enter_figure(phase, "GE", 5_412_400, ada, FIRST + 101 * HOUR)
    assert observe(phase, ["GE"], FIRST + 101 * HOUR).settled == {"GE": 5_412_400}
    assert Reading.objects.count() == 5


def test_settled_source_waits_for_the_other_until_the_give_up_time(
    phase: Phase, ticker: Ticker, second: Ticker
) -> None:
    second.says["GE"] = Report("later", detail="No answer.")
    for hours in (0, 2, 50):
        assert observe(phase, ["GE"], FIRST + hours * HOUR).settled == {}
    assert (
        "Yahoo has settled; Tiingo has not"
        in observe(phase, ["GE"], FIRST + 50 * HOUR).reasons["GE"]
    )
    assert observe(phase, ["GE"], FIRST + 72 * HOUR).settled == {"GE": 1_000_000}
    assert "Tiingo gave no figure in time" in Figure.objects.get().reason


def test_missing_report_does_not_contradict_the_other_source(
    phase: Phase, ticker: Ticker, second: Ticker
) -> None:
    """A missing report says nothing about the sales: the other source's figure counts."""
    ticker.says["GE"] = Report("unknown", detail="Unknown.")
    observe(phase, ["GE"], FIRST)
    assert observe(phase, ["GE"], FIRST + 2 * HOUR).settled == {"GE": 1_000_000}


def test_publisher_that_has_lost_a_day_closes_no_exchange_where_the_other_has_sales(
    phase: Phase, ticker: Ticker, second: Ticker
) -> None:
    """The phase waited for a person although the other source's figure counts."""
    ticker.says = dict.fromkeys(("GE", *bank.usual(NEW_YORK)), Report("no_bar"))
    for hours in (0, 2, 50):
        result = observe(phase, ["GE"], FIRST + hours * HOUR)
        assert (result.settled, result.needs) == ({}, {})
    assert observe(phase, ["GE"], FIRST + 72 * HOUR).settled == {"GE": 1_000_000}


def test_second_source_must_be_another_publisher_of_new_york_sales(
    tiingo: LoopbackTiingo, db: None
) -> None:
    for wrong in (
        {"market": "demo"},
        {"market": "newspaper"},
        {"market": "tiingo"},
        {"market": "yahoo", "second": "bloomberg"},
    ):
        with pytest.raises(desk.DeskError, match=r"second source|“bloomberg” is not possible"):
            Campaign.open(market=wrong["market"], second_source=wrong.get("second", "tiingo"))
    assert Campaign.open(market="yahoo", second_source="tiingo").game.second_source == "tiingo"


def test_record_has_both_sources_and_verify_detects_a_contradiction(
    tiingo: LoopbackTiingo, ticker: Ticker, second: Ticker, db: None
) -> None:
    """contract.md 5: the readings of each stock with source and time."""
    campaign = Campaign.begin(market="yahoo", second_source="tiingo")
    campaign.attack_in_poland()
    second.says["GE"] = Report("ok", 1_000_050)
    campaign.pass_deadline()
    tree = export.record(campaign.game, private=True)
    assert verify.check(tree) == []
    readings = tree["phases"][1]["readings"]
    assert {reading["source"] for reading in readings} == {"yahoo", "tiingo"}
    next(reading for reading in readings if reading["source"] == "tiingo")["volume"] = 1_000_150
    assert any("by the second source" in str(difference) for difference in verify.check(tree))
    copy = archive.restore(export.record(campaign.game, private=True), campaign.ada)
    assert (
        export.record(copy, private=True)["phases"]
        == export.record(campaign.game, private=True)["phases"]
    )
    assert copy.digit_source == "stocks"
