"""drand's beacon as the last resort (issue of the neutral die; foundations.md 2: off by default,
the last of all)."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from games import desk, market
from games.evidence import export
from games.market import drand
from games.models import Figure, Phase, Reading
from games.rules.digits import beacon_digit, digit_of_shares
from games.rules.sessions import Session
from games.rules.verification import record, verify
from tests.support.campaign import Campaign

#: Two rounds of quicknet as drand's own documentation and libraries have them.
ROUNDS = {
    123: (
        "b75c69d0b72a5d906e854e808ba7e2accb1542ac355ae486d591aa9d43765482e26cd02df835d3546d23c4b13e0dfc92"
    ),
    1000: (
        "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39"
    ),
}
#: A session that closes so that round 1000 is the first after it.
CLOSES = drand.GENESIS + timedelta(seconds=3 * 998)
SESSION = Session("XNYS", "2023-08-23", CLOSES - timedelta(hours=6), CLOSES)


class Beacon(ThreadingHTTPServer):
    """A drand relay on the loopback address. `answers` maps a round to what is sent for it."""

    def __init__(self) -> None:
        self.answers: dict[int, Any] = {
            number: {"round": number, "signature": signature}
            for number, signature in ROUNDS.items()
        }
        beacon = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                found = beacon.answers.get(int(self.path.rsplit("/", 1)[-1]))
                body = json.dumps(found).encode()
                self.send_response(200 if found is not None else 425)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words: object) -> None:
                """A test says what it wants itself."""

        super().__init__(("127.0.0.1", 0), Handler)


@pytest.fixture
def beacon(settings: Any) -> Iterator[Beacon]:
    with Beacon() as server:
        threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        settings.MARKET = {
            **settings.MARKET,
            "drand_base_url": f"http://127.0.0.1:{server.server_address[1]}",
        }
        yield server
        server.shutdown()


@pytest.mark.parametrize("number", ROUNDS)
def test_a_round_of_the_network_is_known_by_its_signature(number: int) -> None:
    """foundations.md 2: BLS signed. Two rounds that drand has published."""
    assert drand.signed(number, ROUNDS[number])


@pytest.mark.parametrize(
    ("number", "signature"),
    [
        (124, ROUNDS[123]),
        (123, ROUNDS[1000]),
        (123, ROUNDS[123][:-1] + "3"),
        (123, ""),
        (123, "zz"),
        (123, "c0" + "00" * 47),
    ],
)
def test_what_is_not_signed_for_that_round_is_refused(number: int, signature: str) -> None:
    """The point at infinity too, which would fit every round."""
    assert not drand.signed(number, signature)


def test_the_round_is_the_first_after_the_close_of_the_session() -> None:
    """foundations.md 2: round (t - genesis) // 3 + 1 is out already at t; the next is not."""
    assert drand.round_after(drand.GENESIS) == 2
    assert drand.round_after(CLOSES) == 1000
    assert drand.round_after(CLOSES - timedelta(seconds=1)) == 999


def test_the_digits_of_a_round_follow_from_its_signature(beacon: Beacon) -> None:
    """Anybody can repeat it: games.rules.digits.beacon_digit."""
    for number in (1, 2, 3):
        report = drand.Drand().read(f"DRAND-{number}", SESSION, CLOSES + timedelta(hours=80))
        assert report.kind == "ok"
        assert digit_of_shares(report.volume or 0) == beacon_digit(ROUNDS[1000], number)
        assert report.raw["round"] == 1000


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {"round": 1000, "signature": ROUNDS[123]},
        {"round": 123, "signature": ROUNDS[123]},
        [],
        "x",
    ],
)
def test_an_answer_that_is_not_the_signed_round_is_no_digit(beacon: Beacon, answer: Any) -> None:
    """Missing, forged or another round: asked again later, never a digit."""
    beacon.answers[1000] = answer
    report = drand.Drand().read("DRAND-1", SESSION, CLOSES + timedelta(hours=80))
    assert (report.kind, report.volume) == ("later", None)


@pytest.mark.django_db
def test_a_game_with_the_last_resort_ends_its_list_with_it_and_settles_once(beacon: Beacon) -> None:
    """The list is published; a figure of the beacon is frozen like any other and asked for once."""
    campaign = Campaign.begin(market="recorded", drand_last_resort=True)
    assert campaign.game.reserves[-20:] == list(drand.SYMBOLS)
    phase = campaign.phase
    Phase.objects.filter(pk=phase.pk).update(
        exchange="XNYS",
        session=SESSION.label,
        session_opens=SESSION.opens,
        session_closes=SESSION.closes,
    )
    phase.refresh_from_db()
    now = datetime(2026, 11, 20, tzinfo=UTC)
    seen = market.observe(phase, ["DRAND-1"], now)
    again = market.observe(phase, ["DRAND-1"], now + timedelta(hours=1))
    assert seen.settled == again.settled == {"DRAND-1": 1_000 + 100 * beacon_digit(ROUNDS[1000], 1)}
    assert Reading.objects.filter(source="drand").count() == Figure.objects.count() == 1


@pytest.mark.django_db
def test_a_beacon_that_is_silent_is_asked_again_and_the_gamesmaster_told(beacon: Beacon) -> None:
    """No constant, no zero: the phase waits."""
    beacon.answers[1000] = None
    campaign = Campaign.begin(market="recorded", drand_last_resort=True)
    phase = campaign.phase
    Phase.objects.filter(pk=phase.pk).update(
        exchange="XNYS",
        session=SESSION.label,
        session_opens=SESSION.opens,
        session_closes=SESSION.closes,
    )
    phase.refresh_from_db()
    now = datetime(2026, 11, 20, tzinfo=UTC)
    silent = market.observe(phase, ["DRAND-1"], now)
    assert (silent.settled, silent.waiting, silent.overdue) == ({}, ("DRAND-1",), ("DRAND-1",))
    assert silent.next_look is not None
    beacon.answers[1000] = {"round": 1000, "signature": ROUNDS[1000]}
    assert market.observe(phase, ["DRAND-1"], silent.next_look).waiting == ()


@pytest.mark.django_db
def test_without_the_option_the_beacon_is_nobody(beacon: Beacon) -> None:
    """Off by default: DRAND-1 on an order line is a stock that nobody knows."""
    assert not any(symbol.startswith("DRAND") for symbol in Campaign.begin().game.reserves)
    with pytest.raises(desk.DeskError, match="reserve list"):
        Campaign.begin(drand_last_resort=True)


@pytest.mark.django_db
def test_a_record_whose_digit_came_from_the_beacon_is_verified_and_a_changed_one_is_not(
    beacon: Beacon, monkeypatch: Any
) -> None:
    """contract 5: verify needs nothing else; the digit follows from the signature in the record."""
    monkeypatch.setattr(drand, "round_after", lambda moment: 1000)
    campaign = Campaign.begin(market="newspaper", drand_last_resort=True)
    campaign.attack_in_poland("ATTACK Poland: France")
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    phase.refresh_from_db()
    assert phase.session_closes is not None
    after = phase.session_closes + timedelta(hours=1)
    for stock in campaign.game.reserves[:-20]:
        market.enter_no_report(phase, stock, campaign.ada, after)
    campaign.now = after
    for _ in range(20):
        phase.refresh_from_db()
        if phase.status == Phase.Status.RESOLVED:
            break
        campaign.wait_until((phase.due_at or campaign.now) + timedelta(seconds=1))
    (event,) = [event for event in campaign.resolution(phase).events if event["kind"] == "attack"]
    assert (event["stock"], event["digit"]) == ("DRAND-1", beacon_digit(ROUNDS[1000], 1))
    assert "drand's beacon gives" in event["message"]
    tree = json.loads(json.dumps(export.record(campaign.game, private=True)))
    assert list(verify.differences(tree)) == []
    (reading,) = [row for row in tree["phases"][1]["readings"] if row["source"] == "drand"]
    reading["raw"]["signature"] = ROUNDS[123]
    reading["hash"] = record.reading_hash(reading)
    assert "from drand's signature" in str(next(iter(verify.differences(tree))))
