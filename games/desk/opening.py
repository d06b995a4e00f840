"""Open a game: check the request, copy scenario and options, create seats, invite players."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction

from games import permissions
from games.market import bank
from games.models import Game, Person, Seat, Sitting
from games.records import series
from games.rules import RulesError
from games.rules import options as rule_options
from games.rules.contract import Ruleset
from games.rules.markets import NEW_YORK, market_of
from games.rules.names import count_of
from games.rules.pairs import PREMADE, has_pairs, seated_nations, to_text
from games.rules.registry import add_scenarios, ruleset
from games.rules.settings import complete_settings
from games.rules.settling import PUBLISHERS

from . import recruiting
from .deal import TABLE, pairs_of_game, second_nation
from .roster import read_addressees
from .scenarios import find_card, own_cards
from .seats import check_not_barred, invite
from .times import check_holidays, check_schedule
from .words import NO_PROGRAM, DeskError, check_gamesmaster_may_play, one_line, refusing

ME, BOT = "me", "bot"
#: A year of Mondays: clocks change in different weeks in different places.
WEEKS = [date(2027, 1, 4) + timedelta(weeks=week) for week in range(52)]


@dataclass(frozen=True, kw_only=True)
class Opening:
    """What a gamesmaster asks for; `open_game` checks it."""

    title: str
    ruleset_id: str
    card_name: str
    schedule: Mapping[str, Any]
    zone: str
    #: For each nation an address, with or without a name (of a team several), "bot", "me", "table"
    #: where nobody holds it and it is lent by lot (or goes to the holder of its partner), or ""
    #: where it is open.
    seats: Mapping[str, str]
    #: Rule options and settings (games/rules/settings.py) that differ from the usual ones.
    options: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    reserves: Sequence[str] | None = None  # None: the usual list of the exchange
    #: Pairs of nations that one person holds as allies, where the game has that.
    pairs: Sequence[tuple[str, str]] = ()
    #: Days without deadlines, as first, last and name.
    holidays: Sequence[tuple[date, date, str]] = ()
    follows: Game | None = None  # the previous game of its series
    practice: bool = False  # a game against bots, which anybody may begin


@transaction.atomic
def open_game(asked: Opening, opener: Person, now: datetime) -> Game:
    """Open a game and invite its players. Raise `DeskError`.

    The scenario is copied: later changes of its file do not affect this game.
    """
    if not asked.practice:
        if not permissions.opens_games(opener):
            raise DeskError(permissions.who_opens_games())
        check_not_barred(opener, now)
    title = one_line(asked.title, "The title")
    if not title:
        raise DeskError("Enter a title: every letter begins with it.")
    if asked.follows is not None:
        if Game.objects.filter(follows=asked.follows).exists():
            raise DeskError(
                f"The series already continues after “{asked.follows.title}”. See its page."
            )
        if len(series.games_of(asked.follows)) >= asked.follows.seats.nations().count():
            raise DeskError(
                "The series is complete: everybody has played each nation. Begin a new one."
            )

    # The rules, with every option, and the scenario.
    listed = {"rng.reserve_list": list(asked.reserves)} if asked.reserves else {}
    with refusing(RulesError):
        rules = ruleset(asked.ruleset_id)
        options = rule_options.new_game_options({**asked.options, **listed})
        rule_options.check_offered(options)
        # Publish the same list that orders are checked against as they arrive.
        usual = list(bank.usual(market_of(options)))
        options["rng.reserve_list"] = options["rng.reserve_list"] or usual
        card = find_card(asked.card_name, asked.ruleset_id, opener)
        own_scenarios = own_cards(rules.scenarios(options), asked.ruleset_id, opener)
        card = add_scenarios(rules, card, options, own_scenarios)
        nations = rules.nations(rules.setup(card, options, card["order"]))
        chosen = complete_settings(rules, asked.settings)

    # Who plays what. A nation that is played with another one is a seat without a holder.
    if unknown := [nation for nation in asked.seats if nation not in nations]:
        raise DeskError(
            f"“{unknown[0]}” is not a nation of this scenario; choose from {', '.join(nations)}."
        )
    in_hands = pairs_of_game(rules, options, nations, asked.seats, asked.pairs)
    if has_pairs(rules):
        options[PREMADE] = to_text(in_hands)
    seats = {**asked.seats, **{second_nation(pair, asked.seats): TABLE for pair in in_hands}}
    lent = [nation for nation in nations if seats.get(nation, "").strip() == TABLE]
    with refusing(RulesError):  # no ally table for these nations (Rules N1)
        rules.setup(
            card, options, seated_nations(rules, [(nation, nation in lent) for nation in nations])
        )
    _check_seats(rules, options, seats)

    # Whether all of it makes sense together.
    check_sense(rules, options, nations, () if has_pairs(rules) else lent)
    check_schedule(asked.schedule, asked.zone)
    _check_sales(rules, options, chosen["market"], chosen["second_source"])
    _check_session_of_deadlines(options, chosen["market"], asked.schedule, asked.zone)
    recruiting.check_joining(chosen["joining"], public=chosen["public"])
    if chosen["press.closed"]:
        first = rules.phase(rules.setup(card, options, nations))
        facts = rules.facts(first, options) if first is not None else None
        if facts is not None and facts.draws and not facts.idle:
            raise DeskError(
                "In this form of play PFs are placed and attacks ordered for one deadline, so"
                " letters cannot be closed for one of the two."
            )

    game = Game(
        title=title[:80],
        practice=asked.practice,
        ruleset_id=asked.ruleset_id,
        card_name=asked.card_name,
        card=card,
        options=options,
        reserves=list(options["rng.reserve_list"]),
        schedule=dict(asked.schedule),
        zone=asked.zone,
        holidays=check_holidays(asked.holidays),
        follows=asked.follows,
        opened_by=opener,
        opened_at=now,
    )
    game.apply_settings(chosen)
    game.save()
    game.gamesmasters.add(opener)
    for ordinal, nation in enumerate(nations):
        holder = seats.get(nation, "").strip()
        addressees = read_addressees(holder) if holder not in (ME, BOT, TABLE) else []
        seat = Seat.objects.create(
            game=game,
            nation=nation,
            ordinal=ordinal,
            bot=holder == BOT,
            by_table=holder == TABLE,
            team=len(addressees) > 1,
        )
        if holder == ME:
            Sitting.objects.create(seat=seat, person=opener, since=now)
        for addressee in addressees:
            invite(seat, addressee.email, opener, now, name=addressee.name)
    for place, name in enumerate(rules.referee.seats, start=len(nations)):
        Seat.objects.create(game=game, nation=name, ordinal=place, referee=True)
    recruiting.announce(game, now)
    return game


def check_sense(
    rules: Ruleset, options: Mapping[str, Any], nations: Collection[str], lent: Collection[str]
) -> None:
    """Raise `DeskError` for choices that contradict each other. `lent`: nations nobody holds."""
    for sentence in (
        *rule_options.contradictions(options, lent),
        *rules.guide.contradictions(options, nations, lent),
    ):
        raise DeskError(sentence)


def _check_seats(rules: Ruleset, options: Mapping[str, Any], seats: Mapping[str, str]) -> None:
    """Check who sits where: no gamesmaster who knows too much, no bot that cannot play.

    Raise `DeskError`.
    """
    if ME in seats.values():
        check_gamesmaster_may_play(rules, options)
    if not rules.playable and (
        played := [nation for nation, holder in seats.items() if holder.strip() == BOT]
    ):
        raise DeskError(NO_PROGRAM.format(nation=played[0]))
    if not rules.teams and (
        teams := [nation for nation, holder in seats.items() if len(read_addressees(holder)) > 1]
    ):
        raise DeskError(f"One person plays {teams[0]}: this game has no teams. Name one address.")


def _check_sales(rules: Ruleset, options: Mapping[str, Any], market: str, second: str) -> None:
    """Check where figures come from: sources that the exchange and this service have.

    Raise `DeskError`.
    """
    applicable = {option.id for option in rule_options.game_options(rules)}
    for option in (rule_options.OPTIONS[id_] for id_ in rule_options.NAMED_STOCKS):
        if option.id not in applicable and options[option.id] != option.default:
            raise DeskError(
                f"“{option.title}” does not apply to this game: its orders name no stocks, and"
                f" its dice come from the published list on the session after the gamesmaster"
                f" asks for them. Leave it unchanged."
            )
    exchange = market_of(options)
    if second and market not in PUBLISHERS:
        publishers = " or ".join(PUBLISHERS.values())
        raise DeskError(f"Only figures from {publishers} can be compared with a second source.")
    if second and second == market:
        raise DeskError("The second source is the same as the first. Choose another, or none.")
    if Game.Market.TIINGO in (market, second) and exchange is not NEW_YORK:
        raise DeskError(
            f"Tiingo reports sales of New York, not of {exchange.place}. Choose another source, or"
            " New York."
        )
    if Game.Market.TIINGO in (market, second) and not settings.MARKET["tiingo_key"]:
        raise DeskError(
            "This service has no key for Tiingo: its operator can set MARKET_TIINGO_KEY. Choose"
            " another source."
        )


def _check_session_of_deadlines(
    options: Mapping[str, Any], market: str, rule: Mapping[str, Any], zone: str
) -> None:
    """Raise `DeskError` for deadlines after the opening of the deciding session (rules 0.1)."""
    if (
        options["rng.quote_session"] != "deadline_day"
        or options["rng.source"] != "stocks"
        or market == Game.Market.DEMO
    ):
        return
    times = rule.get("times") or [rule.get("time", "")]
    exchange, hours = market_of(options), options["orders.grace_hours"]
    own_zone, exchange_zone = ZoneInfo(zone), ZoneInfo(exchange.zone)
    if all(times) and any(  # one of several times a day, all year round
        all(
            datetime.combine(day, time.fromisoformat(at), own_zone).astimezone(UTC)
            + timedelta(hours=hours)
            < datetime.combine(day, exchange.opens, exchange_zone)
            for day in WEEKS
        )
        for at in times
    ):
        return
    late = f", the {count_of(hours, 'hour')} of grace included" if hours else ""
    raise DeskError(
        "The deadline day’s own sales can decide only if the deadline is before"
        f" {exchange.place} opens, at {exchange.opens:%H:%M}{late}; set one before that, or leave"
        " “which day’s sales” as it is."
    )
