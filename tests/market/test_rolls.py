"""Digits without sales: the gamesmaster's dice and the seed (rules.md 0.1, `rng.source`)."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games import desk, market
from games.evidence import export
from games.letters import rendering
from games.models import Draw, Letter, Phase, Reading
from games.records import archive
from games.rules import digits, options, situation
from games.rules.registry import ruleset
from games.rules.verification import verify
from games.rules.verification.record import RecordError
from games.turns import process, queue
from tests.support.browsing import unmarked
from tests.support.campaign import MONDAY, Campaign, person

pytestmark = pytest.mark.django_db


def fought(source: str, *, attacks: str = "ATTACK Poland: France STOCK GE") -> Campaign:
    """Begin a game with digits from `source`, up to its first attacks."""
    campaign = Campaign.begin(options={"rng.source": source})
    campaign.attack_in_poland(attacks)
    return campaign


def attack(campaign: Campaign, phase: Phase) -> dict[str, Any]:
    (event,) = [event for event in campaign.resolution(phase).events if event["kind"] == "attack"]
    return dict(event)


# --- the gamesmaster's dice ---


def test_report_shows_the_gamesmasters_roll(client: Client) -> None:
    """gm_dice: one roll for each attack that needs one, reported as rolls, not as sales."""
    campaign = fought("gm_dice")
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    assert (campaign.phase.status, campaign.phase.session, campaign.phase.stocks) == (
        Phase.Status.DRAWING,
        "",
        [],
    )
    desk.enter_rolls(campaign.phase, [7], campaign.ada, campaign.now, "before two witnesses")
    campaign.wait_until(campaign.now + timedelta(seconds=1))
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED
    event = attack(campaign, phase)
    assert (event["digit"], event["rolled"]) == (7, True)
    assert " Digit 7, " in event["message"]
    assert "sold" not in event["message"]
    reading = Reading.objects.get()
    assert (reading.source, reading.symbol, reading.entered_by, reading.detail) == (
        "dice",
        "ROLL-1",
        campaign.ada,
        "before two witnesses",
    )
    text = rendering.render(campaign.letters("board", "gustav")[-1]).text
    assert "Digit 7" in text
    assert "THE ROLLS" in text
    assert "shares" not in text
    page = client.get(f"{campaign.game.get_absolute_url()}phases/{phase.number}/").content.decode()
    assert "<dt>Rolled</dt>" in page
    assert "Shares sold" not in page
    proof = client.get(reverse("proof", args=[campaign.game.pk, phase.number])).content.decode()
    assert "sold" not in proof.partition('id="digits"')[2].partition('id="readings"')[0]
    stocks = ("Reserve list", "Stocks, in order of use", "no attack needed a digit")
    assert not [words for words in stocks if words in proof]


def test_desk_names_the_attack_for_the_next_roll(client: Client) -> None:
    """gamesmaster.md B2: the attack for the next roll, and the results of earlier ones."""
    campaign = Campaign.begin(options={"rng.source": "gm_dice"})
    campaign.order("Germany", "PLACE 5 Poland\nPLACE 4 Austria")
    campaign.order("France", "PLACE 4 Poland\nPLACE 2 Austria")
    campaign.pass_deadline()
    orders = "ATTACK Poland: France STOCK GE\nATTACK Austria: France STOCK IBM"
    campaign.order("Germany", orders)
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    client.force_login(campaign.ada)
    address = reverse("desk", args=[campaign.game.pk])
    page = unmarked(client.get(address).content.decode())
    assert "for attack 1: <strong>" in page
    assert "against France in Poland, 5 to 4 (1-1)" in page
    assert "in Austria, " not in page
    assert "as soon as you have entered your rolls" in page
    desk.enter_rolls(campaign.phase, [1], campaign.ada, campaign.now)
    page = unmarked(client.get(address).content.decode())
    assert "for attack 2: <strong>" in page
    assert "against France in Austria, 4 to 2 (2-1)" in page
    assert "rolled <strong>1</strong>" in page
    assert "1,100" not in page  # how a roll is stored


def test_playing_gamesmaster_rolls_without_seeing_attacks(client: Client) -> None:
    campaign = fought("gm_dice")
    campaign.wait_until(campaign.phase.deadline)
    campaign.game.gamesmasters.add(campaign.players["Russia"])
    client.force_login(campaign.players["Russia"])
    page = client.get(reverse("desk", args=[campaign.game.pk])).content.decode()
    assert "Enter the rolls" in page
    assert "against France" not in page


@pytest.mark.parametrize("source", ["gm_dice", "commit_reveal", "stocks"])
def test_worker_stops_after_the_lock_of_a_drawing_phase(
    source: str, caplog: pytest.LogCaptureFixture
) -> None:
    """design 5: the lease ends with the lock, and the log does not call it lost."""
    campaign = fought(source)
    number = campaign.phase.number
    token, phases = _due(campaign)
    process.process([phases[0]], token, campaign.now)
    phase = campaign.game.phases.get(number=number)
    assert (phase.status, phase.claim, Reading.objects.exists()) == (
        Phase.Status.DRAWING,
        "",
        False,
    )
    assert "lease was lost" not in caplog.text
    campaign.wait_until(campaign.now)
    assert "lease was lost" not in caplog.text


def _due(campaign: Campaign) -> tuple[str, list[int]]:
    campaign.now = campaign.phase.deadline
    return queue.claim(campaign.now, 10)


def test_gamesmaster_is_asked_for_dice_once() -> None:
    campaign = fought("gm_dice")
    for hours in range(5):
        campaign.wait_until(campaign.phase.deadline + timedelta(hours=hours))
    (letter,) = campaign.letters("overdue")
    assert letter.address == "ada@example.org"
    asked = rendering.render(letter)
    assert "waiting for your dice" in asked.subject
    assert not [word for word in ("ROLL-1", "session") if word in asked.text]


def test_invalid_and_extra_rolls_are_refused() -> None:
    """One per attack: nobody could say which attack an extra roll was for."""
    campaign = fought("gm_dice")
    campaign.order("France", "PASS")
    campaign.wait_until(campaign.phase.deadline)
    with pytest.raises(desk.DeskError, match="2 rolls are too many: only 1 more attack needs one"):
        desk.enter_rolls(campaign.phase, [7, 3], campaign.ada, campaign.now)
    with pytest.raises(desk.DeskError, match="0 to 9"):
        desk.enter_rolls(campaign.phase, [10], campaign.ada, campaign.now)
    assert not Reading.objects.exists()
    desk.enter_rolls(campaign.phase, [0], campaign.ada, campaign.now)
    with pytest.raises(desk.DeskError, match="every attack has one already"):
        desk.enter_rolls(campaign.phase, [3], campaign.ada, campaign.now)
    campaign.pass_deadline()
    assert Draw.objects.get().digit == 0


def _two_attacks() -> Campaign:
    """Return a game in which two attacks of Germany wait for the gamesmaster's rolls."""
    campaign = Campaign.begin(options={"rng.source": "gm_dice"})
    campaign.order("Germany", "PLACE 6 Poland\nPLACE 6 Austria")
    campaign.order("France", "PLACE 3 Poland\nPLACE 3 Austria")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France\nATTACK Austria: France")
    campaign.wait_until(campaign.phase.deadline)
    return campaign


def test_rolls_are_used_in_the_order_of_judgment() -> None:
    """K1: nations in the scenario's order, lines as written."""
    campaign = _two_attacks()
    desk.enter_rolls(campaign.phase, [4], campaign.ada, campaign.now)
    campaign.wait_until(campaign.now + timedelta(seconds=1))
    assert campaign.phase.status == Phase.Status.DRAWING
    desk.enter_rolls(campaign.phase, [9], campaign.ada, campaign.now)
    campaign.wait_until(campaign.now + timedelta(seconds=1))
    drawn = {(draw.area, draw.figure.symbol, draw.digit) for draw in Draw.objects.all()}
    assert drawn == {("Poland", "ROLL-1", 4), ("Austria", "ROLL-2", 9)}


def test_second_press_of_the_button_enters_no_roll_for_the_next_attack(client: Client) -> None:
    """Promise 3: the attack after it got the same digit, which nobody had rolled."""
    campaign = _two_attacks()
    client.force_login(campaign.ada)
    at_desk = reverse("desk", args=[campaign.game.pk])
    address = reverse("phase-rolls", args=[campaign.game.pk, campaign.phase.number])

    def shown(page: Any) -> str:
        return re.search(r'name="after" value="(\d+)"', page.content.decode())[1]  # type: ignore[index]

    press = {"rolls": "7", "after": shown(client.get(at_desk))}
    assert client.post(address, press).status_code == 302
    refused = client.post(address, press)
    assert "Rolls have been entered since you opened the page" in refused.content.decode()
    assert market.entered_rolls(campaign.phase) == [7]
    press = {"rolls": "4", "after": shown(refused)}
    assert client.post(address, press).status_code == 302
    assert market.entered_rolls(campaign.phase) == [7, 4]


def test_gamesmaster_enters_rolls_at_the_desk(client: Client) -> None:
    campaign = fought("gm_dice")
    campaign.wait_until(campaign.phase.deadline)
    client.force_login(campaign.ada)
    page = client.get(campaign.game.get_absolute_url()).content.decode()
    assert f'{reverse("desk", args=[campaign.game.pk])}#figures">Enter what your dice show' in page
    address = reverse("phase-rolls", args=[campaign.game.pk, campaign.phase.number])
    refused = client.post(address, {"rolls": "7 eleven"}).content.decode()
    assert "is not a roll" in refused
    assert "7 eleven" in refused
    assert client.post(address, {"rolls": "7,"}).status_code == 302
    assert market.entered_rolls(campaign.phase) == [7]
    client.force_login(campaign.players["Germany"])
    assert client.post(address, {"rolls": "7"}).status_code == 403


# --- the seed ---


def test_seed_hash_is_published_first_and_the_seed_in_the_report() -> None:
    """commit_reveal: the hash is published before the deadline, the seed after it."""
    campaign = fought("commit_reveal")
    phase = campaign.phase
    assert len(phase.seed_hash) == 64
    assert phase.seed == ""
    assert phase.seed_hash in rendering.render(campaign.asking("gustav")).text
    campaign.pass_deadline()
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED
    assert hashlib.sha256(bytes.fromhex(phase.seed)).hexdigest() == phase.seed_hash
    event = attack(campaign, phase)
    assert (
        event["digit"]
        == digits.seed_digit(phase.seed, phase.turn, phase.kind, 1)
        == Draw.objects.get().digit
    )
    text = rendering.render(campaign.letters("board", "gustav")[-1]).text
    assert phase.seed in text
    assert phase.seed_hash in text


def test_seed_is_secret_until_the_phase_is_judged(client: Client) -> None:
    """Promise 3: no page, letter, record or database row has it while orders can change."""
    campaign = fought("commit_reveal")
    phase = campaign.phase
    seed = market.seed_of(phase)
    stored_row = Phase.objects.values().get(pk=phase.pk)
    letters = "".join(
        rendering.render(letter).text for letter in Letter.objects.exclude(secret=True)
    )
    assert seed not in repr(stored_row) + letters
    assert seed not in export.text(export.record(campaign.game, private=True))
    client.force_login(campaign.ada)
    assert (
        seed
        not in client.get(reverse("proof", args=[campaign.game.pk, phase.number])).content.decode()
    )


def test_every_phase_has_its_own_seed() -> None:
    campaign = fought("commit_reveal")
    first = campaign.phase
    campaign.pass_deadline()
    campaign.pass_deadline()
    assert campaign.phase.draws
    assert campaign.phase.seed_hash != first.seed_hash


def test_an_old_secret_key_still_opens_the_seed(settings: Any) -> None:
    """Keys are derived: without SECRET_KEY_FALLBACKS the phase cannot be judged."""
    phase = fought("commit_reveal").phase
    seed, old = market.seed_of(phase), settings.SECRET_KEY
    settings.SECRET_KEY = "another-key-0123456789-abcdefghijklmnopqrstuvwxyz"
    with pytest.raises(market.MarketError, match="SECRET_KEY_FALLBACKS"):
        market.seed_of(phase)
    settings.SECRET_KEY_FALLBACKS = [old]
    assert market.seed_of(phase) == seed


def test_seed_digit_is_the_first_byte_below_250_modulo_ten() -> None:
    """As announced, so that anybody can compute it."""
    seed = "ab" * 32
    mac = hmac.new(bytes.fromhex(seed), b"3/attacks/2", hashlib.sha256).digest()
    assert digits.seed_digit(seed, 3, "attacks", 2) == next(byte for byte in mac if byte < 250) % 10


def test_seed_digits_are_uniform() -> None:
    """Chi-square over 20,000 digits, below the 0.1 % limit for nine degrees of freedom."""
    counts = Counter(
        digits.seed_digit(hashlib.sha256(b"%d" % n).hexdigest(), 1, "attacks", 1)
        for n in range(20_000)
    )
    assert sum((counts[digit] - 2000) ** 2 / 2000 for digit in range(10)) < 27.88


# --- the record ---


def tampered(tree: dict[str, Any]) -> str:
    return " ".join(str(difference) for difference in verify.check(tree))


def test_verify_detects_a_changed_seed() -> None:
    """contract.md 5: its hash is the published one, and the digits follow from it."""
    campaign = fought("commit_reveal")
    campaign.pass_deadline()
    assert tampered(export.record(campaign.game, private=True)) == ""
    tree = export.record(campaign.game, private=True)
    tree["phases"][1]["seed"] = "00" * 32
    assert "the hash of the seed, published when the phase opened" in tampered(tree)
    tree = export.record(campaign.game, private=True)
    phase = tree["phases"][1]
    for row in (*phase["readings"], *phase["figures"], *phase["draws"]):
        row["volume"] = digits.volume_of_roll((row["volume"] // 100 + 1) % 10)
    assert "the digit ROLL-1 from the seed" in tampered(tree)
    tree = export.record(campaign.game, private=True)
    tree["phases"][1]["seed"] = ""
    assert "the seed is recorded as “”" in tampered(
        tree
    ) or "the seed is recorded as nothing" in tampered(tree)


def test_verify_reports_a_roll_without_entry() -> None:
    campaign = fought("gm_dice")
    campaign.wait_until(campaign.phase.deadline)
    desk.enter_rolls(campaign.phase, [7], campaign.ada, campaign.now)
    campaign.pass_deadline()
    tree = export.record(campaign.game, private=True)
    assert tampered(tree) == ""
    tree["phases"][1]["readings"][0]["entered_by_gamesmaster"] = False
    assert "whether the gamesmaster entered ROLL-1" in tampered(tree)


@pytest.mark.parametrize("source", ["gm_dice", "commit_reveal"])
def test_game_with_rolls_or_seed_is_restored_from_its_record(source: str) -> None:
    campaign = fought(source)
    campaign.wait_until(campaign.phase.deadline)
    if source == "gm_dice":
        desk.enter_rolls(campaign.phase, [7], campaign.ada, campaign.now)
    campaign.pass_deadline()
    tree = export.record(campaign.game, private=True)
    copy = archive.restore(tree, person("ada"))
    again = export.record(copy, private=True)
    assert again["phases"] == tree["phases"]
    with pytest.raises(RecordError):
        archive.restore({**tree, "title": ""}, person("ada"))


# --- the rules ---


def test_situation_without_rolls_uses_its_stocks() -> None:
    """contract.md 4 has only volumes of stocks, so `rng.source` changes nothing without rolls."""
    rules = ruleset("origins-ww2")

    tree = {
        "game": "origins-ww2",
        "card": "historical",
        "turn": 1,
        "phase": "attacks",
        "volumes": {"GE": 12_300},
        "board": {"Poland": {"Germany": {"pf": 6}, "France": {"pf": 3}}},
        "orders": {"Germany": "ATTACK Poland: France STOCK GE"},
    }
    plain = situation.adjudicate(tree)
    for source in options.OPTIONS["rng.source"].choosable:
        assert situation.adjudicate({**tree, "options": {"rng.source": source}}) == plain
    assert "sold 12,300" in plain["events"][0]["message"]
    assert rules.id == "origins-ww2"
    rolled = situation.adjudicate(
        {**tree, "options": {"rng.source": "gm_dice"}, "volumes": {"ROLL-1": 1900, "GE": 12_300}}
    )
    assert rolled["events"][0]["message"].startswith("Germany attacks France")
    assert "Digit 9" in rolled["events"][0]["message"]
    named = situation.adjudicate({**tree, "volumes": {"ROLL-1": 1900, "GE": 12_300}})
    assert named == plain


def test_both_sources_are_offered() -> None:
    options.check_offered(options.validate({"rng.source": "gm_dice"}))
    options.check_offered(options.validate({"rng.source": "commit_reveal"}))
    assert MONDAY
