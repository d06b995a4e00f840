"""Where nations move one after the other, a player gets one letter a day for what others did
(issue 44, sentence 12)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import override_settings

from games.letters import rendering, sending
from games.models import Letter, Phase
from games.rules.verification import entries
from tests.support import origins_ww1
from tests.support.campaign import MONDAY, NATIONS, Campaign, person

pytestmark = [pytest.mark.django_db, pytest.mark.letters, pytest.mark.long]

IN_TURN = {"ow2.placement": "ordered", "ow2.attacks": "sequential"}
DAY = timedelta(days=1)


def send_due(campaign: Campaign) -> None:
    """Send what is due, as the worker does."""
    Letter.objects.filter(due_at__lte=campaign.now).update(
        status=Letter.Status.SENT, sent_at=campaign.now, due_at=None
    )


def play(campaign: Campaign, phases: int) -> None:
    for _ in range(phases):
        campaign.pass_deadline()
        send_due(campaign)


def reports(name: str) -> list[Letter]:
    rows = Letter.objects.filter(address=f"{name}@example.org", kind="board").order_by("pk")
    return list(rows.select_related("game", "phase", "person"))


def test_player_gets_few_letters_of_a_turn_in_which_nations_move_one_by_one() -> None:
    """11 reports and 2 lock letters a turn before. At once: what one did and must do."""
    campaign = Campaign.begin(options=IN_TURN)
    send_due(campaign)
    play(campaign, 11)
    assert campaign.phase.turn == 2
    told = {name: len(reports(name)) for name in ("una", "felix", "bea", "rosa", "gustav")}
    # before and after one's own placement and attack, and the counters of all
    assert max(told.values()) <= 7, told
    assert len(reports("ada")) == 11, "the gamesmaster follows every phase"


def test_report_of_others_waits_for_the_next_that_concerns_the_reader() -> None:
    campaign = Campaign.begin(options=IN_TURN)
    send_due(campaign)
    germany = reports("gustav")
    assert germany == []
    campaign.order("USA", "PLACE 2 Poland")
    play(campaign, 1)
    [first] = reports("gustav")
    assert first.sent_at is not None, "no report in the last day"
    campaign.order("France", "PLACE 6 Poland")
    play(campaign, 1)
    waiting = reports("gustav")[-1]
    assert waiting.pk != first.pk
    assert waiting.due_at is not None
    assert first.sent_at + DAY == waiting.due_at
    campaign.order("Britain", "PLACE 3 Austria")
    play(campaign, 1)
    merged = reports("gustav")[-1]
    assert not Letter.objects.filter(pk=waiting.pk).exists(), "the later letter says it all"
    assert merged.due_at == waiting.due_at, "still one day after the last letter"
    campaign.order("Russia", "PLACE 4 Rumania")
    play(campaign, 1)
    last = reports("gustav")[-1]
    assert last.sent_at is not None, "Germany places next"
    content = rendering.render(last)
    assert content.subject.startswith("[The lights go out] Turn 1 placement")
    text = " ".join(content.text.split())
    for sentence in ("France places 6 in Poland", "Britain places 3 in Austria", "Russia places 4"):
        assert text.count(sentence) == 1, text
    assert "USA places" not in text, "the first report told that"
    assert text.index("France places") < text.index("Russia places")
    assert "places 3 in Austria" in content.html


def test_report_that_waits_is_sent_when_the_day_has_passed() -> None:
    """An outbox row that is due; nothing else is needed."""
    campaign = Campaign.begin(options=IN_TURN, schedule={"every": "minutes", "minutes": 10})
    send_due(campaign)
    play(campaign, 2)
    waiting = reports("gustav")[-1]
    assert waiting.due_at is not None
    _, ids = sending.claim(waiting.due_at - timedelta(seconds=1), 500)
    assert waiting.pk not in ids
    Letter.objects.filter(pk__in=ids).update(status=Letter.Status.QUEUED, claimed_until=None)
    _, ids = sending.claim(waiting.due_at, 500)
    assert waiting.pk in ids


def test_reader_of_one_phase_a_day_waits_for_none() -> None:
    campaign = Campaign.begin(
        options=IN_TURN, schedule={"every": "days", "days": 1, "time": "09:00"}
    )
    send_due(campaign)
    play(campaign, 5)
    assert len([letter for letter in reports("gustav") if letter.sent_at]) == 5


def test_letter_that_is_being_sent_is_not_taken_back() -> None:
    """Better twice than not at all."""
    campaign = Campaign.begin(options=IN_TURN)
    send_due(campaign)
    play(campaign, 2)
    waiting = reports("gustav")[-1]
    Letter.objects.filter(pk=waiting.pk).update(status=Letter.Status.SENDING)
    play(campaign, 1)
    assert Letter.objects.filter(pk=waiting.pk).exists()


@override_settings(MAIL_IN=True)
def test_report_has_the_digests_of_which_no_letter_came() -> None:
    """docs/fairness.md: letters show each digest; a lock letter went only to who attacked."""
    campaign = Campaign.begin(options=IN_TURN)
    send_due(campaign)
    for nation in NATIONS:
        campaign.order(nation, "PLACE 2 Poland")
        play(campaign, 1)
    attacks = campaign.phase
    campaign.order("USA", "ATTACK Poland: Germany STOCK GE")
    play(campaign, 1)
    attacks.refresh_from_db()
    locked = set(Letter.objects.filter(phase=attacks, kind="locked").values_list("address"))
    assert locked == {("ada@example.org",), ("una@example.org",)}
    text = " ".join(rendering.render(reports("gustav")[-1]).text.split())
    heading = entries.digest_heading(campaign.game.pk, attacks.number)
    assert f"{heading} {attacks.digest}" in text
    text = " ".join(rendering.render(reports("una")[-1]).text.split())
    assert heading not in text


def test_undone_result_is_not_told_later() -> None:
    campaign = Campaign.begin(options=IN_TURN)
    send_due(campaign)
    campaign.order("USA", "PLACE 2 Poland")
    play(campaign, 1)
    campaign.order("France", "PLACE 6 Poland")
    play(campaign, 2)
    merged = reports("gustav")[-1]
    assert len(merged.about["earlier"]) == 1
    Phase.objects.filter(kind="placement-france").update(status=Phase.Status.UNDONE)
    assert "France places" not in rendering.render(merged).text


def test_game_of_the_first_war_has_one_letter_a_day_too() -> None:
    campaign = origins_ww1.Campaign.begin(options={"wwi.phasing": "sequential"})
    send_due(campaign)
    play(campaign, 4)
    waiting = Letter.objects.filter(kind="board", due_at__isnull=False)
    assert {letter.about["waits"] for letter in waiting} == {True}
    assert not waiting.filter(person=person("ada")).exists()


def test_simultaneous_game_writes_everybody_at_once() -> None:
    campaign = Campaign.begin(now=MONDAY)
    campaign.pass_deadline()
    assert not Letter.objects.filter(kind="board", due_at__gt=campaign.now).exists()
    assert campaign.phase.kind == "attacks"
