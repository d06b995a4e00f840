"""Answer orders: lines understood and rejected, odds, orders in force, how to change them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from games import positions
from games.letters import in_doubt, play
from games.letters import teams as of_teams
from games.models import Game, Person, Phase, Seat
from games.outbox.messages import team_votes
from games.positions import in_force
from games.rules import RulesError, wording
from games.rules.digits import Always
from games.rules.names import all_of, count_of
from games.rules.orders import lines, quote_line
from games.seats import teams
from games.timing import local_time
from orders.intake import ahead, ledger
from orders.models import Submission

from .outcome import Section


def time_for(instant: datetime, person: Person) -> str:
    """Return an instant in the reader's time zone, with its name."""
    return local_time.brief(instant, person.zone, instant)


def answer_orders(
    submission: Submission,
    person: Person,
    now: datetime,
    final: bool,
    state: Any,
    replaced: int,
) -> list[Section]:
    """Return the answer to an order set that was stored in the ledger.

    `state`: the state in which its phase is played. `replaced`: the number of the nation's orders
    that were in force before, or 0.
    """
    game, nation = submission.game, submission.seat.nation
    remarks = list(submission.remarks)
    if submission.counts and game.options["orders.amend"] == "merge_lines":
        remarks = _remarks_on_all_lines(submission, remarks, now)
    rejections = [remark["message"] for remark in remarks if remark["severity"] == "error"]
    warnings = [remark["message"] for remark in remarks if remark["severity"] != "error"]
    noun = "Proposal" if submission.proposal else "Orders"
    first = Section(
        f"{noun} No. {submission.seat_number} for {nation}",
        [_receipt(submission, person, state, replaced)],
    )
    standing = _standing(submission) if submission.question is not None else None
    if asked := in_doubt.question(submission, state, standing):
        return [first, _asked_section(asked)]
    accepted = play.accepted_lines(game, state, submission)
    seen = game.rules.view(state, nation)
    if binding := in_doubt.binding(game, seen, nation, accepted["understood"]):
        until = time_for(submission.phase.deadline, person)
        first.paragraphs.append(
            f"{' '.join(binding)} {in_doubt.how_to_take_back(len(binding), until)}"
        )
    if final and submission.counts:
        first.paragraphs.append(_final_vote(submission) or _final_in_words(game, True))
    team = team_votes.team_facts(submission).get("team")
    team_sentences = of_teams.sentences(submission, team, mine=True, leads=False) if team else None
    if team_sentences is not None and team_sentences["holds"]:
        first.paragraphs.append(team_sentences["holds"])
    if accepted["understood"]:
        first.paragraphs.append("Understood:")
        first.kept = [
            play.order_with_original(_order_with_odds(game, state, nation, words), written)
            for words, written in zip(accepted["understood"], accepted["written"], strict=True)
        ]
    sections = [first]
    if accepted["own_words"]:
        sections.append(_own_words_section(submission, accepted["own_words"]))
    if rejections:
        sections.append(Section("Rejected", points=rejections))
    if warnings and (submission.counts or submission.proposal):
        sections.append(Section("Warnings", points=warnings))
    if team_sentences is not None and team_sentences["lines"]:
        told_lines = [
            f"{line['words']}: {line['count']}{', counts' if line['counts'] else ''}"
            for line in team_sentences["lines"]
        ]
        sections.append(Section("The votes of your team", points=told_lines))
    return sections


def _own_words_section(submission: Submission, own_words: list[str]) -> Section:
    """Return the part about lines in the sender's own words.

    The gamesmaster judges those that count. In diplomacy nobody does: warnings about them say so.
    """
    game, phase = submission.game, submission.phase
    if submission.counts and not game.rules.facts(phase.id_in_rules, game.options).voluntary:
        why = (
            "These lines are in your own words: the gamesmaster judges them where they are orders"
            " for the map."
        )
        return Section("For the gamesmaster", [why], kept=own_words)
    return Section("In your own words", kept=own_words)


def _standing(submission: Submission) -> int | None:
    """Return the number of the orders in force for the nation of a submission."""
    newest = in_force.submission_in_force(submission.seat, submission.phase)
    return newest.seat_number if newest is not None else None


def _asked_section(asked: in_doubt.Question) -> Section:
    """Return the question about orders in doubt."""
    if not asked.lines:
        sentence = "We found no one reading of all lines. Send the orders again, one per line."
        return Section("In doubt", [sentence], points=list(asked.reasons))
    return Section(
        "In doubt",
        [*asked.reasons, "We would read your orders so:"],
        kept=list(asked.lines),
        after=[
            f"Reply YES to send these, or open the order page, which has them ready: {asked.link}"
        ],
    )


def answer_ahead(ahead_set: ahead.KeptSet, nation: str) -> list[Section]:
    """Return the answer to an order set that is kept for a later phase."""
    sentence = (
        f"Kept for {ahead_set.title}. They become your orders when it opens, and a receipt says"
        " which lines no longer work. Until then nobody else can read them. To replace them, send"
        " them again."
    )
    understood = [play.order_with_original(words, "") for _, words in ahead_set.reading.understood]
    sections = [Section(f"Orders ahead for {nation}", [sentence, "Understood:"], kept=understood)]
    rejections = [remark.message for remark in ahead_set.reading.remarks]
    return [*sections, Section("Rejected", points=rejections)] if rejections else sections


def _remarks_on_all_lines(
    submission: Submission, remarks: list[dict[str, Any]], now: datetime
) -> list[dict[str, Any]]:
    """Replace the warnings by those about all lines in force, where lines are merged."""
    text = in_force.texts_in_force(submission.phase).get(submission.seat.nation, "")
    all_remarks = [
        remark.as_json()
        for remark in ledger.reading(submission.seat, submission.phase, text, now).remarks
    ]
    return [remark for remark in remarks if remark["severity"] == "error"] + [
        item for item in all_remarks if item["severity"] != "error"
    ]


def _receipt(submission: Submission, person: Person, state: Any, replaced: int) -> str:
    game, phase, nation = submission.game, submission.phase, submission.seat.nation
    time = time_for(submission.received_at, person)
    lead = f"They came by mail on {time}, for {phase.short_title}"
    if submission.late:
        newest = in_force.submission_in_force(submission.seat, phase)
        rest = (
            f"No. {newest.seat_number} counts"
            if newest
            else f"{nation} has no orders in force for it"
        )
        if submission.received_at <= phase.closes_at:
            return f"{lead}, which had been closed before its deadline: recorded, not used; {rest}."
        return (
            f"{lead}: after its deadline of {time_for(phase.deadline, person)}. Recorded, not"
            f" used; {rest}."
        )
    if nation not in game.rules.acting_nations(state):
        return (
            f"{lead}. No orders are asked of {nation} in it: they are recorded, and change nothing."
        )
    if submission.proposal and submission.understood:
        return f"{lead}. They are proposed to your team, which has been told."
    if submission.counts and submission.member and teams.decides_by_vote(game):
        return f"{lead}. They are your vote, and your team has been told."
    if submission.question is not None:
        return f"{lead}. They are in doubt: recorded, and not in force before you confirm them."
    if not submission.counts:
        return f"{lead}. Every line was rejected: they are recorded, and replace nothing."
    if not replaced or game.options["orders.amend"] == "merge_lines":
        return f"{lead}. They are in force."
    return f"{lead}. They are in force, in place of No. {replaced}."


def _order_with_odds(game: Game, state: Any, nation: str, words: str) -> str:
    """Return an order in canonical words, followed for an attack by its odds on the present board.

    The rules judge it as if nothing else were ordered.
    """
    phase = game.rules.phase(state)
    if phase is None or not game.rules.facts(phase, game.options).draws:
        return words
    try:
        events = game.rules.resolve(
            game.rules.view(state, nation), {nation: words}, Always(1), game.reserves
        ).events
    except RulesError:
        return words
    # counters that the attack turns up; the nation knows only their number
    covered = 0
    for event in events:
        if event["kind"] == "turned_up":
            covered += event.get("number", 0)
        elif covered and event["kind"] in ("attack", "void") and event["nation"] == nation:
            return (
                f"{words}    # turns up {count_of(covered, 'counter')} of those"
                " attacked, whatever they are worth"
            )
        if event["kind"] == "attack" and event["nation"] == nation:
            whom = f" of {all_of(event['targets'])}" if " ELSE " in words else ""
            return (
                f"{words}    # {event['attacker']} against {event['defender']}{whom} on the present"
                f" board, {wording.odds_words(event['odds'])}"
            )
        if event["kind"] == "void" and event["nation"] == nation:
            return f"{words}    # void on the present board"
    return words


def _final_vote(submission: Submission) -> str:
    """Return how many votes of a team are final; "" for orders that are no vote."""
    game, phase, nation = submission.game, submission.phase, submission.seat.nation
    if not (submission.member and teams.decides_by_vote(game) and game.may_lock_early):
        return ""
    members = teams.teams_of_phase(phase).get(nation, ())
    votes = in_force.votes(phase).get(nation, {})
    size, final = len(members), sum(votes[each].final for each in members if each in votes)
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


def answer_cancel(submission: Submission, person: Person) -> Section:
    """Return the answer to CANCEL: taken back, or not because it arrived late."""
    game, phase, nation = submission.game, submission.phase, submission.seat.nation
    heading = f"Orders of {nation} taken back"
    if submission.late:
        arrival = (
            f"CANCEL came on {time_for(submission.received_at, person)}, after"
            f" {phase.short_title} had closed"
        )
        why = f"{arrival}: recorded as No. {submission.seat_number}, not used."
        return Section(f"Orders of {nation} not taken back", [why])
    if submission.member and teams.decides_by_vote(game):
        sentence = (
            f"You took back your vote for {phase.short_title} (No. {submission.seat_number}); the"
            " votes of your team still count."
        )
        return Section(heading, [sentence])
    sentence = (
        f"You took back all orders of {nation} for {phase.short_title} (No."
        f" {submission.seat_number})."
    )
    return Section(heading, [sentence])


def mark_final(submission: Submission, person: Person, final: bool) -> Section:
    """Return the answer to FINAL or NOT FINAL: the orders were stored again with a new number."""
    game, nation = submission.game, submission.seat.nation
    heading = f"Orders No. {submission.seat_number} for {nation}"
    if submission.late:
        time = time_for(submission.received_at, person)
        phase = submission.phase.short_title
        why = f"It arrived on {time}, after {phase} had closed: recorded, not used."
        return Section(heading, [why])
    sentence = "The orders in force stand as they were, under a new number."
    return Section(heading, [f"{sentence} {_final_in_words(game, final)}"])


def orders_section(seat: Seat, phase: Phase, person: Person) -> Section:
    """Return the answer to ORDERS: the set in force, and everything received."""
    game, nation = seat.game, seat.nation
    section = Section(f"Orders of {nation} in {phase.short_title}")
    state = positions.state_of(phase)
    in_force_now = in_force.submission_in_force(seat, phase)
    if in_force_now is None:
        section.paragraphs.append("None are in force.")
    else:
        text = in_force.texts_in_force(phase)[nation]
        section.paragraphs.append(f"In force, No. {in_force_now.seat_number}, as understood:")
        section.kept = [
            _order_with_odds(game, state, nation, words)
            for _, words in game.rules.read(text, nation, state).understood
        ]
    asked = in_force.open_question(seat, phase, person)
    if asked is not None and (read := in_doubt.lines(asked)):
        section.after.append(
            f"In doubt, No. {asked.seat_number}: {'; '.join(read)}. Reply YES to send that."
        )
    rows = list(phase.submissions.filter(seat=seat).order_by("number"))
    last_withdrawal = max((row.number for row in rows if row.withdraws), default=0)
    merges = game.options["orders.amend"] == "merge_lines"
    vote_numbers = {vote_row.number for vote_row in in_force.votes(phase).get(nation, {}).values()}
    for row in rows[-20:]:
        otherwise = (
            "taken back since"
            if row.number < last_withdrawal
            else "added to since"
            if merges
            else "replaced since"
        )
        otherwise = "a vote that holds" if row.number in vote_numbers else otherwise
        when = time_for(row.received_at, person)
        section.points.append(
            f"No. {row.seat_number}, {when}, {_fate(row, in_force_now, otherwise)}"
        )
    if rows:
        section.after.append(
            "We keep everything as you sent it."
            + (" The newest twenty are listed." if len(rows) > 20 else "")
        )
    return section


def _fate(row: Submission, standing: Submission | None, gone: str) -> str:
    """Return how an order set arrived and what happened to it.

    `gone`: the words for one that counted but is no longer in force.
    """
    way = {
        "web": "from the order page",
        "mail": "by mail",
        "telephone": "by telephone",
        "paper": "on paper",
        "ahead": "sent ahead",
        "api": "from a program",
        "doubt": "from your orders in doubt, at the deadline",
    }.get(row.channel, "")
    if row.late:
        fate = "late: recorded, not used"
    elif row.withdraws:
        fate = "took back what was sent before"
    elif row.proposal and row.understood:
        fate = "a proposal to your team"
    elif row.question is not None:
        fate = "in doubt: a question to you"
    elif not row.counts:
        fate = "every line was rejected"
    elif standing is not None and row.pk == standing.pk:
        fate = "in force"
    else:
        fate = gone
    written = lines(row.text)
    begins = f" It begins {quote_line(written[0])}." if written else ""
    return f"{way}: {fate}.{begins}"
