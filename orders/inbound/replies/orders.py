"""What an answer says of orders: what was understood and at what odds, what was not, whether it
holds, until when, and how to change it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from games import positions
from games.letters import play, silence, wording
from games.letters import teams as of_teams
from games.models import Game, Person, Phase, Seat
from games.outbox.messages import teams as messages_teams
from games.rules import RulesError
from games.rules import teams as team_rule
from games.rules.names import all_of
from games.rules.orders import lines, quote_line
from games.seats import teams
from games.timing import local_time, schedule
from orders import ahead, in_force, ledger
from orders.models import Submission

from .outcome import Section


def time_for(instant: datetime, person: Person, game: Game) -> str:
    """An instant in the reader's zone, the game's beside it."""
    return local_time.in_words(instant, person.zone, game.zone)


def answer_orders(
    submission: Submission, person: Person, now: datetime, final: bool, state: Any
) -> list[Section]:
    """An order set as it has come to stand in the ledger. `state` is that in which its phase is
    played."""
    game, nation = submission.game, submission.seat.nation
    remarks = list(submission.remarks)
    if submission.counts and game.options["orders.amend"] == "merge_lines":
        remarks = _of_all_in_force(submission, remarks, now)
    refused = [remark["message"] for remark in remarks if remark["severity"] == "error"]
    noted = [remark["message"] for remark in remarks if remark["severity"] != "error"]
    what = "Proposal" if submission.proposal else "Orders"
    first = Section(
        f"{what} No. {submission.seat_number} for {nation}", [_receipt(submission, person, state)]
    )
    if final and submission.counts:
        first.paragraphs.append(_final_vote(submission) or _final_in_words(game, True))
    team = messages_teams.team_facts(submission).get("team")
    said = of_teams.sentences(submission, team, mine=True, leads=False) if team else None
    if said is not None and said["holds"]:
        first.paragraphs.append(said["holds"])
    lines_read = play.accepted_lines(game, state, submission)
    if lines_read["understood"]:
        first.paragraphs.append("Understood:")
        first.kept = [
            play.with_original(_with_odds(game, state, nation, words), written)
            for words, written in zip(lines_read["understood"], lines_read["written"], strict=True)
        ]
    sections = [first]
    if lines_read["own_words"]:
        why = "These lines are in your own words: the gamesmaster judges them."
        sections.append(Section("For the gamesmaster", [why], kept=lines_read["own_words"]))
    if refused:
        sections.append(Section("Rejected", points=refused))
    if noted and (submission.counts or submission.proposal):
        sections.append(Section("Warnings", points=noted))
    if said is not None and said["lines"]:
        told_lines = [
            f"{one['words']}: {one['count']}{', counts' if one['counts'] else ''}"
            for one in said["lines"]
        ]
        sections.append(Section("The votes of your team", points=told_lines))
    return sections


def answer_ahead(kept: ahead.Kept, nation: str) -> list[Section]:
    """An order set that is kept for a later phase."""
    becomes = (
        f"Kept for {kept.title}. They become your orders when it opens, and a receipt says which"
        " lines no longer work. Until then nobody else can read them. To replace them, send them"
        " again."
    )
    understood = [play.with_original(words, "") for _, words in kept.reading.understood]
    sections = [Section(f"Orders ahead for {nation}", [becomes, "Understood:"], kept=understood)]
    refused = [remark.message for remark in kept.reading.remarks]
    return [*sections, Section("Rejected", points=refused)] if refused else sections


def _of_all_in_force(
    submission: Submission, remarks: list[dict[str, Any]], now: datetime
) -> list[dict[str, Any]]:
    """Where lines are put together with earlier ones, what is still missing is asked of all that
    stands now."""
    whole = in_force.texts_in_force(submission.phase).get(submission.seat.nation, "")
    standing = [
        remark.as_json()
        for remark in ledger.reading(submission.seat, submission.phase, whole, now).remarks
    ]
    return [remark for remark in remarks if remark["severity"] == "error"] + [
        one for one in standing if one["severity"] != "error"
    ]


def _receipt(submission: Submission, person: Person, state: Any) -> str:
    game, phase, nation = submission.game, submission.phase, submission.seat.nation
    at = time_for(submission.received_at, person, game)
    came = f"They came by mail on {at}, for {phase.short_title}"
    if submission.late:
        standing = in_force.in_force_of(submission.seat, phase)
        hold = (
            f"No. {standing.seat_number} counts"
            if standing
            else f"{nation} has no orders in force for it"
        )
        if submission.received_at <= phase.closes_at:
            return f"{came}, which had been closed before its deadline: recorded, not used; {hold}."
        return (
            f"{came}: after its deadline of {time_for(phase.deadline, person, game)}. Recorded, not"
            f" used; {hold}."
        )
    if nation not in game.rules.acting(state):
        return (
            f"{came}. No orders are asked of {nation} in it: they are recorded, and change nothing."
        )
    if submission.proposal and submission.understood:
        return f"{came}. They are proposed to your team, which has been told."
    if submission.counts and submission.member and teams.by_vote(game):
        return f"{came}. They are your vote, and your team has been told."
    if not submission.counts:
        return f"{came}. Not a line of them could be taken: they are recorded, and replace nothing."
    earlier = in_force.replaced_submission(submission)
    if earlier is None or game.options["orders.amend"] == "merge_lines":
        return f"{came}. They are in force."
    return f"{came}. They are in force, in place of No. {earlier.seat_number}."


def _with_odds(game: Game, state: Any, nation: str, words: str) -> str:
    """An order in canonical words; behind an attack its odds as the board stands, judged by the
    rules as if nothing else were ordered."""
    phase = game.rules.phase(state)
    if phase is None or not game.rules.facts(phase, game.options).draws:
        return words
    try:
        events = game.rules.resolve(
            game.rules.view(state, nation), {nation: words}, silence.AnyDigit(), game.reserves
        ).events
    except RulesError:
        return words
    # counters that the attack turns up, of which the nation knows no more than how many they are
    covered = 0
    for event in events:
        if event["kind"] == "turned_up":
            covered += event.get("number", 0)
        elif covered and event["kind"] in ("attack", "void") and event["nation"] == nation:
            return (
                f"{words}    # turns up {covered} counter{'' if covered == 1 else 's'} of those"
                " attacked, whatever they are worth"
            )
        if event["kind"] == "attack" and event["nation"] == nation:
            whom = f" of {all_of(event['targets'])}" if " ELSE " in words else ""
            return (
                f"{words}    # {event['attacker']} against {event['defender']}{whom} on the present"
                f" board, {wording.of_odds(event['odds'])}"
            )
        if event["kind"] == "void" and event["nation"] == nation:
            return f"{words}    # void on the present board"
    return words


@dataclass(frozen=True)
class Known:
    """What the same transaction has found out before: the phase's state, and the seat's orders in
    force in it. None: to be asked."""

    state: Any = None
    standing: Submission | None = None


def holds(
    seat: Seat,
    phase: Phase,
    current: Phase | None,
    person: Person,
    now: datetime,
    *,
    alone: bool,
    known: Known = Known(),
) -> Section:
    """What holds for a nation now, what silence means, the deadline and its rule, and how to change
    it.

    `phase` is the one that was spoken of, `current` the one that is played; `alone`: the reader
    plays no other nation.
    """
    game, nation = seat.game, seat.nation
    section = Section("What counts now" if alone else f"What counts now for {nation}")
    if current is not None and current.pk != phase.pk:
        section.paragraphs.append(_other_phase(phase, current, person, game))
        phase, known = current, Known()
    state = known.state or positions.state_of(phase)
    if phase.status != Phase.Status.OPEN or now > phase.closes_at:
        section.paragraphs.append(
            f"{phase.short_title}: orders are closed. The deadline was"
            f" {time_for(phase.deadline, person, game)}."
        )
        return section
    if nation not in game.rules.acting(state):
        waits = f" {phase.awaited}" if phase.sheeted else ""
        section.paragraphs.append(f"{nation} has nothing to order in {phase.short_title}.{waits}")
        return section
    standing = known.standing or in_force.in_force_of(seat, phase)
    if standing is None:
        _silence(section, game, state, nation)
    elif tally := in_force.tally(seat, phase):
        _agreed_lines(section, seat, phase, tally)
    else:
        final = ", and final" if standing.final and game.may_lock_early else ""
        section.paragraphs.append(
            f"In force for {phase.short_title}: orders No. {standing.seat_number}{final}. If you"
            " send nothing more, they count."
        )
    section.after.append(
        f"You can send orders until {time_for(phase.deadline, person, game)} (deadlines:"
        f" {schedule.in_words(game.schedule, game.zone)})."
    )
    section.after.append(_how_to_change(game, standing is not None))
    return section


def _other_phase(phase: Phase, current: Phase, person: Person, game: Game) -> str:
    return (
        f"You replied to a letter about {phase.short_title}, which is over. Nothing changes for"
        f" {current.short_title}: to order for it, reply to its letter or write a new message."
    )


def _agreed_lines(
    section: Section, seat: Seat, phase: Phase, tally: Sequence[team_rule.Tally]
) -> None:
    """What a team that votes has in force: the lines agreed on, each with its votes, and what a
    tie means. A line in the minority is named too, so that nobody believes that it holds."""
    size = len(teams.of_phase(phase).get(seat.nation, ()))
    agreed = [one for one in tally if one.counts]
    minority = [f"{one.words}: {len(one.members)} of {size}" for one in tally if not one.counts]
    if agreed:
        section.paragraphs.append(
            f"In force for {seat.nation} in {phase.short_title}, by the vote of your team:"
        )
        section.kept = [f"{one.words}    # {len(one.members)} of {size}" for one in agreed]
    else:
        section.paragraphs.append(
            f"Your team agrees on no line for {phase.short_title}: as it stands, {seat.nation}"
            " passes."
        )
    if minority:
        section.after.append(f"Not in force, for lack of a majority: {'; '.join(minority)}.")


def _silence(section: Section, game: Game, state: Any, nation: str) -> None:
    means = silence.means(game, game.rules.view(state, nation), nation)
    if means.lines:
        section.paragraphs.append(
            f"{nation} has no orders in force. If you send nothing, these lines count:"
        )
        section.kept = list(means.lines)
    else:
        said = " ".join(means.sentences) or f"{nation} has no orders in this phase."
        section.paragraphs.append(f"{nation} has no orders in force. If you send nothing, {said}")


def _how_to_change(game: Game, standing: bool) -> str:
    if game.options["orders.amend"] == "merge_lines":
        how = (
            "Lines that you send later are added; a line about the same thing replaces the"
            " earlier one."
        )
    else:
        how = (
            "Orders that you send later replace all of them."
            if standing
            else "Write one order per line; orders that you send later replace all of them."
        )
    back = " CANCEL takes them back." if standing else ""
    return f"{how}{back} HELP lists all that you can write."


def _final_vote(submission: Submission) -> str:
    """How many of a team that votes call their votes final; empty of orders that are no vote."""
    game, phase, nation = submission.game, submission.phase, submission.seat.nation
    if not (submission.member and teams.by_vote(game) and game.may_lock_early):
        return ""
    size = len(teams.of_phase(phase).get(nation, ()))
    final = sum(vote.final for vote in in_force.votes(phase).get(nation, {}).values())
    return (
        f"Your vote is marked final, as {final} of the {size} votes in your team are. {nation} is"
        " final once more than half are. NOT FINAL takes that back."
    )


def _final_in_words(game: Game, final: bool) -> str:
    if not game.may_lock_early:
        return (
            f"{'FINAL' if final else 'NOT FINAL'} changes nothing: in this game no phase ends"
            " before its deadline."
        )
    if final:
        return (
            "They are marked final: the phase ends as soon as the orders of every seat are. NOT"
            " FINAL takes that back."
        )
    return "They are no longer marked final."


def cancelled(submission: Submission, person: Person) -> Section:
    """Orders taken back, or not, where that came late."""
    game, phase, nation = submission.game, submission.phase, submission.seat.nation
    heading = f"Orders of {nation} taken back"
    if submission.late:
        came = (
            f"CANCEL came on {time_for(submission.received_at, person, game)}, after"
            f" {phase.short_title} had closed"
        )
        why = f"{came}: recorded as No. {submission.seat_number}, not used."
        return Section(f"Orders of {nation} not taken back", [why])
    if submission.member and teams.by_vote(game):
        said = (
            f"You took back your vote for {phase.short_title} (No. {submission.seat_number}); the"
            " votes of your team still count."
        )
        return Section(heading, [said])
    said = (
        f"You took back all orders of {nation} for {phase.short_title} (No."
        f" {submission.seat_number})."
    )
    return Section(heading, [said])


def mark_final(submission: Submission, person: Person, final: bool) -> Section:
    """The same orders, sent anew by the service with or without the final mark."""
    game, nation = submission.game, submission.seat.nation
    heading = f"Orders No. {submission.seat_number} for {nation}"
    if submission.late:
        at = time_for(submission.received_at, person, game)
        phase = submission.phase.short_title
        why = f"It arrived on {at}, after {phase} had closed: recorded, not used."
        return Section(heading, [why])
    said = "The orders in force stand as they were, under a new number."
    return Section(heading, [f"{said} {_final_in_words(game, final)}"])


def on_record(seat: Seat, phase: Phase, person: Person) -> Section:
    """ORDERS: the set in force as understood, and everything received, each with its number."""
    game, nation = seat.game, seat.nation
    section = Section(f"Orders of {nation} in {phase.short_title}")
    state = positions.state_of(phase)
    standing = in_force.in_force_of(seat, phase)
    if standing is None:
        section.paragraphs.append("None are in force.")
    else:
        text = in_force.texts_in_force(phase)[nation]
        section.paragraphs.append(f"In force, No. {standing.seat_number}, as understood:")
        section.kept = [
            _with_odds(game, state, nation, words)
            for _, words in game.rules.read(text, nation, state).understood
        ]
    rows = list(phase.submissions.filter(seat=seat).order_by("number"))
    back = max((row.number for row in rows if row.withdraws), default=0)
    merges = game.options["orders.amend"] == "merge_lines"
    voting = {one.number for one in in_force.votes(phase).get(nation, {}).values()}
    for row in rows[-20:]:
        gone = (
            "taken back since"
            if row.number < back
            else "added to since"
            if merges
            else "replaced since"
        )
        gone = "a vote that holds" if row.number in voting else gone
        when = time_for(row.received_at, person, game)
        section.points.append(f"No. {row.seat_number}, {when}, {_fate(row, standing, gone)}")
    if rows:
        section.after.append(
            "All that came is kept as it was sent."
            + (" The newest twenty are listed." if len(rows) > 20 else "")
        )
    return section


def _fate(row: Submission, standing: Submission | None, gone: str) -> str:
    way = {
        "web": "from the order page",
        "mail": "by mail",
        "telephone": "by telephone",
        "paper": "on paper",
        "ahead": "sent ahead",
        "api": "from a program",
    }.get(row.channel, "")
    if row.late:
        fate = "late: recorded, not used"
    elif row.withdraws:
        fate = "took back what was sent before"
    elif row.proposal and row.understood:
        fate = "a proposal to your team"
    elif not row.counts:
        fate = "no line could be taken"
    elif standing is not None and row.pk == standing.pk:
        fate = "in force"
    else:
        fate = gone
    written = lines(row.text)
    begins = f" It begins {quote_line(written[0])}." if written else ""
    return f"{way}: {fate}.{begins}"
