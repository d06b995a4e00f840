"""Sources without a network: recorded figures and demo figures."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from games.market import MarketError, Report, source_for
from games.market.demo import Demo, made_up_volume
from games.market.recorded import Recorded
from games.market.yahoo import Yahoo
from games.models import Game
from games.rules.sessions import demo_session_after
from tests.support.loopback_yahoo import volume

from .conftest import TUESDAY

AFTER = TUESDAY.closes
HALF_PAST = demo_session_after(datetime(2026, 11, 24, 10, 5, 29, tzinfo=UTC))


@pytest.fixture
def recorded(settings: Any, tmp_path: Path) -> Path:
    path = tmp_path / "figures.json"
    settings.MARKET = {**settings.MARKET, "recorded_file": str(path)}
    day = {
        "GE": 5_412_345,
        "ZERO": 0,
        "NONE": None,
        "TEXT": "5,412",
        "HALF": 1.5,
        "TRUE": True,
        "HUGE": 10**18,
        "DEBT": -100,
    }
    path.write_text(json.dumps({"2026-11-24": day, "2026-11-25": {"IBM": 100}}))
    return path


@pytest.mark.parametrize(
    ("symbol", "kind", "volume"),
    [
        ("GE", "ok", 5_412_345),
        ("ZERO", "no_sales", None),
        ("NONE", "no_sales", None),
        ("DEBT", "no_sales", None),
        ("TEXT", "later", None),
        ("HALF", "later", None),
        ("TRUE", "later", None),
        ("HUGE", "later", None),
        ("IBM", "no_bar", None),
        ("XYZ", "unknown", None),
    ],
)
def test_recorded_figure_is_read(
    recorded: Path, symbol: str, kind: str, volume: int | None
) -> None:
    """foundations.md, second of the ten: missing and zero are no report, in a file as at Yahoo."""
    report = Recorded().read(symbol, TUESDAY, AFTER)
    assert (report.kind, report.volume) == (kind, volume)
    assert report.kind == "ok" or report.detail


def test_a_day_that_was_not_recorded_has_no_entries(recorded: Path) -> None:
    """A day missing in the file says nothing about the symbol."""
    assert (
        Recorded().read("XYZ", replace(TUESDAY, label="2026-11-30"), AFTER + timedelta(days=9)).kind
        == "no_bar"
    )


def test_recorded_figures_cannot_be_read_before_the_close(recorded: Path) -> None:
    """Promise 3 holds in rehearsals, too."""
    assert Recorded().read("GE", TUESDAY, AFTER - timedelta(seconds=1)).kind == "later"


@pytest.mark.parametrize(
    "content",
    [
        *("", "[]", '{"2026-11-24": 5}', None),
        *('{"2026-11-24": {"GE": NaN}}', '{"2026-11-24": {"GE": 1, "GE": 2}}'),
    ],
)
def test_unreadable_recorded_file_is_no_answer(recorded: Path, content: str | None) -> None:
    """A mistake of the operator must not use up a player's stock."""
    if content is None:
        recorded.unlink()
    else:
        recorded.write_text(content)
    report = Recorded().read("GE", TUESDAY, AFTER)
    assert (report.kind, report.down) == ("later", True)


def test_demo_figure_is_reproducible() -> None:
    """A retry must not draw again."""
    first = Demo().read("GE", HALF_PAST, HALF_PAST.closes)
    assert first == Demo().read("GE", HALF_PAST, HALF_PAST.closes + timedelta(hours=5))
    assert first.kind == "ok"


def test_demo_figure_is_not_read_before_the_close() -> None:
    """A demo game has the same order of events: lock, session, figure."""
    assert Demo().read("GE", HALF_PAST, HALF_PAST.closes - timedelta(seconds=1)).kind == "later"


def test_demo_stock_beginning_with_zz_has_no_report() -> None:
    """So that a demo game can show the use of a reserve list."""
    assert Demo().read("ZZTOP", HALF_PAST, HALF_PAST.closes).kind == "no_bar"


def test_demo_figure_depends_on_key_exchange_session_and_stock() -> None:
    """Without the key nobody can foresee them, and no two questions share an answer."""
    base = ("key", "DEMO", "2026-11-24T10:05:30Z", "GE")
    others = [
        ("yek", *base[1:]),
        ("key", "XNYS", *base[2:]),
        (*base[:2], "2026-11-24T10:06:00Z", "GE"),
        (*base[:3], "IBM"),
    ]
    assert len({made_up_volume(*args) for args in [base, *others]}) == 5


def test_demo_figures_look_like_sales() -> None:
    """Whole hundreds from 100,000 to 50,000,000, spread evenly by ratio."""
    volumes = [
        made_up_volume("fixed", "DEMO", "2026-11-24T10:05:30Z", f"S{n}") for n in range(2_000)
    ]
    assert all(100_000 <= volume < 50_000_000 and volume % 100 == 0 for volume in volumes)
    middle = math.sqrt(100_000 * 50_000_000)
    assert 900 < sum(volume < middle for volume in volumes) < 1_100


def test_demo_digits_are_uniform() -> None:
    """Chi-square over 2,000 symbols: below the 0.1 % limit for nine degrees of freedom."""
    digits = Counter(
        made_up_volume("fixed", "DEMO", "2026-11-24T10:05:30Z", f"S{n}") // 100 % 10
        for n in range(2_000)
    )
    assert sum((digits[digit] - 200) ** 2 / 200 for digit in range(10)) < 27.88


@pytest.mark.parametrize("market", ["yahoo", "recorded", "demo"])
def test_every_market_has_its_source(market: str) -> None:
    """The source's name in readings is the market's."""
    source = source_for(Game(market=market))
    assert source is not None
    assert source.name == market


def test_newspaper_has_no_source() -> None:
    """No source for newspapers, and an error for an unknown market."""
    assert source_for(Game(market="newspaper")) is None
    with pytest.raises(MarketError, match="not a market"):
        source_for(Game(market="tea leaves"))


@pytest.mark.parametrize(
    ("kind", "volume"), [("ok", None), ("ok", 0), ("ok", -1), ("no_sales", 0), ("later", 5)]
)
def test_report_refuses_a_figure_that_does_not_fit_its_kind(kind: str, volume: int | None) -> None:
    """The mistake is caught where it is made, not in the digit."""
    with pytest.raises(ValueError, match="a report of kind"):
        Report(kind, volume)


def test_importing_the_market_loads_no_pandas() -> None:
    """design.md 2: heavy libraries are loaded with the first figure or session."""
    heavy = ("pandas", "numpy", "yfinance", "exchange_calendars")
    program = (
        "import sys, django; django.setup(); import games.market; from games.models import Game; "
        "[games.market.source_for(Game(market=m)) for m in Game.Market.values]; "
        f"sys.exit(', '.join(m for m in {heavy} if m in sys.modules) or None)"
    )
    completed = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=_environment(),
        check=False,
    )
    assert completed.returncode == 0, completed.stderr


def _environment() -> dict[str, str]:
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "gamesmaster.settings",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }


def test_the_loopback_yahoo_runs_as_a_process(tmp_path: Path, settings: Any) -> None:
    """Figures from its function, exceptions from a file that changes while it runs."""
    exceptions = tmp_path / "exceptions.json"
    exceptions.write_text('{"2026-11-24": {"GE": 700}}')
    command = [sys.executable, "-m", "tests.support.loopback_yahoo", "--volumes", str(exceptions)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=_environment()
    ) as process:
        try:
            assert process.stdout is not None
            settings.MARKET = {
                **settings.MARKET,
                "yahoo_base_url": process.stdout.readline().strip(),
            }

            def read(symbol: str, now: datetime = AFTER) -> int | None:
                return Yahoo().read(symbol, TUESDAY, now).volume

            assert read("GE") == 700
            assert read("IBM") == volume("IBM", date(2026, 11, 24))
            exceptions.write_text('{"2026-11-24": {"IBM": "404"}}')
            assert read("GE") == volume("GE", date(2026, 11, 24))
            assert read("IBM") is None
        finally:
            process.terminate()
