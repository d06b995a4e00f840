"""News of a game since a page was made. static/page.js asks for them and shows them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.text import capfirst
from django.views.decorators.http import require_safe

from games import permissions, positions
from games.base import clock
from games.models import Game, Person, Phase, Press, ProposalAnswer
from games.pages.decorators import for_readers
from games.pages.live_tags import EVERYBODYS, NO_OTHERS, QUESTIONS, tag_of
from games.pages.tags.formatting import in_full
from games.positions import in_force, owed
from games.press.conversations import writer
from games.rules.names import all_of
from games.timing import schedule
from orders.models import Submission

#: Seconds after which a visible page asks again.
AGAIN = 2
#: A page without JavaScript reloads after `RELOAD` seconds if a result is due within
#: `RESULT_NEAR`.
RELOAD = 5
RESULT_NEAR = timedelta(minutes=1)
LONGEST = 200  # characters of `?seen=`


@dataclass(frozen=True)
class Live:
    """What a page needs to ask for news. `follow`: go to the next report automatically. `reload`:
    seconds after which a page without JavaScript reloads; 0 for never."""

    address: str
    follow: bool = False
    reload: int = 0


@dataclass(frozen=True)
class ShownState:
    """What a page has shown: a phase and what changes in it. None: the page did not say."""

    number: int
    stage: str  # "open", "closed", "judged" or "undone"
    deadline: int
    nations: frozenset[int] | None = None  # ordinals of the seats whose orders are in
    letters: int | None = None  # the code of the newest letter of others to the reader; 0: none
    deals: tuple[int, int] | None = None  # proposals, and answers, from others to the reader

    def as_text(self) -> str:
        parts = [str(self.number), self.stage, str(self.deadline)]
        if self.nations is not None:
            parts.append("-".join(str(ordinal) for ordinal in sorted(self.nations)))
            parts += [str(self.letters or 0), "-".join(map(str, self.deals or (0, 0)))]
        return ".".join(parts)

    @classmethod
    def from_text(cls, text: str) -> ShownState | None:
        """Parse what `as_text` wrote; return None for anything else."""
        parts = text.split(".") if len(text) <= LONGEST else []
        try:
            number, stage, deadline = int(parts[0]), parts[1], int(parts[2])
            if len(parts) == 3:
                return cls(number, stage, deadline)
            nations = frozenset(int(ordinal) for ordinal in parts[3].split("-") if ordinal)
            told = [int(count) for count in parts[5].split("-")] if len(parts) > 5 else []
            dealt = (told[0], told[1]) if len(told) == 2 else None
            return cls(number, stage, deadline, nations, int(parts[4]), dealt)
        except (ValueError, IndexError):
            return None


def live(
    game: Game,
    phase: Phase | None,
    now: datetime,
    reader: permissions.Someone,
    *,
    follow: bool = False,
    reload: bool = False,
) -> Live:
    """Return what a page that shows this phase needs to ask for news. No queries.

    `follow`: in a trial game, go to the next report automatically, and from a game about to begin
    to its first phase; `reload`: without JavaScript, reload while the result is near.
    """
    near = (
        phase is not None
        and not game.is_over
        and phase.status not in Phase.CLOSED
        and phase.due_at is not None
        and phase.due_at <= now + RESULT_NEAR
    )
    return Live(
        f"{reverse('game-state', args=[game.pk])}?seen={_current_state(phase).as_text()}"
        f"&at={now.timestamp():.6f}{_newest_unread(reader, game)}",
        follow and (game.for_trying or game.status == Game.Status.FORMING),
        RELOAD if reload and near else 0,
    )


def _letters_read(person: permissions.Someone, game: Game) -> str:
    if not permissions.answers_questions(person, game):
        return NO_OTHERS
    return EVERYBODYS if permissions.reads_all_between(person, game) else QUESTIONS


@require_safe
@for_readers
def state(request: HttpRequest, game: Game) -> HttpResponse:
    """Return as JSON what has happened since `?seen=`, with an ETag. The first question of a page
    says when the page was made, `at`, and which letters were the newest `unread` ones; not which
    letters and deals it has shown.

    {"seen": the value for the next request, "news": [{"text", "links": [[label, address]]}],
    "wanted": whether the reader's orders are due, "follow": the address of the newest report,
    "again": seconds until the next request, 0 for never}
    """
    # Before all other reads, so that the next request gets changes. `NotModifiedAnswer` has made it
    # already if the last answer was to the same reader.
    pk, reads = request.user.pk or 0, _letters_read(request.user, game)
    tag: str = getattr(request, "live_tag", "")
    if not tag.startswith(f'"{pk}{reads}-'):
        tag = tag_of(request, game.pk, pk, reads)
    phase = game.phases.current()
    if phase is not None:
        phase.game = game
    sent = in_force.in_force(phase) if phase and phase.takes_orders else {}
    shown = ShownState.from_text(request.GET.get("seen", ""))
    made_at = _instant(request.GET.get("at", ""))
    known = request.GET.get("unread")
    unread = {code for codes in _unread(request.user, game) for code in codes}
    shown_letter, letters = _letters(
        request.user,
        game,
        shown.letters if shown else None,
        made_at,
        unread if known is not None else set(),
        known=(known or "")[:LONGEST].split("-"),
    )
    dealt = _deals(request.user, game)
    current = replace(
        _current_state(phase),
        nations=frozenset(submission.seat.ordinal for submission in sent.values()),
        letters=shown_letter,
        deals=(len(dealt[0]), len(dealt[1])),
    )
    seen = shown or current
    if seen.nations is None:
        seen = replace(seen, nations=current.nations, letters=current.letters)
    if seen.deals is None:
        older = [sum(at <= made_at for at, _ in told) for told in dealt]
        seen = replace(seen, deals=(older[0], older[1]))
    owing = _owing_nations(request.user, phase, sent)
    judged = _newest_judged_phase(game, phase, seen)
    answer = {
        "seen": seen.as_text(),
        "news": [
            *_phase_news(game, phase, seen, current, judged, owing),
            *_order_news(phase, seen, current, sent, owing),
            *_letter_news(game, letters),
            *_deal_news(game, dealt, seen.deals or (0, 0)),
        ],
        "wanted": bool(owing),
        "follow": _next_page(game, seen, judged),
        "again": 0 if game.is_over else AGAIN,
    }
    headers = {"Cache-Control": "private, no-cache"} | ({"ETag": tag} if tag else {})
    return JsonResponse(answer, headers=headers)


def _current_state(phase: Phase | None) -> ShownState:
    if phase is None:
        return ShownState(0, "none", 0)
    stages = {
        Phase.Status.OPEN: "open",
        Phase.Status.RESOLVED: "judged",
        Phase.Status.UNDONE: "undone",
    }
    stage = stages.get(Phase.Status(phase.status), "closed")
    return ShownState(phase.number, stage, int(phase.deadline.timestamp()))


def _newest_unread(reader: permissions.Someone, game: Game) -> str:
    """Return `&unread=`, with the code of the newest letter unread in each seat of the reader.

    A letter that was written before the page was made, and stored after, is known by it: not by its
    time. Return "" where `permissions.load_seats` has not read the seats.
    """
    if game.seats_read is None:
        return ""
    newest = [codes[-1] for codes in _unread(reader, game) if codes]
    return f"&unread={'-'.join(map(str, newest))}"


def _unread(reader: permissions.Someone, game: Game) -> list[list[int]]:
    """Return the codes of a reader's unread letters in each of their seats, oldest first."""
    return [
        sitting.unread
        for seat in game.seats_read or ()
        for sitting in seat.sitting_now or ()
        if sitting.person_id == reader.pk
    ]


def _instant(text: str) -> datetime:
    """Return the instant of a page, in seconds since 1970; now for anything else."""
    try:
        return datetime.fromtimestamp(float(text[:LONGEST]), UTC)
    except (ValueError, OverflowError, OSError):
        return clock.now()


def _letters(
    person: permissions.Someone,
    game: Game,
    shown: int | None,
    made_at: datetime,
    unread: Collection[int],
    *,
    known: Collection[str],
) -> tuple[int, list[Press]]:
    """Return the code of the newest letter of others to the reader that their page has shown (0:
    none), and the letters after it, the newest first. `shown`: that code; None: what had been sent
    when the page was made, except those `unread` now that came after the newest it `known`."""
    if not isinstance(person, Person) or game.is_over or not game.last_press:
        return shown or 0, []
    later: list[Press] = []
    for letter in permissions.letters_to(person, game):
        is_old = letter.sent_at <= made_at and letter.code not in unread
        is_first = shown is None and (is_old or str(letter.code) in known)
        if is_first or letter.code == shown:
            return letter.code, later
        later.append(letter)
    return shown or 0, later


#: What other nations did about deals, proposals and answers: when, and the sentence.
Told = list[tuple[datetime, str]]


def _deals(person: permissions.Someone, game: Game) -> tuple[Told, Told]:
    """Return what other nations proposed to the reader's nations, and what they answered.

    Each in the order in which it was stored, so that a count says what a page has shown: one that
    waited for the game's row has an earlier time than some that were stored before it.
    """
    if not isinstance(person, Person) or game.is_over or not game.last_deal:
        return [], []
    own_seats = {seat.pk for seat in permissions.held_seats(person, game)}
    if not own_seats:
        return [], []
    proposed: Told = []
    answered: list[tuple[int, datetime, str]] = []
    ours = Q(seat__in=own_seats) | Q(to__in=own_seats)
    for deal in permissions.readable_deals(person, game, ours):
        answer: ProposalAnswer | None = getattr(deal, "answer", None)
        if deal.to_id in own_seats and deal.seat_id not in own_seats:
            proposed.append((deal.made_at, f"{deal.seat.nation} proposes a deal to you."))
        # A counter-proposal is announced as a proposal.
        if answer is None or answer.kind == ProposalAnswer.Kind.COUNTERED:
            continue
        withdrawn = answer.kind == ProposalAnswer.Kind.WITHDRAWN
        by, addressee = (deal.seat, deal.to) if withdrawn else (deal.to, deal.seat)
        if addressee.pk in own_seats and by.pk not in own_seats:
            number = deal.number_for(addressee.pk)
            words = f" “{answer.reason}”" if answer.reason else ""
            sentence = f"{by.nation} {answer.verb} deal No. {number}.{words}"
            answered.append((answer.pk, answer.made_at, sentence))
    return proposed, [(at, sentence) for _, at, sentence in sorted(answered)]


def _owing_nations(
    person: permissions.Someone, phase: Phase | None, sent: dict[str, Submission]
) -> list[str]:
    if phase is None or not phase.is_timed or not isinstance(person, Person):
        return []
    if phase.game.status != Game.Status.RUNNING or phase.idle:
        return []
    return owed.nations_owed_by(person, phase, sent)


def _newest_judged_phase(game: Game, phase: Phase | None, seen: ShownState) -> Phase | None:
    """Return the newest phase that was judged since, or None. `phase`: the newest that is not
    undone."""
    if phase is not None and phase.number == seen.number and phase.status != Phase.Status.RESOLVED:
        return None
    if seen.stage == "judged":
        later = game.phases.filter(number__gt=seen.number)
    else:
        later = game.phases.filter(number__gte=max(seen.number, 1))
    newest: Phase | None = later.filter(status=Phase.Status.RESOLVED).order_by("-number").first()
    if newest is not None:
        newest.game = game
    return newest


def _next_page(game: Game, seen: ShownState, judged: Phase | None) -> str:
    """Return where a page that follows the game goes on: to the newest report, or to the page of a
    game that has begun since."""
    if judged is not None:
        return _report_url(judged)
    return game.get_absolute_url() if seen.number == 0 and game.in_progress else ""


def _report_url(phase: Phase) -> str:
    return reverse("phase", args=[phase.game_id, phase.number])


News = dict[str, str | list[list[str]]]


def _phase_news(
    game: Game,
    phase: Phase | None,
    seen: ShownState,
    current: ShownState,
    judged: Phase | None,
    wanted: list[str],
) -> list[News]:
    page = game.get_absolute_url()
    if judged is not None:
        links = [["See what happened", _report_url(judged)]]
        if game.status == Game.Status.FINISHED:
            links.append(["See how the game ended", page])
        return [{"text": f"{judged.title}: judged.", "links": links + _order_links(game, wanted)}]
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
        return [{"text": text, "links": [["See the game", page], *_order_links(game, wanted)]}]
    if phase.takes_orders:
        return [{"text": f"{phase.title}: held for the gamesmaster.", "links": [["See why", page]]}]
    return [{"text": "Orders are closed.", "links": [["See what decides", page]]}]


def _order_links(game: Game, wanted: list[str]) -> list[list[str]]:
    if not wanted:
        return []
    seat = game.seats.get(nation=wanted[0])
    return [["Write the next orders", reverse("orders", args=[game.pk, seat.pk])]]


def _order_news(
    phase: Phase | None,
    seen: ShownState,
    current: ShownState,
    sent: dict[str, Submission],
    owing: list[str],
) -> list[News]:
    """Report whose orders came in. In a practice game, bots' orders are not worth mentioning."""
    if phase is None or (current.number, current.stage) != (seen.number, "open"):
        return []
    game = phase.game
    if game.practice:
        return []
    nations = [
        name
        for name, submission in sent.items()
        if submission.seat.ordinal not in (seen.nations or ())
    ]
    if not nations:
        return []
    if owing and {*owed.asked_nations(game, positions.state_of(phase))} <= {*sent, *owing}:
        last = "Everybody else has sent orders. You are the last."
        return [{"text": last, "links": _order_links(game, owing)}]
    text = f"Orders of {all_of(nations)} are in."
    return [{"text": text, "links": [["See the game", game.get_absolute_url()]]}]


def _letter_news(game: Game, came: list[Press]) -> list[News]:
    if not came:
        return []
    text = capfirst(f"{all_of(sorted({writer(letter) for letter in came}))} wrote to you.")
    return [{"text": text, "links": [["Read it", reverse("press", args=[game.pk])]]}]


def _deal_news(game: Game, dealt: tuple[Told, Told], seen: tuple[int, int]) -> list[News]:
    came = [words for told, shown in zip(dealt, seen, strict=True) for _, words in told[shown:]]
    if not came:
        return []
    links = [["See your deals", reverse("deals", args=[game.pk])]]
    return [{"text": " ".join(dict.fromkeys(came)), "links": links}]
