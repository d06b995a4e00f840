"""Effects of a message: orders, marks, questions, absences, letters (issue 4, items 3 to 5)."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from games.evidence import export
from games.models import Absence, Letter, Mute, Press
from games.positions import in_force as orders_in_force
from games.rules.verification import verify
from orders.inbound.replies.outcome import Outcome
from orders.intake import ledger
from orders.models import Submission
from tests.inbound.post import send
from tests.support.campaign import Campaign, person

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


def outcome_text(outcome: Outcome) -> str:
    return "\n".join(
        "\n".join(
            [section.heading, *section.paragraphs, *section.kept, *section.points, *section.after]
        )
        for section in outcome.sections
    )


def in_force(campaign: Campaign, nation: str) -> str | None:
    standing = orders_in_force.in_force(campaign.phase).get(nation)
    return standing.text if standing else None


def test_ledger_has_the_arrival_time_of_orders_by_mail(
    campaign: Campaign,
) -> None:
    """Issue 4, item 3. There is no separate receipt, since the answer has everything."""
    came = campaign.now + timedelta(minutes=7)
    send(
        campaign,
        campaign.players["Germany"],
        "PLACE 4 Poland\nPLACE 6 Austria",
        at=came,
        done=came + timedelta(seconds=4),
    )
    submission = Submission.objects.get()
    assert (submission.channel, submission.received_at, submission.counts) == ("mail", came, True)
    assert submission.text == "PLACE 4 Poland\nPLACE 6 Austria"
    assert not Letter.objects.filter(kind="receipt").exists()


def test_lines_with_and_without_the_nations_name_are_one_set(campaign: Campaign) -> None:
    """A second set would replace the first."""
    send(campaign, campaign.players["Germany"], "PLACE 4 Poland\nAS Germany\nPLACE 6 Austria")
    assert in_force(campaign, "Germany") == "PLACE 4 Poland\n\nPLACE 6 Austria"


def test_order_for_another_nation_is_refused(campaign: Campaign) -> None:
    outcome = send(campaign, campaign.players["Germany"], "AS France\nPLACE 2 Poland")
    assert (
        "You cannot order for “France”: you play Germany. The lines below it changed nothing."
        in outcome_text(outcome)
    )
    assert not Submission.objects.exists()


def test_player_of_two_nations_must_name_one(campaign: Campaign) -> None:
    """Nothing is guessed."""
    gustav = campaign.players["Germany"]
    campaign.seat("France").sittings.update(person=gustav)
    assert "you play France and Germany" in outcome_text(send(campaign, gustav, "PLACE 2 Poland"))
    send(campaign, gustav, "AS France\nPLACE 2 Poland\nAS Germany\nPLACE 3 Austria")
    assert (in_force(campaign, "France"), in_force(campaign, "Germany")) == (
        "PLACE 2 Poland",
        "PLACE 3 Austria",
    )


def test_orders_of_a_gamesmaster_without_a_seat_are_refused(campaign: Campaign) -> None:
    outcome = send(campaign, campaign.ada, "PLACE 2 Poland\nSTATUS")
    assert "“PLACE 2 Poland” changed nothing: you run this game" in outcome_text(outcome)
    assert "Where the game stands" in outcome_text(outcome)


def test_commands_of_a_nonplayer_reveal_nothing(campaign: Campaign) -> None:
    outcome = send(campaign, person("charlie"), "BOARD\nORDERS\nHISTORY")
    assert [section.heading for section in outcome.sections] == ["Not done"]


def test_reply_to_a_letter_of_a_closed_phase_is_late(
    campaign: Campaign,
) -> None:
    """design 4: the letter that the sender replied to decides."""
    opened = campaign.letters("opened", "gustav")[-1]
    first = campaign.pass_deadline()
    outcome = send(campaign, campaign.players["Germany"], "PASS", answers_to=opened.message_id)
    submission = Submission.objects.get()
    assert (submission.phase, submission.late) == (first, True)
    assert "Nothing changes for" in outcome_text(outcome)


def test_reply_to_a_report_is_for_the_phase_it_opens(campaign: Campaign) -> None:
    campaign.pass_deadline()
    report = campaign.letters("board", "gustav")[-1]
    send(campaign, campaign.players["Germany"], "PASS", answers_to=report.message_id)
    assert Submission.objects.get().phase == campaign.phase


def test_reply_to_another_players_letter_is_for_the_open_phase(campaign: Campaign) -> None:
    """A Message-ID is no secret: only a letter to the sender shows what they had read."""
    opened = campaign.letters("opened", "rosa")[-1]
    campaign.pass_deadline()
    send(campaign, campaign.players["Germany"], "PASS", answers_to=opened.message_id)
    assert Submission.objects.get().phase == campaign.phase


def test_late_confirmed_mail_does_not_replace_newer_orders(
    campaign: Campaign,
) -> None:
    came = campaign.now
    campaign.order("Germany", "PLACE 10 Poland", at=came + timedelta(minutes=5))
    for text in ("PLACE 10 Austria", "CANCEL", "NOT FINAL"):
        outcome = send(
            campaign, campaign.players["Germany"], text, at=came, done=came + timedelta(minutes=9)
        )
        assert "No. 1 arrived later and counts." in outcome_text(outcome)
    assert in_force(campaign, "Germany") == "PLACE 10 Poland"


def test_cancel_takes_orders_back_and_the_record_verifies(campaign: Campaign) -> None:
    """A cancel is a submission too, and `verify` judges it alike (contract 5)."""
    gustav = campaign.players["Germany"]
    send(campaign, gustav, "PLACE 10 Poland")
    outcome = send(campaign, gustav, "CANCEL")
    assert in_force(campaign, "Germany") is None
    assert "You took back all orders of Germany for Turn 1 placement (No. 2)." in outcome_text(
        outcome
    )
    campaign.order("France", "PLACE 1 Poland")
    phase = campaign.pass_deadline()
    assert set(phase.leaves) == {"France"}
    assert "Germany" not in campaign.board().get("Poland", {})
    tree = json.loads(json.dumps(export.record(campaign.game, private=True)))
    assert list(verify.differences(tree)) == []


def test_orders_after_cancel_are_not_merged_with_earlier_ones() -> None:
    """With orders.amend = merge_lines, earlier lines are not merged with it."""
    campaign = Campaign.begin(options={"orders.amend": "merge_lines"})
    gustav = campaign.players["Germany"]
    send(campaign, gustav, "PLACE 4 Poland")
    send(campaign, gustav, "CANCEL\n")
    send(campaign, gustav, "PLACE 3 Austria")
    assert orders_in_force.texts_in_force(campaign.phase)["Germany"] == "PLACE 3 Austria"


def test_cancel_without_orders_is_answered_and_writes_nothing(campaign: Campaign) -> None:
    outcome = send(campaign, campaign.players["Germany"], "CANCEL")
    assert "CANCEL takes orders back, but none of Germany are in force." in outcome_text(outcome)
    assert not Submission.objects.exists()


def test_withdrawal_comment_as_text_withdraws_nothing(
    campaign: Campaign,
) -> None:
    """record.is_withdrawal: such a text is no order set and is never received."""
    campaign.order("Germany", "PLACE 10 Poland")
    with pytest.raises(ledger.LedgerError, match="Nothing was written"):
        campaign.order("Germany", "# CANCEL: whatever was sent before is taken back")
    assert in_force(campaign, "Germany") == "PLACE 10 Poland"


def test_final_marks_its_own_orders_and_not_final_those_in_force() -> None:
    campaign = Campaign.begin(may_lock_early=True)
    gustav = campaign.players["Germany"]
    send(campaign, gustav, "FINAL\nPLACE 10 Poland")
    assert orders_in_force.in_force(campaign.phase)["Germany"].final
    send(campaign, gustav, "NOT FINAL")
    standing = orders_in_force.in_force(campaign.phase)["Germany"]
    assert (standing.number, standing.final, standing.text) == (2, False, "PLACE 10 Poland")
    assert "“FINAL” was ignored: France has no orders in force." in outcome_text(
        send(campaign, campaign.players["France"], "FINAL")
    )


def test_absence_is_stored(campaign: Campaign) -> None:
    outcome = send(
        campaign, campaign.players["Germany"], "ABSENT 24 December 2026 to 27 December 2026"
    )
    assert Absence.objects.get().person == campaign.players["Germany"]
    assert "Noted: away from Thursday 24 December 2026 to Sunday 27 December 2026." in outcome_text(
        outcome
    )
    assert "Your absence" not in outcome_text(
        send(campaign, campaign.players["Germany"], "ABSENT 24 December 2020 to 27 December 2020")
    )


def test_absence_is_withdrawn(campaign: Campaign) -> None:
    """By mail alone, a slip in a date kept all players waiting."""
    germany = campaign.players["Germany"]
    nothing = "NOT ABSENT changed nothing: you have announced no days that are to come."
    assert nothing in outcome_text(send(campaign, germany, "NOT ABSENT"))
    send(campaign, germany, "ABSENT 24 December 2026 to 27 December 2026")
    again = send(campaign, germany, "ABSENT 26 December 2026")
    assert "Withdraw that first (by mail: NOT ABSENT), or enter other days." in outcome_text(again)
    send(campaign, campaign.players["France"], "ABSENT 25 December 2026")
    outcome = send(campaign, germany, "PLACE 10 Poland\nnot absent.")
    assert (
        "Withdrawn: you are no longer away from Thursday 24 December 2026 to Sunday 27 December"
        " 2026." in outcome_text(outcome)
    )
    assert in_force(campaign, "Germany") == "PLACE 10 Poland"
    assert Absence.objects.get(withdrawn_at=None).person == campaign.players["France"]


def test_mute_works_beside_orders(campaign: Campaign) -> None:
    send(campaign, campaign.players["Germany"], "PLACE 10 Poland\nMUTE")
    assert Mute.objects.get(until=None).person == campaign.players["Germany"]
    assert in_force(campaign, "Germany") == "PLACE 10 Poland"


def test_orders_and_press_text_are_separated(
    campaign: Campaign,
) -> None:
    """foundations 5: press is never read as orders."""
    text = (
        "PLACE 4 Poland\nPRESS TO France\nI shall write\nPLACE 9 Austria\nCANCEL\nEND\nPLACE 6"
        " Austria"
    )
    send(campaign, campaign.players["Germany"], text)
    assert in_force(campaign, "Germany") == "PLACE 4 Poland\n\nPLACE 6 Austria"
    press = Press.objects.get()
    assert (press.to, press.text, press.channel) == (
        ["France"],
        "I shall write\nPLACE 9 Austria\nCANCEL",
        "mail",
    )


def test_reply_goes_to_the_circle_of_the_letter(campaign: Campaign) -> None:
    send(campaign, campaign.players["Germany"], "PRESS TO France, Britain\nShall we?\nEND")
    press_letter = campaign.letters("press", "felix")[-1]
    send(
        campaign,
        campaign.players["France"],
        "REPLY\nGladly.\nEND",
        answers_to=press_letter.message_id,
    )
    assert Press.objects.get(number=2).to == ["Britain", "Germany"]
    outcome = send(
        campaign,
        campaign.players["Russia"],
        "REPLY\nMe too.\nEND",
        answers_to=press_letter.message_id,
    )
    assert "your message does not answer another nation" in outcome_text(outcome)


def test_a_question_is_answered_by_mail(campaign: Campaign) -> None:
    send(campaign, campaign.players["Germany"], "QUESTION\nMay I attack myself?\nEND")
    question = campaign.letters("question", "ada")[-1]
    send(
        campaign,
        campaign.ada,
        f"ANSWER {Press.objects.get().code}\nNo.\nEND",
        answers_to=question.message_id,
    )
    answer = Press.objects.get(number=2)
    assert (answer.seat, answer.to, answer.answers and answer.answers.number) == (
        None,
        ["Germany"],
        1,
    )
    assert "ANSWER is for the gamesmaster." in outcome_text(
        send(campaign, campaign.players["France"], "ANSWER 1\nNo.\nEND")
    )


@pytest.mark.parametrize("line", ["EXTEND 24 HOURS", "Pause", "RULE RESULT 2 D: He said so."])
def test_command_of_the_gamesmaster_is_refused_as_such_from_a_player(
    campaign: Campaign, line: str
) -> None:
    """Bad input gets the true reason: once such a line was a word that orders do not use."""
    outcome = send(campaign, campaign.players["Germany"], f"{line}\nPLACE 10 Poland")
    assert f"“{line}” did nothing" in outcome_text(outcome)
    assert "is for the gamesmaster" in outcome_text(outcome)
    votes = "VOTE MORE TIME asks all players for more time" in outcome_text(outcome)
    assert votes == line.startswith("EXTEND"), "players have a way to more time of their own"
    assert in_force(campaign, "Germany") == "PLACE 10 Poland"
    campaign.game.refresh_from_db()
    assert campaign.game.status == "running"


@pytest.mark.parametrize("line", ["Extend that to Austria", "Vacate Italy", "Eject the French"])
def test_line_that_may_speak_of_orders_is_no_command_of_the_gamesmaster(
    campaign: Campaign, line: str
) -> None:
    """Contract 3a: what may change orders beside it is asked about."""
    outcome = send(campaign, campaign.players["Germany"], f"PLACE 10 Poland\n{line}")
    assert "may be about yours" in outcome_text(outcome)
    assert in_force(campaign, "Germany") is None


def test_failed_part_does_not_stop_others(campaign: Campaign) -> None:
    outcome = send(
        campaign,
        campaign.players["Germany"],
        "PRESS TO Mars\nHello\nEND\nPLACE 10 Poland\nHISTORY 9\nFINAL",
    )
    assert in_force(campaign, "Germany") == "PLACE 10 Poland"
    assert "no nation “Mars”" in outcome_text(outcome)
    assert "Nothing has been judged yet." in outcome_text(outcome)


def test_refused_orders_leave_no_gap_in_the_numbers(campaign: Campaign) -> None:
    """The game's row is locked by writing the number that the orders get (orders.intake.chain)."""
    player = campaign.players["Germany"]
    refused = send(campaign, player, "AS France\nPLACE 10 Poland")
    assert refused.sections[0].heading == "Not done"
    campaign.game.refresh_from_db()
    assert (campaign.game.last_submission, campaign.game.submissions.count()) == (0, 0)
    for text in ("PLACE 10 Poland", "PLACE 10 Austria"):
        send(campaign, player, text)
    campaign.game.refresh_from_db()
    numbers = campaign.game.submissions.order_by("number").values_list("number", flat=True)
    assert list(numbers) == [1, 2]
    assert campaign.game.last_submission == 2


def test_orders_before_the_game_begins_use_no_number() -> None:
    campaign = Campaign.open()
    send(campaign, campaign.players["Germany"], "PLACE 10 Poland")
    campaign.game.refresh_from_db()
    assert campaign.game.last_submission == 0


def test_game_that_has_not_begun_refuses_orders() -> None:
    campaign = Campaign.open()
    outcome = send(
        campaign,
        campaign.players["Germany"],
        "PLACE 10 Poland\nBOARD\nSTATUS\nDEADLINE\nORDERS\nHELP",
    )
    assert "has not begun: orders are accepted from the first letter on." in outcome_text(outcome)


def test_outcome_is_json_with_a_summary_line(campaign: Campaign) -> None:
    outcome = send(
        campaign, campaign.players["Germany"], "PLACE 10 Poland\nBOARD\nHISTORY\nSTATUS\nHELP"
    )
    assert json.loads(json.dumps(outcome.as_json())) == outcome.as_json()
    assert outcome.words == "orders No. 1 of Germany; BOARD; HISTORY; STATUS; HELP"


def test_status_hides_order_status_of_others(campaign: Campaign) -> None:
    """Whether others have sent orders is private."""
    before = outcome_text(send(campaign, campaign.players["Germany"], "STATUS"))
    campaign.order("France", "PLACE 1 Poland")
    assert outcome_text(send(campaign, campaign.players["Germany"], "STATUS")) == before


def test_mail_of_a_former_player_has_no_effect(campaign: Campaign) -> None:
    gustav = campaign.players["Germany"]
    campaign.seat("Germany").sittings.update(until=campaign.now)
    send(campaign, gustav, "PLACE 10 Poland\nPRESS TO France\nHello\nEND")
    assert not Submission.objects.exists()
    assert not Press.objects.exists()
