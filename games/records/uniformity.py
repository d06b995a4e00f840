"""Test whether the die is honest: the drawn digits against a fair ten-sided die, by chi-square.

It is Pearson's test, in pure arithmetic. The p-value is the upper tail of the chi-square
distribution, Q(df/2, x/2), the regularized incomplete gamma function (Abramowitz and Stegun,
Handbook of Mathematical Functions, 26.4.19 with 6.5.4). It is computed by the series 6.5.29 for
small x and by the continued fraction 6.5.31 (in Lentz's form; Press and others, Numerical Recipes,
section 6.2) for large x.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SIDES = 10
#: If fewer of each digit are expected, the chi-square distribution does not fit, and the test says
# nothing (Cochran's rule).
LEAST_EXPECTED = 5
#: 1 percent of the series of an honest die look worse than this.
LEVEL = 0.01
_NEARLY_NOTHING = 1e-300
_CLOSE_ENOUGH = 1e-15


@dataclass(frozen=True)
class Finding:
    """The result of the test. `p`: how often an honest die would look at least as uneven."""

    counts: tuple[int, ...]
    chi_square: float
    p: float

    @property
    def digits(self) -> int:
        return sum(self.counts)

    @property
    def expected(self) -> float:
        return self.digits / SIDES

    @property
    def enough(self) -> bool:
        return self.expected >= LEAST_EXPECTED

    @property
    def honest(self) -> bool:
        """Whether nothing speaks against it, or there are too few digits to tell (`enough`)."""
        return not self.enough or self.p >= LEVEL

    @property
    def words(self) -> str:
        if not self.digits:
            return "No digit has been drawn yet."
        if not self.enough:
            times = "once" if self.expected == 1 else f"{self.expected:g} times"
            return (
                f"Too few digits to tell: with {self.digits} in all, each would be expected"
                f" {times}, and the test needs {LEAST_EXPECTED}"
                f" ({LEAST_EXPECTED * SIDES} digits)."
            )
        sentence = (
            f"An honest die would look at least as uneven as this in {_share(self.p)} of all such"
            " series"
        )
        if self.honest:
            return f"{sentence}, so these digits look fair."
        return f"{sentence}, so these digits do not look fair."


def examine(digits: Iterable[int]) -> Finding:
    """Test digits from 0 to 9 for uniformity."""
    counts = [0] * SIDES
    for digit in digits:
        counts[digit] += 1
    value = chi_square(counts)
    return Finding(tuple(counts), value, upper_tail(value, SIDES - 1))


def chi_square(counts: Sequence[int]) -> float:
    """Return the sum of (counted - expected)² / expected; 0 if nothing was counted."""
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 for count in counts) / expected if expected else 0.0


def upper_tail(value: float, freedom: int) -> float:
    """Return the probability that a chi-square variable is at least `value`.

    `freedom`: its degrees of freedom.
    """
    return incomplete_gamma(freedom / 2, value / 2)


def incomplete_gamma(a: float, x: float) -> float:
    """Return Q(a, x), the upper regularized incomplete gamma function, for a > 0 and x >= 0."""
    if a <= 0 or x < 0:
        raise ValueError(f"Q(a, x) is asked for a = {a} and x = {x}")
    if x == 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    return 1.0 - scale * _series(a, x) if x < a + 1 else scale * _fraction(a, x)


def _series(a: float, x: float) -> float:
    """Return 1/a + x/(a(a+1)) + x²/(a(a+1)(a+2)) + ... (6.5.29)."""
    term = total = 1 / a
    while term > total * _CLOSE_ENOUGH:
        a += 1
        term *= x / a
        total += term
    return total


def _fraction(a: float, x: float) -> float:
    """Return 1/(x+1-a- 1(1-a)/(x+3-a- 2(2-a)/(x+5-a- ...))) (6.5.31, contracted)."""
    b = x + 1 - a
    c = 1 / _NEARLY_NOTHING
    d = 1 / b
    total = d
    for n in range(1, 10_000):
        over = -n * (n - a)
        b += 2
        d = 1 / _clamp_from_zero(over * d + b)
        c = _clamp_from_zero(b + over / c)
        total *= c * d
        if abs(c * d - 1) < _CLOSE_ENOUGH:
            break
    return total


def _clamp_from_zero(value: float) -> float:
    return value if abs(value) > _NEARLY_NOTHING else _NEARLY_NOTHING


def _share(p: float) -> str:
    """Return a percentage: "34 %", "0.4 %" or "less than 0.01 %", as text."""
    percent = 100 * p
    if percent < 0.01:
        return "less than 0.01 %"
    return f"{percent:.2g} %" if percent < 10 else f"{percent:.0f} %"


def chart(finding: Finding) -> str:
    """Return a text chart: one line per digit, the longest bar 40 characters."""
    longest = max(finding.counts, default=0) or 1
    return "\n".join(
        f"{digit}  {count:>6,}  {'#' * round(40 * count / longest)}".rstrip()
        for digit, count in enumerate(finding.counts)
    )
