"""A phase's proof, record and checker as files, the page of the die (issue 3; design.md 1, 8)."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games import market
from games.letters import proofs, rendering
from games.models import Draw, Phase, Reading, SessionChange
from games.pages.tags.formatting import in_full
from games.records import announced, digest, proof, standalone
from games.rules.verification import record as form
from games.rules.verification import verify
from orders.models import Submission
from tests.records import played
from tests.support.campaign import Campaign, person

from .conftest import Browser, Watch

pytestmark = pytest.mark.django_db

GERMANY = (
    "ATTACK Poland: France STOCK ZZTOP/GE # on no account tell Felix\nSTANDING UNDERSTANDING ALL"
)
FRANCE = 'ATTACK Poland: Germany STOCK F\r\n# c\'est "la" guerre: \\ {ça}'


def locked(campaign: Campaign, watch: Watch) -> Phase:
    """Return an attack phase whose orders are closed and whose sales are not out."""
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("France", "PLACE 3 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France STOCK IBM")
    campaign.order("Germany", GERMANY)
    campaign.order("France", FRANCE)
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.DRAWING
    watch.set(campaign.now)
    return phase


def judged(campaign: Campaign, watch: Watch) -> Phase:
    phase = locked(campaign, watch)
    campaign.wait_until((phase.due_at or campaign.now) + timedelta(seconds=1))
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED
    campaign.game.refresh_from_db()
    watch.set(campaign.now)
    return phase


def address(phase: Phase) -> str:
    return reverse("proof", args=[phase.game.pk, phase.number])


def shown(client: Client, page: str) -> str:
    answer = client.get(page)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def printed(snippet: str) -> str:
    """Return what a snippet prints when it is copied unchanged."""
    printed_lines: list[str] = []
    exec(compile(snippet, "snippet", "exec"), {"print": printed_lines.append})
    return "".join(printed_lines)


def sentences(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


# --- permissions ---


def test_proof_page_needs_permission(as_: Browser, campaign: Campaign, private: Campaign) -> None:
    """Wrong person, wrong role, wrong method, other game."""
    hidden = reverse("proof", args=[private.game.pk, 1])
    assert as_().get(hidden)["Location"].startswith(reverse("login"))
    assert as_("charlie").get(hidden).status_code == 404
    assert as_("gustav").get(hidden).status_code == 200
    assert as_("ada").post(hidden).status_code == 405
    assert as_("ada").get(reverse("proof", args=[campaign.game.pk, 2])).status_code == 404
    assert as_("ada").get(reverse("proof", args=[10**6, 1])).status_code == 404
    assert as_().get(reverse("proof", args=[campaign.game.pk, 1])).status_code == 200


@pytest.mark.parametrize("name", ["record", "game-honesty"])
def test_record_and_honesty_page_need_permission(
    as_: Browser, campaign: Campaign, private: Campaign, name: str
) -> None:
    hidden = reverse(name, args=[private.game.pk])
    assert as_().get(hidden)["Location"].startswith(reverse("login"))
    assert as_("charlie").get(hidden).status_code == 404
    assert as_("gustav").get(hidden).status_code == 200
    assert as_("ada").post(hidden).status_code == 405
    assert as_("ada").get(reverse(name, args=[10**6])).status_code == 404
    assert as_().get(reverse(name, args=[campaign.game.pk])).status_code == 200


@pytest.mark.parametrize("name", ["honesty", "checker"])
def test_general_honesty_page_and_checker_are_public(as_: Browser, db: None, name: str) -> None:
    assert as_().get(reverse(name)).status_code == 200
    assert as_("ada").post(reverse(name)).status_code == 405


# --- before the lock ---


def test_proof_of_an_open_phase_announces_session_and_time(
    as_: Browser, campaign: Campaign
) -> None:
    """Issue 3.3: on the game's page, in advance."""
    # a placement uses no digits
    assert 'class="announced"' not in shown(as_(), campaign.game.get_absolute_url())
    campaign.pass_deadline()
    game = campaign.game

    announcement = market.announcement(game, campaign.phase.deadline)
    # A session of seconds is announced without times on the game's page; real ones are tested
    # below.
    assert "The DEMO session right after it decides." in shown(as_(), game.get_absolute_url())
    page = shown(as_(), address(campaign.phase))
    assert announcement.sentence[1:] in page
    assert ", ".join(game.reserves) in page
    for sentence in (
        *announced.fallbacks(game),
        digest.LEAF_IN_WORDS,
        digest.DIGEST_IN_WORDS,
        announced.session_rule(game),
    ):
        assert sentence in page


def test_announcement_for_new_york_is_on_the_game_page(
    as_: Browser, watch: Watch, db: None
) -> None:
    schedule = {"every": "weekday", "weekday": "tuesday", "weeks": 1, "time": "09:00"}
    campaign = Campaign.begin(market="recorded", schedule=schedule)
    campaign.pass_deadline()
    watch.set(campaign.now)
    assert "Tue 09:00 New York; Tuesday's sales decide; the digit is expected" in shown(
        as_(), campaign.game.get_absolute_url()
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rng.no_stock": "attack_void"}, "An attack whose own stocks give no digit is void."),
        ({"rng.duplicate_stock": "allow"}, "gives the same digit each time"),
        ({"rng.duplicate_stock": "reserve_always"}, "of any nation"),
        ({"rng.stock_choice": "list_only"}, "Only stocks on the reserve list count"),
    ],
)
def test_fallbacks_follow_the_options(db: None, options: dict[str, str], words: str) -> None:
    assert words in " ".join(announced.fallbacks(Campaign.begin(options=options).game))


# --- at the lock ---


def test_digest_and_leaves_can_be_computed_by_the_shown_code(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    phase = locked(campaign, watch)
    page = shown(as_(), address(phase))
    assert phase.digest in page
    assert all(leaf in page for leaf in phase.leaves.values())
    assert "No orders of USA, Britain and Russia were in force." in page
    assert "F, ZZTOP, GE" in page
    snippet = digest.digest_snippet(phase)
    assert snippet in page
    assert printed(snippet) == phase.digest
    assert digest.leaf_snippet() in page
    assert len(digest.leaf_snippet().splitlines()) == 3


def test_player_finds_own_leaf_with_salt_and_code(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    phase = locked(campaign, watch)
    for name, nation, place in (("gustav", "Germany", 2), ("felix", "France", 1)):
        [seal] = digest.seals(phase, [nation])
        page = shown(as_(name), address(phase))
        assert f"Your orders for {nation}: leaf no. {place} of 2" in page
        assert seal.salt in page
        assert seal.snippet in page
        assert (
            printed(seal.snippet) == phase.leaves[nation] == form.leaf(nation, seal.text, seal.salt)
        )
    assert digest.seals(phase, ["Germany"])[0].text == GERMANY


def test_orders_of_other_nations_are_hidden_until_the_game_is_over(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    """docs/design.md 8: salt and text are for their nation, at the lock and after judgment."""
    for phase in (locked(campaign, watch), judged_now(campaign, watch)):
        for name, secrets in (
            (None, ("Germany", "France")),
            ("charlie", ("Germany", "France")),
            ("felix", ("Germany",)),
            ("gustav", ("France",)),
        ):
            page = shown(as_(name), address(phase))
            for nation in secrets:
                salts = Submission.objects.filter(
                    game=campaign.game, seat__nation=nation
                ).values_list("salt", "hash")
                assert not any(word in page for pair in salts for word in pair)
            assert ("on no account" in page) is (name == "gustav")
            assert ("guerre" in page) is (name == "felix")
    assert "on no account" in shown(as_("ada"), address(phase))


def judged_now(campaign: Campaign, watch: Watch) -> Phase:
    phase = campaign.phase
    campaign.wait_until((phase.due_at or campaign.now) + timedelta(seconds=1))
    phase.refresh_from_db()
    watch.set(campaign.now)
    return phase


def test_proof_page_hides_orders_from_a_playing_gamesmaster(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    phase = locked(campaign, watch)
    campaign.game.gamesmasters.add(person("felix"))
    assert "on no account" not in shown(as_("felix"), address(phase))
    assert "guerre" in shown(as_("felix"), address(phase))


def test_leaf_of_merged_lines_uses_the_merged_text(as_: Browser, watch: Watch, db: None) -> None:
    """orders.amend = merge_lines: the text of the leaf is the one that is judged."""
    campaign = Campaign.begin(options={"orders.amend": "merge_lines"})
    campaign.order("Germany", "PLACE 4 Poland")
    campaign.order("Germany", "PLACE 6 Italy")
    phase = campaign.pass_deadline()
    [seal] = digest.seals(phase, ["Germany"])
    assert "PLACE 4 Poland" in seal.text
    assert "PLACE 6 Italy" in seal.text
    assert printed(seal.snippet) == phase.leaves["Germany"]


def test_leaves_exist_only_after_the_lock(campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 10 Poland")
    assert digest.seals(campaign.phase, ["Germany"]) == []


def test_proof_by_mail_has_the_readers_own_leaf_only(campaign: Campaign, watch: Watch) -> None:
    """Item 1: digest and leaves for all; salt and text only for their own player. PROOF sends what
    the short letter at the lock leaves out."""
    phase = locked(campaign, watch)
    for name, letter in (
        (letter_row.address, rendering.render(letter_row))
        for letter_row in campaign.letters("locked")
    ):
        assert phase.digest in letter.text, name
        assert not any(leaf in letter.text for leaf in phase.leaves.values())
    seals = {seal.nation: seal for seal in digest.seals(phase, ["Germany", "France"])}
    for nations in ((), ("Germany",), ("France",)):
        parts = proofs.parts(phase, nations, in_full)
        lines = [line for part in parts for line in (*part.sentences, *part.kept, *part.after)]
        for sentence in (
            phase.digest,
            *(f"{nation}: {leaf}" for nation, leaf in phase.leaves.items()),
            *announced.fallbacks(phase.game),
            digest.LEAF_IN_WORDS,
            announced.session_rule(phase.game),
        ):
            assert sentence in lines
        shown = "\n".join(lines)
        assert {nation for nation, seal in seals.items() if seal.salt in shown} == set(nations)
    own = proofs.parts(phase, ["Germany"], in_full)[-1]
    assert own.sentences[0].startswith("They are leaf no. 2 of 2.")
    assert printed("\n".join(own.kept)) == phase.leaves["Germany"]


# --- the digits ---


def test_proof_shows_everything_that_decided_an_attack(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    """Item 7: stock, session, volume, hundreds, digit, row, column, odds, result, readings."""
    phase = judged(campaign, watch)
    attacks = [row for row in campaign.resolution(phase).events if row["kind"] == "attack"]
    event = next(row for row in attacks if row["nation"] == "Germany")
    assert event["stock"] == "GE"
    reading = Reading.objects.get(symbol="GE")
    page = shown(as_(), address(phase))
    text = sentences(page)
    for words in (
        f"{event['volume']:,}",
        f"{event['volume'] // 100:,}",
        f"row {event['digit']}, column {event['odds']}",
        f"{event['attacker']} to {event['defender']}, that is {event['odds']}",
        "ZZTOP : no usable report",
        f"{reading.volume:,} shares: the DEMO exchange, made up",
    ):
        assert words in text, words
    marks = re.findall(r"<mark>(.*?)</mark>", page)
    fought = [row for row in campaign.resolution(phase).events if row["kind"] == "attack"]
    assert [re.sub("<.*", "", mark).replace("–", "-") for mark in marks] == [
        row["result"] for row in fought
    ]


def test_stock_named_twice_is_shown_as_passed_over(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    """rng.duplicate_stock."""
    for nation in ("France", "Britain"):
        campaign.order(nation, "PLACE 2 Poland\nPLACE 2 Rumania")
    campaign.order("Germany", "PLACE 5 Poland\nPLACE 5 Rumania")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France STOCK GE\nATTACK Rumania: Britain STOCK GE")
    phase = campaign.pass_deadline()
    first, second = proof.workings(phase, campaign.resolution(phase))
    assert (first.stock, first.passed) == ("GE", ())
    assert second.stock in campaign.game.reserves
    assert second.passed[0] == ("GE", "an earlier line names it already")
    assert "GE (an earlier line names it already)" in " ".join(
        rendering.render(
            next(letter for letter in campaign.letters("board", "una") if letter.phase == phase)
        ).text.split()
    )


def test_report_says_which_stock_the_gamesmaster_has_passed_over(
    campaign: Campaign, watch: Watch, as_: Browser
) -> None:
    """docs/fairness.md: report and record mark the gamesmaster's own figures, and their “none”."""
    phase = locked(campaign, watch)
    assert phase.session_closes is not None
    market.enter_no_report(phase, "GE", campaign.ada, phase.session_closes)
    campaign.pass_deadline()
    watch.set(campaign.now)
    [letter] = [letter for letter in campaign.letters("board", "una") if letter.phase == phase]
    told = "GE (no usable report: entered by the gamesmaster)"
    assert f"Passed over: ZZTOP (no usable report), {told}." in " ".join(
        rendering.render(letter).text.split()
    )
    page = as_("una").get(reverse("proof", args=[campaign.game.pk, phase.number])).content.decode()
    assert "GE : no usable report: entered by the gamesmaster" in sentences(page)


def test_report_has_each_figure_once_and_names_stocks_without_one(
    campaign: Campaign, watch: Watch
) -> None:
    """reviews/mail.md L5: the sentence, the sales, and the proof behind a link."""
    phase = judged(campaign, watch)
    [letter] = [letter for letter in campaign.letters("board", "una") if letter.phase == phase]
    made = rendering.render(letter)
    for part in (" ".join(made.text.split()), sentences(unescape(made.html))):
        assert "Passed over: ZZTOP (no usable report)." in part
        assert "Session" not in part
        assert "Table: row" not in part
    assert f"/phases/{phase.number}/" in made.text


def test_reading_names_its_library_or_person(campaign: Campaign) -> None:
    """Source, time, figure, version; for a newspaper the gamesmaster's name, never the address."""
    known: Any = {
        "exchange": "XNYS",
        "session": "2026-11-17",
        "symbol": "GE",
        "kind": "ok",
        "volume": 5412345,
        "read_at": campaign.now,
    }
    yahoo = proof.describe_reading(Reading(source="yahoo", raw={"yfinance": "1.7.0"}, **known))
    assert str(yahoo) == "Yahoo, 2026-11-16 17:00:00 UTC (yfinance 1.7.0): 5,412,345 shares"
    paper = proof.describe_reading(
        Reading(source="newspaper", entered_by=campaign.ada, detail="The Times", **known)
    )
    assert str(paper) == "typed in by Ada, 2026-11-16 17:00:00 UTC: 5,412,345 shares, “The Times”"
    nameless = person("nameless")
    nameless.name = ""
    assert "@" not in str(
        proof.describe_reading(Reading(source="newspaper", entered_by=nameless, **known))
    )


def test_digits_of_a_seed_are_shown_without_shares(as_: Browser, watch: Watch, db: None) -> None:
    """rng.source = commit_reveal: the seed is shown once the phase is resolved."""
    campaign = Campaign.begin(options={"rng.source": "commit_reveal"})
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("France", "PLACE 3 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France")
    watch.set(campaign.now)
    phase = campaign.phase
    page = shown(as_(), address(phase))
    assert phase.seed_hash in page
    assert announced.session_rule(campaign.game) in page
    phase = campaign.pass_deadline()
    assert phase.status == Phase.Status.RESOLVED
    [working] = proof.workings(phase, campaign.resolution(phase))
    assert working.rolled
    page = shown(as_(), address(phase))
    assert phase.seed in page
    assert f"Digit {working.digit}" in sentences(page)
    assert "Shares sold" not in page.partition("All readings")[0]
    assert "Seeds with a hash published in advance" in shown(
        as_(), reverse("game-honesty", args=[campaign.game.pk])
    )


def test_changed_session_is_shown_with_its_reason(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    phase = judged(campaign, watch)
    assert phase.session_opens is not None
    assert phase.session_closes is not None
    ends = {
        "old_opens": phase.session_opens,
        "old_closes": phase.session_closes,
        "new_opens": phase.session_opens,
        "new_closes": phase.session_closes,
    }
    changed: Any = {
        "old": "2026-11-16",
        "new": "2026-11-17",
        "changed_at": watch.now,
        "reason": "The exchange stayed shut.",
    }
    SessionChange.objects.create(phase=phase, changed_by=campaign.ada, **ends, **changed)
    page = sentences(shown(as_(), address(phase)))
    assert (
        "from Monday 16 November 2026 to Tuesday 17 November 2026 : The exchange stayed shut."
        in page
    )


def test_figures_are_hidden_before_the_phase_is_judged(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    phase = locked(campaign, watch)
    volume = 7_654_321
    for name in ("GE", "F"):
        known: Any = {
            "source": "demo",
            "exchange": phase.exchange,
            "session": phase.session,
            "kind": "ok",
            "read_at": campaign.now,
        }
        Reading.objects.create(symbol=name, volume=volume, **known)
    assert f"{volume:,}" not in shown(as_("ada"), address(phase))


# --- files ---


def test_public_record_is_complete_once_the_game_is_over(
    as_: Browser, monkeypatch: pytest.MonkeyPatch, watch: Watch
) -> None:
    played.short_card(monkeypatch)
    campaign = played.begin()
    played.first_turn(campaign)
    page = reverse("record", args=[campaign.game.pk])
    for name in (None, "gustav", "ada"):
        answer = as_(name).get(page)
        assert (
            answer["Content-Disposition"] == f'attachment; filename="game-{campaign.game.pk}.json"'
        )
        tree = json.loads(answer.content)
        assert tree["complete"] is False
        assert "secret reason" not in answer.content.decode()
        assert not any(
            row["salt"] in answer.content.decode() for row in Submission.objects.values("salt")
        )
        assert verify.check(tree) == []
    played.rest(campaign)
    answer = as_().get(page)
    assert json.loads(answer.content)["complete"] is True
    assert "secret reason" in answer.content.decode()
    assert verify.check(json.loads(answer.content)) == []
    phase = campaign.game.phases.get(number=2)
    [seal] = digest.seals(phase, ["Germany"])
    assert seal.salt in shown(as_(), address(phase))


def test_checker_download_matches_the_shown_fingerprint(as_: Browser, campaign: Campaign) -> None:
    answer = as_().get(reverse("checker"))
    assert answer.content == standalone.build_archive()
    assert answer["Content-Disposition"] == 'attachment; filename="checker.pyz"'
    assert standalone.fingerprint() in shown(as_(), address(campaign.phase))
    assert (
        as_().get(reverse("checker"), headers={"if-none-match": answer["ETag"]}).status_code == 304
    )


def test_game_page_links_to_record_checker_and_proof(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    phase = judged(campaign, watch)
    page = shown(as_(), campaign.game.get_absolute_url())
    for name in (
        reverse("record", args=[campaign.game.pk]),
        reverse("checker"),
        reverse("game-honesty", args=[campaign.game.pk]),
    ):
        assert f'href="{name}"' in page
    assert f'href="{address(phase)}"' in shown(
        as_(), reverse("phase", args=[campaign.game.pk, phase.number])
    )


# --- the die ---


def test_honesty_page_shows_chart_table_and_verdict(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    page = reverse("game-honesty", args=[campaign.game.pk])
    assert "No digit has been drawn yet." in shown(as_(), page)
    judged(campaign, watch)
    html = shown(as_(), page)
    assert "Too few digits to tell" in html
    assert 'role="img"' in html
    assert "DEMO exchange, made up" in html
    assert html.count('<rect class="bar"') == 10
    assert html.count('<th scope="row">') == 10
    assert " style=" not in html  # the Content-Security-Policy would block it
    digit = Draw.objects.filter(phase__game=campaign.game)[0].digit
    assert f"{digit}: 1" in html


def test_general_honesty_page_counts_only_visible_games(
    as_: Browser, private: Campaign, watch: Watch
) -> None:
    """The digits of a private game are hidden, even within a sum."""
    judged(private, watch)
    for name, sees in ((None, False), ("charlie", False), ("gustav", True), ("ada", True)):
        assert ("DEMO exchange, made up" in shown(as_(name), reverse("honesty"))) is sees
