"""What a message does: orders, marks, questions, absences, letters (issue 4, items 3 to 5)."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from games.evidence import export
from games.models import Absence, Letter, Mute, Press
from games.rules.verification import verify
from orders import in_force as orders_in_force
from orders import ledger
from orders.inbound.replies.outcome import Outcome
from orders.models import Submission
from tests.inbound.post import send
from tests.support.campaign import Campaign, person

pytestmark = pytest.mark.django_db


def said(outcome: Outcome) -> str:
    return "\n".join(
        "\n".join(
            [section.heading, *section.paragraphs, *section.kept, *section.points, *section.after]
        )
        for section in outcome.sections
    )


def in_force(campaign: Campaign, nation: str) -> str | None:
    standing = orders_in_force.in_force(campaign.phase).get(nation)
    return standing.text if standing else None


def test_orders_by_mail_are_in_the_ledger_with_the_instant_at_which_they_came(
    campaign: Campaign,
) -> None:
    """Issue 4, item 3; no separate receipt, for the answer says it all."""
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


def test_a_nation_named_and_not_named_is_one_set_of_orders(campaign: Campaign) -> None:
    """A second set would replace the first."""
    send(campaign, campaign.players["Germany"], "PLACE 4 Poland\nAS Germany\nPLACE 6 Austria")
    assert in_force(campaign, "Germany") == "PLACE 4 Poland\nPLACE 6 Austria"


def test_nobody_orders_for_a_nation_that_is_not_his(campaign: Campaign) -> None:
    outcome = send(campaign, campaign.players["Germany"], "AS France\nPLACE 2 Poland")
    assert (
        "You cannot order for “France”: you play Germany. The lines below it changed nothing."
        in said(outcome)
    )
    assert not Submission.objects.exists()


def test_a_player_of_two_nations_says_for_which(campaign: Campaign) -> None:
    """Nothing is guessed."""
    gustav = campaign.players["Germany"]
    campaign.seat("France").sittings.update(person=gustav)
    assert "you play France and Germany" in said(send(campaign, gustav, "PLACE 2 Poland"))
    send(campaign, gustav, "AS France\nPLACE 2 Poland\nAS Germany\nPLACE 3 Austria")
    assert (in_force(campaign, "France"), in_force(campaign, "Germany")) == (
        "PLACE 2 Poland",
        "PLACE 3 Austria",
    )


def test_a_gamesmaster_without_a_seat_is_told_where_orders_are_entered(campaign: Campaign) -> None:
    outcome = send(campaign, campaign.ada, "PLACE 2 Poland\nSTATUS")
    assert "“PLACE 2 Poland” changed nothing: you run this game" in said(outcome)
    assert "Where the game stands" in said(outcome)


def test_who_has_no_part_in_a_game_learns_nothing_of_it(campaign: Campaign) -> None:
    outcome = send(campaign, person("charlie"), "BOARD\nORDERS\nHISTORY")
    assert [section.heading for section in outcome.sections] == ["Not done"]


def test_an_answer_to_the_letter_of_a_closed_phase_is_late_for_it_and_never_taken_for_the_next(
    campaign: Campaign,
) -> None:
    """design 4: what the sender had before him counts."""
    opened = campaign.letters("opened", "gustav")[-1]
    first = campaign.pass_deadline()
    outcome = send(campaign, campaign.players["Germany"], "PASS", answers_to=opened.message_id)
    submission = Submission.objects.get()
    assert (submission.phase, submission.late) == (first, True)
    assert "Nothing changes for" in said(outcome)


def test_an_answer_to_the_report_is_for_the_phase_that_it_opens(campaign: Campaign) -> None:
    campaign.pass_deadline()
    report = campaign.letters("board", "gustav")[-1]
    send(campaign, campaign.players["Germany"], "PASS", answers_to=report.message_id)
    assert Submission.objects.get().phase == campaign.phase


def test_somebody_elses_letter_says_nothing_of_the_phase_that_is_meant(campaign: Campaign) -> None:
    """A Message-ID is no secret: only a letter to the sender tells what they had read."""
    opened = campaign.letters("opened", "rosa")[-1]
    campaign.pass_deadline()
    send(campaign, campaign.players["Germany"], "PASS", answers_to=opened.message_id)
    assert Submission.objects.get().phase == campaign.phase


def test_mail_that_was_confirmed_late_does_not_replace_what_was_sent_since(
    campaign: Campaign,
) -> None:
    came = campaign.now
    campaign.order("Germany", "PLACE 10 Poland", at=came + timedelta(minutes=5))
    for text in ("PLACE 10 Austria", "CANCEL", "NOT FINAL"):
        outcome = send(
            campaign, campaign.players["Germany"], text, at=came, done=came + timedelta(minutes=9)
        )
        assert "No. 1 arrived later and counts." in said(outcome)
    assert in_force(campaign, "Germany") == "PLACE 10 Poland"


def test_cancel_makes_silence_silence_again_and_the_record_agrees(campaign: Campaign) -> None:
    """Taking back is a submission too, and `verify` judges it alike (contract 5)."""
    gustav = campaign.players["Germany"]
    send(campaign, gustav, "PLACE 10 Poland")
    outcome = send(campaign, gustav, "CANCEL")
    assert in_force(campaign, "Germany") is None
    assert "You took back all orders of Germany for Turn 1 placement (No. 2)." in said(outcome)
    campaign.order("France", "PLACE 1 Poland")
    phase = campaign.pass_deadline()
    assert set(phase.leaves) == {"France"}
    assert "Germany" not in campaign.board().get("Poland", {})
    tree = json.loads(json.dumps(export.record(campaign.game, private=True)))
    assert list(verify.differences(tree)) == []


def test_what_comes_after_cancel_holds_by_itself() -> None:
    """Under orders.amend = merge_lines nothing of before is put together with it."""
    campaign = Campaign.begin(options={"orders.amend": "merge_lines"})
    gustav = campaign.players["Germany"]
    send(campaign, gustav, "PLACE 4 Poland")
    send(campaign, gustav, "CANCEL\n")
    send(campaign, gustav, "PLACE 3 Austria")
    assert orders_in_force.texts_in_force(campaign.phase)["Germany"] == "PLACE 3 Austria"


def test_cancel_without_orders_is_answered_and_writes_nothing(campaign: Campaign) -> None:
    outcome = send(campaign, campaign.players["Germany"], "CANCEL")
    assert "CANCEL takes orders back, but none of Germany are in force." in said(outcome)
    assert not Submission.objects.exists()


def test_nobody_takes_orders_back_by_writing_the_comment_that_stands_for_it(
    campaign: Campaign,
) -> None:
    """record.is_withdrawal: such a text is no order set, and is never received."""
    campaign.order("Germany", "PLACE 10 Poland")
    with pytest.raises(ledger.LedgerError, match="Nothing was written"):
        campaign.order("Germany", "# CANCEL: whatever was sent before is taken back")
    assert in_force(campaign, "Germany") == "PLACE 10 Poland"


def test_final_marks_the_orders_beside_it_and_not_final_the_set_in_force() -> None:
    campaign = Campaign.begin(may_lock_early=True)
    gustav = campaign.players["Germany"]
    send(campaign, gustav, "FINAL\nPLACE 10 Poland")
    assert orders_in_force.in_force(campaign.phase)["Germany"].final
    send(campaign, gustav, "NOT FINAL")
    standing = orders_in_force.in_force(campaign.phase)["Germany"]
    assert (standing.number, standing.final, standing.text) == (2, False, "PLACE 10 Poland")
    assert "“FINAL” was ignored: France has no orders in force." in said(
        send(campaign, campaign.players["France"], "FINAL")
    )


def test_an_absence_is_noted_as_the_desk_notes_it(campaign: Campaign) -> None:
    outcome = send(
        campaign, campaign.players["Germany"], "ABSENT 24 December 2026 to 27 December 2026"
    )
    assert Absence.objects.get().person == campaign.players["Germany"]
    assert "Noted: away from Thursday 24 December 2026 to Sunday 27 December 2026." in said(outcome)
    assert "Your absence" not in said(
        send(campaign, campaign.players["Germany"], "ABSENT 24 December 2020 to 27 December 2020")
    )


def test_mute_is_done_beside_other_things(campaign: Campaign) -> None:
    send(campaign, campaign.players["Germany"], "PLACE 10 Poland\nMUTE")
    assert Mute.objects.get(until=None).person == campaign.players["Germany"]
    assert in_force(campaign, "Germany") == "PLACE 10 Poland"


def test_nothing_inside_a_letter_is_an_order_and_nothing_outside_goes_into_it(
    campaign: Campaign,
) -> None:
    """foundations 5: press is never read as orders."""
    text = (
        "PLACE 4 Poland\nPRESS TO France\nI shall write\nPLACE 9 Austria\nCANCEL\nEND\nPLACE 6"
        " Austria"
    )
    send(campaign, campaign.players["Germany"], text)
    assert in_force(campaign, "Germany") == "PLACE 4 Poland\nPLACE 6 Austria"
    press = Press.objects.get()
    assert (press.to, press.text, press.channel) == (
        ["France"],
        "I shall write\nPLACE 9 Austria\nCANCEL",
        "mail",
    )


def test_reply_goes_to_the_circle_of_the_letter_that_is_answered(campaign: Campaign) -> None:
    send(campaign, campaign.players["Germany"], "PRESS TO France, Britain\nShall we?\nEND")
    got = campaign.letters("press", "felix")[-1]
    send(campaign, campaign.players["France"], "REPLY\nGladly.\nEND", answers_to=got.message_id)
    assert Press.objects.get(number=2).to == ["Britain", "Germany"]
    lost = send(
        campaign, campaign.players["Russia"], "REPLY\nMe too.\nEND", answers_to=got.message_id
    )
    assert "your message does not answer another nation" in said(lost)


def test_a_question_is_answered_by_mail(campaign: Campaign) -> None:
    send(campaign, campaign.players["Germany"], "QUESTION\nMay I attack myself?\nEND")
    asked = campaign.letters("question", "ada")[-1]
    send(
        campaign,
        campaign.ada,
        f"ANSWER {Press.objects.get().code}\nNo.\nEND",
        answers_to=asked.message_id,
    )
    answer = Press.objects.get(number=2)
    assert (answer.seat, answer.to, answer.answers and answer.answers.number) == (
        None,
        ["Germany"],
        1,
    )
    assert "ANSWER is for the gamesmaster." in said(
        send(campaign, campaign.players["France"], "ANSWER 1\nNo.\nEND")
    )


def test_a_part_that_fails_stops_no_other(campaign: Campaign) -> None:
    outcome = send(
        campaign,
        campaign.players["Germany"],
        "PRESS TO Mars\nHello\nEND\nPLACE 10 Poland\nHISTORY 9\nFINAL",
    )
    assert in_force(campaign, "Germany") == "PLACE 10 Poland"
    assert "no nation “Mars”" in said(outcome)
    assert "Nothing has been judged yet." in said(outcome)


def test_a_game_that_has_not_begun_takes_no_orders_and_says_so() -> None:
    campaign = Campaign.open()
    outcome = send(
        campaign,
        campaign.players["Germany"],
        "PLACE 10 Poland\nBOARD\nSTATUS\nDEADLINE\nORDERS\nHELP",
    )
    assert "has not begun: orders are taken from the first letter on." in said(outcome)


def test_the_outcome_is_json_and_says_in_a_line_what_was_done(campaign: Campaign) -> None:
    outcome = send(
        campaign, campaign.players["Germany"], "PLACE 10 Poland\nBOARD\nHISTORY\nSTATUS\nHELP"
    )
    assert json.loads(json.dumps(outcome.as_json())) == outcome.as_json()
    assert outcome.words == "orders No. 1 of Germany; BOARD; HISTORY; STATUS; HELP"


def test_status_does_not_tell_who_else_has_sent_orders(campaign: Campaign) -> None:
    """Who has sent what is private."""
    before = said(send(campaign, campaign.players["Germany"], "STATUS"))
    campaign.order("France", "PLACE 1 Poland")
    assert said(send(campaign, campaign.players["Germany"], "STATUS")) == before


def test_a_player_who_has_left_is_obeyed_no_more(campaign: Campaign) -> None:
    gustav = campaign.players["Germany"]
    campaign.seat("Germany").sittings.update(until=campaign.now)
    send(campaign, gustav, "PLACE 10 Poland\nPRESS TO France\nHello\nEND")
    assert not Submission.objects.exists()
    assert not Press.objects.exists()
