"""Quote one order of a line that contains several, so that a remark says which it is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .. import Remark
from ..orders import Line, Order, line_of
from ..sifting import Accepted


def quote_readings(accepted: Accepted, remarks: Iterable[Remark]) -> Accepted:
    """Return the orders with lines that quote each order of a longer line in canonical words.

    `remarks` tell which orders of a line are refused.
    """
    refused = [remark.line for remark in remarks if remark.severity == "error"]
    counts = Counter(map(line_of, [*refused, *(line.number for line, _ in accepted)]))
    return [
        (quote_reading(line, order) if counts[line_of(line.number)] > 1 else line, order)
        for line, order in accepted
    ]


def quote_reading(line: Line, order: Order) -> Line:
    return line._replace(written=order.words())
