"""A refereed game by mail alone: reports, plain words, errors (design.md 7, B.8)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from email.message import EmailMessage
from itertools import count
from types import MappingProxyType

import pytest
from pytest_django import Settings

from games.accounts import tokens
from games.base import markers
from games.letters import rendering
from games.models import Letter, Person
from games.positions import in_force
from orders.inbound import handle
from orders.inbound.parsing import quoting
from orders.models import Handling, Mail, Submission
from tests.support.letters import letter_text
from tests.support.stored import stored

from .campaign import Refereed, person
from .report_files import picture, picture_that_claims, saved_game

pytestmark = [pytest.mark.django_db, pytest.mark.letters, pytest.mark.guest]

_numbers = count(1)
ITALIAN = (
    "MOVE 2 SP Rome TO Milan\nIF Germany INVADES Poland THEN MOVE 1 SP Rome TO Trieste\nHold the"
    " coast, whatever comes"
)


@pytest.fixture(autouse=True)
def mail_comes_in(settings: Settings) -> None:
    settings.MAIL_IN, settings.MAIL_TRUST = True, "address"


@pytest.fixture
def war(mail_comes_in: None) -> Refereed:
    """Return a game in which Italy's Player-Turn of turn 1 needs a report; Italy has sent three
    lines."""
    return stored("refereed by mail: Italy", _italys_turn)


@pytest.fixture
def ordering(mail_comes_in: None) -> Refereed:
    """Return a game of five players in which orders of turn 1 are due."""
    return stored("refereed by mail: orders", _orders)


def _orders() -> Refereed:
    campaign = Refereed.begin(players=5)
    campaign.pass_deadline()
    return campaign


def _italys_turn() -> Refereed:
    campaign = Refereed.begin(players=6)
    campaign.pass_deadline()
    campaign.order("Italy", ITALIAN)
    campaign.pass_deadline()
    assert campaign.phase.kind == "referee-italy"
    return campaign


def send(
    war: Refereed,
    who: Person,
    text: str,
    *,
    answers: Letter | None = None,
    html: str = "",
    at: datetime | None = None,
    files: Mapping[str, bytes] = MappingProxyType({}),
) -> str:
    """Hand in a message as a mail server does; return its answer's text, unfolded."""
    message = EmailMessage()
    message["From"], message["Subject"] = who.email, f"Re: [{war.game.title}] Your report"
    message["To"] = to = tokens.reply_address(who, war.game, war.now)
    message["Message-ID"], message["Date"] = (
        f"<{next(_numbers)}@mail.example.org>",
        "Mon, 16 Nov 2026 17:00:00 +0000",
    )
    if answers is not None:
        message["In-Reply-To"] = answers.message_id
    if html:
        message.set_content(html, subtype="html")
    else:
        message.set_content(text)
    for name, content in files.items():
        message.add_attachment(content, "application", "octet-stream", filename=name)
    mail = handle.take_in(
        message.as_bytes(),
        way=Mail.Way.LMTP,
        envelope_from=who.email,
        envelope_to=[to],
        now=at or war.now,
    )
    row = Handling.objects.select_related("answer__game", "answer__phase", "answer__person").get(
        mail=mail
    )
    assert row.status == Handling.Status.DONE, row.words
    assert row.answer is not None
    return letter_text(row.answer)


def due(war: Refereed) -> Letter:
    return war.letters("report_due", "ada")[-1]


def text_of(letter: Letter) -> str:
    return rendering.render(
        Letter.objects.select_related("game", "phase", "person").get(pk=letter.pk)
    ).text


def quoted(letter: Letter) -> str:
    return "\n".join(f"> {line}" for line in text_of(letter).splitlines())


def standing(war: Refereed) -> Submission | None:
    return in_force.in_force(war.phase).get("Referee")


# --- reports ---


def test_report_by_mail_counts_and_its_answer_previews_the_result(war: Refereed) -> None:
    text = (
        "LINE Italy 1 DONE\nLINE Italy 2 VOID: nobody has invaded Poland\nREST DONE\nINVASION Italy"
        " Greece\nEND"
    )
    answer = send(war, war.ada, text, answers=due(war))
    report = standing(war)
    assert report is not None
    assert (report.text, report.channel, report.person) == (text, "mail", war.ada)
    assert "REPORT NO. 1" in answer
    assert "Italy invades Greece." in answer
    assert "Italy, line 2, is void: nobody has invaded Poland." in answer
    assert "Then your next report is due: Turn 1 (4/39), Player-Turn of France." in answer
    assert "It takes effect on" in answer
    assert not war.letters("report_receipt", "ada"), "the answer says it all"
    war.carry_out()
    assert war.phase.kind == "referee-france"


def test_reply_with_changes_and_rest_done_is_a_complete_report(war: Refereed) -> None:
    send(
        war,
        war.ada,
        "LINE Italy 1 VOID: mud\nREST DONE\nEND\n\nOn Monday the service"
        f" wrote:\n{quoted(due(war))}",
        answers=due(war),
    )
    war.carry_out()
    rulings = [(e["line"], e["ruling"]) for e in war.resolution().events if e["kind"] == "line"]
    assert rulings == [(1, "void"), (2, "void"), (3, "done")]


def test_prepared_report_may_be_edited_in_the_quotation(war: Refereed) -> None:
    """REPORT BELOW says that the quotation counts; a line broken by a mail program is joined."""
    edited = quoted(due(war)).replace(
        "LINE Italy 1 DONE",
        "LINE Italy 1 VOID: the passes are deep in snow and no\n> rail line runs there",
    )
    answer = send(
        war, war.ada, f"REPORT BELOW\n\nOn Monday the service wrote:\n{edited}", answers=due(war)
    )
    assert "LINE Italy 1 VOID: the passes are deep in snow and no rail line runs there" in answer
    assert "did not count" not in answer, "the edited lines have counted"
    report = standing(war)
    assert report is not None
    assert report.text.splitlines()[-1] == "END"
    assert [words for _, words in report.understood][1:4] == [
        "LINE Italy 2 VOID: its condition was not met",
        "LINE Italy 3 DONE",
        "NEXT",
    ]


def test_quotation_without_report_below_is_ignored(war: Refereed) -> None:
    """docs/decisions.md: what may be weeks old, or written by others, must not decide anything."""
    answer = send(
        war,
        war.ada,
        f"Thanks, I look at it tonight.\n\nOn Monday the service wrote:\n{quoted(due(war))}",
        answers=due(war),
    )
    assert standing(war) is None
    assert "No line of it is valid" in answer or "NOTHING WAS DONE" in answer, answer


def test_unquoted_report_below_the_marker_is_refused_with_advice(war: Refereed) -> None:
    assert "“REPORT BELOW” was not done: no report is quoted below it." in send(
        war, war.ada, "REPORT BELOW"
    )
    assert standing(war) is None


def test_invalid_report_is_stored_and_every_line_is_rejected_with_a_sentence(war: Refereed) -> None:
    spoilt = (
        "LINE Italy 9 DONE\nLINE France 1 DONE\nLINE Italy 1 VOID\nFORCES Poland Germany 3 SUPPLIED"
        " 5\nINVASION Atlantis Poland"
    )
    spoilt += "\nABOLISH winter"
    answer = send(war, war.ada, spoilt)
    for sentence in (
        "“LINE Italy 9 DONE” is rejected: Italy has no order for the map in line 9.",
        "“LINE France 1 DONE” is rejected: France does not move in this Player-Turn.",
        "give a reason for void after a colon",
        "only 3 are there, so 5 cannot be in supply",
        "“Atlantis”",
        "no line of a report begins with “ABOLISH”",
    ):
        assert sentence in answer
    assert "No line of it is valid" in answer
    assert standing(war) is None
    assert Submission.objects.get(seat=war.referee).text == spoilt


def test_valid_lines_count_beside_rejected_ones(war: Refereed) -> None:
    answer = send(war, war.ada, "REST DONE\nLINE Italy 9 DONE\nEND")
    assert "Italy has no order for the map in line 9." in answer
    report = standing(war)
    assert report is not None
    assert [words for _, words in report.understood] == ["REST DONE", "END"]


def test_report_is_replaced_by_a_new_one_and_withdrawn_by_cancel(war: Refereed) -> None:
    send(war, war.ada, "REST DONE\nEND")
    text, later = "LINE Italy 1 CHANGED 1 SP: half the train is late", timedelta(minutes=20)
    answer = send(war, war.ada, f"{text}\nREST DONE\nEND", at=war.now + later)
    assert "in place of No. 1, of which nothing counts any more" in answer, "no addition to it"
    report = standing(war)
    assert report is not None
    assert report.text.startswith("LINE Italy 1 CHANGED 1 SP")
    war.phase.refresh_from_db()
    assert war.phase.due_at == war.now + timedelta(minutes=80), "the hour begins anew"
    answer = send(war, war.ada, "CANCEL", at=war.now + timedelta(minutes=30))
    assert "REPORT TAKEN BACK" in answer
    assert standing(war) is None
    assert war.report_owed


def test_final_carries_a_report_out_at_once(war: Refereed) -> None:
    assert "It takes effect at once." in send(war, war.ada, "REST DONE\nEND\nFINAL")
    assert war.phase.due_at == war.now


def test_report_without_end_counts_and_another_is_requested(war: Refereed) -> None:
    assert "It has no END, so you are asked for another report." in send(
        war, war.ada, "LINE Italy 1 DONE"
    )
    war.carry_out()
    assert war.phase.kind == "referee-italy-2"
    text = text_of(due(war))
    assert "1. MOVE 2 SP Rome TO Milan [done already]" in text
    assert "LINE Italy 1 DONE" not in text
    assert "LINE Italy 3 DONE" in text


def test_html_mail_may_contain_a_report(war: Refereed) -> None:
    body = (
        "<div>REST DONE<br>INVASION Italy Greece</div><div>END</div><blockquote type='cite'>LINE"
        " Italy 1 VOID: never</blockquote>"
    )
    send(war, war.ada, "", html=f"<html><body>{body}</body></html>")
    report = standing(war)
    assert report is not None
    assert report.text.splitlines() == ["REST DONE", "INVASION Italy Greece", "END"]


def test_long_report_is_accepted_and_a_too_long_one_refused_whole(war: Refereed) -> None:
    notes = "\n".join(f"NOTE Day {day} is quiet" for day in range(300))
    send(war, war.ada, f"REST DONE\n{notes}\nEND")
    report = standing(war)
    assert report is not None
    assert len(report.understood) == 302
    answer = send(war, war.ada, "\n".join("NOTE and so on" for _ in range(600)))
    assert "have 600 lines; at most 500 are allowed" in answer
    assert standing(war) == report


def test_report_for_a_closed_phase_is_stored_without_effect(war: Refereed) -> None:
    late = due(war)
    war.report()
    war.carry_out()
    answer = send(war, war.ada, "LINE Italy 1 VOID: after all\nEND", answers=late)
    assert "which had closed. It changes nothing." in answer
    assert standing(war) is None


def test_own_words_that_nobody_judges_are_not_called_the_gamesmasters(ordering: Refereed) -> None:
    """No report rules on texts of diplomacy (contract 3), nor on one that came too late."""
    fine = "the gamesmaster judges them where they are orders for the map"
    late, felix = ordering.asking("felix"), ordering.players["France"]
    assert fine in send(ordering, felix, "hold the Maginot line")
    ordering.pass_deadline()
    answer = send(ordering, felix, "hold the Maginot line", answers=late)
    assert "after its deadline" in answer
    assert "IN YOUR OWN WORDS hold the Maginot line" in answer
    assert fine not in answer
    diplomacy = Refereed.begin(players=5)
    answer = send(diplomacy, diplomacy.players["France"], "hold the Maginot line")
    assert "on which nobody rules in this phase" in answer
    assert fine not in answer


def test_report_without_a_request_is_stored_without_effect(ordering: Refereed) -> None:
    answer = send(ordering, ordering.ada, "REST DONE\nEND")
    assert "This phase needs no report, so it changes nothing." in answer
    assert "No report is due" in answer
    assert standing(ordering) is None


# --- permissions ---


def test_report_sent_by_a_player_has_no_effect(war: Refereed) -> None:
    felix = war.players["France"]
    answer = send(war, felix, "LINE Italy 1 VOID: because I say so\nEND", answers=None)
    assert "END ends a letter, but no line begins one, so nothing above it was read." in answer
    answer = send(war, felix, "LINE Italy 1 VOID: because I say so", answers=None)
    assert "No orders are asked of France in it: they are recorded, and change nothing." in answer
    assert "The gamesmaster is playing out the Player-Turn of Italy." in answer
    answer = send(war, felix, "AS Referee\nREST DONE")
    assert standing(war) is None
    assert not Submission.objects.filter(seat=war.referee).exists()
    assert "Referee" in answer


def test_orders_of_a_gamesmaster_for_a_power_are_refused(war: Refereed) -> None:
    answer = send(war, war.ada, "AS France\nMOVE 3 SP Paris TO Metz")
    assert "You cannot order for “France”: you run this game and send its reports" in answer
    answer = send(war, war.ada, "MOVE 3 SP Paris TO Metz")
    assert "no line of a report begins with “MOVE”" in answer
    assert not Submission.objects.filter(seat__nation="France", channel="mail").exists()


def test_gamesmaster_of_another_game_cannot_send_reports(war: Refereed) -> None:
    other = Refereed.begin(players=4, title="Another map", now=war.now)
    other.game.gamesmasters.set([person("greta")])
    answer = send(war, person("greta"), "REST DONE\nEND")
    assert standing(war) is None
    assert "you do not play in this game" in answer or "neither play" in answer


def test_every_gamesmaster_may_send_a_report_and_the_others_are_notified(war: Refereed) -> None:
    war.game.gamesmasters.add(greta := person("greta"))
    send(war, greta, "REST DONE\nEND")
    report = standing(war)
    assert report is not None
    assert report.person == greta
    (letter,) = war.letters("report_receipt", "ada")
    assert "Greta has sent report No. 1 for Turn 1 (4/39)" in " ".join(text_of(letter).split())


# --- commands ---


def test_help_has_the_prepared_report_and_every_possible_line(war: Refereed) -> None:
    answer = send(war, war.ada, "HELP")
    assert "LINE Italy 1 DONE" in answer
    assert "A power has invaded a country: INVASION Germany Poland" in answer
    assert "Italy 3: Hold the coast, whatever comes" in answer


def test_status_and_deadline_say_that_the_gamesmaster_is_due(war: Refereed) -> None:
    for who in (war.ada, war.players["France"]):
        answer = send(war, who, "STATUS\nDEADLINE")
        assert "the gamesmaster is playing it out" in answer
        waits = "The gamesmaster is playing out the Player-Turn of Italy. There is no deadline."
        assert answer.count(waits) == 2
        assert "paused" not in answer
        assert "Nobody plays" not in answer
    assert "Your report: everybody waits for it." in send(war, war.ada, "STATUS")


def test_orders_command_shows_a_player_what_is_being_played_out(war: Refereed) -> None:
    """B.8: while everybody waits for a report, a player's orders are those of the phase before."""
    answer = send(war, war.players["Italy"], "ORDERS")
    assert "ORDERS OF ITALY IN TURN 1 (4/39) ORDERS In force, No. 1, as understood:" in answer
    assert "MOVE 2 SP Rome TO Milan" in answer
    assert "None are in force" in send(war, war.players["France"], "ORDERS")


def test_orders_command_shows_a_gamesmasters_own_reports(war: Refereed) -> None:
    send(war, war.ada, "REST DONE")
    send(war, war.ada, "REST DONE\nEND")
    answer = send(war, war.ada, "ORDERS")
    assert "Report No. 2 counts: REST DONE END" in answer
    assert "No. 1," in answer
    assert "replaced since" in answer


# --- players ---


def test_free_text_orders_are_accepted_for_the_gamesmaster_to_judge(ordering: Refereed) -> None:
    orders = "MOVE 2 SP Paris TO Metz\nHold the coast, whatever comes"
    answer = send(ordering, ordering.players["France"], orders)
    assert "Understood: MOVE 2 SP Paris TO Metz FOR THE GAMESMASTER" in answer
    assert answer.index("the gamesmaster judges them") < answer.index(
        "Hold the coast, whatever comes"
    )


def test_line_that_begins_with_the_other_nation_of_its_sender_is_no_free_text() -> None:
    """It went to the gamesmaster as Germany's own words, and Italy had no orders."""
    war = Refereed.begin(players=4)
    war.pass_deadline()
    player = war.players["Germany"]
    answer = send(war, player, "Germany: INVADE Poland\nItaly: MOVE 2 SP Rome TO Milan")
    assert "“Italy: MOVE 2 SP Rome TO Milan” begins with Italy, for which you order too" in answer
    assert "Write FOR Italy above its lines, FOR Germany above the others" in answer
    assert not in_force.texts_in_force(war.phase)
    send(war, player, "FOR Germany\nINVADE Poland\nFOR Italy\nMOVE 2 SP Rome TO Milan")
    assert set(in_force.texts_in_force(war.phase)) == {"Germany", "Italy"}
    send(war, player, "MOVE 1 SP Kiel TO Emden\nPoland: leave it alone")
    assert "Poland: leave" in in_force.texts_in_force(war.phase)["Germany"]


def test_talk_does_not_replace_orders_that_have_forms(ordering: Refereed) -> None:
    """Promise 1: free text is accepted, but “Sounds good.” took all orders of a turn back."""
    player = ordering.players["France"]
    send(ordering, player, "MOVE 2 SP Paris TO Metz\nHold the coast, whatever comes")
    before = in_force.texts_in_force(ordering.phase)["France"]
    answer = send(ordering, player, "Sounds good. When is the deadline?\n\nFelix")
    assert "did not replace your orders No. 1, because no line of your message has a form" in answer
    assert "orders No. 1. If you send nothing more, they count" in answer
    assert in_force.texts_in_force(ordering.phase)["France"] == before
    assert "REJECTED" in send(ordering, player, "ALLY Narnia"), "its own reason"
    send(ordering, player, "CANCEL\nHold everything")
    assert in_force.texts_in_force(ordering.phase)["France"] == "Hold everything"
    send(ordering, player, "Hold Metz, too")
    assert in_force.texts_in_force(ordering.phase)["France"] == "Hold Metz, too"


def test_free_text_orders_are_not_taken_for_greetings_or_names(ordering: Refereed) -> None:
    """“Hold Metz” at the end is an order; the answer lists what was read as a courtesy."""
    text = (
        "Dear Ada,\n\nHi, hold Lille\nBest fall back to Sedan then\nPlease watch the Alps\n\nMany"
        " thanks,\nFelix\n\nHold Metz"
    )
    answer = send(ordering, ordering.players["France"], text)
    words = in_force.texts_in_force(ordering.phase)["France"].splitlines()
    assert words[:3] == ["Hi, hold Lille", "Best fall back to Sedan then", "Please watch the Alps"]
    assert "Hold Metz" in words or "“Hold Metz”" in answer
    courtesies = "“Dear Ada,”, “Many thanks,”, “Felix”"
    assert f"Read as greeting, name or heading, not as orders: {courtesies}" in answer


def test_player_of_two_powers_orders_for_both_in_one_message(ordering: Refereed) -> None:
    """With five players Germany's player also has Italy (2.0)."""
    orders = "MOVE 1 SP Berlin TO Danzig\nFOR Italy\nMOVE 2 SP Rome TO Milan"
    answer = send(ordering, ordering.players["Germany"], orders)
    texts = in_force.texts_in_force(ordering.phase)
    assert (texts["Germany"], texts["Italy"]) == (
        "MOVE 1 SP Berlin TO Danzig",
        "MOVE 2 SP Rome TO Milan",
    )
    assert "FOR GERMANY" in answer
    assert "FOR ITALY" in answer


def test_broken_order_line_is_joined(ordering: Refereed) -> None:
    """Mail programs break lines at about 72 characters."""
    broken = "IF Germany INVADES Poland THEN SEA 1 SP Marseilles TO Beirut VIA MED\nUSING Britain"
    send(ordering, ordering.players["France"], broken)
    assert in_force.texts_in_force(ordering.phase)["France"] == broken.replace("\n", " ")


def test_only_its_sender_gets_a_receipt_for_a_secret_column() -> None:
    """19.2: nobody reads it before the count, not even the gamesmaster."""
    war = Refereed.begin(players=4)
    war.now += timedelta(minutes=1)
    before = set(Letter.objects.values_list("pk", flat=True))
    answer = send(war, war.players["Germany"], "BLEND Egypt Italy\nBLEND Poland Germany")
    assert "It stays secret until the end" in answer
    fresh = Letter.objects.exclude(pk__in=before)
    assert {letter.address for letter in fresh} == {"gustav@example.org"}
    war.pass_deadline()
    for letter in Letter.objects.filter(game=war.game).exclude(address="gustav@example.org"):
        text = text_of(letter)
        assert "BLEND Egypt Italy" not in text
        assert "Your column has" not in text


def test_game_is_played_and_refereed_by_mail_alone() -> None:
    """Five players and a gamesmaster answer with the examples and with reports as prepared."""
    war = Refereed.begin(players=5, options={"spi.last_turn": 1})
    reports = 0
    while not war.over:
        phase = war.phase
        if not phase.has_deadline:
            reports += 1
            text = f"REPORT BELOW\nFINAL\n\nThe service wrote:\n{quoted(due(war))}"
            answer = send(war, war.ada, text, answers=due(war))
            assert "REJECTED" not in answer
            assert "It takes effect at once." in answer
        elif not phase.idle:
            for player in war.players.values():
                letter = war.asking(player.email.partition("@")[0])
                lines = [line for line in text_of(letter).splitlines() if line[:4] == "    "]
                lines = [line.strip() for line in lines if line.strip()[:4].isupper()]
                answer = send(war, player, "\n".join(lines[:4]), answers=letter)
                assert "They are in force." in answer
                assert "REJECTED" not in answer
        war.carry_out()
    assert reports == 2, "one for the five Player-Turns, and the count"
    assert all(row.channel == "mail" for row in Submission.objects.filter(game=war.game))
    assert "Thank you for playing." in " ".join(text_of(war.letters("over", "ada")[-1]).split())


# --- markers ---


@pytest.mark.parametrize("marks", ["> ", ">> ", "| ", "", "    "])
def test_report_markers_are_found_in_any_quotation(marks: str) -> None:
    lines = [
        "Dear Ada,",
        markers.REPORT_BEGINS,
        "    LINE Italy 1 DONE",
        "",
        "END",
        markers.REPORT_ENDS,
        "LINE Italy 2 DONE",
    ]
    text = "\n".join(f"{marks}{line}" for line in lines)
    assert quoting.edited_report(text, ("LINE", "END")) == ("LINE Italy 1 DONE", "END")


def test_first_of_two_quoted_reports_counts() -> None:
    report = f"{markers.REPORT_BEGINS}\nEND\n{markers.REPORT_ENDS}\n"
    assert quoting.edited_report(
        f"{report}> older\n{report.replace('END', 'REST DONE', 1)}", ("END", "REST")
    ) == ("END",)


# --- files with a report (issue 25, 10) ---


def names(war: Refereed) -> list[str]:
    return list(war.phase.report_files.order_by("pk").values_list("name", flat=True))


def test_files_of_a_message_are_sent_with_the_report(war: Refereed) -> None:
    """A picture of the map and a VASSAL save; a script is refused with a sentence."""
    files = {"Map.png": picture(), "war.vsav": saved_game(), "run.exe": b"MZ"}
    answer = send(war, war.ada, "REST DONE\nEND", answers=due(war), files=files)
    assert names(war) == ["map.png", "war.vsav"]
    assert "map.png and war.vsav will be sent to everybody with the report." in answer
    assert "“run.exe” cannot be sent with a report" in answer
    assert standing(war) is not None


def test_report_keeps_its_text_whatever_its_files_are(war: Refereed) -> None:
    """A file that cannot be read is named in the answer; the report counts."""
    bomb = picture_that_claims(20_000, 20_000)
    files = {"bomb.png": bomb, "page.vsav": b"<html>" + saved_game(), "map.png": picture()}
    answer = send(war, war.ada, "REST DONE\nEND", answers=due(war), files=files)
    assert names(war) == ["map.png"]
    assert "“bomb.png” has far too many pixels" in answer
    assert "“page.vsav” cannot be sent with a report" in answer
    assert standing(war) is not None


def test_corrected_report_replaces_the_files_of_the_earlier_message(war: Refereed) -> None:
    """Telephones name every picture image.jpg: files of one message do not replace each other."""
    send(war, war.ada, "REST DONE\nEND", answers=due(war), files={"a.png": picture()})
    again = {"a.jpg": picture("JPEG"), "b.png": picture()}
    send(war, war.ada, "REST DONE\nEND", answers=due(war), files=again)
    assert names(war) == ["a.jpg", "b.png"]
    answer = send(war, war.ada, "", answers=due(war), files={"c.png": picture(), "d.png": b""})
    assert names(war) == ["a.jpg", "b.png", "c.png"], "also in a message of its own"
    assert "“d.png” cannot be sent" in answer
    assert "Nothing changed" not in answer
    full = send(war, war.ada, "", answers=due(war), files={"e.png": picture()})
    assert "at most 3 files go with a report. Remove one first." in full


def test_files_from_players_or_with_commands_are_not_read(war: Refereed) -> None:
    """A player sends no report, and a question is none."""
    for who, text in (
        (war.players["Germany"], "MOVE 1 SP Berlin"),
        (war.ada, "STATUS"),
    ):
        answer = send(war, who, text, files={"map.png": picture()})
        assert "We cannot read “map.png”." in answer
    assert names(war) == []


def test_files_for_a_closed_report_are_refused(war: Refereed) -> None:
    letter = due(war)
    war.report("REST DONE\nEND", final=True)
    war.carry_out()
    answer = send(war, war.ada, "", answers=letter, files={"map.png": picture()})
    assert "is closed: you can no longer change its report and files." in answer
