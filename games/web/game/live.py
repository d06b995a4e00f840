"""What has happened in a game since a page was made: static/live.js asks, and shows it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.http import quote_etag
from django.views.decorators.http import condition, require_safe

from games import permissions, positions
from games.models import Game, Person, Phase, Press, Sitting
from games.rules.names import all_of
from games.templatetags.formatting import in_full
from games.timing import schedule
from games.web.decorators import for_readers
from orders import in_force, owed
from orders.models import Submission

#: Seconds until a page that is looked at asks again.
AGAIN = 2
#: Without a script, a page loads itself again after so many seconds where a result comes within
#: so long.
RELOAD = 5
RESULT_NEAR = timedelta(minutes=1)
LONGEST = 200  # characters of what a page says that it has seen


@dataclass(frozen=True)
class Live:
    """What a page says of itself. `follow` goes to the next report by itself; `reload` is 0 or the
    seconds after which a page without a script loads again."""

    address: str
    follow: bool = False
    reload: int = 0


@dataclass(frozen=True)
class Seen:
    """What a page has shown: a phase, and of it what changes. None: the page said nothing of it."""

    number: int
    stage: str  # "open", "closed", "judged" or "undone"
    deadline: int
    nations: frozenset[int] | None = None  # ordinals of the seats whose orders are in
    letters: int | None = None

    def as_text(self) -> str:
        parts = [str(self.number), self.stage, str(self.deadline)]
        if self.nations is not None:
            parts += ["-".join(str(one) for one in sorted(self.nations)), str(self.letters or 0)]
        return ".".join(parts)

    @classmethod
    def from_text(cls, text: str) -> Seen | None:
        """Read what `as_text` wrote; None where somebody else wrote it."""
        parts = text.split(".") if len(text) <= LONGEST else []
        try:
            number, stage, deadline = int(parts[0]), parts[1], int(parts[2])
            if len(parts) == 3:
                return cls(number, stage, deadline)
            nations = frozenset(int(one) for one in parts[3].split("-") if one)
            return cls(number, stage, deadline, nations, int(parts[4]))
        except (ValueError, IndexError):
            return None


def live(
    game: Game, phase: Phase | None, now: datetime, *, follow: bool = False, reload: bool = False
) -> Live:
    """Return what a page that shows this phase says of itself. Asks the database nothing.

    `follow`: in a game for trying the page goes to the next report by itself; `reload`: without
    a script it loads itself again while the result is near.
    """
    near = (
        phase is not None
        and not game.is_over
        and phase.status not in Phase.CLOSED
        and phase.due_at is not None
        and phase.due_at <= now + RESULT_NEAR
    )
    return Live(
        f"{reverse('game-state', args=[game.pk])}?seen={_shown(phase).as_text()}",
        follow and game.for_trying,
        RELOAD if reload and near else 0,
    )


def _etag(request: HttpRequest, pk: int) -> str | None:
    """Return a hash of all that an answer depends on: one page asks many times before there is
    news, and this costs two small queries.

    None for strangers to a private game: they get the same answer whatever happens in it.
    """
    of_game = ("status", "record_hash", "last_submission", "last_press")
    newest = (
        Phase.objects.filter(game=pk)
        .not_undone()
        .order_by("-number")
        .values_list("game__public", "status", "deadline", *(f"game__{one}" for one in of_game))
        .first()
    )
    reader = request.user
    if newest is None or not (newest[0] or permissions.active(reader)):
        return None
    facts: list[object] = [request.GET.get("seen", ""), *newest]
    if permissions.active(reader):
        seats = Sitting.objects.current().filter(person=reader.pk, seat__game=pk)
        facts += [reader.pk, reader.zone, *seats.order_by("seat").values_list("seat", flat=True)]
    return quote_etag(hashlib.sha256(repr(facts).encode()).hexdigest()[:32])


@require_safe
@condition(etag_func=_etag)
@for_readers
def state(request: HttpRequest, game: Game) -> HttpResponse:
    """Say as JSON what has happened since `?seen=`, with an ETag.

    {"seen": what to ask with next, "news": [{"text", "links": [[label, address]]}], "wanted":
    whether the reader's orders are, "follow": the address of the newest report, "again": seconds
    to the next question, 0 for never}
    """
    phase = game.phases.current()
    if phase is not None:
        phase.game = game
    sent = in_force.in_force(phase) if phase and phase.status == Phase.Status.OPEN else {}
    letters = _letters(request.user, game)
    current = replace(
        _shown(phase),
        nations=frozenset(one.seat.ordinal for one in sent.values()),
        letters=len(letters),
    )
    seen = Seen.from_text(request.GET.get("seen", "")) or current
    if seen.nations is None:
        seen = replace(seen, nations=current.nations, letters=current.letters)
    wanted = _wanted(request.user, phase)
    judged = _judged(game, seen)
    answer = {
        "seen": seen.as_text(),
        "news": [
            *_of_phases(game, phase, seen, current, judged, wanted),
            *_of_orders(game, seen, current, sent),
            *_of_letters(game, letters[seen.letters or 0 :]),
        ],
        "wanted": bool(wanted),
        "follow": _report(judged) if judged else "",
        "again": 0 if game.is_over else AGAIN,
    }
    return JsonResponse(answer, headers={"Cache-Control": "private, no-cache"})


def _shown(phase: Phase | None) -> Seen:
    if phase is None:
        return Seen(0, "none", 0)
    stages = {
        Phase.Status.OPEN: "open",
        Phase.Status.RESOLVED: "judged",
        Phase.Status.UNDONE: "undone",
    }
    stage = stages.get(Phase.Status(phase.status), "closed")
    return Seen(phase.number, stage, int(phase.deadline.timestamp()))


def _letters(person: permissions.Someone, game: Game) -> list[Press]:
    """Return the letters between nations that others have written to the reader."""
    if not isinstance(person, Person) or game.is_over or not game.last_press:
        return []
    return [one for one in permissions.readable_press(person, game) if one.person_id != person.pk]


def _wanted(person: permissions.Someone, phase: Phase | None) -> list[str]:
    """Return the nations whose orders the reader has still to send."""
    if phase is None or phase.status != Phase.Status.OPEN or not isinstance(person, Person):
        return []
    if phase.game.status != Game.Status.RUNNING or phase.idle or phase.sheeted:
        return []
    missing = owed.by(person, phase)
    acting = phase.game.rules.acting(positions.state_of(phase)) if missing else ()
    return [nation for nation in missing if nation in acting]


def _judged(game: Game, seen: Seen) -> Phase | None:
    """Return the newest phase that was judged since."""
    if seen.stage == "judged":
        later = game.phases.filter(number__gt=seen.number)
    else:
        later = game.phases.filter(number__gte=max(seen.number, 1))
    newest: Phase | None = later.filter(status=Phase.Status.RESOLVED).order_by("-number").first()
    if newest is not None:
        newest.game = game
    return newest


def _report(phase: Phase) -> str:
    return reverse("phase", args=[phase.game_id, phase.number])


News = dict[str, str | list[list[str]]]


def _of_phases(
    game: Game,
    phase: Phase | None,
    seen: Seen,
    current: Seen,
    judged: Phase | None,
    wanted: list[str],
) -> list[News]:
    page = game.get_absolute_url()
    if judged is not None:
        links = [["See what happened", _report(judged)]]
        if game.status == Game.Status.FINISHED:
            links.append(["See how the game ended", page])
        return [{"text": f"{judged.title}: judged.", "links": links + _to_write(game, wanted)}]
    if phase is None or (current.number, current.stage) == (seen.number, seen.stage):
        moved = phase is not None and current.deadline != seen.deadline
        if not moved or phase is None or current.stage != "open":
            return []
        if phase.deadline >= schedule.STANDS:
            return [{"text": "The game is paused.", "links": [["See why", page]]}]
        text = f"The deadline is now {in_full(phase.deadline)}."
        return [{"text": text, "links": [["See why", page]]}]
    if current.stage == "open":
        text = f"{phase.title} is open."
        return [{"text": text, "links": [["See the game", page], *_to_write(game, wanted)]}]
    return [{"text": "Orders are closed.", "links": [["See what decides", page]]}]


def _to_write(game: Game, wanted: list[str]) -> list[list[str]]:
    if not wanted:
        return []
    seat = game.seats.get(nation=wanted[0])
    return [["Write the next orders", reverse("orders", args=[game.pk, seat.pk])]]


def _of_orders(game: Game, seen: Seen, current: Seen, sent: dict[str, Submission]) -> list[News]:
    """Say whose orders came. The bots of a practice game are not worth a word."""
    if game.practice or (current.number, current.stage) != (seen.number, "open"):
        return []
    came = [name for name, one in sent.items() if one.seat.ordinal not in (seen.nations or ())]
    if not came:
        return []
    text = f"Orders of {all_of(came)} are in."
    return [{"text": text, "links": [["See the game", game.get_absolute_url()]]}]


def _of_letters(game: Game, came: list[Press]) -> list[News]:
    if not came:
        return []
    writers = {one.seat.nation if one.seat else "The gamesmaster" for one in came}
    text = f"{all_of(sorted(writers))} wrote to you."
    return [{"text": text, "links": [["Read it", reverse("press", args=[game.pk])]]}]
