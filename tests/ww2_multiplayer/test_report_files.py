"""Files with a referee report: checked, sent along, readable by nobody else before it (issue
25.10)."""

from __future__ import annotations

import zipfile
from email import message_from_bytes

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from PIL import Image

from games import desk
from games.letters import delivery, sending
from games.letters.mime import Message
from games.models import Letter, ReportFile
from games.ww2_multiplayer import report_files
from tests.support.campaign import Campaign
from tests.support.stored import stored

from .campaign import Refereed
from .report_files import packed_by_hand, picture, picture_that_claims, saved_game

pytestmark = [pytest.mark.django_db, pytest.mark.guest]


@pytest.fixture
def war() -> Refereed:
    def build() -> Refereed:
        war = Refereed.begin(players=4, options={"spi.us_entry": "base_schedule"})
        war.play_to("referee")
        return war

    return stored("refereed, first report of four", build)


def upload(war: Refereed, client: Client, name: str, content: bytes) -> None:
    client.force_login(war.ada)
    address = reverse("report-files", args=[war.game.pk])
    client.post(address, {"file": SimpleUploadedFile(name, content)})


@pytest.mark.letters
def test_files_are_sent_with_the_report_and_linked_on_its_page(
    war: Refereed, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    posted: list[Message] = []
    monkeypatch.setattr(delivery.Server, "send", lambda _, letter: posted.append(letter))
    upload(war, client, "../The map, Sept 1939.JPEG", picture("JPEG"))
    upload(war, client, "war.vsav", saved_game())
    phase, felix = war.phase, war.players["France"]
    war.report(final=True)
    war.carry_out()
    letter = Letter.objects.get(kind="board", phase=phase, person=felix)
    token, ids = sending.claim(war.now, 500)
    sending.send(ids, token, war.now)
    sent = next(
        message for message in posted if message.extra_headers["Message-ID"] == letter.message_id
    )
    message = message_from_bytes(sent.message().as_bytes())
    names = [part.get_filename() for part in message.walk() if part.get_filename()]
    assert names[:2] == ["the-map-sept-1939.jpg", "war.vsav"]
    assert "Files that came with the report: the-map-sept-1939.jpg, war.vsav." in sent.body
    client.force_login(felix)
    page = client.get(reverse("phase", args=[war.game.pk, phase.number])).content.decode()
    first = ReportFile.objects.first()
    assert first is not None
    address = reverse("report-file", args=[war.game.pk, first.code])
    assert address in page
    answer = client.get(address)
    assert answer["Content-Disposition"] == 'attachment; filename="the-map-sept-1939.jpg"'
    assert answer["Content-Type"] == "image/jpeg"
    assert b"Ada's house" not in answer.content


def test_file_is_readable_only_to_its_gamesmaster_before_the_report(
    war: Refereed, client: Client
) -> None:
    upload(war, client, "map.png", picture())
    address = reverse("report-file", args=[war.game.pk, ReportFile.objects.get().code])
    assert client.get(address).status_code == 200
    client.force_login(war.players["Germany"])
    assert client.get(address).status_code == 404
    client.post(reverse("report-files", args=[war.game.pk]), {"remove": "1"})
    assert ReportFile.objects.exists()


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("map.png", b"<svg onload=alert(1)>", "“map.png” cannot be sent with a report"),
        ("map.png", picture()[:50], "cannot be sent"),
        ("all.zip", saved_game("other"), "“all.zip” cannot be sent"),
        ("big.png", b"x" * 1_000_001, "at most 1,000,000 can be sent"),
    ],
    ids=["a script", "half a picture", "another archive", "too large"],
)
def test_files_other_than_pictures_and_saved_games_are_refused(
    war: Refereed, name: str, content: bytes, why: str
) -> None:
    with pytest.raises(desk.DeskError, match=why):
        report_files.add(war.phase, war.ada, name, content, war.now)


BEFORE, AFTER = b"<html><script>alert(1)</script>", b"<script>alert(2)</script>"


@pytest.mark.parametrize(
    "content",
    [
        BEFORE + saved_game(),
        saved_game() + AFTER,
        saved_game(*(f"e{number}" for number in range(20)), "savedGame"),
        saved_game("savedGame", "../../.bashrc"),
        saved_game("savedGame", "scripts/run"),
        saved_game("savedGame", text="0" * 1_000_000),
        saved_game()[:-30],
        saved_game()[:60] + saved_game(),
        b"%!PS\n%PDF-1.7\n" + saved_game(),
        b"%PDF-1.7\n%%EOF\n",
        packed_by_hand(after_first=BEFORE),
        packed_by_hand(more=BEFORE),
        packed_by_hand(second_called=b"../../.bashrc"),
        packed_by_hand(second_called=b"savedata.html"),
        packed_by_hand(text=b"0" * 3_000_000, says=3_000),
        packed_by_hand(after_packed=BEFORE),
        packed_by_hand(text=b"%PDF-1.7\n", level=0),
    ],
    ids=[
        "a page before it",
        "a page after it",
        "too many entries",
        "an entry above its folder",
        "an entry in a folder",
        "entries that grow a thousand times",
        "half an archive",
        "half an archive before it",
        "a program before it",
        "a PDF file",
        "a page between two entries",
        "a page in further fields of an entry",
        "an entry that its own header puts above its folder",
        "an entry that its own header calls a page",
        "entries that grow more than they say",
        "a page after the end of an entry's packed bytes",
        "a PDF file as an entry that is not packed",
    ],
)
def test_archive_that_is_more_than_a_saved_game_is_refused(war: Refereed, content: bytes) -> None:
    """Nobody unpacks it here, and players may open it with any program."""
    with pytest.raises(desk.DeskError, match="cannot be sent with a report"):
        report_files.add(war.phase, war.ada, "war.vsav", content, war.now)


@pytest.mark.parametrize("sizes_follow", [False, True])
def test_saved_game_is_sent_as_it_is(war: Refereed, sizes_follow: bool) -> None:
    """VASSAL writes the sizes of an entry after it, as Java does."""
    for content in (saved_game(), packed_by_hand(sizes_follow=sizes_follow)):
        kept = report_files.add(war.phase, war.ada, "war.vsav", content, war.now)
        assert bytes(kept.content) == content
        report_files.remove(war.phase, war.ada, kept.code)


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_picture_is_sent_without_what_stands_after_its_end_or_in_its_comments(
    war: Refereed, kind: str
) -> None:
    content = picture(kind, comment=BEFORE, icc_profile=BEFORE) + AFTER + saved_game()
    kept = bytes(report_files.add(war.phase, war.ada, "map", content, war.now).content)
    assert kept.startswith(content[:2])
    assert not any(hidden in kept for hidden in (b"script", b"savedGame", b"Ada's house"))


def test_first_of_several_pictures_in_one_file_is_sent(war: Refereed) -> None:
    """Telephones write photographs so, and call them JPEG."""
    content = picture("MPO", save_all=True, append_images=[Image.new("RGB", (40, 30), "blue")])
    kept = report_files.add(war.phase, war.ada, "map.jpg", content, war.now)
    assert (kept.name, kept.media_type) == ("map.jpg", "image/jpeg")


@pytest.mark.parametrize("width", [5_001, 20_000])
def test_picture_that_claims_too_many_pixels_is_refused_on_the_page(
    war: Refereed, client: Client, width: int
) -> None:
    client.force_login(war.ada)
    files = {"file": SimpleUploadedFile("map.png", picture_that_claims(width, width))}
    page = client.post(reverse("report-files", args=[war.game.pk]), files, follow=True)
    text = page.content.decode()
    assert "pixels. Make it smaller: at most 25 million are allowed." in text
    assert not ReportFile.objects.exists()


@pytest.mark.parametrize("error", [RuntimeError, KeyError, MemoryError, NotImplementedError])
def test_file_on_which_its_reader_fails_in_any_way_is_refused(
    war: Refereed, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    contents = picture(), saved_game()

    def fail(*_: object, **__: object) -> None:
        raise error("of a kind that the reader does not name")

    monkeypatch.setattr(Image, "open", fail)
    monkeypatch.setattr(zipfile, "ZipFile", fail)
    for content in contents:
        with pytest.raises(desk.DeskError, match="“map” cannot be sent with a report"):
            report_files.add(war.phase, war.ada, "map", content, war.now)


def test_file_of_a_person_who_may_send_none_is_not_opened(
    war: Refereed, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gamesmaster of any game could otherwise give the readers work."""
    other = Campaign.begin()
    opened: list[str] = []
    monkeypatch.setattr(report_files, "_check_content", lambda *_: opened.append("a file"))
    for phase, who in ((other.phase, other.ada), (war.phase, war.players["Germany"])):
        with pytest.raises(desk.DeskError, match="Files are sent with a report by the gamesmaster"):
            report_files.add(phase, who, "map.png", picture(), war.now)
    client.force_login(other.ada)
    upload = {"file": SimpleUploadedFile("map.png", picture())}
    answer = client.post(reverse("report-files", args=[other.game.pk]), upload)
    assert answer.status_code == 302
    assert opened == []


def test_report_has_at_most_three_files_which_stay_once_it_is_closed(war: Refereed) -> None:
    phase = war.phase
    for name in ("a.png", "b.png", "c.png"):
        report_files.add(phase, war.ada, name, picture(), war.now)
    with pytest.raises(desk.DeskError, match="at most 3 files"):
        report_files.add(phase, war.ada, "d.png", picture(), war.now)
    report_files.remove(phase, war.ada, phase.report_files.all()[0].code)
    war.report(final=True)
    war.carry_out()
    with pytest.raises(desk.DeskError, match="is closed"):
        report_files.add(phase, war.ada, "d.png", picture(), war.now)
    assert phase.report_files.count() == 2
