"""Everything in a letter is true of its own game (reviews/mail.md B1-B3, B8; gamesmaster.md B4,
B8)."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from django.urls import reverse

from games import desk, positions
from games.letters import rendering, silence, story
from games.models import Letter, Person
from games.print import letters as printed
from games.rules import ruling_kinds, wording
from games.rules.situation import adjudicate
from tests.rules.test_cases import CASES
from tests.seats.test_fewer_players import seats
from tests.support import teams
from tests.support.browsing import log_in
from tests.support.campaign import Campaign, person
from tests.support.letters import letter_text
from tests.support.origins_ww1 import Campaign as WorldWarOne

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


@pytest.mark.parametrize("source", ["commit_reveal", "gm_dice"])
def test_letters_of_a_game_without_sales_mention_no_stocks(source: str) -> None:
    """B1: the classroom preset uses seeds, and names its exchange for nothing."""
    campaign = Campaign.begin(options={"rng.source": source}, market="demo")
    campaign.place_in_poland()
    for kind in ("begins", "opened", "board"):
        for letter in Letter.objects.filter(kind=kind, address="gustav@example.org"):
            text = letter_text(letter)
            assert "DEMO" not in text, kind
            assert "STOCK" not in text, kind
            assert "Sales figures" not in text, kind
    order = campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    assert [remark["code"] for remark in order.remarks] == ["stock_unused"]
    assert "sales do not decide in this game" in letter_text(
        campaign.letters("receipt", "gustav")[-1]
    )


def test_silence_in_a_combined_phase_sends_the_pfs_home() -> None:
    """B2: the letter mentioned only attacks, and counters that the game does not have."""
    campaign = WorldWarOne.begin(options={"wwi.phasing": "one_deadline"})
    state = positions.state_of(campaign.phase)
    text = " ".join(silence.means(campaign.game, state, "Germany").sentences)
    assert text.startswith("your ")
    assert text.endswith("PFs go to Germany. Germany attacks nobody.")


def test_receipt_for_a_weak_attack_mentions_its_else() -> None:
    """B3: the receipt called void what the rules judge by its ELSE."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 5 Poland")
    campaign.order("France", "PLACE 6 Poland")
    campaign.order("Russia", "PLACE 4 Poland")
    campaign.pass_deadline()
    sent = campaign.order("Germany", "ATTACK Poland: France STOCK GE ELSE Russia")
    (remark,) = sent.remarks
    assert "5 against 6; its ELSE, Russia, is attacked unless that changes" in remark["message"]
    plain = campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    assert "5 against 6; it is void unless that changes" in plain.remarks[0]["message"]


def test_report_before_a_draw_asks_for_no_orders() -> None:
    """B8."""
    campaign = Campaign.begin(
        seats=seats("Britain", "Germany", "Russia"),
        options={"ow2.ally_draw": "own_session"},
    )
    while campaign.phase.kind != "attacks":
        campaign.pass_deadline()
    campaign.pass_deadline()
    text = letter_text(campaign.letters("board", "gustav")[-1])
    assert "nobody orders anything" in text
    assert "/orders/" not in text


def test_ruled_option_is_described_by_its_choice() -> None:
    """gamesmaster.md B4: it was called “reject all”."""
    what: dict[str, Any] = {"option": "ow2.unplaced", "value": "forfeit"}
    assert ruling_kinds.words("option", what, "Turn 1, placement").startswith("For this phase: ")
    assert "_" not in ruling_kinds.words("option", what, "")


def test_printed_report_asks_for_no_answer_by_mail() -> None:
    """gamesmaster.md B8: the printed report of a player with e-mail said “Write above”."""
    campaign = Campaign.begin()
    campaign.place_in_poland()
    letter = printed.report(campaign.resolution(), campaign.seat("Germany"), campaign.now)
    text = rendering.render(letter, on_paper=True).text
    assert "Write above" not in text
    assert "Reply with" not in text


def test_forfeit_by_silence_mentions_the_readers_own_pfs() -> None:
    """ways-in.md T5: “6 PFs of France, which sent no orders, go home” was said in advance."""
    for options, end in (
        ({"ow2.nmr_placement": "forfeit"}, "your 6 PFs are lost."),
        ({"ow2.nmr_placement": "home"}, "your 6 PFs go to France."),
    ):
        campaign = Campaign.begin(options=options)
        state = positions.state_of(campaign.phase)
        (sentence,) = silence.means(campaign.game, state, "France").sentences
        assert sentence == end


def test_story_calls_the_readers_nation_you_in_letter_and_page() -> None:
    """voice.md, the sample letter. A reader who only runs the game reads names; a ruling keeps the
    gamesmaster's words."""
    campaign = Campaign.begin()
    campaign.place_in_poland()
    campaign.order("Germany", "ATTACK Poland: France STOCK GE\nUNDERSTANDING Russia")
    campaign.pass_deadline()
    phase = campaign.resolution().phase
    letter = letter_text(campaign.letters("board", "gustav")[-1])
    page = (
        log_in("gustav")
        .get(reverse("phase", args=[campaign.game.pk, phase.number]))
        .content.decode()
    )
    for told in ("You attack France in Poland", "You cannot place an Understanding in Russia"):
        assert told in letter
        assert told in page
    assert "Germany attacks you in Poland" in letter_text(campaign.letters("board", "felix")[-1])
    assert "Germany attacks France in Poland" in letter_text(campaign.letters("board", "ada")[-1])
    ruled = {"kind": "ruled", "rule": "ruling 1", "message": "Ruling 1: so. Germany loses 2."}
    assert story.tell([ruled], reader="Germany")[0].sentence == "Ruling 1: so. Germany loses 2."


def test_every_act_of_the_readers_nation_is_theirs() -> None:
    """All sentences that the conformance cases of both Origins lead to."""
    acts, theirs = 0, []
    for case in CASES:
        if "malformed" in case.wanted:
            continue
        for event in adjudicate(deepcopy(case.tree))["events"]:
            nation, sentence = event.get("nation", ""), event.get("message", "")
            if nation and not event["kind"].startswith("ally_"):
                acts += 1
                told = wording.address_reader(sentence, nation)
                theirs += [] if told.startswith(("You ", "Your ")) else [told]
    assert acts > 500
    assert theirs == []


def _newest(campaign: Campaign, kind: str, name: str) -> str:
    """Return the newest letter of a kind to a person."""
    letters = Letter.objects.filter(kind=kind, game=campaign.game, address=person(name).email)
    return " ".join(letter_text(letters.latest("pk")).split())


def test_letters_about_a_seat_promise_nothing_of_a_player_who_is_not_there() -> None:
    """“The new player is not bound …” stood in letters about a seat that nobody, or a bot, took."""
    campaign = Campaign.begin()
    seat, bound = campaign.seat("Russia"), "The new player is not bound by what Russia promised"
    desk.vacate(seat, person("rosa"), "Moved.", person("rosa"), campaign.now)
    desk.let_the_service_play(seat, campaign.now, campaign.ada)
    for letter in campaign.letters("seat", "gustav"):
        words = " ".join(letter_text(letter).split())
        assert "Orders of Russia stay in force until they are replaced." in words
        assert bound not in words
    offer = desk.replace(seat, "zoe@example.org", "A player.", campaign.ada, campaign.now)
    desk.accept(offer, person("zoe"), campaign.now)
    assert bound in _newest(campaign, "seat", "gustav")


def test_leaver_is_told_that_orders_stay_only_where_they_do() -> None:
    """There are none before the game, and votes of former members of a team do not count (F1)."""
    stay = "Orders that you have sent for it stay in force until they are replaced."
    forming, voting, running = Campaign.open(), teams.begin("majority"), Campaign.begin()
    for campaign, name, nation, told in (
        (forming, "rosa", "Russia", False),
        (voting, "greta", "Germany", False),
        (running, "rosa", "Russia", True),
    ):
        leaver = person(name)
        desk.vacate(campaign.seat(nation), leaver, "Moved.", leaver, campaign.now)
        assert (stay in _newest(campaign, "left", name)) is told, nation
    assert "stay in force" not in _newest(voting, "seat", "gustav")


def test_invitation_does_not_show_the_address_of_a_gamesmaster_without_a_name() -> None:
    """The account page says who sees a person's address: only the gamesmaster of their games."""
    campaign = Campaign.begin()
    Person.objects.filter(pk=campaign.ada.pk).update(name="")
    desk.replace(campaign.seat("Russia"), "zoe@example.org", "Away.", campaign.ada, campaign.now)
    letter = Letter.objects.get(kind="invitation", address="zoe@example.org")
    assert "The gamesmaster invites you to play Russia" in " ".join(letter_text(letter).split())
    assert campaign.ada.email not in letter_text(letter)
