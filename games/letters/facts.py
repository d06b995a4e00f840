"""What each letter says, as plain values for its templates. No template asks the database anything.

Whatever people wrote (titles, names, reasons) comes out on one line, so that nobody can write a
paragraph in the service's name. Positions come from `view` alone: a letter to one seat shows what
that nation may see, any other what the public may.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.conf import settings

from games import permissions
from games.accounts import tokens
from games.boards.images import Drawing
from games.boards.images import changed as changes
from games.game_templates import template_of
from games.market.rolls import by_sales
from games.models import (
    DeadlineChange,
    Figure,
    Game,
    Invitation,
    Letter,
    Listing,
    LoginKey,
    Phase,
    Reading,
    Resolution,
    Restoration,
    Seat,
    SessionChange,
    people,
)
from games.outbox.messages import answers as messages_answers
from games.outbox.messages import press as press_messages
from games.outbox.messages import referee as messages_referee
from games.records import proof
from games.rules import Board
from games.rules.digits import digit_of_shares, roll_number
from games.rules.names import all_of
from games.rules.verification import entries
from games.seats import pairs
from games.seats.teams import by_vote
from games.turns import schedule
from gamesmaster import links, text

from . import account, moments, moulds, once, play, silence, story, teams, wording
from . import board as boards
from .pictures import Sketch

if TYPE_CHECKING:
    from orders.models import Submission

Facts = dict[str, Any]

#: What letters are called when another letter speaks of them.
NAMES = {
    "login": "the login letter",
    "invitation": "the invitation",
    "begins": "the first letter of the game",
    "opened": "the letter that opens the phase",
    "reminder": "the reminder",
    "receipt": "the receipt for orders",
    "stock": "a letter about orders",  # no more: that a stock is doubtful is for its sender alone
    "locked": "the letter with the digest of all orders",
    "board": "the report with the new board",
    "over": "the final report",
    "ruled": "the letter about a ruling",
    "approval": "the letter about a result that waits",
    "held": "the letter about a phase that waits",
    "overdue": "the letter about figures that are waited for",
    "waiting": "the letter about a result that comes later",
    "restated": "the letter about a figure that the publisher has changed",
    "session": "the letter about another session",
    "closure": "the letter about a day without trading",
    "moved": "the letter about a new deadline",
    "address": "the letter that confirms an address",
    "confirm": "the letter that asks who wrote",
    "word": "the answer to a letter",
    "declined": "the letter about an invitation that was declined",
    "bouncing": "the letter about letters that come back",
    "muted": "the letter about letters not wanted",
    "mailheld": "the letter about mail that waits",
    "mailfailed": "the letter about mail that could not be dealt with",
    "paused": "the letter about a pause",
    "resumed": "the letter about the end of a pause",
    "rescheduled": "the letter about another schedule",
    "change": "a letter about the running of the game",
    "seat": "the letter about a seat",
    "spokesman": "the letter about the spokesman of a team",
    "left": "the letter about the end of a sitting",
    "newcomer": "the letter with the game so far",
    "asks": "the letter about somebody who asks for a seat",
    "handed": "the letter about a gamesmaster",
    "vacant": "the letter about a vacant seat",
    "abandoned": "the letter about the end of the game",
    "restored": "the letter about the service put back from a copy",
    messages_referee.DUE: "the letter that asks for a sheet",
    messages_referee.WAITS: "the letter about a sheet that is waited for",
    messages_referee.SHEET: "the receipt for a sheet",
    messages_answers.ANSWER: "the answer to a message",
    press_messages.PRESS: "a letter between nations",
    press_messages.QUESTION: "a question to the gamesmaster",
    "channel": "the letter about a channel",
}


#: How orders came, after "They came".
CHANNELS = {
    "web": "from the order page",
    "mail": "by mail",
    "telephone": "by telephone",
    "paper": "on paper",
    "program": "from the service",
}


def common(letter: Letter) -> Facts:
    name = text.one_line(letter.person.name) if letter.person else ""
    return {
        "site": settings.SITE_URL,
        "host": settings.SITE_HOST,
        "name": "" if name.startswith("The ") else name,  # nobody writes "Dear The house"
        "kind": letter.kind,
    }


def of_game(letter: Letter, game: Game) -> Facts:
    return {
        "title": text.one_line(game.title),
        "rules_title": game.rules.title,
        "game_link": links.link("game", game.pk),
        "demo": game.market == Game.Market.DEMO,
        "phase_title": letter.phase.title if letter.phase else "",
        "phase_link": links.link("phase", game.pk, letter.phase.number) if letter.phase else "",
        "retold": _retold(letter, game),
        "record_line": (
            entries.record_line(game.pk, letter.record_hash) if letter.record_hash else ""
        ),
    }


def _retold(letter: Letter, game: Game) -> str:
    """After the service has been put back from a copy: that a letter about this phase may have come
    before, with other content."""
    if (
        game.retold_through is None
        or letter.phase is None
        or letter.phase.number > game.retold_through
        or letter.kind == "restored"
    ):
        return ""
    if Restoration.objects.filter(
        restored_at__gte=letter.written_at
    ).exists():  # as it may have gone out then: under that Message-ID
        return ""
    return (
        "The service was put back from a copy of its books. A letter about this phase may have"
        " reached you before: where the two differ, this one holds."
    )


# --- what several letters say ---


def told_at(letter: Letter, instant: datetime) -> str:
    """An instant in the reader's zone, the game's beside it."""
    beside = letter.game.zone if letter.game else ""
    return moments.in_words(
        instant, letter.person.zone if letter.person else beside or "UTC", beside
    )


def seats_of(letter: Letter) -> list[Seat]:
    seats = letter.about.get("seats", ())
    return (
        [
            seat
            for seat in once.ask(("seats", letter.game_id), lambda: _seats(letter))
            if seat.pk in seats
        ]
        if seats
        else []
    )


def _seats(letter: Letter) -> list[Seat]:
    return list(Seat.objects.filter(game=letter.game_id).order_by("ordinal"))


def ordering(letter: Letter, phase: Phase) -> list[Seat]:
    """The seats whose orders the reader sends in a phase: his own, and behind them the allies that
    these control in it."""
    seats = seats_of(letter)
    allies = permissions.nations_controlled((seat.nation for seat in seats), phase)
    return (
        seats
        + list(Seat.objects.filter(game=letter.game_id, nation__in=allies).order_by("ordinal"))
        if allies
        else seats
    )


def state_after(game: Game, resolution: int | None) -> Any:
    """The position that a resolution left; without one, the start of the game."""
    if resolution is not None:
        return once.ask(("state", resolution), lambda: game.load(result(resolution).after))
    from games import positions

    return once.ask(("start", game.pk), lambda: game.load(positions.start_position(game)))


def result(resolution: int) -> Resolution:
    """A result, which never changes, with its phase and its game."""
    found: Resolution = once.ask(
        ("result", resolution),
        lambda: Resolution.objects.select_related("phase__game").get(pk=resolution),
    )
    return found


def seen_by(game: Game, state: Any, seats: Sequence[Seat]) -> Any:
    """The state as the reader may see it: his nation's view where he has one seat, else the
    public's."""
    return game.rules.view(state, seats[0].nation if len(seats) == 1 else None)


def board_of(
    game: Game,
    seen: Any,
    under: str,
    phase: Phase | None = None,
    was: Callable[[], Any] | None = None,
) -> Facts:
    """The board as text, as rows and to be drawn: with a line `under` its title, and marks where it
    differs from what `was` gives."""
    board = game.rules.board(seen)

    def draw() -> Drawing:
        changed = changes(game.rules.board(was()), board) if was is not None else ()
        title = f"{phase.title}\n{under}" if phase is not None else under
        return Drawing(game.ruleset_id, game.card, board, changed, title)

    return {**_shown(game, board), "drawing": Sketch(draw)}


def _shown(game: Game, board: Board) -> Facts:
    """`_set_board`, of boards that are alike once. Whose they are plays no part in it: only what
    stands on them is compared."""
    boards_set: list[tuple[Board, Facts]] = once.ask(("boards", game.pk), list)
    for other, facts in boards_set:
        if other == board:
            return facts
    boards_set.append((board, _set_board(board)))
    return boards_set[-1][1]


def _set_board(board: Board) -> Facts:
    """What a letter shows of a board, which depends on nothing else."""
    told: Facts = {
        "rows": boards.rows(board),
        "nations": board.nations,
        "stated": bool(board.lands),
        "sums": boards.sums(board),
    }
    table = moulds.cast("mail/_table.html", told)
    return {**told, "board": boards.as_text(board), "legend": boards.legend(board), "table": table}


def deadline_of(letter: Letter, game: Game) -> Facts:
    """The deadline that stood when the letter was written, the reader's zone first, and the rule
    that it follows."""
    at = letter.about.get("deadline")
    rule = schedule.in_words(game.schedule, game.zone)
    return {"deadline": told_at(letter, moments.parse(at)) if at else "", "calendar": rule}


def phase_of(letter: Letter) -> Phase:
    assert letter.phase is not None, f"a letter of kind {letter.kind} has a phase"
    return letter.phase


def game_of(letter: Letter) -> Game:
    assert letter.game is not None, f"a letter of kind {letter.kind} has a game"
    return letter.game


def _remarks(remarks: Sequence[dict[str, Any]]) -> list[str]:
    """The sentences only: codes are for programs."""
    return [text.one_line(remark["message"]) for remark in remarks]


# --- letter by letter ---


def _login(letter: Letter) -> Facts:
    key = LoginKey.objects.get(pk=letter.about["login"])
    return {
        "link": links.link("login-link", tokens.login_token(key)),
        "code": tokens.login_code(key),
        "expires": told_at(letter, key.expires_at),
        "minutes": int(tokens.LOGIN_LASTS.total_seconds() // 60),
    }


def _invitation(letter: Letter) -> Facts:
    inv = Invitation.objects.select_related("seat__game", "invited_by").get(
        pk=letter.about["invitation"]
    )
    game = inv.seat.game
    return {
        "nation": inv.seat.nation,
        "with_it": (
            all_of(play.with_it(game, state_after(game, None), inv.seat.nation))
            if game.rules.referee
            else ""
        ),
        "to_be_dealt": (
            " ".join(pairs.to_be_dealt(game)) if game.status == Game.Status.FORMING else ""
        ),
        "inviter": text.one_line(inv.invited_by),
        "link": links.link("invitation", tokens.invitation_token(inv)),
        "calendar": schedule.in_words(game.schedule, game.zone),
        "expires": told_at(letter, inv.invited_at + tokens.INVITATION_LASTS),
        "card_title": game.card.get("title", ""),
        **_provenance(game),
    }


def _provenance(game: Game) -> Facts:
    """What is said wherever a sheet's numbers are shown, unless they are the printed ones."""
    card = game.card
    unprinted = card.get("provenance", "printed") != "printed"
    return {
        "provenance": card.get("provenance", "") if unprinted else "",
        "card_note": text.one_line(card.get("note", "")) if unprinted else "",
    }


def _begins(letter: Letter) -> Facts:
    from games.press import rules
    from games.rules.options import of_game as options_of_game

    game = game_of(letter)
    state, seats = state_after(game, None), seats_of(letter)
    charts = dict(game.rules.guide.charts(game.rules.view(state, None)))
    for seat in seats:
        own = dict(game.rules.guide.charts(game.rules.view(state, seat.nation)))
        charts |= {nation: lines for nation, lines in own.items() if nation == seat.nation}
    meant = [
        option
        for option in options_of_game(game.rules)
        if option.ready and option.kind != "symbols"
    ]
    told = wording.chosen([option for option in meant if option.id in game.options], game.options)
    return {
        "own": all_of(
            [
                power
                for seat in seats
                for power in (seat.nation, *play.with_it(game, state, seat.nation))
            ]
        ),
        "players": [
            (seat.nation, play.in_hand(game, state, seat) or _player(seat))
            for seat in game.seats.all()
            if not seat.referee
        ],
        "dealt": pairs.in_words(game),
        "gamesmasters": all_of(
            [name for name in map(people.who, game.gamesmasters.order_by("pk")) if name]
        ),
        "card_title": game.card.get("title", ""),
        "charts": list(charts.items()),
        "changed": [(text, value) for text, value, unusual in told if unusual],
        "usual": [(text, value) for text, value, unusual in told if not unusual],
        "lots": list(game.rules.guide.lots(state)),
        "refereed": game.rules.referee is not None,
        "secret_hash": game.secret_hash,
        "primer": template_of(game.ruleset_id, "mail/primer/*.txt"),
        "primer_html": template_of(game.ruleset_id, "mail/primer/*.html"),
        "reserves": list(game.reserves),
        "voids": game.options.get("rng.no_stock") == "attack_void",
        "market": game.sales_in_words,
        "calendar": schedule.in_words(game.schedule, game.zone),
        "early": game.may_lock_early,
        "approval_hours": game.approval_hours,
        "absence_days": game.absence_days,
        "public": game.public,
        "press": rules.in_words(game.press),
        **_provenance(game),
    }


def _player(seat: Seat) -> str:
    if seat.bot:
        return "played by the service"
    if seat.by_table:
        return "nobody; each turn it is drawn who sends its orders"
    names = [
        people.who(sitting.person) or "a player"
        for sitting in seat.sittings.filter(until=None).select_related("person").order_by("pk")
    ]
    return " and ".join(names) if names else "nobody yet"


def _opened(letter: Letter) -> Facts:
    game, phase, seats = game_of(letter), phase_of(letter), seats_of(letter)
    state = state_after(game, letter.about["position"])
    acting = game.rules.acting(state)
    return {
        **board_of(game, seen_by(game, state, seats), "The board as orders begin", phase),
        **deadline_of(letter, game),
        "own": [_seat_now(game, state, seat, acting, phase) for seat in ordering(letter, phase)],
        "acting": all_of(acting),
        "all_act": len(acting) == len(game.rules.nations(state)),
        "idle": phase.idle,
        "draws": phase.draws,
        "seed_hash": phase.seed_hash,
        "early": game.may_lock_early,
        "refereed": game.rules.referee is not None,
        "how": list(game.rules.referee.instructions(state)) if game.rules.referee else [],
    }


def _seat_now(game: Game, state: Any, seat: Seat, acting: Sequence[str], phase: Phase) -> Facts:
    """A nation that the reader orders for. Of one that nobody holds its card besides: the reader
    has another one (N4)."""
    seen = game.rules.view(state, seat.nation)
    acts = seat.nation in acting
    ally = seat.nation in phase.controllers
    return {
        "nation": seat.nation,
        "acts": acts,
        "brief": [
            *teams.brief(seat, phase),
            *game.rules.planner.brief(seen, seat.nation),
            *play.standing(game, seen, seat.nation),
        ],
        "chart": (
            list(dict(game.rules.guide.charts(seen)).get(seat.nation, ()))
            if ally or game.secret or game.rules.referee
            else []
        ),
        "examples": silence.examples(game, seen, seat.nation) if acts else [],
        "silence": silence.means(game, seen, seat.nation) if acts else None,
        "link": links.link("orders", game.pk, seat.pk),
    }


def _reminder(letter: Letter) -> Facts:
    game, seats = game_of(letter), seats_of(letter)
    state = state_after(game, letter.about["position"])
    acting = game.rules.acting(state)
    phase = phase_of(letter)
    own = [
        {**_seat_now(game, state, seat, acting, phase), "team": teams.how(seat, phase)}
        for seat in seats
    ]
    for told in own:
        if told["team"] and by_vote(
            game
        ):  # others may have voted: that nothing comes of silence is not said
            told["silence"] = None
    return {**deadline_of(letter, game), "own": own, "missing": teams.missing(letter, seats, phase)}


def _receipt(letter: Letter) -> Facts:
    from orders import ledger
    from orders.models import Submission

    game = game_of(letter)
    submission = Submission.objects.select_related("seat").get(pk=letter.about["submission"])
    nation = submission.seat.nation
    state = state_after(game, letter.about["position"])
    errors = [remark for remark in submission.remarks if remark["severity"] == "error"]
    return {
        **deadline_of(letter, game),
        "nation": nation,
        "number": submission.number,
        "channel": CHANNELS.get(submission.channel, submission.get_channel_display()),
        "received": told_at(letter, submission.received_at),
        "taken_down": _taken_down(submission),
        **play.read(game, state, submission),
        "refused": _remarks(errors),
        "remarks": _remarks([remark for remark in submission.remarks if remark not in errors]),
        "counts": submission.counts,
        "late": submission.late,
        # Before the deadline, but the phase had been closed: early, or while these orders were on
        # their way.
        "closed": (
            submission.late
            and ledger.in_time(
                submission.received_at, moments.parse(letter.about["deadline"]), game
            )
        ),
        "early": game.may_lock_early,
        "acts": nation in game.rules.acting(state),
        "awaited": submission.phase.awaited,
        "final": submission.final and game.may_lock_early,
        "in_force": letter.about["in_force"],
        "merges": game.options.get("orders.amend") == "merge_lines",
        "silence": silence.means(game, game.rules.view(state, nation), nation),
        "link": links.link("orders", game.pk, submission.seat_id),
        "team": teams.told(letter, submission),
        "sent_hashes": [entries.submission_line(submission.number, game.pk, submission.hash)],
    }


def _taken_down(submission: Submission) -> str:
    """Who wrote the orders down for their sender, from when they are, and whether they were read
    back; empty where nobody had to."""
    if submission.entered_by is None:
        return ""
    by = people.who(submission.entered_by) or "The gamesmaster"
    posted = submission.posted_on
    told = [
        f"{by} took them down"
        + (f" from a letter posted on {posted.day} {posted:%B %Y}" if posted else "")
    ]
    if submission.read_back:
        told.append(f"and read them back under the code {submission.read_back}")
    return (
        f"{' '.join(told)}. If that is not what you said, tell the gamesmaster before the deadline."
    )


def _stock(letter: Letter) -> Facts:
    from games.market import listings
    from orders.models import Submission

    game = game_of(letter)
    submission = Submission.objects.select_related("seat").get(pk=letter.about["submission"])
    listing = Listing.objects.get(pk=letter.about["listing"])
    return {
        **deadline_of(letter, game),
        "nation": submission.seat.nation,
        "number": submission.number,
        "symbol": listing.symbol,
        "fault": listings.fault(listing, game),
        "voids": game.options.get("rng.no_stock") == "attack_void",
        "link": links.link("orders", game.pk, submission.seat_id),
    }


def _locked(letter: Letter) -> Facts:
    from games import market

    game, phase = game_of(letter), phase_of(letter)
    facts: Facts = {
        "other_source": _other_source(phase),
        "digest": phase.digest,
        "leaves": proof.leaves(phase),
        "leaf_in_words": proof.LEAF_IN_WORDS,
        "digest_in_words": proof.DIGEST_IN_WORDS,
        "digest_snippet": proof.digest_snippet(phase).splitlines() if phase.leaves else [],
        # Nobody is shown a salt or a text but those of his own seats.
        "seals": proof.seals(phase, [seat.nation for seat in ordering(letter, phase)]),
        "session_rule": proof.session_rule(game),
        "idle": phase.idle,
        "fallbacks": proof.fallbacks(game),
        "proof_link": links.link("proof", game.pk, phase.number),
        "silent": all_of(
            [
                seat.nation
                for seat in game.seats.all()
                if seat.nation not in phase.leaves and not seat.referee
            ]
        ),
        "stocks": list(phase.stocks),
        "reserves": list(game.reserves),
        "voids": game.options.get("rng.no_stock") == "attack_void",
        "session": moments.session(phase.session),
    }
    if phase.session and phase.session_opens and phase.session_closes:
        session = market.session_of(phase)
        facts |= {
            "opens": told_at(letter, phase.session_opens),
            "closes": told_at(letter, phase.session_closes),
            "reading": market.in_words(market.policy_for(phase), session),
        }
    return facts


def _other_source(phase: Phase) -> str:
    """What decides where no sales do, in words; nothing where they do."""
    from games import market

    match market.source_of(phase.game):
        case market.GM_DICE:
            each = "digit that is drawn" if phase.idle else "attack that comes to a throw"
            return (
                "No sales decide in this game, but the gamesmaster's own rolls: one for each"
                f" {each}, in order."
            )
        case market.COMMIT_REVEAL:
            return (
                "No sales decide in this game, but the seed whose SHA-256 was published when the"
                f" phase opened: {phase.seed_hash}."
            )
    return ""


def _judged(letter: Letter) -> Facts:
    """What a resolution says to everybody; of the remarks only those on the reader's own orders."""
    game, seats = game_of(letter), seats_of(letter)
    resolution = result(letter.about["resolution"])
    after = state_after(game, resolution.pk)
    under = "The final board" if resolution.winners is not None else "The board as judged"
    return {
        **board_of(
            game,
            seen_by(game, after, seats),
            under,
            resolution.phase,
            lambda: seen_by(game, play.before(game, resolution), seats),
        ),
        **once.ask(("told to all", resolution.pk), lambda: _told_to_all(game, resolution, after)),
    }


def _told_to_all(game: Game, resolution: Resolution, after: Any) -> Facts:
    """What of a result is the same for every reader, and no more than a stranger may know."""
    standing = game.rules.standing(game.rules.view(after, None))
    ranked = sorted(standing.scores.items(), key=lambda entry: -entry[1])
    return {
        "version": resolution.version,
        "scores": ranked,
        "sums": wording.of_sums(standing),
        "winners": all_of(resolution.winners or ()),
        "shared": len(resolution.winners or ()) > 1,
        "closing": text.one_line(resolution.closing),
        "story": story.tell(
            play.told_now(resolution), game.market == Game.Market.DEMO, _workings(resolution)
        ),
        "standing_remark": standing.remark,
        **play.of_result(game, resolution, after),
    }


def _workings(resolution: Resolution) -> dict[tuple[str, int], str]:
    """By nation and line: what proves the digit of an attack, in a line."""
    phase = resolution.phase
    found = once.ask(("workings", resolution.pk), lambda: proof.workings(phase, resolution))
    return {(one.nation, one.line): story.working(one, phase.session) for one in found}


def _over(letter: Letter) -> Facts:
    """The last report, and why the winners have won: every score, objective by objective, the best
    first."""
    game = game_of(letter)
    paid = account.of(game, Resolution.objects.get(pk=letter.about["resolution"]).after)
    facts = _judged(letter)
    worked = play.worked(game, result(letter.about["resolution"]), facts["scores"])
    return {
        **facts,
        **worked,
        "account": (
            [] if worked["worked"] else [(nation, paid[nation]) for nation, _ in facts["scores"]]
        ),
    }


def _board_letter(letter: Letter) -> Facts:
    game, seats = game_of(letter), seats_of(letter)
    resolution = result(letter.about["resolution"])
    following = _phase(letter.about["next"]) if "next" in letter.about else None
    ordered = ordering(letter, phase_of(letter))
    asking = (
        following
        if following is not None
        and not following.sheeted
        and not (following.idle and game.rules.referee)
        else None
    )
    own = [(seat.nation, _remarks(resolution.remarks.get(seat.nation, ()))) for seat in ordered]
    return {
        **_judged(letter),
        **deadline_of(letter, game),
        "own": [(nation, remarks) for nation, remarks in own if remarks],
        "stands": play.stands_now(game, resolution, ordered, following),
        "sheeted": phase_of(letter).sheeted,
        "awaited": following.awaited if following else "",
        "changes": _changes(game, resolution, seats) if resolution.version > 1 else [],
        "sales": _sales(phase_of(letter), letter.written_at),
        "rolls": not by_sales(game),
        "seed": phase_of(letter).seed,
        "seed_hash": phase_of(letter).seed_hash,
        "proof_link": links.link("proof", game.pk, phase_of(letter).number),
        "provisional": (
            bool(phase_of(letter).session) and game.options.get("rng.settle") == "first_reading"
        ),
        "next_title": following.title if following else "",
        "next_idle": bool(following and following.idle),
        "dealt": _dealt(game, resolution, seats),
        "orders_links": (
            [
                (seat.nation, links.link("orders", game.pk, seat.pk))
                for seat in ordering(letter, asking)
            ]
            if asking
            else []
        ),
    }


def _phase(number: int) -> Phase | None:
    return once.ask(("phase", number), lambda: Phase.objects.filter(pk=number).first())


def _dealt(
    game: Game, resolution: Resolution, seats: Sequence[Seat]
) -> list[tuple[str, list[str]]]:
    """The reader's own charts where this phase has drawn them: nobody else's."""
    told: list[tuple[str, list[str]]] = []
    if not game.secret:
        return told
    for seat in seats:
        before, after = (
            dict(game.rules.guide.charts(game.rules.view(game.load(each), seat.nation)))
            for each in (resolution.before, resolution.after)
        )
        if before[seat.nation] != after[seat.nation]:
            told.append((seat.nation, list(after[seat.nation])))
    return told


def _changes(game: Game, resolution: Resolution, seats: Sequence[Seat]) -> list[str]:
    earlier = Resolution.objects.filter(
        phase=resolution.phase_id, version=resolution.version - 1
    ).first()
    if earlier is None:
        return []
    old, new = (
        game.rules.board(seen_by(game, game.load(each.after), seats))
        for each in (earlier, resolution)
    )
    return boards.changes(old, new)


def _sales(phase: Phase, written: datetime) -> list[tuple[str, str, str, str]]:
    """The figures of the phase as they were settled: symbol, shares, by which readings, and what
    else the publisher said until then."""
    from games.market import witnessing

    figures = once.ask(
        ("figures", phase.pk), lambda: list(Figure.objects.filter(phase=phase).order_by("symbol"))
    )
    if not by_sales(phase.game):
        rolled = sorted(figures, key=lambda figure: roll_number(figure.symbol) or 0)
        return [
            (
                f"Roll {roll_number(f.symbol)}",
                str(digit_of_shares(f.volume or 0)),
                text.one_line(f.reason),
                "",
            )
            for f in rolled
        ]
    differ = once.ask(("restated", phase.pk, written), lambda: witnessing.restated(phase, written))
    return [
        (
            f.symbol,
            f"{f.volume:,}" if f.volume is not None else "no usable report",
            text.one_line(f.reason),
            str(differ.get(f.symbol, "")),
        )
        for f in figures
    ]


def _held(letter: Letter) -> Facts:
    return {"fault": text.one_line(letter.about["fault"])}


def _overdue(letter: Letter) -> Facts:
    """Which figures a phase waits for. `rolls`: none of the market's, but the gamesmaster's own
    dice."""
    from games import market

    game, phase = game_of(letter), phase_of(letter)
    return {
        "late": letter.about["cause"] == "late",
        "rolls": not market.by_sales(game),
        "waiting": [(symbol, text.one_line(why)) for symbol, why in letter.about["stocks"]],
        "session": moments.session(phase.session),
        "may_be_closed": (
            bool(phase.session) and letter.about["cause"] != "late" and market.by_sales(game)
        ),
    }


def _waiting(letter: Letter) -> Facts:
    """Which stocks keep the result, and why; figures are for the gamesmaster alone."""
    game = game_of(letter)
    runs = letter.person is not None and permissions.is_gamesmaster(letter.person, game)
    return {
        "session": moments.session(phase_of(letter).session),
        "waits": [_wait(letter, wait, runs=runs) for wait in letter.about["waits"]],
        "desk_link": links.link("desk", game.pk) if runs else "",
    }


def _wait(letter: Letter, wait: dict[str, Any], *, runs: bool) -> str:
    named = wait["symbol"] if runs or wait["public"] else "A stock that a ruling names"
    said = [f"{named}: {text.one_line(wait['why_with_figures' if runs else 'why'])}", wait["ends"]]
    if wait["next_look"]:
        said.append(f"Next reading {told_at(letter, moments.parse(wait['next_look']))}.")
    if wait["until"] and moments.parse(wait["until"]) > letter.written_at:
        said.append(
            f"If nothing settles by {told_at(letter, moments.parse(wait['until']))}, the stock has"
            " no usable report."
        )
    return " ".join(part for part in said if part)


def _restated(letter: Letter) -> Facts:
    """A figure that the publisher has otherwise now. The letter says what it said when it was
    written."""
    from games.market import witnesses, witnessing
    from games.market.sources import PUBLISHERS

    game, phase = game_of(letter), phase_of(letter)
    figure = Figure.objects.get(pk=letter.about["figure"])
    reading = Reading.objects.get(pk=letter.about["reading"])
    settled = f"{figure.volume:,} shares" if figure.volume else "no usable report"
    old, new = digit_of_shares(figure.volume or 0), digit_of_shares(reading.volume or 0)
    digits = (
        f"Both figures give the digit {old}."
        if old == new
        else f"The settled figure gives the digit {old}; the new one would give {new}."
    )
    return {
        "symbol": figure.symbol,
        "session": moments.session(phase.session),
        "settled": settled,
        "typed": witnesses.is_typed(figure),
        "publisher": PUBLISHERS.get(reading.source, reading.source),
        "now_reported": f"{reading.volume:,} shares",
        "when": witnessing.when(reading),
        "split": reading.flag == Reading.Flag.SPLIT,
        "digits": digits if figure.volume else f"The new figure would give the digit {new}.",
        "ruling_link": links.link("desk-ruling-phase", game.pk, phase.number),
        "proof_link": links.link("proof", game.pk, phase.number),
    }


def _session_changed(letter: Letter) -> Facts:
    from games import market

    game = game_of(letter)
    change = SessionChange.objects.select_related("changed_by", "phase").get(
        pk=letter.about["session_change"]
    )
    session = market.Session(change.phase.exchange, change.new, change.new_opens, change.new_closes)
    return {
        "old": moments.session(change.old),
        "session": moments.session(change.new),
        "same": change.old == change.new,
        "opens": told_at(letter, change.new_opens),
        "closes": told_at(letter, change.new_closes),
        "reason": text.one_line(change.reason),
        "by": people.who(change.changed_by) or "the gamesmaster",
        "reading": market.in_words(market.policy_for(change.phase), session),
        "proof_link": links.link("proof", game.pk, change.phase.number),
    }


def _moved(letter: Letter) -> Facts:
    change = DeadlineChange.objects.select_related("changed_by").get(pk=letter.about["change"])
    game = game_of(letter)
    return {
        "old": told_at(letter, change.old),
        "new": told_at(letter, change.new),
        "later": change.new > change.old,
        "reason": text.one_line(change.reason),
        "by": (people.who(change.changed_by) or "the gamesmaster")
        if change.changed_by
        else "the service",
        "calendar": schedule.in_words(game.schedule, game.zone),
        "orders_links": [
            (seat.nation, links.link("orders", game.pk, seat.pk))
            for seat in ordering(letter, phase_of(letter))
        ],
    }


def _undelivered(letter: Letter) -> Facts:
    lost = Letter.objects.select_related("person").get(pk=letter.about["letter"])
    return {
        "address": lost.address,
        "whose": people.who(lost.person),
        "lost": NAMES.get(lost.kind, "a letter"),
        "written": told_at(letter, lost.written_at),
        "fault": text.one_line(lost.fault),
    }


TELLERS: dict[str, Callable[[Letter], Facts]] = {
    "login": _login,
    "invitation": _invitation,
    "begins": _begins,
    "opened": _opened,
    "reminder": _reminder,
    "receipt": _receipt,
    "stock": _stock,
    "locked": _locked,
    "board": _board_letter,
    "over": _over,
    "held": _held,
    "overdue": _overdue,
    "waiting": _waiting,
    "restated": _restated,
    "session": _session_changed,
    "moved": _moved,
    "undelivered": _undelivered,
}
