"""The uniformity test accepts fair digits and rejects those of thin stocks (foundations.md 1-2)."""

from __future__ import annotations

import io
import json
import random
from itertools import pairwise

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from games.evidence import export
from games.market.drawn import DEMO_SALES, digits_by_source
from games.models import Draw, Game
from games.records import archive, uniformity
from games.rules.digits import digit_of_shares
from tests.support.campaign import Campaign

SEEDS = range(200)


def fair(seed: int, number: int = 500) -> list[int]:
    """Return digits of a busy stock: some millions of shares a day."""
    dice = random.Random(seed)
    return [digit_of_shares(round(dice.lognormvariate(15.5, 0.4))) for _ in range(number)]


def thin(seed: int, number: int = 500) -> list[int]:
    """Return digits of stocks below 10,000 shares a day, where 0 comes up 32.7 % of the time."""
    dice = random.Random(seed)
    return dice.choices(range(10), weights=[32.7] + [67.3 / 9] * 9, k=number)


def test_a_fair_stream_is_accepted() -> None:
    """At the 1 % level, two of two hundred honest streams are suspected; seven would be a fault."""
    findings = [uniformity.examine(fair(seed)) for seed in SEEDS]
    assert sum(not finding.honest for finding in findings) < 7
    assert 0.4 < sum(finding.p for finding in findings) / len(findings) < 0.6
    assert "so these digits look fair" in uniformity.examine(fair(1)).words


@pytest.mark.parametrize("number", [250, 500, 3634])
def test_digits_of_thin_stocks_are_rejected(number: int) -> None:
    """foundations.md 1: below 10,000 shares a day the digit 0 comes up 32.7 % of the time."""
    findings = [uniformity.examine(thin(seed, number)) for seed in SEEDS]
    assert all(finding.enough and not finding.honest for finding in findings)
    assert "so these digits do not look fair" in findings[0].words


def test_missing_reports_read_as_zero_are_detected() -> None:
    """foundations.md, second of the ten: one missing report in five read as the digit 0."""
    dice = random.Random(7)
    digits = [0 if dice.random() < 0.2 else digit for digit in fair(7, 300)]
    assert not uniformity.examine(digits).honest


@pytest.mark.parametrize("number", [0, 1, 10, 49])
def test_few_digits_are_not_judged(number: int) -> None:
    """With an expected count below 5, no digits are suspected."""
    finding = uniformity.examine([0] * number)
    assert not finding.enough
    assert finding.honest
    assert ("Too few digits" if number else "No digit") in finding.words
    assert uniformity.examine([0] * 50).enough


@pytest.mark.parametrize(
    ("value", "freedom", "p"),
    [
        # Printed tables of the chi-square distribution (Abramowitz and Stegun, table 26.8).
        (2.08790, 9, 0.99),
        (3.32511, 9, 0.95),
        (8.34283, 9, 0.5),
        (14.6837, 9, 0.10),
        (16.9190, 9, 0.05),
        (21.6660, 9, 0.01),
        (27.8772, 9, 0.001),
        (3.84146, 1, 0.05),
        (5.99147, 2, 0.05),
        (18.3070, 10, 0.05),
        (124.342, 100, 0.05),
    ],
)
def test_p_matches_printed_tables(value: float, freedom: int, p: float) -> None:
    assert uniformity.upper_tail(value, freedom) == pytest.approx(p, rel=2e-5)


def test_upper_tail_falls_steadily_from_1_to_0() -> None:
    """The tail falls from 1 to 0 without a step where series and fraction meet."""
    tails = [uniformity.upper_tail(value / 10, 9) for value in range(0, 2000)]
    assert tails[0] == 1
    assert all(0 <= after < before <= 1 for before, after in pairwise(tails))
    assert uniformity.upper_tail(20_000, 9) == 0
    # With two degrees of freedom the tail has a closed form.
    assert all(
        uniformity.upper_tail(2 * x, 2) == pytest.approx(2.718281828459045**-x, rel=1e-12)
        for x in (0.01, 0.5, 1, 1.99, 2.01, 5, 30)
    )


@pytest.mark.parametrize(("a", "x"), [(0, 1), (-1, 1), (1, -0.1)])
def test_gamma_outside_its_domain_is_refused(a: float, x: float) -> None:
    with pytest.raises(ValueError, match="is asked for"):
        uniformity.incomplete_gamma(a, x)


# --- the command ---


def said(*arguments: str) -> str:
    out = io.StringIO()
    call_command("honesty", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.django_db
def test_honesty_command_counts_and_charts_digits() -> None:
    campaign = Campaign.begin()
    assert said() == "No digit has been drawn yet.\n"
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("Russia", "PLACE 3 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: Russia STOCK GE")
    campaign.pass_deadline()
    digit = Draw.objects.get().digit
    for output in (said(), said(str(campaign.game.pk))):
        assert output.startswith("DEMO exchange, made up: 1 digit, 0.1 of each expected\n")
        assert f"\n{digit}       1  {'#' * 40}\n" in output
        assert "chi-square 9.00 with 9 degrees of freedom, p = 0.4373" in output
        assert "Too few digits to tell" in output
    with pytest.raises(CommandError, match="There is no game 999"):
        said("999")


@pytest.mark.django_db
def test_figure_of_two_attacks_counts_as_one_digit() -> None:
    """Two nations may name one stock (rules.md 0.1), but it has only one digit."""
    campaign = Campaign.begin()
    for nation in ("Germany", "Russia"):
        campaign.order(nation, "PLACE 7 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: Russia STOCK GE")
    campaign.order("Russia", "ATTACK Poland: Germany STOCK GE")
    campaign.pass_deadline()
    second = Draw.objects.get(nation="Russia") if Draw.objects.count() == 2 else None
    if second is None:  # the first attack left the other nation nothing to attack with
        first = Draw.objects.get()
        Draw.objects.create(
            phase=first.phase,
            nation="X",
            line=1,
            area="Poland",
            figure=first.figure,
            digit=first.digit,
            drawn_at=campaign.now,
        )
    assert [len(digits) for digits in digits_by_source(Game.objects.all()).values()] == [1]
    assert list(digits_by_source(Game.objects.all())) == [DEMO_SALES]
    assert digits_by_source(Game.objects.none()) == {}


@pytest.mark.django_db
@pytest.mark.parametrize("source", ["stocks", "commit_reveal"])
def test_digit_of_an_imported_copy_counts_once(source: str) -> None:
    campaign = Campaign.begin(options={"rng.source": source})
    campaign.order("Germany", "PLACE 7 Poland")
    campaign.order("Russia", "PLACE 3 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: Russia STOCK GE")
    campaign.pass_deadline()
    alone = digits_by_source(Game.objects.all())
    assert sum(map(len, alone.values())) == 1
    tree = export.record(campaign.game, private=True)
    archive.restore(json.loads(export.text(tree)), campaign.ada)
    assert Draw.objects.count() == 2
    assert digits_by_source(Game.objects.all()) == alone


def test_ten_digits_are_too_few_as_each_is_expected_once() -> None:
    assert "each would be expected once, and" in uniformity.examine(range(10)).words
    assert "each would be expected 0.5 times, and" in uniformity.examine(range(5)).words
