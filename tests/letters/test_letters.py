"""Contents and recipients of the letters in the outbox (design.md 1, 4, 7, 8; rules 0.3)."""

from __future__ import annotations

import html as entities
import re
import statistics
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import override_settings
from django.urls import reverse

from games import desk, positions
from games.accounts import tokens
from games.letters import account, headers, rendering, silence
from games.letters.rendering import RenderedLetter
from games.models import DeadlineChange, Letter, Listing, Person, Phase, Resolution, Sitting
from games.outbox import rows
from games.outbox.messages import account_letters, game_letters
from games.outbox.outgoing import Outgoing
from games.rules import options as rule_options
from games.rules import registry
from orders.models import Submission
from tests.support.campaign import MONDAY, NATIONS, PLAYERS, Campaign, person
from tests.support.stored import stored

pytestmark = [pytest.mark.django_db, pytest.mark.letters]

PUBLIC = ("begins", "opened", "reminder", "receipt", "stock", "locked", "board", "over", "moved")
KINDS = (*PUBLIC, "login", "invitation", "held", "undelivered")
FRIDAYS = {"every": "weekday", "weekday": "friday", "weeks": 2, "time": "09:00"}


def played() -> Campaign:
    """Return a campaign that has caused every letter at least once, most of them by its events."""
    return stored("most letters", _played)


def _played() -> Campaign:
    Person.objects.at("gustav@example.org", name="Gustav", zone="Europe/Berlin")
    campaign = Campaign.begin(schedule=FRIDAYS, title="Peace & <b>quiet</b>")
    account_letters.login(
        tokens.new_login(campaign.players["Germany"], "", campaign.now), campaign.now
    )
    campaign.order("Germany", "PLACE 10 Poland\nPLACE 2 Austra\nFROM HOME 3 Austria")
    campaign.order("France", "PLACE 6 Poland")
    game_letters.reminder(campaign.phase, [campaign.seat("Britain")], campaign.now)
    later = campaign.phase.deadline + timedelta(days=3)
    desk.extend(campaign.phase, later, "Bea is <i>away</i>.", campaign.ada, campaign.now)
    campaign.pass_deadline()
    campaign.order(
        "Germany",
        "ATTACK Poland: France STOCK GE\nSTANDING UNDERSTANDING ALL\nUNDERSTANDING Russia",
    )
    for verdict in ("unknown", "paper"):
        row = {
            "symbol": verdict.upper(),
            "verdict": verdict,
            "instrument": "INDEX" if verdict == "paper" else "",
        }
        listing = Listing.objects.create(source="yahoo", checked_at=campaign.now, **row)
        game_letters.stock(
            campaign.phase.submissions.get(seat__nation="Germany"), listing, campaign.now
        )
    campaign.pass_deadline()
    phase = campaign.phase
    phase.fault = "No usable sales figure is left for an attack."
    with Outgoing([phase.game]) as out:
        game_letters.report_hold(phase, campaign.now, out)
    lost = campaign.letters("receipt", "felix")[0]
    Letter.objects.filter(pk=lost.pk).update(status="failed", fault="550 no such <user>")
    account_letters.report_undelivered(lost, campaign.now)
    with Outgoing([campaign.game]) as out:
        game_letters.announce_end(campaign.resolution(), campaign.now, out)
    return campaign


def text_of(letter: Letter) -> str:
    return unwrapped(rendering.render(letter).text)


def unwrapped(text: str) -> str:
    return " ".join(text.split())


def seen_in(html: str) -> str:
    """Return the visible words of a page, and the addresses of its links."""
    links = re.sub(
        r'<a href="([^"]*)"[^>]*>', r" \1 ", html.partition("<body")[2].partition(">")[2]
    )
    return entities.unescape(re.sub(r"<[^>]+>", " ", links))


def words(text: str) -> set[str]:
    return {word.strip(".,:;()[]“”").lower() for word in text.split()} - {"", "-"}


@pytest.mark.parametrize("kind", KINDS)
def test_text_and_html_say_the_same(kind: str) -> None:
    """Design 7: the HTML has every word and figure of the text, and no other figure."""
    played()
    for letter in Letter.objects.filter(kind=kind):
        made = rendering.render(letter)
        html = seen_in(made.html)
        numbered = re.sub(r"^\d+\. ", "", made.text, flags=re.M)  # a list that a browser numbers
        assert not words(numbered) - words(html)
        assert not {
            word for word in words(html) - words(made.text) if any(sign.isdigit() for sign in word)
        }


@pytest.mark.parametrize("kind", KINDS)
def test_letter_is_narrow_escaped_and_complete(kind: str) -> None:
    """At most 72 columns, except lines to be copied; rulings too (gamesmaster.md B16: 135). Titles
    and reasons never become markup."""
    played()
    for letter in Letter.objects.filter(kind=kind):
        rendered = rendering.render(letter)
        for line in rendered.text.splitlines():
            assert len(line) <= 72 or line.startswith("    ")
        assert "&amp;" not in rendered.text
        assert "&lt;" not in rendered.text
        assert "<b>" not in rendered.html
        assert "<i>" not in rendered.html
        assert "<user>" not in rendered.html
        assert "\n" not in rendered.subject
        html = re.sub(r"<style>.*?</style>", "", rendered.html, flags=re.S)  # the dark colors
        for part in (rendered.subject, rendered.text, html):
            assert "None" not in part
            assert "{" not in part
            assert "!" not in part.replace("<!DOCTYPE html>", "")
        assert 'name="color-scheme"' in rendered.html
        pictures = (
            r'<img src="cid:board[.][0-9a-f]{24}@games[.]test" width="560" alt="[^"]+"'
            r' style="[^"]+">'
        )
        assert "<img" not in re.sub(pictures, "", rendered.html)


def test_kinds_and_phases_have_distinct_subjects() -> None:
    """Issue 22, gamesmaster.md U1: a subject says what the letter is about; References keep the
    thread."""
    campaign = played()
    by_subject: dict[str, set[tuple[str, int | None]]] = {}
    for letter in Letter.objects.filter(game=campaign.game).select_related("person", "phase"):
        if letter.kind == "invitation":  # one for each seat
            continue
        subject = rendering.render(letter).subject
        assert subject.startswith("[Peace & <b>quiet</b>] ")
        by_subject.setdefault(subject, set()).add((letter.kind, letter.phase_id))
        thread = headers.headers_of(letter, "orders@games.test")["References"]
        assert thread.split()[0] == campaign.game.thread_id
    shared = {subject: uses for subject, uses in by_subject.items() if len(uses) > 1}
    assert shared == {}
    reports = [rendering.render(report).subject for report in campaign.letters("board", "gustav")]
    assert reports == [
        "[Peace & <b>quiet</b>] Turn 1 attacks: your orders by Fri 11 Dec, 15:00",
        "[Peace & <b>quiet</b>] Turn 2 placement: your orders by Fri 25 Dec, 15:00",
    ]
    # The USA can order nothing in the attacks.
    assert [rendering.render(report).subject for report in campaign.letters("board", "una")] == [
        "[Peace & <b>quiet</b>] Turn 1 placement: the result",
        "[Peace & <b>quiet</b>] Turn 2 placement: your orders by Fri 25 Dec, 14:00",
    ]


def test_letter_written_twice_is_stored_once() -> None:
    """Promise 4: every player gets each report once, whatever runs twice."""
    campaign = played()
    before = set(Letter.objects.values_list("key", "code"))
    now, game, phase = campaign.now, campaign.game, Phase.objects.get(game=campaign.game, number=1)
    account_letters.login(campaign.players["Germany"].login_keys.get(), now)
    account_letters.invitation(campaign.seat("Germany").invitations.get(), now)
    game_letters.begins(game, now)
    with Outgoing([game]) as out:
        game_letters.announce_phase(phase, rows.position(phase), now, out)
        game_letters.announce_lock(Phase.objects.get(game=game, number=2), now, out)
        following = Phase.objects.get(game=game, number=2)
        game_letters.board(phase.resolutions.get(), following, now, out)
    game_letters.receipt(phase.submissions.all()[0], now)
    newest = Submission.objects.filter(seat__nation="Germany").latest("number")
    game_letters.stock(newest, Listing.objects.earliest("pk"), now)
    with Outgoing([game]) as out:
        game_letters.announce_end(campaign.resolution(), now, out)
    with Outgoing([campaign.phase.game]) as out:
        game_letters.report_hold(campaign.phase, now, out)
    game_letters.announce_new_deadline(DeadlineChange.objects.get(), now)
    account_letters.report_undelivered(campaign.letters("receipt", "felix")[0], now)
    assert set(Letter.objects.values_list("key", "code")) == before
    assert len({code for _, code in before}) == len(before)


def test_public_letter_goes_to_everybody_in_the_game_once() -> None:
    """To all current players and gamesmasters, and only once to a person with several roles."""
    campaign = Campaign.open()
    person("charlie")
    campaign.game.gamesmasters.add(campaign.players["USA"], person("abe"))
    Sitting.objects.filter(seat=campaign.seat("Britain")).update(until=MONDAY)
    Sitting.objects.create(
        seat=campaign.seat("Britain"), person=campaign.players["Germany"], since=MONDAY
    )
    Person.objects.filter(pk=campaign.players["Russia"].pk).update(is_active=False)
    game_letters.begins(campaign.game, MONDAY)
    names = sorted(letter.address.split("@")[0] for letter in campaign.letters("begins"))
    assert names == ["abe", "ada", "felix", "gustav", "una"]
    assert "You play Britain and Germany." in text_of(campaign.letters("begins", "gustav")[0])
    assert "You run this game." in text_of(campaign.letters("begins", "ada")[0])


def test_first_letter_explains_the_whole_game() -> None:
    """Issue 22, 3: players, rules, deadline, every order, the table, the reader's objectives, and
    differences from the usual rules. Contract 2: a scenario that is not printed is named as
    such."""
    campaign = Campaign.begin(schedule=FRIDAYS, options={"ow2.tie": "more_control"})
    text = text_of(campaign.letters("begins", "gustav")[0])
    assert "these are our own reconstruction" in text
    assert campaign.game.card["note"] in text
    assert "every second Friday at 09:00 New York time" in text
    assert "A tie for the win: more CONTROL counters win." in text
    assert "PFs that are not placed" not in text, "what is usual is sent by SEND RULES"
    assert "political factors (PFs)" in text
    assert "ATTACK Poland: Germany, Russia" in text
    assert "digit 4, 5 - X D D D" in text
    assert "PFs a turn: 10, 12, 13, 14, 15, 16." in text
    assert "PFs a turn: 6, 7, 7, 8, 9, 10." not in text, "Russia's chart is sent by SEND SCENARIO"
    assert "SEND RULES and SEND SCENARIO" in text or not settings.MAIL_IN
    assert "DEMO exchange with made-up sales" in text
    assert "@" not in text
    printed = campaign.game
    printed.card = {**printed.card, "provenance": "printed"}
    printed.save()
    assert "printed ones" not in text_of(campaign.letters("begins", "gustav")[0])


def test_opening_letter_shows_the_orders_to_send() -> None:
    """Issue 22: every example is accepted, works on the present board and causes no warning; if
    none can work there is none."""
    campaign = Campaign.begin()
    for kind in ("placement", "attacks"):
        state = positions.state_of(campaign.phase)
        for nation in NATIONS:
            shown = silence.examples(campaign.game, state, nation)
            reading = campaign.game.rules.read("\n".join(shown), nation, state)
            assert {remark.severity for remark in reading.remarks} <= {"note"}, (nation, shown)
            assert len(reading.understood) == len(shown)
            assert bool(shown) == (kind == "placement" or nation in ("Germany", "Russia"))
            made = rendering.render(campaign.asking(PLAYERS[nation]))
            assert not shown or "\n".join(f"    {line}" for line in shown) in made.text
            page = f"/games/{campaign.game.pk}/orders/{campaign.seat(nation).pk}/"
            assert (page in made.text) == campaign.game.rules.could_order(state, nation)
        campaign.order("Germany", "PLACE 10 Poland")
        campaign.order("France", "PLACE 3 Poland")
        campaign.order("Russia", "PLACE 4 Poland")
        campaign.pass_deadline()


def test_deadline_is_shown_in_the_readers_zone_alone() -> None:
    """Issue 44, 5: short, and without the game's zone."""
    Person.objects.at("gustav@example.org", name="Gustav", zone="Europe/Berlin")
    Person.objects.at("una@example.org", name="Una", zone="America/New_York")
    campaign = Campaign.begin(schedule=FRIDAYS)
    text = text_of(campaign.letters("opened", "gustav")[0])
    assert "Fri 27 Nov, 15:00 Berlin time" in text
    assert "New York" not in text
    assert "Fri 27 Nov, 09:00 New York time" in text_of(campaign.letters("opened", "una")[0])


def test_letter_keeps_the_deadline_of_the_time_it_was_written() -> None:
    """The next letter announces the move."""
    campaign = Campaign.begin(schedule=FRIDAYS)
    later = campaign.phase.deadline + timedelta(days=3)
    desk.extend(campaign.phase, later, "Snow.", campaign.ada, campaign.now)
    assert "Fri 27 Nov" in text_of(campaign.letters("opened", "bea")[0])
    text = text_of(campaign.letters("moved", "bea")[0])
    assert "now due by Mon 30 Nov, 14:00 UTC" in text
    assert "“Snow.”" in text
    assert "Ada moved the deadline of Turn 1 placement, for everybody." in text


def test_receipt_lists_accepted_and_rejected_lines_and_orders_in_force() -> None:
    """Design 7: understood, not understood, effect of silence, deadline; never a code."""
    campaign = Campaign.begin(schedule=FRIDAYS)
    campaign.order("Germany", "pla 1 pol\nPlace 8 Pol\n\nPLACE 2 Atlantis")
    made = rendering.render(campaign.letters("receipt", "gustav")[0])
    text = unwrapped(made.text)
    assert "Orders No. 1 for Germany are in force." in text
    assert "\n    PLACE 8 Poland    # you wrote “Place 8 Pol”\n" in made.text
    assert "“PLACE 2 Atlantis”" in text
    assert "unreadable" not in made.text + made.html
    assert "If you send nothing more, these orders count. New orders replace the whole set." in text
    assert "You may replace them until Fri 27 Nov, 14:00 UTC." in text

    campaign.order("Germany", "banana")
    text = text_of(campaign.letters("receipt", "gustav")[1])
    assert "no line of them is valid" in text
    assert "your earlier orders No. 1 count" in text

    campaign.order("Britain", "banana")
    text = text_of(campaign.letters("receipt", "bea")[0])
    assert "If you send nothing, your 6 PFs go to Britain." in text

    campaign.order("Germany", "PLACE 1 Italy", at=campaign.phase.deadline + timedelta(seconds=1))
    text = text_of(campaign.letters("receipt", "gustav")[2])
    assert "arrived after the deadline" in text
    assert "Orders No. 1 count in this phase." in text


def test_receipt_says_that_merged_lines_are_added() -> None:
    """rules 0.2, orders.amend = merge_lines."""
    campaign = Campaign.begin(options={"orders.amend": "merge_lines"})
    campaign.order("Germany", "PLACE 8 Poland")
    text = text_of(campaign.letters("receipt", "gustav")[0])
    assert "Lines that you send later are added" in text
    assert "replace the whole set" not in text


def test_first_letter_mentions_no_reserves_if_there_are_none() -> None:
    """rules 0.1, rng.no_stock = attack_void."""
    campaign = Campaign.begin(options={"rng.no_stock": "attack_void"})
    text = text_of(campaign.letters("begins", "bea")[0])
    assert "An attack without a usable stock is void." in text
    assert "the reserve list decides" not in text


def test_reminder_goes_to_nations_without_orders_and_explains_the_default() -> None:
    """Design 5; rules P9 and T13, in the words of the ruleset."""
    campaign = Campaign.begin()
    game_letters.reminder(
        campaign.phase, [campaign.seat("Britain"), campaign.seat("France")], campaign.now
    )
    assert {letter.address for letter in campaign.letters("reminder")} == {
        "bea@example.org",
        "felix@example.org",
    }
    assert "If you send nothing, your 6 PFs go to Britain." in text_of(
        campaign.letters("reminder", "bea")[0]
    )
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "STANDING UNDERSTANDING ALL")
    campaign.pass_deadline()
    campaign.pass_deadline()
    Letter.objects.filter(kind="reminder").delete()
    game_letters.reminder(
        campaign.phase, [campaign.seat("Germany"), campaign.seat("Britain")], campaign.now
    )
    assert "these lines count for Germany in this phase: STANDING UNDERSTANDING ALL" in text_of(
        campaign.letters("reminder", "gustav")[0]
    )
    assert "Britain attacks nobody and places no counters." in text_of(
        campaign.letters("reminder", "bea")[0]
    )
    assert "STANDING" not in text_of(campaign.letters("reminder", "bea")[0])


@override_settings(MAIL_IN=True, MAIL_REPLY="orders@games.test")
def test_letters_are_short() -> None:
    """Issue 22: median number of lines over a campaign: first letter 75, report with board and
    scores 95, lock letter 20."""
    played()
    for kind, most in (("begins", 75), ("board", 95), ("locked", 20)):
        sizes = [
            len(rendering.render(letter).text.splitlines())
            for letter in Letter.objects.filter(kind=kind)
        ]
        assert statistics.median(sizes) <= most, (kind, sizes)


def test_turn_brings_a_player_three_letters() -> None:
    """Issue 22: at most 4.5, besides receipts and press: two reports and a lock."""
    campaign = Campaign.begin()
    campaign.pass_deadline()
    campaign.pass_deadline()
    before = Letter.objects.filter(address="una@example.org").count()
    campaign.place_in_poland()
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    campaign.pass_deadline()
    assert Letter.objects.filter(address="una@example.org").count() - before == 3


def test_lock_letter_has_stocks_session_digest_and_proof_link() -> None:
    """Promise 3; issue 22, 2: at most 20 lines; PROOF sends the rest."""
    played()
    letter = Letter.objects.filter(kind="locked", address="bea@example.org")[0]
    phase = letter.phase
    assert phase is not None
    text = text_of(letter)
    assert phase.digest in text
    assert phase.session not in text
    assert "The next session decides" in text
    assert "Stocks, in order of use: GE." in text
    assert "orders are closed. You sent none." in text
    assert "GE. France and Russia sent no orders." in text
    assert f"/phases/{phase.number}/proof/" in text
    assert "DEMO" in text
    assert len(rendering.render(letter).text.splitlines()) <= 20


def test_report_has_the_events_with_figures_and_digits() -> None:
    """Rules 0.3; contract 4. Demonstration figures are marked as such."""
    campaign = played()
    phase = Phase.objects.get(game=campaign.game, number=2)
    resolution = phase.resolutions.get()
    [attack] = [event for event in resolution.events if event["kind"] == "attack"]
    text = text_of(
        next(letter for letter in campaign.letters("board", "una") if letter.phase == phase)
    )
    for event in resolution.events:
        assert event["message"] in text
        # rule numbers are on the page only; letters do not explain them
        assert f"[{event['rule']}]" not in text
    assert f"GE sold {attack['volume']:,} shares: digit {attack['digit']}" in text
    assert text.count(f"{attack['volume']:,}") == 2, "in the sentence, and once among the sales"
    assert text.count("DEMO") == 1
    assert "YOUR ORDERS FOR TURN 2 PLACEMENT Orders are due by Fri" in text
    assert re.search(r"\(the first reading, \d+ \w+, \d\d:\d\d UTC\)", text)
    assert re.search(r"SCORES USA \d+", text)


def test_hidden_scores_are_in_no_letter_before_the_end() -> None:
    """Rules F5, ow2.running_score = hidden."""
    campaign = Campaign.begin(options={"ow2.running_score": "hidden"})
    campaign.pass_deadline()
    assert "SCORES" not in text_of(campaign.letters("board", "ada")[0])


def test_ruling_sends_a_new_report_with_the_changes() -> None:
    """Design 4: a ruling sends the complete new board and says what changed."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.pass_deadline()
    first = campaign.resolution()
    after = {**first.after, "board": {**first.after["board"], "Poland": {}}}
    fields = {
        name: getattr(first, name)
        for name in ("phase", "before", "orders", "events", "remarks", "scores", "resolved_at")
    }
    second = Resolution.objects.create(**fields, version=2, after=after)
    with Outgoing([campaign.game]) as out:
        game_letters.board(second, campaign.phase, campaign.now, out)
    assert len(campaign.letters("board", "bea")) == 2
    text = text_of(campaign.letters("board", "bea")[1])
    assert "This is version 2" in text
    assert "Poland, Germany: nothing, not 10" in text


def test_last_letter_names_the_winners() -> None:
    """Rules F13, F14."""
    campaign = Campaign.begin()
    campaign.pass_deadline()
    first = campaign.resolution()
    copied = ("phase", "before", "orders", "events", "remarks", "scores", "resolved_at", "after")
    fields = {name: getattr(first, name) for name in copied}
    for version, winners, wanted in (
        (2, ["Germany"], "Germany wins. War has broken out."),
        (3, ["USA", "France"], "USA and France share the victory."),
    ):
        closing = "War has broken out." if winners == ["Germany"] else ""
        resolution = Resolution.objects.create(
            **fields, version=version, winners=winners, closing=closing
        )
        with Outgoing([campaign.game]) as out:
            game_letters.announce_end(resolution, campaign.now, out)
        assert wanted in text_of(campaign.letters("over", "ada")[-1])


def test_letter_has_nothing_of_another_nations_orders_or_remarks() -> None:
    """Design 8, promise 1: text, wishes and remarks are for the sender only; reports show
    effects."""
    campaign = Campaign.begin()
    campaign.order(
        "Germany", "PLACE 3 Poland\nPLACE 7 Rumenia # gustav's secret\nFROM HOME 4 Italy"
    )
    game_letters.reminder(campaign.phase, [campaign.seat("Britain")], campaign.now)
    campaign.pass_deadline()
    campaign.order(
        "Germany",
        "ATTACK Poland: USA STOCK ZZTOP MIN 5-1\nSTANDING UNDERSTANDING ALL\nCONTROL Poland #"
        " gustav's secret",
    )
    campaign.pass_deadline()
    written = ("FROM HOME 4", "MIN 5-1", "STANDING UNDERSTANDING ALL", "ZZTOP")
    secrets = ("Rumenia", "gustav's secret", *written)
    secrets_by_address: dict[str, set[str]] = {}
    for letter in Letter.objects.filter(game=campaign.game).order_by("pk"):
        if letter.kind == "begins":  # it lists all forms of orders
            continue
        made = rendering.render(letter)
        for part in (unwrapped(made.text), unwrapped(entities.unescape(made.html))):
            leaked = {secret for secret in secrets if secret in part}
            secrets_by_address[letter.address] = (
                secrets_by_address.get(letter.address, set()) | leaked
            )
            if letter.address != "gustav@example.org":
                assert not leaked, f"{letter.kind} to {letter.address} tells {leaked}"
    assert {"Rumenia", "FROM HOME 4", "STANDING UNDERSTANDING ALL"} <= secrets_by_address[
        "gustav@example.org"
    ]


def test_held_phase_is_reported_to_gamesmasters_only() -> None:
    """Design 5; each hold is reported again."""
    campaign = Campaign.begin()
    phase = campaign.phase
    phase.fault = "The rules cannot decide this phase."
    with Outgoing([phase.game]) as out:
        game_letters.report_hold(phase, campaign.now, out)
    with Outgoing([phase.game]) as out:
        game_letters.report_hold(phase, campaign.now + timedelta(days=1), out)
    assert [letter.address for letter in campaign.letters("held")] == ["ada@example.org"] * 2
    assert "The rules cannot decide this phase." in text_of(campaign.letters("held")[0])


def test_orders_of_a_bot_get_no_receipt() -> None:
    """A submission without a person has no recipient."""
    campaign = Campaign.begin(
        seats={**{nation: f"{name}@example.org" for nation, name in PLAYERS.items()}, "USA": "bot"}
    )
    campaign.order("USA", "PLACE 2 Poland")
    assert campaign.letters("receipt") == []
    assert "The service plays USA" in text_of(campaign.letters("begins", "ada")[0])


def test_rendering_twice_gives_equal_letters() -> None:
    """The outbox stores what it sends."""
    campaign = Campaign.begin()
    letter = campaign.letters("opened", "bea")[0]
    assert isinstance(rendering.render(letter), RenderedLetter)
    assert rendering.render(letter) == rendering.render(letter)


def test_letter_shows_no_identifiers() -> None:
    """Ids of options and their values, kinds of events and codes of remarks are for programs."""
    played()
    for letter in Letter.objects.all():
        made = rendering.render(letter)
        for part in (made.text, seen_in(made.html)):
            written = re.sub(r"http://\S+", "", part)
            assert not re.search(r"\b(?:rng|ow2|orders|seat)\.[a-z]", written), written
            assert not re.search(r"\b[a-z]+_[a-z]+\b", written), written


def test_every_choice_of_an_option_has_a_label() -> None:
    """A person who opens a game must understand every choice."""
    for rules in registry.RULESETS.values():
        for option in rule_options.group_options(rules.option_groups):
            if not option.offered:
                continue
            for value in option.choosable:
                label = option.label(value)
                assert "_" not in label
                named = option.labels.get(value) or value in ("yes", "no")
                assert named, (option.id, value)


def test_report_has_events_before_board_and_deadline() -> None:
    played()
    for letter in Letter.objects.filter(kind="board"):
        text = rendering.render(letter).text
        idle = letter.address.startswith("ada@") or "has nothing to order in this phase" in text
        asks = "NEXT:" if idle else "YOUR ORDERS FOR"
        places = [
            text.index(heading)
            for heading in ("WHAT HAPPENED", "THE BOARD", "SCORES", f"{asks} TURN")
        ]
        assert places == sorted(places)


def test_last_letter_accounts_for_every_point() -> None:
    """The listed points add up to the score."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 5 Austria")
    campaign.order("Britain", "PLACE 5 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "CONTROL Austria")
    campaign.order("Britain", "UNDERSTANDING Poland")
    campaign.pass_deadline()
    position = campaign.resolution().after
    paid = account.account_of(campaign.game, position)
    assert ("CONTROL in Austria", 5) in paid["Germany"]
    assert ("Understanding in Poland", 4) in paid["Britain"]
    scores = campaign.game.rules.standing(campaign.game.load(position)).scores
    assert {nation: sum(points for _, points in items) for nation, items in paid.items()} == dict(
        scores
    )
    with Outgoing([campaign.game]) as out:
        game_letters.announce_end(campaign.resolution(), campaign.now, out)
    letter = rendering.render(campaign.letters("over", "gustav")[0])
    assert "- Germany: CONTROL in Austria 5." in letter.text
    review = reverse("game-summary", args=[campaign.game.pk])
    assert review in letter.text, "the review is linked (review player S8)"
    assert re.search(f'{review}"[^>]*>The game in review', letter.html)


def test_greeting_has_no_empty_name() -> None:
    campaign = Campaign.open()
    campaign.ada.name = "The service"
    campaign.ada.save()
    desk.start(campaign.game, campaign.now)
    assert rendering.render(campaign.letters("opened", "ada")[0]).text.startswith("Hello,")


@pytest.mark.parametrize("act", ["moved", "paused", "rescheduled", "change"])
def test_gamesmaster_without_a_seat_reads_nothing_about_own_orders(act: str) -> None:
    """Issue 22, 3: every letter is true of its reader."""
    campaign = Campaign.begin()
    game, ada, now = campaign.game, campaign.ada, campaign.now
    match act:
        case "moved":
            desk.extend(campaign.phase, now + timedelta(days=3), "The post.", ada, now)
        case "paused":
            desk.pause(game, "A wedding.", ada, now)
        case "rescheduled":
            rule = {"every": "days", "days": 3, "time": "20:00"}
            desk.reschedule(game, rule, "Europe/London", "Slower.", ada, now, move_open=False)
        case _:
            desk.change_settings(game, {"may_lock_early": not game.may_lock_early}, ada, now)
    texts = [text_of(campaign.letters(act, name)[0]) for name in ("gustav", "ada")]
    assert ["Orders that you have sent stay in force" in text for text in texts] == [True, False]


def test_receipt_of_final_orders_promises_no_time_to_replace_them() -> None:
    """Player N6: “You may replace them until 08:03”, and the phase was judged at 08:01."""
    campaign = Campaign.begin(may_lock_early=True)
    campaign.order("Germany", "PLACE 10 Poland", final=True)
    made = rendering.render(campaign.letters("receipt", "gustav")[0])
    text = unwrapped(made.text)
    assert (
        "The phase ends as soon as everybody’s orders are final, at the latest Mon 16 Nov, 18:00"
        " UTC. NOT FINAL takes yours back." in text
    )
    assert "You may replace them until" not in text + made.html
    campaign.order("France", "PLACE 6 Poland")
    assert "You may replace them until" in text_of(campaign.letters("receipt", "felix")[0])
