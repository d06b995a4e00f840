"""The first visit: a practice game with one click, guests, and the rules explained (issue 6, 6)."""

from __future__ import annotations

import re
import threading
from datetime import timedelta

import pytest
from django.core import signing
from django.db import transaction
from django.urls import reverse

from games import desk, permissions, tasks
from games.accounts import tokens
from games.base import clock
from games.desk import DeskError, practice
from games.models import Act, Game, Letter, LoginKey, Person, Sitting
from games.positions import game_row
from games.rules.registry import RULESETS, ruleset
from orders.models import Submission
from tests.security.test_erasure import are_waiting
from tests.support.at_once import side_by_side
from tests.support.browsing import Visitor, unmarked
from tests.support.campaign import MONDAY, Campaign, person
from tests.support.processes import eventually

pytestmark = pytest.mark.django_db


def begin(client: Visitor, nation: str = "Germany") -> Game:
    answer = client.post(reverse("practice"), {"nation": nation}, follow=True)
    assert answer.status_code == 200
    return Game.objects.filter(practice=True).latest("pk")


def test_home_shows_a_stranger_a_game_to_watch_and_a_way_to_play(client: Visitor) -> None:
    page = client.read(reverse("home"))
    assert "Play now: no account, ten minutes" in page
    assert "Watch a campaign" not in page
    campaign = Campaign.begin(title="To be watched")
    page = client.read(reverse("home"))
    assert "Watch a campaign" in page
    assert campaign.game.get_absolute_url() in page
    assert reverse("board-svg", args=[campaign.game.pk, 1]) in page


def test_front_page_shows_the_campaign_with_the_most_phases(client: Visitor) -> None:
    old = Campaign.begin(title="Under way")
    old.pass_deadline()
    Campaign.begin(title="Fresh")
    assert f"board of “{old.game.title}”" in client.read(reverse("home"))


def test_header_links_to_games_seats_practice_rules_and_archive(client: Visitor) -> None:
    page = client.read(reverse("rules"))
    for there in (f"{reverse('home')}#watched", *map(reverse, ("standby", "practice", "archive"))):
        assert f'href="{there}"' in page
        assert client.get(there).status_code == 200


def test_favicon_redirects_to_the_icon(client: Visitor) -> None:
    """Review of a player, B15."""
    assert client.get("/favicon.ico").headers["Location"] == "/static/favicon.ico"


def test_one_click_begins_a_game_with_a_result_at_the_next_tick(client: Visitor) -> None:
    answer = client.post(reverse("practice"), {"nation": "Russia"}, follow=True)
    game = Game.objects.get(practice=True)
    seat = game.seats.get(nation="Russia")
    assert answer.redirect_chain[-1][0] == reverse("orders", args=[game.pk, seat.pk])
    assert "Place your new PFs" in answer.content.decode()
    guest = Sitting.objects.get(seat=seat).person
    assert guest.guest
    assert guest.email.endswith("@guest.invalid")
    assert (game.market, game.public, game.may_lock_early) == ("demo", False, True)
    assert {nation_seat.nation for nation_seat in game.seats.all() if not nation_seat.bot} == {
        "Russia"
    }
    now = clock.now()
    tasks.do_all_due(now)
    phase = game.phases.current()
    assert phase is not None
    sent = {"text": "PLACE 6 Poland", "final": "on", "phase": phase.pk, "do": "send-anyway"}
    client.post(reverse("orders", args=[game.pk, seat.pk]), sent)
    assert Submission.objects.filter(seat=seat).exists()
    tasks.do_all_due(clock.now())
    phase = game.phases.current()
    assert phase is not None
    assert (phase.turn, phase.kind) == (1, "attacks")


def test_practice_game_is_played_to_the_end_without_letters(client: Visitor) -> None:
    game = begin(client)
    now = clock.now()
    for _ in range(200):
        game.refresh_from_db()
        if game.status == Game.Status.FINISHED:
            break
        phase = game.phases.current()
        assert phase is not None
        now = max(now, phase.due_at or now) + timedelta(seconds=1)
        tasks.do_all_due(now)
    assert game.status == Game.Status.FINISHED
    assert not Letter.objects.exists()


def test_guest_sees_only_public_pages_and_their_own_game(client: Visitor) -> None:
    private = Campaign.begin(public=False, title="Behind closed doors")
    public = Campaign.begin(title="For everybody")
    game = begin(client)
    assert client.get(game.get_absolute_url()).status_code == 200
    assert client.get(public.game.get_absolute_url()).status_code == 200
    assert client.get(private.game.get_absolute_url()).status_code == 404
    for page in ("game-new", "standby", "me", "desks", "closures", "letters"):
        answer = client.get(reverse(page))
        assert (answer.status_code, answer.headers.get("Location")) == (
            302,
            reverse("practice-keep"),
        ), page
    assert client.get(reverse("desk", args=[game.pk])).status_code == 403
    assert Visitor().get(game.get_absolute_url()).status_code == 302
    assert "Practice game" not in Visitor().read(reverse("home")).replace("practice game", "")
    another = Visitor()
    begin(another)
    assert another.get(game.get_absolute_url()).status_code == 404
    assert not permissions.visible_games(person("charlie")).filter(practice=True).exists()


def test_second_click_continues_the_game_and_giving_up_begins_another(client: Visitor) -> None:
    game = begin(client)
    assert begin(client, "France").pk == game.pk
    client.post(reverse("practice-again", args=[game.pk]))
    game.refresh_from_db()
    assert game.status == Game.Status.ABANDONED
    newest = Game.objects.filter(practice=True).latest("pk")
    assert newest.pk != game.pk
    assert newest.seats.get(bot=False).nation == "Germany"
    assert Person.objects.filter(guest=True).exclude(email=practice.HOUSE).count() == 1


def test_practice_games_are_limited_per_network_and_in_total(
    client: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(practice, "A_DAY_FROM_ONE_ADDRESS", 1)
    begin(client)
    answer = Visitor().post(reverse("practice"), {"nation": "Germany"}, follow=True)
    assert "many practice games today" in answer.content.decode()
    elsewhere = Visitor(REMOTE_ADDR="192.0.2.9")
    assert elsewhere.post(reverse("practice"), {"nation": "Germany"}).status_code == 302
    assert Game.objects.filter(practice=True).count() == 2
    monkeypatch.setattr(practice, "AT_ONCE", 2)
    answer = Visitor(REMOTE_ADDR="192.0.2.10").post(
        reverse("practice"), {"nation": "Germany"}, follow=True
    )
    assert "Too many practice games" in answer.content.decode()
    # A guest who cannot play is not stored.
    assert Person.objects.filter(guest=True).exclude(email=practice.HOUSE).count() == 2
    assert not Person.objects.filter(email__contains="192.0.2").exists()


def test_unknown_nation_is_refused_with_a_sentence(client: Visitor) -> None:
    answer = client.post(reverse("practice"), {"nation": "Ruritania"}, follow=True)
    assert "“Ruritania” is not a nation of this game" in answer.content.decode()


def test_practice_page_offers_every_game_with_bots(client: Visitor) -> None:
    page = client.read(reverse("practice"))
    for name in practice.games():
        assert ruleset(name).title in page


def test_old_practice_games_are_abandoned_and_old_guests_closed(client: Visitor) -> None:
    game = begin(client)
    later = clock.now() + practice.LASTS + timedelta(hours=2)
    assert practice.look_after(later) == 1
    assert practice.look_after(later) == 0  # only once an hour
    game.refresh_from_db()
    assert game.status == Game.Status.ABANDONED
    assert Act.objects.filter(game=game, kind="abandoned").exists()
    guest = Sitting.objects.get(seat__game=game).person
    practice.look_after(clock.now() + practice.GUEST_LASTS + timedelta(days=1))
    guest.refresh_from_db()
    assert not guest.is_active
    assert Person.objects.get(email=practice.HOUSE).is_active
    assert game.phases.exists()


def test_guest_becomes_a_person_with_an_address(client: Visitor) -> None:
    game = begin(client)
    guest = Sitting.objects.get(seat__game=game).person
    answer = client.post(reverse("practice-keep"), {"email": "nora@example.org"}, follow=True)
    assert "A letter is on its way" in answer.content.decode()
    assert [letter.address for letter in Letter.objects.all()] == ["nora@example.org"]
    key = LoginKey.objects.get()
    elsewhere = Visitor()
    answer = elsewhere.post(reverse("login-link", args=[tokens.login_token(key)]), follow=True)
    assert "Take it over" in answer.content.decode()
    elsewhere.post(answer.redirect_chain[-1][0])
    nora = Person.objects.get(email="nora@example.org")
    assert [seat.nation for seat in permissions.held_seats(nora, game)] == ["Germany"]
    guest.refresh_from_db()
    assert not guest.is_active
    assert elsewhere.get(game.get_absolute_url()).status_code == 200


def test_only_a_guests_game_can_be_taken_over(client: Visitor) -> None:
    campaign = Campaign.begin()
    charlie = person("charlie")
    client.force_login(charlie)
    seat_of_gustav = signing.dumps(campaign.players["Germany"].pk, salt="practice")
    assert client.post(reverse("practice-adopt", args=[seat_of_gustav])).status_code == 404
    assert client.post(reverse("practice-adopt", args=["forged"])).status_code == 404
    with pytest.raises(DeskError):
        practice.adopt(campaign.players["Germany"], charlie, MONDAY)


@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
def test_who_takes_over_a_guests_game_locks_it_before_the_guest() -> None:
    """docs/design.md, 5: games before a person. On PostgreSQL a guest's act in the game, such as
    erasing themselves, and who took the game over waited for each other."""
    nora, guest = person("nora"), Person.objects.at("guest@guests.invalid", guest=True)
    game = practice.begin(guest, "Germany", MONDAY)
    locked = threading.Event()

    def act() -> None:
        with transaction.atomic():
            game_row.take_row(game)
            locked.set()
            eventually("who takes it over", lambda: are_waiting(1))
            game_row.take_person(guest)

    def take_over() -> None:
        assert locked.wait(60)
        practice.adopt(guest, nora, MONDAY)

    assert side_by_side(act, take_over) == []
    assert [seat.nation for seat in permissions.held_seats(nora, game)] == ["Germany"]


def test_logged_in_person_practices_as_themselves(client: Visitor) -> None:
    ada = person("ada")
    client.force_login(ada)
    game = begin(client)
    assert [seat.nation for seat in permissions.held_seats(ada, game)] == ["Germany"]
    assert not permissions.runs(ada, game)
    assert not Letter.objects.exists()


def test_practice_game_offers_no_votes(client: Visitor) -> None:
    client.force_login(person("ada"))
    game = begin(client)
    votes = reverse("votes", args=[game.pk])
    assert votes not in client.read(game.get_absolute_url())
    assert client.get(votes).headers["Location"] == game.get_absolute_url()


def test_guests_game_page_links_to_no_page_that_guests_cannot_open(client: Visitor) -> None:
    game = begin(client)
    page = client.read(game.get_absolute_url())
    for name in ("press", "away", "leave", "votes"):
        assert f'href="{reverse(name, args=[game.pk])}"' not in page
    assert client.get(reverse("notebook", args=[game.pk])).status_code == 200
    nation = client.read(reverse("nation", args=[game.pk, "germany"]))
    assert f'href="{reverse("press", args=[game.pk])}"' not in nation
    assert f'href="{reverse("notebook", args=[game.pk])}"' in page


def test_guests_receipt_mentions_no_letter(client: Visitor) -> None:
    game = begin(client)
    seat, phase = game.seats.get(nation="Germany"), game.phases.current()
    assert phase is not None
    sent = {"text": "PLACE 6 Poland", "phase": phase.number, "do": "send-anyway"}
    answer = client.post(reverse("orders", args=[game.pk, seat.pk]), sent, follow=True)
    page = answer.content.decode()
    assert "Receipt No. 1" in page
    assert "A letter says the same." not in page


def test_game_with_people_cannot_be_abandoned_as_practice(client: Visitor) -> None:
    campaign = Campaign.begin()
    client.force_login(campaign.players["Germany"])
    assert client.post(reverse("practice-again", args=[campaign.game.pk])).status_code == 404
    campaign.game.refresh_from_db()
    assert campaign.game.status == Game.Status.RUNNING
    assert desk.seats_on_offer() == []


def test_rules_page_uses_results_of_the_engine(client: Visitor) -> None:
    assert reverse("rules-of", args=[practice.usual_game()]) in client.read(reverse("rules"))
    page = unmarked(client.read(reverse("rules-of", args=[practice.usual_game()])))
    examples = ruleset(practice.usual_game()).guide.examples()
    of_counters = {"understanding", "control", "share", "immunity"}
    assert {candidate.name for candidate in examples} == {
        "placement",
        "odds",
        "exchange",
    } | of_counters
    for example in examples:
        assert example.told
        for name in (example.name, f"{example.name}-after"):
            for theme in ("light", "dark"):
                picture = client.get(
                    reverse("rules-picture", args=[practice.usual_game(), name]), {"theme": theme}
                )
                assert picture.headers["Content-Type"] == "image/svg+xml"
    assert "Germany takes CONTROL in Austria." in page
    assert "share CONTROL in Rumania" in page
    assert "immune" in page
    for odds, falls, exchange, fails, nothing in next(
        candidate for candidate in examples if candidate.name == "odds"
    ).figures["chances"]:  # type: ignore[attr-defined]
        assert falls + exchange + fails + nothing == 100
        assert f'<th scope="row">{odds}</th><td>{falls}</td>' in page
    assert client.get("/rules/no-such-game/").status_code == 404
    assert (
        client.get(reverse("rules-picture", args=[practice.usual_game(), "nothing"])).status_code
        == 404
    )


def test_contents_of_a_rules_page_list_all_its_parts(client: Visitor) -> None:
    """Issue 24, 8."""
    for name in RULESETS:
        page = client.read(reverse("rules-of", args=[name]))
        contents = page.split('class="contents"')[1].split("</nav>")[0]
        assert re.findall(r'href="#([a-z-]+)"', contents) == re.findall(r'<h2 id="([a-z-]+)"', page)
    two = client.read(reverse("rules-of", args=["origins-ww2"]))
    for part in ("two, three or four players", "blind", "face down", "Teams", "telephone", "Hints"):
        assert part in two


def test_giving_up_a_practice_game_needs_confirmation(client: Visitor) -> None:
    """Review of a player, B8."""
    page = client.read(begin(client).get_absolute_url())
    assert "This ends the practice game for good." in page
