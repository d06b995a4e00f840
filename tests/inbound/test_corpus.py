"""Every message of the corpus has exactly its expected result (issue 4, item 7)."""

from __future__ import annotations

import pytest

from orders.inbound.identity import trust
from orders.inbound.parsing.commands import Orders
from orders.inbound.parsing.written import written_at

from . import corpus

pytestmark = pytest.mark.quick

NAMES = sorted(corpus.EXPECTED)


def test_every_corpus_file_has_an_expected_result() -> None:
    """Issue 4: at least 60 files."""
    assert {path.stem for path in corpus.FOLDER.glob("*.eml")} == set(NAMES)
    assert len(NAMES) >= 60


@pytest.mark.parametrize("name", NAMES)
def test_corpus_message_has_its_expected_result(name: str) -> None:
    expected = corpus.EXPECTED[name]
    message = corpus.parsed(corpus.raw(name))
    script = corpus.understood(message)
    assert message.kind == expected.get("kind", "commands"), message.auto
    assert expected.get("auto", "") in message.auto
    assert expected.get("handling", "") in message.unread_sender + message.handling
    nations = expected.get("nations") or (
        {"": expected["orders"]} if expected.get("orders") else {}
    )
    if message.kind == "commands" or "orders" in expected:
        assert corpus.orders(script) == nations
        assert [
            corpus.item_text(item) for item in script.items if not isinstance(item, Orders)
        ] == expected.get("also", [])
        assert [refused.written for refused in script.refused] == expected.get("refused", [])
        assert list(script.doubtful) == expected.get("doubtful", [])
        assert list(script.unsure) == expected.get("unsure", [])
        assert script.dropped == expected["dropped"]
        assert bool(message.clicked and not script.near) == expected.get("clicked", False)
        if not expected.get("near", True):
            assert script.says_nothing
    if "bounce" in expected:
        assert message.bounce is not None
        bounce = message.bounce
        assert [bounce.message_id, bounce.status, bounce.permanent] == expected["bounce"]
    assert message.subject == expected.get("subject", message.subject)
    assert message.from_.name == expected.get("name", message.from_.name)
    assert message.from_.address == expected.get("sender", message.from_.address)


@pytest.mark.parametrize("name", NAMES)
def test_sender_is_believed_only_with_proof_by_our_own_server(name: str) -> None:
    """RFC 8601 5: results count only if our own server wrote them."""
    expected = corpus.EXPECTED[name]
    message = corpus.parsed(corpus.raw(name))
    proven = trust.authenticate(message, corpus.raw(name), "results", "mx.example.net")
    assert proven.how == expected.get("trust", "")
    assert proven.ok == bool(proven.how)
    assert trust.authenticate(message, corpus.raw(name), "address").ok == expected.get(
        "address_trust", True
    )
    assert proven.why.endswith(".")


@pytest.mark.parametrize("name", [name for name in NAMES if "written" in corpus.EXPECTED[name]])
def test_time_of_writing_follows_the_best_evidence(name: str) -> None:
    """reviews/mail/FAULTS.md F3: the first server's clock, or a Date that agrees with it."""
    expected = corpus.EXPECTED[name]
    message = corpus.parsed(corpus.raw(name))
    assert written_at(message, expected["received"]) == expected["written"]
