"""Orders sent by programs: received as by page and by mail, and only once."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import Settings

from games.models import Letter
from orders.models import Draft, Submission
from tests.support.campaign import Campaign
from tests.support.programs import Program

from .conftest import Browser, Watch

pytestmark = pytest.mark.django_db


def send(program: Program, campaign: Campaign, text: str, **more: Any) -> Any:
    headers = {"Idempotency-Key": more.pop("key")} if "key" in more else {}
    return program.post(
        f"/api/v1/games/{campaign.game.pk}/orders",
        {"nation": "Germany", "text": text, **more},
        content_type="application/json",
        headers=headers,
    )


@pytest.fixture
def gustav(campaign: Campaign) -> Program:
    return Program("gustav", campaign.now, sends_orders=True)


@pytest.mark.both_databases
def test_orders_are_stored_and_answered_with_a_receipt(campaign: Campaign, gustav: Program) -> None:
    answer = send(gustav, campaign, "PLACE 7 Poland\n\nPLACE 99 Nowhere", final=True)
    assert answer.status_code == 201
    receipt = answer.json()
    row = Submission.objects.get()
    assert (row.channel, row.person, row.final) == ("api", campaign.players["Germany"], True)
    assert (receipt["number"], receipt["hash"]) == (row.seat_number, row.hash)
    assert row.hash == row.chain_hash()
    # they reveal whether others have sent orders (B10)
    assert not {"salt", "previous_hash"} & set(receipt)
    assert receipt["understood"] == [{"line": 1, "order": "PLACE 7 Poland"}]
    assert [remark["line"] for remark in receipt["remarks"] if remark["severity"] == "error"] == [3]
    assert receipt["in_force"]
    assert Letter.objects.filter(kind="receipt", person=row.person).count() == 1
    at = f"games/{campaign.game.pk}/orders"
    assert gustav.read(f"{at}/{row.seat_number}") == receipt
    own = gustav.read(at)
    assert own["own"] == [{"nation": "Germany", "acts": True, "due": False, "in_force": 1}]
    assert own["submissions"] == [receipt]


@pytest.mark.both_databases
def test_submissions_of_each_nation_are_numbered_separately(campaign: Campaign) -> None:
    """Issue 25.9."""
    for nation in ("Germany", "France"):
        campaign.order(nation, "PASS")
    at, ada = f"games/{campaign.game.pk}/orders/1", Program("ada", campaign.now)
    refused = ada.get(f"/api/v1/{at}")
    assert refused.status_code == 422
    assert "Germany and France have orders No. 1" in refused.json()["detail"]
    assert ada.read(f"{at}?nation=France")["nation"] == "France"
    felix = Program("felix", campaign.now)
    assert felix.read(at)["nation"] == "France"
    assert felix.get(f"/api/v1/{at}?nation=Germany").status_code == 404


def test_orders_by_program_are_judged_like_any_others(campaign: Campaign, gustav: Program) -> None:
    send(gustav, campaign, "PLACE 10 Poland")
    campaign.pass_deadline()
    assert campaign.board()["Poland"]["Germany"].pf == 10


@pytest.mark.both_databases
def test_repeated_request_is_received_once(campaign: Campaign, gustav: Program) -> None:
    first = send(gustav, campaign, "PLACE 7 Poland", key="one")
    again = send(gustav, campaign, "PLACE 7 Poland", key="one")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert Submission.objects.count() == 1
    assert send(gustav, campaign, "PLACE 7 Poland", key="two").status_code == 201
    assert send(gustav, campaign, "PLACE 7 Poland").status_code == 201


@pytest.mark.both_databases
def test_idempotency_key_is_refused_for_other_orders(campaign: Campaign, gustav: Program) -> None:
    send(gustav, campaign, "PLACE 7 Poland", key="one")
    for more in ({"text": "PLACE 8 Poland"}, {"text": "PLACE 7 Poland", "final": True}):
        answer = send(gustav, campaign, **more, key="one")
        assert answer.status_code == 422
        assert "Use a new key" in answer.json()["detail"]
    assert Submission.objects.count() == 1


@pytest.mark.both_databases
def test_idempotency_keys_of_two_senders_may_be_equal(campaign: Campaign, gustav: Program) -> None:
    send(gustav, campaign, "PLACE 7 Poland", key="one")
    felix = Program("felix", campaign.now, sends_orders=True)
    assert send(felix, campaign, "PLACE 6 Poland", nation="France", key="one").status_code == 201


@pytest.mark.both_databases
def test_repeated_request_after_the_deadline_returns_the_receipt(
    campaign: Campaign, gustav: Program
) -> None:
    """The program got no answer the first time; its orders were in time."""
    number = campaign.phase.number
    send(gustav, campaign, "PLACE 7 Poland", key="one", phase=number)
    campaign.pass_deadline()
    again = send(gustav, campaign, "PLACE 7 Poland", key="one", phase=number)
    assert again.status_code == 200
    assert not again.json()["late"]
    assert Submission.objects.count() == 1


def test_orders_for_a_closed_phase_are_late(
    campaign: Campaign, gustav: Program, watch: Watch
) -> None:
    number = campaign.phase.number
    campaign.pass_deadline()
    watch.set(campaign.now)
    late = send(gustav, campaign, "PLACE 7 Poland", phase=number).json()
    assert (late["phase"], late["late"], late["in_force"]) == (number, True, False)


def test_read_only_token_sends_no_orders(campaign: Campaign) -> None:
    answer = send(Program("gustav", campaign.now), campaign, "PLACE 7 Poland")
    assert answer.status_code == 403
    assert "may only read" in answer.json()["detail"]
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    ("name", "status"), [("felix", 403), ("ada", 403), ("charlie", 403), ("", 401)]
)
def test_orders_for_a_seat_of_others_are_refused(
    campaign: Campaign, name: str, status: int
) -> None:
    program = Program(name, campaign.now, sends_orders=True)
    assert send(program, campaign, "PLACE 7 Poland").status_code == status
    assert not Submission.objects.exists()


def test_sending_to_a_private_game_gives_strangers_404(private: Campaign) -> None:
    charlie = Program("charlie", private.now, sends_orders=True)
    assert send(charlie, private, "PLACE 7 Poland").status_code == 404


@pytest.mark.parametrize(
    ("more", "status", "message"),
    [
        ({"text": "# nothing"}, 409, "Nothing was written."),
        ({"text": ""}, 422, "at least 1 character"),
        ({"text": "a\0b"}, 409, "Line 1 contains a character we cannot store"),
        ({"text": "x" * 20_001}, 422, "at most 20000 characters"),
        ({"text": "PASS\n" * 600}, 409, "at most 500"),
        ({"nation": "Atlantis"}, 422, "Its nations: USA, France"),
        ({"phase": 99}, 422, "no phase 99"),
        ({"phase": 0}, 422, "greater than or equal to 1"),
        ({"key": "a b"}, 422, "match pattern"),
        ({"unknown": 1}, 422, "Extra inputs"),
        ({"phase": "1"}, 422, "phase: Input should be a valid integer"),
        ({"phase": 1.0}, 422, "phase: Input should be a valid integer"),
        ({"phase": True}, 422, "phase: Input should be a valid integer"),
        ({"final": 1}, 422, "final: Input should be a valid boolean"),
        ({"final": "no"}, 422, "final: Input should be a valid boolean"),
        ({"final": None}, 422, "final: Input should be a valid boolean"),
        ({"text": 5}, 422, "text: Input should be a valid string"),
        ({"phase": 10**30}, 400, "does not fit in 64 bits"),
        ({"phase": float("nan")}, 400, "NaN is not a number that JSON allows"),
    ],
    ids=str,
)
def test_invalid_orders_are_refused_with_a_sentence(
    campaign: Campaign, gustav: Program, more: dict[str, Any], status: int, message: str
) -> None:
    answer = send(gustav, campaign, **{"text": "PLACE 7 Poland", **more})
    assert answer.status_code == status, answer.content
    assert message in answer.json()["detail"]
    assert not Submission.objects.exists()


def test_malformed_json_is_refused(campaign: Campaign, gustav: Program) -> None:
    path = f"/api/v1/games/{campaign.game.pk}/orders"
    twice = b'{"nation": "Germany", "text": "PLACE 7 Poland", "text": "PASS"}'
    surrogate = b'{"nation": "Germany", "text": "\\ud800"}'
    for body in (b"{", b"[]", b"\xff", b"", b"null", surrogate, twice, b"[" * 100_000):
        answer = gustav.post(path, body, content_type="application/json")
        assert answer.status_code in (400, 409, 422), body
        assert isinstance(answer.json()["detail"], str)
    detail = gustav.post(path, twice, content_type="application/json").json()["detail"]
    assert detail == (
        "The body cannot be read: the key “text” is in one object twice; keep one of them."
    )
    assert not Submission.objects.exists()


def test_orders_by_program_obey_the_rate_limit(
    campaign: Campaign, gustav: Program, settings: Settings
) -> None:
    settings.LIMITS = {**settings.LIMITS, "orders": (2, 3600)}
    assert send(gustav, campaign, "PLACE 1 Poland").status_code == 201
    assert send(gustav, campaign, "PLACE 2 Poland").status_code == 201
    refused = send(gustav, campaign, "PLACE 3 Poland")
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 3600


def test_sent_orders_discard_the_draft(campaign: Campaign, gustav: Program, as_: Browser) -> None:
    path = f"/games/{campaign.game.pk}/orders/{campaign.seat('Germany').pk}/point/"
    as_("gustav").post(path, {"text": "PLACE 1 Poland", "do": "read"})
    assert Draft.objects.count() == 1
    send(gustav, campaign, "PLACE 7 Poland")
    assert not Draft.objects.exists()


def test_only_readers_of_a_nation_read_its_orders(campaign: Campaign, gustav: Program) -> None:
    number = send(gustav, campaign, "PLACE 7 Poland").json()["number"]
    at = f"games/{campaign.game.pk}/orders"
    for name in ("felix", "charlie"):
        program = Program(name, campaign.now)
        answers = [
            program.get(f"/api/v1/{at}/{submission_number}")
            for submission_number in (number, number + 1)
        ]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].content == answers[1].content
        assert program.read(at)["submissions"] == []
    assert Program("ada", campaign.now).read(f"{at}/{number}")["text"] == "PLACE 7 Poland"


def test_restore_hold_refuses_orders_with_a_json_error(
    campaign: Campaign, gustav: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.models.service.is_held", lambda: True)
    answer = send(gustav, campaign, "PLACE 7 Poland")
    assert answer.status_code == 503
    assert "accepts nothing" in answer.json()["detail"]
    assert gustav.read("me")["name"] == "Gustav"
