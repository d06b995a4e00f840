"""Findings of reviewers about letters, one by one (reviews/mail.md B3, B8, L4-L12; player.md S2,
S9; gamesmaster.md U14)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import override_settings

from games import desk, positions
from games.desk import times
from games.letters import rendering, silence
from games.models import Letter, Resolution
from games.outbox.messages import game_letters
from games.outbox.outgoing import Outgoing
from games.rules.cards import load
from games.rules.options import validate
from games.rules.origins_ww2 import telling
from games.rules.registry import ruleset
from tests.records.played import short_card
from tests.seats.test_fewer_players import seats
from tests.support import teams
from tests.support.campaign import MONDAY, Campaign
from tests.support.letters import letter_text
from tests.support.origins_ww1 import Campaign as WorldWarOne

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
BY_MAIL: dict[str, Any] = {
    "MAIL_IN": True,
    "MAIL_DOMAIN": "games.test",
    "MAIL_REPLY": "orders@games.test",
    "MAIL_PICTURES": False,
}


def fought() -> Campaign:
    """Return a campaign after a turn with an attack in Poland."""
    campaign = Campaign.begin()
    campaign.attack_in_poland()
    campaign.pass_deadline()
    return campaign


def ended(winners: list[str], by_table: str = "") -> Campaign:
    """Return a game that is over after its first phase, with these winners; `by_table`: a nation
    that nobody plays."""
    campaign = Campaign.begin()
    campaign.pass_deadline()
    if by_table:
        campaign.game.seats.filter(nation=by_table).update(by_table=True)
    first = campaign.resolution()
    copied = ("phase", "before", "orders", "events", "remarks", "scores", "resolved_at", "after")
    fields = {name: getattr(first, name) for name in copied}
    resolution = Resolution.objects.create(**fields, version=2, winners=winners)
    with Outgoing([campaign.game]) as out:
        game_letters.announce_end(resolution, campaign.now, out)
    return campaign


def test_report_drops_warnings_from_before_the_phase() -> None:
    """mail B3: “unless that changes” stood in the report, when nothing can change any more."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 5 Poland")
    campaign.order("France", "PLACE 6 Poland")
    campaign.pass_deadline()
    sent = campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    assert "unless that changes" in sent.remarks[0]["message"]
    campaign.pass_deadline()
    assert "unless that changes" not in letter_text(campaign.letters("board", "gustav")[-1])


def test_draw_phase_sends_no_request_for_orders() -> None:
    """mail B8: letters said “orders are due by” of a phase that lasts a minute and takes no
    orders."""
    campaign = Campaign.begin(
        seats=seats("Britain", "Germany", "Russia"), options={"ow2.ally_draw": "own_session"}
    )
    assert campaign.phase.idle
    assert campaign.letters("opened") == []
    text = letter_text(campaign.letters("begins", "gustav")[0])
    assert "Orders are due" not in text


def test_game_without_sales_lists_no_rules_about_sales() -> None:
    """mail L4: such rules mean nothing there; a sealed seed has no “first reading”."""
    campaign = Campaign.begin(options={"rng.source": "commit_reveal"})
    text = letter_text(campaign.letters("begins", "gustav")[0])
    assert "The digit comes from a secret seed." in text
    for phrase in ("figure", "Where digits come from", "House rule"):
        assert phrase not in text


def test_figures_have_no_footnotes_and_list_items_are_indented() -> None:
    """mail L5: “provisional” 23 times, sessions to the second, second lines not indented."""
    made = rendering.render(fought().letters("board", "una")[-1])
    assert "provisional" not in made.text + made.html
    assert not re.search(r"\d\d:\d\d:\d\d", made.text)
    attack = made.text.partition("1. Germany attacks France")[2].splitlines()
    assert attack[1].startswith("   "), attack[:2]


@pytest.mark.parametrize(("number", "message"), [(1, "your 1 PF goes to"), (2, "your 2 PFs go to")])
def test_effect_of_silence_uses_singular_and_plural(number: int, message: str) -> None:
    """mail L6: “1 PF go home”."""
    event = {"kind": "kept_home", "pf": number, "area": "Germany"}
    assert silence._event_clause(event).startswith(message)


def test_unheld_nation_without_counters_gets_no_empty_list() -> None:
    """mail L6: “the counters that its chart allows are. None at all.”"""
    campaign = Campaign.begin(seats=seats("France", "Germany"), options={"ow2.blind": "yes"})
    while campaign.phase.kind != "attacks":
        campaign.pass_deadline()
    texts = " ".join(letter_text(letter) for letter in campaign.letters("board", "gustav"))
    assert "What " in texts
    assert ": None." not in texts
    assert "allows. None" not in texts


def test_failed_attack_of_hidden_counters_is_not_called_void() -> None:
    """mail L7: “is void: it is weaker … USA loses 2”."""
    event: dict[str, Any] = {
        "nation": "USA",
        "targets": ["Italy"],
        "area": "Poland",
        "reason": "below_1_1",
        "losses": {"USA": 2},
    }
    sentence = telling.void(event)
    assert sentence == (
        "USA's attack on Italy in Poland fails: it is weaker than its targets. USA loses 2."
    )
    assert "is void" in telling.void({**event, "losses": {}})


@override_settings(**BY_MAIL)
def test_final_letter_says_the_readers_place_and_asks_for_nothing() -> None:
    """mail L8; player S8: “as if the game ended here” and “Reply with orders” after the end."""
    campaign = ended(["Germany"])
    texts = {
        name: letter_text(campaign.letters("over", name)[0]) for name in ("gustav", "felix", "ada")
    }
    assert "Germany wins. You won, with 0 points." in texts["gustav"]
    assert "Germany wins. You came joint second, with 0 points." in texts["felix"]
    assert "You came" not in texts["ada"]
    for text in texts.values():
        assert "Reply with" not in text
        assert "as if the game ended" not in text.lower()


def test_final_letter_explains_why_the_best_score_did_not_win() -> None:
    """mail L8: “USA 17, Russia 5, Germany 5”, and Russia and Germany shared the victory."""
    campaign = ended(["Russia", "Germany"], by_table="USA")
    text = letter_text(campaign.letters("over", "felix")[0])
    assert "USA has more points, but nobody plays it, so it cannot win." in text
    assert "You came joint first" in text  # among nations with a player


def test_examples_for_one_of_several_nations_begin_with_its_name() -> None:
    """mail L9: without that line they would be rejected."""
    campaign = Campaign.begin(seats=seats("France", "Germany"))
    while campaign.phase.kind != "placement":
        campaign.pass_deadline()
    letter = campaign.asking("gustav")
    made = rendering.render(letter)
    assert re.search(r"^    FOR Germany\n    PLACE ", made.text, flags=re.M)
    allies = [ally for ally, by in campaign.phase.controllers.items() if by == "Germany"]
    for nation in allies:
        assert f"    FOR {nation}\n" in made.text
    assert "LEAVE ALLIANCE" not in made.text


def test_invitation_to_a_team_names_its_members() -> None:
    """mail L11: “invites you to play France” did not say that it is a team of five."""
    campaign = teams.begin("spokesman")
    invitation = desk.invite(
        campaign.seat("France"), "fiona@example.org", campaign.ada, MONDAY, joins=True
    )
    letter = Letter.objects.get(kind="invitation", address=invitation.email)
    assert (
        "Several people play France together; so far Felix (spokesman), Flora and Fred."
        in letter_text(letter)
    )


@override_settings(**BY_MAIL)
def test_letter_has_no_address_twice() -> None:
    """mail L12: the link of the game was in every part of the letter; a report had four links."""
    campaign = fought()
    for letter in Letter.objects.filter(game=campaign.game).exclude(kind="invitation"):
        links = re.findall(r"https?://\S+", rendering.render(letter).text)
        assert len(links) == len(set(links)), (letter.kind, links)
        assert len(links) <= 3, (letter.kind, links)


def test_member_without_the_spokesmans_role_reads_about_proposals() -> None:
    """Issue 22, 3: “New orders replace the whole set” was not true of them."""
    campaign = teams.begin("spokesman")
    opened = {
        name: rendering.render(campaign.letters("opened", name)[0]) for name in ("gustav", "greta")
    }
    texts = {name: " ".join(made.text.split()) for name, made in opened.items()}
    assert "Gustav’s orders count; yours become proposals." in texts["greta"]
    assert "Your orders count; what the others send is a proposal." in texts["gustav"]
    assert all("your team’s orders by" in made.subject for made in opened.values())
    assert all("If your team sends nothing" in text for text in texts.values())
    teams.order(campaign, "gustav", "Germany", "PLACE 10 Poland")
    greta, gustav = (
        letter_text(campaign.letters("receipt", name)[-1]) for name in ("greta", "gustav")
    )
    assert "What you send is a proposal. You may propose others until" in greta
    assert "replace" not in greta
    assert "New orders replace the whole set. You may replace them" in gustav
    begins = letter_text(campaign.letters("begins", "greta")[0])
    assert "France: Felix, Flora and Fred;" in begins


def test_automatic_counters_are_shown_without_option_names() -> None:
    """Issue 22, 5: “STANDING UNDERSTANDING ALL # ow2.auto_counters” was in every opening."""
    campaign = Campaign.begin(options={"ow2.auto_counters": "understanding_when_possible"})
    campaign.place_in_poland()
    made = rendering.render(campaign.letters("board", "gustav")[0])
    assert "\n    STANDING UNDERSTANDING ALL\n" in made.text
    assert "auto_counters" not in made.text + made.html
    assert "these lines count for Germany in this phase:" in made.text


@override_settings(**BY_MAIL)
def test_letter_that_ends_a_game_asks_for_no_orders() -> None:
    campaign = Campaign.begin()
    times.abandon(campaign.game, "Too few players.", campaign.ada, campaign.now)
    abandoned = rendering.render(campaign.letters("abandoned", "gustav")[0])
    over = rendering.render(ended(["Germany"]).letters("over", "gustav")[0])
    for letter in (abandoned, over):
        assert letter.text.startswith("=== Write above this line ===")


def test_letter_about_an_abandoned_game_has_no_deadline() -> None:
    """Issue 22, 3: “No more orders are due or accepted”, and below it “due by Friday”."""
    campaign = Campaign.begin()
    times.abandon(campaign.game, "Three of us have moved away.", campaign.ada, campaign.now)
    made = rendering.render(campaign.letters("abandoned", "gustav")[0])
    for part in (made.text, made.html):
        assert "No more orders are due" in part
        assert "due by" not in part
        assert "/orders/" not in part


def test_lock_letter_begins_with_the_readers_own_orders() -> None:
    """Issue 22, 2; player S2: the reader's part comes first."""
    campaign = Campaign.begin()
    campaign.attack_in_poland()
    campaign.pass_deadline()
    texts = {
        name: letter_text(campaign.letters("locked", name)[-1]) for name in ("gustav", "felix")
    }
    assert "orders are closed. Yours are in." in texts["gustav"]
    assert "orders are closed. You sent none." in texts["felix"]
    assert ". Britain and Russia sent no orders." in texts["felix"]
    assert ". France, Britain and Russia sent no orders." in texts["gustav"]
    assert "orders are closed. The next" in letter_text(campaign.letters("locked", "ada")[-1])


def test_empty_board_is_one_sentence() -> None:
    """voice 7: 13 lines of dots said nothing; the reader needs the names of the areas."""
    made = rendering.render(Campaign.begin().letters("opened", "gustav")[0])
    flat = " ".join(made.text.split())
    assert "The board is empty. Its areas are USA, Britain, France, Germany, Russia," in flat
    assert '<table cellpadding="2"' not in made.html


def test_immunity_is_described_home_by_home() -> None:
    """“Britain and Russia cannot attack Germany outside Britain and Russia” let Britain attack in
    Russia, which rules I1 forbids."""
    standing = {"Germany": {"pf": 1, "understanding": True}}
    board = {"Britain": standing, "Russia": standing, "Germany": {"Russia": standing["Germany"]}}
    rules, card = ruleset("origins-ww2"), load("origins-ww2", "historical")
    state = rules.situation({"turn": 3, "phase": "attacks", "board": board}, card, validate({}))
    assert rules.planner.brief(state, "Germany") == (
        "Britain can attack Germany only in Britain and Russia only in Russia.",
        "Germany can attack Russia only in Germany, while its Understanding stands there.",
    )


def test_silence_says_nothing_that_happens_anyway(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 22: in the last turn of a blind game USA read “If you send nothing, USA played for the
    objectives of …”; with counters face down every counter was listed as turned up."""
    short_card(monkeypatch, 1)
    for options in ({"ow2.blind": "yes"}, {"ow2.hidden": "face_down"}):
        campaign = Campaign.begin(options=options)
        while not campaign.phase.kind.startswith("attacks"):
            if not campaign.phase.idle:
                campaign.order("USA", "PLACE 2 Poland")
            campaign.pass_deadline()
        state = positions.state_of(campaign.phase)
        means = silence.means(campaign.game, state, "USA")
        assert means.sentences == ("USA attacks nobody and places no counters.",), options


def test_silence_names_only_what_its_step_could_do() -> None:
    """Issue 25.6: sequential attacks are one step, counters a later one (lines 88-96 of the
    rules). A nation whose turn it was to attack read “attacks nobody and places no counters”."""
    campaign = Campaign.begin(options={"ow2.attacks": "sequential"})
    campaign.place_in_poland()
    message = {}
    for _ in range(6):
        state = positions.state_of(campaign.phase)
        nation = campaign.game.rules.acting_nations(state)[0]
        message[campaign.phase.kind] = silence.means(campaign.game, state, nation).sentences
        campaign.pass_deadline()
    assert message["attacks-germany"] == ("Germany attacks nobody.",)
    assert message["counters"] == ("USA places no counters.",)


def test_lock_letter_names_only_nations_that_may_order() -> None:
    """Issue 22: where one nation attacks after the other, the four others read “You sent none.”"""
    campaign = Campaign.begin(options={"ow2.attacks": "sequential"})
    campaign.place_in_poland()
    while campaign.phase.kind != "attacks-germany":
        campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    campaign.pass_deadline()
    assert campaign.phase.kind == "counters"
    assert campaign.letters("locked", "felix") == [], "France did not attack"
    for name in ("gustav", "ada"):
        text = letter_text(campaign.letters("locked", name)[-1])
        assert "You sent none" not in text
        assert "sent no orders" not in text
        assert ("Yours are in." in text) == (name == "gustav")


def test_team_is_told_remarks_that_no_other_nation_gets() -> None:
    """Issue 22: “ABOUT YOUR ORDERS FOR FRANCE (nobody else is told)” went to a team of three."""
    campaign = teams.begin("spokesman")
    teams.order(campaign, "felix", "France", "PLACE 9 Poland")
    campaign.pass_deadline()
    for name in ("felix", "flora"):
        assert "FOR FRANCE (no other nation is told)" in letter_text(
            campaign.letters("board", name)[-1]
        )


def test_spokesman_may_adopt_a_proposal_until_the_deadline() -> None:
    """Issue 22: under a proposal of Flora's, Felix read “You may replace them until …” and “your
    own orders stay in force”, of which there were none."""
    campaign = teams.begin("spokesman")
    teams.order(campaign, "flora", "France", "PLACE 2 Poland")
    to_felix = letter_text(campaign.letters("receipt", "felix")[-1])
    assert "You may adopt them until Mon 16" in to_felix
    assert "own orders" not in to_felix
    assert "You may propose others until" in letter_text(campaign.letters("receipt", "flora")[-1])


def test_final_letter_warns_of_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Like each report it repeated warnings of the receipt, such as “immune while an Understanding
    stands”, and nothing could follow them any more."""
    short_card(monkeypatch, 1)
    campaign = WorldWarOne.begin(title="One turn")
    for kind, warned in (("board", True), ("over", False)):
        campaign.order("Germany", "ALLY Britain")
        campaign.pass_deadline()
        text = letter_text(campaign.letters(kind, "gustav")[-1])
        assert ("makes an alliance only if Britain names" in text) == warned


def test_final_letter_says_once_why_an_alliance_does_not_win(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A.4: the sentence stood on top and again below the scores."""
    short_card(monkeypatch, 1)
    campaign = WorldWarOne.begin(title="One turn")
    for nation, ally in (("Russia", "Austria-Hungary"), ("Austria-Hungary", "Russia")):
        campaign.order(nation, f"ALLY {ally}")
    campaign.pass_deadline()
    campaign.pass_deadline()
    text = letter_text(campaign.letters("over", "gustav")[0])
    assert text.count("The alliance of Russia and Austria-Hungary does not win") == 1
    assert "allied: 0 together" in text
