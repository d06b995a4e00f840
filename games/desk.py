"""What a gamesmaster does: opening a game, inviting, starting, moving a deadline, lifting a hold, reading his newspaper aloud."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from games import keys, market, schedule, turns
from games.market.drand import SYMBOLS as LAST_RESORT
from games.models import DeadlineChange, Game, Invitation, Person, Phase, Seat, Sitting
from games.models.people import tidy_address
from games.post import letters
from games.rules import RulesError, cards, ruleset
from games.rules import options as rule_options

ME, BOT = "me", "bot"
#: No game is played in longer steps; and a slip of the key must not put a deadline into the next century.
FURTHEST = timedelta(days=366)


class DeskError(Exception):
    """Something a gamesmaster cannot do as asked. `str()` is one sentence that says why and what to do."""


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
    _check_schedule(schedule, zone)
    if market not in Game.Market.values:
        raise DeskError(f"“{market}” is not a market; there are {', '.join(Game.Market.values)}.")
    _check_sources(market, second_source)
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
        may_lock_early=may_lock_early,
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


def one_line(text: str, what: str) -> str:
    """A person's words on one line. Raises `DeskError` for signs that are no text: no page shows them, and PostgreSQL stores no zero."""
    line = " ".join(text.split())
    if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in line):
        raise DeskError(f"{what} holds a control character, which nobody can read; type it anew.")
    return line


def _check_last_resort(market: str, options: Mapping[str, Any]) -> None:
    if market == Game.Market.DEMO or options["rng.source"] != "stocks" or options["rng.no_stock"] != "next_on_list":
        raise DeskError("drand's beacon stands at the end of a reserve list of stocks: this game reads no stocks of New York from a list.")


def _check_schedule(rule: Mapping[str, Any], zone: str) -> None:
    try:
        schedule.check(rule)
        ZoneInfo(zone)
    except schedule.ScheduleError as error:
        raise DeskError(str(error)) from error
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise DeskError(f"“{zone}” is not a time zone; write one such as Europe/London or America/New_York.") from error


@transaction.atomic
def invite(seat: Seat, email: str, by: Person, now: datetime) -> Invitation:
    """Offers a seat to an address by letter; an earlier open offer of the seat is withdrawn."""
    turns.take_row(seat.game)  # of two offers of one seat the later withdraws the earlier
    seat.refresh_from_db(fields=["bot"])
    email = tidy_address(email)
    try:
        validate_email(email)
    except ValidationError:
        raise DeskError(f"“{email}” is not an e-mail address; write one such as ada@example.org.") from None
    if seat.bot or seat.sittings.filter(until=None).exists():
        raise DeskError(f"{seat.nation} is taken; a seat is offered when it is empty.")
    if seat.game.status not in (Game.Status.FORMING, Game.Status.RUNNING, Game.Status.PAUSED):
        raise DeskError("The game is over: no seat can be offered any more.")
    invitation = keys.new_invitation(seat, email, by, now)
    letters.invitation(invitation, now)
    return invitation


def withdraw(invitation: Invitation, now: datetime) -> None:
    """Takes an offer back that nobody has accepted yet."""
    if Invitation.objects.filter(pk=invitation.pk, accepted_at=None, withdrawn_at=None).update(withdrawn_at=now) != 1:
        raise DeskError(f"The invitation of {invitation.email} has been accepted or withdrawn already.")


@transaction.atomic
def accept(invitation: Invitation, person: Person, now: datetime) -> Seat:
    """Seats a person by an invitation. Of two who accept at once one sits down."""
    seat = invitation.seat
    game = seat.game
    turns.take_row(game)  # whoever sits down, or is given the seat, at the same moment comes wholly before or wholly after
    seat.refresh_from_db(fields=["bot"])
    open_ones = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, withdrawn_at=None)
    if open_ones.update(accepted_at=now, accepted_by=person) != 1:
        raise DeskError("This invitation has been used or withdrawn. Ask the gamesmaster for a new one.")
    if seat.bot or seat.sittings.filter(until=None).exists():
        raise DeskError(f"Somebody else has sat down as {seat.nation} meanwhile. Ask the gamesmaster.")
    if game.status in (Game.Status.FINISHED, Game.Status.ABANDONED):
        raise DeskError(f"“{game.title}” is over: there is no seat to take any more.")
    Sitting.objects.create(seat=seat, person=person, since=now)
    if game.starts_when_full and game.status == Game.Status.FORMING and not empty_seats(game):
        start(game, game.opened_by, now)
    return seat


def empty_seats(game: Game) -> list[str]:
    """The nations that nobody plays."""
    taken = set(Sitting.objects.filter(seat__game=game, until=None).values_list("seat_id", flat=True))
    return [seat.nation for seat in game.seats.all() if not seat.bot and seat.pk not in taken]


@transaction.atomic
def let_the_service_play(seat: Seat, now: datetime) -> None:
    """Gives an empty seat to the service's own player."""
    turns.take_row(seat.game)
    if seat.sittings.filter(until=None).exists():
        raise DeskError(f"{seat.nation} is held by somebody; a seat is given away when it is empty.")
    Invitation.objects.filter(seat=seat, accepted_at=None, withdrawn_at=None).update(withdrawn_at=now)
    Seat.objects.filter(pk=seat.pk).update(bot=True)
    seat.bot = True


@transaction.atomic
def start(game: Game, by: Person, now: datetime) -> Phase:
    """Begins a game whose seats are all taken: first letter, first phase. From here on card and options stand."""
    turns.take_row(game)
    if empty := empty_seats(game):
        raise DeskError(f"Nobody sits as {', '.join(empty)} yet. Invite somebody, or let the service play.")
    if Game.objects.filter(pk=game.pk, status=Game.Status.FORMING).update(status=Game.Status.RUNNING, started_at=now) != 1:
        raise DeskError("The game has begun already.")
    game.refresh_from_db()
    letters.begins(game, now)
    return turns.open_phase(game, None, game.load(turns.start_position(game)), now)


@transaction.atomic
def extend(phase: Phase, new_deadline: datetime, reason: str, by: Person, now: datetime) -> DeadlineChange:
    """Moves the deadline of an open phase, for everybody alike, and writes to everybody. Never into the past, never for one player."""
    reason = one_line(reason, "The reason")
    if not reason:
        raise DeskError("Say why the deadline moves: the reason goes to every player.")
    if new_deadline <= now:
        raise DeskError("The new deadline has passed already; name an instant still to come.")
    if new_deadline > now + FURTHEST:
        raise DeskError(f"A deadline lies at most {FURTHEST.days} days ahead; name an earlier one.")
    # The game's row first, as the lock does: moved wholly before the lock, or not at all.
    turns.take_row(phase.game)
    grace = timedelta(hours=phase.game.options["orders.grace_hours"])
    old = phase.deadline
    moved = Phase.objects.filter(pk=phase.pk, status=Phase.Status.OPEN, deadline=old)
    remind_at = turns.reminder(now, new_deadline)
    if moved.update(deadline=new_deadline, due_at=new_deadline + grace, remind_at=remind_at) != 1:
        raise DeskError("The phase has been locked, or its deadline moved, meanwhile. Look at it again.")
    phase.refresh_from_db()
    change = DeadlineChange.objects.create(phase=phase, old=old, new=new_deadline, reason=reason[:300], changed_by=by, changed_at=now)
    letters.moved(change, now)
    return change


def lift_hold(phase: Phase, by: Person, now: datetime) -> None:
    """Lets a held phase go on from where it was set aside."""
    held = Phase.objects.filter(pk=phase.pk, status=Phase.Status.HELD)
    if held.update(status=phase.held_from or Phase.Status.OPEN, held_from="", fault="", attempts=0, due_at=now) != 1:
        raise DeskError("The phase is not held any more.")
    phase.refresh_from_db()


def enter_figure(phase: Phase, symbol: str, volume: int, by: Person, now: datetime, note: str = "") -> None:
    """Types in a stock's sales from the gamesmaster's newspaper: one more reading, with his name, and the phase looks again at once."""
    if phase.status not in (Phase.Status.DRAWING, Phase.Status.HELD):
        raise DeskError("Figures are taken while a phase waits for them: after its orders have locked and before it is resolved.")
    try:
        market.enter_figure(phase, one_line(symbol, "The stock"), volume, by, now, one_line(note, "The note"))
    except market.MarketError as error:
        raise DeskError(str(error)) from error
    Phase.objects.filter(pk=phase.pk, status=Phase.Status.DRAWING).update(due_at=now)


def enter_rolls(phase: Phase, rolls: Sequence[int], by: Person, now: datetime, note: str = "") -> None:
    """Types in the gamesmaster's own rolls (`rng.source` = gm_dice), one for each attack that comes to a throw, in order."""
    if market.source_of(phase.game) != market.GM_DICE:
        raise DeskError("In this game no dice are rolled.")
    if phase.status != Phase.Status.DRAWING:
        raise DeskError("Rolls are taken while a phase waits for them: after its orders have locked and before it is resolved.")
    if bad := [roll for roll in rolls if not 0 <= roll <= 9]:
        raise DeskError(f"“{bad[0]}” is no roll of a die of ten faces: it shows 0 to 9.")
    before = market.entered(phase)
    used = turns.rolls_used(phase, [*before, *rolls])
    if not rolls:
        raise DeskError("Type what the dice show, such as 7 0 3.")
    if used is not None and used < len(before) + len(rolls):
        wanted = max(0, (used or 0) - len(before))
        raise DeskError(f"{len(rolls)} rolls are too many: {wanted} more attack{'' if wanted == 1 else 's'} came to a throw.")
    try:
        market.enter_rolls(phase, len(before), rolls, by, now, one_line(note, "The note"))
    except market.MarketError as error:
        raise DeskError(str(error)) from error
    Phase.objects.filter(pk=phase.pk, status=Phase.Status.DRAWING).update(due_at=now)
