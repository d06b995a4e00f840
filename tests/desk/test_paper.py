"""Paper: PDFs, people without e-mail, orders typed in from an envelope (issue 5, paper)."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings
from django.urls import reverse

from games import desk, print
from games.desk.by_post import STAND_IN, seat_by_post
from games.letters import printing, rendering, sending
from games.models import Game, Letter, Person, Phase
from games.outbox.messages import game_letters
from games.print import board, forms, letters, setting
from games.rules import Cell
from orders.models import Submission
from tests.desk.conftest import Browser, Watch
from tests.support.browsing import Visitor
from tests.support.campaign import Campaign, person
from tests.support.letters import letter_text

pytestmark = pytest.mark.letters

ADDRESS = "Hafenstraße 7\n20457 Hamburg\nGermany"


@pytest.fixture
def by_post(db: None) -> Campaign:
    """Return a game in which Gustav has no e-mail and Ada has a postal address."""
    campaign = Campaign.open()
    ada, gustav = campaign.ada, person("gustav")
    ada.postal_address = "12 Harbour Lane\nOxford OX1 2AB"
    ada.save()
    gustav.by_post, gustav.postal_address = True, ADDRESS
    gustav.save()
    desk.start(campaign.game, campaign.now)
    campaign.game.refresh_from_db()
    return campaign


def url(campaign: Campaign, name: str, nation: str = "") -> str:
    return reverse(name, args=[campaign.game.pk, *([campaign.seat(nation).pk] if nation else [])])


def words_in(pdf: bytes, tmp_path: Path) -> str:
    """Return the text of a PDF if pdftotext is installed; otherwise use the template's context."""
    if not (program := shutil.which("pdftotext")):
        pytest.skip("pdftotext (apt-get install poppler-utils) is missing: words are not checked")
    (tmp_path / "sheet.pdf").write_bytes(pdf)
    command = [program, "-layout", str(tmp_path / "sheet.pdf"), "-"]
    return " ".join(subprocess.check_output(command, text=True).split())


# --- printouts ---


def test_equal_facts_give_equal_bytes(by_post: Campaign) -> None:
    """A report that is printed twice is identical."""
    seat, now = by_post.seat("Germany"), by_post.now
    waiting = list(printing.letters_to_print(by_post.game))
    sheets: list[Callable[[], bytes]] = [
        lambda: print.board_pdf(by_post.game, seat, now),
        lambda: print.order_form_pdf(by_post.phase, seat),
        lambda: print.letters_pdf(waiting, now),
    ]
    for sheet in sheets:
        assert sheet().startswith(b"%PDF")
        assert sheet() == sheet()
    in_letter_size = print.board_pdf(by_post.game, seat, now, print.LETTER)
    assert print.board_pdf(by_post.game, seat, now) != in_letter_size


def test_printed_board_shows_the_position_and_the_deadline(
    by_post: Campaign, tmp_path: Path
) -> None:
    by_post.order("Germany", "PLACE 7 Poland")
    by_post.pass_deadline()
    content = board.content(by_post.game, by_post.seat("Germany"), by_post.now)
    poland = next(row for row in content["rows"] if row["area"] == "Poland")
    assert [cell["pf"] for cell in poland["cells"]] == [0, 0, 0, 0, 7]
    text = words_in(print.board_pdf(by_post.game, None, by_post.now), tmp_path)
    assert "The lights go out Turn 1, attacks" in text
    assert "Orders are due by Monday 16 November 2026" in text
    assert "DEMO" in text.replace(" ", "")  # made-up sales are marked everywhere


def test_printed_form_lists_orders_and_the_address(by_post: Campaign, tmp_path: Path) -> None:
    content = forms.content(by_post.phase, by_post.seat("Germany"))
    assert ["PLACE (1 to 10)", "; ".join(by_post.game.card["areas"])] in content["choices"]
    assert {form for form, _ in content["language"]} == {"PLACE 4 Poland", "PASS"}
    text = words_in(print.order_form_pdf(by_post.phase, by_post.seat("Germany")), tmp_path)
    assert "Orders of Germany" in text
    assert "Oxford OX1 2AB" in text
    assert "It must arrive by Monday 16 November 2026, 18:00" in text
    assert "Germany has 10 new PFs to place." in text


def test_letter_has_its_address_in_the_window_and_the_board_as_a_table(
    by_post: Campaign, tmp_path: Path
) -> None:
    by_post.order("Germany", "PLACE 7 Poland")
    by_post.pass_deadline()
    report = Letter.objects.get(kind="board", person=person("gustav"))
    [told] = letters.content([report])["letters"]
    assert told["address"] == ["Gustav", *ADDRESS.splitlines()]
    assert told["sender"] == ["Ada", "12 Harbour Lane", "Oxford OX1 2AB"]
    assert [part["kind"] for part in told["blocks"]].count("board") == 1
    text = words_in(print.letters_pdf([report], by_post.now), tmp_path)
    assert "Gustav" in text
    assert "20457 Hamburg" in text
    assert "You place 7 in Poland." in text


def test_empty_board_is_a_sentence_on_paper(by_post: Campaign) -> None:
    """It was a table of five nations without a row, with a legend below."""
    opened = Letter.objects.filter(kind="opened").latest("pk")
    [told] = letters.content([opened])["letters"]
    assert "board" not in [part["kind"] for part in told["blocks"]]
    assert any(part.get("text", "").startswith("The board is empty.") for part in told["blocks"])


@pytest.mark.parametrize(
    "cell",
    [
        Cell(),
        Cell(pf=8),
        Cell(pf=8, understanding=True),
        Cell(control=True),
        Cell(face_down=2),
        Cell(4, True, False, 12),
        Cell(12, treaty=True),
    ],
    ids=str,
)
def test_printed_board_cell_equals_the_cell(cell: Cell) -> None:
    """F9: counters face down too; the letter's text is parsed character by character."""
    assert letters._parse_cell(str(cell) or ".") == dataclasses.asdict(cell)


def test_printed_letter_has_every_word_of_its_text(by_post: Campaign) -> None:
    """Checked for every letter of a phase."""
    by_post.order("Germany", "PLACE 7 Poland\nPLACE 9 Mars")
    by_post.pass_deadline()
    for letter in Letter.objects.filter(person=person("gustav")):
        text = rendering.render(letter).text
        printed = list(letters.blocks(text))
        printed_text = " ".join(
            " ".join([part.get("text", ""), *part.get("items", ()), *part.get("lines", ())])
            for part in printed
        )
        missing = set(text.casefold().split()) - set(printed_text.casefold().split()) - {"-"}
        assert not [word for word in missing if not word.rstrip(".").isdigit()], letter.kind


def test_user_text_is_escaped_for_typst(by_post: Campaign) -> None:
    """Titles, names and addresses are data: typst's own characters are printed as they are."""
    Game.objects.filter(pk=by_post.game.pk).update(
        title='#import "x": * $ \\ [ ] @a <b> *c* _d_ `e` 漢字'
    )
    gustav = person("gustav")
    gustav.name, gustav.postal_address = '#panic("no")', "*a* #b\n$c$"
    gustav.save()
    by_post.game.refresh_from_db()
    for content in (
        print.board_pdf(by_post.game, None, by_post.now),
        print.order_form_pdf(by_post.phase, by_post.seat("Germany")),
        print.letters_pdf(list(printing.letters_to_print(by_post.game)), by_post.now),
    ):
        assert content.startswith(b"%PDF")


def test_printouts_can_be_viewed_as_pictures(by_post: Campaign) -> None:
    data = board.content(by_post.game, None, by_post.now)
    pages = setting.picture("board", data, by_post.now)
    assert len(pages) == 2  # the map with the scores, and the table
    assert all(page.startswith(b"\x89PNG") for page in pages)


def test_board_is_printed_as_a_map_and_as_a_table(by_post: Campaign, tmp_path: Path) -> None:
    """Issue 6: readable on paper, with the figures beside it."""
    text = words_in(print.board_pdf(by_post.game, None, by_post.now), tmp_path)
    assert "The board as a table" in text
    # pdftotext separates letters that stand far apart on the map
    assert "MEDITERRANEANSEA" in "".join(text.split())


# --- letters of people without e-mail ---


def test_letters_to_players_without_e_mail_wait_to_be_printed(by_post: Campaign) -> None:
    """Nothing goes to the stand-in address; no keys or reminders are written."""
    mine = Letter.objects.filter(
        person=person("gustav"), game=by_post.game, written_at__gte=by_post.now
    ).exclude(kind="invitation")
    rows = set(mine.values_list("kind", "status", "due_at"))
    assert rows == {("begins", "print", None), ("opened", "print", None)}
    token, ids = sending.claim(by_post.now, 100)
    assert token
    assert not mine.filter(pk__in=ids).exists()
    game_letters.reminder(
        by_post.phase, [by_post.seat("Germany"), by_post.seat("France")], by_post.now
    )
    assert person("gustav") not in {letter.person for letter in by_post.letters("reminder")}


def test_printed_letter_never_changes(by_post: Campaign) -> None:
    letter = printing.letters_to_print(by_post.game)[0]
    first = printing.content(letter)
    Game.objects.filter(pk=by_post.game.pk).update(title="Renamed")
    assert printing.content(Letter.objects.get(pk=letter.pk)) == first


@pytest.mark.both_databases
def test_letters_are_printed_and_marked_as_posted_once(
    as_: Browser, by_post: Campaign, watch: Watch
) -> None:
    watch.set(by_post.now)
    client = as_("ada")
    page = client.read(url(by_post, "desk-paper"))
    assert "The first letter of the game" in page
    waiting = list(printing.letters_to_print(by_post.game))
    assert client.get(url(by_post, "desk-paper-print")).content.startswith(b"%PDF")
    shown = client.get(reverse("letter-pdf", args=[waiting[0].code]))
    assert shown["Content-Type"] == "application/pdf"
    client.post(url(by_post, "desk-paper-posted"), {"letter": [waiting[0].code, "9" * 40, "x"]})
    waiting[0].refresh_from_db()
    assert (waiting[0].status, waiting[0].sent_at) == ("posted", by_post.now)
    watch.pass_by(hours=1)
    page = client.submit(
        url(by_post, "desk-paper-posted"), {"letter": [waiting[0].code]}, follow=True
    )
    assert "Tick the letters" in page
    assert printing.letters_to_print(by_post.game).count() == len(waiting) - 1


def test_letters_of_other_games_are_not_marked(
    as_: Browser, by_post: Campaign, watch: Watch
) -> None:
    other = Campaign.begin(title="Another game")
    letter = Letter.objects.filter(game=other.game, person=person("gustav"), status="print").first()
    assert letter is not None
    as_("ada").post(url(by_post, "desk-paper-posted"), {"letter": [letter.code]})
    letter.refresh_from_db()
    assert letter.status == "print"


# --- seating a person ---


def seated(client: Visitor, campaign: Campaign, nation: str, **form: Any) -> str:
    fields = {
        "seat": campaign.seat(nation).pk,
        "name": "Old Otto",
        "postal_address": ADDRESS,
        "telephone": "",
        "zone": "Europe/Berlin",
    }
    return client.submit(url(campaign, "desk-paper-seat", nation), {**fields, **form}, follow=True)


@pytest.mark.both_databases
def test_player_without_e_mail_is_seated_by_name(as_: Browser, db: None, watch: Watch) -> None:
    campaign = Campaign.open(seats={"Germany": "gustav@example.org"})
    watch.set(campaign.now)
    page = seated(as_("ada"), campaign, "France")
    otto = Person.objects.get(name="Old Otto")
    assert "Old Otto plays France by post" in page
    assert (otto.by_post, otto.postal_address, otto.zone) == (True, ADDRESS, "Europe/Berlin")
    assert otto.email.endswith(STAND_IN)
    assert campaign.seat("France").sittings.get().person == otto
    # The same gamesmaster seats the same man in another game: no second person is created.
    other = Campaign.open(title="Another game", seats={"Germany": "gustav@example.org"})
    seated(as_("ada"), other, "France")
    assert Person.objects.filter(name="Old Otto").count() == 1


def test_newcomer_to_a_running_game_gets_printed_letters_on_record(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    watch.set(campaign.now)
    campaign.seat("France").sittings.update(until=campaign.now)
    seated(as_("ada"), campaign, "France")
    otto = Person.objects.get(name="Old Otto")
    assert campaign.game.acts.filter(kind="seated", seat=campaign.seat("France")).exists()
    assert Letter.objects.filter(person=otto, status="print").exists()
    assert not Letter.objects.filter(person=otto).exclude(status="print").exists()


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"name": " "}, "Enter the player’s name."),
        ({"postal_address": " ", "telephone": ""}, "nothing can reach Old Otto"),
        ({"zone": "Europe/Atlantis"}, "“Europe/Atlantis” is not a time zone"),
        ({"name": "x" * 90}, "is too long"),
    ],
)
def test_missing_fields_are_named_and_typed_text_stays(
    as_: Browser, db: None, watch: Watch, form: dict[str, str], message: str
) -> None:
    campaign = Campaign.open(seats={"Germany": "gustav@example.org"})
    page = seated(as_("ada"), campaign, "France", **form)
    assert message in page
    assert not Person.objects.filter(by_post=True).exists()


def test_postal_address_is_corrected_on_record(
    as_: Browser, by_post: Campaign, watch: Watch
) -> None:
    """Only for people without e-mail; others edit their own. Only the gamesmaster reads the old
    one."""
    watch.set(by_post.now)
    client, seat, gustav = as_("ada"), by_post.seat("Germany"), person("gustav")
    there = reverse("desk-paper-person", args=[by_post.game.pk, seat.pk, gustav.pk])
    form = {
        "name": "Gustav",
        "postal_address": "Am Markt 1\n\nBremen",
        "telephone": "+49 421 1",
        "zone": "Europe/Berlin",
    }
    assert "has a new address" in client.submit(there, form, follow=True)
    gustav.refresh_from_db()
    assert gustav.postal_address == "Am Markt 1\nBremen"
    assert (gustav.telephone, gustav.zone) == ("+49 421 1", "Europe/Berlin")
    act = by_post.game.acts.get(kind="readdressed")
    assert (act.private, act.about["before"]["postal_address"]) == (True, ADDRESS)
    assert "nothing can reach Gustav" in client.submit(
        there, {**form, "postal_address": "", "telephone": ""}
    )
    france, felix = by_post.seat("France"), person("felix")
    others = reverse("desk-paper-person", args=[by_post.game.pk, france.pk, felix.pk])
    assert client.post(others, form).status_code == 404
    codes = [as_(name).post(there, form).status_code for name in ("gustav", "charlie", None)]
    assert codes == [403, 403, 403]


def test_person_by_post_plays_one_nation_of_a_game(db: None) -> None:
    """As people with an address: two seats would give two votes and the secrets of both."""
    empty = dict.fromkeys(("Russia", "Germany"), "")
    campaign = Campaign.open(seats={"USA": "bot", "France": "bot", "Britain": "bot", **empty})
    ottilie = ("Ottilie", "Am Markt 1", "", "UTC", campaign.ada, campaign.now)
    seat_by_post(campaign.seat("Germany"), *ottilie)
    with pytest.raises(desk.DeskError, match="Ottilie already plays Germany in this game"):
        seat_by_post(campaign.seat("Russia"), *ottilie)


def test_taken_seat_is_not_given_again(campaign: Campaign) -> None:
    seat, ada = campaign.seat("France"), campaign.ada
    with pytest.raises(desk.DeskError, match="France is taken"):
        seat_by_post(seat, "Otto", ADDRESS, "", "UTC", ada, campaign.now)


# --- orders from paper ---


def typed(client: Visitor, campaign: Campaign, **form: Any) -> str:
    fields: dict[str, Any] = {
        "text": "PLACE 4 Poland",
        "posted_on": "2026-11-14",
        "do": "down",
        "seat": campaign.seat("Germany").pk,
    }
    return client.submit(url(campaign, "desk-paper-orders"), {**fields, **form}, follow=True)


def test_orders_from_paper_are_in_force_with_the_postmark_date(
    as_: Browser, by_post: Campaign, watch: Watch
) -> None:
    watch.set(by_post.now)
    page = typed(as_("ada"), by_post)
    submission = Submission.objects.get()
    assert "are in force" in page
    assert (submission.channel, submission.posted_on) == ("paper", date(2026, 11, 14))
    assert (submission.received_at, submission.counts) == (by_post.now, True)
    assert (submission.entered_by, submission.person) == (person("ada"), person("gustav"))
    receipt = Letter.objects.get(kind="receipt")
    assert receipt.status == "print"
    text = letter_text(receipt)
    assert "Ada took them down from a letter posted on 14 November 2026." in text


def test_paper_page_of_a_phase_that_takes_orders_links_to_no_ruling(
    as_: Browser, by_post: Campaign, watch: Watch
) -> None:
    """The link was not found; a phase held before its lock takes orders, too."""
    watch.set(by_post.now)
    for held in ({}, {"status": "held", "held_from": "open"}):
        Phase.objects.filter(pk=by_post.phase.pk).update(**held)
        page = as_("ada").read(url(by_post, "desk-paper"))
        assert "They count if you type them in before the deadline" in page
        assert "/rulings/phases/" not in page


def test_orders_from_paper_after_the_deadline_are_late_regardless_of_postmark(
    as_: Browser, by_post: Campaign, watch: Watch
) -> None:
    """received_at is evidence; slow post is a matter for a ruling, to which the page links."""
    watch.set(by_post.phase.deadline + timedelta(minutes=1))
    assert by_post.phase.status == "open"
    page = typed(as_("ada"), by_post)
    submission = Submission.objects.get()
    assert (submission.late, submission.counts) == (True, False)
    assert submission.posted_on == date(2026, 11, 14)
    assert "change nothing unless you accept them" in page


def test_orders_from_paper_belong_to_the_phase_that_the_page_showed(
    as_: Browser, by_post: Campaign, watch: Watch
) -> None:
    """The next phase may open while they are typed in."""
    client, shown = as_("ada"), by_post.phase
    watch.set(by_post.now)
    assert f'name="phase" value="{shown.number}"' in client.read(url(by_post, "desk-paper"))
    by_post.pass_deadline()
    watch.set(by_post.now)
    assert "stored, but late" in typed(client, by_post, text="PASS", phase=shown.number)
    submission = Submission.objects.get()
    assert (submission.phase, submission.late) == (shown, True)


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"posted_on": "yesterday"}, "“yesterday” is not a date"),
        ({"posted_on": ""}, "Enter the date of the postmark."),
        ({"posted_on": "2026-12-24"}, "is in the future"),
        ({"seat": ""}, "Choose whose orders these are."),
        ({"seat": "0"}, "Choose whose orders these are."),
        ({"text": ""}, "Nothing was written."),
    ],
)
def test_invalid_paper_orders_are_explained_and_typed_text_stays(
    as_: Browser, by_post: Campaign, watch: Watch, form: dict[str, str], message: str
) -> None:
    watch.set(by_post.now)
    page = typed(as_("ada"), by_post, **form)
    assert message in page
    assert form.get("text", "PLACE 4 Poland") in page
    assert not Submission.objects.exists()


def test_paper_orders_can_be_previewed(as_: Browser, by_post: Campaign, watch: Watch) -> None:
    watch.set(by_post.now)
    page = typed(as_("ada"), by_post, do="check", text="place 4 pol\n\nPLACE 3 Mars")
    assert "<code>PLACE 4 Poland</code>" in page
    assert "there is no area" in page
    assert not Submission.objects.exists()


# --- permissions and methods ---

GETS = ("desk-paper", "desk-paper-print", "desk-paper-board")
OF_SEAT = ("desk-paper-seat-board", "desk-paper-form", "desk-paper-report")
POSTS = ("desk-paper-posted", "desk-paper-orders")


def everything(campaign: Campaign) -> list[tuple[str, str]]:
    return [
        *(("get", url(campaign, name)) for name in GETS),
        *(("post", url(campaign, name)) for name in POSTS),
        *(("get", url(campaign, name, "Germany")) for name in OF_SEAT),
        ("post", url(campaign, "desk-paper-seat", "Germany")),
    ]


@pytest.mark.parametrize("somebody", ["gustav", "charlie", None])
def test_paper_page_is_for_gamesmasters_only(
    as_: Browser, by_post: Campaign, somebody: str | None
) -> None:
    by_post.pass_deadline()
    client = as_(somebody)
    for method, address in everything(by_post):
        refused = getattr(client, method)(address)
        assert refused.status_code == (302 if somebody is None else 403), address
        other = getattr(as_("ada"), "get" if method == "post" else "post")
        assert other(address).status_code == 405, address


def test_gamesmaster_of_another_game_cannot_open_the_paper_page(
    as_: Browser, by_post: Campaign
) -> None:
    by_post.pass_deadline()
    other = Campaign.begin(title="Another game")
    other.game.gamesmasters.set([person("dana")])
    for method, address in everything(by_post):
        assert getattr(as_("dana"), method)(address).status_code == 403
    for name in OF_SEAT:
        crossed = reverse(name, args=[by_post.game.pk, other.seat("Germany").pk])
        assert as_("ada").get(crossed).status_code == 404
    assert as_("ada").get(url(by_post, "desk-paper-form", "Germany")).status_code == 200


def test_only_reader_and_gamesmaster_print_a_letter(as_: Browser, by_post: Campaign) -> None:
    mine = Letter.objects.get(kind="opened", person=person("gustav"))
    felix = Letter.objects.get(kind="opened", person=person("felix"))

    def seen(name: str | None, letter: Letter) -> int:
        return as_(name).get(reverse("letter-pdf", args=[letter.code])).status_code

    codes = [seen(name, mine) for name in ("gustav", "ada", "felix", "charlie", None)]
    assert codes == [200, 200, 404, 404, 302]
    assert [seen(name, felix) for name in ("felix", "ada", "gustav")] == [200, 404, 404]
    secret = Letter.objects.filter(secret=True).first()
    assert secret is not None
    with override_settings(DEMONSTRATION=True):
        assert seen("ada", felix) == 200
        assert seen("ada", secret) == 404


def test_playing_gamesmaster_prints_letters_only_for_players_without_e_mail(
    as_: Browser, by_post: Campaign
) -> None:
    by_post.pass_deadline()
    by_post.seat("USA").sittings.create(person=by_post.ada, since=by_post.now)
    client = as_("ada")
    statuses = {
        nation: client.get(url(by_post, "desk-paper-form", nation)).status_code
        for nation in ("USA", "France", "Germany")
    }
    assert statuses == {"USA": 200, "France": 404, "Germany": 200}


def test_form_and_report_are_missing_before_the_game(as_: Browser, db: None) -> None:
    forming = Campaign.open()
    assert forming.game.phases.current() is None
    client = as_("ada")
    assert client.get(url(forming, "desk-paper")).status_code == 200
    assert client.get(url(forming, "desk-paper-board")).content.startswith(b"%PDF")
    for name in ("desk-paper-form", "desk-paper-report"):
        assert client.get(url(forming, name, "USA")).status_code == 404
    assert "has not begun" in typed(client, forming)
