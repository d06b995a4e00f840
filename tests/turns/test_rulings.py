"""Rulings in a game: versions, letters, the record, revocation (issue 5.2, 5.3; design 4)."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Collection
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games import desk, positions, tasks
from games.evidence import export, record_rows
from games.letters import builders, entries, rendering
from games.models import Act, Figure, Game, Letter, Person, Phase, Resolution, Ruling
from games.records import archive
from games.rules import ruling_kinds
from games.rules.verification import verify
from games.rules.verification.record import RecordError
from games.timing import schedule
from games.turns import judging, load, rulings
from orders.intake import ledger
from tests.records import played
from tests.support import copied
from tests.support.campaign import Campaign
from tests.support.letters import letter_text
from tests.support.stored import stored

pytestmark = pytest.mark.django_db
Json = dict[str, Any]
WHY = "The newspaper says otherwise."
MINUTE = timedelta(minutes=1)


@pytest.fixture
def running() -> Campaign:
    """Return a game with turn 1 played (attacks in Poland and Rumania), in turn 2 placement."""
    return stored("turn 1 is played", _running)


def _running() -> Campaign:
    campaign = played.begin()
    played.first_turn(campaign)
    return campaign


@pytest.fixture
def finished(monkeypatch: pytest.MonkeyPatch) -> Campaign:
    played.short_card(monkeypatch)
    return stored("a short game is over", played.finished)


def phase(campaign: Campaign, number: int) -> Phase:
    return campaign.game.phases.get(number=number)


def rule(campaign: Campaign, number: int, kind: str, what: Json, **more: Any) -> Ruling:
    campaign.now += timedelta(seconds=1)
    made = rulings.rule(
        phase(campaign, number), kind, what, WHY, campaign.ada, campaign.now, **more
    )
    campaign.game.refresh_from_db()
    return made


def revoke(campaign: Campaign, ruling: Ruling) -> Ruling:
    campaign.now += timedelta(seconds=1)
    made = rulings.revoke(ruling, "I was wrong.", campaign.ada, campaign.now)
    campaign.game.refresh_from_db()
    return made


def record(campaign: Campaign, private: bool = True) -> Json:
    tree: Json = json.loads(export.text(export.record(campaign.game, private=private)))
    return tree


def holds(campaign: Campaign) -> None:
    """Assert that both records verify, and that a copy of the whole one exports the same."""
    tree = record(campaign)
    for each in (tree, record(campaign, private=False)):
        assert [str(difference) for difference in verify.check(each)] == []
    assert copied.exported(tree, campaign.ada) == tree


def newest_facts(campaign: Campaign, kind: str, name: str) -> Json:
    """Return the facts of the newest letter of a kind to a person, after rendering it."""
    letter = campaign.letters(kind, name)[-1]
    rendering.render(letter)
    return builders.build(letter)


ATTACK = {"nation": "Germany", "line": 1}
KINDS: list[tuple[str, Json]] = [
    ("orders", {"nation": "Germany", "text": None}),
    ("orders", {"nation": "Germany", "text": "ATTACK Poland: France STOCK F"}),
    ("digit", {"stock": "GE", "volume": 100}),
    ("result", {**ATTACK, "result": "D"}),
    ("result", {**ATTACK, "area": "Poland", "result": "D"}),
    ("result", {**ATTACK, "result": "A"}),
    ("result", {**ATTACK, "result": "void"}),
    ("position", {"cells": {"Poland": {"Germany": {"pf": 1}, "France": {}}}}),
    ("counter", {"nation": "Germany", "area": "Italy", "counter": "understanding", "given": True}),
    ("points", {"nation": "Germany", "points": 4}),
    ("option", {"option": "ow2.x_attacker_loss", "value": "all"}),
    ("again", {}),
]


@pytest.mark.parametrize(
    ("kind", "what"), KINDS, ids=[f"{kind}-{number}" for number, (kind, _) in enumerate(KINDS)]
)
@pytest.mark.quick
def test_a_ruling_is_made_told_proved_and_revoked(running: Campaign, kind: str, what: Json) -> None:
    before, old = running.board(), positions.position(running.game)
    preview = rulings.preview(phase(running, 2), kind, what)
    assert preview.fault == ""
    ruling = rule(running, 2, kind, what, token=preview.token)
    newest = running.resolution(phase(running, 2))
    assert (newest.version, newest.ruling, newest.after_ruling) == (2, ruling, ruling.number)
    assert (
        running.game.rules.board(running.game.load(newest.after)).cells == preview.board_after.cells
    )
    assert newest.scores == preview.scores_after
    assert preview.new is not None
    assert ruling.words == preview.new.words
    facts = newest_facts(running, "ruled", "felix")
    assert (facts["words"], facts["reasons"]) == (ruling.words, [WHY])
    assert bool(facts["changes"]) == bool(preview.differences)
    assert len(running.letters("ruled")) == 6
    assert [row.number for row in record_rows.public_list(running.game, viewer_runs=False)] == [1]
    holds(running)
    last = revoke(running, ruling)
    assert last.revokes == ruling
    assert running.resolution(phase(running, 2)).version == 3
    assert positions.position(running.game) == old
    assert running.board() == before
    holds(running)


def test_ruling_accepts_late_orders(running: Campaign) -> None:
    """They came a minute after the deadline of turn 1; the next phase is judged again."""
    late = phase(running, 1).submissions.get(seat__nation="Britain")
    assert late.late
    ruling = rule(running, 1, "orders", {"nation": "Britain", "submission": late.number})
    assert running.resolution(phase(running, 1)).orders["Britain"] == late.text
    forward = running.resolution(phase(running, 2))
    assert (forward.version, forward.ruling) == (2, ruling)
    assert running.board()["Poland"]["Britain"].pf == 3
    assert positions.position_before(running.phase) == forward.after
    holds(running)
    revoke(running, ruling)
    assert "Britain" not in running.board()["Poland"]
    holds(running)


def test_words_of_an_accepted_submission_tell_nobody_how_much_others_sent(
    running: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They named its number in the game, which pages hide. Records of 0.1.0 that do so verify."""
    what = {
        "nation": "Britain",
        "submission": phase(running, 1).submissions.get(seat__nation="Britain").number,
    }
    ruling = rule(running, 1, "orders", what)
    assert ruling.words == "A submission of Britain is accepted: its orders count."
    revoke(running, ruling)
    with monkeypatch.context() as before:
        words = f"Submission {what['submission']} of Britain is accepted: its orders count."
        before.setattr(ruling_kinds, "words", lambda *of: words)
        assert rule(running, 1, "orders", what).words == words
    holds(running)


def test_later_phase_with_the_same_result_is_not_judged_again(running: Campaign) -> None:
    rule(running, 1, "again", {})
    assert (
        running.resolution(phase(running, 1)).version,
        running.resolution(phase(running, 2)).version,
    ) == (2, 1)


def test_ruling_that_needs_an_unsettled_figure_is_refused(running: Campaign) -> None:
    what = {"nation": "Germany", "text": "ATTACK Poland: France STOCK MSFT"}
    fault = rulings.preview(phase(running, 2), "orders", what).fault
    assert (
        fault
        == "Turn 1, attacks: Germany’s attack in Poland would need the sales of MSFT, which were"
        " never settled. Rule MSFT in that phase first, or the result of that attack."
    )
    with pytest.raises(rulings.RulingError, match="MSFT"):
        rule(running, 2, "orders", what)
    assert Ruling.objects.count() == 0
    rule(running, 2, "digit", {"stock": "MSFT", "volume": 700})
    rule(running, 2, "orders", what)
    assert (
        next(
            event
            for event in running.resolution(phase(running, 2)).events
            if event["kind"] == "attack"
        )["digit"]
        == 7
    )
    holds(running)


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree["rulings"][0]["what"].update(points=9),
        lambda tree: tree["rulings"][0].update(words="Germany gets nothing."),
        lambda tree: tree["rulings"][0].update(reason="No reason."),
        lambda tree: tree["rulings"][0].update(phase=1, turn=1),
        lambda tree: tree["rulings"].pop(),
        lambda tree: tree["phases"][1]["resolutions"].pop(),
        lambda tree: tree["phases"][1]["resolutions"][1].update(ruling=None),
        lambda tree: tree["phases"][1]["resolutions"][1].update(after_ruling=0),
        lambda tree: tree["phases"][1]["resolutions"][1]["after"].pop("points"),
        lambda tree: tree["phases"][2].update(previous=1),
    ],
)
def test_record_with_a_tampered_ruling_does_not_verify(running: Campaign, change: Any) -> None:
    rule(running, 2, "points", {"nation": "Germany", "points": 4})
    tree = record(running)
    assert verify.check(copy.deepcopy(tree)) == []
    change(tree)
    assert verify.check(tree)


def test_public_record_of_a_running_game_withholds_ruled_orders(running: Campaign) -> None:
    rule(
        running,
        2,
        "orders",
        {"nation": "Germany", "text": "ATTACK Poland: France STOCK F # our little secret"},
    )
    tree = record(running, private=False)
    assert tree["rulings"][0]["what"] == {"nation": "Germany", "withheld": True}
    assert "little secret" not in json.dumps(tree)


def test_ruling_with_an_outdated_preview_is_refused(running: Campaign) -> None:
    first, second = (
        rulings.preview(phase(running, 2), "points", {"nation": "USA", "points": n}) for n in (1, 2)
    )
    rule(running, 2, "points", {"nation": "USA", "points": 1}, token=first.token)
    with pytest.raises(rulings.RulingError, match="There was another ruling"):
        rule(running, 2, "points", {"nation": "USA", "points": 2}, token=second.token)
    assert Ruling.objects.count() == 1


@pytest.mark.parametrize("reason", ["", "  \n ", "x" * 2001, "a\0b"])
def test_ruling_without_a_valid_reason_is_refused(running: Campaign, reason: str) -> None:
    with pytest.raises(rulings.RulingError, match="reason"):
        rulings.rule(phase(running, 2), "again", {}, reason, running.ada, running.now)


def test_ruling_on_an_open_phase_is_refused(running: Campaign) -> None:
    assert (
        "open for orders"
        in rulings.preview(running.phase, "points", {"nation": "USA", "points": 1}).fault
    )


def test_open_phase_is_judged_on_the_ruled_board(running: Campaign) -> None:
    running.order("Germany", "FROM HOME 2 Austria")
    rule(running, 2, "position", {"cells": {"Germany": {"Germany": {"pf": 1}}}})
    running.pass_deadline()
    assert running.board()["Austria"]["Germany"].pf == 1
    holds(running)


def test_ruling_can_change_the_winner_of_a_finished_game(finished: Campaign) -> None:
    last = finished.phase
    loser = next(
        nation
        for nation in finished.resolution().scores
        if nation not in (finished.resolution().winners or [])
    )
    points, before = {"nation": loser, "points": 90}, Letter.objects.count()
    foreseen = rulings.preview(last, "points", points).letters
    made = rule(finished, last.number, "points", points)
    assert Letter.objects.count() - before == foreseen, "the ruling, and how the game ends now"
    assert finished.resolution().winners == [loser]
    assert newest_facts(finished, "over", "una")["winners"] == loser
    assert len(finished.letters("over", "una")) == 2
    paid = dict(newest_facts(finished, "over", "una")["account"])
    assert ("rulings of the gamesmaster", 90) in paid[loser]
    holds(finished)
    revoke(finished, made)
    holds(finished)


# --- phases that are not resolved ---


def drawing() -> Campaign:
    """Return a game whose attack waits for its figure, after the session, before any reading."""
    campaign = played.begin()
    campaign.attack_in_poland()
    campaign.wait_until(campaign.phase.deadline)
    assert campaign.phase.status == Phase.Status.DRAWING
    return campaign


def test_ruling_before_the_digits_settles_the_phase_and_is_published_with_it() -> None:
    campaign = drawing()
    what = {**ATTACK, "result": "D"}
    shown = rulings.preview(phase(campaign, 2), "result", what)
    assert (shown.is_open, shown.changes_nothing) == (True, False), "nobody can know it yet"
    made = rule(campaign, 2, "result", what)
    assert record_rows.public_list(campaign.game, viewer_runs=False) == []
    assert record_rows.public_list(campaign.game, viewer_runs=True) == [made]
    assert record(campaign, private=False)["rulings"] == []
    campaign.wait_until(campaign.now)
    assert phase(campaign, 2).status == Phase.Status.RESOLVED
    version = campaign.resolution(phase(campaign, 2))
    assert (version.version, version.ruling, version.after_ruling) == (1, None, 1)
    told = rendering.render(campaign.letters("board", "una")[-1]).text
    assert "Ruling 1 of the gamesmaster" in " ".join(told.split())
    assert record_rows.public_list(campaign.game, viewer_runs=False) == [made]
    holds(campaign)


def test_ruling_while_a_worker_judges_is_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes between judging and publishing, so the worker judges again."""
    campaign = drawing()
    take = load.take
    ruled: list[Ruling] = []

    def late(ids: Collection[int], token: str) -> list[Phase]:
        waiting = Phase.objects.get(pk__in=ids)
        if waiting.status == Phase.Status.DRAWING and not ruled:
            ruled.append(
                rulings.rule(
                    waiting,
                    "points",
                    {"nation": "USA", "points": 5},
                    WHY,
                    campaign.ada,
                    campaign.now,
                )
            )
        return take(ids, token)

    monkeypatch.setattr(load, "take", late)
    campaign.pass_deadline()
    version = campaign.resolution(phase(campaign, 2))
    assert (version.version, version.after_ruling) == (1, 1)
    assert version.after["points"] == {"USA": 5}
    holds(campaign)


def test_impossible_ruling_holds_the_phase_until_revoked() -> None:
    """Until the digits are in, no ruling can be checked against the board."""
    campaign = drawing()
    what = {"nation": "Russia", "area": "Poland", "counter": "understanding", "given": False}
    made = rule(campaign, 2, "counter", what)
    campaign.pass_deadline()
    waiting = phase(campaign, 2)
    assert waiting.status == Phase.Status.HELD
    assert waiting.fault.startswith("Ruling 1 cannot be carried out: Russia ")
    assert waiting.fault.endswith(" Revoke it to continue the phase.")
    assert len(campaign.letters("held", "ada")) == 1
    revoke(campaign, made)
    campaign.wait_until(campaign.now)
    assert phase(campaign, 2).status == Phase.Status.RESOLVED
    holds(campaign)


def test_ruling_that_makes_a_later_one_impossible_is_refused(
    running: Campaign,
) -> None:
    give = {"nation": "Germany", "area": "Italy", "counter": "understanding"}
    first = rule(running, 1, "counter", {**give, "given": True})
    rule(running, 2, "counter", {**give, "given": False})
    fault = rulings.preview(phase(running, 1), "revoke", {"ruling": first.number}).fault
    assert fault.startswith("Turn 1, attacks: ruling 2 could no longer be carried out: Germany ")
    assert fault.endswith(" Revoke that one first.")
    with pytest.raises(rulings.RulingError, match="ruling 2 could no longer"):
        revoke(running, first)
    holds(running)


def held() -> Campaign:
    """Return a game held because no stock of its lists has a usable report."""
    campaign = drawing()
    waiting = phase(campaign, 2)
    for symbol in ["GE", *campaign.game.reserves]:
        Figure.objects.create(
            phase=waiting,
            symbol=symbol,
            volume=None,
            reason="no usable report",
            settled_at=campaign.now,
        )
    campaign.wait_until((phase(campaign, 2).due_at or campaign.now) + timedelta(seconds=1))
    assert phase(campaign, 2).status == Phase.Status.HELD
    return campaign


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        ("result", {**ATTACK, "result": "X"}),
        ("digit", {"stock": "GE", "volume": 900}),
        ("result", {**ATTACK, "result": "void"}),
    ],
)
def test_ruling_that_settles_a_held_phase_resolves_it(kind: str, what: Json) -> None:
    campaign = held()
    rule(campaign, 2, kind, what)
    campaign.wait_until(campaign.now)
    assert phase(campaign, 2).status == Phase.Status.RESOLVED


def test_ruling_that_settles_nothing_leaves_a_phase_held() -> None:
    campaign = held()
    rule(campaign, 2, "points", {"nation": "USA", "points": 1})
    assert phase(campaign, 2).status == Phase.Status.HELD


# --- rollbacks ---


def test_preview_of_a_rollback_counts_the_letters_that_open_the_phase(running: Campaign) -> None:
    """The button said 6 and the ruling sent 12."""
    counted = rulings.preview(phase(running, 2), "rollback", {}).letters
    before = Letter.objects.count()
    rule(running, 2, "rollback", {})
    assert Letter.objects.count() - before == counted == 12


def test_rollback_and_its_revocations_lose_nothing(running: Campaign) -> None:
    before = running.board()
    made = rule(running, 2, "rollback", {})
    assert [row.status for row in running.game.phases.order_by("number")] == [
        "resolved",
        "undone",
        "undone",
        "open",
    ]
    new = running.phase
    assert (new.number, new.turn, new.kind, new.previous) == (4, 1, "attacks", phase(running, 1))
    assert new.deadline > running.now
    assert phase(running, 2).undone_by == made
    assert phase(running, 2).resolutions.count() == 1
    facts = newest_facts(running, "ruled", "una")
    assert facts["undone"] == ["Turn 1, attacks", "Turn 2, placement"]
    assert facts["next_title"] == "Turn 1, attacks"
    assert len(running.letters("opened", "una")) == 2
    holds(running)
    running.order("Germany", "PASS")
    running.pass_deadline()
    assert running.board() != before
    holds(running)
    back = revoke(running, made)
    assert [row.status for row in running.game.phases.order_by("number")] == [
        "resolved",
        "resolved",
        "open",
        "undone",
        "undone",
    ]
    assert running.phase.number == 3
    assert running.phase.deadline > running.now
    assert running.board() == before
    holds(running)
    running.order("Germany", "PLACE 9 Rumania")
    running.pass_deadline()
    assert running.phase.number == 6
    holds(running)
    revoke(running, back)
    assert running.phase.number == 5
    assert phase(running, 3).status == Phase.Status.UNDONE
    holds(running)


def test_paused_game_is_rolled_back_and_stays_paused(running: Campaign) -> None:
    """A gamesmaster pauses because something is wrong: the clock stands until they resume it."""
    desk.pause(running.game, "Something is wrong.", running.ada, running.now)
    running.now += timedelta(days=3)
    rule(running, 2, "rollback", {})
    assert (running.game.status, running.phase.number) == (Game.Status.PAUSED, 4)
    assert running.phase.deadline == schedule.STANDS
    for kind in ("ruled", "opened"):
        letter = running.letters(kind, "una")[-1]
        assert "a date to be announced, because the game is paused" in letter_text(letter)
        assert "2999" not in letter_text(letter) + (entries.letter_calendar(letter) or "")
    running.wait_until(running.now + timedelta(days=3))
    assert running.order("Germany", "PASS").counts
    holds(running)
    desk.resume(running.game, "It is put right.", running.ada, running.now)
    lasts = timedelta(minutes=running.game.schedule["minutes"])
    assert running.now + lasts <= running.phase.deadline <= running.now + lasts + MINUTE
    running.pass_deadline()
    assert running.phase.number == 5
    holds(running)


def test_rollback_is_revoked_in_a_paused_game(running: Campaign) -> None:
    """The phase that is restored has as long as the schedule gives, once the game goes on."""
    made = rule(running, 2, "rollback", {})
    desk.pause(running.game, "That was wrong.", running.ada, running.now)
    running.now += timedelta(days=3)
    revoke(running, made)
    assert (running.game.status, running.phase.number) == (Game.Status.PAUSED, 3)
    assert running.phase.deadline == schedule.STANDS
    running.now += timedelta(days=3)
    desk.resume(running.game, "Put right.", running.ada, running.now)
    lasts = timedelta(minutes=running.game.schedule["minutes"])
    assert running.now + lasts <= running.phase.deadline <= running.now + lasts + MINUTE
    holds(running)


def test_result_restored_in_a_paused_game_waits_for_its_hours_from_when_it_goes_on() -> None:
    campaign = approving()
    made = rule(campaign, campaign.phase.number, "rollback", {})
    desk.pause(campaign.game, "That was wrong.", campaign.ada, campaign.now)
    campaign.now += timedelta(days=3)
    revoke(campaign, made)
    campaign.now += timedelta(days=3)
    desk.resume(campaign.game, "Put right.", campaign.ada, campaign.now)
    assert campaign.phase.status == Phase.Status.APPROVAL
    hours = timedelta(hours=campaign.game.approval_hours)
    assert campaign.phase.due_at == campaign.now + hours


def test_rollback_cannot_be_revoked_before_a_later_rollback(running: Campaign) -> None:
    first = rule(running, 2, "rollback", {})
    second = rule(running, 1, "rollback", {})
    fault = rulings.preview(phase(running, 2), "revoke", {"ruling": first.number}).fault
    assert fault == f"Ruling {second.number} has rolled the game back since. Revoke that one first."
    revoke(running, second)
    revoke(running, first)
    assert [row.status for row in running.game.phases.order_by("number")][:3] == [
        "resolved",
        "resolved",
        "open",
    ]
    holds(running)


def test_ruling_on_an_undone_phase_is_refused(running: Campaign) -> None:
    rule(running, 2, "rollback", {})
    assert "was undone" in rulings.preview(phase(running, 2), "again", {}).fault


def test_restored_phase_is_judged_with_newer_rulings(running: Campaign) -> None:
    made = rule(running, 2, "rollback", {})
    rule(running, 1, "position", {"cells": {"Poland": {"France": {"pf": 1}}}})
    revoke(running, made)
    assert (
        running.resolution(phase(running, 2)).before == running.resolution(phase(running, 1)).after
    )
    holds(running)


def test_finished_game_continues_after_a_rollback(
    finished: Campaign,
) -> None:
    made = rule(finished, 4, "rollback", {})
    assert finished.game.status == Game.Status.RUNNING
    finished.pass_deadline()
    assert finished.game.status == Game.Status.FINISHED
    holds(finished)
    revoke(finished, made)
    assert finished.game.status == Game.Status.FINISHED
    holds(finished)


def test_orders_for_an_undone_phase_are_late(running: Campaign) -> None:
    undone = running.phase
    rule(running, 2, "rollback", {})
    sent = ledger.receive(
        running.seat("Germany"),
        "PLACE 9 Rumania",
        ledger.Arrival("web", running.players["Germany"], running.now, meant_for=undone),
    )
    assert (sent.late, sent.counts, sent.phase) == (True, False, undone)
    assert running.order("Germany", "PASS").phase == running.phase
    holds(running)


# --- results that wait for approval ---


def approving() -> Campaign:
    campaign = played.begin()
    Game.objects.filter(pk=campaign.game.pk).update(approval_hours=12)
    campaign.game.refresh_from_db()
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.wait_until(campaign.phase.deadline)
    return campaign


def test_result_waits_for_approval_and_is_published_after_its_hours() -> None:
    campaign = approving()
    waiting = phase(campaign, 1)
    assert (waiting.status, waiting.due_at) == (
        Phase.Status.APPROVAL,
        campaign.now + timedelta(hours=12),
    )
    assert (len(campaign.letters("approval")), len(campaign.letters("approval", "ada"))) == (1, 1)
    assert "Poland" in newest_facts(campaign, "approval", "ada")["board"]
    assert not Resolution.objects.exists()
    assert not campaign.letters("board")
    campaign.wait_until(campaign.now + timedelta(hours=12))
    assert phase(campaign, 1).status == Phase.Status.RESOLVED
    holds(campaign)


def test_released_result_includes_newer_rulings() -> None:
    campaign = approving()
    rule(campaign, 1, "points", {"nation": "USA", "points": 2})
    assert judging.judge_now(phase(campaign, 1)).resolution.state.points == {"USA": 2}
    assert campaign.letters("ruled") == []
    rulings.release(phase(campaign, 1), campaign.ada, campaign.now)
    assert Act.objects.get().kind == "released"
    with pytest.raises(rulings.RulingError, match="is being published now"):
        rulings.release(phase(campaign, 1), campaign.ada, campaign.now)
    tasks.do_all_due(campaign.now)
    assert campaign.resolution(phase(campaign, 1)).after["points"] == {"USA": 2}
    holds(campaign)


def pages(campaign: Campaign, client: Client) -> str:
    """Return the text of all public pages of the game."""
    paths = [f"/games/{campaign.game.pk}/", f"/games/{campaign.game.pk}/rulings/"]
    for row in campaign.game.phases.all():
        paths += [
            f"/games/{campaign.game.pk}/phases/{row.number}/",
            f"/games/{campaign.game.pk}/phases/{row.number}/proof/",
        ]
    answers = [client.get(path) for path in paths]
    assert {answer.status_code for answer in answers} == {200}
    return "".join(answer.content.decode() for answer in answers)


def test_pages_show_rulings_and_undone_phases(running: Campaign, client: Client) -> None:
    rule(running, 2, "result", {**ATTACK, "result": "A"})
    drawn = next(
        event for event in running.resolution(phase(running, 2)).events if event["kind"] == "attack"
    )["stock"]
    rule(running, 2, "digit", {"stock": drawn, "volume": 100})
    text = pages(running, client)
    assert "set aside by ruling 1" in text
    assert text.count("Ruling 2, in place of") == 2, "in the figures of the report and the proof"
    assert "by a ruling of the gamesmaster; it had settled at" in text
    rule(running, 2, "rollback", {})
    assert "undone by a ruling" in pages(running, client)


def test_figures_of_an_earlier_version_show_no_later_ruling(
    running: Campaign, client: Client
) -> None:
    rule(running, 2, "digit", {"stock": "GE", "volume": None})
    client.force_login(running.ada)
    address = reverse("phase", args=[running.game.pk, 2])
    assert "Ruling 1, in place of" in client.get(address).content.decode()
    earlier = client.get(address, {"version": "1"}).content.decode()
    assert "Shares sold" in earlier
    assert "Ruling 1, in place of" not in earlier


def test_proof_page_shows_an_attack_without_a_digit(client: Client) -> None:
    campaign = drawing()
    rule(campaign, 2, "result", {**ATTACK, "result": "D"})
    campaign.wait_until(campaign.now)
    assert "a ruling of the gamesmaster set the result" in pages(campaign, client)


def test_result_awaiting_approval_is_on_no_page(client: Client) -> None:
    campaign = approving()
    rule(campaign, 1, "points", {"nation": "USA", "points": 77})
    text = pages(campaign, client)
    assert "77 points" not in text
    assert "77 points" not in json.dumps(record(campaign, private=False))


@pytest.mark.parametrize("value", [None, -1, 10**30, "x", {}, [], {"a": None}, [{}], True])
def test_checker_survives_malformed_rulings(running: Campaign, value: Any) -> None:
    """Records come from strangers."""
    rule(running, 2, "result", {**ATTACK, "result": "A"})
    made = rule(running, 2, "rollback", {})
    revoke(running, made)
    tree = record(running)
    spots: list[tuple[Any, Any]] = [(tree, "rulings")]
    for row in tree["rulings"]:
        spots += [(row, key) for key in row] + [(row["what"], key) for key in row["what"]]
    for phase_tree in tree["phases"]:
        spots += [(phase_tree, key) for key in ("previous", "undone_by", "missed", "status")]
        spots += [
            (version, key)
            for version in phase_tree["resolutions"]
            for key in ("ruling", "after_ruling", "before", "after")
        ]
    for holder, key in spots:
        original, holder[key] = holder[key], value
        with contextlib.suppress(RecordError):
            assert all(str(difference) for difference in verify.check(tree))
        holder[key] = original
    assert verify.check(tree) == []


def test_lock_stores_the_nations_that_sent_nothing(running: Campaign) -> None:
    assert phase(running, 1).missed == ["USA", "Britain"]


def test_rulings_of_an_imported_game_have_no_author(running: Campaign) -> None:
    """An imported game lists its rulings without the gamesmaster who made them."""
    rule(running, 2, "again", {})
    copied = archive.restore(record(running), Person.objects.get(pk=running.ada.pk))
    assert [row.made_by for row in record_rows.public_list(copied, viewer_runs=False)] == [None]


def test_plan_takes_no_more_queries_for_more_phases(
    running: Campaign, django_assert_num_queries: Any
) -> None:
    what = {"nation": "Germany", "points": 4}
    for number, judged_again in ((2, 1), (1, 2)):
        ruled_phase = phase(running, number)
        with django_assert_num_queries(13):
            preview = rulings.preview(ruled_phase, "points", what)
        assert len(preview.changed) == judged_again
