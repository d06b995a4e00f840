"""Letters of a refereed game: contents, recipients, secrets (Rules B.1 to B.8)."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from games import desk, positions
from games.letters import board_text, entries, feeds, rendering, story
from games.models import Channel, Letter, Notice, Person
from games.outbox import channel_events, rows
from games.outbox.messages import game_letters
from games.outbox.outgoing import Outgoing
from games.ww2_multiplayer import letters
from games.ww2_multiplayer.rules import report_forms
from games.ww2_multiplayer.rules.table import table
from orders.inbound.replies import sending
from orders.models import Submission
from tests.support.browsing import log_in
from tests.support.letters import letter_text
from tests.support.stored import stored
from tests.ww2_multiplayer.rules.campaign import PLAIN
from tests.ww2_multiplayer.rules.campaign import Campaign as Played

from .campaign import Refereed, person

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("letters_with_pictures"),
    pytest.mark.letters,
    pytest.mark.guest,
]

MINE = "March with <b>me</b> & nobody else"
#: The report for Germany's Player-Turn of turn 1.
GERMANYS = (
    "REST DONE\nINVASION Italy Egypt\nCOMBAT Germany Poland\nFORCES Poland Germany 4 SUPPLIED"
    " 3\nEND"
)


@pytest.fixture(autouse=True)
def mail_comes_in(settings: Settings) -> None:
    settings.MAIL_IN = True


@pytest.fixture
def war(mail_comes_in: None) -> Refereed:
    """Return a game of six players in which Italy's Player-Turn of turn 1 needs a report."""
    return stored("letters: Italy's turn", _italys_turn)


def _italys_turn() -> Refereed:
    campaign = Refereed.begin(players=6)
    campaign.order("France", "ALLY Britain\nPEACE Germany")
    campaign.order("Britain", "ALLY France\nGRANT TRANSIT TO France IN Egypt")
    campaign.pass_deadline()
    campaign.order(
        "Italy",
        f"INVADE Greece\nIF Germany INVADES Poland THEN MOVE 1 SP Rome TO Trieste\n{MINE}\nMED OFF"
        " AGAINST Britain",
    )
    campaign.order("Britain", "PEACE Germany\nSEA 2 SP London TO Alexandria VIA MED")
    campaign.pass_deadline()
    return campaign


@pytest.fixture
def four(mail_comes_in: None) -> Refereed:
    """Return a finished game of four players and one Game-Turn; only the gamesmaster sees standings
    before the end."""
    return stored("letters: four players", _four)


def _four() -> Refereed:
    campaign = Refereed.begin(players=4, options={"spi.last_turn": 1, "spi.standings": "gm_only"})
    campaign.order("Germany", "BLEND Poland Germany\nBLEND Egypt Italy")
    campaign.pass_deadline()
    campaign.order("Germany", "INVADE Poland")
    campaign.pass_deadline()
    reports = {
        "referee-germany": GERMANYS,
        "count": "CLEARED Poland Germany\nSWEPT Poland Germany\nHEXES France 40 HOSTILE 30\nEND",
    }
    campaign.play_out(reports=lambda phase: reports.get(phase.kind, "REST DONE\nEND"))
    return campaign


def text_of(letter: Letter) -> str:
    """Return a letter's text, unfolded to one line."""
    return letter_text(Letter.objects.get(pk=letter.pk))


def html_of(letter: Letter) -> str:
    return rendering.render(
        Letter.objects.select_related("game", "phase", "person").get(pk=letter.pk)
    ).html


def newest(war: Refereed, kind: str, name: str) -> str:
    return text_of(war.letters(kind, name)[-1])


# --- to the gamesmaster ---


def test_only_gamesmasters_are_notified_of_a_due_report(war: Refereed) -> None:
    """All others read in the last result that the gamesmaster is playing it out."""
    kinds = Counter(
        (letter.kind, letter.address) for letter in Letter.objects.filter(phase=war.phase)
    )
    assert kinds == {("report_due", "ada@example.org"): 1}
    report = newest(war, "board", "felix")
    assert (
        "The gamesmaster is playing out the Player-Turn of Italy. You have nothing to do until"
        " the next letter." in report
    )
    own = newest(war, "board", "ada")
    assert "Your report is due; another letter asks you for it." in own
    assert "You have nothing to do" not in own
    assert "orders/" not in report, "nothing can be ordered now"


def test_referee_letter_lists_orders_in_printed_sequence_with_facts(war: Refereed) -> None:
    text = newest(war, "report_due", "ada")
    orders = ("1. INVADE Greece", "2. IF Germany INVADES Poland", f"3. {MINE}")
    places = [text.index(order) for order in orders]
    assert places == sorted(places)
    assert "If it is done, Italy has invaded Greece." in text
    assert "Its condition is not met." in text
    assert "France and Britain, since 4/39." in text
    assert "Enter the Allied naval points of this turn with TRACK." in text
    assert "There is no deadline; everybody waits for your report." in text


def test_lines_are_prepared_as_done_unless_their_condition_is_not_met(war: Refereed) -> None:
    text = newest(war, "report_due", "ada")
    assert (
        "LINE Italy 1 DONE LINE Italy 2 VOID: its condition was not met LINE Italy 3"
        " DONE NEXT" in text
    )
    report = war.report(
        "LINE Italy 1 DONE\nLINE Italy 2 VOID: its condition was not met\nLINE Italy 3 DONE\nEND"
    )
    assert not [remark for remark in report.remarks if remark["severity"] == "error"]


def test_line_that_may_not_be_meant_is_left_to_the_gamesmaster() -> None:
    """Contract 3a.3: a draft, a condition on its own line, and what a rule seems to forbid."""
    played = Played(6, **PLAIN).on_to("orders")
    played.send(
        Italy="Draft, don't play this yet\nINVADE Greece",
        France=(
            "MOVE 1 SP Paris TO Metz\nif Germany does too\nHold Nice\n"
            "MINOR Poland: MOVE 1 SP Lodz TO Lublin\nATTACK Saar IN Germany WITH Britain"
        ),
    )
    assert letters.prepare_report([table(played.state)]) == [
        "# LINE Italy 1 DONE",
        "# LINE Italy 2 DONE",
        "END",
    ]
    shown = table(played.state)
    assert shown is not None
    draft, invasion = shown.lines
    assert draft.facts == ("It may take back other lines, or make them wait.",)
    assert invasion.facts[0] == "“Draft, don't play this yet” (line 1) may take it back."
    played.report("LINE Italy 1 VOID: a draft\nREST DONE\nEND")
    assert letters.prepare_report([table(played.state)]) == [
        "# LINE France 1 DONE",
        "# LINE France 2 DONE",
        "LINE France 3 DONE",
        "LINE France 4 DONE",
        "# LINE France 5 DONE",
        "END",
    ]


def test_condition_in_words_is_left_to_the_gamesmaster() -> None:
    """Rules B.8: the gamesmaster judges what the service cannot follow."""
    played = Played(6).on_to("orders")
    played.send(Italy="IF the French look weak THEN ATTACK Nice IN France\nINVADE Greece")
    prepared = letters.prepare_report([table(played.state)])
    assert prepared == ["# LINE Italy 1 DONE", "LINE Italy 2 DONE", "END"]


def test_count_is_prepared_with_forces_and_the_six_homes(four: Refereed) -> None:
    due = Letter.objects.filter(kind="report_due", game=four.game, phase__kind="count")
    letter = due.earliest("pk")
    text = text_of(letter)
    assert "FORCES Poland Germany 4 SUPPLIED 3" in text
    for power in ("Italy", "France", "USSR", "USA", "Britain", "Germany"):
        assert f"# HEXES {power} 40 HOSTILE 0" in text
    assert "No report says that Germany has destroyed or driven out all hostile forces." in text


def test_letter_has_only_the_lines_that_its_report_needs(war: Refereed, four: Refereed) -> None:
    """Issue 43, 11: the whole list is a page of the site, and the answer to HELP."""
    text = newest(war, "report_due", "ada")
    needed = text.partition("LINES THAT YOU ARE LIKELY TO NEED")[2].partition("All lines")[0]
    assert "INVASION Germany Poland" in needed
    assert "FORCES Poland Germany 5 SUPPLIED 4" in needed
    assert "GARRISON" not in text
    assert "(HELP sends them to you)" in text
    assert f"/games/{war.game.pk}/referee/lines/" in text
    count = Letter.objects.filter(kind="report_due", game=four.game, phase__kind="count")
    text = text_of(count.earliest("pk"))
    assert "HEXES France 40 HOSTILE 21" in text
    assert "INVASION Germany Poland" not in text


def test_page_of_lines_has_every_line_of_a_report(war: Refereed) -> None:
    state = war.game.load(positions.position(war.game))
    for name in ("ada", "felix"):
        page = log_in(name).read(f"/games/{war.game.pk}/referee/lines/")
        for form in report_forms.applicable_forms(state):
            assert f"<code>{form.example}</code>" in page
        for line in ("REST DONE", "NEXT", "END"):
            assert f"<code>{line}</code>" in page


def test_report_by_page_gets_a_receipt_to_every_gamesmaster(war: Refereed) -> None:
    war.game.gamesmasters.add(person("greta"))
    war.report("REST DONE\nLINE Italy 9 DONE\nDICE 2 OF Italy FOR the landing\nEND")
    for name, who in (("ada", "You have"), ("greta", "Ada has")):
        text = newest(war, "report_receipt", name)
        assert f"{who} sent report No." in text
        assert "“LINE Italy 9 DONE” is rejected: Italy has no order for the map in line 9." in text
        assert (
            "WHAT EVERYBODY WILL BE TOLD 1. Italy: 2 lines are done as ordered. 2. Italy invades"
            " Greece." in text
        )
        assert "DICE WILL BE THROWN FOR 1. The landing, 2 dice" in text
        assert "It takes effect on" in text


def test_receipt_says_that_no_line_of_a_report_is_valid(war: Refereed) -> None:
    war.report("ABOLISH winter")
    assert "no line of it is valid" in newest(war, "report_receipt", "ada")
    assert "WHAT EVERYBODY WILL BE TOLD" not in newest(war, "report_receipt", "ada")


def test_gamesmaster_is_reminded_at_most_once_a_day_and_players_never(war: Refereed) -> None:
    for hours in (0, 1, 25):
        game_letters.report_waits(war.phase, war.now + timedelta(hours=hours))
    assert [letter.address for letter in war.letters("report_waits")] == ["ada@example.org"] * 2
    assert "everybody has waited for you since" in newest(war, "report_waits", "ada")


def test_gamesmaster_sees_standings_before_the_players(four: Refereed) -> None:
    """spi.standings = gm_only."""
    assert "SCORES, AS IF THE GAME ENDED HERE" in newest(four, "report_due", "ada")
    for letter in four.letters("board", "felix")[:-1]:
        assert "SCORES" not in text_of(letter)


# --- to players ---


def test_every_result_is_one_letter(four: Refereed) -> None:
    """One report per Player-Turn and reader; none for waiting phases or their digests."""
    kinds = Counter(
        letter.kind for letter in Letter.objects.filter(game=four.game, address="felix@example.org")
    )
    judged = four.game.phases.count()
    assert kinds["board"] == judged - 1, "the last one is the final letter"
    assert kinds["opened"] == 1, "diplomacy; orders are asked for with its result"
    assert kinds["locked"] == 1, "the dice of American intervention"
    assert kinds["over"] == 1


def test_unchanged_board_is_not_shown_again(war: Refereed) -> None:
    """Closed orders have changed nothing, and no letter says that nothing happened."""
    closed = newest(war, "board", "felix")
    assert ": orders are closed." in closed
    for phrase in ("THE BOARD", "The board is as it was", "WHAT HAPPENED"):
        assert phrase not in closed
    war.report("REST DONE\nFORCES Greece Italy 3 SUPPLIED 2\nEND")
    war.carry_out()
    assert (
        "Greece" in rendering.render(war.letters("board", "felix")[-1]).text.split("THE BOARD")[1]
    )


def test_offer_is_shown_to_its_addressee_only(war: Refereed) -> None:
    """4.2: Britain offered Germany peace with its orders, France with its diplomacy."""
    assert (
        "WHERE GERMANY STANDS NOW (nobody else gets this part) - Britain offers you peace. To"
        " accept, send PEACE Britain." in newest(war, "board", "gustav")
    )
    for name in ("felix", "ida", "rosa", "una", "ada"):
        assert all(
            "Britain offers you" not in text_of(letter) for letter in war.letters("board", name)
        )
    opened = text_of(war.asking("gustav"))
    assert "France offers you peace. To accept, send PEACE France." in opened


def test_mediterranean_choice_is_shown_to_italy_only(war: Refereed) -> None:
    """6.53."""
    receipt = newest(war, "receipt", "ida")
    assert "MED OFF AGAINST Britain" in receipt
    for letter in Letter.objects.filter(game=war.game).exclude(address="ida@example.org"):
        assert "MED OFF AGAINST" not in text_of(letter)


def test_orders_letter_shows_forms_and_permissions(war: Refereed) -> None:
    text = text_of(war.asking("felix"))
    assert "IF … THEN … makes an order wait for a condition" in text
    assert "Britain allows you transit in Egypt." in text
    assert "You are allied with Britain." in text
    assert "What France scores for:" in text
    assert "MOVE 2 SP Paris TO Metz" in text
    assert "France does nothing on the map" in text


def test_examples_of_a_letter_are_accepted_without_remarks(war: Refereed) -> None:
    played = Played(6).on_to("orders")
    for power in war.game.rules.nations(played.state):
        lines = war.game.rules.planner.samples(played.state, power, ())
        assert lines
        assert war.game.rules.read("\n".join(lines), power, played.state).remarks == ()


def test_receipt_says_that_the_gamesmaster_judges_free_text(war: Refereed) -> None:
    text = newest(war, "receipt", "ida")
    assert f"FOR THE GAMESMASTER, AS YOU WROTE IT {MINE}" in text
    assert text.index("UNDERSTOOD INVADE Greece") < text.index("FOR THE GAMESMASTER")


def test_dice_are_announced_before_and_explained_after_the_throw(four: Refereed) -> None:
    """0.1, 18.1: the purpose of a die is known before the session that decides it."""
    announced, thrown = (text_of(letter) for letter in four.letters("board", "bea")[-2:])
    assert (
        "They are thrown in this order, and nobody orders anything: 1. American intervention in"
        " 4/39 (18.1), two dice" in announced
    )
    assert "Die 1 for American intervention in 4/39 (18.1): " in thrown
    assert (
        "row “4/39”: a first die of 1 and a second of 1 to 3, in this order, bring the USA"
        " into the war in 2/41." in thrown
    )


def test_last_letter_publishes_columns_and_score_sheets(four: Refereed) -> None:
    """19.1, 19.2: every point cites its rule, and so does a lost home."""
    text = newest(four, "over", "felix")
    assert (
        "The column that Germany chose before turn 1, 6 points: Poland C3 of Germany, Egypt C3 of"
        " Italy." in text
    )
    assert "THE SCORE SHEET OF GERMANY: 3 - Poland (C3): 3 points." in text
    assert "(19.11)" in text
    assert (
        "30 of 40 hexes of France are under hostile control, so it scores nothing. (19.13)" in text
    )
    report = newest(four, "board", "felix")
    assert "C3" not in report, "the letter of the end says it once"


def test_secret_column_is_hidden_before_the_end(four: Refereed) -> None:
    for letter in (
        Letter.objects.filter(game=four.game)
        .exclude(address="gustav@example.org")
        .exclude(kind__in=("over",))
    ):
        text = text_of(letter)
        assert "Egypt C3 of Italy" not in text
        assert "BLEND Egypt" not in text


def test_player_reads_every_ruling_and_others_how_many_lines_were_done() -> None:
    """B.8: nothing else tells a player by mail what became of each line."""
    campaign = Refereed.begin(players=4)
    campaign.pass_deadline()
    campaign.order(
        "France", "\n".join(f"MOVE {number} SP Paris TO Metz" for number in range(1, 13))
    )
    campaign.pass_deadline()
    campaign.report("LINE France 12 VOID: only ten are there\nREST DONE\nEND")
    campaign.carry_out()
    own, others = (newest(campaign, "board", name) for name in ("felix", "gustav"))
    for number in range(1, 12):
        assert f"France, line {number}, “MOVE {number} SP Paris TO Metz”, is done." in own
    assert "France, line 12, is void: only ten are there. 2. France: 11 lines are done" in others
    assert "line 1" not in others.replace("line 12", "")


def test_who_has_nothing_to_order_is_not_told_how() -> None:
    """spi.flow = sequential: others read the result, and that it is not their turn."""
    campaign = Refereed.begin(options={"spi.flow": "sequential"})
    campaign.pass_deadline()
    mine, other = (newest(campaign, "board", name) for name in ("ida", "bea"))
    assert "YOUR ORDERS FOR TURN 1 (4/39) ORDERS OF ITALY" in mine
    assert "Write what your forces should do" in mine
    assert "NEXT: TURN 1 (4/39) ORDERS OF ITALY" in other
    assert "Britain has nothing to order in this phase." in other
    assert "Write what your forces should do" not in other
    campaign.pass_deadline()
    closed = newest(campaign, "board", "bea")
    assert "orders are closed" in closed
    assert "SCORES" not in closed, "nothing has changed since the letter before"


def test_first_letter_names_players_of_two_powers(four: Refereed) -> None:
    """2.0: Germany's player also has Italy; Britain's player gets the USA when it enters."""
    text = newest(four, "begins", "felix")
    assert "Italy: played by Germany" in text
    assert "USA: nobody until it enters the war, then another power's player" in text
    assert "Referee" not in text


def test_invitation_and_first_letter_name_the_second_power() -> None:
    war = Refereed.begin(players=5)
    texts = [
        text_of(letter)
        for letter in war.letters("invitation", "gustav") + war.letters("invitation", "felix")
    ]
    assert "invites you to play Germany and Italy in" in texts[0]
    assert "Germany and Italy in" not in texts[1]
    assert "You play Germany and Italy." in newest(war, "begins", "gustav")


def test_new_player_learns_the_current_state(war: Refereed) -> None:
    desk.vacate(war.seat("USA"), person("una"), "She has exams.", war.ada, war.now)
    standby = desk.stand_by(person("dana"), war.game, "", war.now)
    desk.seat_standby(war.seat("USA"), standby, war.ada, war.now, extra_hours=0)
    text = newest(war, "newcomer", "dana")
    assert (
        "The gamesmaster is playing out the Player-Turn of Italy. You have nothing to do until the"
        " next letter." in text
    )
    assert "paused" not in text


def test_short_rules_state_the_length_of_this_game(war: Refereed) -> None:
    """Issue 22, 3: in the first letter and in SEND RULES alike."""
    sentence = f"The game has {war.game.options['spi.last_turn']} Game-Turns of a quarter year each"
    assert sentence in " ".join(sending.rules(war.game)[0].paragraphs)
    assert sentence in newest(war, "begins", "felix")


def test_every_kind_of_event_has_a_sentence(war: Refereed) -> None:
    """No letter shows the name that programs have for an event."""
    played = Played(6)
    sentences: dict[str, str] = {}
    scripts = {
        "referee-italy": "REST DONE\nAFRICA ON\nTRACK 1 NAVAL 4 AMPHIBIOUS 2\nNOTE It rains",
        "referee-germany": (
            "REST DONE\nINVASION Germany Sweden\nDESTROYED Sweden BY Britain\nCOMBAT Germany"
            " Poland\nWAR LEVEL FULL\nCLEARED Sweden Germany\nSWEPT Sweden Germany\nFORCES Sweden"
            " Germany 3 SUPPLIED 1\nGARRISON Germany FAILED\nCENTRES USSR Germany 1 OF 12\nHEXES"
            " Germany 50 HOSTILE 2\nCONTROLLER Sweden Germany: so\nOPERATOR Turkey Britain: so\nDUE"
            " USA REPLACEMENT 2 LAPSES: the map\nUSED USA REPLACEMENT 1\nRATE 8\nPEACE Germany"
            " Poland\nCONTEST France 3 Britain 3\nCONTEST France 3 Britain 2\nDICE 1 OF France FOR"
            " rain"
        ),
    }
    played.send(
        France="ALLY Britain\nGRANT SUPPLY TO Britain\nDECLARE WAR ON Italy", Britain="ALLY France"
    )
    for _ in range(12):
        for event in played.events:
            sentences.setdefault(event["kind"], letters_sentence(event))
        if played.kind.partition("-")[0] in ("referee", "count"):
            played.report(f"{scripts.get(played.kind, 'REST DONE')}\nEND")
        elif played.kind.startswith("dice"):
            played.dice(1, 2, 1, 1, 1, 1)
        else:
            played.send(France="UNALLY Britain\nREVOKE SUPPLY FROM Britain")
    assert len(sentences) > 25, sorted(sentences)
    for kind, sentence in sentences.items():
        assert not sentence[:1].islower(), (kind, sentence)
        assert sentence.endswith("."), (kind, sentence)
        assert "_" not in sentence, (kind, sentence)


def letters_sentence(event: dict[str, Any]) -> str:
    (told,) = story.tell([event])
    return told.sentence


# --- calendars and channels ---


def test_phase_without_a_deadline_has_no_calendar_entry(war: Refereed) -> None:
    for name in ("ada", "felix"):
        for letter in Letter.objects.filter(phase=war.phase, address=f"{name}@example.org"):
            assert entries.letter_calendar(letter) is None
        calendar = feeds.person_calendar(person(name), war.now)
        assert "report" not in calendar
        assert "2999" not in calendar
    opened = war.asking("felix")
    assert "Orders for France are due" in (entries.letter_calendar(opened) or "").replace(
        "\r\n ", ""
    )


def test_channel_says_that_the_gamesmaster_is_playing_out(war: Refereed) -> None:
    channel = Channel.objects.create(
        game=war.game, kind="discord", url="x", added_by=war.ada, added_at=war.now
    )
    with Outgoing([war.game]) as out:
        game_letters.announce_phase(war.phase, rows.position(war.phase), war.now, out)
    message = channel_events.text_of(Notice.objects.get(channel=channel))
    assert message is not None
    assert message.sentences == ("The gamesmaster is playing out the Player-Turn of Italy.",)


# --- escaping ---


def test_user_text_adds_no_markup_to_letters(war: Refereed) -> None:
    """Free text and reasons come from players, in many letters."""
    war.report(
        "LINE Italy 1 VOID: <script>alert(1)</script> & more\nREST DONE\nNOTE <img src=x"
        " onerror=alert(2)>\nEND"
    )
    war.carry_out()
    for letter in Letter.objects.filter(game=war.game):
        html = html_of(letter)
        assert "<b>me</b>" not in html
        assert "<script" not in html
        assert "<img src=x" not in html
    assert "March with &lt;b&gt;me&lt;/b&gt; &amp; nobody else" in html_of(
        war.letters("receipt", "ida")[-1]
    )
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in html_of(
        war.letters("board", "felix")[-1]
    )


def test_printed_letter_asks_for_no_answer_by_mail(war: Refereed) -> None:
    Person.objects.filter(pk=war.ada.pk).update(by_post=True)
    game_letters.report_waits(war.phase, war.now)
    text = newest(war, "report_waits", "ada")
    assert "Write above this line" not in text
    assert "REPORT BELOW" not in text
    assert "LINE Italy 1 DONE" in text


def test_board_text_is_narrow(four: Refereed) -> None:
    board = four.game.rules.board(four.state(None))
    assert max(map(len, board_text.as_text(board).splitlines())) <= 72


def test_reports_get_no_receipt_of_orders(war: Refereed) -> None:
    war.report("REST DONE\nEND")
    assert not [letter for letter in war.letters("receipt") if "Referee" in text_of(letter)]
    assert Submission.objects.filter(seat=war.referee).count() == 1
