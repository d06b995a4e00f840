"""The service's bookkeeping, as the gamesmaster sees it beside the lines to rule on (Rules B.8)."""

from __future__ import annotations

from games.rules.names import all_of

from . import dice, entitlements, hostility, intervention, mediterranean, transport
from .calendar import label
from .combining import rule_sentences
from .naming import count_words
from .permissions import cases, check_permission, french_abroad, giver, passage
from .state import REFEREE, State


def ledger(state: State) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the service's bookkeeping under headings, without empty headings."""
    allied = [
        f"{entry.a} and {entry.b}, since {label(state.card, entry.since)}."
        for entry in state.alliances
    ]
    at_odds = [
        f"{entry.power} is hostile to {entry.country}: it {entry.cause} in"
        f" {label(state.card, entry.since)}."
        for entry in state.hostile
    ]
    parts = (
        ("American entry", _american(state)),
        ("Sea transport", _transport(state)),
        ("Mediterranean", _mediterranean(state)),
        ("French supply", (french_abroad(state),) if state.printed else ()),
        ("Points due", tuple(_entitlement_sentences(state))),
        ("Germany and the USSR", _rates(state)),
        ("Alliances", tuple(allied)),
        ("Hostilities", tuple(at_odds)),
        ("Permissions given", tuple(_grant_sentences(state))),
        ("Permissions needed", tuple(_permission_sentences(state))),
        ("Dice drawn ahead", _ahead(state)),
        ("Dice to throw", tuple(f"{dice.describe_request(state, entry)}." for entry in state.owed)),
        ("In this game", rule_sentences(state)),
    )
    return tuple((heading, sentences) for heading, sentences in parts if sentences)


def _ahead(state: State) -> tuple[str, ...]:
    if not state.ahead.dice:
        return ()
    comes = ", ".join(map(str, state.ahead.left)) or "none"
    return (f"{state.ahead.used} of {len(state.ahead.dice)} used. Next, in this order: {comes}.",)


def _american(state: State) -> tuple[str, ...]:
    status = intervention.status(state)
    if status == intervention.NEUTRAL:
        return ("The USA is neutral.",)
    if status == intervention.PLEDGED:
        return (f"The USA enters in {label(state.card, state.us.entry or 0)}.",)
    column, overflow = intervention.reinforcements(state), state.card.us.overflow
    takes = f"{overflow['strength']} SP and {overflow['naval']} naval points a turn"
    if column and column[0]:
        takes = f"the column of {label(state.card, column[0])} of its track"
    return (f"The USA is at war and takes {takes}.",)


def _transport(state: State) -> tuple[str, ...]:
    sentences = []
    for kind in (transport.NAVAL, transport.AMPHIBIOUS):
        shares = transport.shares(state, kind)
        if shares is None:
            sentences.append(f"Enter the Allied {kind} points of this turn with TRACK.")
            continue
        idle = f", {shares.idle} idle" if shares.idle else ""
        spent = "; ".join(
            f"{owner} has used {transport.points_used(state, owner, kind)}"
            for owner in ("Britain", "USA")
        )
        sentences.append(
            f"Of the Allied {kind} points {shares.britain} are Britain's and {shares.usa} the"
            f" USA's{idle}; {spent}."
        )
    if state.step == REFEREE and transport.is_barred_by_turkey(state):
        sentences.append("No unit may go by sea past or through Turkish hexes (12.4).")
    limit = transport.italian_limit(state)
    sentences.append(
        "Italy may have any number of SP in North Africa."
        if limit is None
        else f"Italy may have at most {limit} SP in North Africa (5.77)."
    )
    return tuple(sentences)


def _mediterranean(state: State) -> tuple[str, ...]:
    return tuple(
        mediterranean.applies(state, power)[1]
        for power in state.card.order
        if power != mediterranean.ITALY and hostility.hostile(state, power, "Italy")
    )


def _entitlement_sentences(state: State) -> list[str]:
    sentences = []
    for entitlement in state.entitlements:
        lapse = ", lost if not taken now" if entitlement.expires is not None else ""
        points = count_words(entitlement.left, f"{entitlement.kind} point")
        where = f", {entitlement.place}" if entitlement.place else ""
        sentences += (
            [f"{entitlement.power}: {points}{lapse}{where} ({entitlement.case})."]
            if entitlement.left
            else []
        )
    return sentences


def _rates(state: State) -> tuple[str, ...]:
    halved, why = entitlements.halves(state)
    return (
        f"{'The German rate is halved' if halved else 'Germany has its full rate'}. {why}",
        f"Russian units may have {entitlements.largest_russian(state)} SP at most (10.73).",
    )


def _grant_sentences(state: State) -> list[str]:
    return [
        f"{grant.by} to {grant.to}:"
        f" {grant.kind.replace('_', '-')}{f' in {grant.place}' if grant.place else ''}, since"
        f" {label(state.card, grant.since)}."
        for grant in state.grants
    ]


#: The power that needs a permission, if the printed case names one.
_FOR = {"9.32": "USA", "9.33": "USA", "10.51, 10.82": "USA", "10.35": "USSR"}


def _permission_sentences(state: State) -> list[str]:
    """Return whose permission each case that names one power needs, and whether it has it."""
    sentences = []
    for permission in state.card.grants:
        if permission.case in _FOR and permission.case in cases(state):
            check = check_permission(state, permission.case, _FOR[permission.case])
            sentences.append(f"{permission.what[0].upper()}{permission.what[1:]}: {check.why}.")
    return [*sentences, *_passages(state)]


def _passages(state: State) -> list[str]:
    """Return who gives the permission to pass through countries, and who has it (16.31).

    Countries with the same answer share a sentence.
    """
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for country in state.card.minors.pro_axis:
        by = giver(state, "16.31", country)
        others = [power for power in state.card.order if power != by]
        having = tuple(
            power
            for power in others
            if (permission := passage(state, power, country)) is not None and permission.given
        )
        alike.setdefault((by, having), []).append(country)
    sentences = []
    for (by, having), countries in alike.items():
        has = f"{all_of(having)} may" if having else "it has allowed nobody"
        sentences.append(
            f"Other armies need {by}'s permission to pass {all_of(countries)}; {has} (16.31)."
        )
    return sentences
