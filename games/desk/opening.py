"""Open a game: copy scenario and options, create seats, invite players."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction

from games import permissions
from games.market import bank
from games.models import Game, Person, Seat, Sitting
from games.records import series
from games.rules import REFEREE_SEAT, RulesError
from games.rules import options as rule_options
from games.rules.contract import Ruleset
from games.rules.markets import NEW_YORK, Market, market_of
from games.rules.pairs import PREMADE, has_pairs, seated_nations, to_text
from games.rules.registry import add_scenarios, ruleset
from games.seats.press_rules import PressError
from games.seats.press_rules import check as press_rules

from . import recruiting
from .choices import check_sense
from .deal import pairs_of_game, second_nation
from .scenarios import find_card, own_cards
from .seats import check_not_barred, invite
from .times import check_holidays, check_report_times, check_schedule
from .words import BLIND_AND_SEATED, NO_PROGRAM, REFEREE_AND_SEATED, DeskError, one_line, refusing

ME, BOT, TABLE = "me", "bot", "table"
#: A year of Mondays: clocks change in different weeks in different places.
WEEKS = [date(2027, 1, 4) + timedelta(weeks=week) for week in range(52)]


@transaction.atomic
def open_game(
    *,
    opener: Person,
    title: str,
    ruleset_id: str,
    card_name: str,
    options: Mapping[str, Any],
    schedule: Mapping[str, Any],
    zone: str,
    market: str,
    reserves: Sequence[str] | None,
    seats: Mapping[str, str],
    may_lock_early: bool,
    public: bool,
    now: datetime,
    starts_when_full: bool = False,
    anonymous: bool = False,
    joining: str = Game.Joining.INVITED,
    least_on_time: int = 0,
    follows: Game | None = None,
    second_source: str = "",
    strict_evening: bool = False,
    press: Mapping[str, Any] | None = None,
    approval_hours: int = 0,
    absence_days: int = 14,
    pairs: Sequence[tuple[str, str]] = (),
    holidays: Sequence[tuple[date, date, str]] = (),
    report_hours: int | None = None,
    report_days: int | None = None,
    practice: bool = False,
) -> Game:
    """Open a game and invite its players. Raise `DeskError`.

    `seats`: for each nation an address (of a team several), "bot", "me", "table" where nobody holds
    it and it is lent by lot (or goes to the holder of its partner), or "" where it is open.
    `pairs`: pairs of nations that one person holds as allies, where the game has that.
    `report_hours`, `report_days`: as in `times.set_report_times`; None for the default. `holidays`:
    days without deadlines, as first, last and name. `practice`: a game against bots, which anybody
    may begin.

    The scenario is copied: later changes of its file do not affect this game.
    """
    if not practice:
        _check_opener(opener, now)
    with refusing(RulesError):
        rules = ruleset(ruleset_id)
        card = find_card(card_name, ruleset_id, opener)
        complete = _complete_options(options, reserves)
        own_scenarios = own_cards(rules.scenarios(complete), ruleset_id, opener)
        card = add_scenarios(rules, card, complete, own_scenarios)
        nations = rules.nations(rules.setup(card, complete, card["order"]))
    _check_stock_options(rules, complete)
    check_schedule(schedule, zone)
    _check_market(market, second_source, complete)
    with refusing(PressError):
        letters_between_nations = press_rules(press or {})
    recruiting.check_joining(joining, public=public)
    _check_series(follows)
    title = _checked_title(title)
    if unknown := [nation for nation in seats if nation not in nations]:
        raise DeskError(
            f"“{unknown[0]}” is not a nation of this scenario; choose from {', '.join(nations)}."
        )
    in_hands = pairs_of_game(rules, complete, nations, seats, pairs)
    if has_pairs(rules):
        complete[PREMADE] = to_text(in_hands)
    seats = {**seats, **{second_nation(pair, seats): TABLE for pair in in_hands}}
    lent = [nation for nation in nations if seats.get(nation, "").strip() == TABLE]
    with refusing(RulesError):  # no ally table for these nations (Rules N1)
        rules.setup(
            card, complete, seated_nations(rules, [(nation, nation in lent) for nation in nations])
        )
    _check_seats(rules, complete, seats)
    check_sense(rules, complete, nations, () if has_pairs(rules) else lent)
    if letters_between_nations["closed"]:
        _check_closed_press(rules, rules.setup(card, complete, nations), complete)
    _check_session_of_deadlines(complete, schedule, zone, market)
    game = Game.objects.create(
        title=title[:80],
        practice=practice,
        ruleset_id=ruleset_id,
        card_name=card_name,
        card=card,
        options=complete,
        reserves=list(complete["rng.reserve_list"]),
        schedule=dict(schedule),
        zone=zone,
        market=market,
        second_source=second_source,
        strict_evening=strict_evening,
        press=letters_between_nations,
        may_lock_early=may_lock_early,
        approval_hours=approval_hours,
        absence_days=absence_days,
        holidays=check_holidays(holidays),
        **_report_times(rules, report_hours, report_days),
        public=public,
        starts_when_full=starts_when_full,
        anonymous=anonymous,
        joining=joining,
        least_on_time=least_on_time,
        follows=follows,
        opened_by=opener,
        opened_at=now,
    )
    game.gamesmasters.add(opener)
    _fill_seats(game, nations, seats, opener, now)
    recruiting.announce(game, now)
    return game


def _check_opener(opener: Person, now: datetime) -> None:
    """Raise `DeskError` if the person may not open games here."""
    if not permissions.opens_games(opener):
        raise DeskError(permissions.who_opens_games())
    check_not_barred(opener, now)


def _complete_options(options: Mapping[str, Any], reserves: Sequence[str] | None) -> dict[str, Any]:
    """Return all options of a new game, with the reserve list that is published.

    Raise `RulesError` for options that no new game may have.
    """
    listed = {"rng.reserve_list": list(reserves)} if reserves else {}
    complete = rule_options.new_game_options({**options, **listed})
    rule_options.check_offered(complete)
    # Publish the same list that orders are checked against as they arrive.
    usual = list(bank.usual(market_of(complete)))
    complete["rng.reserve_list"] = complete["rng.reserve_list"] or usual
    return complete


def _check_market(market: str, second_source: str, options: Mapping[str, Any]) -> None:
    """Raise `DeskError` for an unknown market, or sources that it does not have."""
    if market not in Game.Market.values:
        raise DeskError(f"“{market}” is not a market; there are {', '.join(Game.Market.values)}.")
    _check_sources(market, second_source, market_of(options))


def _check_series(follows: Game | None) -> None:
    """Raise `DeskError` if no further game may follow this one."""
    if follows is None:
        return
    if Game.objects.filter(follows=follows).exists():
        raise DeskError(f"The series already continues after “{follows.title}”. See its page.")
    if len(series.games_of(follows)) >= follows.seats.nations().count():
        raise DeskError(
            "The series is complete: everybody has played each nation. Begin a new one."
        )


def _checked_title(title: str) -> str:
    """Return the title as one line. Raise `DeskError` if it is empty."""
    if line := one_line(title, "The title"):
        return line
    raise DeskError("Enter a title: every letter begins with it.")


def _fill_seats(
    game: Game, nations: Sequence[str], seats: Mapping[str, str], opener: Person, now: datetime
) -> None:
    """Create the seats in scenario order, seat the opener, and invite everybody else."""
    for ordinal, nation in enumerate(nations):
        holder = seats.get(nation, "").strip()
        team = len(split_addresses(holder)) > 1
        seat = Seat.objects.create(
            game=game,
            nation=nation,
            ordinal=ordinal,
            bot=holder == BOT,
            by_table=holder == TABLE,
            team=team,
        )
        if holder == ME:
            Sitting.objects.create(seat=seat, person=opener, since=now)
        elif holder and holder not in (BOT, TABLE):
            for address in split_addresses(holder):
                invite(seat, address, opener, now)
    if game.rules.referee:
        Seat.objects.create(game=game, nation=REFEREE_SEAT, ordinal=len(nations), referee=True)


def _report_times(rules: Ruleset, hours: int | None, days: int | None) -> dict[str, int]:
    """Return the options of referee reports as columns of a game, without defaults."""
    chosen = {"report_hours": hours, "report_days": days}
    facts = {key: value for key, value in chosen.items() if value is not None}
    if facts:
        check_report_times(rules, facts.get("report_hours", 0), facts.get("report_days", 0))
    return facts


def _check_seats(rules: Ruleset, options: Mapping[str, Any], seats: Mapping[str, str]) -> None:
    """Check who sits where: no gamesmaster who knows too much, no bot that cannot play.

    Raise `DeskError`.
    """
    if ME in seats.values() and rules.referee:
        raise DeskError(REFEREE_AND_SEATED)
    if ME in seats.values() and rules.needs_secret(options):
        raise DeskError(BLIND_AND_SEATED)
    if not rules.playable and (
        played := [nation for nation, holder in seats.items() if holder.strip() == BOT]
    ):
        raise DeskError(NO_PROGRAM.format(nation=played[0]))
    if rules.referee and (
        teams := [nation for nation, holder in seats.items() if len(split_addresses(holder)) > 1]
    ):
        raise DeskError(f"One person plays {teams[0]}: this game has no teams. Name one address.")


def _check_stock_options(rules: Ruleset, chosen: Mapping[str, Any]) -> None:
    """Raise `DeskError` for a changed option about named stocks if the game's orders name none."""
    applicable = {option.id for option in rule_options.game_options(rules)}
    for option in (rule_options.OPTIONS[id_] for id_ in rule_options.NAMED_STOCKS):
        if option.id not in applicable and chosen[option.id] != option.default:
            raise DeskError(
                f"“{option.title}” does not apply to this game: its orders name no stocks, and"
                f" its dice come from the published list on the session after the gamesmaster"
                f" asks for them. Leave it unchanged."
            )


def _check_closed_press(rules: Ruleset, start: Any, options: Mapping[str, Any]) -> None:
    """Raise `DeskError` if letters are closed by kind of phase in a game with only one kind."""
    first = rules.phase(start)
    if rules.referee:
        raise DeskError(
            "In this game letters cannot be closed while PFs are placed or attacks ordered: it has"
            " no such phases."
        )
    facts = rules.facts(first, options) if first is not None else None
    if facts is not None and facts.draws and not facts.idle:
        raise DeskError(
            "In this form of play PFs are placed and attacks ordered for one deadline, so letters"
            " cannot be closed for one of the two."
        )


def split_addresses(written: str) -> list[str]:
    """Return the addresses in a line, separated by commas, semicolons or blanks, each once."""
    return list(dict.fromkeys(part for part in re.split(r"[\s,;]+", written) if part))


def _check_session_of_deadlines(
    options: Mapping[str, Any], rule: Mapping[str, Any], zone: str, market: str
) -> None:
    """Raise `DeskError` for deadlines after the opening of the deciding session (rules 0.1)."""
    if (
        options["rng.quote_session"] != "deadline_day"
        or options["rng.source"] != "stocks"
        or market == Game.Market.DEMO
    ):
        return
    times = rule.get("times") or [rule.get("time", "")]
    exchange, grace = market_of(options), timedelta(hours=options["orders.grace_hours"])
    if all(time_text for time_text in times) and any(
        _locks_before_opening(time.fromisoformat(time_text), grace, zone, exchange)
        for time_text in times
    ):
        return
    hours = options["orders.grace_hours"]
    late = f", the {hours} hour{'' if hours == 1 else 's'} of grace included" if hours else ""
    raise DeskError(
        "The deadline day’s own sales can decide only if the deadline is before"
        f" {exchange.place} opens, at {exchange.opens:%H:%M}{late}; set one before that, or leave"
        " “which day’s sales” as it is."
    )


def _locks_before_opening(at: time, grace: timedelta, zone: str, market: Market) -> bool:
    """Return whether orders due at that time lock before the exchange opens, all year round."""
    own_zone, exchange_zone = ZoneInfo(zone), ZoneInfo(market.zone)
    return all(
        datetime.combine(day, at, own_zone).astimezone(UTC) + grace
        < datetime.combine(day, market.opens, exchange_zone)
        for day in WEEKS
    )


def _check_sources(market: str, second: str, exchange: Market) -> None:
    if second and second not in Game.SecondSource.values:
        raise DeskError(
            f"“{second}” is not a second source; there are"
            f" {', '.join(value for value in Game.SecondSource.values if value)}."
        )
    if second and market not in Game.SecondSource.values:
        raise DeskError("Only figures from Yahoo or Tiingo can be compared with a second source.")
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
