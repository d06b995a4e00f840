"""From readings to a figure (rules.md 0.1, `rng.settle`; foundations.md 1.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules.settling import PendingFigure, Policy, Settlement, compare, settle

from .conftest import FIRST, NYSE, TUESDAY

pytestmark = pytest.mark.quick

HOUR = timedelta(hours=1)
AGREED = Policy(14 * HOUR, 2 * HOUR, 72 * HOUR, timedelta(minutes=15))
LISTED = replace(AGREED, market="new_york")
FLOOR = replace(LISTED, floor=10_000, floor_median=100_000)
TELEPHONE = Policy(timedelta(minutes=20), None, 72 * HOUR, timedelta(minutes=15))
BY_NEWSPAPER = Policy(timedelta(0), None, None, timedelta(minutes=15))
DEMONSTRATION = Policy(timedelta(0), None, timedelta(0), timedelta(seconds=5))


@dataclass(frozen=True)
class Look:
    """A reading `hours` after the first due one: a figure, or the kind of answer without one."""

    hours: float
    answer: int | str
    source: str = "yahoo"
    flag: str = ""
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        return self.answer if isinstance(self.answer, str) else "ok"

    @property
    def volume(self) -> int | None:
        return self.answer if isinstance(self.answer, int) else None

    @property
    def read_at(self) -> datetime:
        return FIRST + self.hours * HOUR


def verdict(*looks: Look, policy: Policy = AGREED) -> Settlement | PendingFigure:
    return settle(looks, TUESDAY, policy)


def figure(*looks: Look, policy: Policy = AGREED) -> int | None:
    result = verdict(*looks, policy=policy)
    assert isinstance(result, Settlement), result
    return result.volume


def next_look(*looks: Look, policy: Policy = AGREED) -> float:
    """Return the next look in hours after the first due reading."""
    result = verdict(*looks, policy=policy)
    assert isinstance(result, PendingFigure), result
    return (result.next_look - FIRST) / HOUR


def test_the_first_reading_is_due_fourteen_hours_after_the_close() -> None:
    """foundations.md 1.3: four hours after the close is too early, the next day is fine."""
    assert next_look() == 0
    assert next_look(policy=TELEPHONE) == -14 + 1 / 3


def test_equal_readings_two_hours_apart_settle_the_figure() -> None:
    """rng.settle = agreed_readings."""
    result = verdict(Look(0, 5_412_345), Look(2, 5_412_345))
    assert isinstance(result, Settlement)
    assert result.volume == 5_412_345
    assert result.readings == (Look(0, 5_412_345), Look(2, 5_412_345))
    assert (
        result.reason == "two readings agree, at 2026-11-25 11:00 UTC and at 2026-11-25 13:00 UTC"
    )


def test_equal_readings_too_close_together_do_not_settle() -> None:
    """They might be one cached answer; the time of the second look does not change."""
    assert next_look(Look(0, 5), Look(1.99, 5)) == 2


def test_changed_figure_restarts_the_count() -> None:
    """The count starts at the newest figure, even if an earlier one comes back."""
    assert next_look(Look(0, 5), Look(2, 6)) == 4
    assert next_look(Look(0, 5), Look(1, 6), Look(2, 5)) == 4
    assert figure(Look(0, 5), Look(2, 6), Look(4, 6)) == 6


def test_readings_before_the_first_due_one_do_not_count() -> None:
    """foundations.md 1.3: PFE showed 27,955,647 in the evening, and settled at 38,355,200."""
    assert next_look(Look(-10, 5), Look(-1, 5)) == 0
    assert next_look(Look(-10, 5), Look(0, 5)) == 2


def test_settle_orders_readings_by_time() -> None:
    assert figure(Look(4, 6), Look(0, 5), Look(2, 6)) == 6


def test_a_later_correction_changes_nothing() -> None:
    """rules.md 0.1: the figure is frozen, and later looks give the same one."""
    assert figure(Look(0, 5), Look(2, 5), Look(4, 7), Look(6, 7)) == 5


@pytest.mark.parametrize("kind", ["no_bar", "no_sales", "unknown", "later"])
def test_reading_without_a_figure_is_repeated_after_the_retry_time(kind: str) -> None:
    """One answer without a figure decides nothing."""
    assert next_look(Look(0, kind)) == 0.25


@pytest.mark.parametrize("kind", ["no_bar", "no_sales", "later"])
def test_answer_without_a_figure_does_not_restart_the_count(kind: str) -> None:
    """Only figures count, for and against."""
    assert figure(Look(0, 5), Look(2, kind), Look(2.25, 5)) == 5
    assert next_look(Look(0, 5), Look(2, kind)) == 2.25
    assert next_look(Look(0, 5), Look(0.5, kind)) == 2


@pytest.mark.parametrize("bad", [0, -100])
def test_zero_or_negative_figure_is_no_figure(bad: int) -> None:
    """foundations.md, second of the ten: a missing report must not become the digit 0."""
    assert next_look(Look(0, bad), Look(2, bad)) == 2.25
    assert figure(Look(0, bad), Look(72, bad)) is None


@pytest.mark.parametrize(
    ("kind", "words"), [("no_bar", "no entry for that day"), ("no_sales", "no sales")]
)
def test_a_stock_without_a_figure_is_given_up_after_72_hours(kind: str, words: str) -> None:
    """foundations.md 1.3: not earlier, and never as the digit 0."""
    quarter_hours = [Look(n / 4, kind) for n in range(72 * 4)]
    assert next_look(*quarter_hours) == 72
    result = verdict(*quarter_hours, Look(72, kind))
    assert isinstance(result, Settlement)
    assert result.volume is None
    assert words in result.reason
    assert "72 hours" in result.reason
    assert len(result.reason) <= 200


def test_a_figure_that_keeps_changing_is_given_up_after_72_hours() -> None:
    """foundations.md 1.3: after 72 hours without agreement, stop."""
    looks = [Look(2 * n, 100 + n) for n in range(36)]
    assert next_look(*looks) == 72
    result = verdict(*looks, Look(72, 999))
    assert isinstance(result, Settlement)
    assert result.volume is None
    assert "agreed" in result.reason


def test_no_answer_is_never_given_up() -> None:
    """No answer says nothing about the stock: the phase waits, and a person is notified."""
    assert next_look(*[Look(n, "later") for n in range(200)]) == 199.25


def test_stock_gets_two_readings_after_an_outage() -> None:
    """Readings that could not be taken in time because of our outage are taken as usual."""
    assert next_look() == 0
    assert next_look(Look(96, 5)) == 98
    assert figure(Look(96, 5), Look(98, 5)) == 5
    assert figure(Look(96, 5), Look(98, 6)) is None
    assert next_look(Look(96, "no_bar")) == 96.25
    assert figure(Look(96, "no_bar"), Look(98, "no_bar")) is None


def test_symbol_unknown_twice_two_hours_apart_has_no_figure() -> None:
    """A 404 can be a passing fault, but not for two hours."""
    assert next_look(Look(0, "unknown"), Look(1, "unknown")) == 1.25
    result = verdict(Look(0, "unknown"), Look(1, "later"), Look(2, "unknown"))
    assert isinstance(result, Settlement)
    assert result.volume is None
    assert "does not know the symbol" in result.reason


def test_other_answer_between_two_404s_cancels_the_first() -> None:
    """One of the two 404s was a fault, so reading goes on."""
    assert next_look(Look(0, "unknown"), Look(1, "no_bar"), Look(2, "unknown")) == 2.25
    assert figure(Look(0, "unknown"), Look(1, 5), Look(3, 5)) == 5


def test_first_reading_policy_takes_the_first_figure() -> None:
    """rng.settle = first_reading: twenty minutes after the close, marked provisional."""
    close = -14.0
    assert next_look(Look(close + 0.3, 5), policy=TELEPHONE) == pytest.approx(close + 1 / 3)
    result = verdict(Look(close + 0.5, 5), Look(close + 1, 6), policy=TELEPHONE)
    assert isinstance(result, Settlement)
    assert result.volume == 5
    assert "provisional" in result.reason


def test_first_reading_policy_decides_an_unknown_symbol_within_an_hour() -> None:
    """A single fault of the source must not decide there either."""
    looks = [Look(-13 + n / 4, "unknown") for n in range(4)]
    assert next_look(*looks, policy=TELEPHONE) == -12
    assert figure(*looks, Look(-12, "unknown"), policy=TELEPHONE) is None


@pytest.mark.parametrize("policy", [AGREED, TELEPHONE, BY_NEWSPAPER, DEMONSTRATION])
def test_a_typed_figure_settles_at_once_under_any_policy(policy: Policy) -> None:
    """design.md 6: the gamesmaster's figure is one more row with their name, and needs no other."""
    result = verdict(Look(-13.9, 4_000, "newspaper"), policy=policy)
    assert isinstance(result, Settlement)
    assert (result.volume, "typed in by the gamesmaster" in result.reason) == (4_000, True)


def test_typed_figure_does_not_change_a_settled_one() -> None:
    """A digit is never drawn twice."""
    assert figure(Look(0, 5), Look(2, 5), Look(2.1, 9, "newspaper")) == 5
    assert figure(Look(0, 5), Look(1.9, 9, "newspaper"), Look(2, 5)) == 9


def test_gamesmaster_can_enter_no_report() -> None:
    """Otherwise a newspaper game would wait forever for a stock that the paper does not print."""
    assert figure(Look(-13.9, "no_bar", "newspaper"), policy=BY_NEWSPAPER) is None


def test_newspaper_policy_never_gives_up() -> None:
    """It waits for the gamesmaster."""
    assert next_look(policy=BY_NEWSPAPER) == -14


def test_demo_policy_settles_at_the_close() -> None:
    """The first reading counts, even if it has no figure."""
    assert figure(Look(-14, 500), policy=DEMONSTRATION) == 500
    assert figure(Look(-14, "no_bar"), policy=DEMONSTRATION) is None


# --- stocks that count (rules.md 0.1, `rng.market`) ---

MUMBAI = {"code": "NSI", "zone": "Asia/Kolkata", "instrument": "EQUITY", "median": 2_000_000}
ELSEWHERE: dict[str, Mapping[str, Any]] = {
    "Mumbai": MUMBAI,
    "Sydney": {**NYSE, "code": "ASX", "zone": "Australia/Sydney"},
    "over the counter": {**NYSE, "code": "PNK"},
    "New York's code in another zone": {**NYSE, "zone": "Asia/Kolkata"},
    "another code in New York's zone": {**NYSE, "code": "TOR"},
    "a coin": {"code": "CCC", "zone": "UTC", "instrument": "CRYPTOCURRENCY"},
    "an index": {**NYSE, "instrument": "INDEX"},
    "a fund without sales": {**NYSE, "instrument": "MUTUALFUND"},
    "no code": {**NYSE, "code": ""},
    "nothing": {},
}


@pytest.mark.parametrize("where", ELSEWHERE)
@pytest.mark.parametrize(
    "policy", [LISTED, replace(TELEPHONE, market="new_york")], ids=["agreed", "telephone"]
)
def test_figure_from_another_market_never_counts(where: str, policy: Policy) -> None:
    """`rng.market`: its sales may be known while orders are open. Two readings mean "no report"."""
    facts = dict(ELSEWHERE[where])
    assert isinstance(verdict(Look(0, 5_412_345, facts=facts), policy=policy), PendingFigure)
    assert isinstance(
        verdict(Look(0, 5_412_345, facts=facts), Look(0.5, 5_412_345, facts=facts), policy=policy),
        PendingFigure,
    )
    result = verdict(
        Look(0, 5_412_345, facts=facts), Look(2, 5_412_399, facts=facts), policy=policy
    )
    assert isinstance(result, Settlement)
    assert (result.volume, result.barred) == (None, True)
    assert "not a share or fund of the game's market" in result.reason


@pytest.mark.parametrize("code", ["NYQ", "NMS", "NGM", "NCM", "ASE", "PCX", "BTS"])
@pytest.mark.parametrize("instrument", ["EQUITY", "ETF"])
def test_every_exchange_of_new_york_counts(code: str, instrument: str) -> None:
    facts = {**NYSE, "code": code, "instrument": instrument}
    assert (
        figure(Look(0, 5_412_345, facts=facts), Look(2, 5_412_345, facts=facts), policy=FLOOR)
        == 5_412_345
    )


def test_readings_count_only_in_games_of_their_market() -> None:
    """All games share readings; each game's policy decides which of them count."""
    facts = {"code": "LSE", "zone": "Europe/London", "instrument": "EQUITY", "median": 1_000_000}
    looks = (Look(0, 5_412_345, facts=facts), Look(2, 5_412_345, facts=facts))
    assert figure(*looks, policy=replace(AGREED, market="london")) == 5_412_345
    assert figure(*looks, policy=LISTED) is None


@pytest.mark.parametrize("kind", ["no_bar", "no_sales"])
def test_symbol_of_another_market_is_skipped_without_a_figure(kind: str) -> None:
    """If nothing is known about a symbol, the give-up time decides."""
    assert figure(Look(0, kind, facts=MUMBAI), Look(2, kind, facts=MUMBAI), policy=LISTED) is None
    assert next_look(Look(0, kind, facts=NYSE), Look(2, kind, facts=NYSE), policy=LISTED) == 2.25
    assert next_look(Look(0, kind), Look(2, kind), policy=LISTED) == 2.25


def test_wrong_listing_in_one_answer_does_not_restart_the_count() -> None:
    """A fault in the publisher's metadata neither counts nor restarts the count."""
    wrong = Look(1, 7, facts=MUMBAI)
    assert (
        figure(Look(0, 5_412_345, facts=NYSE), wrong, Look(2, 5_412_345, facts=NYSE), policy=FLOOR)
        == 5_412_345
    )
    assert (
        next_look(
            Look(0, 7, facts=MUMBAI),
            Look(1, 5_412_345, facts=NYSE),
            Look(2, 7, facts=MUMBAI),
            policy=LISTED,
        )
        == 3
    )


def test_split_of_a_stock_of_another_market_is_skipped() -> None:
    looks = [Look(hours, 900, flag="split", facts=MUMBAI) for hours in (0, 2)]
    assert figure(*looks, policy=LISTED) is None


@pytest.mark.parametrize("facts", [MUMBAI, {}])
def test_policy_without_a_market_ignores_facts(facts: dict[str, Any]) -> None:
    """Existing records verify and existing phases settle as before."""
    assert figure(Look(0, 37, facts=facts), Look(2, 37, facts=facts), policy=AGREED) == 37
    assert figure(Look(0, "unknown"), Look(2, "unknown"), policy=AGREED) is None


# --- the floor (rules.md 0.1, `rng.floor`) ---


@pytest.mark.parametrize(
    ("sold", "median", "counts", "message"),
    [
        (37, 5_000_000, False, "37 shares, fewer than 10,000"),
        (9_999, 5_000_000, False, "9,999 shares, fewer than 10,000"),
        (10_000, 100_000, True, "two readings agree"),
        (5_412_345, 99_999, False, "a median of 99,999 shares over 20 sessions, below 100,000"),
        (5_412_345, None, False, "a median of 0 shares over 20 sessions, below 100,000"),
    ],
)
def test_stock_below_the_floor_has_no_usable_report(
    sold: int, median: int | None, counts: bool, message: str
) -> None:
    """A person who buys a hundred shares of a thin stock would choose its digit."""
    facts = (
        {**NYSE, "median": median}
        if median is not None
        else {key: NYSE[key] for key in ("code", "zone", "instrument")}
    )
    result = verdict(Look(0, sold, facts=facts), Look(2, sold, facts=facts), policy=FLOOR)
    assert isinstance(result, Settlement)
    assert (result.volume, result.barred) == (sold if counts else None, not counts)
    assert message in result.reason
    assert len(result.reason) <= 200


def test_median_of_the_last_reading_counts() -> None:
    thin = {**NYSE, "median": 1}
    assert (
        figure(Look(0, 5_412_345, facts=thin), Look(2, 5_412_345, facts=NYSE), policy=FLOOR)
        == 5_412_345
    )
    assert (
        figure(Look(0, 5_412_345, facts=NYSE), Look(2, 5_412_345, facts=thin), policy=FLOOR) is None
    )


def test_first_reading_policy_applies_the_floor() -> None:
    policy = replace(TELEPHONE, market="new_york", floor=10_000)
    assert figure(Look(-13, 37, facts=NYSE), policy=policy) is None


def test_typed_figure_below_the_floor_does_not_count() -> None:
    """The desk refuses it; a record with one must not verify. Medians are not in a newspaper."""
    assert figure(Look(0, 9_999, "newspaper"), policy=FLOOR) is None
    assert figure(Look(0, 10_000, "newspaper"), policy=FLOOR) == 10_000


@pytest.mark.parametrize("over", [False, True])
def test_stock_barred_at_one_source_is_barred(over: bool) -> None:
    """A missing report contradicts nothing, but a barred stock must not count at all."""
    good = settle([Look(0, 5_412_345, facts=NYSE), Look(2, 5_412_345, facts=NYSE)], TUESDAY, FLOOR)
    barred = settle([Look(0, 37, facts=NYSE), Look(2, 37, facts=NYSE)], TUESDAY, FLOOR)
    waiting = settle([], TUESDAY, FLOOR)
    for pair in ((good, barred), (barred, good), (barred, waiting), (waiting, barred)):
        assert compare(*pair, ("Yahoo", "Tiingo"), over=over) == barred
    unknown = settle(
        [Look(hours, "unknown", facts={"probe": "KO"}) for hours in (0, 2)], TUESDAY, FLOOR
    )
    assert compare(unknown, good, ("Yahoo", "Tiingo"), over=over) == good


# --- a source that knows no symbol at all ---


def test_two_404s_without_a_probe_settle_nothing_before_the_give_up_time() -> None:
    """A source that answers 404 for everything says nothing about the stock."""
    looks = [Look(n / 4, "unknown") for n in range(72 * 4)]
    assert next_look(*looks, policy=LISTED) == 72
    assert figure(*looks, Look(72, "unknown"), policy=LISTED) is None
    assert (
        figure(
            *looks[:40],
            Look(12, 5_412_345, facts=NYSE),
            Look(14, 5_412_345, facts=NYSE),
            policy=FLOOR,
        )
        == 5_412_345
    )


def test_two_404s_settle_if_a_leading_stock_was_known_both_times() -> None:
    probe = {"probe": "KO"}
    result = verdict(
        Look(0, "unknown", facts=probe),
        Look(1, "later"),
        Look(2, "unknown", facts=probe),
        policy=LISTED,
    )
    assert isinstance(result, Settlement)
    assert (result.volume, result.barred) == (None, False)


@pytest.mark.parametrize("without", [0, 1])
def test_404_without_a_probe_does_not_count(without: int) -> None:
    probe = {"probe": "KO"}
    facts = [probe, probe]
    facts[without] = {}
    assert isinstance(
        verdict(
            Look(0, "unknown", facts=facts[0]), Look(2, "unknown", facts=facts[1]), policy=LISTED
        ),
        PendingFigure,
    )
    outage = [Look(0, "unknown", facts=probe), Look(1, "unknown"), Look(2, "unknown", facts=probe)]
    assert isinstance(verdict(*outage, policy=LISTED), PendingFigure), "the source failed between"
    assert figure(*outage, Look(4, "unknown", facts=probe), policy=LISTED) is None


MUMBAI = {"code": "NSI", "zone": "Asia/Kolkata", "instrument": "EQUITY"}


@pytest.mark.parametrize(
    ("listed", "waits"),
    [(NYSE, True), (MUMBAI, False), ({}, False), (None, False), ("NYQ", False)],
    ids=["on the market", "elsewhere", "nowhere", "not looked up", "forged"],
)
def test_404s_of_a_stock_found_before_the_session_settle_nothing_before_the_give_up_time(
    listed: Any, waits: bool
) -> None:
    """The source has lost the stock, whatever it says about a leading one at that moment."""
    facts = {"probe": "KO"} | ({} if listed is None else {"listed": listed})
    looks = [Look(hours, "unknown", facts=facts) for hours in (0, 2, 30)]
    back = Look(34, 5_412_345, facts=NYSE), Look(36, 5_412_345, facts=NYSE)
    assert figure(*looks, *back, policy=FLOOR) == (5_412_345 if waits else None)
    never_back = verdict(*looks, Look(72, "unknown", facts=facts), policy=FLOOR)
    assert isinstance(never_back, Settlement)
    assert never_back.volume is None
    assert ("72 hours after the first reading time" in never_back.reason) is waits


def test_one_404_of_a_stock_found_before_restarts_the_count() -> None:
    probe = {"probe": "KO"}
    listed = probe | {"listed": NYSE}
    looks = [Look(hours, "unknown", facts=facts) for hours, facts in ((0, probe), (2, listed))]
    assert isinstance(verdict(*looks, policy=LISTED), PendingFigure)


figures = st.one_of(
    st.sampled_from([-5, 0, 5_412_345, 5_412_400]),
    st.sampled_from(["no_bar", "no_sales", "unknown", "later"]),
)
histories = st.lists(
    st.builds(Look, st.integers(-56, 400).map(lambda quarters: quarters / 4), figures), max_size=30
)


@settings(deadline=None)
@given(histories, st.sampled_from([AGREED, TELEPHONE, DEMONSTRATION, BY_NEWSPAPER]))
def test_any_readings_settle_only_on_a_figure_read(looks: list[Look], policy: Policy) -> None:
    """Never zero or less, never without a due reading, with a sentence that fits its column."""
    result = settle(looks, TUESDAY, policy)
    if isinstance(result, Settlement):
        assert result.readings
        assert 0 < len(result.reason) <= 200
        assert all(
            look.read_at >= TUESDAY.closes + policy.first_after_close for look in result.readings
        )
        if result.volume is not None:
            assert result.volume > 0
            assert {look.volume for look in result.readings} == {result.volume}
    else:
        assert result.reason
        assert all(
            look.read_at <= result.next_look
            for look in looks
            if look.read_at >= TUESDAY.closes + policy.first_after_close
        )


@settings(deadline=None)
@given(histories)
def test_any_readings_settle_only_on_two_agreeing_readings_apart(looks: list[Look]) -> None:
    """rng.settle = agreed_readings: `agree_after` apart, no other figure between them."""
    result = settle(looks, TUESDAY, AGREED)
    if isinstance(result, Settlement) and result.volume is not None:
        first, second = (look.read_at for look in result.readings)
        assert second - first >= 2 * HOUR
        between = [
            look.volume
            for look in looks
            if first < look.read_at < second and look.volume is not None and look.volume > 0
        ]
        assert set(between) <= {result.volume}
    elif isinstance(result, Settlement):
        last = max(look.read_at for look in result.readings)
        unknown_twice = (
            all(isinstance(look, Look) and look.kind == "unknown" for look in result.readings)
            and len(result.readings) == 2
        )
        assert last >= FIRST + 72 * HOUR or unknown_twice


@settings(deadline=None)
@given(
    histories,
    st.lists(st.builds(Look, st.integers(400, 600), figures), max_size=5),
    st.sampled_from([AGREED, TELEPHONE]),
)
def test_later_readings_do_not_change_a_settled_figure(
    looks: list[Look], more: list[Look], policy: Policy
) -> None:
    """rules.md 0.1: a settled figure is frozen."""
    result = settle(looks, TUESDAY, policy)
    if isinstance(result, Settlement):
        assert settle([*more, *looks], TUESDAY, policy) == result


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["no_bar", "no_sales", "unknown", 5, 6]), min_size=100, max_size=100),
    st.sampled_from([AGREED, TELEPHONE]),
)
def test_any_answers_settle_soon_after_the_give_up_time(
    answers: list[int | str], policy: Policy
) -> None:
    """Read whenever due, any answers settle the figure soon after the give-up time."""
    policy = replace(policy, retry=HOUR)  # fewer answers
    looks: list[Look] = []
    for answer in answers:
        result = settle(looks, TUESDAY, policy)
        if isinstance(result, Settlement):
            return
        hours = (result.next_look - FIRST) / HOUR
        assert not looks or hours > looks[-1].hours
        assert hours <= 72 + 4
        looks.append(Look(hours, answer))
    pytest.fail(f"still waiting after {len(looks)} answers")
