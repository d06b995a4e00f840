"""Letters between nations: what a game allows of them, and how one is sent. Kept as they were
written, and carried to whom they name.

What a letter says is its writer's: the service adds no address to it, and takes none out that
somebody has written into it himself.
"""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Max

from games import game_row
from games.models import Game, Person, Phase, Press, Proposal, Seat
from games.outbox.messages import press as messages_press
from games.press import circles, rules
from games.rules.names import NameFault, all_of, vocabulary
from games.timing import local_time

LONGEST = 8_000
MOST_A_DAY = 50
#: What a person whose account is new sends in all games, against unwanted mail.
NEW_FOR, MOST_A_DAY_WHEN_NEW = timedelta(days=2), 20


# --- sending ---


def addressees(game: Game, typed: Iterable[str], own: str | None) -> list[str]:
    """Return nations as typed, in card order, each once. Raises `PressError` for what is none."""
    nations = [seat.nation for seat in game.seats.nations().order_by("ordinal")]
    names = vocabulary(tuple(nations), "nation")
    found = set()
    for name in typed:
        try:
            found.add(names.find(name))
        except NameFault as fault:
            raise rules.PressError(
                f"{fault}; the letter has not been sent. Name any of {', '.join(nations)}."
            ) from None
    if own in found:
        raise rules.PressError(
            f"You are {own} yourself; leave {own} out and send the letter again."
        )
    return [nation for nation in nations if nation in found]


def team_of(seat: Seat) -> list[str]:
    """Return the readers of a letter to one's own team. Raises `PressError` for a lone player."""
    if not seat.team or seat.sittings.current().count() < 2:
        raise rules.PressError(
            f"You play {seat.nation} alone, so that there is no team to write to; nothing has been"
            " sent."
        )
    return [seat.nation]


def in_team(press: Press) -> bool:
    """Whether a letter is one of a team's own, which go to nobody else."""
    return (
        press.seat is not None
        and not press.to_all
        and not press.to_gamesmaster
        and list(press.to) == [press.seat.nation]
    )


def circle_of_reply(answered: Press, own: str | None) -> tuple[list[str], bool, bool]:
    """Return whom an answer to a letter goes to, as `send` takes it; `own` None: the gamesmaster's.

    Nations, whether to all, whether to the gamesmaster. Raises `PressError` for an unsigned letter:
    where an answer arrived would tell who wrote it.
    """
    if not answered.signed and (answered.seat is None or answered.seat.nation != own):
        raise rules.PressError(
            "The letter is unsigned, so that no answer finds its writer. Write"
            " to nations by name, or to all."
        )
    if answered.to_all:
        return [], True, False
    if own is not None and in_team(answered):
        return [own], False, False
    inside = {*answered.to, *([answered.seat.nation] if answered.seat is not None else [])}
    nations = [
        seat.nation
        for seat in answered.game.seats.order_by("ordinal")
        if seat.nation in inside and seat.nation != own
    ]
    return nations, False, own is not None and (answered.to_gamesmaster or answered.seat is None)


def send(
    game: Game,
    seat: Seat | None,
    person: Person | None,
    to: Sequence[str],
    text: str,
    *,
    channel: Press.Channel | str,
    to_all: bool = False,
    to_gamesmaster: bool = False,
    signed: bool = True,
    answers: Press | None = None,
    now: datetime,
) -> Press:
    """Keep one letter and write it to everybody who sits where it goes. Raises `PressError`.

    `seat` None: it is the gamesmaster's. `to` are nations as `addressees` gives them. Whether
    `person` may write for the seat is the caller's to ask of `games.permissions`. The game's row is
    taken first, so that a letter is wholly before a phase is closed to letters or wholly after.
    """
    text = tidy(text)
    with transaction.atomic():
        game_row.take_row(game)
        phase = game.phases.current()
        private = (to_gamesmaster and not to) or (seat is not None and list(to) == [seat.nation])
        check_time(game, phase, seat, private and not to_all)
        _check_signature(rules.rules_of(game), seat, signed, to_all, to_gamesmaster)
        if not (to or to_all or to_gamesmaster):
            raise rules.PressError("The letter says not to whom it goes; name one nation or more.")
        _check_number(game, seat, now)
        check_newcomer(person if seat is not None else None, now)
        if not to_all:
            _check_readers(game, to, to_gamesmaster)
        Game.objects.filter(pk=game.pk).update(last_press=F("last_press") + 1)
        press = Press.objects.create(
            game=game,
            number=Game.objects.values_list("last_press", flat=True).get(pk=game.pk),
            code=_new_code(game),
            phase=phase,
            seat=seat,
            person=person,
            to=[] if to_all else list(to),
            to_all=to_all,
            to_gamesmaster=to_gamesmaster,
            signed=signed,
            text=text,
            channel=channel,
            answers=answers,
            sent_at=now,
        )
        messages_press.carry(press, now)
    return press


def _new_code(game: Game) -> int:
    """Return five digits that no letter of the game has yet. The caller holds the game's row."""
    while True:
        code = 10_000 + secrets.randbelow(90_000)
        if not Press.objects.filter(game=game, code=code).exists():
            return code


def tidy(text: str) -> str:
    """Return a letter with plain line ends. Raises `PressError` for what it cannot hold."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        raise rules.PressError("The letter is empty; nothing has been sent.")
    if len(text) > LONGEST:
        raise rules.PressError(
            f"The letter is {len(text):,} characters long; at most {LONGEST:,} are carried. Send it"
            " in parts."
        )
    for number, line in enumerate(text.split("\n"), start=1):
        if any(unicodedata.category(sign) in ("Cc", "Cs") and sign != "\t" for sign in line):
            raise rules.PressError(
                f"Line {number} of the letter contains a control character. Please retype it."
            )
    return text


def check_time(game: Game, phase: Phase | None, seat: Seat | None, question: bool) -> None:
    """Refuse a letter outside its time; a `question` (to no other nation) goes in any phase."""
    if game.status == Game.Status.ABANDONED or (
        game.status == Game.Status.FINISHED and not question and seat is not None
    ):
        raise rules.PressError(f"“{game.title}” is over: no letters are carried any more.")
    if seat is None or question:
        return
    if phase is None:
        raise rules.PressError(
            f"“{game.title}” has not begun: letters are carried from the first letter of the"
            " game on."
        )
    if shut(game, phase):
        until = local_time.in_words(phase.deadline, game.zone)
        raise rules.PressError(
            f"No letters are carried in {phase.title}, until it has been judged; its deadline is"
            f" {until}. Keep the letter and send it then."
        )


def shut(game: Game, phase: Phase | None) -> bool:
    """Return whether letters are closed now; never questions, nor the gamesmaster's own."""
    return (
        phase is not None
        and phase.status not in Phase.CLOSED
        and phase.kind.partition("-")[0] in rules.rules_of(game).closed
    )


def _check_signature(
    allowed: rules.Rules, seat: Seat | None, signed: bool, to_all: bool, to_gamesmaster: bool
) -> None:
    if signed:
        return
    if seat is None or to_gamesmaster:
        raise rules.PressError(
            "Letters to and from the gamesmaster are signed; nothing has been sent."
        )
    if allowed.sender == rules.NAMED:
        raise rules.PressError(
            "In this game every letter is signed; nothing has been sent. Send it signed, or not at"
            " all."
        )
    if allowed.sender == rules.GREY and not to_all:
        raise rules.PressError(
            "In this game only a letter to all nations may be unsigned; nothing has been sent. Send"
            " it to all, or sign it."
        )


def _check_number(game: Game, seat: Seat | None, now: datetime) -> None:
    if seat is None:
        return
    today = Press.objects.filter(game=game, seat=seat, sent_at__gt=now - timedelta(days=1))
    if today.count() >= MOST_A_DAY:
        frees = today.aggregate(newest=Max("sent_at"))["newest"] + timedelta(days=1)
        raise rules.PressError(
            f"{seat.nation} has sent {MOST_A_DAY} letters within a day, which is as many as are"
            f" carried. Keep this one; by {local_time.in_words(frees, game.zone)} all may be sent"
            " again."
        )


def check_newcomer(person: Person | None, now: datetime) -> None:
    """Refuse more than a new account sends in a day, letters and proposals together."""
    if person is None or not now - NEW_FOR < person.joined_at <= now:
        return
    since = now - timedelta(days=1)
    letters = Press.objects.filter(person=person, sent_at__gt=since).exclude(seat=None).count()
    deals = Proposal.objects.filter(person=person, made_at__gt=since, game__practice=False).count()
    if letters + deals >= MOST_A_DAY_WHEN_NEW:
        raise rules.PressError(
            f"Your account is new, and sends {MOST_A_DAY_WHEN_NEW} letters and proposals within a"
            f" day at most. Keep this one and send it tomorrow; the limit ends {NEW_FOR.days} days"
            " after your first login."
        )


def _check_readers(game: Game, to: Sequence[str], to_gamesmaster: bool) -> None:
    """Programs read no letters: one to them alone would go to nobody."""
    seats = {seat.nation: seat for seat in game.seats.all() if not seat.referee}
    if strange := [nation for nation in to if nation not in seats]:
        raise rules.PressError(
            f"There is no nation “{strange[0]}” in this game; name any of {', '.join(seats)}."
        )
    programs = [nation for nation in to if seats[nation].bot or seats[nation].by_table]
    if programs and len(programs) == len(to) and not to_gamesmaster:
        if all(seats[nation].by_table for nation in programs):
            raise rules.PressError(
                f"Nobody holds {all_of(programs)}: write to the nation that has its orders this"
                " turn."
            )
        raise rules.PressError(
            f"{all_of(programs)} {'is' if len(programs) == 1 else 'are'} played by the service,"
            " which reads no letters."
        )


# --- what is said of one ---


def goes_to(press: Press) -> str:
    """Whom a letter is addressed to, in words."""
    if press.to_all:
        return circles.ALL
    if in_team(press):
        return f"the team of {press.to[0]}"
    return all_of([*press.to, *([circles.GAMESMASTER] if press.to_gamesmaster else [])])


def writer(press: Press, *, known: bool = False) -> str:
    """Who wrote it, as readers are told; `known`: to those of the nation that did."""
    if press.seat is None:
        return circles.GAMESMASTER
    return press.seat.nation if press.signed or known else "a nation that does not sign"


def nobody_there(press: Press) -> list[str]:
    """Return nations it goes to in whose seat nobody sits now, without programs."""
    seats = (
        press.game.seats.nations()
        .filter(bot=False, by_table=False)
        .exclude(sittings__until=None, sittings__isnull=False)
        .order_by("ordinal")
    )
    return [seat.nation for seat in seats if press.to_all or seat.nation in press.to]


def unanswered(game: Game) -> list[Press]:
    """Questions that no gamesmaster has answered yet, oldest first."""
    asked = Press.objects.filter(game=game, to_gamesmaster=True, answered_by=None).select_related(
        "seat", "person", "phase"
    )
    return list(asked.order_by("number"))
