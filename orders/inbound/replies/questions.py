"""Answer questions: the board, the story so far, scores, the deadline, and how to write commands.

Everything shown of a position comes from the ruleset's `view` for the reader's own nation, or for
the public.
"""

from __future__ import annotations

from games import desk, permissions, positions
from games.letters import board_text, headlines, silence, story
from games.letters import teams as of_teams
from games.models import Game, Person, Phase, Resolution, Seat
from games.outbox.messages import team_votes
from games.positions import in_force, owed
from games.press import deals
from games.rules import vote_kinds, wording
from games.rules.deals import terms
from games.rules.names import all_of
from games.rules.orders import PASS
from games.rules.plain.facts import is_plain
from games.seats import teams
from games.timing import schedule
from orders.inbound import reports

from .orders import time_for
from .outcome import Section

#: Limits of the answer to HISTORY; the pages have the rest.
MOST_PHASES = 8
MOST_EVENTS = 120


def board(game: Game, seats: list[Seat]) -> Section:
    """Return the answer to BOARD: the board as the reader may see it."""
    nation = seats[0].nation if len(seats) == 1 else None
    if game.status == Game.Status.FORMING:
        return Section("The board", [f"“{game.title}” has not begun: the board is empty."])
    newest = positions.last_resolution(game)
    position = newest.after if newest is not None else positions.start_position(game)
    seen = game.rules.board(permissions.view(game, position, nation))
    rows = [[row.area, list(row.cells)] for row in board_text.rows(seen)]
    table = {
        "nations": list(seen.nations),
        "rows": rows,
        "legend": board_text.legend(seen),
        "text": board_text.as_text(seen),
        "stated": bool(seen.lands),
        "sums": board_text.sums(seen),
    }
    # The letter's picture is drawn from these whenever the letter is rendered; neither changes.
    picture_of = {"resolution": newest.pk if newest is not None else None, "nation": nation}
    return Section("The board now", board={**table, "drawn": picture_of})


def history(game: Game, turn: int | None, seats: list[Seat]) -> Section:
    """Return the answer to HISTORY n: the story of turn n, or of the last 2 resolved phases.

    `seats`: the reader's, whose one nation is “you”.
    """
    resolutions = positions.resolutions(game).select_related("phase")
    if turn is not None:
        resolutions = resolutions.filter(phase__turn=turn)
    heading = f"Turn {turn}" if turn is not None else "The last result"
    by_phase = {
        resolution.phase_id: resolution
        for resolution in resolutions.order_by("phase__number", "version")
    }
    shown = list(by_phase.values())[-(MOST_PHASES if turn is not None else 2) :]
    if not shown:
        last_turn = positions.resolutions(game).values_list("phase__turn", flat=True).first()
        if turn is None or last_turn is None:
            return Section(heading, ["Nothing has been judged yet."])
        turns = "turn 1" if last_turn == 1 else f"turns 1 to {last_turn}"
        why = (
            f"Turn {turn} has no result yet. There are results for {turns}: write HISTORY"
            f" {last_turn}."
        )
        return Section(heading, [why])
    section = Section(heading)
    for resolution in shown:
        resolution.phase.game = game
        section.points += _story(resolution, [seat.nation for seat in seats])
    if len(section.points) > MOST_EVENTS:
        surplus = len(section.points) - MOST_EVENTS
        section.points = section.points[:MOST_EVENTS]
        section.after.append(f"{surplus} more sentences are on the page of the phase.")
    return section


def _story(resolution: Resolution, nations: list[str]) -> list[str]:
    """Return the sentences of a phase's result, the first with its title."""
    phase = resolution.phase
    ordered = [*nations, *permissions.controlled_nations(nations, phase)]
    told = story.tell(resolution.events, reader=headlines.reader_of(phase.game, ordered))
    sentences = [entry.sentence for entry in told] or ["Nothing happened."]
    title = resolution.title
    name = phase.short_title if title == phase.title else title
    return [f"{name}: {sentences[0]}", *sentences[1:]]


def status(game: Game, phase: Phase | None, person: Person, seats: list[Seat]) -> Section:
    """Return the answer to STATUS: how the game is going.

    Only for the reader's own nations does it say whether orders have been sent.
    """
    section = Section("Where the game stands")
    if phase is None:
        section.paragraphs.append(f"“{game.title}” has not begun.")
    elif game.status == Game.Status.FINISHED:
        section.paragraphs.append(f"“{game.title}” is over.")
    elif game.status == Game.Status.ABANDONED:
        section.paragraphs.append(game.ending or f"“{game.title}” ended without a result.")
    else:
        pause = " The game is paused." if game.status == Game.Status.PAUSED else ""
        section.paragraphs.append(f"{phase.short_title}: {_state(phase)}.{pause}")
    if phase is not None and phase.status == Phase.Status.OPEN and game.in_progress:
        section.paragraphs.append(
            _deadline_sentence(phase, f"Its deadline is {time_for(phase.deadline, person)}.")
        )
        in_force_now, acting = (
            in_force.in_force(phase),
            owed.asked_nations(game, positions.state_of(phase)),
        )
        section.points += [
            _own_votes(seat, phase)
            or _own(seat, seat.nation in acting, seat.nation in in_force_now)
            + _asked(seat, phase, person)
            for seat in seats
        ]
    vacant = [] if game.is_over else desk.empty_seats(game)
    if vacant:
        section.points.append(f"Nobody plays {all_of(vacant)}.")
    if game.status != Game.Status.FORMING:
        _scores(section, game)
    return section


def _deadline_sentence(phase: Phase, deadline: str) -> str:
    """Return the deadline as a sentence; for a phase without a deadline, what it waits for."""
    return deadline if phase.has_deadline else f"{phase.awaited} There is no deadline."


def _state(phase: Phase) -> str:
    match phase.status:
        case Phase.Status.OPEN:
            return "orders are open" if phase.is_timed else "the gamesmaster is playing it out"
        case Phase.Status.HELD:
            return "the gamesmaster decides"
        case Phase.Status.DRAWING:
            return "orders are closed; sales are awaited"
        case Phase.Status.RESOLVED:
            return "judged"
    return "orders are closed; the result comes next"


def _own_votes(seat: Seat, phase: Phase) -> str:
    """Return how the votes of a team stand; "" where nobody has voted."""
    team = team_votes.votes_of(seat, phase) if teams.decides_by_vote(seat.game) else {}
    if not team.get("voted"):
        return ""
    return f"{seat.nation}: {of_teams.standing_in_words(seat.nation, team)}"


def _asked(seat: Seat, phase: Phase, person: Person) -> str:
    """Return which orders in doubt wait for a yes, as a further sentence; "" if none do."""
    asked = in_force.open_question(seat, phase, person)
    return f" No. {asked.seat_number}, in doubt, waits for your YES." if asked is not None else ""


def _own(seat: Seat, acts: bool, sent: bool) -> str:
    nation = seat.nation
    if seat.referee:
        waits = "everybody waits for it" if acts else "none is due in this phase"
        return f"Your report: {'one counts' if sent else waits}."
    if not acts:
        return f"{nation}: nothing to order in this phase."
    return f"{nation}: orders are in force." if sent else f"{nation}: no orders are in force."


def _scores(section: Section, game: Game) -> None:
    standing = game.rules.standing(permissions.view(game, positions.position(game), None))
    ranked = wording.rank(standing.scores)
    if ranked:
        finished = game.status == Game.Status.FINISHED
        text = ", ".join(f"{nation} {score}" for nation, score in ranked)
        section.points.append(
            f"{'Final scores' if finished else 'Scores, as if the game ended here'}: {text}."
        )
        section.points += wording.alliance_sentences(standing)
    if standing.winners:
        section.points.append(
            f"{all_of(standing.winners)}"
            f" {'has' if len(standing.winners) == 1 else 'share the win, and have'} won."
        )


def deadline(game: Game, phase: Phase | None, person: Person) -> Section:
    """Return the answer to DEADLINE: in the reader's time zone, with the rule behind it."""
    section = Section("The deadline")
    rule = f"Deadlines come {schedule.in_words(game.schedule, game.zone)}."
    if phase is None:
        section.paragraphs = [f"“{game.title}” has not begun. {rule}"]
    elif game.is_over:
        section.paragraphs = [f"“{game.title}” is over: there is no deadline any more."]
    elif not phase.has_deadline:
        section.paragraphs = [_deadline_sentence(phase, "")]
    elif phase.idle:
        section.paragraphs = [
            f"{phase.short_title}: nobody orders anything now. The next letter says what is asked"
            f" of you. {rule}"
        ]
    elif phase.status == Phase.Status.OPEN:
        section.paragraphs = [
            f"{phase.short_title}: you can send orders until"
            f" {time_for(phase.deadline, person)}. {rule}"
        ]
    elif phase.takes_orders:
        section.paragraphs = [
            f"{phase.short_title}: {_state(phase)}; orders that come by"
            f" {time_for(phase.closes_at, person)} count. {rule}"
        ]
    else:
        section.paragraphs = [
            f"{phase.short_title}: {_state(phase)}; the deadline was"
            f" {time_for(phase.deadline, person)}. {rule}"
        ]
    return section


#: The part of HELP about plain orders.
PLAINLY = (
    "You can write orders in your own words, as “5 PFs to {area}”; the answer shows how each line"
    " was read. A line that could mean two things, or contains “if”, “or”, “not” or “maybe”, is"
    " rejected, with what it could mean."
)


def _language(game: Game) -> list[Section]:
    """Return every form of order, and the table that decides attacks."""
    if game.rules.referee.seats:
        return []
    table = game.rules.guide.table()
    return [
        Section("All orders there are", kept=wording.form_lines(game.order_help)),
        Section(
            "The table",
            [wording.outcomes_line(table)],
            kept=wording.table_lines(table),
            after=list(game.rules.guide.notes(game.options)),
        ),
    ]


def guide(
    game: Game, phase: Phase | None, seats: list[Seat], *, whole: bool = False
) -> list[Section]:
    """Return the answer to HELP: the commands, and order lines possible in the present phase.

    `whole`: include all forms of orders and the table.
    """
    sections: list[Section] = []
    running = not game.is_over
    if phase is not None and phase.status == Phase.Status.OPEN and running:
        state = positions.state_of(phase)
        for seat in seats:
            if seat.referee:
                sections += reports.answers(game).guide(seat, phase)
            elif seat.nation in game.rules.acting_nations(state):
                lines = [
                    *silence.examples(game, game.rules.view(state, seat.nation), seat.nation),
                    PASS,
                ]
                sentences = [
                    f"One order per line. Examples that you can send now, in {phase.short_title}"
                    f" ({PASS} sends no orders, on purpose):"
                ]
                if is_plain(game.options) and not game.rules.verbs.free_text:
                    sentences.insert(0, PLAINLY.format(area=game.card["areas"][-1]))
                sentences += game.rules.writing.instructions(state)
                sections.append(Section(f"Orders for {seat.nation}", sentences, kept=lines))
        sections += _language(game) if whole else []
    own_nations = {seat.nation for seat in seats}
    others = [
        seat.nation
        for seat in game.seats.nations().order_by("ordinal")
        if seat.nation not in own_nations
    ]
    friends = ", ".join(others[:2])
    commands = Section(
        "Commands",
        ["One per line, above the quoted text; a message may have several."],
        points=[
            *(
                [f"FOR {seats[-1].nation}: the lines below are for this nation, until the next FOR"]
                if len(seats) > 1
                else []
            ),
            *(
                ["ADOPT 12: as your team's spokesman, makes proposal No. 12 its orders"]
                if any(seat.team for seat in seats) and teams.has_spokesman(game)
                else []
            ),
            "CANCEL: takes back your orders of this phase",
            *(
                [
                    "TURN 3 ATTACKS: the lines below are kept and sent when that phase opens;"
                    " CANCEL below it takes them back"
                ]
                if game.rules.foreseeable
                else []
            ),
            *(
                ["FINAL: you need no more time; NOT FINAL takes that back"]
                if game.may_lock_early
                else []
            ),
            "ORDERS: the orders that you have sent",
            "BOARD: the board now",
            "HISTORY 2: what happened in turn 2",
            "STATUS: where the game stands",
            "DEADLINE: when orders are due",
            "PROOF: how to check the digest of the phase that closed last",
            "SEND RULES: every rule of this game; SEND SCENARIO: what each nation scores for",
            "ABSENT 24 December to 2 January: days on which you cannot order; NOT ABSENT takes them"
            " back",
            f"{', '.join(vote_kinds.commands('France'))}: asks all players; VOTE NO DRAW takes back"
            " a vote",
            "SETTINGS: which letters you get, how, and in which time zone; such as SET RECEIPTS"
            " OFF or SET ZONE Berlin",
            "MUTE: no more letters of this game; UNMUTE: letters again",
        ],
    )
    letters = Section(
        "Letters to other nations",
        ["Nothing between the first line and END is read as an order."],
        kept=[f"PRESS TO {friends}", "Shall we talk about the east?", "END"],
        points=[
            "BROADCAST in place of PRESS TO: to all nations",
            "REPLY: to the nations of the letter that you reply to",
            "QUESTION: to the gamesmaster, also to leave the game",
            "BLOCK PLAYER: no more letters of the player whose letter you reply to",
            "REPORT LETTER: why; the gamesmaster and the operator read the letter you reply to",
            *(["TEAM: to your own team alone"] if any(seat.team for seat in seats) else []),
        ],
    )
    return [*sections, commands, letters, *_deal_sections(game, friends)]


def _deal_sections(game: Game, friend: str) -> list[Section]:
    """Return how to make deals by mail; nothing in a game without deals."""
    verbs = game.rules.deals.verbs if game.rules.deals is not None else ()
    if not verbs or not deals.has_deals(game):
        return []
    nation = friend.partition(",")[0]
    return [
        Section(
            "Deals with another nation",
            ["A deal binds nobody. DEALS lists yours, and what came of them."],
            kept=[f"PROPOSE {nation}: {terms.FORMS[verb]}" for verb in verbs],
            points=[
                "ACCEPT 3, DECLINE 3: answers your deal No. 3; WITHDRAW 3 takes yours back",
                "COUNTER 3: PEACE: proposes something else instead of it",
                "I, YOU or BOTH in front says who promises; a semicolon parts promises",
            ],
        )
    ]
