"""A gamesmaster runs a game by mail (issue 23, 7)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from pytest_django import Settings

from games.accounts import tokens
from games.models import Act, DeadlineChange, Game, Letter, Phase, Press, Ruling, Sitting
from orders.inbound import desk_by_mail
from orders.inbound.parsing import desk_commands
from orders.intake import ledger
from orders.models import Handling
from tests.inbound.writing import hand_in, written
from tests.support.browsing import log_in
from tests.support.campaign import MONDAY, Campaign, person
from tests.support.letters import letter_text

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


def ask(
    campaign: Campaign, text: str, *, by: str = "ada", sender: str = "", game: Game | None = None
) -> str:
    """Send a message to a person's own address of a game. Return the answer."""
    to = tokens.reply_address(person(by), game or campaign.game, campaign.now)
    raw = written(sender or f"{by}@example.org", to, text)
    row = hand_in(campaign, raw, to)
    assert row.answer is not None, (row.status, row.words, row.fault)
    campaign.game.refresh_from_db()
    return letter_text(row.answer)


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("Who owes?", ("WHO OWES", "", "")),
        ("List orders", ("LIST ORDERS", "", "")),
        ("please process now", ("PROCESS NOW", "", "")),
        ("EXTEND 24 HOURS: Rosa travels.", ("EXTEND", "24 HOURS", "Rosa travels.")),
        ("rule points Germany -2: late", ("RULE POINTS", "Germany -2", "late")),
        ("CONFIRM afhjkm", ("CONFIRM", "AFHJKM", "")),
        ("rule result", ("RULE RESULT", "", "")),
        ("Rule late France: slow mail", ("RULE LATE", "France", "slow mail")),
        ("Remind me of the time when we met", None),
        ("Pause for thought", None),
        ("Rule Britannia", None),
    ],
)
def test_desk_command_must_be_a_whole_line(line: str, read: Any) -> None:
    command = desk_commands.read(line)
    assert (command and (command.verb, command.rest, command.reason)) == read


def verbs(lines: Iterable[str]) -> set[str]:
    commands = (desk_commands.read(line) for line in lines)
    return {command.verb for command in commands if command is not None}


def test_docs_and_help_list_the_same_commands() -> None:
    """docs/mail.md, “The gamesmaster by mail”: the table had no VETO."""
    page = (Path(__file__).parents[2] / "docs" / "mail.md").read_text()
    table = page.partition("## The gamesmaster by mail")[2].partition("\n## ")[0]
    helped = [*desk_by_mail.COMMANDS, *desk_by_mail.WITH_CONFIRMATION]
    heads = (head for line in helped for head in line.partition(":")[0].split(", "))
    assert verbs(re.findall(r"`(.*?)`", table)) == verbs(heads)


@pytest.mark.parametrize(
    ("rest", "more"),
    [("24 HOURS", (0, 24)), ("by 2 days", (2, 0)), ("1h", (0, 1)), ("soon", None)],
)
def test_extension_is_read_in_hours_or_days(rest: str, more: tuple[int, int] | None) -> None:
    assert desk_commands.extension(rest) == more


def test_who_owes_and_remind_cover_nations_without_orders(campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 10 Poland")
    text = ask(campaign, "WHO OWES\n")
    assert "Russia: Rosa" in text
    assert "Germany: Gustav" not in text
    assert "A reminder goes to USA, France, Britain and Russia" in ask(campaign, "REMIND\n")
    ask(campaign, "REMIND\n")
    reminded = Letter.objects.filter(kind="reminder").values_list("address", flat=True)
    names = sorted(str(address).partition("@")[0] for address in reminded)
    assert names == ["bea", "felix", "rosa", "una"], "once an hour"
    assert Act.objects.filter(kind="reminded", private=True, done_by=campaign.ada).exists()


def test_gamesmaster_gets_desk_facts_by_mail(campaign: Campaign) -> None:
    """gamesmaster.md 4, master commands: see orders by mail."""
    campaign.order("Germany", "PLACE 10 Poland")
    text = ask(campaign, "LIST ORDERS\n")
    assert "ORDERS OF GERMANY PLACE 10 Poland" in text
    assert "ORDERS OF RUSSIA None are in force." in text
    campaign.game.gamesmasters.add(person("rosa"))
    text = ask(campaign, "LIST ORDERS\n", by="rosa")
    assert "PLACE 10 Poland" not in text
    assert "ORDERS OF GERMANY They are in. You may not read them yet." in text
    assert "PLACE 10 Poland" not in ask(campaign, "LIST ORDERS\n", by="felix")


def test_extend_moves_the_deadline(campaign: Campaign) -> None:
    before = campaign.phase.deadline
    assert "orders are due by" in ask(campaign, "EXTEND 24 HOURS: Rosa travels.\n")
    change = DeadlineChange.objects.get()
    assert (change.old, change.new) == (before, before + timedelta(hours=24))
    assert (change.reason, change.changed_by) == ("Rosa travels.", campaign.ada)
    assert "is not understood: write EXTEND 24 HOURS" in ask(campaign, "EXTEND a while\n")
    for long in ("999 DAYS", "2000 DAYS", f"{'9' * 900} HOURS"):
        assert "at most 366 days" in ask(campaign, f"EXTEND {long}\n")
    assert DeadlineChange.objects.count() == 1


def test_extension_by_days_keeps_the_time_of_day_over_a_clock_change() -> None:
    """In New York 1 November 2026 has 25 hours; “2 DAYS” was 48, and 09:00 became 08:00."""
    rule = {"every": "weekday", "weeks": 1, "weekday": "saturday", "time": "09:00"}
    campaign = Campaign.begin(datetime(2026, 10, 29, 12, tzinfo=UTC), schedule=rule)
    before = campaign.phase.deadline
    assert before == datetime(2026, 10, 31, 13, tzinfo=UTC)
    for line, more in (("2 DAYS", 49), ("48 HOURS", 48)):
        ask(campaign, f"EXTEND {line}\n")
        assert campaign.phase.deadline - before == timedelta(hours=more)
        before = campaign.phase.deadline


def test_pause_and_resume_by_mail(campaign: Campaign) -> None:
    ask(campaign, "PAUSE: Christmas\n")
    assert campaign.game.status == Game.Status.PAUSED
    assert "paused" in ask(campaign, "EXTEND 2 HOURS\n")
    ask(campaign, "RESUME\n")
    assert campaign.game.status == Game.Status.RUNNING
    acts = Act.objects.filter(kind__in=("paused", "resumed")).order_by("pk")
    assert [(act.kind, act.done_by) for act in acts] == [
        ("paused", campaign.ada),
        ("resumed", campaign.ada),
    ]


def test_process_now_is_refused_while_orders_are_owed(campaign: Campaign) -> None:
    assert "can still send orders and have sent none" in ask(campaign, "PROCESS NOW\n")
    for nation in campaign.players:
        campaign.order(nation, "PASS")
    ask(campaign, "PROCESS NOW\n")
    campaign.phase.refresh_from_db()
    assert campaign.phase.due_at == campaign.now


def test_gamesmaster_answers_and_writes_to_all_by_mail(campaign: Campaign) -> None:
    ask(campaign, "QUESTION\nMay I?\nEND\n", by="gustav")
    code = Press.objects.get().code
    ask(campaign, f"ANSWER {code}\nYou may.\nEND\nLETTER TO ALL\nThe lights are on.\nEND\n")
    question, answer, letter = Press.objects.order_by("number")
    assert (answer.seat, answer.answers, answer.text) == (None, question, "You may.")
    assert (letter.seat, letter.to_all, letter.text) == (None, True, "The lights are on.")


def test_ruling_by_mail_is_previewed_and_made_by_its_code(campaign: Campaign) -> None:
    for nation in campaign.players:
        campaign.order(nation, "PASS")
    campaign.pass_deadline()
    assert "give a reason" in ask(campaign, "RULE POINTS Germany 2\n")
    assert "is not understood" in ask(campaign, "RULE POINTS Germany --2: forfeit\n")
    preview = ask(campaign, "RULE POINTS Germany 2: forfeit\n")
    assert not Ruling.objects.exists()
    code = re.search(r"CONFIRM (\w{6})", preview)
    assert code is not None
    assert "Germany: " in preview
    assert "no preview" in ask(campaign, "CONFIRM aaaaaa\n")
    assert "Ruling 1 is made" in ask(campaign, f"CONFIRM {code[1]}\n")
    ruling = Ruling.objects.get()
    assert (ruling.kind, ruling.what) == ("points", {"nation": "Germany", "points": 2})
    assert (ruling.reason, ruling.made_by) == ("forfeit", campaign.ada)
    assert "There was another ruling" in ask(campaign, f"CONFIRM {code[1]}\n")
    assert Ruling.objects.count() == 1


def test_result_and_figure_are_ruled_by_mail(campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 8 Poland")
    campaign.order("Russia", "PLACE 4 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: Russia STOCK GE")
    campaign.pass_deadline()
    attacks = ask(campaign, "RULE RESULT: why not\n")
    assert "1: Germany against Russia in Poland" in attacks
    for line, kind in (
        ("RULE RESULT 1 X: agreed", "result"),
        ("RULE FIGURE GE 700: misread", "digit"),
    ):
        code = re.search(r"CONFIRM (\w{6})", ask(campaign, line + "\n"))
        assert code is not None, line
        ask(campaign, f"CONFIRM {code[1]}\n")
        assert Ruling.objects.order_by("-number")[0].kind == kind
    words = Ruling.objects.get(kind="result").words
    assert words == "The attack of Germany in Poland (line 1 of its orders) is an exchange."


def test_late_orders_are_told_and_let_count_by_mail(campaign: Campaign) -> None:
    """The book: a gamesmaster needs mail alone, but only the desk let late orders count."""
    campaign.order("Germany", "PLACE 8 Poland")
    campaign.pass_deadline()
    late = campaign.order("Russia", "PLACE 4 Poland")  # for the phase of attacks: it is in time
    assert not late.late
    first = campaign.game.phases.get(number=1)
    arrival = ledger.Arrival("web", campaign.players["Russia"], campaign.now, first)
    assert ledger.receive(campaign.seat("Russia"), "PLACE 4 Poland", arrival).late
    for line in ("STATUS\n", "WHO OWES\n"):
        text = ask(campaign, line)
        assert "CAME LATE, AND CHANGE NOTHING" in text
        assert "Russia, for Turn 1 placement: received Mon 16 Nov, 18:00 UTC." in text
        assert "To let them count, write “RULE LATE Russia: the reason”." in text
    assert "give a reason" in ask(campaign, "RULE LATE Russia\n")
    answer = ask(campaign, "RULE LATE France: the mail was down\n")
    assert "no late orders of France that can be read wait for a ruling; those of Russia" in answer
    preview = ask(campaign, "RULE LATE Russia: the mail was down\n")
    assert "A submission of Russia is accepted: its orders count." in preview
    assert "Poland, Russia: 4, not nothing" in preview
    code = re.search(r"CONFIRM (\w{6})", preview)
    assert code is not None
    assert "Ruling 1 is made" in ask(campaign, f"CONFIRM {code[1]}\n")
    assert campaign.board()["Poland"]["Russia"].pf == 4
    assert "CAME LATE" not in ask(campaign, "STATUS\n"), "they count"
    assert "CAME LATE" not in ask(campaign, "STATUS\n", by="felix")


def test_result_that_waits_for_approval_is_ruled_by_mail(campaign: Campaign) -> None:
    """“Attacks: none” was the answer in the hours that are for rulings."""
    campaign.attack_in_poland()
    Game.objects.filter(pk=campaign.game.pk).update(approval_hours=12)
    campaign.wait_until(campaign.phase.deadline)
    campaign.wait_until(campaign.now + timedelta(minutes=1))
    assert campaign.phase.status == Phase.Status.APPROVAL
    preview = ask(campaign, "RULE RESULT 1 X: agreed\n")
    code = re.search(r"CONFIRM (\w{6})", preview)
    assert code is not None, preview
    assert "The result is not published yet" in preview
    ask(campaign, f"CONFIRM {code[1]}\n")
    assert Ruling.objects.get().what["result"] == "X"


def test_command_about_no_nation_is_answered_with_those_to_choose_from(campaign: Campaign) -> None:
    for line in ("VACATE: silent\n", "EJECT Atlantis: silent\n"):
        text = ask(campaign, line)
        assert ". Name one of USA, France, Britain, Russia, Germany." in text, line


def test_eject_by_mail_needs_the_code(campaign: Campaign) -> None:
    preview = ask(campaign, "EJECT Russia: silent for weeks\n")
    assert "Rosa (Russia) is removed from the game" in preview
    assert Sitting.objects.current().filter(person=campaign.players["Russia"]).exists()
    code = re.search(r"CONFIRM (\w{6})", preview)
    assert code is not None
    ask(campaign, f"CONFIRM {code[1]}\n")
    assert not Sitting.objects.current().filter(person=campaign.players["Russia"]).exists()
    assert Act.objects.get(kind="ejected").reason == "silent for weeks"


def test_desk_commands_of_others_have_no_effect(campaign: Campaign) -> None:
    """A command counts for the game of its address, and only from that game's gamesmaster."""
    other = Campaign.begin(MONDAY)
    other.game.gamesmasters.set([person("olga")])
    before = campaign.phase.deadline
    ask(campaign, "PAUSE: I like it\n", by="gustav")
    campaign.game.refresh_from_db()
    assert campaign.game.status == Game.Status.RUNNING
    ask(campaign, "PAUSE: mine\n", by="olga", game=other.game)
    campaign.game.refresh_from_db()
    other.game.refresh_from_db()
    assert (campaign.game.status, other.game.status) == ("running", "paused")
    to = tokens.reply_address(person("olga"), campaign.game, campaign.now)
    row = hand_in(campaign, written("olga@example.org", to, "EXTEND 24 HOURS\n"), to)
    assert row.kind == "no part"
    campaign.phase.refresh_from_db()
    assert campaign.phase.deadline == before


def test_code_of_another_game_confirms_nothing(campaign: Campaign) -> None:
    other = Campaign.begin(MONDAY)
    code = re.search(r"CONFIRM (\w{6})", ask(campaign, "EJECT Russia: silent\n"))
    assert code is not None
    assert "no preview" in ask(campaign, f"CONFIRM {code[1]}\n", game=other.game)


def test_unproven_desk_command_has_no_effect(campaign: Campaign, settings: Settings) -> None:
    settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID = "results", "mx.example.org"
    to = tokens.reply_address(campaign.ada, campaign.game, campaign.now)
    row = hand_in(campaign, written("ada@example.org", to, "PAUSE: forged\n"), to)
    assert row.status == Handling.Status.UNCONFIRMED
    campaign.game.refresh_from_db()
    assert campaign.game.status == Game.Status.RUNNING


def test_help_and_status_of_a_gamesmaster_include_desk_commands(campaign: Campaign) -> None:
    text = ask(campaign, "HELP\nSTATUS\n")
    assert "COMMANDS OF THE GAMESMASTER" in text
    assert "RULE POINTS Germany 2" in text
    assert "WHO OWES ORDERS" in text
    assert "COMMANDS OF THE GAMESMASTER" not in ask(campaign, "HELP\n", by="gustav")


def test_letters_to_a_gamesmaster_use_their_reply_address_of_the_game(
    campaign: Campaign, settings: Settings
) -> None:
    settings.MAIL_IN = True
    ask(campaign, "QUESTION\nMay I?\nEND\n", by="gustav")
    campaign.wait_until(campaign.now)
    own = tokens.reply_address(campaign.ada, campaign.game, campaign.now)
    messages = [message for message in mail.outbox if message.to == ["ada@example.org"]]
    assert messages
    assert all(own in str(message.reply_to) + str(message.extra_headers) for message in messages)


def test_desk_button_sends_reminders(campaign: Campaign, a_minute_later: None) -> None:
    ada = log_in("ada")
    assert "Remind those who owe orders" in ada.read(f"/games/{campaign.game.pk}/desk/")
    address = f"/games/{campaign.game.pk}/desk/times/"
    assert "A reminder is on its way to USA" in ada.submit(address, {"do": "remind"}, follow=True)
    assert Letter.objects.filter(kind="reminder").count() == len(campaign.players)
    for nation in campaign.players:
        campaign.order(nation, "PASS")
    page = ada.submit(address, {"do": "remind"}, follow=True)
    assert "Nobody who gets letters owes orders" in page
