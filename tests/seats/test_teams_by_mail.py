"""Teams by mail, on pages and at the desk: proposals, votes, letters within the team (F1)."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from games import desk, permissions
from games.accounts import tokens
from games.base import clock
from games.letters import rendering
from games.models import Game, Letter, Person, Press
from games.positions import in_force
from games.press import conversations
from games.seats import press_rules
from orders.intake import ledger, telephone
from orders.models import Handling, Submission
from tests.inbound import post
from tests.inbound.writing import answers, send
from tests.support.browsing import log_in
from tests.support.campaign import Campaign, person
from tests.support.letters import letter_text
from tests.support.teams import TEAMS, begin, order

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


def mail(campaign: Campaign, name: str, text: str) -> Handling:
    """Send a message of a team member; return its handling."""
    nation = next(nation for nation, names in TEAMS.items() if name in names)
    to = tokens.reply_address(person(name), campaign.game, campaign.now)
    return send(campaign, nation, text, sender=f"{name}@example.org", to=to)


def answer_text(name: str) -> str:
    return letter_text(answers(name)[-1])


def new_campaign(monkeypatch: pytest.MonkeyPatch, rule: str) -> Campaign:
    campaign = begin(rule)
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    return campaign


def test_proposal_by_mail_is_announced_and_adopted_by_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    """F1; issue 7, point 5: only the spokesman adopts with ADOPT n."""
    campaign = new_campaign(monkeypatch, "spokesman")
    mail(campaign, "flora", "PLACE 2 Poland\n")
    assert "PROPOSAL NO. 1 FOR FRANCE" in answer_text("flora")
    receipts = [letter for letter in campaign.letters("receipt") if letter.person]
    texts = {str(letter.person): rendering.render(letter).text for letter in receipts}
    assert texts.keys() == {"Felix", "Fred"}, "who wrote has an answer instead"
    assert "Flora has proposed orders for France to your team: No. 1." in texts["Felix"]
    assert "write ADOPT 1" in texts["Felix"]
    assert "ADOPT" not in texts["Fred"]
    mail(campaign, "fred", "ADOPT 1\n")
    assert "only the spokesman of France" in answer_text("fred")
    assert in_force.texts_in_force(campaign.phase) == {}
    mail(campaign, "felix", "adopt no. 1.\n")
    assert in_force.texts_in_force(campaign.phase) == {"France": "PLACE 2 Poland"}
    assert "They are in force" in answer_text("felix")
    mail(campaign, "gustav", "ADOPT 1\n")
    assert "no proposal No. 1" in answer_text("gustav")
    mail(campaign, "felix", "ADOPT 77\n")
    assert "ADOPT 77 was not done" in answer_text("felix")


def test_answer_to_a_vote_lists_the_teams_orders_in_force(monkeypatch: pytest.MonkeyPatch) -> None:
    """ways-in.md B2, T2: the lines of the majority, not the orders of the last writer."""
    campaign = new_campaign(monkeypatch, "majority")
    Game.objects.update(may_lock_early=True)
    mail(campaign, "flora", "PLACE 2 Poland\n")
    mail(campaign, "felix", "PLACE 2 Poland\nPLACE 1 Italy\nFINAL\n")
    answer = answer_text("felix")
    assert "In force for France in Turn 1 placement, by the vote of your team" in answer
    assert "PLACE 2 Poland # 2 of 3" in answer
    assert "Not in force, for lack of a majority: PLACE 1 Italy: 1 of 3." in answer
    assert "In force for Turn 1 placement: orders No." not in answer
    assert "as 1 of the 3 votes in your team are" in answer
    assert "as soon as the orders of every seat are" not in answer


def test_answer_to_a_tie_says_that_it_is_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """ways-in.md B2, F1: most of the team have voted, and no line has a majority."""
    campaign = new_campaign(monkeypatch, "majority")
    mail(campaign, "flora", "PLACE 2 Poland\n")
    mail(campaign, "felix", "PLACE 1 Italy\n")
    assert "agrees on no line for Turn 1 placement" in answer_text("felix")
    assert "which means PASS for France" in answer_text("felix")


def test_votes_by_mail_show_the_tally_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 7, point 5: the team sees the result of a vote so far."""
    campaign = new_campaign(monkeypatch, "majority")
    mail(campaign, "flora", "PLACE 2 Poland\n")
    assert "1 of the 3 in your team have sent orders" in answer_text("flora")
    mail(campaign, "felix", "PLACE 2 Poland\nPLACE 1 Italy\n")
    assert "So far 1 line counts." in answer_text("felix")
    assert "PLACE 2 Poland: 2, counts" in answer_text("felix")
    letter = rendering.render(campaign.letters("receipt", "fred")[-1])
    assert "THE VOTES OF YOUR TEAM" in letter.text
    assert "PLACE 1 Italy    # 1" in letter.text
    mail(campaign, "felix", "CANCEL\n")
    assert "You took back your vote for" in answer_text("felix")
    assert in_force.texts_in_force(campaign.phase) == {}
    mail(campaign, "fred", "ORDERS\n")
    assert "a vote that holds" in answer_text("fred")


def test_final_by_mail_repeats_the_members_own_vote(monkeypatch: pytest.MonkeyPatch) -> None:
    """Orders that another member has sent meanwhile do not matter."""
    campaign = new_campaign(monkeypatch, "majority")
    mail(campaign, "flora", "PLACE 2 Poland\n")
    order(campaign, "felix", "France", "PLACE 2 Poland")
    mail(campaign, "flora", "FINAL\n")
    row = Submission.objects.order_by("-number")[0]
    assert (row.member, row.final, row.text) == (2, True, "PLACE 2 Poland")


def test_only_the_team_reads_a_letter_to_the_own_team(monkeypatch: pytest.MonkeyPatch) -> None:
    """F1: members see team mail; issue 7, point 5."""
    campaign = new_campaign(monkeypatch, "spokesman")
    mail(campaign, "flora", "TEAM\nLet us fool Germany.\nEND\nPLACE 1 Poland\n")
    sent = Press.objects.get()
    assert list(sent.to) == ["France"]
    assert "Sent to the team of France" in answer_text("flora")
    addressees = {letter.person.name for letter in campaign.letters("press") if letter.person}
    assert addressees == {"Felix", "Fred"}
    names = (*TEAMS["France"], "gustav", "greta", "ada", "charlie")
    readers = [name for name in names if permissions.reads_press(person(name), sent)]
    assert readers == list(TEAMS["France"])
    assert in_force.texts_in_force(campaign.phase) == {}
    assert Submission.objects.get().proposal, "what stands below END is read as ever"
    with pytest.raises(press_rules.PressError, match="alone"):
        conversations.team_of(campaign.seat("USA"))
    send(campaign, "USA", "TEAM\nAnybody there?\nEND\n")
    assert "You play USA alone" in answer_text("una")


def test_team_letters_are_carried_while_press_is_closed() -> None:
    """The rules of press apply between nations."""
    campaign = begin("spokesman", press={"closed": "placement"})
    seat = campaign.seat("France")
    how: Any = {"text": "Psst.", "channel": "web", "now": campaign.now}
    flora = (campaign.game, seat, person("flora"))
    with pytest.raises(press_rules.PressError, match="You cannot send letters"):
        conversations.send(*flora, ["Germany"], **how)
    conversations.send(*flora, conversations.team_of(seat), **how)


def test_press_page_offers_the_own_team(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 7, point 5."""
    campaign = new_campaign(monkeypatch, "spokesman")
    page = f"/games/{campaign.game.pk}/press/write/"
    assert "my own team, France".casefold() in log_in("flora").read(page).casefold()
    assert "own team" not in log_in("una").read(page)
    data = {"to": ["France"], "text": "We strike in the east."}
    assert log_in("flora").post(page, data).status_code == 302
    assert list(Press.objects.get().to) == ["France"]
    answered = log_in("fred").read(f"{page}?answer={Press.objects.get().code}")
    assert "checked" in answered.partition('value="France"')[2][:80]


def test_order_page_shows_proposals_and_the_spokesmans_button(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Issue 7, point 5: adopted with one click."""
    campaign = new_campaign(monkeypatch, "spokesman")
    proposed = order(campaign, "flora", "France", "PLACE 2 Poland")
    page = f"/games/{campaign.game.pk}/orders/{campaign.seat('France').pk}/"
    shown = {name: log_in(name).read(page) for name in ("felix", "flora", "fred")}
    assert "Proposal No. 1" in shown["fred"]
    assert "Adopt it" in shown["felix"]
    assert "Adopt it" not in shown["flora"]
    assert "Adopt it" not in shown["fred"]
    assert log_in("fred").post(f"{page}adopt/", {"number": proposed.seat_number}).status_code == 302
    assert in_force.texts_in_force(campaign.phase) == {}
    assert (
        log_in("gustav").post(f"{page}adopt/", {"number": proposed.seat_number}).status_code == 403
    )
    assert log_in("felix").get(f"{page}adopt/").status_code == 405
    assert log_in("felix").post(f"{page}adopt/", {"number": "no number"}).status_code == 302
    assert (
        log_in("felix").post(f"{page}adopt/", {"number": proposed.seat_number}).status_code == 302
    )
    assert in_force.texts_in_force(campaign.phase) == {"France": "PLACE 2 Poland"}
    receipt = log_in("fred").read(proposed.get_absolute_url())
    assert "A proposal of Flora to the team" in receipt


def test_order_page_shows_the_tally_of_votes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 7, point 5: “as it stands”; each member starts from their own vote."""
    campaign = new_campaign(monkeypatch, "majority")
    order(campaign, "flora", "France", "PLACE 2 Poland")
    order(campaign, "fred", "France", "PLACE 2 Poland\nPLACE 1 Italy")
    page = f"/games/{campaign.game.pk}/orders/{campaign.seat('France').pk}/"
    shown = log_in("felix").read(page)
    assert "So far" in shown
    assert "2 of 3" in shown
    assert "What you send is your vote" in shown
    assert "PLACE 1 Italy</textarea>" not in shown
    assert "The vote of Flora" in log_in("felix").read(
        campaign.game.submissions.get(number=1).get_absolute_url()
    )


def test_desk_names_the_spokesman_of_a_team(monkeypatch: pytest.MonkeyPatch) -> None:
    """By telephone a member gives their vote or proposal, never the whole team's orders."""
    campaign = new_campaign(monkeypatch, "spokesman")
    seat = campaign.seat("France")
    arguments = (seat, "PLACE 1 Poland", campaign.ada, campaign.now)
    take_down = partial(telephone.take_down, *arguments, read_back=False)
    with pytest.raises(ledger.LedgerError, match="Several people play France"):
        take_down(caller=None)
    taken = take_down(caller=person("fred"))
    assert taken.proposal
    page = log_in("ada").read(f"/games/{campaign.game.pk}/desk/telephone/{seat.pk}/")
    assert "Felix speaks for the team" in page
    typed: dict[str, Any] = {
        "text": "PLACE 1 Italy",
        "posted_on": "2026-11-16",
        "do": "down",
        "seat": seat.pk,
        "sender": person("flora").pk,
    }
    answer = log_in("ada").post(f"/games/{campaign.game.pk}/desk/paper/orders/", typed)
    assert answer.status_code in (302, 404)


def test_team_is_told_who_speaks_when_its_spokesman_leaves_by_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    campaign = new_campaign(monkeypatch, "spokesman")
    log_in("felix").post(f"/games/{campaign.game.pk}/leave/", {"reason": "Moving house."})
    letter = campaign.letters("spokesman", "flora")[-1]
    assert "You are now the spokesman of France: your orders count." in letter_text(letter)


def test_desk_says_what_a_team_has_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proposal is no text without an order, and “read” opens the orders that count."""
    campaign = new_campaign(monkeypatch, "spokesman")
    proposed = order(campaign, "flora", "France", "PLACE 2 Poland")
    ada, at = log_in("ada"), f"/games/{campaign.game.pk}/desk/"
    page = ada.read(at)
    assert "<strong>a proposal to the team</strong>" in page
    assert "no line could be read" not in page
    assert proposed.get_absolute_url() in page
    orders = order(campaign, "felix", "France", "PLACE 3 Poland")
    proposed = order(campaign, "flora", "France", "PLACE 4 Poland")
    page = ada.read(at)
    assert orders.get_absolute_url() in page
    assert proposed.get_absolute_url() not in page
    ledger.cancel(campaign.seat("France"), ledger.Arrival("web", person("felix"), campaign.now))
    assert "<strong>withdrew the earlier orders</strong>" in ada.read(at)


def test_desk_says_that_votes_of_a_team_do_not_agree_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = new_campaign(monkeypatch, "majority")
    order(campaign, "flora", "France", "PLACE 2 Poland")
    page = log_in("ada").read(f"/games/{campaign.game.pk}/desk/")
    assert "<strong>votes, not agreed yet</strong>" in page


def test_page_calls_only_its_reader_you(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = new_campaign(monkeypatch, "spokesman")
    page = log_in("flora").read(f"/games/{campaign.game.pk}/")
    waits = page.partition("Waiting for</strong>")[2].partition("</li>")[0]
    assert waits.count("you,") == 1
    assert "Felix," in waits


def test_people_page_invites_into_a_team_and_names_its_spokesman(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F1: the gamesmaster appoints another spokesman at the desk."""
    campaign = new_campaign(monkeypatch, "spokesman")
    page = f"/games/{campaign.game.pk}/desk/people/"
    shown = log_in("ada").read(page)
    assert "Invite another player to the team" in shown
    assert "speaks for the team" in shown
    seat = campaign.seat("France")
    log_in("ada").post(page, {"do": "spokesman", "seat": seat.pk, "person": person("fred").pk})
    assert seat.sittings.get(spokesman=True).person == person("fred")
    join = {"do": "join", "email": "ursula@example.org", "extra_hours": "0"}
    log_in("ada").post(page, {"seat": campaign.seat("USA").pk, **join})
    invitation = campaign.seat("USA").invitations.get(email="ursula@example.org")
    assert invitation.is_open
    desk.accept(invitation, person("ursula"), campaign.now)
    assert campaign.seat("USA").sittings.current().count() == 2
    letter = Letter.objects.filter(kind="seat").order_by("-pk")[0]
    assert "The new player is Ursula" in rendering.render(letter).text
    data = {"do": "spokesman", "seat": seat.pk, "person": person("felix").pk}
    assert log_in("felix").post(page, data).status_code == 403


def test_marking_anothers_orders_final_is_not_reported_to_the_marker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """ways-in.md T1: “You have marked them as final” went to the whole team, and a space was
    missing between two sentences. T2: the letter says how many members are final."""
    for rule, sentence in (
        ("majority", "1 of the 3 in your team have sent final orders"),
        ("last_received", "They are marked final."),
    ):
        campaign = new_campaign(monkeypatch, rule)
        Game.objects.update(may_lock_early=True)
        order(campaign, "flora", "France", "PLACE 2 Poland", final=True)
        letter = rendering.render(campaign.letters("receipt", "fred")[-1])
        assert sentence in " ".join(letter.text.split())
        assert "You have" not in letter.text
        assert not re.search(r"[.]If", letter.text + letter.html)


def test_status_of_a_voting_team_shows_the_tally(monkeypatch: pytest.MonkeyPatch) -> None:
    """ways-in.md T2: it said “orders are in force” and showed no votes."""
    campaign = new_campaign(monkeypatch, "majority")
    order(campaign, "flora", "France", "PLACE 2 Poland")
    mail(campaign, "fred", "STATUS\n")
    assert "France: 1 of the 3 in your team have sent orders" in answer_text("fred")
    assert "orders are in force" not in answer_text("fred")


def test_majority_lines_with_too_many_pfs_are_pointed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """ways-in.md T3: “3 lines count”, though they were 11 PFs of 6."""
    campaign = new_campaign(monkeypatch, "majority")
    order(campaign, "flora", "France", "PLACE 2 Poland\nPLACE 4 Austria")
    order(campaign, "felix", "France", "PLACE 4 Austria\nPLACE 5 Italy")
    order(campaign, "fred", "France", "PLACE 5 Italy\nPLACE 2 Poland")
    letter = letter_text(campaign.letters("receipt", "fred")[-1])
    assert (
        "3 lines count. “PLACE 5 Italy” asks for 5 PFs, but only 2 of this turn are left" in letter
    )
    opening = rendering.render(campaign.letters("opened", "fred")[-1]).text
    assert "the last lines get what is left" in " ".join(opening.split())


def test_report_says_that_the_team_agreed_on_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """ways-in.md T4: it said “After “PASS # no line was sent by …” 6 PFs … go home”."""
    campaign = new_campaign(monkeypatch, "majority")
    order(campaign, "flora", "France", "PLACE 2 Poland")
    order(campaign, "felix", "France", "PLACE 4 Austria")
    campaign.pass_deadline()
    report = letter_text(campaign.letters("board", "fred")[-1])
    assert "Your team agrees on no line, and that is a PASS: 6 PFs are not placed" in report
    assert "PASS #" not in report


def test_member_whose_orders_are_replaced_is_notified(monkeypatch: pytest.MonkeyPatch) -> None:
    """ways-in.md T8: “F2 has sent orders: they are in force” did not mention the reader's own
    orders."""
    campaign = new_campaign(monkeypatch, "last_received")
    order(campaign, "flora", "France", "PLACE 2 Poland")
    order(campaign, "felix", "France", "PLACE 4 Austria")
    texts = {name: letter_text(campaign.letters("receipt", name)[-1]) for name in ("flora", "fred")}
    assert (
        "sent orders for France: No. 2. They are in force, in place of yours, No. 1."
        in texts["flora"]
    )
    assert "They are in force, in place of No. 1." in texts["fred"]


@pytest.mark.both_databases
def test_members_keep_their_numbers_when_people_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """F1: PostgreSQL returns rows that have changed after the others."""
    campaign = new_campaign(monkeypatch, "majority")
    order(campaign, "flora", "France", "PLACE 2 Poland")
    felix = person("felix")
    felix.sittings.update(unread=["abc"])
    Person.objects.filter(pk=felix.pk).update(seen_on=campaign.now.date())
    for name, text in (("felix", "PLACE 1 Italy"), ("flora", "PLACE 3 Poland")):
        mail(campaign, name, f"{text}\n")
    rows = Submission.objects.order_by("number").values_list("member", "text")
    assert list(rows) == [(2, "PLACE 2 Poland"), (1, "PLACE 1 Italy"), (2, "PLACE 3 Poland")]


def test_late_mail_replaces_no_newer_vote_of_its_sender(monkeypatch: pytest.MonkeyPatch) -> None:
    """A vote of another member that was received before, and entered later, changes nothing."""
    campaign = new_campaign(monkeypatch, "majority")
    at, handled = campaign.now, campaign.now + timedelta(hours=2)
    order(campaign, "flora", "France", "PLACE 2 Poland", at=at + timedelta(hours=1))
    post.send(campaign, person("felix"), "PLACE 1 Italy", at=at, done=handled)
    later = at + timedelta(minutes=30)
    post.send(campaign, person("flora"), "PLACE 3 Poland", at=later, done=handled)
    rows = Submission.objects.order_by("number").values_list("member", "text")
    assert list(rows) == [(2, "PLACE 2 Poland"), (1, "PLACE 1 Italy")]
