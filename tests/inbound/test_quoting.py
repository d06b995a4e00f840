"""The sender's text is parted from quotations; doubtful lines do not count (foundations 5)."""

from __future__ import annotations

import pytest

from games.outbox.messages.markers import MARKER
from orders.inbound.parsing import bodies
from orders.inbound.parsing.quoting import OwnWords, own_words


def test_what_stands_below_our_line_is_ours() -> None:
    assert own_words(f"PASS\n\n{MARKER}\n\nPLACE 4 Poland") == OwnWords("PASS", 2)


def test_our_line_is_known_however_a_program_has_treated_it() -> None:
    assert own_words(f"PASS\n  {MARKER.upper()[:40]}\nor reply ===\nPLACE 4 Poland").text == "PASS"


def test_an_answer_below_marked_lines_counts() -> None:
    assert (
        own_words(f"On 2 Nov 2026, Ada wrote:\n> {MARKER}\n> PLACE 4 Poland\n\nPASS").text == "PASS"
    )


def test_a_line_directly_under_a_marked_one_may_be_its_end_and_does_not_count() -> None:
    words = own_words("> ATTACK Poland: Germany,\nPLACE 4 Poland\n\nPASS")
    assert (words.text, words.doubtful) == ("PASS", ("PLACE 4 Poland",))


def test_a_sentence_that_only_mentions_writing_is_the_senders() -> None:
    """No colon, no quotation."""
    assert own_words("On Monday Felix wrote to me.\nPASS").dropped == 0


def test_an_order_is_never_taken_for_the_head_of_a_quotation() -> None:
    """ATTACK ends with a colon where a program breaks the line."""
    assert own_words("ATTACK Poland:\nGermany, Russia").text == "ATTACK Poland:\nGermany, Russia"


@pytest.mark.parametrize(
    "attribution",
    [
        "El lun., 2 de nov. de 2026 a la(s) 09:00, Gamesmaster (\norders@x.example) escribió:",
        "po 2. 11. 2026 v 9:00 odesílatel Gamesmaster <\norders+ktq3@play.example.net> napsal:",
        "man. 2. nov. 2026 kl. 09:00 skrev Gamesmaster <\norders@x.example>:",
        "Am Mo., 2. Nov. 2026 um 09:00 Uhr schrieb Gamesmaster <\norders@x.example>:",
        "Em seg., 2 de nov. de 2026 às 09:00, Gamesmaster <\norders@x.example> escreveu:",
        "W dniu 2.11.2026 o 09:00, Gamesmaster pisze:",
        "Gamesmaster <orders@x.example> ezt írta (időpont: 2026. nov. 2., H, 9:00):",
        "Le 02/11/2026 à 09:00, Gamesmaster a écrit :",
        "Den 02.11.2026 09:00, skrev Gamesmaster:",
        "On 02/11/2026 09:00, Gamesmaster via Europe 1936\nwrote:",
        "Quoting Gamesmaster <orders@x.example>:",
        "Gamesmaster schrieb am 02.11.2026 um 09:00:",
        "* Gamesmaster <orders@x.example> [2026-11-02 09:00]:",
        "At 09:00 02/11/2026, you wrote:",
        "В письме от 2 ноября 2026 Gamesmaster написал:",
        "ma 2.11.2026 klo 9.00 Gamesmaster\n(orders@x.example) kirjoitti:",
        "2026년 11월 2일 (월) 오전 9:00, Gamesmaster <orders@x.example>님이 작성:",
        "Gamesmaster <orders@x.example> 于2026年11月2日周一 09:00写道：",
        "Ada wrote:",
        "Στις Δευ 2 Νοε 2026 στις 9:00 π.μ., Gamesmaster <orders@x.example> έγραψε:",
        "På mån 2 nov. 2026 kl. 09:00, Ada <ada@x.example>\nskrev:",
    ],
)
def test_an_attribution_is_known_in_many_languages_even_over_lines_that_are_not_marked(
    attribution: str,
) -> None:
    """Foundations 5: cut at “On that day she wrote:” in any language, also when wrapped."""
    words = own_words(f"PASS\n\n{attribution}\n\nPLACE 4 Poland")
    assert (words.text, words.doubtful) == ("PASS", ("PLACE 4 Poland",))


@pytest.mark.parametrize(
    "own",
    [
        "A few notes:\nPASS",
        "At 10:30 we meet:\nPASS",
        "As agreed:\nPASS",
        "Orders for turn 3, 1936:\nPASS",
        "Hi,\nDate is fine.\nPASS",
        "PRESS TO France\nDear France: let us meet at 10:00\nEND",
        "Mit freundlichen Grüßen\n\nGustav",
        "PASS\n-----\nFINAL",
    ],
)
def test_what_only_looks_a_little_like_a_quotation_is_the_senders(own: str) -> None:
    assert own_words(own) == OwnWords(own, 0)


def test_the_line_above_an_attribution_stays_the_senders() -> None:
    words = own_words(
        "PLACE 4 Poland\nOn Mon, Nov 2, 2026 at 9:00 AM Ada\n<ada@example.org> wrote:\n> PASS"
    )
    assert words.text == "PLACE 4 Poland"


def test_one_label_is_no_block_and_two_are() -> None:
    assert own_words("To: whom it may concern\nPASS").text.endswith("PASS")
    assert own_words("PASS\nFrom: Ada\nSubject: orders\nPLACE 4 Poland").text == "PASS"


@pytest.mark.parametrize(
    "footer",
    [
        *(
            "Sent from my iPhone",
            "Von meinem iPhone gesendet",
            "Gesendet von Outlook für iOS",
            "Envoyé de mon iPhone",
            "Enviado desde mi iPhone",
        ),
        *(
            "Inviato da iPhone",
            "Verstuurd vanaf mijn iPhone",
            "Skickat från min iPhone",
            "Sendt fra min iPhone",
            "Wysłane z iPhone'a",
        ),
        *(
            "Enviado do meu iPhone",
            "Lähetetty iPhonesta",
            "Отправлено с iPhone",
            "Odesláno z iPhonu",
            "Get Outlook for Android",
            "Sent via Yahoo Mail",
        ),
    ],
)
def test_the_footer_of_a_telephone_is_nobodys_words(footer: str) -> None:
    assert own_words(f"PASS\n\n{footer}") == OwnWords("PASS", 1)


def test_what_stands_under_a_footer_is_doubtful_until_a_quotation_has_passed() -> None:
    words = own_words("Sent from my iPhone\nPLACE 4 Poland\n\n> old\n\nPASS")
    assert (words.text, words.doubtful) == ("PASS", ("PLACE 4 Poland",))


def test_if_nothing_is_the_senders_the_last_lines_that_look_like_orders_are_told() -> None:
    """He may have written into the quotation."""
    words = own_words(f"{MARKER}\nPLACE 4 Poland\n> PASS")
    assert (words.text, words.doubtful) == ("", ("PLACE 4 Poland", "> PASS"))


def test_ten_doubtful_lines_are_told_at_most() -> None:
    words = own_words("PASS\n-- \n" + "PLACE 4 Poland\n" * 50)
    assert (len(words.doubtful), words.dropped) == (10, 51)


def test_html_blocks_and_breaks_are_lines() -> None:
    html = "<div>PLACE 4 <b>Poland</b><br>PLACE 3\n Austria</div><p>PASS</p><pre>BOARD\nHELP</pre>"
    assert [line for line in bodies.html_text(html)[0].split("\n") if line] == [
        "PLACE 4 Poland",
        "PLACE 3 Austria",
        "PASS",
        "BOARD",
        "HELP",
    ]


def test_html_keeps_what_is_seen_and_drops_what_is_not() -> None:
    html = (
        '<p style="line-height:0.9;color:#333;text-indent:-18pt">PASS</p><p style="opacity:0">PLACE'
        " 4 Poland</p>"
    )
    html += "<blockquote>FINAL</blockquote>"
    assert bodies.html_text(html) == ("PASS\n\n> …", 1)


def test_an_answer_below_a_quotation_in_html_counts() -> None:
    """A quotation leaves its place: the attribution above does not swallow what follows."""
    html = (
        "<p>On 2 Nov 2026, Ada wrote:</p><blockquote><p>PLACE 4 Poland</p></blockquote><p>PASS</p>"
    )
    words = own_words(bodies.html_text(html)[0])
    assert (words.text, words.dropped, words.doubtful) == ("PASS", 2, ())


def test_html_of_ten_thousand_open_tags_is_read() -> None:
    assert bodies.html_text("<div>" * 10_000 + "PLACE 4 Poland")[0] == ""
    assert bodies.html_text("PASS" + "<b>" * 10_000)[0] == "PASS"
