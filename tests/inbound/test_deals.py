"""Deals by mail: proposed, answered, countered, listed; who is notified (issue 27.5)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from pytest_django import Settings

from games import permissions
from games.accounts import tokens
from games.letters import rendering
from games.models import Block, Game, Letter, Press, Proposal, ProposalAnswer
from games.press import deals
from games.seats.press_rules import PressError
from tests.support.campaign import PLAYERS, Campaign, person
from tests.support.letters import letter_text

from .test_player_letters import question, reply
from .writing import send

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
Kind = ProposalAnswer.Kind
EVERYBODY = ("una", "felix", "bea", "rosa", "gustav", "ada", "charlie")


def propose(campaign: Campaign, by: str, to: str, text: str = "PEACE Poland") -> Proposal:
    campaign.game.refresh_from_db()
    return deals.propose(
        campaign.game,
        campaign.seat(by),
        campaign.players[by],
        campaign.seat(to),
        text,
        channel="web",
        now=campaign.now,
    )


def accept(campaign: Campaign, proposal: Proposal) -> None:
    deals.answer(
        proposal,
        proposal.to,
        Kind.ACCEPTED,
        campaign.players[proposal.to.nation],
        channel="web",
        now=campaign.now,
    )


def write(campaign: Campaign, name: str, text: str) -> str:
    """Send a message. Return its answer."""
    nation = next(
        (nation_name for nation_name, player in PLAYERS.items() if player == name), "Germany"
    )
    to = tokens.reply_address(person(name), campaign.game, campaign.now)
    send(campaign, nation, text, sender=f"{name}@example.org", to=to)
    return read("answer", name)


def read(kind: str, name: str) -> str:
    letter = (
        Letter.objects.filter(kind=kind, address=f"{name}@example.org")
        .select_related("game", "phase", "person")
        .order_by("-pk")
        .first()
    )
    assert letter is not None, f"{name} got no {kind}"
    content = rendering.render(letter)
    # Lines are filled to the width of a letter: compared without their breaks.
    return " ".join(f"{content.subject}\n{content.text}".split())


def test_a_deal_is_proposed_accepted_and_kept_by_mail(
    campaign: Campaign, settings: Settings
) -> None:
    settings.MAIL_IN = True
    campaign.place_in_poland()
    text = write(campaign, "gustav", "PROPOSE France: PEACE Poland UNTIL TURN 4\n")
    assert "Proposed to France as your No. 1" in text
    assert "Germany and France do not attack each other in Poland through turn 4." in text
    letter = read("proposal", "felix")
    assert "[The lights go out] Germany proposes: peace in Poland until turn 4" in letter
    assert "ACCEPT 1" in letter
    assert "You have accepted No. 1; Germany is told." in write(campaign, "felix", "ACCEPT 1")
    answer = read("proposal_answer", "gustav")
    assert "France accepts your proposal (peace in Poland until turn 4)" in answer
    text = write(campaign, "gustav", "DEALS")
    assert "No. 1, Germany to France, accepted" in text
    assert "Germany: not yet due; France: not yet due" in text


def test_both_nations_see_a_broken_deal(campaign: Campaign) -> None:
    campaign.place_in_poland()
    accept(campaign, propose(campaign, "France", "Germany"))
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    campaign.pass_deadline()
    for name in ("gustav", "felix"):
        text = write(campaign, name, "deals")
        assert "France: kept; Germany: broken" in text


def test_counter_proposal_replaces_the_proposal(campaign: Campaign) -> None:
    propose(campaign, "France", "Germany")
    text = write(campaign, "gustav", "COUNTER 1: PEACE Poland UNTIL TURN 3; you leave Austria")
    assert "Proposed to France as your No. 2" in text
    letter = read("proposal", "felix")
    assert "Germany proposes instead of No. 1" in letter
    assert "France stays out of Austria through turn 1" in letter
    assert "No. 1 was already answered by a counter-proposal" in write(
        campaign, "gustav", "ACCEPT 1"
    )
    assert "You have accepted No. 2" in write(campaign, "felix", "Accept deal 2.")


def test_accept_without_a_number_is_for_the_letter_replied_to(campaign: Campaign) -> None:
    first = propose(campaign, "France", "Germany")
    propose(campaign, "Russia", "Germany", "PEACE Austria")
    letter = Letter.objects.get(kind="proposal", about__proposal=first.pk)
    reply = {"In_Reply_To": letter.message_id}
    send(campaign, "Germany", "ACCEPT\n\n> France proposes", headers=reply)
    assert ProposalAnswer.objects.get().proposal == first
    assert "does not say which deal" in write(campaign, "gustav", "DECLINE")


def test_wrapped_proposal_is_read_whole(campaign: Campaign) -> None:
    write(
        campaign,
        "gustav",
        "PROPOSE Russia: PEACE Poland UNTIL TURN 4; I LEAVE Rumania UNTIL TURN 4; SUPPORT\n"
        "ATTACK France IN Austria\n\nPLACE 3 Poland",
    )
    assert Proposal.objects.get().text == (
        "PEACE Poland UNTIL TURN 4; Germany LEAVE Rumania UNTIL TURN 4;"
        " SUPPORT ATTACK France IN Austria UNTIL TURN 1"
    )
    assert campaign.phase.submissions.get().text == "PLACE 3 Poland"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("PROPOSE Germany: PEACE", "You are Germany yourself"),
        ("PROPOSE Atlantis: PEACE", "there is no nation “Atlantis”"),
        ("PROPOSE France: PEACE Polnad", "Did you mean Poland?"),
        ("PROPOSE France", "write PROPOSE Germany: PEACE Poland"),
        ("ACCEPT 7", "You have no deal No. 7. Send DEALS for a list."),
        ("WITHDRAW 7", "You have no deal No. 7"),
    ],
)
def test_invalid_deal_command_is_refused_with_one_sentence(
    campaign: Campaign, line: str, why: str
) -> None:
    assert why in write(campaign, "gustav", line)
    assert not Proposal.objects.exists()


def test_gamesmaster_cannot_make_deals(campaign: Campaign) -> None:
    assert "Deals are made by those who play" in write(campaign, "ada", "ACCEPT 1")


def test_withdrawn_proposals_cannot_be_accepted(campaign: Campaign) -> None:
    propose(campaign, "France", "Germany")
    assert "You have withdrawn No. 1" in write(campaign, "felix", "WITHDRAW 1")
    assert "France withdraws its proposal (peace in Poland until turn 1)" in read(
        "proposal_answer", "gustav"
    )
    assert "No. 1 was already withdrawn" in write(campaign, "gustav", "ACCEPT 1")


def test_proposal_expires_when_its_time_is_over(campaign: Campaign) -> None:
    propose(campaign, "France", "Germany")
    campaign.pass_deadline()
    campaign.pass_deadline()
    assert "No. 1 has expired" in write(campaign, "gustav", "ACCEPT 1")


# --- secrets ---


def test_deal_is_readable_only_to_its_two_nations(campaign: Campaign) -> None:
    proposal = propose(campaign, "France", "Germany")
    accept(campaign, proposal)
    readers = {name for name in EVERYBODY if permissions.reads_deal(person(name), proposal)}
    assert readers == {"felix", "gustav"}
    kinds = ("proposal", "proposal_answer")
    addresses = Letter.objects.filter(kind__in=kinds).values_list("address", flat=True)
    assert set(addresses) == {"felix@example.org", "gustav@example.org"}


def test_gamesmaster_who_reads_press_reads_deals() -> None:
    campaign = Campaign.begin(press={"gamesmaster_reads": True})
    assert permissions.reads_deal(campaign.ada, propose(campaign, "France", "Germany"))


@pytest.mark.parametrize(("rule", "readers"), [("private", 2), ("released", len(EVERYBODY))])
def test_press_rules_decide_who_reads_deals_after_the_game(rule: str, readers: int) -> None:
    campaign = Campaign.begin(press={"deals": rule})
    proposal = propose(campaign, "France", "Germany")
    assert sum(permissions.reads_deal(person(name), proposal) for name in EVERYBODY) == 2
    Game.objects.update(status=Game.Status.FINISHED)
    proposal.game.refresh_from_db()
    assert sum(permissions.reads_deal(person(name), proposal) for name in EVERYBODY) == readers


def test_deal_numbers_do_not_reveal_other_deals(campaign: Campaign) -> None:
    for text in ("PEACE Poland", "PEACE Austria", "PEACE"):
        propose(campaign, "USA", "Britain", text)
    last = propose(campaign, "France", "Britain")
    assert (last.number, last.to_number) == (1, 4)


def test_blocked_players_reach_nobody_with_deals(campaign: Campaign) -> None:
    gustav, felix = person("gustav"), person("felix")
    press = Press.objects.create(
        game=campaign.game,
        number=1,
        text="Hello.",
        to=["Germany"],
        channel="web",
        sent_at=campaign.now,
        seat=campaign.seat("France"),
        person=felix,
    )
    Block.objects.create(person=gustav, blocked=felix, press=press, since=campaign.now)
    hidden = propose(campaign, "France", "Germany")
    assert not permissions.reads_deal(gustav, hidden)
    assert not Letter.objects.filter(kind="proposal").exists()
    assert "You have no deal No. 1" in write(campaign, "gustav", "ACCEPT 1")


def test_proposal_in_a_game_without_deals_is_refused() -> None:
    campaign = Campaign.begin(press={"deals": "none"})
    with pytest.raises(PressError, match="There are no deals"):
        propose(campaign, "France", "Germany")
    Game.objects.update(press={})  # a game older than deals
    with pytest.raises(PressError, match="There are no deals"):
        propose(campaign, "France", "Germany")


def test_proposal_while_press_is_closed_is_refused() -> None:
    campaign = Campaign.begin(press={"closed": "placement"})
    with pytest.raises(PressError, match="You cannot make or answer deals in"):
        propose(campaign, "France", "Germany")


def test_proposals_are_limited(campaign: Campaign) -> None:
    for turn in range(1, deals.MOST_OPEN + 1):
        propose(campaign, "France", "Germany", f"PEACE Poland UNTIL TURN {turn}")
    with pytest.raises(PressError, match="5 proposals of yours to answer"):
        propose(campaign, "France", "Germany", "PEACE Austria")
    with pytest.raises(PressError, match="have already proposed that"):
        propose(campaign, "France", "Germany", "PEACE Poland UNTIL TURN 1")


def test_new_accounts_send_fewer_letters_and_proposals(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    felix = campaign.players["France"]
    felix.joined_at = campaign.now - timedelta(hours=1)
    felix.save(update_fields=["joined_at"])
    monkeypatch.setattr("games.press.conversations.MOST_A_DAY_WHEN_NEW", 1)
    propose(campaign, "France", "Germany")
    with pytest.raises(PressError, match="Your account is new"):
        propose(campaign, "France", "Russia")


def test_answer_in_other_words_to_a_proposal_is_told_how_to_answer_it(
    campaign: Campaign, settings: Settings
) -> None:
    """“I accept!” may be words to the proposer: the question offered to send them, or to read them
    as orders, and neither accepts the deal."""
    settings.MAIL_IN = True
    proposal = propose(campaign, "Russia", "Germany")
    reply(campaign, campaign.letters("proposal", "gustav")[-1], "I accept!")
    line = f"Reply with ACCEPT {proposal.to_number} or DECLINE {proposal.to_number}, or answer on"
    assert line in letter_text(question())
    reply(campaign, question(), f"ACCEPT {proposal.to_number}", minutes=2)
    assert Proposal.objects.get().answer.kind == Kind.ACCEPTED
    assert "ACCEPT" not in letter_text(question())
