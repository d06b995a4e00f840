"""What a phase waits for, and why: on pages, in one letter, on the desk (issue 19, item 12)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from games.letters import rendering
from games.market import Report, bank, waits
from games.models import Game, Letter, Phase
from games.rules.markets import NEW_YORK
from games.turns import figures
from tests.support.campaign import Campaign, person
from tests.support.letters import letter_text

from .conftest import FIRST, TUESDAY, MakePhase, Ticker, observe
from .test_witnesses import at, drawing

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
DIFFER = "Yahoo has reported different figures"
AGREE = "A figure counts once two readings at least 2 hours apart agree."


def differing(ticker: Ticker, **given: Any) -> Campaign:
    """Begin a game; Yahoo shows different figures 14 and 16 hours after the close."""
    campaign = drawing(**given)
    phase = campaign.phase
    for hours, volume in ((14, 5_412_700), (16, 5_413_100)):
        ticker.says["GE"] = Report("ok", volume)
        at(campaign, phase, hours)
    assert phase.status == Phase.Status.DRAWING
    return campaign


def shown(client: Any, path: str, who: str = "") -> str:
    if who:
        client.force_login(person(who))
    return " ".join(client.get(path).content.decode().split())


def pages(campaign: Campaign) -> list[str]:
    """Return the pages on which a player looks for the result."""
    game, number = campaign.game, campaign.phase.number
    receipt = campaign.phase.submissions.get(seat__nation="Germany")
    return [
        game.get_absolute_url(),
        f"/games/{game.pk}/phases/{number}/",
        f"/games/{game.pk}/orders/{campaign.seat('Germany').pk}/",
        receipt.get_absolute_url(),
    ]


# --- pages ---


def test_player_pages_say_that_readings_differ_without_figures(
    ticker: Ticker, client: Any, time_machine: Any
) -> None:
    """Stock, reason and time limit; a provisional figure would be taken for the result."""
    campaign = differing(ticker)
    time_machine.move_to(campaign.now, tick=False)
    for path in pages(campaign):
        text = shown(client, path, "gustav")
        assert (
            f'<strong class="symbols">GE</strong>: {DIFFER}. {AGREE} Next reading <time' in text
        ), path
        assert "Wednesday 18 November 2026, 15:00 UTC" in text, path
        assert "If there is no figure by" in text, path
        assert "5,412,700" not in text, path
        assert "5,413,100" not in text, path


def test_gamesmaster_sees_differing_figures_on_desk_and_page(ticker: Ticker, client: Any) -> None:
    campaign = differing(ticker)
    for path in (f"/games/{campaign.game.pk}/desk/", campaign.game.get_absolute_url()):
        text = shown(client, path, "ada")
        assert f"{DIFFER} (5,412,700 and 5,413,100). {AGREE}" in text, path
        assert "Next reading" in text, path


def test_stranger_sees_facts_published_at_the_lock(ticker: Ticker, client: Any) -> None:
    """The stocks are public from the lock on; figures only with the result."""
    text = shown(client, differing(ticker).game.get_absolute_url())
    assert DIFFER in text
    assert "5,413,100" not in text


def test_waiting_is_not_shown_while_readings_are_on_time(ticker: Ticker, client: Any) -> None:
    """Before the first reading, and while the second is not yet due."""
    campaign = drawing()
    phase = campaign.phase
    assert figures.waiting_stocks(phase, campaign.now) == []
    at(campaign, phase, 14)
    assert figures.waiting_stocks(phase, campaign.now) == []
    assert "Waiting for" not in shown(client, campaign.game.get_absolute_url())


def test_waiting_is_not_shown_for_a_resolved_phase(ticker: Ticker, client: Any) -> None:
    campaign = differing(ticker)
    phase = campaign.phase
    at(campaign, phase, 18)
    assert phase.status == Phase.Status.RESOLVED
    assert figures.waiting_stocks(phase, campaign.now) == []
    assert DIFFER not in shown(client, f"/games/{campaign.game.pk}/phases/{phase.number}/")


@pytest.mark.parametrize(
    ("report", "words", "ends"),
    [
        (Report("no_bar", detail="No entry."), "Yahoo has no entry for that day yet.", True),
        (
            Report("no_sales", detail="No sales."),
            "Yahoo has an entry for that day without sales.",
            True,
        ),
        (Report("unknown", detail="Unknown."), "Yahoo does not know this stock.", True),
        (Report("later", detail="No answer.", down=True), "Yahoo gives no answer.", False),
    ],
)
def test_waiting_names_the_missing_reading(
    make_phase: MakePhase, ticker: Ticker, report: Report, words: str, ends: bool
) -> None:
    """`until`: when there is no usable report; never, for a source that gives no answer."""
    phase = make_phase(**{"rng.source": "stocks"})
    ticker.says["GE"] = report
    observe(phase, ["GE"], FIRST)
    (wait,) = waits(phase, ["GE"], FIRST + HOUR / 60)
    assert (wait.symbol, wait.why, wait.why_with_figures) == ("GE", words, words)
    assert wait.next_look is not None
    assert wait.until == (FIRST + 72 * HOUR if ends else None)
    assert ("No answer is not a report" in wait.ends) is not ends


def test_waiting_on_a_split_names_the_gamesmaster(make_phase: MakePhase, ticker: Ticker) -> None:
    phase = make_phase(**{"rng.source": "stocks"})
    ticker.says["GE"] = Report("ok", 900, flag="split")
    observe(phase, ["GE"], FIRST)
    (wait,) = waits(phase, ["GE"], FIRST)
    assert wait.why == "Only the gamesmaster can say which figure counts."
    assert "It shows 900 shares" in wait.why_with_figures


def test_waiting_on_a_day_without_any_sales_says_so(make_phase: MakePhase, ticker: Ticker) -> None:
    """There is no figure of which only the gamesmaster could say whether it counts."""
    phase = make_phase(**{"rng.source": "stocks"})
    ticker.says = dict.fromkeys(("GE", *bank.usual(NEW_YORK)), Report("no_bar"))
    for hours in (0, 2):
        observe(phase, ["GE"], FIRST + hours * HOUR)
    (wait,) = waits(phase, ["GE"], FIRST + 2 * HOUR)
    assert wait.why == "Yahoo has no sales of any stock on 2026-11-24."
    assert "tell the operator" in wait.why_with_figures


def test_waiting_in_a_newspaper_game_names_the_gamesmaster(make_phase: MakePhase) -> None:
    phase = make_phase(market="newspaper", **{"rng.source": "stocks"})
    assert waits(phase, ["GE"], TUESDAY.closes - HOUR) == []
    (wait,) = waits(phase, ["GE"], TUESDAY.closes)
    assert wait.why == "The gamesmaster enters its sales from a newspaper."


def test_waiting_hides_a_stock_named_only_by_a_ruling(ticker: Ticker, client: Any) -> None:
    """Ruled orders are secret until the report."""
    campaign = differing(ticker)
    Phase.objects.filter(pk=campaign.phase.pk).update(stocks=[])
    Game.objects.filter(pk=campaign.game.pk).update(reserves=["KO"])
    campaign.game.refresh_from_db()
    phase = campaign.phase
    (wait,) = waits(phase, ["GE"], campaign.now)
    assert not wait.public
    monkey = pytest.MonkeyPatch()
    monkey.setattr("games.turns.figures.needed_stocks", lambda case: ["GE"])
    try:
        text = shown(client, campaign.game.get_absolute_url(), "gustav")
        assert "Waiting for a stock that a ruling names: Yahoo" in text
        assert '<strong class="symbols">GE</strong>' not in text
        assert '<strong class="symbols">GE</strong>' in shown(
            client, f"/games/{campaign.game.pk}/desk/", "ada"
        )
    finally:
        monkey.undo()


def test_waiting_names_a_reserve_stock(ticker: Ticker) -> None:
    """The list is public; it is read only once the named stocks have no report."""
    campaign = drawing(stock="ZZZZ")
    phase, first = campaign.phase, campaign.game.reserves[0]
    ticker.says["ZZZZ"] = Report("unknown", detail="Unknown.")
    for hours, volume in ((14, 1_000), (16, 2_000), (18, 3_000)):
        ticker.says[first] = Report("ok", volume)
        at(campaign, phase, hours)
    (wait,) = figures.waiting_stocks(phase, campaign.now)
    assert (wait.symbol, wait.public, wait.why) == (first, True, f"{DIFFER}.")


def test_waiting_page_asks_no_source(ticker: Ticker, client: Any) -> None:
    campaign = differing(ticker)
    asked = len(ticker.asked)
    campaign.now += 10 * HOUR
    assert figures.waiting_stocks(campaign.phase, campaign.now) != []
    shown(client, campaign.game.get_absolute_url())
    assert len(ticker.asked) == asked


def test_waiting_page_asks_no_source_where_the_exchange_may_not_have_opened(
    ticker: Ticker, client: Any
) -> None:
    """The page judges stored readings; only a step of the phase reads the reserves."""
    campaign = drawing()
    ticker.says["GE"] = Report("no_bar", detail="No entry.")
    at(campaign, campaign.phase, 14)
    asked = len(ticker.asked)
    campaign.now += 3 * HOUR
    shown(client, f"/games/{campaign.game.pk}/phases/{campaign.phase.number}/")
    assert figures.waiting_stocks(campaign.phase, campaign.now) != []
    assert len(ticker.asked) == asked


# --- letters ---


def letter_to(campaign: Campaign, name: str) -> Letter:
    (letter,) = campaign.letters("waiting", name)
    return letter


def test_late_result_is_announced_to_all_once(ticker: Ticker) -> None:
    """The second reading, announced for 16 hours after the close, differs from the first."""
    campaign = differing(ticker)
    phase = campaign.phase
    for hours, volume in ((18, 1), (20, 2), (22, 3)):
        ticker.says["GE"] = Report("ok", volume)
        at(campaign, phase, hours)
    assert len(campaign.letters("waiting")) == len(campaign.players) + 1
    text = letter_text(letter_to(campaign, "gustav"))
    assert f"- GE: {DIFFER}. {AGREE} Next reading" in text
    assert "New York" not in text, "the reader's zone alone"
    assert "5,41" not in text
    assert "/desk/" not in text
    assert "the result comes later" in rendering.render(letter_to(campaign, "gustav")).subject


def test_gamesmasters_letter_has_the_differing_figures(ticker: Ticker) -> None:
    text = letter_text(letter_to(differing(ticker), "ada"))
    assert f"{DIFFER} (5,412,700 and 5,413,100)." in text
    assert "/desk/" in text


def test_no_letter_is_sent_before_the_result_is_late(ticker: Ticker) -> None:
    """A source that fails first is read again; no result is late yet."""
    campaign = drawing()
    phase = campaign.phase
    ticker.says["GE"] = Report("later", detail="No answer.", down=True)
    for hours in (14, 14.5, 15.5):
        at(campaign, phase, hours)
    assert campaign.letters("waiting") == []
    at(campaign, phase, 16)
    assert "GE: Yahoo gives no answer. No answer is not a report" in letter_text(
        letter_to(campaign, "gustav")
    )


def test_no_letter_is_sent_if_figures_settle_on_time(ticker: Ticker) -> None:
    campaign = drawing()
    phase = campaign.phase
    for hours in (14, 16):
        at(campaign, phase, hours)
    assert phase.status == Phase.Status.RESOLVED
    assert campaign.letters("waiting") == []


def test_newspaper_game_sends_no_letter_about_waiting() -> None:
    """Its gamesmaster gets another letter (`letters.overdue`)."""
    campaign = drawing(market="newspaper")
    phase = campaign.phase
    for hours in (0, 30, 60):
        at(campaign, phase, hours)
    assert phase.status == Phase.Status.DRAWING
    assert campaign.letters("waiting") == []
