"""Split the items of a line into its orders: clauses, between which periods and commas stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .facts import Facts, UnclearLine
from .forms import Clause, clause, code
from .lexer import Item

#: Kinds of items that may begin another order after a comma.
BEGINNINGS = (
    *("PLACE", "MOVE", "REINFORCE", "KEEP", "ATTACK", "TAKE", "TOTAL", "PASS", "UNDERSTANDING"),
    *("CONTROL", "SHARE", "STANDING", "LOSE", "ALLY", "ALLIANCE", "LEAVE"),
)
#: Kinds that continue an attack and are no order by themselves.
ENDINGS = ("STOCKS", "MIN", "ELSE")
#: Kinds after such an ending to which it cannot belong; "" is the end of the line.
_CLOSED = ("", "END", *ENDINGS)
_BETWEEN_ATTACKS = ["SEP", "STOCKS", "SEP", "ATTACK"]
#: What may stand before a comma and an attack that it belongs to: “In Poland, attack Russia”.
_OF_THE_NEXT = (["STOCKS"], ["IN", "NAME"])


def list_strokes(items: Sequence[Item], facts: Facts) -> list[Item]:
    """Return the items with a comma for each stroke between whole placements: “Italy 5 / Poland 5”.

    They are a list, and no choice, if they name different areas and there are PFs for all of them.
    """
    if {item.text for item in items if item.kind == "OR"} != {"/"}:
        return list(items)
    parts: list[list[Item]] = [[]]
    for item in items:
        if item.kind == "OR":
            parts.append([])
        else:
            parts[-1].append(item)
    names = [item.value.area for part in parts for item in part if item.kind == "NAME"]
    numbers = [item.value for item in items if item.kind == "NUM"]
    if not (
        1 < len(parts) == len(set(names)) == len(names) == len(numbers)
        and all({"NUM", "NAME"} <= {item.kind for item in part} for part in parts)
        and sum(numbers) <= facts.left.get("PLACE", 0)
    ):
        return list(items)
    return [
        item._replace(kind="SEP", shape=code(item._replace(kind="SEP"), facts))
        if item.kind == "OR"
        else item
        for item in items
    ]


def join_items(items: Sequence[Item], facts: Facts) -> list[Item]:
    """Join stocks and odds at the end of a sentence to the words before them.

    AND I becomes a comma, except in a share. TO is kept only where the number after it may be a
    total. FROM is put before a home from which an arrow leads.
    """
    joined: list[Item] = []
    skipped = ""
    for index, item in enumerate(items):
        if skipped:
            item, skipped = item._replace(before=skipped + item.before), ""
        before = joined[-1].kind if joined else ""
        after, next_after = (
            [following.kind for following in items[index + 1 : index + 3]] + ["", ""]
        )[:2]
        closes = after in _CLOSED or (after == "SEP" and next_after in _CLOSED)
        if item.kind in ENDINGS and (before == "COLON" or (before == "END" and closes)):
            mark = joined.pop()
            item = item._replace(before=mark.before + mark.shape + item.before)
        elif item.kind == "WITH_ME" and after != "SHARE":
            item = item._replace(kind="SEP", shape=code(item._replace(kind="SEP"), facts))
        elif item.kind == "TO" and (before, after) != ("NAME", "NUM"):
            skipped = item.before + item.shape
            continue
        elif before != "FROM" and after == "COLON" and _leads_from_home(items, index, facts):
            source = item._replace(kind="FROM")
            joined.append(source._replace(shape=code(source, facts)))
            item = item._replace(before="")
        joined.append(item)
    return joined


def _leads_from_home(items: Sequence[Item], at: int, facts: Facts) -> bool:
    """Return whether an arrow leads from the writer's home to an area: “3 Germany → Austria”."""
    item, behind = items[at], items[at + 1 : at + 3]
    if item.kind == "NAME":
        if facts.home is None or item.value.area != facts.home:
            return False
    elif item.kind != "HOME":
        return False
    return len(behind) == 2 and behind[0].text == "→" and behind[1].kind == "NAME"


def check_stocks(items: Sequence[Item]) -> None:
    """Raise `UnclearLine` for one stock between two attacks, which may belong to either."""
    kinds = [item.kind for item in items]
    last = max((index for index, kind in enumerate(kinds) if kind == "STOCKS"), default=0)
    if last and kinds[last - 1 : last + 3] == _BETWEEN_ATTACKS:
        raise UnclearLine("it does not say which attack the stock is for, so write two lines")


def variants(items: Sequence[Item], facts: Facts) -> Iterator[Sequence[Item]]:
    """Yield the line and, if it begins with the writer's own nation, the line without that."""
    yield items
    own = items[0].kind == "NAME" and items[0].value.nation == facts.nation if items else False
    if own and len(items) > 2:
        end = 2 if items[1].kind == "COLON" else 1
        said = "".join(item.before + item.shape for item in items[:end])
        first = items[end]
        yield [first._replace(before=said + first.before), *items[end + 1 :]]


def clauses_of(items: Sequence[Item]) -> Iterator[Clause]:
    """Yield the orders that periods and semicolons separate, and those that begin after a comma.

    A comma belongs to the clause behind it: “5 to Serbia, ally France” may speak to an ally.
    """
    part: list[Item] = []
    comma = ""  # before this clause
    for index, item in enumerate((*items, Item("END", ""))):
        begins = item.kind == "SEP" and _begins(items[index + 1 : index + 5])
        if item.kind == "END" or (
            begins and part and [other.kind for other in part] not in _OF_THE_NEXT
        ):
            if part or item.before:
                yield _stripped(part, item.before)
            part = []
            comma = item.shape if item.text == "," else ""
        elif comma and item.kind == "SEP":  # , and
            comma = ""
        else:
            part.append(item._replace(before=comma + item.before) if comma else item)
            comma = ""


def _stripped(items: Sequence[Item], behind: str) -> Clause:
    """Return a clause whose items have no commas around them, with the shape of all its words."""
    whole = clause(items, behind)
    indices = [index for index, item in enumerate(items) if item.kind != "SEP"]
    return whole._replace(items=list(items[indices[0] : indices[-1] + 1]) if indices else [])


def _begins(items: Sequence[Item]) -> bool:
    """Return whether an order begins here, with its verb or with IN, an area and a colon."""
    kinds = [item.kind for item in items]
    for leading in ("SEP", "IN", "NAME", "COLON"):
        if kinds[:1] == [leading]:
            kinds = kinds[1:]
    return kinds[:1] != [] and kinds[0] in BEGINNINGS
