"""Decisions of an operator about people, notes about people, and undo (gamesmaster.md 4: ban list,
moderator notes, message of the day, queue over all games, undo of a vacated seat, reliability
rating)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from games import desk, permissions
from games.accounts import tokens
from games.desk import DeskError
from games.models import Act, Announcement, Barring, Person, PersonNote, Sitting
from games.operations.personal import erasure
from games.seats import track_record
from tests.seats.test_pairs import seats
from tests.support import origins_ww1
from tests.support.browsing import log_in
from tests.support.campaign import Campaign, person
from tests.web.conftest import Browser
from tests.web.test_opening import filled

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
WHY = "You left five games without a word."


@pytest.fixture
def root(as_: Browser, campaign: Campaign) -> Any:
    """Return the operator's browser."""
    return as_(Person.objects.create_superuser("root@example.org", name="Root"))


def people(campaign: Campaign) -> str:
    return reverse("desk-people", args=[campaign.game.pk])


def do(client: Any, campaign: Campaign, what: str, **data: Any) -> str:
    page: str = client.submit(people(campaign), {"do": what, **data}, follow=True)
    return page


def eject_felix(campaign: Campaign) -> None:
    felix = campaign.players["France"]
    desk.eject(campaign.seat("France"), felix, "No answer.", campaign.ada, campaign.now)


# --- barred ---


def test_operator_bars_an_address_in_the_admin_on_record(root: Any) -> None:
    add = reverse("admin:games_barring_add")
    data = {"email": "Dana@Example.org", "reason": WHY, "until_0": "", "until_1": ""}
    assert root.post(add, data).status_code == 302
    barring = Barring.objects.get()
    root_person = Person.objects.get(email="root@example.org")
    assert (barring.email, barring.made_by) == ("dana@example.org", root_person)
    page = reverse("admin:games_barring_change", args=[barring.pk])
    assert root.post(page, {"until_0": "2026-11-16", "until_1": "09:00"}).status_code == 302
    assert LogEntry.objects.filter(object_id=str(barring.pk)).count() == 2
    assert root.get(reverse("admin:games_barring_delete", args=[barring.pk])).status_code == 403
    barring.refresh_from_db()
    assert (barring.reason, barring.until is not None) == (WHY, True)


def _accepts(campaign: Campaign) -> Callable[[], object]:
    eject_felix(campaign)
    offer = tokens.new_invitation(
        campaign.seat("France"), "dana@example.org", campaign.ada, campaign.now
    )
    return lambda: desk.accept(offer, person("dana"), campaign.now)


def _stands_by(campaign: Campaign) -> Callable[[], object]:
    return lambda: desk.stand_by(person("dana"), None, "", campaign.now)


def _is_seated(campaign: Campaign) -> Callable[[], object]:
    standby = desk.stand_by(person("dana"), campaign.game, "", campaign.now)
    eject_felix(campaign)
    return lambda: desk.seat_standby(campaign.seat("France"), standby, campaign.ada, campaign.now)


def _takes_over(campaign: Campaign) -> Callable[[], object]:
    desk.ask_gamesmaster(campaign.game, "dana@example.org", campaign.ada, campaign.now)
    token = tokens.request_token(Act.objects.latest("pk"))
    return lambda: desk.accept_request(token, campaign.now)


@pytest.mark.parametrize("way", [_accepts, _stands_by, _is_seated, _takes_over])
def test_barred_person_joins_no_game_and_reads_why(
    campaign: Campaign, way: Callable[[Campaign], Callable[[], object]]
) -> None:
    join = way(campaign)
    barring = Barring.objects.create(
        email="dana@example.org", reason=WHY, since=campaign.now - DAY, until=campaign.now + DAY
    )
    with pytest.raises(DeskError) as refused:
        join()
    assert str(refused.value) == (
        "The operator of this service does not let you open or join games before"
        f" {barring.until:%-d %B %Y}. The reason: {WHY}"
    )
    Barring.objects.update(until=campaign.now)
    join()


def test_barred_person_opens_no_game_but_keeps_seats(campaign: Campaign, as_: Browser) -> None:
    Barring.objects.create(email="gustav@example.org", reason=WHY, since=campaign.now - DAY)
    client = as_("gustav")
    for answer in (client.get("/games/new/"), client.post("/games/new/", filled())):
        assert answer.status_code == 403
        assert WHY in answer.content.decode()
    assert WHY in client.read(reverse("me"))
    assert permissions.may_order(person("gustav"), campaign.seat("Germany"))
    assert WHY not in as_("una").read(reverse("me"))


def test_confirmed_second_address_of_a_barred_person_is_barred(campaign: Campaign) -> None:
    gustav = person("gustav")
    Barring.objects.create(email="gus@other.example", reason=WHY, since=campaign.now)
    keys = {"nonce": "n", "token_hash": "h"}
    row = gustav.addresses.create(email="gus@other.example", added_at=campaign.now, **keys)
    assert permissions.barring_of(gustav, campaign.now) is None
    gustav.addresses.filter(pk=row.pk).update(confirmed_at=campaign.now)
    assert permissions.barring_of(gustav, campaign.now) is not None


# --- notes ---


def test_only_its_writer_reads_a_gamesmasters_note(
    campaign: Campaign, as_: Browser, root: Any
) -> None:
    ada, gustav = as_("ada"), person("gustav")
    assert "Your note is saved." in do(ada, campaign, "note", person=gustav.pk, text="Slow <b>")
    assert "Your note about Gustav: Slow &lt;b&gt;" in ada.read(people(campaign))
    campaign.game.gamesmasters.add(person("charlie"))
    assert "Slow" not in as_("charlie").read(people(campaign))
    assert "Slow" not in root.read(people(campaign))
    assert "Slow" not in root.read(reverse("admin:games_personnote_changelist"))
    note = PersonNote.objects.get()
    assert root.get(reverse("admin:games_personnote_change", args=[note.pk])).status_code == 302
    other = Campaign.begin(title="Another game")
    assert "Slow" in as_("ada").read(people(other))
    assert "Your note is deleted." in do(ada, campaign, "note", person=gustav.pk, text=" ")
    assert not PersonNote.objects.exists()


def test_person_with_two_nations_has_one_note_form() -> None:
    """The page shows each field once."""
    campaign = origins_ww1.Campaign.begin(
        seats=seats("Austria-Hungary"), pairs=[("Austria-Hungary", "Germany")]
    )
    page = log_in(campaign.ada).read(reverse("desk-people", args=[campaign.game.pk]))
    ids = re.findall(r'id="(note-[^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert any(str(person("gustav").pk) in field_id for field_id in ids)


def test_note_needs_a_person_of_the_game(campaign: Campaign, as_: Browser) -> None:
    answer = do(as_("ada"), campaign, "note", person=person("wanda").pk, text="Who?")
    assert "That person is not in this game." in answer
    assert not PersonNote.objects.exists()
    assert as_("gustav").post(people(campaign), {"do": "note"}).status_code == 403


def test_only_operators_read_each_others_notes(campaign: Campaign, as_: Browser, root: Any) -> None:
    gustav = person("gustav")
    add = reverse("admin:games_personnote_add")
    assert root.post(add, {"person": gustav.pk, "text": "Two accounts?"}).status_code == 302
    other = as_(Person.objects.create_superuser("second@example.org"))
    page = other.read(reverse("admin:games_person_change", args=[gustav.pk]))
    assert f"?person__id__exact={gustav.pk}" in page
    listed = reverse("admin:games_personnote_changelist")
    assert "Two accounts?" in other.read(f"{listed}?person__id__exact={gustav.pk}")
    Person.objects.filter(pk=campaign.ada.pk).update(is_staff=True)
    assert as_("ada").get(listed).status_code == 403
    assert "Two accounts?" not in as_("ada").read(people(campaign))


def test_notes_are_deleted_with_the_person(campaign: Campaign) -> None:
    about: Any = {"person": person("gustav"), "text": "Slow.", "saved_at": campaign.now}
    PersonNote.objects.create(writer=campaign.ada, **about)
    PersonNote.objects.create(writer=campaign.ada, by_operator=True, **about)
    erasure.erase(person("gustav"), campaign.now, by=None, press=False)
    assert not PersonNote.objects.exists()


# --- reliability ---


def test_people_page_shows_public_track_records(campaign: Campaign, as_: Browser) -> None:
    campaign.order("Germany", "PASS")
    campaign.order("USA", "PASS")
    campaign.pass_deadline()
    assert "on time in" not in as_("ada").read(people(campaign))
    Person.objects.filter(pk=person("gustav").pk).update(record_shown=True)
    page = as_("ada").read(people(campaign))
    assert "on time in 1 of 1 phase" in page
    assert page.count("on time in") == 1


# --- undo ---


def test_gamesmaster_undoes_the_removal_of_a_player(campaign: Campaign, as_: Browser) -> None:
    ada, felix, france = as_("ada"), campaign.players["France"], campaign.seat("France")
    eject_felix(campaign)
    offer = tokens.new_invitation(france, "dana@example.org", campaign.ada, campaign.now)
    assert "Undo: give the seat back to Felix" in ada.read(people(campaign))
    assert "Enter a reason" in do(ada, campaign, "back", seat=france.pk, reason="")
    said = do(ada, campaign, "back", seat=france.pk, reason="The letter was lost.")
    assert "Felix plays France again. Everybody gets a letter." in said
    sitting = Sitting.objects.get(seat=france)
    assert (sitting.person, sitting.until, sitting.ended_because) == (felix, None, "")
    assert permissions.may_order(felix, france)
    act = Act.objects.get(kind="returned")
    assert act.words == "The player of France returned to the game."
    assert {"felix", "gustav", "ada"} <= {
        letter.address.split("@")[0] for letter in campaign.letters("change")
    }
    offer.refresh_from_db()
    assert offer.withdrawn_at is not None
    assert track_record.track_record_of(felix, campaign.now).left == 0
    assert "Undo" not in ada.read(people(campaign))


def test_removal_cannot_be_undone_after_a_replacement_or_a_voluntary_exit(
    campaign: Campaign, as_: Browser
) -> None:
    felix, france = campaign.players["France"], campaign.seat("France")
    desk.vacate(france, felix, "A new child.", felix, campaign.now)
    assert "Undo" not in as_("ada").read(people(campaign))
    gustav, germany = campaign.players["Germany"], campaign.seat("Germany")
    offer = desk.replace(
        germany, "dana@example.org", "No answer.", campaign.ada, campaign.now, extra_hours=0
    )
    desk.accept(offer, person("dana"), campaign.now + DAY)
    for seat in (france, germany):
        with pytest.raises(DeskError, match="Nobody can return"):
            desk.take_back(seat, "Sorry.", campaign.ada, campaign.now + DAY)
    assert not permissions.may_order(gustav, germany)


# --- announcements, and the queue of all games ---


def test_announcement_is_on_every_page_until_it_expires(
    campaign: Campaign, as_: Browser, root: Any
) -> None:
    add = reverse("admin:games_announcement_add")
    text = "No deadlines <b>on Sunday</b>: new disks."
    data = {"text": text, "since_0": "2026-01-01", "since_1": "00:00", "until_0": "", "until_1": ""}
    assert root.post(add, data).status_code == 302
    for page in (as_().read("/"), as_("gustav").read(campaign.game.get_absolute_url())):
        assert "No deadlines &lt;b&gt;on Sunday&lt;/b&gt;: new disks." in page
    Announcement.objects.update(until=campaign.now - DAY)
    assert "new disks" not in as_().read("/")


def test_operator_sees_waiting_tasks_of_all_games(
    campaign: Campaign, as_: Browser, root: Any
) -> None:
    other = Campaign.begin(title="Somebody else’s")
    felix = other.players["France"]
    desk.eject(other.seat("France"), felix, "No answer.", other.ada, other.now)
    page = root.read(reverse("desks") + "?all")
    assert "Nobody plays France." in page
    assert campaign.game.title not in page
    assert "<h1>All games</h1>" in page
    assert "opened by Ada" in page
    assert "?all" not in as_("gustav").read(reverse("desks"))
    assert "Nobody plays France." not in as_("gustav").read(reverse("desks") + "?all")
