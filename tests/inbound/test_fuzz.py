"""Damaged messages: nothing raises, and no inserted line is an order (issue 4).

Ten thousand in a soak, a tenth of each kind each day.
"""

from __future__ import annotations

import random
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from games.base import markers
from orders.inbound.identity import trust
from orders.inbound.parsing import headers, parts, quoting, reading
from orders.inbound.parsing.commands import Orders, PressItem, Script
from orders.inbound.parsing.message import Message
from orders.inbound.parsing.normalize import looks_like_order
from tests.support.examples import examples

from . import corpus, mutations

NAMES = sorted(corpus.EXPECTED)
#: Messages whose headers alone show that they are automatic.
AUTOMATIC = [
    name
    for name in NAMES
    if corpus.parsed(corpus.raw(name).partition(b"\r\n\r\n")[0] + b"\r\n\r\n").auto
]
GENUINE = [name for name in NAMES if corpus.parsed(corpus.raw(name)).kind == "commands"]
#: Their subject says “Out of office”. Without a line that looks like an order, they cannot be
#: told from automatic mail.
EMPTIED = ("ooo-by-hand",)
#: Unencoded plain text, into which lines can be inserted.
PLAIN = [
    name
    for name in GENUINE
    if not re.search(
        rb"\n(?:content-transfer-encoding: (?:base64|quoted)|content-type:"
        rb" (?:multipart|text/html))|flowed",
        corpus.raw(name).lower(),
    )
    and name not in ("hostile-empty", "utf16-base64")
]
BELOW = {name: b"=== Write above" for name in PLAIN if b"\n=== Write above" in corpus.raw(name)}


def read(raw: bytes) -> tuple[Message, Script]:
    """Run all steps of reading a message."""
    message = corpus.parsed(raw)
    trust.authenticate(message, raw, "results", "mx.example.net")
    return message, corpus.understood(message)


def own(message: Message, script: Script) -> bool:
    """Return whether every order line is unmarked text of the message or its attachments.

    A row of a table has a stroke at its end, too.
    """
    text = " ".join(
        "\n".join(
            [message.text, message.subject, *(each.text for each in message.attachments)]
        ).split()
    )
    lines = [line for item in script.items if isinstance(item, Orders) for line in item.lines]
    return all(
        " ".join(line.written.split()) in text
        and (not quoting.is_marked(line.written) or line.written.rstrip().endswith("|"))
        for line in lines
    )


def storable(message: Message, script: Script) -> bool:
    """Return whether a database accepts all texts: no NUL, no surrogates."""
    texts = [
        string
        for people in (message.senders, message.to, message.cc)
        for address in people
        for string in (address.name, address.address)
    ]
    texts += [
        message.text,
        message.subject,
        message.message_id,
        message.in_reply_to,
        message.auto,
        *message.references,
        *message.headers.values(),
    ]
    texts += [part for each in message.attachments for part in (each.name, each.text)] + [
        refused.sentence for refused in script.refused
    ]
    return not any(
        "\x00" in each or each.encode("utf-8", "replace").decode() != each for each in texts
    )


def foreign(script: Script) -> bool:
    """Return whether an inserted line counts."""
    texts = [item.nation for item in script.items]
    texts += [line.text for item in script.items if isinstance(item, Orders) for line in item.lines]
    # What is quoted in a letter to other players belongs to it.
    texts += [
        f"{item.to} {line}"
        for item in script.items
        if isinstance(item, PressItem)
        for line in item.body.split("\n")
        if not quoting.is_marked(line)
    ]
    return any(mutations.FOREIGN.decode() in each for each in texts)


def test_damaged_messages_are_read() -> None:
    """Issue 4: no crash, and every order line is text of the message."""
    rng = random.Random(1971)
    for _ in range(examples(4000, daily=400)):
        message, script = read(mutations.anywhere(rng, corpus.raw(rng.choice(NAMES))))
        assert own(message, script)
        assert storable(message, script)


def test_damaged_automatic_messages_stay_automatic() -> None:
    """RFC 3834: headers decide, whatever the body is."""
    rng = random.Random(1972)
    assert len(AUTOMATIC) >= 15
    for _ in range(examples(1500, daily=150)):
        name = rng.choice(AUTOMATIC)
        message, _ = read(mutations.in_the_body(rng, corpus.raw(name)))
        assert message.kind != "commands", name


def test_damaged_genuine_messages_stay_genuine() -> None:
    """Issue 4: no genuine message goes unanswered because its body was damaged."""
    rng = random.Random(1973)
    for _ in range(examples(1500, daily=150)):
        name = rng.choice(GENUINE)
        message, _ = read(mutations.in_the_body(rng, corpus.raw(name)))
        if name in EMPTIED and not any(map(looks_like_order, message.text.split("\n"))):
            continue
        assert message.kind == "commands", (name, message.auto)


def test_inserted_quoted_lines_order_nothing() -> None:
    """Issue 4: quoted orders never count."""
    rng = random.Random(1974)
    assert len(PLAIN) >= 40
    for _ in range(examples(2000, daily=200)):
        name = rng.choice(PLAIN)
        _, script = read(mutations.with_marked_lines(rng, corpus.raw(name)))
        assert not foreign(script), name


def test_lines_inserted_below_our_marker_change_nothing() -> None:
    """Everything below our marker is ours; only the count of dropped lines differs."""
    rng = random.Random(1975)
    assert len(BELOW) >= 20
    for _ in range(examples(1000, daily=100)):
        name = rng.choice(sorted(BELOW))
        _, script = read(mutations.with_lines_below(rng, corpus.raw(name), BELOW[name]))
        _, before = read(corpus.raw(name))
        assert (script.items, script.refused, script.doubtful) == (
            before.items,
            before.refused,
            before.doubtful,
        ), name


SCRAPS = st.sampled_from(
    [
        *(
            "PLACE 4 Poland",
            "PASS",
            "ATTACK Poland: Germany,",
            "ELSE Russia",
            "FINAL",
            "PRESS TO France",
            "END",
            "ABSENT 24.12. to 3.1.",
            "AS Germany",
        ),
        *(
            "> PLACE 1 Poland",
            "On 2 Nov 2026, Ada wrote:",
            "-- ",
            "",
            " ",
            markers.MARKER,
            "From: Ada",
            "Sent: today",
            "Sent from my iPhone",
            "____________",
        ),
        *(
            "Best regards",
            "Gustav",
            "BROADCAST",
            "QUESTION",
            "ANSWER 3",
            "HISTORY 2",
            "ABSENT 31 February",
            "1. PASS",
            "\u202e",
            "\x00",
            "１２",
            "#",
            ":",
        ),
    ]
)
LINES = st.lists(st.one_of(SCRAPS, st.text(max_size=60)), max_size=25).map("\n".join)


@given(LINES)
@settings(max_examples=examples(100), deadline=None)
def test_any_text_is_read_and_marked_lines_never_count(text: str) -> None:
    words = quoting.own_words(text)
    own_lines = [line for line in words.text.split("\n") if line.strip()]
    assert len(own_lines) + words.dropped <= len(text.split("\n"))
    script = reading.read(words.text, today=corpus.TODAY)
    lines = [line for item in script.items if isinstance(item, Orders) for line in item.lines]
    assert all(line.number >= 1 and not quoting.is_marked(line.written) for line in lines)
    assert all(refused.sentence.endswith(".") for refused in script.refused)


@given(LINES, LINES)
@settings(max_examples=examples(80), deadline=None)
def test_nothing_below_the_marker_counts(above: str, below: str) -> None:
    assert (
        quoting.own_words(f"{above}\n{markers.MARKER}\n{below}").text
        == quoting.own_words(above).text
    )


@given(
    st.binary(max_size=400),
    st.sampled_from(
        [
            "utf-8",
            "utf-16",
            "x",
            "iso-2022-jp",
            "gb2312",
            "zlib",
            "idna",
            "unicode_escape",
            "\x00",
            "utf-7",
        ]
    ),
)
@settings(max_examples=examples(100), deadline=None)
def test_any_bytes_in_any_charset_decode_to_text(data: bytes, charset: str) -> None:
    """Issue 4: any charset."""
    assert isinstance(headers.decode(data, charset), str)


@given(st.text(max_size=200))
@settings(max_examples=examples(100), deadline=None)
def test_any_header_is_one_line_and_gives_plain_addresses(value: str) -> None:
    """No header injection: text read from a header has no line end."""
    text = headers.words(headers.line(value))
    assert len(text.splitlines()) <= 1
    for name, address in headers.addresses(headers.line(value)):
        assert "@" in address
        assert not set(name + address) & set("\r\n\x00")


PART = st.tuples(
    st.sampled_from(
        [
            "text/plain",
            "text/html",
            "message/rfc822",
            "application/pdf",
            "text/plain; charset=nonsense",
            "text/plain; format=flowed",
            "x",
        ]
    ),
    st.sampled_from(["7bit", "base64", "quoted-printable", "x-uuencode", "binary", ""]),
    st.sampled_from(
        [
            "",
            "attachment",
            'attachment; filename="a.txt"',
            "inline; filename*=utf-8''%ff.txt",
            "attachment; filename*0*=x",
        ]
    ),
    st.binary(max_size=120),
)
TREE = st.recursive(
    PART,
    lambda inner: st.tuples(
        st.sampled_from(["mixed", "alternative", "related", "signed", "report", "encrypted"]),
        st.lists(inner, max_size=3),
    ),
)


def made(tree: object, depth: int = 0) -> bytes:
    """Return a MIME part as bytes."""
    assert isinstance(tree, tuple)
    if len(tree) == 4:
        kind, encoding, disposition, body = tree
        head = (
            f"Content-Type: {kind}\r\nContent-Transfer-Encoding: {encoding}\r\nContent-Disposition:"
            f" {disposition}\r\n\r\n"
        )
        return head.encode() + bytes(body)
    kind, inner = tree
    inside = b"".join(b"\r\n--x%d\r\n" % depth + made(each, depth + 1) for each in inner)
    return (
        f'Content-Type: multipart/{kind}; boundary="x{depth}"\r\n\r\n'.encode()
        + inside
        + b"\r\n--x%d--\r\n" % depth
    )


@given(TREE)
@settings(max_examples=examples(100), deadline=None)
def test_any_mime_tree_is_read(tree: object) -> None:
    """Issue 4: a fuzz test of MIME."""
    message, script = read(b"From: gustav@example.org\r\nMIME-Version: 1.0\r\n" + made(tree))
    assert own(message, script)
    assert storable(message, script)
    assert len(message.text) <= parts.LONGEST_TEXT + 1000


@given(st.binary(max_size=600))
@settings(max_examples=examples(100), deadline=None)
def test_any_bytes_are_read_as_a_message(raw: bytes) -> None:
    message, script = read(raw)
    assert storable(message, script)
