"""Separating the sender's text from quotations; doubtful lines do not count (foundations 5)."""

from __future__ import annotations

import pytest

from games.base.markers import MARKER
from orders.inbound.parsing import bodies
from orders.inbound.parsing.quoting import OwnWords, own_words


def test_text_below_our_marker_is_dropped() -> None:
    assert own_words(f"PASS\n\n{MARKER}\n\nPLACE 4 Poland") == OwnWords("PASS", 2)


def test_changed_marker_is_recognized() -> None:
    assert own_words(f"PASS\n  {MARKER.upper()[:40]}\nor reply ===\nPLACE 4 Poland").text == "PASS"


def test_text_below_quoted_lines_counts() -> None:
    assert (
        own_words(f"On 2 Nov 2026, Ada wrote:\n> {MARKER}\n> PLACE 4 Poland\n\nPASS").text == "PASS"
    )


def test_line_directly_below_a_quoted_one_is_doubtful() -> None:
    words = own_words("> What of Poland,\nPLACE 4 Poland\n\nPASS")
    assert (words.text, words.doubtful) == ("PASS", ("PLACE 4 Poland",))


def test_sentence_that_mentions_writing_is_kept() -> None:
    """Without a colon it is no quotation."""
    assert own_words("On Monday Felix wrote to me.\nPASS").dropped == 0


def test_order_that_ends_with_a_colon_is_kept() -> None:
    """ATTACK ends with a colon if a program wraps the line."""
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
def test_attribution_is_recognized_in_many_languages(
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
def test_text_that_resembles_a_quotation_is_kept(own: str) -> None:
    assert own_words(own) == OwnWords(own, 0)


def test_line_above_an_attribution_is_kept() -> None:
    words = own_words(
        "PLACE 4 Poland\nOn Mon, Nov 2, 2026 at 9:00 AM Ada\n<ada@example.org> wrote:\n> PASS"
    )
    assert words.text == "PLACE 4 Poland"


def test_two_header_labels_make_a_quotation() -> None:
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
def test_footer_of_a_telephone_is_dropped_and_named(footer: str) -> None:
    assert own_words(f"PASS\n\n{footer}") == OwnWords("PASS", 1, unsure=(footer,))


@pytest.mark.parametrize(
    "line",
    [
        "Sent from my desk: swap them",
        "Sent from my iPhone. Ignore these orders.",
        "Gesendet von meinem iPhone, only a draft",
    ],
)
def test_footer_that_speaks_of_orders_is_kept(line: str) -> None:
    assert own_words(f"PASS\n\n{line}").text == f"PASS\n\n{line}"


TABLE = "| Area | PFs |\n|---|---|\n| Poland | 4 |"


@pytest.mark.parametrize("text", [TABLE, f"Hi Ada,\n\n{TABLE}\n\nBest,\nGustav"])
def test_typed_table_is_no_quotation(text: str) -> None:
    assert own_words(text) == OwnWords(text, 0)


@pytest.mark.parametrize(
    "text",
    [
        f"PASS\n\nOn 2 Nov 2026, Ada wrote:\n\n{TABLE}",
        f"PASS\n\n| What?\n{TABLE}",
        f"PASS\n\n{TABLE}\n| What?",
        f"PASS\n\n> What?\n\n{TABLE}",
    ],
)
def test_quoted_table_is_a_quotation(text: str) -> None:
    assert own_words(text).text == "PASS"


def test_text_below_a_footer_is_doubtful_until_a_quotation() -> None:
    words = own_words("Sent from my iPhone\nPLACE 4 Poland\n\n> old\n\nPASS")
    assert (words.text, words.doubtful) == ("PASS", ("PLACE 4 Poland",))


def test_message_without_own_text_reports_lines_like_orders() -> None:
    """The sender may have written into the quotation."""
    words = own_words(f"{MARKER}\nPLACE 4 Poland\n> PASS")
    assert (words.text, words.doubtful) == ("", ("PLACE 4 Poland", "> PASS"))


def test_at_most_ten_doubtful_lines_are_reported() -> None:
    words = own_words("PASS\n-- \n" + "PLACE 4 Poland\n" * 50)
    assert (len(words.doubtful), words.dropped) == (10, 51)


def test_html_blocks_and_breaks_become_lines() -> None:
    html = "<div>PLACE 4 <b>Poland</b><br>PLACE 3\n Austria</div><p>PASS</p><pre>BOARD\nHELP</pre>"
    assert [line for line in bodies.html_text(html).text.split("\n") if line] == [
        "PLACE 4 Poland",
        "PLACE 3 Austria",
        "PASS",
        "BOARD",
        "HELP",
    ]


def test_html_part_keeps_only_visible_text() -> None:
    html = (
        '<p style="line-height:0.9;color:#333;text-indent:-18pt">PASS</p><p style="opacity:0">PLACE'
        " 4 Poland</p>"
    )
    html += "<blockquote>FINAL</blockquote>"
    assert bodies.html_text(html) == bodies.HtmlText("PASS\n\n> FINAL", ("PLACE 4 Poland",))


def test_text_below_an_html_quotation_counts() -> None:
    """The quotation is marked, so the attribution above does not swallow the answer."""
    html = (
        "<p>On 2 Nov 2026, Ada wrote:</p><blockquote><p>PLACE 4 Poland</p></blockquote><p>PASS</p>"
    )
    words = own_words(bodies.html_text(html).text)
    assert (words.text, words.dropped, words.doubtful) == ("PASS", 2, ("> PLACE 4 Poland",))


def test_html_with_ten_thousand_open_tags_is_read() -> None:
    assert bodies.html_text("<div>" * 10_000 + "PLACE 4 Poland").text == ""
    assert bodies.html_text("PASS" + "<b>" * 10_000).text == "PASS"


@pytest.mark.parametrize(
    "style", ["margin:0 0 0 40px;border:none;padding:0px", "margin: 0 0 0 40px; border: 0px none"]
)
def test_indented_paragraph_of_html_counts(style: str) -> None:
    """Gmail's indent button writes a blockquote without a border."""
    html = f'<div>5 in Poland</div><blockquote style="{style}">5 in Austria</blockquote>'
    assert bodies.html_text(html) == bodies.HtmlText("5 in Poland\n5 in Austria", ())


@pytest.mark.parametrize(
    "attributes",
    [
        *("", 'cite="mid:1"', 'type="cite" style="border:none"', 'style="margin:0"'),
        'style="border:none;border-left:solid #CCCCCC 1.0pt;padding:0cm"',
        *('class="gmail_quote" style="border:none"', 'style="border:none" cite="mid:1"'),
    ],
)
def test_quotation_of_html_is_not_taken_for_an_indented_paragraph(attributes: str) -> None:
    html = f"<div>PASS</div><blockquote {attributes}>5 in Austria</blockquote>"
    assert bodies.html_text(html).text == "PASS\n\n> 5 in Austria"


@pytest.mark.parametrize(
    "crossed",
    [
        *("<s>10 to Poland</s>", "<del>10 to Poland</del>", "<strike>10 to Poland</strike>"),
        '<span style="color:red; text-decoration: line-through">10 to Poland</span>',
        '<p style="text-decoration-line:line-through"><b>10 to Poland</b></p>',
    ],
)
def test_text_crossed_out_in_html_is_left_out(crossed: str) -> None:
    html = bodies.html_text(f"<div>{crossed}</div><div>3 to Italy</div>")
    assert (html.text, html.crossed_out) == ("3 to Italy", ("10 to Poland",))


def test_number_crossed_out_in_a_line_leaves_the_rest_of_the_line() -> None:
    html = bodies.html_text("<p>Place <s>10</s>5 in Poland</p>")
    assert (html.text, html.crossed_out) == ("Place 5 in Poland", ("10",))


def test_boxes_in_html_are_written_as_ticked_or_not() -> None:
    box = "<input type=checkbox"
    html = bodies.html_text(f"{box} checked> 5 to Poland<br>{box}> 3 to Italy")
    assert html.text == "[x] 5 to Poland\n[ ] 3 to Italy"
