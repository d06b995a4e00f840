"""The text of answers to messages, word for word (issue 4, item 4)."""

from __future__ import annotations

from datetime import timedelta
from email.message import EmailMessage

import pytest
from pytest_django import Settings

from games.letters import rendering
from games.models import Letter
from games.rules.cards import load, names
from games.rules.options import validate
from games.rules.registry import ruleset
from orders.models import Submission
from tests.inbound.post import answer, answer_letter
from tests.inbound.writing import answers, hand_in, send
from tests.records.played import short_card
from tests.support.campaign import Campaign
from tests.support.letters import letter_text
from tests.support.origins_ww1 import Campaign as Played

pytestmark = [pytest.mark.django_db, pytest.mark.letters]

DEADLINE = "You can send orders until Mon 16 Nov, 18:00 UTC (deadlines: every 60\nminutes)."
CHANGE = (
    "New orders replace the whole set. CANCEL takes them back. HELP lists all\nthat you can write."
)


def body(text: str) -> str:
    """Return the answer between its salutation and its footer."""
    return text.partition(",\n\n")[2].partition("\n\n“The lights go out”:")[0]


def attacks(campaign: Campaign) -> Campaign:
    campaign.order("Germany", "PLACE 8 Poland\nPLACE 2 Austria")
    campaign.order("Russia", "PLACE 4 Poland")
    campaign.order("France", "PLACE 2 Austria")
    campaign.pass_deadline()
    return campaign


def test_orders_are_answered_line_by_line(campaign: Campaign) -> None:
    text = answer(
        campaign,
        campaign.players["Germany"],
        "Dear Ada,\n\nPLACE 4 Pol\n\nPLACE lots Austria\n\nBest regards\nGustav",
    )
    assert (
        body(text)
        == f"""ORDERS NO. 1 FOR GERMANY

They came by mail on Mon 16 Nov, 17:00 UTC, for Turn 1 placement. They
are in force.

Understood:

    PLACE 4 Poland    # you wrote “PLACE 4 Pol”

REJECTED

- “PLACE lots Austria”: “lots” is not a word that orders use. Example:
  “PLACE 4 Poland”.

WARNINGS

- 6 of 10 PFs are not placed: they go to Germany.

LEFT OUT

Read as greeting, name or heading, not as orders: “Dear Ada,”, “Best
regards”, “Gustav”.

WHAT COUNTS NOW

In force for Turn 1 placement: orders No. 1. If you send nothing more,
they count.

{DEADLINE}

{CHANGE}"""
    )


def test_answer_shows_odds_and_warnings_for_attacks(
    campaign: Campaign,
) -> None:
    text = answer(
        attacks(campaign),
        campaign.players["Germany"],
        "ATTACK Poland: Russia STOCK GE\nATTACK Austria: France",
    )
    assert "    ATTACK Poland: Russia STOCK GE    # 8 against 4 on the present board, 2-1\n" in text
    assert "    ATTACK Austria: France    # 2 against 2 on the present board, 1-1\n" in text
    weak = answer(campaign, campaign.players["Russia"], "ATTACK Poland: Germany")
    assert "    ATTACK Poland: Germany    # void on the present board\n" in weak
    warning = (
        "- “ATTACK Poland: Germany” is below 1-1 on the published board, 4 against 8; it is void"
        " unless that changes."
    )
    assert warning in " ".join(weak.split())


def test_answer_judges_an_alternative_attack(campaign: Campaign) -> None:
    """The rules decide which of the two is used."""
    text = answer(
        attacks(campaign), campaign.players["Russia"], "ATTACK Poland: Germany ELSE Germany MIN 2-1"
    )
    assert "# void on the present board" in text


def test_answer_warns_of_a_stock_named_twice(campaign: Campaign) -> None:
    """issue 4, item 4; rules C: the same stock twice counts once."""
    text = answer(
        attacks(campaign),
        campaign.players["Germany"],
        "ATTACK Poland: Russia STOCK GE\nATTACK Austria: France STOCK GE",
    )
    assert "GE" in text.partition("WARNINGS")[2].partition("WHAT COUNTS NOW")[0]


def test_answer_says_that_orders_are_late(campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 10 Poland")
    text = answer(
        campaign,
        campaign.players["Germany"],
        "PLACE 10 Austria",
        at=campaign.phase.deadline + timedelta(minutes=2),
    )
    assert (
        body(text)
        == """ORDERS NO. 2 FOR GERMANY

They came by mail on Mon 16 Nov, 18:02 UTC, for Turn 1 placement: after
its deadline of Mon 16 Nov, 18:00 UTC. Recorded, not used; No. 1 counts.

Understood:

    PLACE 10 Austria

WHAT COUNTS NOW

Turn 1 placement: orders are closed. The deadline was Mon 16 Nov, 18:00
UTC."""
    )


def test_cancel_is_answered_with_the_effect_of_silence(campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 10 Poland")
    assert (
        body(answer(campaign, campaign.players["Germany"], "CANCEL"))
        == f"""ORDERS OF GERMANY TAKEN BACK

You took back all orders of Germany for Turn 1 placement (No. 2).

WHAT COUNTS NOW

Germany has no orders in force. If you send nothing, your 10 PFs go to
Germany.

{DEADLINE}

Write one order per line; new orders replace the whole set. HELP lists
all that you can write."""
    )


def test_orders_command_lists_all_submissions(campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 9 Poland")
    campaign.order("Germany", "PLACE 10 Poland")
    assert (
        body(answer(campaign, campaign.players["Germany"], "ORDERS"))
        == """ORDERS OF GERMANY IN TURN 1 PLACEMENT

In force, No. 2, as understood:

    PLACE 10 Poland

- No. 1, Mon 16 Nov, 17:00 UTC, from the order page: replaced since. It
  begins “PLACE 9 Poland”.
- No. 2, Mon 16 Nov, 17:00 UTC, from the order page: in force. It begins
  “PLACE 10 Poland”.

We keep everything as you sent it."""
    )


def test_deadline_command_uses_the_readers_time_zone(campaign: Campaign) -> None:
    gustav = campaign.players["Germany"]
    gustav.zone = "Europe/Berlin"
    gustav.save()
    assert (
        body(answer(campaign, gustav, "DEADLINE"))
        == """THE DEADLINE

Turn 1 placement: you can send orders until Mon 16 Nov, 19:00 Berlin
time. Deadlines come every 60 minutes."""
    )


def test_history_command_shows_one_turn(campaign: Campaign) -> None:
    text = body(answer(attacks(campaign), campaign.players["Germany"], "HISTORY 1\nHISTORY 7"))
    assert text.startswith(
        "TURN 1\n\n- Turn 1 placement: USA sent no orders and keeps 2 PFs at home.\n-"
        " France places 2 "
    )
    assert " ".join(text.split()).endswith(
        "Turn 7 has no result yet. There are results for turn 1: write HISTORY 1."
    )


def test_history_command_calls_the_reader_you(campaign: Campaign) -> None:
    """Issue 44: as reports do; “Germany” is the reader's only nation."""
    assert campaign.phase.kind == "placement"
    campaign.order("Germany", "PLACE 8 Poland")
    text = body(answer(attacks(campaign), campaign.players["Germany"], "HISTORY"))
    assert "- You place 8 in Poland" in text
    assert "- Germany places" not in text
    own = body(answer(campaign, campaign.players["France"], "HISTORY"))
    assert "You place" in own
    assert "- Germany places 8 in Poland" in own


def test_status_command_shows_the_state_of_the_game(campaign: Campaign) -> None:
    assert (
        body(answer(attacks(campaign), campaign.players["Germany"], "STATUS"))
        == """WHERE THE GAME STANDS

Turn 1 attacks: orders are open.

Its deadline is Mon 16 Nov, 19:00 UTC.

- Germany: no orders are in force.
- Scores, as if the game ended here: USA 22, France 0, Britain 0, Russia
  0, Germany 0."""
    )


def test_board_command_shows_a_table(campaign: Campaign) -> None:
    rendered = answer_letter(attacks(campaign), campaign.players["Germany"], "BOARD")
    assert "Poland     .       .        .       4        8\n" in rendered.text
    assert rendered.html.count("<tr>") > 5


def test_help_examples_are_valid_orders(campaign: Campaign) -> None:
    text = answer(campaign, campaign.players["Germany"], "HELP")
    examples = text.upper().partition("ALL ORDERS THERE ARE")[0].splitlines()
    lines = [line.strip() for line in examples if line.startswith("    PLACE")]
    assert len(lines) == 3
    assert "(PASS sends no orders, on purpose):" in " ".join(text.split())
    again = answer(campaign, campaign.players["Germany"], "\n".join(lines))
    assert "REJECTED" not in again
    assert "NOT DONE" not in again


def test_message_with_only_quoted_text_is_answered_so(campaign: Campaign) -> None:
    text = answer(
        campaign, campaign.players["Germany"], "On Monday Ada wrote:\n> PLACE 4 Poland\n> FINAL\n"
    )
    assert "Your message contains no order and no command. Quoted text never counts." in " ".join(
        text.split()
    )


def test_answer_is_in_the_thread_of_the_message(campaign: Campaign) -> None:
    """Issue 4, item 5: threads that work in ordinary mail programs."""
    rendered = answer_letter(campaign, campaign.players["Germany"], "DEADLINE")
    letter = Letter.objects.get(kind="answer")
    assert (rendered.subject, letter.in_reply_to) == ("Re: The lights go out", "<m0@example.org>")


def test_answer_escapes_quoted_text(campaign: Campaign) -> None:
    text = "PLACE <b>4</b> Poland\nPRESS TO <script>\nx\nEND"
    outcome = answer_letter(campaign, campaign.players["Germany"], text)
    assert "<script>" not in outcome.html
    assert "<b>4" not in outcome.html
    assert "\n" not in outcome.subject


def test_letter_marks_where_to_write_and_ignores_the_rest(
    campaign: Campaign, settings: Settings
) -> None:
    """foundations 5: quoted orders never count, even if the mail program marks no quotation."""
    settings.MAIL_IN = True
    gustav = campaign.players["Germany"]
    opened = campaign.letters("opened", "gustav")[0]
    text = rendering.render(
        Letter.objects.select_related("game", "phase", "person").get(pk=opened.pk)
    ).text
    assert text.startswith(
        "=== Write above this line, or reply with order lines alone ===\n\nDear Gustav,"
    )
    assert "    PLACE " in text
    reply = answer(campaign, gustav, f"PLACE 4 Poland\n\n{text}", answers_to=opened.message_id)
    assert "    PLACE 4 Poland\n\n" in reply
    assert campaign.game.submissions.get().text == "PLACE 4 Poland"


def test_cancel_of_a_gamesmaster_changes_nothing(campaign: Campaign) -> None:
    text = answer(campaign, campaign.ada, "CANCEL")
    assert "“CANCEL” changed nothing: you run this game" in " ".join(text.split())


def test_attacks_in_reply_to_a_placement_letter_count_for_the_open_phase() -> None:
    """reviews/mail.md B6: attacks can only be meant for the open phase."""
    campaign = Campaign.begin()
    letter = Letter.objects.get(kind="opened", address="gustav@example.org")
    campaign.place_in_poland()
    row = send(
        campaign,
        "Germany",
        "ATTACK Poland: France STOCK GE\n",
        headers={"In-Reply-To": letter.message_id},
    )
    assert row.answer is not None
    submission = Submission.objects.order_by("number").last()
    assert submission is not None
    assert (submission.phase, submission.counts) == (campaign.phase, True)


def test_placements_in_reply_to_an_earlier_placement_letter_are_late() -> None:
    """They may have been meant for the earlier phase."""
    campaign = Campaign.begin()
    letter = Letter.objects.get(kind="opened", address="gustav@example.org")
    first = campaign.phase
    for _ in range(2):
        campaign.pass_deadline()
    send(campaign, "Germany", "PLACE 3 Poland\n", headers={"In-Reply-To": letter.message_id})
    submission = Submission.objects.get(seat=campaign.seat("Germany"))
    assert (submission.phase, submission.counts) == (first, False)


def test_final_with_rejected_orders_is_ignored() -> None:
    """reviews/mail.md B12: four others were final, and all waited for the deadline."""
    campaign = Campaign.begin()
    row = send(campaign, "Germany", "PLACE 4 Atlantis\nFINAL\n")
    assert row.answer is not None
    text = rendering.render(row.answer).text
    assert "“FINAL” was ignored" in text
    assert not Submission.objects.get().counts


def test_order_in_the_subject_of_a_reply_counts_if_the_body_is_empty() -> None:
    """reviews/mail.md, hostile mail: “Re: PLACE 4 Poland” was not read."""
    campaign = Campaign.begin()
    send(campaign, "Germany", "\n", subject="Re: PLACE 4 Poland")
    assert Submission.objects.get().text == "PLACE 4 Poland"


def test_order_in_the_subject_of_a_forwarded_letter_is_ignored() -> None:
    campaign = Campaign.begin()
    send(campaign, "Germany", "\n", subject="Fwd: PLACE 4 Poland")
    assert not Submission.objects.exists()


def attached(kind: str, name: str, content: bytes, **headers: str) -> bytes:
    """Return a letter of Germany's player with one attachment."""
    message = EmailMessage()
    message["From"], message["Subject"] = "gustav@example.org", "Orders"
    message["Message-ID"] = "<attached@mail.example.org>"
    message.set_content("See attached.\n")
    main, _, sub = kind.partition("/")
    message.add_attachment(content, maintype=main, subtype=sub, filename=name)
    for header, value in headers.items():
        part = next(iter(message.iter_attachments()))
        del part[header.replace("_", "-")]
        part[header.replace("_", "-")] = value
    return message.as_bytes()


DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (DOCX, "orders.docx"),
        ("application/ms-tnef", "winmail.dat"),
        ("application/pdf", "orders.pdf"),
        ("image/jpeg", "map.jpg"),
    ],
)
def test_unreadable_attachment_is_named(kind: str, name: str) -> None:
    """reviews/mail.md B7: the answer did not say why the message could not be read."""
    campaign = Campaign.begin()
    row = hand_in(campaign, attached(kind, name, b"\x00\x01"))
    assert row.answer is not None
    text = letter_text(row.answer)
    assert f"We cannot read “{name}”." in text


def test_attachment_with_a_content_id_is_named_but_not_a_logo() -> None:
    """Gmail gives every attachment a Content-ID, others only the logo of a signature."""
    campaign = Campaign.begin()
    raw = attached("image/png", "map.png", b"1").replace(
        b"Content-Disposition: attachment", b"Content-ID: <f_1>\nContent-Disposition: attachment"
    )
    assert b"Content-ID" in raw
    for message, named in ((raw, True), (raw.replace(b": attachment", b": inline"), False)):
        row = hand_in(campaign, message)
        assert row.answer is not None
        assert ("“map.png”" in rendering.render(row.answer).text) == named


def test_attached_text_file_is_read_with_any_content_type() -> None:
    campaign = Campaign.begin()
    hand_in(campaign, attached("application/plain", "orders.txt", b"PLACE 4 Poland\n"))
    assert "PLACE 4 Poland" in Submission.objects.get().text


@pytest.mark.parametrize(
    ("kind", "name", "headers"),
    [
        ("application/pgp-signature", "signature.asc", {}),
        ("text/calendar", "invite.ics", {}),
        (
            "image/png",
            "logo.png",
            {
                "Content_ID": "<logo@mail.example.org>",
                "Content_Disposition": 'inline; filename="logo.png"',
            },
        ),
    ],
)
def test_automatic_attachment_is_not_mentioned(
    kind: str, name: str, headers: dict[str, str]
) -> None:
    campaign = Campaign.begin()
    row = hand_in(campaign, attached(kind, name, b"\x00", **headers))
    assert row.answer is not None
    assert name not in rendering.render(row.answer).text


@pytest.mark.parametrize("phase", ["placement", "attacks"])
def test_help_has_every_form_of_order_and_the_table(phase: str) -> None:
    """reviews/mail.md L1: none of 9,250 letters had the Diplomatic Conflict Table."""
    campaign = Campaign.begin()
    if phase == "attacks":
        campaign.place_in_poland()
    row = send(campaign, "Germany", "HELP\n")
    assert row.answer is not None
    text = rendering.render(row.answer).text
    for form in ("FROM HOME 3 Austria", "ELSE Germany", "MIN 2-1", "SHARE Poland WITH Russia"):
        assert form in text
    lines = [line.split() for line in text.split("\n")]
    assert ["1-1", "2-1", "3-1", "4-1", "5-1"] in lines
    assert ["digit", "1", "X", "D", "D", "D", "D"] in lines
    assert "immune to you everywhere else" in " ".join(text.split())


@pytest.mark.parametrize("game", ["origins-ww1", "origins-ww2"])
def test_every_form_in_help_is_readable(game: str) -> None:
    """Contract 3: HELP shows the order language."""
    rules, card = ruleset(game), load(game, names(game)[0])
    state = rules.setup(card, validate({}), card["order"])
    forms = [row.form for row in rules.verbs.help({}) if not row.form.startswith("…")]
    assert len(forms) >= 4
    for form in forms:
        remarks = rules.read(form, card["order"][0], state).remarks
        assert not [remark for remark in remarks if remark.code == "unreadable"], form


def test_send_answers_proof_rules_and_scenario(campaign: Campaign) -> None:
    """Issue 22, 2 and 3: for players without a browser, since the short letters leave these out."""
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("France", "PLACE 6 Poland")
    phase = campaign.pass_deadline()
    text = answer(campaign, campaign.players["Germany"], "PROOF\nSEND RULES\nSEND SCENARIO")
    flat = " ".join(text.split())
    assert phase.digest in text
    assert phase.leaves["France"] in text
    assert "text = 'PLACE 10 Poland'" in text
    assert "PLACE 6 Poland" not in text
    assert "Tied nations share the win, or it goes to" in flat
    assert " ".join(list(campaign.game.reserves)[:3]) in flat.replace(",", "")
    assert "PFs a turn: 6, 7, 7, 8, 9, 10." in flat
    assert "NOT DONE" not in text


@pytest.mark.parametrize(
    ("d6", "made"),
    [
        ("reject", "A last digit from 1 to 6 is the die."),
        ("full_mod", "The sales in hundreds are divided by 6; the remainder plus 1 is the die."),
    ],
)
def test_letters_tell_once_how_sales_become_a_die(d6: str, made: str) -> None:
    """0.1, `rng.d6`: with `full_mod` the whole figure decides, and yet the first letter and PROOF
    said that the digit is the last one."""
    campaign = Played.begin(options={"rng.d6": d6})
    for nation in ("Germany", "France"):
        campaign.order(nation, "PLACE 5 Africa")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK France IN Africa STOCK GE")
    campaign.pass_deadline()
    gustav = campaign.players["Germany"]
    for text in (
        letter_text(campaign.letters("begins", "gustav")[0]),
        " ".join(answer(campaign, gustav, "PROOF").split()),
    ):
        assert made in text
        assert "The digit is the last one" not in text


def test_questions_are_answered_after_the_game(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """The letter at the last lock offers PROOF, which then got “The game is over”, as did BOARD.
    What would change something gets it still, once."""
    settings.MAIL_IN = True
    short_card(monkeypatch, 1)
    campaign = Campaign.begin(title="One turn")
    campaign.attack_in_poland()
    campaign.pass_deadline()
    assert campaign.game.is_over
    assert "PROOF, as a reply" in letter_text(campaign.letters("over", "gustav")[0])
    for asked, told in (
        ("PROOF", "ITS LEAVES, NATION BY NATION"),
        ("BOARD\nSTATUS", "“One turn” is over."),
    ):
        assert send(campaign, "Germany", asked).kind != "too late"
        text = letter_text(answers("gustav")[-1])
        assert told in text
        assert "Reply with orders" not in text
        assert "order lines alone" not in text
    for changes in ("BOARD\nPLACE 5 Poland", "HELP"):
        assert send(campaign, "Germany", changes).kind == "too late"
    assert "PROOF are still answered" in letter_text(answers("gustav")[-1])
