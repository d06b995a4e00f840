"""Lists of the admin reveal no value that the page of a row withholds (docs/design.md 8)."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db import models
from django.test import RequestFactory
from django.urls import reverse

from games.admin.rows import RowsOfGames
from games.models import (
    Invitation,
    Letter,
    Person,
    PersonNote,
    Phase,
    Press,
    Proposal,
    RecordEntry,
    Resolution,
    Ruling,
    WrongCode,
)
from orders.models import Handling, Mail, Submission
from tests.inbound.writing import send
from tests.support.browsing import Visitor, log_in
from tests.support.campaign import MONDAY, Campaign, person
from tests.support.examples import sample

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
PAGES = [page for page in admin.site._registry.values() if isinstance(page, RowsOfGames)]
#: The fields that pages withhold from some people in some rows (`replacements`).
WITHHELD: dict[type[models.Model], tuple[str, ...]] = {
    Submission: ("text", "understood", "remarks"),
    Handling: ("outcome", "words"),
    Mail: ("envelope_to",),
    Letter: ("text", "subject", "about"),
    Press: ("text", "seat", "person", "channel"),
    Proposal: ("text",),
    Resolution: ("before", "after", "orders", "remarks"),
    Ruling: ("what",),
    RecordEntry: ("salt",),
}


def named(page: RowsOfGames) -> str:
    return page.model.__name__


def changelist(model: type[models.Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def list_of(browser: Visitor, model: type[models.Model], **query: Any) -> ChangeList:
    answer = browser.get(changelist(model), query)
    assert answer.status_code == 200
    found: ChangeList = answer.context["cl"]
    return found


def first_name(entry: Any) -> str:
    """Return the field that an entry of a page's `list_filter` or `search_fields` begins with."""
    return str(entry if isinstance(entry, str) else entry[0]).split("__", maxsplit=1)[0]


# --- filters ---


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_list_cannot_be_filtered_by_a_field_without_a_filter(
    rf: RequestFactory, page: RowsOfGames
) -> None:
    """Not even by an administrator, who may play in a game too."""
    request = rf.get("/admin/")
    request.user = Person(is_staff=True, is_superuser=True)
    filtered = {first_name(entry) for entry in page.list_filter} | {page.date_hierarchy}
    assert not filtered & {*page.hidden, *WITHHELD.get(page.model, ())}
    others = [field for field in page.model._meta.fields if not field.primary_key]
    for field in others:
        if field.name in filtered:
            continue
        for lookup in ("", "__exact", "__startswith", "__contains", "__isnull", "__gte", "__in"):
            assert not page.lookup_allowed(f"{field.name}{lookup}", "1", request)


@pytest.mark.parametrize(
    ("model", "lookup"),
    [
        (Submission, "text__startswith"),
        (Submission, "seat__exact"),
        (Submission, "game__secret__startswith"),
        (Submission, "game__phases__seed_nonce__startswith"),
        (Submission, "channel__startswith__startswith"),
        (Press, "text__contains"),
        (Press, "person__exact"),
        (Press, "game__gamesmasters__password__startswith"),
        (RecordEntry, "salt__startswith"),
        (Resolution, "orders__Germany__startswith"),
        (Resolution, "phase__submissions__text__contains"),
        (Resolution, "phase__game__secret__startswith"),
        (Invitation, "seat__game__secret__startswith"),
        (Letter, "subject__startswith"),
        (Mail, "handling__words__startswith"),
    ],
)
def test_gamesmaster_cannot_find_withheld_values_by_lookups(
    ada: Visitor, model: type[models.Model], lookup: str
) -> None:
    assert ada.get(changelist(model), {lookup: "a"}).status_code == 400


def test_staff_cannot_filter_people_by_their_rights(ada: Visitor) -> None:
    """The list offers administrators these filters, and other staff none."""
    assert ada.get(changelist(Person), {"is_superuser__exact": "1"}).status_code == 400


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_of_every_list_work(root: Visitor, campaign: Campaign, page: RowsOfGames) -> None:
    """Outside a soak the first and the last link of each filter, and the one of the order."""
    listed = list_of(root, page.model)
    links = {
        str(choice["query_string"])
        for spec in listed.filter_specs
        for choice in sample(list(spec.choices(listed)), 2)
    }
    links.add("?o=" + ".".join(str(number) for number in range(1, len(page.list_display) + 1)))
    for link in links:
        assert root.get(changelist(page.model) + link).status_code == 200, link


def test_dates_above_a_list_still_filter_it(root: Visitor, campaign: Campaign) -> None:
    day: dict[str, Any] = {
        "tried_at__year": 2026,
        "tried_at__month": MONDAY.month,
        "tried_at__day": MONDAY.day,
    }
    assert list_of(root, WrongCode, **day).result_count == WrongCode.objects.count() > 0
    assert list_of(root, WrongCode, **{**day, "tried_at__year": 2025}).result_count == 0


def test_list_can_be_filtered_by_row_number(ada: Visitor, campaign: Campaign) -> None:
    sent = Submission.objects.latest("pk")
    for lookup in ("pk", "id", "id__exact", "pk__in"):
        assert list_of(ada, Submission, **{lookup: sent.pk}).result_count == 1
    phase = {"game__id__exact": campaign.game.pk, "status__exact": "open"}
    assert list_of(ada, Phase, **phase).result_count == 1


def test_notes_can_be_filtered_by_person(root: Visitor, campaign: Campaign) -> None:
    """The page of a person links to them."""
    for name, count in (("gustav", 1), ("dana", 0)):
        about = {"person__id__exact": person(name).pk}
        assert list_of(root, PersonNote, **about).result_count == count


# --- searches and order ---


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_withheld_field_is_no_column_and_cannot_be_searched_or_sorted(page: RowsOfGames) -> None:
    secret = {*page.hidden, *WITHHELD.get(page.model, ())}
    shown = [*page.list_display, *page.search_fields, *page.ordering]
    assert not secret & {first_name(str(entry).lstrip("-^=@")) for entry in shown}
    sorted_by = {
        str(getattr(getattr(page, str(name), None), "admin_order_field", ""))
        for name in page.list_display
    }
    assert not secret & {first_name(name) for name in sorted_by}


def test_search_does_not_read_withheld_words(ada: Visitor, campaign: Campaign) -> None:
    Letter.objects.update(subject="Rhubarb", text="Rhubarb")
    Handling.objects.update(words="Rhubarb")
    for model in (Letter, Handling, Press, Submission):
        assert list_of(ada, model, q="Rhubarb").result_count == 0
    autocomplete = {"app_label": "orders", "model_name": "handling", "field_name": "answer"}
    answer = ada.get(reverse("admin:autocomplete"), {**autocomplete, "term": "Rhubarb"})
    assert answer.json()["results"] == []


# --- the outbox ---


def outbox_of(browser: Visitor, kind: str) -> list[str]:
    return sorted(row.address for row in list_of(browser, Letter, kind__exact=kind).result_list)


def staff_of(campaign: Campaign, name: str) -> Visitor:
    """Return a gamesmaster of the campaign who may enter the admin."""
    campaign.game.gamesmasters.add(person(name))
    Person.objects.filter(pk=person(name).pk).update(is_staff=True)
    return log_in(name)


@pytest.mark.parametrize("reads", [False, True])
def test_outbox_does_not_show_by_omission_who_wrote_an_unsigned_letter(reads: bool) -> None:
    """The writer gets no copy. Even a gamesmaster who may read the letter is not told."""
    campaign = Campaign.begin(press={"sender": "anonymous", "gamesmaster_reads": reads})
    send(campaign, "Germany", "BROADCAST UNSIGNED\nDown with the tyrant\nEND\n")
    assert Letter.objects.filter(kind="press").count() == 4
    administrator = log_in(Person.objects.create_superuser("root@example.org"))
    for browser in (staff_of(campaign, "ada"), administrator):
        assert outbox_of(browser, "press") == []
        row = Letter.objects.filter(kind="press").latest("pk")
        path = reverse("admin:games_letter_change", args=[row.pk])
        assert browser.get(path).status_code == 302
    assert outbox_of(staff_of(campaign, "felix"), "press") == ["felix@example.org"]


@pytest.mark.parametrize("reads", [False, True])
def test_outbox_lists_signed_letters_only_to_a_gamesmaster_who_may_read_them(reads: bool) -> None:
    campaign = Campaign.begin(press={"gamesmaster_reads": reads})
    send(campaign, "Germany", "PRESS TO France\nHello\nEND\n")
    ada = staff_of(campaign, "ada")
    assert outbox_of(ada, "press") == (["felix@example.org"] if reads else [])
    assert outbox_of(staff_of(campaign, "una"), "press") == []


def test_outbox_lists_letters_to_and_from_the_gamesmaster() -> None:
    campaign = Campaign.begin()
    send(campaign, "Germany", "PRESS TO France, Gamesmaster\nHello\nEND\n")
    ada = staff_of(campaign, "ada")
    assert outbox_of(ada, "press") == ["felix@example.org"]
    assert outbox_of(ada, "question") == ["ada@example.org"]


@pytest.mark.parametrize("reads", [False, True])
def test_outbox_lists_deals_only_to_a_gamesmaster_who_may_read_them(
    ada: Visitor, root: Visitor, campaign: Campaign, reads: bool
) -> None:
    """Their number shows who bargains, so the admin has no page of deals for gamesmasters."""
    campaign.game.press = {"gamesmaster_reads": reads}
    campaign.game.save()
    assert outbox_of(root, "proposal") == ["rosa@example.org"]
    assert outbox_of(ada, "proposal") == (["rosa@example.org"] if reads else [])
