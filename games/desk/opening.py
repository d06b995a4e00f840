"""Opening a game: card and options are copied, seats made, players invited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from games.market.drand import SYMBOLS as LAST_RESORT
from games.models import Game, Person, Seat, Sitting
from games.press import PressError
from games.press import check as press_rules
from games.rules import RulesError, cards, ruleset
from games.rules import options as rule_options

from .seats import invite
from .times import check_schedule
from .words import DeskError, one_line

ME, BOT = "me", "bot"


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
    second_source: str = "",
    strict_evening: bool = False,
    drand_last_resort: bool = False,
    press: Mapping[str, Any] | None = None,
    approval_hours: int = 0,
    absence_days: int = 14,
) -> Game:
    """Opens a game and invites its players. `seats` says for each nation an address, "bot", "me", or "" for not yet known.

    The card is copied: whatever becomes of the file, this game is played with the sheet as it is now.
    """
    try:
        rules = ruleset(ruleset_id)
        card = cards.load(ruleset_id, card_name)
        complete = rule_options.validate({**options, **({"rng.reserve_list": list(reserves)} if reserves else {})})
        rule_options.check_offered(complete)
        # The list that is published is the one that the orders are checked against as they arrive.
        complete["rng.reserve_list"] = complete["rng.reserve_list"] or list(rule_options.LIQUID_STOCKS)
    except RulesError as error:
        raise DeskError(str(error)) from error
    check_schedule(schedule, zone)
    if market not in Game.Market.values:
        raise DeskError(f"“{market}” is not a market; there are {', '.join(Game.Market.values)}.")
    _check_sources(market, second_source)
    try:
        letters_between_nations = press_rules(press or {})
    except PressError as error:
        raise DeskError(str(error)) from error
    if drand_last_resort:
        _check_last_resort(market, complete)
        complete["rng.reserve_list"] = [*complete["rng.reserve_list"], *LAST_RESORT]
    title = one_line(title, "The title")
    if not title:
        raise DeskError("Give the game a title: every letter begins with it.")
    nations = rules.nations(rules.setup(card, complete, card["order"]))
    if unknown := [nation for nation in seats if nation not in nations]:
        raise DeskError(f"“{unknown[0]}” is not a nation of this card; there are {', '.join(nations)}.")
    game = Game.objects.create(
        title=title[:80],
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
        public=public,
        starts_when_full=starts_when_full,
        opened_by=opener,
        opened_at=now,
    )
    game.gamesmasters.add(opener)
    for ordinal, nation in enumerate(nations):
        who = seats.get(nation, "").strip()
        seat = Seat.objects.create(game=game, nation=nation, ordinal=ordinal, bot=who == BOT)
        if who == ME:
            Sitting.objects.create(seat=seat, person=opener, since=now)
        elif who and who != BOT:
            invite(seat, who, opener, now)
    return game


def _check_sources(market: str, second: str) -> None:
    if second and second not in Game.SecondSource.values:
        raise DeskError(f"“{second}” is no second source; there are {', '.join(value for value in Game.SecondSource.values if value)}.")
    if second and market not in Game.SecondSource.values:
        raise DeskError("A second source is asked beside Yahoo or Tiingo; figures of another kind have nobody to be compared with.")
    if second and second == market:
        raise DeskError("The second source is the first once more; choose another, or none.")
    if Game.Market.TIINGO in (market, second) and not settings.MARKET["tiingo_key"]:
        raise DeskError("This service has no key for Tiingo: its keeper sets MARKET_TIINGO_KEY. Choose another source.")


def _check_last_resort(market: str, options: Mapping[str, Any]) -> None:
    if market == Game.Market.DEMO or options["rng.source"] != "stocks" or options["rng.no_stock"] != "next_on_list":
        raise DeskError("drand's beacon stands at the end of a reserve list of stocks: this game reads no stocks of New York from a list.")
