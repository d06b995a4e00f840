"""The sources that need no network: recorded figures and made-up ones."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from games.market import MarketError, Report, session_from_label, source_for
from games.market.demo import Demo, made_up_volume
from games.market.recorded import Recorded
from games.market.yahoo import Yahoo
from games.models import Game
from tests.support.loopback_yahoo import volume

from .conftest import TUESDAY

AFTER = TUESDAY.closes
HALF_PAST = session_from_label("DEMO", "2026-11-24T10:05:30Z")


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
        ("IBM", "no_bar", None),
        ("XYZ", "unknown", None),
    ],
)
def test_a_recorded_figure_is_read_and_nothing_else_is(
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
    """Promise 3 of the design holds in rehearsals too."""
    assert Recorded().read("GE", TUESDAY, AFTER - timedelta(seconds=1)).kind == "later"


@pytest.mark.parametrize("content", ["", "[]", '{"2026-11-24": 5}', None])
def test_a_file_that_cannot_be_read_is_no_answer(recorded: Path, content: str | None) -> None:
    """A slip of the operator must not use up anybody's stock."""
    if content is None:
        recorded.unlink()
    else:
        recorded.write_text(content)
    report = Recorded().read("GE", TUESDAY, AFTER)
    assert (report.kind, report.down) == ("later", True)


def test_a_made_up_figure_is_the_same_again() -> None:
    """A retry must not draw anew."""
    first = Demo().read("GE", HALF_PAST, HALF_PAST.closes)
    assert first == Demo().read("GE", HALF_PAST, HALF_PAST.closes + timedelta(hours=5))
    assert first.kind == "ok"


def test_nothing_is_made_up_before_the_close() -> None:
    """The demonstration keeps the order of things: lock, session, figure."""
    assert Demo().read("GE", HALF_PAST, HALF_PAST.closes - timedelta(seconds=1)).kind == "later"


def test_a_stock_beginning_with_zz_has_no_report() -> None:
    """For demonstrations of what a reserve list is for."""
    assert Demo().read("ZZTOP", HALF_PAST, HALF_PAST.closes).kind == "no_bar"


def test_made_up_figures_hang_on_key_exchange_session_and_stock() -> None:
    """Nobody without the key can foresee them, and no two questions share an answer."""
    base = ("key", "DEMO", "2026-11-24T10:05:30Z", "GE")
    others = [
        ("yek", *base[1:]),
        ("key", "XNYS", *base[2:]),
        (*base[:2], "2026-11-24T10:06:00Z", "GE"),
        (*base[:3], "IBM"),
    ]
    assert len({made_up_volume(*args) for args in [base, *others]}) == 5


def test_made_up_figures_look_like_sales() -> None:
    """Whole hundreds from 100,000 to 50,000,000, spread evenly by ratio."""
    volumes = [
        made_up_volume("fixed", "DEMO", "2026-11-24T10:05:30Z", f"S{n}") for n in range(2_000)
    ]
    assert all(100_000 <= volume < 50_000_000 and volume % 100 == 0 for volume in volumes)
    middle = math.sqrt(100_000 * 50_000_000)
    assert 900 < sum(volume < middle for volume in volumes) < 1_100


def test_made_up_digits_are_uniform() -> None:
    """Chi-square over 2,000 symbols: below the 0.1 % limit of nine degrees of freedom."""
    digits = Counter(
        made_up_volume("fixed", "DEMO", "2026-11-24T10:05:30Z", f"S{n}") // 100 % 10
        for n in range(2_000)
    )
    assert sum((digits[digit] - 200) ** 2 / 200 for digit in range(10)) < 27.88


@pytest.mark.parametrize("market", ["yahoo", "recorded", "demo"])
def test_every_market_has_its_source(market: str) -> None:
    """The name in the readings is the market's."""
    source = source_for(Game(market=market))
    assert source is not None
    assert source.name == market


def test_a_newspaper_is_read_by_the_gamesmaster_only() -> None:
    """No source, and no guess for a market that is none."""
    assert source_for(Game(market="newspaper")) is None
    with pytest.raises(MarketError, match="no market"):
        source_for(Game(market="tea leaves"))


@pytest.mark.parametrize(
    ("kind", "volume"), [("ok", None), ("ok", 0), ("ok", -1), ("no_sales", 0), ("later", 5)]
)
def test_a_report_cannot_carry_a_figure_that_is_none(kind: str, volume: int | None) -> None:
    """The mistake is caught where it is made, not in the digit."""
    with pytest.raises(ValueError, match="a report of kind"):
        Report(kind, volume)


def test_importing_the_market_loads_no_pandas() -> None:
    """design.md 2: heavy libraries come with the first figure or session."""
    heavy = ("pandas", "numpy", "yfinance", "exchange_calendars", "curl_cffi")
    program = (
        "import sys, django; django.setup(); import games.market; from games.models import Game; "
        "[games.market.source_for(Game(market=m)) for m in Game.Market.values]; "
        f"sys.exit(', '.join(m for m in {heavy} if m in sys.modules) or None)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=_environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr


def _environment() -> dict[str, str]:
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "gamesmaster.settings",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }


def test_the_loopback_yahoo_runs_as_a_process(tmp_path: Path, settings: Any) -> None:
    """Figures by its function, exceptions from a file that changes while it runs."""
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
