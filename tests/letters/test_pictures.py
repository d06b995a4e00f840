"""Boards as inline pictures in letters (issue 6, 2): drawn once, never blocking a letter."""

from __future__ import annotations

import io
import re
from email.message import EmailMessage
from pathlib import Path

import pytest
from django.urls import reverse
from PIL import Image
from pytest_django import Settings

from games import boards
from games.boards import images
from games.letters import builders, delivery, printing, rendering, sending
from games.letters.mime import Message
from games.models import Letter
from tests.inbound.post import answer_letter
from tests.letters.postoffice import OK, PostOffice, parts
from tests.support.browsing import Visitor
from tests.support.campaign import MONDAY, Campaign

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


@pytest.fixture(autouse=True)
def _nothing_drawn_yet(settings: Settings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path
    images._LATEST.clear()


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that collects the title of every picture drawn from now on."""
    titles: list[str] = []
    draw = boards.board_png

    def noted(*given: object, **how: object) -> bytes:
        titles.append(str(how["title"]))
        return draw(*given, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(boards, "board_png", noted)
    return titles


def new_campaign() -> Campaign:
    campaign = Campaign.begin()
    Letter.objects.exclude(kind="opened").delete()
    return campaign


def post() -> int:
    token, ids = sending.claim(MONDAY, 50)
    return sending.send(ids, token, MONDAY)


def words_of(message: EmailMessage) -> EmailMessage:
    """Return the part of a message beside the calendar entry of its deadline."""
    assert message.get_content_type() == "multipart/mixed"
    words, entry = message.iter_parts()
    assert entry.get_content_type() == "text/calendar"
    assert words.get_content_type() == "multipart/alternative"
    assert isinstance(words, EmailMessage)
    return words


def picture_in(message: EmailMessage) -> tuple[str, bytes]:
    """Return the HTML and the picture of a letter, checking the structure that mail programs
    expect."""
    text, related = words_of(message).iter_parts()
    assert text.get_content_type() == "text/plain"
    assert related.get_content_type() == "multipart/related"
    assert related.get_param("type") == "text/html"
    html, image = related.iter_parts()
    assert html.get_content_type() == "text/html"
    assert image.get_content_type() == "image/png"
    assert image.get_content_disposition() == "inline"
    [cid] = re.findall(r'<img src="cid:([^"]+)"', html.get_content())
    assert image["Content-ID"] == f"<{cid}>"
    return html.get_content(), image.get_content()


def test_letter_with_the_board_has_its_picture(office: PostOffice) -> None:
    """Under 150 kB, twice its shown width or more, with other text, no wider than the letter."""
    new_campaign()
    assert post() == 6
    for _, message in office.taken:
        html, png = picture_in(message)
        assert len(png) < 150_000
        assert Image.open(io.BytesIO(png)).width == 1160
        [image] = re.findall(r"<img [^>]*>", html)
        assert 'alt="The board as a map. The table below says the same in figures."' in image
        assert 'width="560"' in image
        assert "max-width:560px" in image


def test_letter_is_complete_without_the_picture(office: PostOffice) -> None:
    """Issue 6, 2."""
    new_campaign()
    post()
    text, html = parts(office.to("gustav@example.org")[0])
    assert "cid:" not in text
    assert "picture" not in text
    for area in ("Rhineland", "Baltic States", "Germany"):
        assert area in text
        assert area in html


def test_board_is_drawn_once_for_all_its_letters(office: PostOffice, drawn: list[str]) -> None:
    new_campaign()
    assert post() == 6
    assert drawn == ["Turn 1, placement\nThe board as orders begin"]
    images._LATEST.clear()  # like another process later
    Letter.objects.update(status="queued", due_at=MONDAY)
    assert post() == 6
    assert len(drawn) == 1
    assert len({picture_in(message)[1] for _, message in office.taken}) == 1


def test_board_is_drawn_once_per_process_without_a_folder(
    office: PostOffice, drawn: list[str], settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    settings.VAR_DIR = tmp_path / "file"
    new_campaign()
    assert post() == 6
    assert len(drawn) == 1


def test_incomplete_picture_file_is_drawn_again(drawn: list[str], tmp_path: Path) -> None:
    """After a crash; files appear complete or not at all."""
    new_campaign()
    letter = Letter.objects.first()
    assert letter is not None
    whole = rendering.render(letter).picture
    [file] = (tmp_path / "boards").iterdir()
    file.write_bytes(b"")
    images._LATEST.clear()
    assert rendering.render(letter).picture == whole
    assert len(drawn) == 2
    assert file.read_bytes() == (whole.png if whole else b"")


def test_retry_sends_identical_bytes(office: PostOffice, monkeypatch: pytest.MonkeyPatch) -> None:
    """Promise 4, to the last byte: boundaries, and a picture that must be drawn again."""
    new_campaign()
    Letter.objects.exclude(address="gustav@example.org").delete()
    sent: list[bytes] = []
    deliver = delivery.Server.send

    def noted(self: delivery.Server, message: Message) -> None:
        sent.append(message.message().as_bytes())
        deliver(self, message)

    monkeypatch.setattr(delivery.Server, "send", noted)
    office.at_content = ["451 come back later", OK]
    assert post() == 0
    Letter.objects.update(due_at=MONDAY)
    images._LATEST.clear()
    assert post() == 1
    assert len(sent) == 2
    assert sent[0] == sent[1]
    assert office.to("gustav@example.org")[0]["Message-ID"] == Letter.objects.get().message_id


def test_picture_that_cannot_be_drawn_stops_no_letter(
    office: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_campaign()

    def broken(*given: object, **how: object) -> bytes:
        raise RuntimeError("no ink")

    monkeypatch.setattr(boards, "board_png", broken)
    assert post() == 6
    for _, message in office.taken:
        assert "<img" not in parts(message)[1]
        assert [part.get_content_type() for part in words_of(message).iter_parts()] == [
            "text/plain",
            "text/html",
        ]


def test_retry_without_the_picture_leaves_no_broken_image(
    office: PostOffice, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    new_campaign()
    office.at_content = ["451 come back later", OK]
    post()
    assert Letter.objects.filter(html__contains="cid:").exists()
    images._LATEST.clear()
    for file in (tmp_path / "boards").iterdir():
        file.unlink()
    monkeypatch.setattr(boards, "board_png", lambda *given, **how: 1 / 0)
    Letter.objects.update(due_at=MONDAY)
    office.taken.clear()
    post()
    assert office.taken
    assert all("<img" not in parts(message)[1] for _, message in office.taken)


def test_setting_turns_pictures_off(
    office: PostOffice, settings: Settings, drawn: list[str]
) -> None:
    settings.MAIL_PICTURES = False
    new_campaign()
    post()
    assert not drawn
    assert all("<img" not in parts(message)[1] for _, message in office.taken)


def test_printed_letter_draws_no_picture(drawn: list[str]) -> None:
    new_campaign()
    letter = Letter.objects.first()
    assert letter is not None
    printing.content(letter)
    assert not drawn


def test_report_picture_marks_changes_and_has_a_description() -> None:
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.pass_deadline()
    [letter] = campaign.letters("board", "gustav")
    drawing = builders.build(letter)["drawing"].draw()
    assert ("Poland", "Germany") in drawing.changed
    assert drawing.title == "Turn 1, placement\nThe board as judged"
    assert letter.html.count("<img") == 1


def test_demonstration_page_shows_the_picture_of_a_letter(settings: Settings) -> None:
    """The frame has no origin and sends no cookies, so the picture is embedded."""
    settings.DEMONSTRATION = True
    new_campaign()
    post()
    letter = Letter.objects.filter(kind="opened").first()
    assert letter is not None
    shown = Visitor().read(reverse("letter", args=[letter.code]))
    assert "data:image/png;base64," in shown
    assert "cid:" not in shown


def test_answer_to_board_has_the_picture_of_the_same_result() -> None:
    """Issue 6, 4: also when it is rendered again later."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 4 Poland")
    first = answer_letter(campaign, campaign.players["Germany"], "BOARD")
    assert first.picture is not None
    assert f'src="cid:{first.picture.cid}"' in first.html
    assert len(first.picture.png) < 150_000
    letter = Letter.objects.filter(kind="answer").latest("pk")
    campaign.pass_deadline()
    drawing = builders.build(letter)["drawing"].draw()
    assert drawing.board.cells == {}
    assert drawing.title == "The board as the game begins"
    answer_letter(campaign, campaign.players["Germany"], "BOARD")
    drawing = builders.build(Letter.objects.filter(kind="answer").latest("pk"))["drawing"].draw()
    assert drawing.board.cells["Poland"]["Germany"].pf == 4
    assert drawing.title == "Turn 1, placement\nThe board as judged"


def test_answer_without_a_board_has_no_picture() -> None:
    campaign = Campaign.begin()
    assert answer_letter(campaign, campaign.players["Germany"], "STATUS").picture is None
