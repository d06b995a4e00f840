"""What is written to the outbox, for whom, in which words (design.md 1, 4, 7, 8; rules 0.3)."""

from __future__ import annotations

import html as entities
import re
import statistics
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import override_settings

from games import desk, positions
from games.accounts import tokens
from games.letters import account, headers, rendering, silence
from games.letters.rendering import Rendered
from games.models import DeadlineChange, Letter, Listing, Person, Phase, Resolution, Sitting
from games.outbox import rows
from games.outbox.messages import game as letters
from games.outbox.outgoing import Outgoing
from games.rules import options as rule_options
from games.rules import registry
from orders.models import Submission
from tests.support.campaign import MONDAY, NATIONS, PLAYERS, Campaign, person
from tests.support.stored import stored

pytestmark = pytest.mark.django_db

PUBLIC = ("begins", "opened", "reminder", "receipt", "stock", "locked", "board", "over", "moved")
KINDS = (*PUBLIC, "login", "invitation", "held", "undelivered")
FRIDAYS = {"every": "weekday", "weekday": "friday", "weeks": 2, "time": "09:00"}


def played() -> Campaign:
    """A campaign that has caused every letter at least once, most by what happened."""
    return stored("most letters", _played)


def _played() -> Campaign:
    Person.objects.at("gustav@example.org", name="Gustav", zone="Europe/Berlin")
    campaign = Campaign.begin(schedule=FRIDAYS, title="Peace & <b>quiet</b>")
    letters.login(tokens.new_login(campaign.players["Germany"], "", campaign.now), campaign.now)
    campaign.order("Germany", "PLACE 10 Poland\nPLACE 2 Austra\nFROM HOME 3 Austria")
    campaign.order("France", "PLACE 6 Poland")
    letters.reminder(campaign.phase, [campaign.seat("Britain")], campaign.now)
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
        letters.stock(campaign.phase.submissions.get(seat__nation="Germany"), listing, campaign.now)
    campaign.pass_deadline()
    phase = campaign.phase
    phase.fault = "No usable sales figure is left for an attack."
    with Outgoing([phase.game]) as out:
        letters.report_hold(phase, campaign.now, out)
    lost = campaign.letters("receipt", "felix")[0]
    Letter.objects.filter(pk=lost.pk).update(status="failed", fault="550 no such <user>")
    letters.report_undelivered(lost, campaign.now)
    with Outgoing([campaign.game]) as out:
        letters.announce_end(campaign.resolution(), campaign.now, out)
    return campaign


def text_of(letter: Letter) -> str:
    return unwrapped(rendering.render(letter).text)


def unwrapped(text: str) -> str:
    return " ".join(text.split())


def seen_in(html: str) -> str:
    """The words of a page as they are read, addresses of links included."""
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
        numbered = re.sub(
            r"^\d+\. ", "", made.text, flags=re.M
        )  # a list that a browser numbers itself
        assert not words(numbered) - words(html)
        assert not {
            word for word in words(html) - words(made.text) if any(sign.isdigit() for sign in word)
        }


@pytest.mark.parametrize("kind", KINDS)
def test_a_letter_is_narrow_and_escaped_and_has_no_holes(kind: str) -> None:
    """72 columns but for what is copied whole, rulings too (gamesmaster.md B16: 135); titles and
    reasons never become markup."""
    played()
    for letter in Letter.objects.filter(kind=kind):
        made = rendering.render(letter)
        for line in made.text.splitlines():
            assert len(line) <= 72 or line.startswith("    ")
        assert "&amp;" not in made.text
        assert "&lt;" not in made.text
        assert "<b>" not in made.html
        assert "<i>" not in made.html
        assert "<user>" not in made.html
        assert "\n" not in made.subject
        for part in (made.subject, made.text, made.html):
            assert "None" not in part
            assert "{" not in part
            assert "!" not in part.replace("<!DOCTYPE html>", "")
        assert 'name="color-scheme"' in made.html
        assert "<style" not in made.html
        pictures = (
            r'<img src="cid:board[.][0-9a-f]{24}@games[.]test" width="580" alt="[^"]+"'
            r' style="[^"]+">'
        )
        assert "<img" not in re.sub(pictures, "", made.html)


def test_no_two_kinds_and_no_two_phases_share_a_subject() -> None:
    """Issue 22, gamesmaster.md U1: each subject tells what the letter is about; References keep the
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
    shared = {subject: told for subject, told in by_subject.items() if len(told) > 1}
    assert shared == {}
    reports = [rendering.render(one).subject for one in campaign.letters("board", "gustav")]
    assert reports == [
        "[Peace & <b>quiet</b>] Turn 1 attacks: your orders by Fri 11 Dec, 15:00",
        "[Peace & <b>quiet</b>] Turn 2 placement: your orders by Fri 25 Dec, 15:00",
    ]
    una = campaign.letters("board", "una")[0]
    assert rendering.render(una).subject.endswith(
        "Turn 1 attacks: your orders by Fri 11 Dec, 14:00"
    )


def test_a_letter_written_twice_is_one_letter() -> None:
    """Promise 4: every player gets each report once, whatever runs twice."""
    campaign = played()
    before = set(Letter.objects.values_list("key", "message_id"))
    now, game, phase = campaign.now, campaign.game, Phase.objects.get(game=campaign.game, number=1)
    letters.login(campaign.players["Germany"].login_keys.get(), now)
    letters.invitation(campaign.seat("Germany").invitations.get(), now)
    letters.begins(game, now)
    with Outgoing([game]) as out:
        letters.announce_phase(phase, rows.position(phase), now, out)
        letters.announce_lock(Phase.objects.get(game=game, number=2), now, out)
        following = Phase.objects.get(game=game, number=2)
        letters.board(phase.resolutions.get(), following, now, out)
    letters.receipt(phase.submissions.all()[0], now)
    newest = Submission.objects.filter(seat__nation="Germany").latest("number")
    letters.stock(newest, Listing.objects.earliest("pk"), now)
    with Outgoing([game]) as out:
        letters.announce_end(campaign.resolution(), now, out)
    with Outgoing([campaign.phase.game]) as out:
        letters.report_hold(campaign.phase, now, out)
    letters.announce_new_deadline(DeadlineChange.objects.get(), now)
    letters.report_undelivered(campaign.letters("receipt", "felix")[0], now)
    assert set(Letter.objects.values_list("key", "message_id")) == before
    assert len({message_id for _, message_id in before}) == len(before)


def test_everybody_in_the_game_gets_a_public_letter_and_nobody_else() -> None:
    """Those who sit in a seat now, and every gamesmaster; each once, however many hats he wears."""
    campaign = Campaign.open()
    person("charlie")
    campaign.game.gamesmasters.add(campaign.players["USA"], person("abe"))
    Sitting.objects.filter(seat=campaign.seat("Britain")).update(until=MONDAY)
    Sitting.objects.create(
        seat=campaign.seat("Britain"), person=campaign.players["Germany"], since=MONDAY
    )
    Person.objects.filter(pk=campaign.players["Russia"].pk).update(is_active=False)
    letters.begins(campaign.game, MONDAY)
    told = sorted(letter.address.split("@")[0] for letter in campaign.letters("begins"))
    assert told == ["abe", "ada", "felix", "gustav", "una"]
    assert "You play Britain and Germany." in text_of(campaign.letters("begins", "gustav")[0])
    assert "You run this game." in text_of(campaign.letters("begins", "ada")[0])


def test_the_first_letter_is_enough_to_play_by() -> None:
    """Issue 22, 3: who plays, the game, when, how, every order, the table, my objectives, and what
    differs from the usual rules. Contract 2: an unprinted card says so."""
    campaign = Campaign.begin(schedule=FRIDAYS, options={"ow2.tie": "more_control"})
    said = text_of(campaign.letters("begins", "gustav")[0])
    assert "these are our own reconstruction" in said
    assert campaign.game.card["note"] in said
    assert "every second Friday at 09:00 New York time" in said
    assert "A tie for the win: more CONTROL counters win." in said
    assert "PFs that are not placed" not in said, "what is usual is sent by SEND RULES"
    assert "political factors (PFs)" in said
    assert "ATTACK Poland: Germany, Russia" in said
    assert "digit 4, 5 - X D D D" in said
    assert "PFs a turn: 10, 12, 13, 14, 15, 16." in said
    assert "PFs a turn: 6, 7, 7, 8, 9, 10." not in said, "Russia's chart is sent by SEND SCENARIO"
    assert "SEND RULES and SEND SCENARIO" in said or not settings.MAIL_IN
    assert "DEMO exchange with made-up sales" in said
    assert "@" not in said
    printed = campaign.game
    printed.card = {**printed.card, "provenance": "printed"}
    printed.save()
    assert "printed ones" not in text_of(campaign.letters("begins", "gustav")[0])


def test_the_letter_that_opens_a_phase_says_what_to_send() -> None:
    """Issue 22: every example is taken as it stands, works on the present board, and raises no
    warning; where nothing can work there is none."""
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
            assert f"/games/{campaign.game.pk}/orders/{campaign.seat(nation).pk}/" in made.text
        campaign.order("Germany", "PLACE 10 Poland")
        campaign.order("France", "PLACE 3 Poland")
        campaign.order("Russia", "PLACE 4 Poland")
        campaign.pass_deadline()


def test_a_deadline_is_told_in_the_readers_zone_with_the_rule_beside_it() -> None:
    """Design 5."""
    Person.objects.at("gustav@example.org", name="Gustav", zone="Europe/Berlin")
    Person.objects.at("una@example.org", name="Una", zone="America/New_York")
    campaign = Campaign.begin(schedule=FRIDAYS)
    said = text_of(campaign.letters("opened", "gustav")[0])
    assert "Friday 27 November 2026, 15:00 Berlin time (09:00 New York)" in said
    assert "every second Friday at 09:00 New York time" in said
    assert "Friday 27 November 2026, 09:00 New York time (09:00" not in text_of(
        campaign.letters("opened", "una")[0]
    )
    assert "Friday 27 November 2026, 09:00 New York time" in text_of(
        campaign.letters("opened", "una")[0]
    )


def test_a_letter_tells_the_deadline_that_stood_when_it_was_written() -> None:
    """Letters are not rendered from rows that change: the next letter tells the move."""
    campaign = Campaign.begin(schedule=FRIDAYS)
    later = campaign.phase.deadline + timedelta(days=3)
    desk.extend(campaign.phase, later, "Snow.", campaign.ada, campaign.now)
    assert "Friday 27 November" in text_of(campaign.letters("opened", "bea")[0])
    said = text_of(campaign.letters("moved", "bea")[0])
    assert "now due by Monday 30 November 2026, 14:00 UTC" in said
    assert "“Snow.”" in said
    assert "Ada moved the deadline of Turn 1 placement, for everybody." in said


def test_a_receipt_says_what_was_understood_what_not_and_what_holds() -> None:
    """Design 7: understood, not understood, effect of silence, deadline; never a code."""
    campaign = Campaign.begin(schedule=FRIDAYS)
    campaign.order("Germany", "pla 1 pol\nPlace 8 Pol\nPLACE 2 Atlantis")
    made = rendering.render(campaign.letters("receipt", "gustav")[0])
    said = unwrapped(made.text)
    assert "Orders No. 1 for Germany are in force." in said
    assert "\n    PLACE 8 Poland    # you wrote “Place 8 Pol”\n" in made.text
    assert "“PLACE 2 Atlantis”" in said
    assert "unreadable" not in made.text + made.html
    assert (
        "If you send nothing more, these orders count. Orders that you send later replace all of"
        " them." in said
    )
    assert "You may replace them until Friday 27 November 2026, 14:00 UTC (09:00 New York)." in said

    campaign.order("Germany", "banana")
    said = text_of(campaign.letters("receipt", "gustav")[1])
    assert "no line of them is valid" in said
    assert "your earlier orders No. 1 count" in said

    campaign.order("Britain", "banana")
    said = text_of(campaign.letters("receipt", "bea")[0])
    assert "If you send nothing, your 6 PFs go to Britain." in said

    campaign.order("Germany", "PLACE 1 Italy", at=campaign.phase.deadline + timedelta(seconds=1))
    said = text_of(campaign.letters("receipt", "gustav")[2])
    assert "arrived after the deadline" in said
    assert "Orders No. 1 count in this phase." in said


def test_lines_that_are_merged_are_not_said_to_replace_all() -> None:
    """rules 0.2, orders.amend = merge_lines."""
    campaign = Campaign.begin(options={"orders.amend": "merge_lines"})
    campaign.order("Germany", "PLACE 8 Poland")
    said = text_of(campaign.letters("receipt", "gustav")[0])
    assert "Lines that you send later are added" in said
    assert "replace all of them" not in said


def test_a_game_without_reserves_does_not_promise_them() -> None:
    """rules 0.1, rng.no_stock = attack_void."""
    campaign = Campaign.begin(options={"rng.no_stock": "attack_void"})
    said = text_of(campaign.letters("begins", "bea")[0])
    assert "An attack without a usable stock is void." in said
    assert "the reserve list decides" not in said


def test_a_reminder_goes_to_the_silent_and_says_what_silence_means() -> None:
    """Design 5; rules P9 and T13, as the ruleset itself tells them."""
    campaign = Campaign.begin()
    letters.reminder(
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
    letters.reminder(
        campaign.phase, [campaign.seat("Germany"), campaign.seat("Britain")], campaign.now
    )
    assert "these lines count for Germany: STANDING UNDERSTANDING ALL" in text_of(
        campaign.letters("reminder", "gustav")[0]
    )
    assert "Britain attacks nobody and places no counters." in text_of(
        campaign.letters("reminder", "bea")[0]
    )
    assert "STANDING" not in text_of(campaign.letters("reminder", "bea")[0])


@override_settings(MAIL_IN=True, MAIL_REPLY="orders@games.test")
def test_letters_are_short() -> None:
    """Issue 22: median lines of text over a campaign: first letter 75, report with board and
    scores 95, lock letter 20."""
    played()
    for kind, most in (("begins", 75), ("board", 95), ("locked", 20)):
        sizes = [
            len(rendering.render(letter).text.splitlines())
            for letter in Letter.objects.filter(kind=kind)
        ]
        assert statistics.median(sizes) <= most, (kind, sizes)


def test_a_turn_brings_a_player_three_letters() -> None:
    """Issue 22: at most 4.5, besides receipts and press: two reports and a lock."""
    campaign = Campaign.begin()
    campaign.pass_deadline()
    campaign.pass_deadline()
    before = Letter.objects.filter(address="una@example.org").count()
    campaign.place_in_poland()
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    campaign.pass_deadline()
    assert Letter.objects.filter(address="una@example.org").count() - before == 3


def test_the_lock_letter_has_what_decides_the_digest_and_where_to_check() -> None:
    """Promise 3; issue 22, 2: 20 lines at most, the rest by PROOF."""
    played()
    letter = Letter.objects.filter(kind="locked", address="bea@example.org")[0]
    phase = letter.phase
    assert phase is not None
    said = text_of(letter)
    assert phase.digest in said
    assert phase.session not in said
    assert "The next session decides" in said
    assert "Stocks, in order of use: GE." in said
    assert "No orders came from USA, France, Britain and Russia." in said
    assert f"/phases/{phase.number}/proof/" in said
    assert "DEMO" in said
    assert len(rendering.render(letter).text.splitlines()) <= 20


def test_a_report_tells_the_story_with_figures_and_digits() -> None:
    """Rules 0.3; contract 4. Demonstration figures say so beside each."""
    campaign = played()
    phase = Phase.objects.get(game=campaign.game, number=2)
    resolution = phase.resolutions.get()
    [attack] = [event for event in resolution.events if event["kind"] == "attack"]
    said = text_of(
        next(letter for letter in campaign.letters("board", "una") if letter.phase == phase)
    )
    for event in resolution.events:
        assert event["message"] in said
        assert (
            f"[{event['rule']}]" not in said
        )  # the page shows the rule; a letter shows no signs that it does not explain
    assert f"GE sold {attack['volume']:,} shares: digit {attack['digit']}" in said
    assert said.count(f"{attack['volume']:,}") == 2, "in the sentence, and once among the sales"
    assert said.count("DEMO") == 1
    assert "YOUR ORDERS FOR TURN 2 PLACEMENT Orders are due by Friday" in said
    assert "(the first reading, at " in said
    assert re.search(r"SCORES USA \d+", said)


def test_hidden_scores_are_in_no_letter_before_the_end() -> None:
    """Rules F5, ow2.running_score = hidden."""
    campaign = Campaign.begin(options={"ow2.running_score": "hidden"})
    campaign.pass_deadline()
    assert "SCORES" not in text_of(campaign.letters("board", "ada")[0])


def test_a_ruling_sends_the_report_again_and_says_what_changed() -> None:
    """Design 4: publishing sends the new board again, complete, and says what changed."""
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
        letters.board(second, campaign.phase, campaign.now, out)
    assert len(campaign.letters("board", "bea")) == 2
    said = text_of(campaign.letters("board", "bea")[1])
    assert "This is version 2" in said
    assert "Poland, Germany: nothing, not 10" in said


def test_the_last_letter_names_the_winners() -> None:
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
            letters.announce_end(resolution, campaign.now, out)
        assert wanted in text_of(campaign.letters("over", "ada")[-1])


def test_nothing_of_one_nations_orders_or_remarks_is_in_anothers_letter() -> None:
    """Design 8, promise 1: text, wishes and remarks are the sender's; reports tell effects."""
    campaign = Campaign.begin()
    campaign.order(
        "Germany", "PLACE 3 Poland\nPLACE 7 Rumenia # gustav's secret\nFROM HOME 4 Italy"
    )
    letters.reminder(campaign.phase, [campaign.seat("Britain")], campaign.now)
    campaign.pass_deadline()
    campaign.order(
        "Germany",
        "ATTACK Poland: USA STOCK ZZTOP MIN 5-1\nSTANDING UNDERSTANDING ALL\nCONTROL Poland #"
        " gustav's secret",
    )
    campaign.pass_deadline()
    written = ("FROM HOME 4", "MIN 5-1", "STANDING UNDERSTANDING ALL", "ZZTOP")
    secrets = ("Rumenia", "gustav's secret", *written)
    told: dict[str, set[str]] = {}
    for letter in Letter.objects.filter(game=campaign.game).order_by("pk"):
        if letter.kind == "begins":  # it lists every form of order
            continue
        made = rendering.render(letter)
        for part in (unwrapped(made.text), unwrapped(entities.unescape(made.html))):
            found = {secret for secret in secrets if secret in part}
            told[letter.address] = told.get(letter.address, set()) | found
            if letter.address != "gustav@example.org":
                assert not found, f"{letter.kind} to {letter.address} tells {found}"
    assert {"Rumenia", "FROM HOME 4", "STANDING UNDERSTANDING ALL"} <= told["gustav@example.org"]


def test_a_held_phase_is_told_to_the_gamesmasters_alone() -> None:
    """Design 5; each hold anew."""
    campaign = Campaign.begin()
    phase = campaign.phase
    phase.fault = "The rules cannot decide this phase."
    with Outgoing([phase.game]) as out:
        letters.report_hold(phase, campaign.now, out)
    with Outgoing([phase.game]) as out:
        letters.report_hold(phase, campaign.now + timedelta(days=1), out)
    assert [letter.address for letter in campaign.letters("held")] == ["ada@example.org"] * 2
    assert "The rules cannot decide this phase." in text_of(campaign.letters("held")[0])


def test_orders_that_a_program_sent_get_no_receipt() -> None:
    """A submission without a person has nobody to write to."""
    campaign = Campaign.begin(
        seats={**{nation: f"{name}@example.org" for nation, name in PLAYERS.items()}, "USA": "bot"}
    )
    campaign.order("USA", "PLACE 2 Poland")
    assert campaign.letters("receipt") == []
    assert "USA: played by the service" in text_of(campaign.letters("begins", "ada")[0])


def test_a_rendered_letter_is_a_value() -> None:
    """The outbox stores what it sends: rendering twice gives the same."""
    campaign = Campaign.begin()
    letter = campaign.letters("opened", "bea")[0]
    assert isinstance(rendering.render(letter), Rendered)
    assert rendering.render(letter) == rendering.render(letter)


def test_no_letter_shows_a_sign_that_is_meant_for_programs() -> None:
    """Ids of options and their values, kinds of events and codes of remarks are not words."""
    played()
    for letter in Letter.objects.all():
        made = rendering.render(letter)
        for part in (made.text, seen_in(made.html)):
            written = re.sub(r"http://\S+", "", part)
            assert not re.search(r"\b(?:rng|ow2|orders|seat)\.[a-z]", written), written
            assert not re.search(r"\b[a-z]+_[a-z]+\b", written), written


def test_every_choice_of_a_rule_is_told_in_words() -> None:
    """Whoever opens a game can read every choice without knowing a program."""
    for rules in registry.RULESETS.values():
        for option in rule_options.for_groups(rules.option_groups):
            if not option.offered:
                continue
            for value in option.choosable:
                told = option.label(value)
                assert "_" not in told
                named = option.labels.get(value) or value in ("yes", "no")
                assert named, (option.id, value)


def test_the_report_tells_the_story_before_the_board_and_the_next_deadline() -> None:
    played()
    for letter in Letter.objects.filter(kind="board"):
        said = rendering.render(letter).text
        asks = "NEXT:" if letter.address.startswith("ada@") else "YOUR ORDERS FOR"
        places = [
            said.index(heading)
            for heading in ("WHAT HAPPENED", "THE BOARD", "SCORES", f"{asks} TURN")
        ]
        assert places == sorted(places)


def test_the_last_letter_says_where_every_point_comes_from() -> None:
    """What the letter adds up to is the score: nobody takes it on trust."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 5 Austria")
    campaign.order("Britain", "PLACE 5 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "CONTROL Austria")
    campaign.order("Britain", "UNDERSTANDING Poland")
    campaign.pass_deadline()
    position = campaign.resolution().after
    paid = account.account_of(campaign.game, position)
    assert ("Austria: CONTROL", 5) in paid["Germany"]
    assert ("Poland: Understanding", 4) in paid["Britain"]
    scores = campaign.game.rules.standing(campaign.game.load(position)).scores
    assert {nation: sum(points for _, points in told) for nation, told in paid.items()} == dict(
        scores
    )
    with Outgoing([campaign.game]) as out:
        letters.announce_end(campaign.resolution(), campaign.now, out)
    assert (
        "- Germany: Austria: CONTROL 5."
        in rendering.render(campaign.letters("over", "gustav")[0]).text
    )


def test_nobody_is_greeted_as_dear_the() -> None:
    campaign = Campaign.open()
    campaign.ada.name = "The house"
    campaign.ada.save()
    desk.start(campaign.game, campaign.ada, campaign.now)
    assert rendering.render(campaign.letters("opened", "ada")[0]).text.startswith("Hello,")
