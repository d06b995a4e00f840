"""Blocking a player and reporting a letter by mail, as on the page (issue 27, 8)."""

from __future__ import annotations

import pytest

from games.models import Block, Complaint, Letter, Person, Press
from games.press import conversations
from tests.support.campaign import Campaign, person

from .test_deals import read
from .writing import send

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


def write(campaign: Campaign, nation: str, text: str) -> Press:
    seat, by = campaign.seat(nation), campaign.players[nation]
    given = {"channel": "web", "now": campaign.now}
    return conversations.send(campaign.game, seat, by, ["Germany"], text, **given)  # type: ignore[arg-type]


def answer(campaign: Campaign, text: str) -> str:
    """Reply as Germany to the newest letter from another nation. Return the answer."""
    letters = Letter.objects.filter(kind="press", person=person("gustav"))
    headers = (
        {"In_Reply_To": newest.message_id} if (newest := letters.order_by("-pk").first()) else {}
    )
    send(campaign, "Germany", f"{text}\n\n> I wrote: BLOCK PLAYER", headers=headers)
    return read("answer", "gustav")


@pytest.mark.both_databases
def test_reply_blocks_the_writer_of_a_letter(campaign: Campaign) -> None:
    write(campaign, "France", "Hello.")
    before = Letter.objects.filter(person=person("felix")).count()
    assert "New signed letters of this player do not reach you" in answer(campaign, "BLOCK PLAYER")
    block = Block.objects.get()
    assert (block.person, block.blocked) == (person("gustav"), person("felix"))
    write(campaign, "France", "You again!")
    write(campaign, "Russia", "I am another.")
    assert Letter.objects.filter(kind="press", person=person("gustav")).count() == 2
    assert Letter.objects.filter(person=person("felix")).count() == before, "felix was told"


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("REPORT LETTER: They threaten me.", "They threaten me."),
        ("report this letter", ""),
    ],
)
def test_reply_reports_a_letter(campaign: Campaign, line: str, reason: str) -> None:
    root = Person.objects.create(email="root@example.org", is_superuser=True, is_staff=True)
    press = write(campaign, "France", "I know where you live.")
    assert "The gamesmaster or the operator reads it." in answer(campaign, line)
    complaint = Complaint.objects.get()
    assert (complaint.press, complaint.reason) == (press, reason)
    letters = Letter.objects.filter(kind="complaint")
    assert {letter.person for letter in letters} == {campaign.ada, root}


@pytest.mark.parametrize("line", ["BLOCK PLAYER", "REPORT LETTER: rude"])
def test_block_and_report_need_a_reply_to_a_letter(campaign: Campaign, line: str) -> None:
    text = answer(campaign, line)
    assert "reply with it to the letter of the other player" in text
    assert not Block.objects.exists()
    assert not Complaint.objects.exists()
    answer(campaign, f"PRESS TO France\n{line}\nEND")
    assert Press.objects.get().text == line


def test_help_explains_blocking_and_reporting(campaign: Campaign) -> None:
    text = answer(campaign, "HELP")
    assert "BLOCK PLAYER" in text
    assert "REPORT LETTER: why" in text
