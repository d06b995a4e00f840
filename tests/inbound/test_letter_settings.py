"""Personal settings of letters, by mail and on the page (issue 22, 4; reviews/mail.md)."""

from __future__ import annotations

import re
from datetime import timedelta
from email.message import Message
from pathlib import Path

import pytest
from django.urls import reverse

from games import desk
from games.accounts import letter_settings
from games.operations.personal import erasure
from tests.inbound import post
from tests.inbound.writing import send
from tests.letters.conftest import office  # noqa: F401
from tests.letters.postoffice import PostOffice
from tests.support.browsing import log_in, send_letters
from tests.support.campaign import Campaign, person

pytestmark = pytest.mark.letters

HOUR = timedelta(hours=1)


def choose(campaign: Campaign, nation: str, *lines: str) -> None:
    for line in lines:
        letter_settings.change(campaign.players[nation], line)


def test_docs_list_every_setting_with_a_line_that_is_read() -> None:
    """docs/mail.md, “Personal settings”."""
    page = (Path(__file__).parents[2] / "docs" / "mail.md").read_text()
    section = page.partition("## Personal settings")[2].partition("\n## ")[0]
    listed = [letter_settings.read(line) for line in re.findall(r"^\| `SET (.*?)`", section, re.M)]
    fields = {setting.field for setting in letter_settings.SETTINGS}
    assert {field for values in listed for field in values} == fields | {"zone"}


def test_mail_changes_and_shows_settings(campaign: Campaign) -> None:
    """issue 22, 4: `SET RECEIPTS OFF`, and SETTINGS with the lines that change them."""
    text = post.answer(campaign, person("gustav"), "SET REMINDERS 6 hours\nset plain text on.")
    assert "REMINDERS 6 HOURS is set, for all your games" in text
    gustav = person("gustav")
    assert (gustav.reminders, gustav.plain_text, gustav.receipts) == (6, True, True)
    settings_text = " ".join(post.answer(campaign, gustav, "SETTINGS").split())
    assert "SET REMINDERS 48 or SET REMINDERS 24 or SET REMINDERS OFF" in settings_text
    assert "SET PLAIN TEXT OFF" in settings_text
    assert "SETTINGS: which letters you get" in post.answer(campaign, gustav, "HELP").replace(
        "\n", " "
    )


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("SET COLOR RED", "“SET COLOR RED” was not done: the settings are RECEIPTS,"),
        ("SET REMINDERS 12", "“SET REMINDERS 12” was not done: write SET REMINDERS 48"),
        ("SET RECEIPTS", "“SET RECEIPTS” was not done: write SET RECEIPTS ON"),
        ("SET ZONE Narnia", "“SET ZONE Narnia” was not done: “Narnia” is not a time zone; write a"),
        ("SET TIME ZONE USA", "“USA” has several time zones; write a city, such as"),
        ("SET ZONE", "“SET ZONE” was not done: name a city or a country, as in SET ZONE Berlin."),
    ],
)
def test_unknown_setting_is_refused_with_the_possible_ones(
    campaign: Campaign, line: str, sentence: str
) -> None:
    text = " ".join(post.answer(campaign, person("gustav"), line).split())
    assert sentence in text


@pytest.mark.parametrize("line", ["SET ZONE Tokyo", "set time zone: Japan.", "Set zone to Tokyo"])
def test_mail_changes_the_zone_of_all_times(campaign: Campaign, line: str) -> None:
    """docs/design.md, 1: a player needs only messages. Only a page could change it."""
    answer = " ".join(post.answer(campaign, person("gustav"), f"{line}\nDEADLINE").split())
    assert person("gustav").zone == "Asia/Tokyo"
    assert "ZONE Tokyo, Japan is set, for all your games." in answer
    assert "Tokyo time" in answer
    settings_text = " ".join(post.answer(campaign, person("gustav"), "SETTINGS").split())
    assert "ZONE Tokyo, Japan: The time zone in which you read deadlines." in settings_text


def test_receipts_off_still_sends_rejections(campaign: Campaign) -> None:
    """issue 22, 4: a receipt with a rejected line is always sent."""
    choose(campaign, "Germany", "RECEIPTS OFF")
    campaign.order("Germany", "PLACE 10 Poland")
    assert not campaign.letters("receipt")
    campaign.order("Germany", "PLACE 10 Poland\nPLACE 3 Narnia")
    assert len(campaign.letters("receipt")) == 1
    send(campaign, "Germany", "PLACE 10 Poland")
    assert not campaign.letters("answer")
    send(campaign, "Germany", "PLACE 10 Poland\nPLACE 3 Narnia")
    assert len(campaign.letters("answer")) == 1


def test_reminders_follow_each_persons_setting(campaign: Campaign) -> None:
    """issue 22, 4: 24 hours, 6 hours or never; the default is two days before the deadline."""
    choose(campaign, "Germany", "REMINDERS 24")
    choose(campaign, "Russia", "REMINDERS 6")
    choose(campaign, "USA", "REMINDERS OFF")
    deadline = campaign.phase.deadline + 200 * HOUR
    desk.extend(campaign.phase, deadline, "A holiday", campaign.ada, campaign.now)
    reminded = {}
    for hours in (47, 23, 5):
        before = {letter.address for letter in campaign.letters("reminder")}
        campaign.wait_until(deadline - hours * HOUR)
        addresses = {letter.address for letter in campaign.letters("reminder")} - before
        reminded[hours] = sorted(address.partition("@")[0] for address in addresses)
    assert reminded == {47: ["bea", "felix"], 23: ["gustav"], 5: ["rosa"]}


def test_lock_letters_off_leaves_them_out(campaign: Campaign) -> None:
    choose(campaign, "Germany", "LOCK LETTERS OFF")
    campaign.attack_in_poland()
    campaign.pass_deadline()
    locked = {letter.address for letter in campaign.letters("locked")}
    assert "rosa@example.org" in locked
    assert "gustav@example.org" not in locked


def test_plain_text_and_threads_per_phase(campaign: Campaign, office: PostOffice) -> None:  # noqa: F811
    """issue 22, 1 and 4."""
    choose(campaign, "Germany", "PLAIN TEXT ON", "THREADS PHASE")
    campaign.place_in_poland()
    send_letters(campaign.now)

    def newest(name: str, kind: str) -> Message:
        letter = campaign.letters(kind, name)[-1]
        return next(mail for _, mail in office.taken if mail["Message-ID"] == letter.message_id)

    board, other = newest("gustav", "board"), newest("rosa", "board")
    assert not [part for part in board.walk() if part.get_content_type() == "text/html"]
    assert [part for part in other.walk() if part.get_content_type() == "text/html"]
    opened, first = newest("gustav", "board"), newest("gustav", "begins")
    assert opened["References"] != first["References"]
    assert other["References"] == newest("rosa", "begins")["References"]
    campaign.order("Germany", "PASS")
    send_letters(campaign.now)
    assert newest("gustav", "receipt")["References"] == board["References"]


def test_page_changes_settings_and_erasure_resets_them(campaign: Campaign) -> None:
    browser = log_in("gustav")
    browser.post(reverse("letters-wanted"), {"receipts": "OFF", "reminders": "6"})
    gustav = person("gustav")
    assert (gustav.receipts, gustav.reminders, gustav.lock_letters) == (False, 6, True)
    assert '<option value="6" selected>' in browser.read(reverse("me"))
    erasure._empty_person(gustav, "gone@example.org")
    gustav.refresh_from_db()
    assert (gustav.receipts, gustav.reminders) == (True, 48)
