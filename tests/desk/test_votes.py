"""Players vote, and the gamesmaster may veto (issue 25, 5)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import override_settings
from django.urls import reverse

from games import desk
from games.base import clock
from games.desk import DeskError, times, votes
from games.evidence import export
from games.letters import rendering
from games.models import Act, Game, Motion, Phase, Sitting
from games.rules.verification import verify
from games.turns import rulings
from tests.inbound.test_desk_by_mail import ask
from tests.support.campaign import PLAYERS, Campaign, person
from tests.support.letters import letter_text
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db
EVERYBODY = ("una", "felix", "bea", "rosa", "gustav")


def cast(campaign: Campaign, kind: str, *names: str, nation: str = "") -> Motion:
    for name in names:
        motion = votes.cast(campaign.game, person(name), kind, nation, campaign.now)
    campaign.game.refresh_from_db()
    return motion


def public(campaign: Campaign) -> list[str]:
    acts = Act.objects.filter(game=campaign.game, private=False, kind__in=("vote", "veto", "moved"))
    return list(acts.order_by("pk").values_list("words", flat=True))


@pytest.mark.both_databases
def test_majority_vote_gives_more_time_after_the_veto_period_in_public() -> None:
    """25.5: a vote that passes takes effect after the time for a veto; more time comes before the
    deadline."""
    campaign = Campaign.begin(schedule={"every": "days", "days": 3, "time": "09:00"})
    before = campaign.phase.deadline
    motion = cast(campaign, "more-time", "gustav", "rosa")
    assert motion.passed_at is None
    assert len(campaign.letters("change")) == len(EVERYBODY) + 1
    motion = cast(campaign, "more-time", "felix")
    assert motion.due_at == campaign.now + timedelta(hours=24)
    campaign.wait_until(motion.due_at - timedelta(minutes=1))
    assert campaign.phase.deadline == before
    campaign.wait_until(motion.due_at)
    assert campaign.phase.deadline == before + timedelta(days=1)
    acts = public(campaign)
    assert acts[0].startswith("Germany votes for more time: 1 of 5 nations; 3 must agree.")
    assert len(acts) == 5
    assert acts[3].startswith("The players voted for more time. It takes effect")
    assert verify.check(export.record(campaign.game, private=True)) == []


@override_settings(MAIL_IN=True)
def test_letter_about_a_vote_tells_those_who_can_agree_how() -> None:
    """docs/design.md, 1: a player needs only messages. The letter named who must agree, not how."""
    campaign = Campaign.begin()
    cast(campaign, "concede", "felix", nation="Germany")
    page = reverse("votes", args=[campaign.game.pk])
    read = {name: letter_text(campaign.letters("change", name)[0]) for name in (*EVERYBODY, "ada")}
    asked = {name for name, text in read.items() if page in text}
    assert asked == {"una", "bea", "rosa"}
    line = "If you agree, reply with VOTE CONCEDE TO Germany or vote on the page: "
    assert {name for name, text in read.items() if line in text} == asked
    ask(campaign, "VOTE CONCEDE TO Germany", by="una")
    assert Motion.objects.get().nations == ["USA", "France"]


def test_vote_writes_each_player_when_it_begins_and_when_it_takes_effect() -> None:
    """Between the two only the gamesmaster, who can veto it, gets a letter."""
    campaign = Campaign.begin(schedule={"every": "days", "days": 3, "time": "09:00"})
    motion = cast(campaign, "more-time", "gustav", "rosa", "felix")
    assert motion.due_at is not None
    campaign.wait_until(motion.due_at)
    kinds = ("change", "moved")
    for name, most in (("una", 2), ("ada", 3)):
        letters = [letter for kind in kinds for letter in campaign.letters(kind, name)]
        assert len(letters) == most
        subjects = [rendering.render(letter).subject for letter in letters]
        assert max(map(len, subjects)) < 100
    assert "The players voted for more time" in subjects[1]


def test_gamesmaster_reads_the_votes_and_has_no_vote(as_: Browser) -> None:
    campaign = Campaign.begin()
    motion = cast(campaign, "draw", "gustav")
    address = f"/games/{campaign.game.pk}/votes/"
    shown = as_("ada").read(address)
    assert votes.describe_state(motion) in shown
    assert "Vote for it" not in shown
    assert "Start the vote" not in shown
    assert "Only players vote." in as_("ada").submit(address, {"what": "draw:"}, follow=True)
    assert as_("charlie").get(address).status_code in (403, 404)


@pytest.mark.letters
def test_rollback_ends_votes_of_undone_phases_for_good() -> None:
    """Rules 0.2: the players voted with a board before them that no longer counts. A vote that had
    passed still ended the game in a draw."""
    campaign = Campaign.begin(schedule={"every": "days", "days": 3, "time": "09:00"})
    cast(campaign, "draw", "rosa")  # lapses with its phase
    first = campaign.pass_deadline()
    passed, begun = cast(campaign, "draw", *EVERYBODY), cast(campaign, "end", "una")
    preview = rulings.preview(first, "rollback", {})
    assert preview.lapsed == (passed.title, begun.title)
    made = rulings.rule(first, "rollback", {}, "A wrong digit.", campaign.ada, campaign.now)
    for motion in (passed, begun):
        motion.refresh_from_db()
        assert (motion.outcome, motion.closed_at) == (Motion.Outcome.LAPSED, campaign.now)
    assert votes.open_motions(campaign.game, campaign.phase) == []
    second = campaign.game.phases.get(number=2)
    assert public(campaign)[-2:] == [
        f"The vote for {motion.title} lapsed: {second.title} was undone."
        for motion in (passed, begun)
    ]
    letter = letter_text(campaign.letters("ruled", "una")[-1])
    assert f"The vote for {passed.title}: vote again if you still want it" in letter
    rulings.revoke(made, "It was right.", campaign.ada, campaign.now)
    assert passed.due_at is not None
    campaign.wait_until(passed.due_at + timedelta(minutes=1))
    campaign.game.refresh_from_db()
    assert campaign.game.status == Game.Status.RUNNING
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_rollback_leaves_votes_of_the_phases_before_it() -> None:
    campaign = Campaign.begin(veto_hours=100)
    motion = cast(campaign, "draw", *EVERYBODY)
    campaign.pass_deadline()
    second = campaign.pass_deadline()
    rulings.rule(second, "rollback", {}, "A wrong digit.", campaign.ada, campaign.now)
    motion.refresh_from_db()
    assert motion.closed_at is None
    assert motion.due_at is not None
    votes.carry_out_due(motion.due_at)
    campaign.game.refresh_from_db()
    assert campaign.game.status == Game.Status.ABANDONED


def test_veto_stops_a_vote_with_a_reason() -> None:
    """25.5."""
    campaign = Campaign.begin()
    motion = cast(campaign, "draw", *EVERYBODY)
    assert motion.due_at is not None
    assert "You vetoed" in ask(campaign, "VETO: The war is not over.")
    campaign.wait_until(motion.due_at + timedelta(hours=1))
    campaign.game.refresh_from_db()
    assert campaign.game.status == Game.Status.RUNNING
    assert Act.objects.get(kind="veto").reason == "The war is not over."
    with pytest.raises(DeskError, match="No vote waits"):
        votes.veto(campaign.game, "Again.", campaign.ada, campaign.now)


@pytest.mark.both_databases
@pytest.mark.parametrize("kind", ["draw", "more-time"])
def test_no_vote_takes_effect_while_the_game_is_paused(kind: str) -> None:
    """The clock stands (docs/gamesmaster.md, 7): then the time for a veto goes on where it was."""
    campaign = Campaign.begin(schedule={"every": "days", "days": 3, "time": "09:00"})
    motion = cast(campaign, kind, *EVERYBODY[: 5 if kind == "draw" else 3])
    assert motion.due_at is not None
    paused_at, due_at = campaign.now + timedelta(hours=1), motion.due_at
    desk.pause(campaign.game, "A holiday.", campaign.ada, paused_at)
    campaign.wait_until(due_at + timedelta(days=10))
    motion.refresh_from_db()
    assert motion.outcome == Motion.Outcome.OPEN
    desk.resume(campaign.game, "It is over.", campaign.ada, campaign.now)
    motion.refresh_from_db()
    assert motion.due_at == due_at + (campaign.now - paused_at)
    campaign.wait_until(motion.due_at - timedelta(minutes=1))
    motion.refresh_from_db()
    assert motion.outcome == Motion.Outcome.OPEN
    campaign.wait_until(motion.due_at)
    motion.refresh_from_db()
    assert motion.outcome == Motion.Outcome.CARRIED


@pytest.mark.parametrize(
    ("kind", "nation", "names", "ending"),
    [
        ("draw", "", EVERYBODY, "The game ended in a draw, by vote of the players."),
        ("end", "", EVERYBODY, "The players voted to end the game. Final scores:"),
        ("concede", "Germ", EVERYBODY[:4], "The players conceded the game to Germany."),
    ],
)
def test_unanimous_vote_ends_the_game_at_once_without_a_veto_period(
    kind: str, nation: str, names: tuple[str, ...], ending: str
) -> None:
    """25.5: a draw or a concession; at once if the game has no veto hours."""
    campaign = Campaign.begin()
    desk.change_settings(campaign.game, {"veto_hours": 0}, campaign.ada, campaign.now)
    cast(campaign, kind, *names[:-1], nation=nation)
    assert campaign.game.status == Game.Status.RUNNING
    cast(campaign, kind, names[-1], nation=nation)
    assert campaign.game.status == Game.Status.ABANDONED
    assert campaign.game.ending.startswith(ending)
    letter = rendering.render(campaign.letters("abandoned", "rosa")[-1])
    assert ending in " ".join(letter.text.split())
    assert verify.check(export.record(campaign.game, private=True)) == []


@pytest.mark.both_databases
def test_votes_lapse_with_the_phase_and_can_be_withdrawn() -> None:
    campaign = Campaign.begin()
    cast(campaign, "draw", *EVERYBODY[:4])
    votes.cast(campaign.game, person("una"), "draw", "", campaign.now, yes=False)
    assert cast(campaign, "draw", "gustav").passed_at is None
    campaign.pass_deadline()
    assert votes.open_motions(campaign.game, campaign.phase) == []
    assert cast(campaign, "draw", "una").nations == ["USA"]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("VOTE MORE TIME", "Germany voted for more time: 1 of 5 nations; 3 must agree."),
        ("vote for a draw", "Germany voted for a draw between all nations: 1 of 5"),
        ("VOTE NO DRAW", "Nobody voted for a draw between all nations: 0 of 5 nations; all 5"),
        ("Vote concede to France.", "Germany voted for conceding the game to France: 1 of 4"),
        (
            "VOTE CONCEDE TO Atlantis",
            "Your vote was not counted. There is no nation “atlantis”. Name one of USA, France,",
        ),
        ("VOTE CONCEDE TO Germany", "the others decide whether they concede to you"),
        ("VOTE for peace", "“VOTE for peace” cannot be read: write VOTE MORE TIME, VOTE DRAW"),
    ],
)
def test_vote_by_mail_is_answered_in_a_plain_sentence(line: str, answer: str) -> None:
    """25.5: by page and by mail alike."""
    campaign = Campaign.begin()
    assert answer in ask(campaign, line, by="gustav")
    assert campaign.phase.status == Phase.Status.OPEN


def test_finished_game_has_no_open_votes(as_: Browser) -> None:
    campaign = Campaign.begin()
    cast(campaign, "draw", "gustav")
    page = f"/games/{campaign.game.pk}/votes/"
    assert "Open votes" in as_("una").read(page)
    assert "A vote that has not passed lapses when the phase ends." in as_("una").read(page)
    times.abandon(campaign.game, "Too few players.", campaign.ada, campaign.now)
    campaign.game.refresh_from_db()
    assert votes.open_motions(campaign.game, campaign.phase) == []
    assert "Open votes" not in as_("una").read(page)


def test_vote_that_one_nation_decides_is_not_counted() -> None:
    campaign = Campaign.begin()
    for name in EVERYBODY[1:]:
        Sitting.objects.filter(person=person(name)).update(until=campaign.now)
    motion = cast(campaign, "more-time", "una")
    assert votes.describe_state(motion) == "USA voted for more time."
    assert public(campaign)[0] == "USA votes for more time."


def test_players_vote_and_the_gamesmaster_vetoes_by_page(as_: Browser) -> None:
    campaign = Campaign.begin()
    page, desk_page = (f"/games/{campaign.game.pk}/{at}" for at in ("votes/", "desk/times/"))
    for name in EVERYBODY:
        assert as_(name).post(page, {"what": "draw:"}).status_code == 302
    assert "unless the gamesmaster vetoes it" in as_("una").read(page)
    assert "unless you veto it" in as_("ada").read(desk_page)
    assert as_("ada").post(desk_page, {"do": "veto", "reason": "Too soon."}).status_code == 302
    assert Motion.objects.get().outcome == "vetoed"
    assert "Germany votes for a draw" in as_("una").read(f"/games/{campaign.game.pk}/rulings/")


def test_vote_is_offered_only_to_those_whose_vote_counts(
    as_: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A nation has no voice in its own concession, and without a deadline nobody has more time to
    vote for: the buttons could only be refused."""
    campaign = Campaign.begin()
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    page = f"/games/{campaign.game.pk}/votes/"
    cast(campaign, "concede", "felix", nation="Germany")
    cast(campaign, "more-time", "felix")
    assert 'value="concede:Germany"' not in as_("gustav").read(page)
    for what in ("concede:Germany", "more-time:"):
        assert f'value="{what}"' in as_("rosa").read(page)
    times.pause(campaign.game, "A holiday.", campaign.ada, campaign.now)
    paused = as_("rosa").read(page)
    assert 'value="concede:Germany"' in paused
    assert 'value="more-time:"' not in paused


def test_state_of_a_vote_counts_those_who_play() -> None:
    """It said “2 of 4 nations” of a vote for which one of the four had voted."""
    campaign = Campaign.begin()
    motion = cast(campaign, "draw", "felix", "rosa")
    seat = campaign.seat("Russia")
    desk.vacate(seat, person("rosa"), "Moved.", person("rosa"), campaign.now)
    assert votes.describe_state(motion) == (
        "France voted for a draw between all nations: 1 of 4 nations; all 4 must agree."
    )


def test_vote_passes_when_all_who_still_play_have_agreed() -> None:
    """Nobody could vote again, so the one who had left kept a game from its end."""
    campaign = Campaign.begin()
    motion = cast(campaign, "end", *EVERYBODY[:4])
    desk.vacate(campaign.seat("Germany"), person("gustav"), "Moved.", campaign.ada, campaign.now)
    motion.refresh_from_db()
    assert motion.passed_at == campaign.now
    assert "The players voted for ending the game" in public(campaign)[-1]


def test_vote_waits_for_the_successor_of_a_replaced_player() -> None:
    campaign = Campaign.begin()
    motion = cast(campaign, "end", *EVERYBODY[:4])
    seat = campaign.seat("Germany")
    desk.replace(seat, "greta@example.org", "Moved.", campaign.ada, campaign.now)
    motion.refresh_from_db()
    assert motion.passed_at is None


def test_public_list_says_that_a_passed_vote_lapsed() -> None:
    """It shows every step; players had read that the vote had passed."""
    campaign = Campaign.begin(
        schedule={"every": "days", "days": 3, "time": "09:00"}, may_lock_early=True
    )
    motion = cast(campaign, "more-time", "gustav", "rosa", "felix")
    for nation in PLAYERS:
        campaign.order(nation, "PASS", final=True)
    assert motion.due_at is not None
    campaign.wait_until(motion.due_at)
    motion.refresh_from_db()
    assert motion.outcome == Motion.Outcome.LAPSED
    assert public(campaign)[-1] == (
        "The vote for more time lapsed: there is no deadline to move any more."
    )


def test_more_time_by_vote_leaves_days_without_deadlines() -> None:
    """Issue 5, 5: no deadline falls on an absence or a holiday."""
    campaign = Campaign.begin(schedule={"every": "days", "days": 3, "time": "09:00"}, veto_hours=0)
    day = campaign.phase.deadline.date() + timedelta(days=1)
    desk.announce(campaign.game, person("bea"), day, day, person("bea"), campaign.now)
    before = campaign.phase.deadline
    cast(campaign, "more-time", "gustav", "rosa", "felix")
    assert campaign.phase.deadline == before + timedelta(days=2)
