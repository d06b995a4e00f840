"""Permissions in a refereed game: sending reports, reading (docs/refereed.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from games import desk, permissions, positions
from games.admin.evidence import ResolutionPage
from games.evidence import export
from games.models import Letter, Person, Phase, Resolution
from games.operations.personal.export import all_data
from games.rules import REFEREE_SEAT
from orders.intake import ledger, telephone
from tests.support.browsing import log_in
from tests.support.stored import stored

from .campaign import Refereed, person

pytestmark = [pytest.mark.django_db, pytest.mark.guest]

#: Secret until the count: with five players Germany's player also has Italy and chooses a column
#: (19.2).
SECRET = ("BLEND Persia Germany", "BLEND Greece Italy")
ORDERS = "MOVE the panzers to a place that nobody knows"


def war_of_five() -> Refereed:
    def build() -> Refereed:
        war = Refereed.begin(
            players=5, options={"spi.us_entry": "base_schedule", "spi.last_turn": 1}
        )
        sent = war.order("Germany", "\n".join(SECRET))
        assert sent.counts, sent.remarks
        return war

    return stored("refereed, a column sealed", build)


def at_the_reports() -> Refereed:
    def build() -> Refereed:
        war = war_of_five()
        war.pass_deadline()
        war.order("Germany", ORDERS)
        war.order("Italy", "hold everything")  # sent by Germany's player (2.0)
        war.play_to("referee-germany")
        return war

    return stored("refereed, a column sealed, at the reports", build)


# --- reports ---


def test_only_the_gamesmaster_sends_a_report() -> None:
    war = at_the_reports()
    for name in ("Germany", "France"):
        with pytest.raises(ledger.LedgerError, match="Only a gamesmaster who does not play"):
            war.report(by=war.players[name])
    with pytest.raises(ledger.LedgerError, match="Nothing was entered"):
        war.report(by=person("charlie"))
    assert permissions.may_order(war.ada, war.referee)
    keeper = Person.objects.create_superuser("keeper@example.org", None)
    assert not permissions.may_order(keeper, war.referee), "would read orders before the others"
    assert not permissions.may_order(war.players["Germany"], war.referee)


def test_administrator_reads_no_orders_on_the_page_of_reports() -> None:
    """Who is no gamesmaster of the game reads orders when everybody does (design 8)."""
    war = at_the_reports()
    address = reverse("referee", args=[war.game.pk])
    keeper = Person.objects.create_superuser("keeper@example.org")
    assert ORDERS in log_in(war.ada).read(address)
    assert log_in(keeper).get(address).status_code == 403
    desk.add_gamesmaster(war.game, keeper.email, keeper, war.now)
    assert ORDERS in log_in(keeper).read(address)


def test_gamesmaster_takes_down_orders_but_cannot_send_them() -> None:
    """The record names who took them down."""
    war = war_of_five()
    with pytest.raises(ledger.LedgerError, match="may not send orders for France"):
        ledger.receive(war.seat("France"), "PASS", ledger.Arrival("web", war.ada, war.now))
    war.pass_deadline()
    read = telephone.read_back(
        war.seat("France"), war.phase, "ATTACK from the Maginot line", war.now
    )
    assert read.lines
    taken_down = ledger.TakenDown(war.ada)
    arrival = ledger.Arrival("phone", None, war.now, taken_down=taken_down)
    sent = ledger.receive(war.seat("France"), "ATTACK from the Maginot line", arrival)
    assert (sent.counts, sent.entered_by) == (True, war.ada)


def test_report_without_a_request_is_stored_without_effect() -> None:
    war = war_of_five()
    sent = war.report("INVASION Germany Poland\nEND")
    assert (sent.counts, sent.text) == (False, "INVASION Germany Poland\nEND")
    war.pass_deadline()
    assert war.phase.kind == "orders"


def test_former_gamesmaster_cannot_send_reports() -> None:
    war = at_the_reports()
    bert = desk.add_gamesmaster(war.game, "bert@example.org", war.ada, war.now)
    desk.remove_gamesmaster(war.game, war.ada, bert, war.now)
    with pytest.raises(ledger.LedgerError):
        war.report()
    war.report(by=bert)


# --- reading ---


def test_gamesmaster_reads_all_orders_except_secret_columns() -> None:
    """19.2: a column is chosen before turn 1; nobody sees it before the count."""
    war = at_the_reports()
    first, orders = (war.game.phases.get(kind=kind) for kind in ("diplomacy", "orders"))
    assert permissions.readable_nations(war.ada, war.game, phase=first, settled=True) == {
        REFEREE_SEAT
    }
    assert "Germany" in permissions.readable_nations(war.ada, war.game, phase=orders)
    before = positions.position_before(war.game.phases.get(kind="referee-germany"))
    assert ORDERS in str(permissions.view(war.game, before, REFEREE_SEAT).orders)
    sealed, visible = (
        war.seat("Germany").submissions.get(phase=phase) for phase in (first, orders)
    )
    assert (
        permissions.reads_orders(war.ada, sealed),
        permissions.reads_orders(war.ada, visible),
    ) == (
        False,
        True,
    )
    receipt = Letter.objects.get(kind="receipt", about__submission=sealed.pk)
    assert not permissions.reads_letter(war.ada, receipt)
    assert not permissions.prints_for(war.ada, war.seat("Germany"))


def test_orders_of_others_are_unreadable_before_the_count() -> None:
    """`kept_until`: lines are published when a report rules on them, texts with the count."""
    war = at_the_reports()
    orders = war.game.phases.get(kind="orders")
    assert not permissions.is_settled(orders)
    france = war.players["France"]
    assert permissions.readable_nations(
        france, war.game, phase=orders, settled=permissions.is_settled(orders)
    ) == {"France"}
    assert permissions.readable_nations(war.players["Germany"], war.game, phase=orders) == {
        "Germany",
        "Italy",
    }
    war.play_out()
    assert "Germany" in permissions.readable_nations(france, war.game, phase=orders)


def test_public_record_of_a_running_game_holds_no_secret() -> None:
    """Neither texts nor reports nor columns nor offers; the finished game's holds everything."""
    war = at_the_reports()
    text = export.text(export.record(war.game, private=False))
    for secret in ("BLEND", "nobody knows", '"Greece": {"Germany"', 'columns": {"Germany'):
        assert secret not in text
    for phase in json.loads(text)["phases"]:
        assert phase["submissions"] == []
        for version in phase["resolutions"]:
            assert not version["after"].get("columns")
            assert not version["after"].get("orders")
    war.play_out()
    whole = export.text(export.record(war.game, private=False))
    assert "BLEND Greece Italy" in whole


@pytest.mark.parametrize("who", ["ada", "felix", "charlie", None])
def test_pages_show_no_secret_column_or_orders_of_others(who: str | None, client: Client) -> None:
    """Every page that answers, as the gamesmaster, a player, a stranger, nobody."""
    war = at_the_reports()
    if who:
        client.force_login(person(who))
    for address, text in pages(war, client):
        for line in SECRET:  # lists of orders have another country as the example
            assert line not in text, address
        if who != "ada":
            assert "nobody knows" not in text, address


def addresses(war: Refereed) -> list[str]:
    """Return addresses of a game's pages, whether or not a reader may open them."""
    game = f"/games/{war.game.pk}"
    of_game = ("", "record.json", "standing/", "board/", "referee/")
    paths = ["/", "/desk/", *(f"{game}/{page}" for page in of_game)]
    of_desk = ("", "rulings/", "telephone/", "telephone/script/", "people/", "paper/", "times/")
    paths += [f"{game}/desk/{page}" for page in (*of_desk, "telephone/table/", "mail/")]
    for phase in war.game.phases.all():
        paths += [
            f"{game}/phases/{phase.number}/",
            f"{game}/phases/{phase.number}/proof/",
            f"{game}/desk/rulings/phases/{phase.number}/",
        ]
        paths.append(f"{game}/desk/rulings/phases/{phase.number}/orders/?nation=Germany")
    for seat in war.game.seats.nations():
        paths += [f"{game}/desk/telephone/{seat.pk}/", f"{game}/orders/{seat.pk}/"]
    paths += [row.get_absolute_url() for row in war.game.submissions.all()]
    return paths


def pages(war: Refereed, client: Client) -> Iterator[tuple[str, str]]:
    for address in addresses(war):
        answer = client.get(address)
        assert answer.status_code in (200, 302, 403, 404), address
        if answer.status_code == 200:
            yield address, answer.content.decode()


def test_admin_shows_reports_but_no_secret_column(client: Client) -> None:
    """Reports are submissions; positions hold columns and are withheld."""
    war = at_the_reports()
    war.report("REST DONE\nEND")
    Person.objects.filter(pk=war.ada.pk).update(is_staff=True, is_superuser=True)
    row = war.resolution()
    request: Any = type("Request", (), {"user": Person.objects.get(pk=war.ada.pk)})()
    page = ResolutionPage(Resolution, admin.site)
    assert set(page.replacements(request, row)) == {"before", "after", "orders", "remarks"}
    assert permissions.reads_orders(war.ada, war.referee.submissions.get(phase=war.phase))
    war.play_out()
    row.phase.game.refresh_from_db()
    assert page.replacements(request, Resolution.objects.get(pk=row.pk)) == {}


def test_lists_of_nations_leave_out_the_gamesmasters_seat(client: Client) -> None:
    war = at_the_reports()
    client.force_login(war.ada)
    for address, text in pages(war, client):
        # these show reports with the seat's name
        if not {"referee", "phases", "submissions"} & set(address.split("/")):
            without_the_tab = text.replace(f">{REFEREE_SEAT}</a>", "")
            assert f">{REFEREE_SEAT}<" not in without_the_tab, address
    board = export.record(war.game, private=True)["phases"][0]["board"]
    assert REFEREE_SEAT not in json.dumps(board)
    assert Phase.objects.filter(game=war.game, missed=[]).exists()


def test_personal_export_holds_own_reports_and_nobodys_orders() -> None:
    """orders/personal: own reports or texts, no column, no orders of others."""
    war = at_the_reports()
    war.report("NOTE the report of Ada\nREST DONE\nEND")
    ada, felix, gustav = (
        json.dumps(all_data(person(name), war.now), ensure_ascii=False)
        for name in ("ada", "felix", "gustav")
    )
    assert "the report of Ada" in ada
    assert "BLEND" not in ada
    assert "the report of Ada" not in felix
    assert "nobody knows" not in felix
    assert "BLEND Greece Italy" in gustav
