"""Hashes in letters against a fully rewritten record (issue 19, item 6; contract.md 5)."""

from __future__ import annotations

import copy
import io
import mailbox
from email.message import EmailMessage
from email.mime.text import MIMEText
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from games.evidence import export
from games.rules.verification import checker, letters

Tree = dict[str, Any]
pytestmark = pytest.mark.django_db  # for the one game
HASHES = [f"{number:02x}" * 32 for number in (0x3F, 0xA9, 0xC4)]


@pytest.fixture
def tree(whole: Tree) -> Tree:
    """Return the record of game 12, with three entries."""
    entries = [
        {"number": n, "made": whole["opened"], "covers": [], "salt": "", "leaf": "", "hash": h}
        for n, h in enumerate(HASHES, 1)
    ]
    return {**copy.deepcopy(whole), "id": 12, "entries": entries}


def record_line(hash_: str, game: int = 12) -> str:
    return f"Record hash of game {game}: {hash_[:32]}"


def receipt_line(tree: Tree, number: int) -> str:
    row = next(
        row for phase in tree["phases"] for row in phase["submissions"] if row["number"] == number
    )
    return f"Hash of this submission to game 12: {row['hash'][:32]}"


def compared(tree: Tree, *texts: str | bytes) -> tuple[bool, str]:
    letters_read = [
        letter
        for text in texts
        for letter in letters.read("letter", text if isinstance(text, bytes) else text.encode())
    ]
    return letters.compare(tree, letters_read)


def message(text: str, **given: Any) -> EmailMessage:
    email = EmailMessage()
    email["Subject"], email["Date"] = "[Tëst] Turn 2: the board", "Tue, 17 Nov 2026 10:00:00 +0000"
    email.set_content(text, **given)
    return email


def test_all_hashes_of_a_letter_match(tree: Tree) -> None:
    text = f"Turn 2 is open.\n\n{record_line(HASHES[1])}\n{receipt_line(tree, 3)}\n"
    assert compared(tree, text) == (True, "1 letter read: all 2 hashes in them are in this record.")


def test_full_hash_matches(tree: Tree) -> None:
    assert compared(tree, f"Record hash of game 12: {HASHES[0].upper()}")[0] is True


LINE = record_line(HASHES[2])
HTML = (
    "<style>p {}</style><p>Record <b>hash</b> of\n game&nbsp;12:"
    f" <code>{HASHES[2][:32]}</code></p>"
)
FORMS: dict[str, bytes] = {
    "plain text": LINE.encode(),
    "with a byte order mark": f"\ufeff{LINE}".encode(),
    "UTF-16": LINE.encode("utf-16"),
    "Windows lines": f"Hello\r\n{LINE}\r\n".encode(),
    "quoted": f"> > {LINE}\n".encode(),
    "quoted and wrapped": b"> Record hash of game\n> 12: " + HASHES[2][:32].encode(),
    "no valid UTF-8": b"\xe4\xf6\n" + LINE.encode(),
    "quoted-printable": message(f"Grüße\n{LINE}", cte="quoted-printable").as_bytes(),
    "base64": message(f"Grüße\n{LINE}", cte="base64").as_bytes(),
    "another charset": message(f"Привет\n{LINE}", charset="koi8-r", cte="base64").as_bytes(),
    "UTF-16 in base64": MIMEText(LINE, "plain", "utf-16").as_bytes(),
    "an unknown charset": (
        b"Subject: x\nContent-Type: text/plain; charset=martian\n\n" + LINE.encode()
    ),
    "HTML alone": message(HTML, subtype="html").as_bytes(),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_hash_is_found_in_every_form_of_a_letter(tree: Tree, form: str) -> None:
    assert compared(tree, FORMS[form]) == (
        True,
        "1 letter read: the hash in them is in this record.",
    )


def test_letter_with_text_and_html_counts_its_hash_once(tree: Tree) -> None:
    both = message(LINE)
    both.add_alternative(f"<p>{LINE}</p>", subtype="html")
    assert (
        compared(tree, both.as_bytes())[1] == "1 letter read: the hash in them is in this record."
    )


def test_an_attached_message_is_read(tree: Tree) -> None:
    outer = message("See below.")
    outer.add_attachment(message(LINE))
    assert compared(tree, outer.as_bytes())[0] is True


def test_an_attached_message_of_html_alone_is_read(tree: Tree) -> None:
    outer = message("See below.")
    outer.add_attachment(message(HTML, subtype="html"))
    assert compared(tree, outer.as_bytes()) == (
        True,
        "1 letter read: the hash in them is in this record.",
    )


def attached(inner: bytes, media_type: str) -> bytes:
    """Return a message with another one in base64, as some programs attach it."""
    outer = message("See below.")
    maintype, _, subtype = media_type.partition("/")
    outer.add_attachment(inner, "application", "octet-stream", filename="letter.eml")
    return outer.as_bytes().replace(b"application/octet-stream", f"{maintype}/{subtype}".encode())


@pytest.mark.parametrize("form", ["base64", "HTML alone"])
@pytest.mark.parametrize(
    "media_type", ["message/rfc822", "application/octet-stream", "text/plain", "text/x-mail"]
)
def test_a_message_is_read_however_it_is_attached(tree: Tree, form: str, media_type: str) -> None:
    raw = attached(FORMS[form], media_type)
    expected = True, "1 letter read: the hash in them is in this record."
    assert compared(tree, raw) == expected
    assert compared(tree, attached(raw, media_type)) == expected


def test_messages_within_each_other_end(tree: Tree) -> None:
    """A file of headers alone makes the checker neither slow nor fail."""
    raw = b"Subject: x\n\n" * 5_000 + LINE.encode()
    assert compared(tree, raw)[0] is True
    raw = LINE.encode()
    for _ in range(20):
        raw = attached(message("x").as_bytes() + raw, "message/rfc822")
    assert compared(tree, raw)[1].endswith("so that nothing was compared.")


def test_a_mailbox_is_read_letter_by_letter(tree: Tree, tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "box")
    for text in (LINE, "From here on nothing.", record_line("ab" * 32)):
        box.add(message(text))
    box.close()
    follows, sentence = letters.compare(tree, letters.read("box", (tmp_path / "box").read_bytes()))
    assert follows is False
    assert (
        sentence
        == "3 letters read: 1 of 2 hashes match. The first that does not: box, “[Tëst] Turn 2: the"
        " board”, Tue, 17 Nov 2026 10:00:00 +0000, “Record hash of game 12:"
        " abababababababababababababababab”: no entry of this record has that hash."
    )


def test_first_mismatched_hash_is_named(tree: Tree) -> None:
    line = receipt_line(tree, 3)
    row = next(
        row for phase in tree["phases"] for row in phase["submissions"] if row["number"] == 3
    )
    row["hash"] = "0" * 64
    follows, sentence = compared(
        tree, f"{LINE}\n{line}\nHash of this submission to game 12: {'1' * 32}"
    )
    assert follows is False
    assert (
        sentence
        == f"1 letter read: 1 of 3 hashes match. The first that does not: letter, “{line}”: this"
        " record has no such submission."
    )


def test_hash_of_a_submission_is_compared_with_every_submission(tree: Tree) -> None:
    """Receipts do not show the number within the game (mail.md B10)."""
    lines = [receipt_line(tree, number) for number in (1, 3)]
    quoted = "\n".join(lines).replace(
        "Hash of this submission to", "> Hash of this\n> submission to"
    )
    assert compared(tree, quoted) == (
        True,
        "1 letter read: all 2 hashes in them are in this record.",
    )
    unknown = f"Hash of this submission to game 12: {'1' * 32}"
    assert compared(tree, *lines, unknown) == (
        False,
        f"3 letters read: 2 of 3 hashes match. The first that does not: letter, “{unknown}”: this"
        " record has no such submission.",
    )


def test_hashes_of_other_games_are_counted_and_named(tree: Tree) -> None:
    others = (
        f"{record_line('ab' * 32, 7)}\n{record_line('ab' * 32, 3)}\n"
        f"Hash of this submission to game 3: {'a' * 32}\n"
    )
    assert compared(tree, others, LINE) == (
        True,
        "2 letters read; 3 hashes of games 3, 7 left out: the hash in them is in this record.",
    )
    follows, sentence = compared(tree, others)
    assert follows is False
    assert "none has a line “Record hash of game 12: …”" in sentence


@pytest.mark.parametrize(
    "text",
    ["Hello", f"Record hash of game 12: {'a' * 31}", "Record hash of game twelve: " + "a" * 32],
)
def test_letter_without_a_hash_of_this_game_does_not_match(tree: Tree, text: str) -> None:
    follows, sentence = compared(tree, text)
    assert follows is False
    assert "nothing was compared" in sentence


def test_record_without_entries_does_not_match_a_letter(tree: Tree) -> None:
    assert compared({**tree, "entries": []}, LINE)[0] is False


def running(tree: Tree) -> Tree:
    """Return the record as the public may have it while the game goes on."""
    for phase in tree["phases"]:
        phase["submissions"] = []
    return {**tree, "complete": False, "status": "running"}


def test_receipts_of_a_running_game_are_counted_apart(tree: Tree) -> None:
    """Its public record leaves out submissions, which is no mismatch."""
    receipts = "\n".join(receipt_line(tree, number) for number in (1, 3))
    public, entries_shown = running(tree), "\n".join(map(record_line, HASHES))
    assert compared(public, f"{receipts}\n{entries_shown}") == (
        True,
        "1 letter read: 3 of 3 hashes match; 2 cannot be compared until the game is over.",
    )
    assert compared(public, receipts) == (
        True,
        "1 letter read: 2 hashes, which cannot be compared until the game is over.",
    )
    follows, sentence = compared(public, f"{receipts}\n{record_line('ab' * 32)}\n{LINE}")
    assert follows is False
    assert sentence.startswith(
        "1 letter read: 1 of 2 hashes match; 2 cannot be compared until the game is over. The first"
        " that does not: letter, “Record hash of game 12: abab"
    )
    assert sentence.endswith("download the record again.")


def lock_lines(tree: Tree, number: int, **leaves: str) -> str:
    """Return what a letter says about the lock of a phase, with leaves to replace true ones."""
    phase = tree["phases"][number - 1]
    shown = {**phase["leaves"], **leaves}
    return "\n".join(
        [
            f"SHA-256 over all orders in force in phase {number} of game 12:",
            f"    {phase['digest']}",
            *(f"{nation}: {leaf}" for nation, leaf in shown.items()),
        ]
    )


def test_digests_and_leaves_in_letters_are_compared(tree: Tree) -> None:
    """They show 256 bits each."""
    leaves = {number: tree["phases"][number - 1]["leaves"] for number in (1, 2)}
    assert all(leaves.values())
    texts = [lock_lines(tree, 1), f"> {lock_lines(tree, 2)}".replace("\n", "\n> ")]
    hashes = 2 + len(leaves[1]) + len(leaves[2])
    expected = f"2 letters read: all {hashes} hashes in them are in this record."
    assert compared(tree, *texts) == (True, expected)
    public = running(copy.deepcopy(tree))
    assert compared(public, *texts) == (True, expected)

    nation = next(iter(leaves[1]))
    follows, sentence = compared(tree, lock_lines(tree, 1, **{nation: "ab" * 32}))
    assert follows is False
    assert f"“{nation}: {'ab' * 32}”: that is not the leaf of {nation} in phase 1" in sentence
    tree["phases"][1]["digest"] = "0" * 64
    follows, sentence = compared(tree, texts[1])
    assert follows is False
    assert sentence.endswith("phase 2 of this record does not have that digest.")


def test_digest_in_html_alone_is_compared(tree: Tree) -> None:
    lines = lock_lines(tree, 2).splitlines()
    page = message("".join(f"<p>{line}</p>" for line in lines), subtype="html").as_bytes()
    assert compared(tree, page)[1].startswith(f"1 letter read: all {len(lines) - 1} hashes")


def test_mismatched_record_hash_of_a_running_game_may_be_newer(tree: Tree) -> None:
    assert "download the record again" in compared(running(tree), record_line("ab" * 32))[1]


@pytest.mark.parametrize("data", [b"", b" \n", b"\x89PNG\r\n\x1a\n\x00\x00", b"PK\x03\x04\x00\x00"])
def test_file_that_is_not_a_letter_is_refused(data: bytes) -> None:
    with pytest.raises(letters.LetterError, match=r"picture\.png is not a letter"):
        letters.read("picture.png", data)


# --- the commands ---


@pytest.fixture
def files(whole: Tree, tmp_path: Path) -> dict[str, str]:
    """Return paths of the record and of letters with its hash, another hash, and none."""
    texts = {
        "record": export.text(whole),
        "other": f"Record hash of game {whole['id']}: {'ab' * 16}",
        "none": "Hello",
    }
    row = whole["phases"][0]["submissions"][0]
    texts["good"] = f"Hash of this submission to game {whole['id']}: {row['hash'][:32]}"
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return {name: str(tmp_path / name) for name in (*texts, "nowhere")}


CASES = [
    (("good",), 0, "the hash in them is in this record"),
    (("good", "other"), 1, "1 of 2 hashes match"),
    (("none",), 1, "nothing was"),
]


@pytest.mark.parametrize(("names", "code", "sentence"), CASES)
def test_checker_and_command_say_the_same(
    files: dict[str, str],
    names: tuple[str, ...],
    code: int,
    sentence: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    paths = [files[name] for name in names]
    assert checker.main([files["record"], "--letters", *paths]) == code
    printed = capsys.readouterr().out
    assert printed.splitlines()[0].startswith("All 4 phases follow")
    assert sentence in printed.splitlines()[1]
    out, exit_code = io.StringIO(), 0
    try:
        call_command("verify", files["record"], "--letters", *paths, stdout=out)
    except SystemExit as stopped:
        exit_code = int(stopped.code or 0)
    assert (out.getvalue(), exit_code) == (printed, code)


def test_unreadable_letter_exits_with_2(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert checker.main([files["record"], "--letters", files["good"], files["nowhere"]]) == 2
    assert "nowhere cannot be read" in capsys.readouterr().err
    with pytest.raises(CommandError, match="nowhere cannot be read") as refused:
        call_command("verify", files["record"], "--letters", files["nowhere"])
    assert refused.value.returncode == 2
    assert checker.main([files["record"], "--letters"]) == 2
    assert checker.main(["--letters", files["good"]]) == 2
    assert "--letters FILE..." in capsys.readouterr().err
