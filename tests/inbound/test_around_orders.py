"""What surrounds the text of orders: notices, links, signatures, and mail without orders."""

from __future__ import annotations

from collections import Counter
from email.message import EmailMessage

import pytest

from games.base import markers
from games.letters import rendering
from games.models import Letter
from orders.inbound.parsing import reading
from orders.inbound.parsing.commands import Orders, PressItem, Script
from orders.inbound.parsing.normalize import looks_like_order, normal
from orders.inbound.parsing.quoting import own_words
from orders.inbound.parsing.suspects import Suspects
from tests.support.campaign import Campaign
from tests.support.letters import letter_text

from . import corpus
from .writing import address_of, hand_in, send

NATIONS = ("Germany", "Russia", "France", "Britain", "USA")
AREAS = ("Poland", "Austria", "Italy", "Rumania", "Czechoslovakia", "Rhineland")
SUSPECTS = Suspects([*NATIONS, *AREAS])
ORDERS = "PLACE 3 Poland\n5 in Austria"


def understood(text: str, suspects: Suspects = SUSPECTS) -> Script:
    own = own_words(text, suspects)
    return reading.read(own.text, nations=NATIONS, suspects=suspects, end=own.end)


def order_lines(script: Script) -> list[str]:
    return [line.text for item in script.items if isinstance(item, Orders) for line in item.lines]


# --- notices of gateways and companies ---

NOTICES = (
    "CAUTION: This email originated from outside of the organization. Do not click links.",
    "CAUTION: This email originated from outside of the organization. Do not\nclick links or open"
    " attachments unless you recognize the sender and know\nthe content is safe.",
    "This Message Is From an External Sender\nThis message came from outside your organization.",
    *("[EXTERNAL]", "[EXTERN]", "*** EXTERNAL EMAIL ***", "EXTERNAL SENDER", "⚠ External"),
    "WARNING: This message came from an external source.",
    "Achtung: Diese E-Mail stammt von einem externen Absender.\nBitte öffnen Sie keine Anhänge.",
    "VORSICHT: Diese Nachricht kommt von außerhalb des Unternehmens.",
    "ATTENTION : cet e-mail provient de l'extérieur. Ne cliquez sur aucun lien.",
    "ATENCIÓN: Este correo procede de fuera de la organización. No abra enlaces.",
    "ATTENZIONE: questa e-mail proviene dall'esterno. Non aprire allegati.",
    "Let op: deze e-mail komt van buiten de organisatie. Klik niet op links.",
    "UWAGA: Wiadomość spoza organizacji. Nie otwieraj załączników.",
    "ВНИМАНИЕ: внешнее письмо. Не открывайте вложения.",
    "注意：此邮件来自外部。",
    "You don't often get email from h@home.example. Learn why this is important<https://x.example>",
    "This e-mail is confidential. If you are not the intended recipient, delete it.",
    "Diese E-Mail enthält vertrauliche Informationen. Sind Sie nicht der richtige Adressat,"
    " löschen Sie sie.",
)


@pytest.mark.parametrize("notice", NOTICES)
@pytest.mark.parametrize("above", ["{0}\n\n{1}", "{0}\n{1}", "{0}\n\n[EXTERNAL]\n\n{1}"])
def test_notice_above_the_text_is_left_out_and_named(notice: str, above: str) -> None:
    words = own_words(above.format(notice, ORDERS), SUSPECTS)
    assert words.text == ORDERS
    assert set(notice.split("\n")) <= set(words.unsure)


@pytest.mark.parametrize("notice", NOTICES)
def test_notice_below_the_text_is_left_out_and_named(notice: str) -> None:
    words = own_words(f"{ORDERS}\n\n{notice}", SUSPECTS)
    assert (words.text, words.unsure) == (ORDERS, tuple(notice.split("\n")))


@pytest.mark.parametrize(
    "own",
    [
        *("Draft:", "[DRAFT]", "If attacked:", "Only if France agrees:", "Next turn:"),
        *("External help from Russia first", "Message to Russia:", "Attention:", "These are safe"),
        *("Please ignore my last message and its attachment", "If I am attacked, no mail helps me"),
        *("Only valid if this mail arrives before the external deadline", "Important:"),
        *("Ignore this mail unless the sender of the last one was Ada"),
        *("If this message comes late, trust the earlier mail", "Ignore the mail from outside"),
        *("Caution: France may attack", "REPORT MESSAGE: it is spam", "SET MAIL WARNINGS OFF"),
        "This mail counts if France attacks the organization",
    ],
)
def test_line_that_resembles_a_notice_is_kept(own: str) -> None:
    """A heading or a condition must never be dropped: the lines below would mean another thing."""
    assert own in own_words(f"{own}\n\n{ORDERS}", SUSPECTS).text


def test_text_below_a_disclaimer_at_the_end_is_named() -> None:
    words = own_words(f"PASS\n\n{NOTICES[-2]}\nIf France agrees.\n\n5 in Poland", SUSPECTS)
    assert (words.text, words.doubtful) == ("PASS", ("5 in Poland",))
    assert "If France agrees." in words.unsure


# --- links, emoji, signatures ---


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("STOCK BRK.B<http://brk.b/>", "STOCK BRK.B"),
        ("STOCK SAP.DE <http://SAP.DE>", "STOCK SAP.DE"),
        ("STOCK [SAP.DE](http://SAP.DE)", "STOCK SAP.DE"),
        ("STOCK SAP.DE (http://sap.de/)", "STOCK SAP.DE"),
        ("STOCK SAP.DE[http://SAP.DE]", "STOCK SAP.DE"),
        ("MIN 2-1<tel:2-1>", "MIN 2-1"),
        ("STOCK GE (see http://ge.example/)", "STOCK GE (see http://ge.example/)"),
        ("<http://ge.example/>", "<http://ge.example/>"),
        ("[cid:image001.png@01DB3F4C.5E6A7B80]", ""),
        ("[image: Logo]", ""),
        ("<image001.png>", ""),
        ("5 Poland [image: smile.gif]", "5 Poland"),
        ("5 Poland [image]", "5 Poland [image]"),
        ("5 <Poland>", "5 <Poland>"),
        ("FINAL ✅", "FINAL"),
        ("FINAL 👍🏻", "FINAL"),
        ("🇷🇺 Russia", "Russia"),
        ("3️⃣ in Poland ☑", "3 in Poland"),
        ("👍", "👍"),
        ("❌ PLACE 3 Poland", "❌ PLACE 3 Poland"),
        ("🚫 FINAL", "🚫 FINAL"),
        ("☐ PLACE 3 Poland", "☐ PLACE 3 Poland"),
        ("⬜ PLACE 3 Poland", "⬜ PLACE 3 Poland"),
        ("☑ PLACE 3 Poland", "PLACE 3 Poland"),
        ("FINAL ❓", "FINAL ❓"),
        ("🔟 in Poland", "🔟 in Poland"),
        ("Poland ➕ 5", "Poland ➕ 5"),
        ("PLACE 3 Poland 🇵🇱", "PLACE 3 Poland"),
        ("5 🇵🇱", "5 🇵🇱"),
        ("5 to 🇦🇹, Poland 3", "5 to 🇦🇹, Poland 3"),
        ("3 → Poland", "3 → Poland"),
    ],
)
def test_links_behind_words_and_emoji_are_left_out_of_a_line(written: str, read: str) -> None:
    """Programs add links, phones emoji. An emoji that says no changes what a line means."""
    assert normal(written) == read


def test_thousands_of_brackets_are_read_in_a_moment() -> None:
    """Searching each bracket's word again from each of its letters took minutes."""
    written = f"https://{'(' * 3000}"
    assert normal(written) == written


@pytest.mark.parametrize(
    "footer",
    [
        *("www.maier-poland.example", "Hans Maier\nhans@maier-poland.example"),
        "Obtenir Outlook pour Mac<https://aka.example/GetOutlookForMac>",
        *("Sent via Superhuman<https://sprh.example>", "Posted by: Hans <hans@x.example>"),
        *("Tel. 030 1234567", "Tél. : 01 23 45 67 89", "Hans Maier | Sales | +49 30 12345 | Bonn"),
        *("(217) 555-0100", "Chemin du Lac, 75002 Paris", "1409 W. Green Street, IL 61801"),
        *("10115 Berlin | Germany", "D-10115 Berlin, Germany", "Hans Maier, 10115 Berlin, Germany"),
        "Maier GmbH, Sitz: Bonn, Amtsgericht Bonn HRB 12345 B, USt-ID DE123456789",
    ],
)
def test_footer_with_an_address_is_no_order(footer: str) -> None:
    """The first one holds an area's name and made the line above it unclear."""
    script = understood(f"PLACE 3 Poland\nrest to Austria\n\n{footer}")
    assert order_lines(script) == ["PLACE 3 Poland", "rest to Austria"]


SIGNATURES = (
    "Jürgen Hartmann\nLindenallee 14\n10115 Berlin\nDeutschland\nMobil 0171 2345678",
    "Kind regards,\nDr. Thomas Weber\nRechtsanwalt und Notar\nKönigstraße 5\n53113 Bonn\nGermany",
    "Sarah Jenkins\nProfessor of Modern History\nUniversity of East Anglia\nNorwich NR4 7TJ",
    "Cordialement\n\nJean-Pierre Lefèvre\n14 rue de la République\n69002 Lyon",
    "Olga\nCorso Roma 10\nFirenze\nItaly",
    "Kate O'Brien\nFlat 3\n17 Poland Street\nLondon W1F 8QG",
    "Ken Watanabe\n2-11-3 Meguro\nTokyo\nJapan",
    "Γιώργος Παπαδόπουλος\nΛεωφόρος Κηφισίας 44",
    "Regards\nHans and Greta",
    "Priya Raghunathan\nB-204, Lotus Apartments\nSector 62, Noida 201301",
    "Regards\nHans Maier\n3 Rosemount\nBath",
    "Hans Maier\n101 Reykjavik",
    "Hans Maier\nDorfstr. 3",
)


@pytest.mark.parametrize("signature", SIGNATURES)
def test_signature_of_several_lines_is_no_order_and_is_named(signature: str) -> None:
    """“Lindenallee 14” left all orders in doubt, and made “the rest” unknown."""
    script = understood(f"PLACE 3 Poland\nrest to Austria\n\n{signature}")
    assert order_lines(script) == ["PLACE 3 Poland", "rest to Austria"]
    named = {line.written for line in script.passed_over}
    assert named == set(filter(None, signature.split("\n")))


@pytest.mark.parametrize(
    ("below", "line"),
    [
        ("Hans Maier\nHauptstraße 12\nForget Austria", "Forget Austria"),
        ("Hans Maier\nChange Poland to Italy", "Change Poland to Italy"),
        ("Hans Maier\nItaly", "Italy"),
        ("Hans Maier\nItaly 6", "Italy 6"),
        ("Hans Maier\nSorry Italien 6", "Sorry Italien 6"),
        ("Hans Maier\nRather Italy", "Rather Italy"),
        ("Hans Maier\nPreliminary orders", "Preliminary orders"),
        ("Hans Maier\nPlease wait", "Please wait"),
        ("Hans Maier\nWhy not Italy?", "Why not Italy?"),
        ("Hans Maier\nonly if France does not\nplace in Poland", "only if France does not"),
        ("Hans Maier\nagrees with me", "agrees with me"),
        ("Neue Idee\nItalien 6", "Italien 6"),
        ("Regards\nHans\nRussia and France", "Russia and France"),
        ("Evening Edition\nRoom 5\n\n5 in Italy", "Room 5"),
        ("Regards\nHans\n3 Atlantis", "3 Atlantis"),
        ("Hans Maier\nthree Atlantis", "three Atlantis"),
    ],
)
def test_paragraph_with_a_line_that_may_be_of_the_orders_is_no_signature(
    below: str, line: str
) -> None:
    assert line in order_lines(understood(f"{ORDERS}\n\n{below}"))


@pytest.mark.parametrize("below", ["General Electric", "Hans Maier\nIBM", "Hans Maier\nMin 4-1"])
def test_stock_or_odds_below_an_attack_are_no_name(below: str) -> None:
    """The reserve list decided the attack, at any odds."""
    lines = order_lines(understood(f"ATTACK Poland: Russia\n\n{below}"))
    assert lines[-1] == below.rpartition("\n")[2]


def test_paragraph_that_stands_above_all_orders_is_no_signature() -> None:
    """What nobody can have signed may be a heading of the lines below."""
    assert "Room 5" in order_lines(understood(f"Felix Krull\nRoom 5\n\n{ORDERS}"))


@pytest.mark.parametrize(
    "line",
    [
        "5 in Poland, see http://x.example",
        "Only if Ada says so: www.x.example",
        "5 Poland a@x.example",
        *("5 Poland, 01 23 45 67 89", "Only if I call: 030 1234567", "Austria 10 12 15 11"),
        *("Valid from 16.11.2026", "Valid from 2026-11-16", "4 3 2 1 0 0 0"),
        *("Poland: 10000", "Polnad 10000", "10000 PFs to Poland", "10115 Berlin attacks Germany"),
    ],
)
def test_line_with_an_address_that_may_be_meant_is_read(line: str) -> None:
    assert order_lines(understood(f"PASS\n{line}")) == ["PASS", line]
    assert order_lines(understood("Notes: www.x.example\nPASS"))[0].startswith("Notes")


def test_marks_of_quotation_around_from_decide_what_it_is() -> None:
    """RFC 4155: stores of mail put “>” before “From ”; people quote such lines, too."""
    assert own_words("PASS\n>From home 1 Austria\n5 in Poland", SUSPECTS) == own_words(
        "PASS\nFrom home 1 Austria\n5 in Poland", SUSPECTS
    )
    for quoted in ("> What?\n>From home 1 Austria", "Ada wrote:\n>From home 1 Austria"):
        words = own_words(f"PASS\n\n{quoted}", SUSPECTS)
        assert (words.text, words.doubtful) == ("PASS", (">From home 1 Austria",))


@pytest.mark.parametrize("line", ["Rest to Austria", "Take Austria"])
def test_order_alone_at_the_end_is_not_taken_for_a_name(line: str) -> None:
    assert order_lines(understood(f"5 to Poland\n\n{line}")) == ["5 to Poland", line]
    assert order_lines(understood("5 to Poland\n\nHans Maier")) == ["5 to Poland"]


@pytest.mark.parametrize(
    "line",
    [
        *("Swap them.", "Just kidding", "Never mind", "Please wait", "Not Yet", "Withdrawn"),
        *("Thanks but cancel the above.", "Thanks, but only if Russia agrees.", "Cheers, not yet"),
        *("Best wait for Russia.", "Yours if Russia agrees", "Take care, swap them"),
        *(
            "See you, and ignore the first",
            "Bye, this was a joke",
            "Cheers, Ada must confirm",
            "Ada has to agree",
            "Thanks, ask Ada first",
            "www.x.example, but only a draft",
        ),
    ],
)
@pytest.mark.parametrize("text", ["{0}\n\n{1}", "{0}\n\n{1}\n", "{0}\nThanks!\n{1}"])
def test_line_like_a_courtesy_or_name_that_speaks_of_orders_is_read(text: str, line: str) -> None:
    """Their parser asks about it; without it the orders above would count."""
    assert line in order_lines(understood(text.format(ORDERS, line)))


@pytest.mark.parametrize(
    "line",
    [
        *("Hi, this is only a draft.", "Hello, next turn please.", "Best not do this yet."),
        *("Hello Ada, only if Russia agrees:", "Draft of my orders:", "Old orders:"),
        *("Orders only if Russia agrees:", "These are not my orders:", "Orders for turn 4:"),
        *("Entwurf meiner Befehle:", "Ordres (brouillon):", "External draft"),
    ],
)
def test_heading_or_greeting_that_speaks_of_orders_is_read(line: str) -> None:
    assert line in order_lines(understood(f"{line}\n{ORDERS}"))


@pytest.mark.parametrize(
    "text",
    [
        "Hi Ada, hope you are well!\n\n{0}\n\nThanks for the update!\nHans",
        "Hello everyone,\n{0}\n\nBest,\nhans",
        "Liebe Ada,\n\nmeine Befehle:\n{0}\n\nViele Grüße\nHans von Maier",
        "Here are my orders:\n{0}\n\nCheers\nHans Maier\nMaier GmbH",
    ],
)
def test_courtesies_names_and_headings_of_orders_are_passed_over(text: str) -> None:
    assert order_lines(understood(text.format(ORDERS))) == ORDERS.split("\n")


def test_text_below_a_footer_counts_if_nothing_is_quoted() -> None:
    """Some write below what their phone has put there, and would be asked to do it again."""
    footer = "Sent from my iPhone\n\n5 to Poland"
    assert own_words(footer, SUSPECTS).text == "5 to Poland"
    for quoted in ("> What?", "On 2 Nov 2026, Ada wrote:\nWhat?", "-----Original Message-----"):
        words = own_words(f"{footer}\n\n{quoted}", SUSPECTS)
        assert (words.text, words.doubtful) == ("", ("5 to Poland",))


# --- letters to other players ---


@pytest.mark.parametrize(
    "body",
    [
        *("Yes.\n-- \nHans", "From: Germany\nTo: Russia\nSubject: Peace", "Sent from my iPhone"),
        *("You wrote:\n> 5 in Poland\nNo.", "As France wrote:\nLet us meet.", "________________"),
        "On 2 Nov 2026, at 9:00, Russia wrote:\n> 5 in Poland\nNo.",
        "This message is confidential. It is not for the organization.",
    ],
)
def test_nothing_ends_the_message_between_press_and_end(body: str) -> None:
    script = understood(f"PRESS TO Russia\n{body}\nEND\nPASS")
    (letter,) = [item for item in script.items if isinstance(item, PressItem)]
    assert letter.body == body.replace("-- \n", "--\n")
    assert (order_lines(script), script.refused) == (["PASS"], ())


@pytest.mark.parametrize(
    "cut",
    [
        "-----Original Message-----",
        "From: Ada <ada@example.org>\nSent: Monday, 2 November 2026 9:00\nTo: Gustav",
        "On 2 Nov 2026, at 9:00, Ada <ada@example.org> wrote:",
    ],
)
def test_quoted_end_does_not_end_a_letter_and_the_reason_says_so(cut: str) -> None:
    """Otherwise what another player wrote would be sent with it."""
    script = understood(f"PRESS TO Russia\nYes.\n\n{cut}\n\nA secret.\nEND\n")
    assert script.items == ()
    (refusal,) = script.refused
    assert f"has no END above “{cut.partition(chr(10))[0]}”, where your own words" in (
        refusal.sentence
    )


# --- in the database ---


@pytest.mark.django_db
@pytest.mark.letters
def test_edited_line_in_a_quotation_is_named_and_lines_of_the_letter_are_not() -> None:
    """Programs quote the text or the HTML, and break its lines as they like."""
    campaign = Campaign.begin()
    letter = Letter.objects.filter(person=campaign.players["Germany"], kind="opened").latest("pk")
    rendered = rendering.render(letter)
    for quoted, named in (
        (
            f"On 2 Nov 2026, Ada wrote:\n> {rendered.text.replace(chr(10), chr(10) + '> ')}\n"
            "> 9 to Austria",
            "> 9 to Austria",
        ),
        (
            f'5 to Poland<blockquote type="cite">{rendered.html}<br>9 to Austria</blockquote>',
            "> 9 to Austria",
        ),
        # Outlook marks nothing.
        (f"{markers.MARKER}\n\n{rendered.text}\n9 to Austria", "9 to Austria"),
        (
            f'5 to Poland<div id="appendonsend"></div>{rendered.html}<p>9 to Austria</p>',
            "9 to Austria",
        ),
    ):
        mail = EmailMessage()
        mail["From"], mail["To"] = "gustav@example.org", address_of(campaign, "Germany")
        mail["Message-ID"] = f"<{len(quoted)}@example.org>"
        mail["Subject"], mail["In-Reply-To"] = "Re: Orders", letter.message_id
        is_html = "<" in quoted
        mail.set_content(
            quoted if is_html else f"5 to Poland\n\n{quoted}",
            subtype="html" if is_html else "plain",
        )
        row = hand_in(campaign, mail.as_bytes())
        assert row.answer is not None
        text = letter_text(row.answer)
        aside = text.partition("LEFT ASIDE")[2].partition("WHAT COUNTS NOW")[0]
        assert aside.partition("send them alone:")[2].strip() == named


@pytest.mark.django_db
@pytest.mark.letters
@pytest.mark.parametrize(
    "text", ["PLACE {0} Poland", "HISTORY {0}", "ADOPT {0}", "ACCEPT {0}", "{0} in Poland"]
)
def test_long_number_is_not_echoed(campaign: Campaign, text: str) -> None:
    row = send(campaign, "Germany", text.format("9" * 900) + "\n")
    assert row.answer is not None
    answer = letter_text(row.answer)
    assert "9999" in answer
    assert "9" * 250 not in answer


# --- every line of a message ---


@pytest.mark.parametrize("name", sorted(corpus.EXPECTED))
def test_no_line_of_a_message_vanishes(name: str) -> None:
    """Contract 3a: each line is obeyed, asked about or refused, or left out as what it is."""
    message = corpus.parsed(corpus.raw(name))
    own = own_words(message.text)
    kept = [line for line in own.text.split("\n") if line.strip()]
    written = [line for line in message.text.split("\n") if line.strip("\u200b\ufeff \xa0\t")]
    assert len(written) == len(kept) + own.dropped
    script = corpus.understood(message)
    lost = [
        line
        for number, line in enumerate(own.text.split("\n"), start=1)
        if line.strip() and not is_answered(script, number, line)
    ]
    assert script.from_subject or lost == []


@pytest.mark.parametrize("name", sorted(corpus.EXPECTED))
def test_line_like_an_order_that_does_not_count_is_named(name: str) -> None:
    """Unless it is below our marker, which says so, or there are more than the answer names."""
    message = corpus.parsed(corpus.raw(name))
    script = corpus.understood(message)
    own = own_words(message.text)
    left = Counter(map(words_of, message.text.partition(markers.MARKER[:26])[0].split("\n")))
    left -= Counter(map(words_of, own.text.split("\n")))
    named = set(map(words_of, script.doubtful))
    missing = [line for line in left if looks_like_order(line) and line[:200] not in named]
    assert missing == [] or len(named) == 10


def words_of(line: str) -> str:
    return " ".join(line.removeprefix(">").split())


def is_answered(script: Script, number: int, line: str) -> bool:
    """Return whether a line of the sender's own belongs to something that the answer is about."""
    orders = [order for item in script.items if isinstance(item, Orders) for order in item.lines]
    if number in {other.number for other in [*orders, *script.passed_over]}:
        return True
    if any(words_of(line) in words_of(order.written) for order in orders):
        return True  # it goes on from the line above
    for refusal in script.refused:  # a letter that lacks its first line or its END
        if number == refusal.line or "END" in refusal.sentence:
            return True
    for item in script.items:
        size = item.body.count("\n") + 3 if isinstance(item, PressItem) else 1
        if item.line <= number < item.line + size:
            return True
    # AS Germany, or TURN 3 ATTACKS: it says what the lines below are
    below = reading.read(f"{line}\nPLACE 1 Poland", nations=NATIONS).items
    return [item.nation or getattr(item, "ahead", "") for item in below] not in ([], [""])


@pytest.mark.parametrize("heading", ["Board:", "Cancel:", "My settings:"])
def test_command_with_a_colon_heads_lines(heading: str) -> None:
    """A copied board is no order, and neither is what is to be canceled."""
    script = understood(f"{heading}\n{ORDERS}")
    assert [type(item) for item in script.items] == [Orders]
    assert order_lines(script)[0] == heading


@pytest.mark.parametrize("below", ["Abort.", "Freeze!", "TBC", "Hang on.", "Thanks!\nHang on."])
def test_sentence_at_the_end_is_no_name(below: str) -> None:
    last = below.split("\n")[-1]
    assert order_lines(understood(f"{ORDERS}\n\n{below}"))[-1] == last


@pytest.mark.parametrize("last", ["Gerd", "Hans Maier", "Gustav von Maier", "H. M."])
def test_name_at_the_end_is_left_out(last: str) -> None:
    assert order_lines(understood(f"{ORDERS}\n\n{last}")) == ORDERS.split("\n")
