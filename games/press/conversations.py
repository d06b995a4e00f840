"""Send letters between nations, as far as the game's rules allow them.

Letters are stored and delivered exactly as written: the service neither adds an address nor removes
one that the writer has put in.
"""

from __future__ import annotations

import json
import secrets
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import F, Max, QuerySet

from games.models import Game, Person, Phase, Press, Proposal, Seat, Sitting
from games.outbox.messages import press_letters
from games.positions import game_row
from games.rules.names import NameFault, all_of, vocabulary
from games.seats import press_rules
from games.timing import local_time

LONGEST = 8_000
MOST_A_DAY = 50
#: Limit for new accounts, over all games, against unwanted mail.
NEW_FOR, MOST_A_DAY_WHEN_NEW = timedelta(days=2), 20
#: A page that sends the same letter again within this time was clicked twice.
CLICKED_TWICE = timedelta(minutes=1)


# --- sending ---


def addressees(game: Game, typed: Iterable[str], own: str | None) -> list[str]:
    """Return nations as typed, in card order, each once. Raise `PressError` for unknown ones."""
    nations = [seat.nation for seat in game.seats.nations().order_by("ordinal")]
    names = vocabulary(tuple(nations), "nation")
    named = set()
    for name in typed:
        try:
            named.add(names.find(name))
        except NameFault as fault:
            raise press_rules.PressError(
                f"{fault}; the letter has not been sent. Name any of {', '.join(nations)}."
            ) from None
    if own in named:
        raise press_rules.PressError(
            f"You are {own} yourself; leave {own} out and send the letter again."
        )
    return [nation for nation in nations if nation in named]


def team_of(seat: Seat) -> list[str]:
    """Return the addressees of a letter to one's own team. Raise `PressError` for a lone player."""
    if not seat.team or seat.sittings.current().count() < 2:
        raise press_rules.PressError(
            f"You play {seat.nation} alone, so there is no team to write to. Nothing was sent."
        )
    return [seat.nation]


def is_for_team(press: Press) -> bool:
    """Return whether a letter is to its writer's own team only."""
    return (
        press.seat is not None
        and not press.to_all
        and not press.to_gamesmaster
        and list(press.to) == [press.seat.nation]
    )


def circle_of_reply(answered: Press, own: str | None) -> tuple[list[str], bool, bool]:
    """Return the addressees of a reply, as `send` takes them: nations, to all, to the gamesmaster.

    `own` is the nation that replies; None for the gamesmaster. Raise `PressError` for an unsigned
    letter, because the arrival of the reply would show who wrote it.
    """
    if not answered.signed and (answered.seat is None or answered.seat.nation != own):
        raise press_rules.PressError(
            "You cannot answer an unsigned letter. Write to nations by name, or to all."
        )
    if answered.to_all:
        return [], True, False
    if own is not None and is_for_team(answered):
        return [own], False, False
    participants = {*answered.to, *([answered.seat.nation] if answered.seat is not None else [])}
    nations = [
        seat.nation
        for seat in answered.game.seats.order_by("ordinal")
        if seat.nation in participants and seat.nation != own
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
    """Store a letter and write it to all who sit in the seats it goes to. Raise `PressError`.

    `seat` None: the gamesmaster writes. `to` are nations as `addressees` returns them. The caller
    has to check with `games.permissions` whether `person` may write for the seat. The game's row is
    locked first, so that a letter is entirely before or entirely after a phase is closed to
    letters. Where a page was clicked twice, return the letter of the first click.
    """
    text = tidy(text)
    with transaction.atomic():
        take_row_for(game, seat, person)
        if channel == Press.Channel.WEB:
            sent: QuerySet[Press] = Press.objects.filter(
                game=game, seat=seat, person=person, text=text, sent_at__gte=now - CLICKED_TWICE
            )
            for again in sent:
                same = ([] if to_all else list(to), to_all, to_gamesmaster, signed, answers)
                read = (again.to, again.to_all, again.to_gamesmaster, again.signed, again.answers)
                if read == same:
                    return again
        phase = game.phases.current()
        private = (to_gamesmaster and not to) or (seat is not None and list(to) == [seat.nation])
        check_time(game, phase, seat, private and not to_all)
        _check_signature(press_rules.rules_of(game), seat, signed, to_all, to_gamesmaster)
        if not (to or to_all or to_gamesmaster):
            raise press_rules.PressError(
                "The letter does not say who it is for. Name at least one nation."
            )
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
        seats = game.seats.all()
        if not to_all:
            seats = seats.filter(nation__in=[*to, *([seat.nation] if seat is not None else [])])
        seats.update(news=F("news") + 1)
        press_letters.carry(press, now)
    return press


def take_row_for(game: Game, seat: Seat | None, person: Person | None) -> None:
    """Lock the game's row for what a person writes in a seat. Raise `PressError`.

    They may have left the seat while they waited for the row, or no longer run the game (`seat`
    None). Programs (`person` None) sit in none.
    """
    game_row.take_row(game)
    if seat is None and (refusal := game_row.refusal_to_run(game, person)):
        raise press_rules.PressError(refusal)
    if seat is None or person is None:
        return
    if not Sitting.objects.current().filter(seat=seat, person=person).exists():
        raise press_rules.PressError(
            f"You no longer play {seat.nation} in “{game.title}”. Nothing was sent."
        )


def _new_code(game: Game) -> int:
    """Return five digits that no other letter of the game has.

    The caller has locked the game's row.
    """
    while True:
        code = 10_000 + secrets.randbelow(90_000)
        if not Press.objects.filter(game=game, code=code).exists():
            return code


def tidy(text: str) -> str:
    """Return a letter with plain line ends.

    Raise `PressError` if it is empty or cannot be stored.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        raise press_rules.PressError("The letter is empty. Nothing was sent.")
    if len(text) > LONGEST:
        raise press_rules.PressError(
            f"The letter is {len(text):,} characters long; at most {LONGEST:,} are carried. Send it"
            " in parts."
        )
    for number, line in enumerate(text.split("\n"), start=1):
        if any(unicodedata.category(sign) in ("Cc", "Cs") and sign != "\t" for sign in line):
            raise press_rules.PressError(
                f"Line {number} of the letter contains a control character. Please retype it."
            )
    return text


def check_time(game: Game, phase: Phase | None, seat: Seat | None, question: bool) -> None:
    """Raise `PressError` if letters cannot be sent now.

    A `question` (to no other nation) can be sent in any phase.
    """
    if game.status == Game.Status.ABANDONED or (
        game.status == Game.Status.FINISHED and not question and seat is not None
    ):
        raise press_rules.PressError(f"“{game.title}” is over: you can no longer send letters.")
    if seat is None or question:
        return
    if phase is None:
        raise press_rules.PressError(
            f"“{game.title}” has not begun: you can send letters once it has."
        )
    if shut(game, phase):
        until = local_time.in_words(phase.deadline, game.zone)
        raise press_rules.PressError(
            f"You cannot send letters in {phase.title}, until it is resolved. Its deadline is"
            f" {until}. Keep the letter and send it then."
        )


def why_closed(game: Game, phase: Phase | None, seat: Seat | None) -> str:
    """Return why letters to other nations cannot be sent now, as a sentence; "" if they can."""
    try:
        check_time(game, phase, seat, question=False)
    except press_rules.PressError as refused:
        return str(refused)
    return ""


def shut(game: Game, phase: Phase | None) -> bool:
    """Return whether letters are closed now.

    Questions and the gamesmaster's own letters never are.
    """
    return (
        phase is not None
        and phase.status not in Phase.CLOSED
        and phase.kind.partition("-")[0] == press_rules.rules_of(game).closed
    )


def _check_signature(
    allowed: press_rules.Rules, seat: Seat | None, signed: bool, to_all: bool, to_gamesmaster: bool
) -> None:
    if signed:
        return
    if seat is None or to_gamesmaster:
        raise press_rules.PressError(
            "Letters to and from the gamesmaster are always signed. Nothing was sent."
        )
    if allowed.sender == press_rules.NAMED:
        raise press_rules.PressError(
            "In this game every letter is signed. Nothing was sent. Send it signed, or not at all."
        )
    if allowed.sender == press_rules.GREY and not to_all:
        raise press_rules.PressError(
            "In this game only a letter to all nations may be unsigned. Nothing was sent. Send it"
            " to all, or sign it."
        )


def _check_number(game: Game, seat: Seat | None, now: datetime) -> None:
    if seat is None:
        return
    today = Press.objects.filter(game=game, seat=seat, sent_at__gt=now - timedelta(days=1))
    if today.count() >= MOST_A_DAY:
        frees = today.aggregate(newest=Max("sent_at"))["newest"] + timedelta(days=1)
        raise press_rules.PressError(
            f"{seat.nation} has sent {MOST_A_DAY} letters within a day, which is the limit. Keep"
            f" this one; by {local_time.in_words(frees, game.zone)} you can send the full number"
            " again."
        )


def check_newcomer(person: Person | None, now: datetime) -> None:
    """Raise `PressError` for more letters and proposals than a new account may send in a day."""
    if person is None or not now - NEW_FOR < person.joined_at <= now:
        return
    game_row.take_person(person)
    since = now - timedelta(days=1)
    letters = Press.objects.filter(person=person, sent_at__gt=since).exclude(seat=None).count()
    deals = Proposal.objects.filter(person=person, made_at__gt=since, game__practice=False).count()
    if letters + deals >= MOST_A_DAY_WHEN_NEW:
        raise press_rules.PressError(
            f"Your account is new and can send at most {MOST_A_DAY_WHEN_NEW} letters and proposals"
            f" a day. Keep this one and send it tomorrow. The limit ends {NEW_FOR.days} days after"
            " your first login."
        )


def _check_readers(game: Game, to: Sequence[str], to_gamesmaster: bool) -> None:
    """Raise `PressError` for a letter to programs only: they do not read."""
    seats = {seat.nation: seat for seat in game.seats.all() if not seat.referee}
    if unknown := [nation for nation in to if nation not in seats]:
        raise press_rules.PressError(
            f"There is no nation “{unknown[0]}” in this game. Choose from {', '.join(seats)}."
        )
    programs = [nation for nation in to if seats[nation].bot or seats[nation].by_table]
    if programs and len(programs) == len(to) and not to_gamesmaster:
        if all(seats[nation].by_table for nation in programs):
            raise press_rules.PressError(
                f"Nobody plays {all_of(programs)}: write to the nation that sends its orders this"
                " turn."
            )
        raise press_rules.PressError(
            f"{all_of(programs)} {'is' if len(programs) == 1 else 'are'} played by the service,"
            " which reads no letters."
        )


# --- reading ---


#: The present sittings of a person with letters unread. Raw SQL, because every page asks it, and
#: Django takes five times as long to build it as the database takes to answer it.
_UNREAD = """
    SELECT seat.game_id, CAST(sitting.unread AS text)
    FROM games_sitting sitting
    JOIN games_seat seat ON seat.id = sitting.seat_id
    JOIN games_game game ON game.id = seat.game_id
    WHERE sitting.person_id = %s AND sitting.until IS NULL
        AND CAST(sitting.unread AS text) <> '[]' AND game.status IN (%s, %s, %s)
"""


def unread_letters(person: Person) -> dict[int, set[int]]:
    """Return the codes of a person's unread letters, by game in progress that has any."""
    with connection.cursor() as cursor:
        cursor.execute(_UNREAD, [person.pk, *Game.Status.going_on()])
        rows = cursor.fetchall()
    unread: dict[int, set[int]] = {}
    for game, codes in rows:
        unread.setdefault(game, set()).update(json.loads(codes))
    return unread


@transaction.atomic
def mark_read(person: Person, game: Game, codes: set[int]) -> None:
    """Take these letters off a person's unread ones. The game's row keeps a new letter apart."""
    game_row.take_row(game)
    for sitting in Sitting.objects.current().filter(person=person, seat__game=game):
        sitting.unread = [code for code in sitting.unread if code not in codes]
        sitting.save(update_fields=["unread"])


# --- describing a letter ---


def describe_addressees(press: Press) -> str:
    """Return the addressees of a letter, in words."""
    if press.to_all:
        return press_rules.ALL
    if is_for_team(press):
        return f"the team of {press.to[0]}"
    return all_of([*press.to, *([press_rules.GAMESMASTER] if press.to_gamesmaster else [])])


def writer(press: Press, *, known: bool = False) -> str:
    """Return the writer of a letter, in words. `known`: for readers of the nation that wrote it."""
    if press.seat is None:
        return press_rules.GAMESMASTER
    return press.seat.nation if press.signed or known else "a nation that does not sign"


def unheld_addressees(press: Press) -> list[str]:
    """Return nations it goes to that nobody plays now, without programs."""
    seats = (
        press.game.seats.nations()
        .filter(bot=False, by_table=False)
        .exclude(sittings__until=None, sittings__isnull=False)
        .order_by("ordinal")
    )
    return [seat.nation for seat in seats if press.to_all or seat.nation in press.to]


def unanswered_questions(games: Iterable[Game]) -> QuerySet[Press]:
    """Return players' questions that no gamesmaster has answered yet, oldest first."""
    return Press.objects.filter(
        game__in=list(games), to_gamesmaster=True, seat__isnull=False, answered_by=None
    ).order_by("pk")
