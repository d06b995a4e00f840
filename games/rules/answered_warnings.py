"""Drop warnings that the result has answered, so that a report does not repeat them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from . import Json, Remark


def drop_answered(
    nation: str,
    remarks: Sequence[Remark],
    events: Iterable[Json],
    *,
    by_any: Collection[str],
    by_void: Collection[str] = (),
) -> tuple[Remark, ...]:
    """Return a nation's remarks without warnings about attacks that have an event.

    `by_any`: codes of warnings that are answered whether the attack was made or void, such as odds
    below 1-1 unless the board changes. `by_void`: codes that are answered only if the attack was
    void. A line without an event keeps its warnings, because nothing else says what happened to it.
    """
    kinds = {
        item["line"]: item["kind"]
        for item in events
        if item.get("nation") == nation and "line" in item
    }
    return tuple(
        item
        for item in remarks
        if item.severity != "warning"
        or not (
            (item.code in by_any and item.line in kinds)
            or (item.code in by_void and kinds.get(item.line) == "void")
        )
    )
