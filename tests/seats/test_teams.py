"""Teams: whose orders count when several people hold a nation (rules F1, `ow2.team`)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games import desk, permissions, positions
from games.desk import DeskError
from games.evidence import export
from games.models import Act
from games.positions import in_force
from games.records import archive
from games.rules import teams
from games.rules.orders import AGREED_ON_NOTHING
from games.rules.registry import ruleset
from games.rules.verification import verify
from games.seats import teams as people
from orders.intake import ledger, proposals
from orders.web import team_panel
from tests.support.campaign import MONDAY, Campaign, person
from tests.support.teams import begin, join, order

pytestmark = [pytest.mark.django_db, pytest.mark.quick]


def text_of(campaign: Campaign, nation: str = "France") -> str:
    return in_force.texts_in_force(campaign.phase).get(nation, "")


def finish(campaign: Campaign) -> None:
    """Pass the deadline of a phase; check that the record verifies."""
    phase = campaign.pass_deadline()
    assert phase.status == "resolved", phase.fault
    assert verify.check(export.record(campaign.game, private=True)) == []


# --- a spokesman ---


def test_spokesmans_orders_count_and_others_are_proposals() -> None:
    """F1: each team has a spokesman whose orders count."""
    campaign = begin("spokesman")
    order(campaign, "felix", "France", "PLACE 2 Poland")
    proposed = order(campaign, "flora", "France", "PLACE 1 Austria")
    assert (proposed.proposal, proposed.counts, proposed.member) == (True, False, 2)
    assert text_of(campaign) == "PLACE 2 Poland"
    finish(campaign)
    assert "France" not in campaign.board().get("Austria", {})


def test_only_the_spokesman_adopts_a_proposal() -> None:
    """F1: a proposal counts when the spokesman sends it."""
    campaign = begin("spokesman")
    proposed = order(campaign, "flora", "France", "PLACE 1 Austria")
    for name in ("fred", "flora", "gustav"):
        with pytest.raises(ledger.LedgerError, match="only the spokesman of France"):
            proposals.adopt(proposed, ledger.Arrival("web", person(name), campaign.now))
    adopted = proposals.adopt(proposed, ledger.Arrival("web", person("felix"), campaign.now))
    assert adopted.counts
    assert not adopted.proposal
    assert adopted.number != proposed.number
    assert text_of(campaign) == "PLACE 1 Austria"
    finish(campaign)


def test_proposing_member_cannot_cancel_the_teams_orders() -> None:
    """F1: the spokesman's orders are in force."""
    campaign = begin("spokesman")
    order(campaign, "felix", "France", "PLACE 2 Poland")
    seat = campaign.seat("France")
    with pytest.raises(ledger.LedgerError, match="spokesman’s"):
        ledger.cancel(seat, ledger.Arrival("web", person("flora"), campaign.now))
    ledger.cancel(seat, ledger.Arrival("web", person("felix"), campaign.now))
    assert text_of(campaign) == ""


def test_first_member_is_spokesman_until_another_is_named() -> None:
    """Ruling on F1: seniority decides by default; earlier orders stay in force."""
    campaign = begin("spokesman")
    assert people.spokesman(campaign.seat("France")).person == person("felix")  # type: ignore[union-attr]
    order(campaign, "felix", "France", "PLACE 2 Poland")
    desk.name_spokesman(campaign.seat("France"), person("fred"), campaign.ada, campaign.now)
    assert text_of(campaign) == "PLACE 2 Poland"
    assert order(campaign, "felix", "France", "PLACE 1 Austria").proposal
    assert order(campaign, "fred", "France", "PLACE 1 Italy").counts
    assert text_of(campaign) == "PLACE 1 Italy"
    names = {letter.person.name for letter in campaign.letters("spokesman") if letter.person}
    assert names == {"Felix", "Flora", "Fred"}
    assert Act.objects.get(kind="spokesman").private
    with pytest.raises(DeskError, match="already speaks for France"):
        desk.name_spokesman(campaign.seat("France"), person("fred"), campaign.ada, campaign.now)
    finish(campaign)


def test_next_senior_member_follows_a_leaving_spokesman() -> None:
    """In an open phase; earlier orders stay in force."""
    campaign = begin("spokesman")
    order(campaign, "felix", "France", "PLACE 2 Poland")
    seat, felix = campaign.seat("France"), person("felix")
    desk.vacate(seat, felix, "Moving house.", felix, campaign.now)
    assert text_of(campaign) == "PLACE 2 Poland"
    assert order(campaign, "flora", "France", "PLACE 1 Austria").counts
    with pytest.raises(ledger.LedgerError, match="may not send orders"):
        order(campaign, "felix", "France", "PLACE 1 Italy")
    words = "A player left the team of France; the others play on."
    assert Act.objects.filter(words=words).exists()
    told = {letter.person.name for letter in campaign.letters("spokesman") if letter.person}
    assert told == {"Flora", "Fred"}, "her orders count now"
    finish(campaign)


# --- a majority ---


def test_line_counts_if_more_than_half_of_the_team_sent_it() -> None:
    """F1: lines are compared as canonical lines, in the order of the senior sender."""
    campaign = begin("majority")
    order(campaign, "flora", "France", "place 2 pol\nPLACE 1 Italy")
    assert text_of(campaign) == ""
    order(campaign, "fred", "France", "PLACE 1 Italy\nPLACE 2 Poland.")
    assert text_of(campaign) == "PLACE 2 Poland\nPLACE 1 Italy"
    order(campaign, "felix", "France", "PLACE 1 Italy")
    assert text_of(campaign) == "PLACE 1 Italy\nPLACE 2 Poland"
    order(campaign, "fred", "France", "PLACE 1 Austria")  # the newest set is this member's vote
    assert text_of(campaign) == "PLACE 1 Italy"
    finish(campaign)
    assert campaign.board()["Italy"]["France"].pf == 1


def test_adopted_and_superseded_proposals_are_not_offered() -> None:
    """25.9, mail.md B9: “Adopt it: No. 10 / No. 4 / No. 1” was still offered after No. 10 was
    adopted."""
    campaign = begin("spokesman")
    order(campaign, "flora", "France", "PLACE 1 Italy")
    newest = order(campaign, "flora", "France", "PLACE 1 Poland")
    other = order(campaign, "fred", "France", "PLACE 1 Austria")

    def offered() -> list[int]:
        company = team_panel.company_of(person("felix"), campaign.seat("France"), campaign.phase)
        assert company is not None
        return [row.number for row, _, _ in company.proposals]

    assert sorted(offered()) == [newest.number, other.number]
    proposals.adopt(newest, ledger.Arrival("web", person("felix"), campaign.now))
    assert offered() == [other.number]


def test_team_without_agreement_passes_and_misses_no_turn() -> None:
    """Our ruling on F1: more than half have sent orders, so the nation was not silent."""
    campaign = begin("majority")
    order(campaign, "felix", "France", "PLACE 1 Italy")
    assert text_of(campaign) == ""
    order(campaign, "flora", "France", "PLACE 1 Poland")
    assert text_of(campaign) == AGREED_ON_NOTHING
    phase = campaign.phase
    finish(campaign)
    phase.refresh_from_db()
    assert "France" not in phase.missed
    assert "Germany" in phase.missed


def test_one_vote_of_three_puts_no_orders_of_an_ally_in_force() -> None:
    """F1, N4: an ally has the members of the team that controls it."""
    held = {"France": "felix@example.org", "Germany": "gustav@example.org"}
    allies = dict.fromkeys(("USA", "Britain", "Russia"), "table")
    campaign = begin("majority", seats={**allies, **held})
    while campaign.phase.kind != "placement":
        campaign.pass_deadline()
    ally = next(ally for ally, nation in campaign.phase.controllers.items() if nation == "France")
    vote = order(campaign, "flora", ally, "PLACE 1 Italy")
    assert text_of(campaign, ally) == ""
    assert in_force.submission_in_force(campaign.seat(ally), campaign.phase) is None
    assert in_force.standing_and_replaced(vote) == (None, None)


def test_half_of_a_team_of_two_is_no_majority() -> None:
    """F1: more than half."""
    campaign = begin("majority")
    order(campaign, "gustav", "Germany", "PLACE 3 Poland")
    assert text_of(campaign, "Germany") == ""
    order(campaign, "greta", "Germany", "PLACE 3 Poland\nPLACE 1 Austria")
    assert text_of(campaign, "Germany") == "PLACE 3 Poland"
    finish(campaign)


def test_team_majority_counts_newcomers_and_not_former_members() -> None:
    """Our ruling on F1: the members at the lock are the team of a phase."""
    campaign = begin("majority")
    order(campaign, "felix", "France", "PLACE 2 Poland")
    order(campaign, "flora", "France", "PLACE 2 Poland")
    assert text_of(campaign) == "PLACE 2 Poland"
    join(campaign, "France", "fanny", campaign.now)
    assert text_of(campaign) == "", "two of four are no majority"
    desk.vacate(campaign.seat("France"), person("fred"), "No time.", campaign.ada, campaign.now)
    assert text_of(campaign) == "PLACE 2 Poland"
    desk.vacate(campaign.seat("France"), person("flora"), "No time.", campaign.ada, campaign.now)
    assert text_of(campaign) == ""
    assert in_force.votes(campaign.phase)["France"].keys() == {1, 2}
    phase = campaign.phase
    order(campaign, "fanny", "France", "PLACE 2 Poland")
    finish(campaign)
    phase.refresh_from_db()
    assert phase.teams["France"] == [1, 4]


def test_orders_in_force_stay_when_the_last_member_leaves() -> None:
    """rules 0.2: what a player has sent stays in force when they leave."""
    campaign = begin("majority")
    order(campaign, "felix", "France", "PLACE 2 Poland")
    for name in ("flora", "fred", "felix"):
        campaign.now += timedelta(minutes=1)
        desk.vacate(campaign.seat("France"), person(name), "No time.", campaign.ada, campaign.now)
    assert text_of(campaign) == "PLACE 2 Poland"
    finish(campaign)


def test_member_withdraws_only_their_own_vote() -> None:
    """record.is_withdrawal, for a member of a team."""
    campaign = begin("majority")
    for name in ("felix", "flora"):
        order(campaign, name, "France", "PLACE 2 Poland")
    ledger.cancel(campaign.seat("France"), ledger.Arrival("web", person("flora"), campaign.now))
    assert text_of(campaign) == ""
    order(campaign, "fred", "France", "PLACE 2 Poland")
    assert text_of(campaign) == "PLACE 2 Poland"
    finish(campaign)


def test_votes_are_merged_line_by_line_if_the_game_says_so() -> None:
    """orders.amend = merge_lines together with ow2.team = majority."""
    campaign = begin("majority", options={"orders.amend": "merge_lines"})
    order(campaign, "felix", "France", "PLACE 2 Poland")
    order(campaign, "felix", "France", "PLACE 1 Italy")
    order(campaign, "flora", "France", "PLACE 1 Italy\nPLACE 2 Poland")
    assert text_of(campaign) == "PLACE 2 Poland\nPLACE 1 Italy"
    finish(campaign)


def test_phase_ends_early_when_most_of_each_team_are_final() -> None:
    """A team is final when most of its members are."""
    campaign = begin("majority", may_lock_early=True)
    for nation in ("USA", "Britain", "Russia"):
        campaign.order(nation, "PASS", final=True)
    for name in ("gustav", "greta"):
        order(campaign, name, "Germany", "PASS", final=True)
    order(campaign, "felix", "France", "PASS", final=True)
    assert campaign.phase.due_at != campaign.now
    order(campaign, "flora", "France", "PASS", final=True)
    assert campaign.phase.due_at == campaign.now
    campaign.wait_until(campaign.now)
    assert campaign.game.phases.get(number=1).status == "resolved"
    assert verify.check(export.record(campaign.game, private=True)) == []


# --- the last received ---


def test_last_sender_of_the_team_decides() -> None:
    """F1: last_received, as for a seat of one person."""
    campaign = begin("last_received")
    order(campaign, "felix", "France", "PLACE 2 Poland")
    order(campaign, "fred", "France", "PLACE 1 Austria")
    assert text_of(campaign) == "PLACE 1 Austria"
    finish(campaign)


# --- the record ---


def tampered(campaign: Campaign, change: str) -> list[str]:
    tree = export.record(campaign.game, private=True)
    phase = tree["phases"][0]
    france = [row for row in phase["submissions"] if row["nation"] == "France"]
    match change:
        case "member":
            france[0]["member"] = 3
        case "no member":
            france[0]["member"] = 0
        case "proposal":
            france[-1]["proposal"] = not france[-1]["proposal"]
        case "team":
            phase["teams"]["France"] = [1, 2, 3, 4, 5]
        case "teams":
            phase["teams"] = {}
    return [str(difference) for difference in verify.check(tree)]


@pytest.mark.parametrize("change", ["member", "no member", "proposal", "team", "teams"])
def test_sender_in_a_team_cannot_be_changed_unnoticed(change: str) -> None:
    """docs/design.md 1, promise 5: everything that a result follows from is checked."""
    campaign = begin("majority")
    order(campaign, "felix", "France", "PLACE 2 Poland")
    order(campaign, "fred", "France", "PLACE 2 Poland")
    finish(campaign)
    assert tampered(campaign, change)


def test_order_and_proposal_cannot_be_exchanged_in_the_record() -> None:
    """For a team with a spokesman."""
    campaign = begin("spokesman")
    order(campaign, "felix", "France", "PLACE 2 Poland")
    order(campaign, "fred", "France", "PLACE 1 Italy")
    finish(campaign)
    assert tampered(campaign, "proposal")
    tree = export.record(campaign.game, private=True)
    row = tree["phases"][0]["submissions"][0]
    row["proposal"], row["counts"] = True, False
    assert verify.check(tree)


def test_game_of_teams_is_restored_from_its_record() -> None:
    """contract 5: export and import."""
    campaign = begin("majority")
    for name in ("felix", "flora"):
        order(campaign, name, "France", "PLACE 2 Poland")
    finish(campaign)
    tree = export.record(campaign.game, private=True)
    copy = archive.restore(tree, person("otto"))
    again = export.record(copy, private=True)
    assert again["phases"][0] == tree["phases"][0] | {"status": again["phases"][0]["status"]}
    assert again["seats"] == tree["seats"]


# --- permissions and letters ---


def test_only_the_team_and_the_gamesmaster_read_its_orders() -> None:
    """design 8."""
    campaign = begin("spokesman")
    proposed = order(campaign, "flora", "France", "PLACE 1 Austria")
    names = ("felix", "flora", "fred", "ada", "gustav", "greta", "rosa", "charlie")
    readers = [name for name in names if permissions.reads_orders(person(name), proposed)]
    assert readers == ["felix", "flora", "fred", "ada"]


def test_receipt_of_a_member_goes_to_the_whole_team() -> None:
    """F1: members see what their team sends."""
    campaign = begin("majority")
    order(campaign, "flora", "France", "PLACE 1 Austria")
    names = {letter.person.name for letter in campaign.letters("receipt") if letter.person}
    assert names == {"Felix", "Flora", "Fred"}


def test_team_refuses_a_second_invitation_and_a_second_sitting() -> None:
    """One member, one vote."""
    campaign = begin("majority")
    seat = campaign.seat("France")
    with pytest.raises(DeskError, match="already plays France"):
        desk.invite(seat, "flora@example.org", campaign.ada, MONDAY, joins=True)
    desk.invite(seat, "fanny@example.org", campaign.ada, MONDAY, joins=True)
    with pytest.raises(DeskError, match="is already invited to the team"):
        desk.invite(seat, "fanny@example.org", campaign.ada, MONDAY, joins=True)
    offer = desk.invite(seat, "flora-at-work@example.org", campaign.ada, MONDAY, joins=True)
    with pytest.raises(DeskError, match="You already play France"):
        desk.accept(offer, person("flora"), MONDAY)


def test_taken_seat_of_one_person_is_not_offered() -> None:
    """Without `joins` a taken seat is refused."""
    campaign = begin("majority")
    with pytest.raises(DeskError, match="USA is taken"):
        desk.invite(campaign.seat("USA"), "fanny@example.org", campaign.ada, MONDAY)


# --- the pure function ---


def test_compose_counts_repeated_lines_and_ignores_unreadable_ones() -> None:
    """F1: a repeated line counts as often as more than half of the team sent it."""
    rules = ruleset("origins-ww2")
    campaign = begin("majority")
    state = positions.state_of(campaign.phase)
    texts = {
        1: "PLACE 1 Poland\nPLACE 1 Poland\n\nnonsense",
        2: "PLACE 1 Poland\nPLACE 1 Poland",
        3: "PLACE 1 Poland",
    }
    text, tally = teams.compose(rules, state, "Germany", texts, 3)
    assert text == "PLACE 1 Poland\nPLACE 1 Poland"
    assert [(line.words, line.members) for line in tally] == [
        ("PLACE 1 Poland", (1, 2, 3)),
        ("PLACE 1 Poland", (1, 2)),
    ]
    assert teams.compose(rules, state, "Germany", {2: "PLACE 1 Poland"}, 2)[0] == ""
    assert teams.compose(rules, state, "Germany", {}, 3) == ("", ())
