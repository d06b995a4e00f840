"""The admin: evidence is read-only, staff see only their games, nobody sees keys (design.md 4,
8)."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.core.management import call_command
from django.db import models
from django.urls import reverse

from games import desk, permissions
from games.accounts import tokens
from games.admin.rows import RowsOfGames
from games.base import clock
from games.models import (
    Absence,
    AccessToken,
    Act,
    Address,
    Announcement,
    Barring,
    Block,
    Call,
    Channel,
    Complaint,
    DeadlineChange,
    Draw,
    Erasure,
    Evidence,
    Feed,
    Figure,
    Game,
    Invitation,
    Letter,
    Listing,
    LoginKey,
    MarketClosure,
    Motion,
    Mute,
    Notice,
    Person,
    PersonNote,
    Phase,
    Press,
    PrintedCode,
    Proposal,
    ProposalAnswer,
    Pulse,
    Reading,
    RecordEntry,
    RecoveryCode,
    ReplyAddress,
    ReportFile,
    Resolution,
    Restoration,
    Ruling,
    Scenario,
    Seat,
    SecondFactor,
    Sitting,
    Standby,
    Tally,
    WrongCode,
)
from orders.models import Draft, Handling, Mail, OrdersAhead, Signature, StockCheck, Submission
from tests.admin import desk_rows
from tests.support.browsing import Visitor, log_in
from tests.support.campaign import MONDAY, Campaign, person
from tests.support.examples import sample

pytestmark = pytest.mark.django_db
OURS = [model for model in admin.site._registry if model._meta.app_label in ("games", "orders")]
EVIDENCE = [model for model in OURS if issubclass(model, Evidence)]
OF_GAMES: list[type[models.Model]] = [
    Game,
    Seat,
    Sitting,
    Invitation,
    Phase,
    DeadlineChange,
    RecordEntry,
    Resolution,
    Submission,
    Reading,
    Figure,
    Draw,
    Letter,
    Ruling,
    Act,
    Absence,
    Motion,
    Standby,
    Call,
    Press,
    ReplyAddress,
    ReportFile,
    Mute,
    Mail,
    Handling,
    PrintedCode,
    Channel,
    Notice,
]
KEEPERS = [
    Announcement,
    Barring,
    PersonNote,
    Block,
    Complaint,
    Proposal,
    ProposalAnswer,
    Pulse,
    LoginKey,
    Listing,
    StockCheck,
    Address,
    Feed,
    AccessToken,
    Scenario,
    WrongCode,
    Tally,
    SecondFactor,
    RecoveryCode,
    Erasure,
    Restoration,
]


def named(model: type[models.Model]) -> str:
    return model.__name__


def invite(campaign: Campaign) -> Invitation:
    return tokens.new_invitation(campaign.seat("Germany"), "dana@example.org", campaign.ada, MONDAY)


def page(model: type[models.Model], what: str, *arguments: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{what}", args=arguments)


# --- the login ---


@pytest.mark.parametrize(
    "path", ["/admin/", "/admin/games/game/", "/admin/login/?next=/admin/games/game/"]
)
def test_anonymous_visitor_is_redirected_to_login_by_letter(path: str) -> None:
    answer = Visitor().get(path, follow=True)
    assert answer.redirect_chain[-1][0].startswith(reverse("login") + "?next=/admin/")
    assert b'type="password"' not in answer.content


def test_password_login_is_refused() -> None:
    Person.objects.create_superuser("root@example.org", "a password")
    client = Visitor()
    client.post("/admin/login/", {"username": "root@example.org", "password": "a password"})
    assert "_auth_user_id" not in client.session


def test_player_may_not_enter_the_admin(campaign: Campaign) -> None:
    client = log_in(person("gustav"))
    for path in ("/admin/", page(Submission, "changelist")):
        assert client.get(path, follow=True).status_code == 403


def test_gamesmaster_enters_the_admin_by_a_link_from_the_desk(
    ada: Visitor, campaign: Campaign
) -> None:
    path = page(Game, "change", campaign.game.pk)
    assert f'href="{path}">In the admin</a>' in ada.read(reverse("desk", args=[campaign.game.pk]))
    assert campaign.game.title in ada.read(path)
    assert ada.get("/admin/login/").headers["Location"] == "/admin/"


def test_refusal_of_the_admin_says_who_may_enter(campaign: Campaign) -> None:
    refused = log_in(person("gustav")).get("/admin/", follow=True)
    assert refused.status_code == 403
    assert "the admin are for people who run a game" in refused.content.decode()


def test_former_gamesmaster_may_not_enter_the_admin(ada: Visitor, campaign: Campaign) -> None:
    campaign.game.gamesmasters.set([person("bea")])
    assert ada.get("/admin/", follow=True).status_code == 403


def test_guest_may_not_enter_the_admin_for_a_game_they_run(campaign: Campaign) -> None:
    guest = person("gustav")
    guest.guest = True
    campaign.game.gamesmasters.add(guest)
    assert not permissions.enters_admin(guest)


def test_staff_enter_the_admin_directly(root: Visitor) -> None:
    assert root.get("/admin/login/").headers["Location"] == "/admin/"


def test_administrator_can_be_created_by_a_command() -> None:
    call_command("createsuperuser", "--noinput", "--email", "Root@Example.org", verbosity=0)
    made = Person.objects.get(email="root@example.org")
    assert made.is_superuser
    assert log_in(made).get("/admin/").status_code == 200


# --- every page ---


def test_every_model_is_registered() -> None:
    models = [
        model_class
        for name in ("games", "orders")
        for model_class in apps.get_app_config(name).get_models()
    ]
    concrete = {model for model in models if not model._meta.auto_created}
    assert concrete - {Draft, OrdersAhead, Signature} == set(OURS)


def test_draft_is_hidden_from_other_readers(root: Visitor, campaign: Campaign) -> None:
    """docs/design.md 8: only its writer reads a draft; the admin has no page for drafts."""
    seat = campaign.seat("Germany")
    about: Any = {"seat": seat, "phase": campaign.phase, "person": person("gustav")}
    Draft.objects.create(text="PLACE 1 Poland # begun", kept_at=MONDAY, **about)
    assert not admin.site.is_registered(Draft)
    assert not admin.site.is_registered(OrdersAhead)
    for path in (
        page(Seat, "change", seat.pk),
        page(Phase, "change", campaign.phase.pk),
        page(Person, "change", person("gustav").pk),
    ):
        shown = root.get(path)
        assert shown.status_code == 200
        assert "# begun" not in shown.content.decode()


@pytest.mark.parametrize("model", OURS, ids=named)
def test_every_list_and_every_row_opens(
    root: Visitor, campaign: Campaign, model: type[models.Model]
) -> None:
    if model is Invitation:
        desk.withdraw(invite(campaign), MONDAY)
    rows = sample(list(model._default_manager.all()[:40]), 4)
    assert rows, "a page that shows no row proves nothing"
    assert root.get(page(model, "changelist")).status_code == 200
    assert root.get(page(model, "changelist"), {"q": "Germany"}).status_code in (200, 302)
    for row in rows:
        assert root.get(page(model, "change", row.pk)).status_code == 200
        assert root.get(page(model, "history", row.pk)).status_code == 200


@pytest.mark.parametrize("model", [Person, Announcement, Barring, PersonNote], ids=named)
def test_add_page_opens_for_models_that_may_be_added(
    root: Visitor, campaign: Campaign, model: type[models.Model]
) -> None:
    assert root.get(page(model, "add")).status_code == 200


def test_pages_show_no_key_hash_or_salt(root: Visitor, campaign: Campaign) -> None:
    invitation = invite(campaign)
    key, submission = LoginKey.objects.latest("pk"), Submission.objects.latest("pk")
    Phase.objects.update(claim="the lease")
    Person.objects.filter(pk=key.person.pk).update(password="the hash")
    shown = "".join(
        root.read(path)
        for row in (invitation, key, submission, campaign.phase, key.person)
        for path in (page(type(row), "change", row.pk), page(type(row), "changelist"))
    )
    secrets = [invitation.nonce, invitation.token_hash, key.nonce, key.token_hash, key.code_hash]
    secrets += [submission.salt, submission.hash, submission.previous_hash]
    assert [secret for secret in [*secrets, "the lease", "the hash"] if secret in shown] == []


@pytest.mark.parametrize(
    ("model", "lookup"),
    [
        (Submission, "salt__startswith"),
        (Invitation, "token_hash__startswith"),
        (Person, "password__startswith"),
        (Letter, "person__password__startswith"),
    ],
)
def test_hidden_values_cannot_be_searched(
    root: Visitor, campaign: Campaign, model: type[models.Model], lookup: str
) -> None:
    assert root.get(page(model, "changelist"), {lookup: "a"}).status_code == 400


def test_orders_are_shown_verbatim_and_escaped(
    root: Visitor, ada: Visitor, campaign: Campaign
) -> None:
    sent = campaign.order("Russia", "PLACE 1 Poland # <script>alert(1)</script>\nPLACE 2 Rumania")
    shown = ada.read(page(Submission, "change", sent.pk))
    assert "<script>alert" not in shown
    assert "PLACE 1 Poland # &lt;script&gt;alert(1)&lt;/script&gt;\nPLACE 2 Rumania" in shown
    before = root.read(page(Resolution, "change", campaign.resolution().pk))
    assert "<li>Board: <ul><li>" in before


# --- evidence ---


@pytest.mark.parametrize("model", EVIDENCE, ids=named)
def test_evidence_cannot_be_added_changed_or_deleted(
    root: Visitor, campaign: Campaign, model: type[models.Model]
) -> None:
    row = model._default_manager.order_by("pk").first()
    assert row is not None
    before = {field.attname: getattr(row, field.attname) for field in model._meta.fields}
    if model is not Ruling:  # whose “Add” leads to the desk
        assert root.get(page(model, "add")).status_code == 403
    assert root.post(page(model, "add"), {}).status_code == 403
    assert root.post(page(model, "change", row.pk), dict.fromkeys(before, "9")).status_code == 403
    assert root.post(page(model, "delete", row.pk), {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
    root.post(page(model, "changelist"), chosen)
    after = model._default_manager.get(pk=row.pk)
    assert {field.attname: getattr(after, field.attname) for field in model._meta.fields} == before


def test_every_evidence_model_is_registered() -> None:
    assert {model.__name__ for model in EVIDENCE} == {
        "Submission",
        "Reading",
        "Figure",
        "Draw",
        "Resolution",
        "DeadlineChange",
        "SessionChange",
        "RecordEntry",
        "Listing",
        "Ruling",
        "Act",
        "Call",
        "Press",
        "Mail",
        "Proposal",
        "ProposalAnswer",
        "Erasure",
    }
    assert all(isinstance(admin.site._registry[model], RowsOfGames) for model in EVIDENCE)


@pytest.mark.parametrize(
    "model", [Game, Phase, Seat, Letter, Invitation, Person, LoginKey, Pulse], ids=named
)
def test_rows_of_a_game_cannot_be_deleted(
    root: Visitor, campaign: Campaign, model: type[models.Model]
) -> None:
    row = model._default_manager.order_by("pk").first()
    if row is None:
        row = invite(campaign)
    assert root.post(page(model, "delete", row.pk), {"post": "yes"}).status_code == 403
    assert model._default_manager.filter(pk=row.pk).exists()


def test_scenario_options_and_phases_cannot_be_changed(root: Visitor, campaign: Campaign) -> None:
    """rules.md, head: scenario, options, reserves; design 5: only games.turns.lifecycle changes
    phases."""
    before: dict[str, Any] = dict(Game.objects.values().get(pk=campaign.game.pk))
    seats: dict[str, Any] = {"seats-TOTAL_FORMS": 0, "seats-INITIAL_FORMS": 0}
    changes = {
        **seats,
        "title": "A new title",
        "gamesmasters": [campaign.ada.pk],
        "status": "finished",
        "card": "{}",
        "options": "{}",
        "reserves": "[]",
        "market": "yahoo",
    }
    assert root.post(page(Game, "change", campaign.game.pk), changes).status_code == 302
    after: dict[str, Any] = dict(Game.objects.values().get(pk=campaign.game.pk))
    assert {key for key in after if after[key] != before[key]} == {"title", "public"}
    phase = campaign.phase
    moved = {"status": "resolved", "deadline_0": "2027-01-01"}
    assert root.post(page(Phase, "change", phase.pk), moved).status_code == 403
    assert b"desk" in root.get(page(Phase, "change", phase.pk)).content


@pytest.mark.parametrize("taken", [True, False])
def test_sitting_cannot_be_added_changed_or_ended(
    root: Visitor, ada: Visitor, campaign: Campaign, taken: bool
) -> None:
    """The desk replaces players. Here a gamesmaster could order for a nation, or leave their own
    seat to read the others' orders and come back, without an act and without a letter."""
    sitting, before = (
        Sitting.objects.get(seat=campaign.seat("Germany")),
        list(Sitting.objects.all()),
    )
    seat = sitting.seat if taken else Seat.objects.get(game=campaign.game, nation="USA")
    data = {"seat": seat.pk, "person": campaign.ada.pk, "until": "2026-01-01"}
    chosen = {"action": "end", "_selected_action": [sitting.pk]}
    for browser in (root, ada):
        assert browser.get(page(Sitting, "add")).status_code == 403
        assert browser.post(page(Sitting, "add"), data).status_code == 403
        assert browser.post(page(Sitting, "change", sitting.pk), data).status_code == 403
        assert browser.post(page(Sitting, "delete", sitting.pk), data).status_code == 403
        browser.post(page(Sitting, "changelist"), chosen)
    assert list(Sitting.objects.all()) == before
    sitting.refresh_from_db()
    assert sitting.until is None


def test_sitting_links_to_the_desk_of_its_game(ada: Visitor, campaign: Campaign) -> None:
    sitting = Sitting.objects.get(seat=campaign.seat("Germany"))
    shown = ada.read(page(Sitting, "change", sitting.pk))
    assert reverse("desk-people", args=[campaign.game.pk]) in shown
    assert "replace or remove players" in shown


# --- permissions ---


@pytest.mark.parametrize("model", OF_GAMES, ids=named)
def test_staff_see_only_rows_of_their_games(
    ada: Visitor, charlie: Visitor, campaign: Campaign, model: type[models.Model]
) -> None:
    """Right person, wrong person, other game; the wrong role is tested above."""
    invite(campaign)
    game = admin.site._registry[model].game or "pk"  # type: ignore[attr-defined]
    of_game: dict[str, Any] = {} if model is Reading else {game: campaign.game.pk}
    if model is Letter:  # deals are not listed
        of_game["kind"] = "begins"
    if model is Press:  # nor are letters between nations
        sent = {"to": [], "to_gamesmaster": True, "channel": "web", "sent_at": MONDAY}
        Press.objects.create(game=campaign.game, number=2, text="When?", **sent)
        of_game["to_gamesmaster"] = True
    row = model._default_manager.filter(**of_game).first()
    assert row is not None
    assert ada.get(page(model, "changelist")).status_code == 200
    assert ada.get(page(model, "change", row.pk)).status_code == 200
    listed = charlie.get(page(model, "changelist"))
    assert listed.status_code == 200
    assert "The lights go out" not in listed.content.decode()
    assert charlie.get(page(model, "change", row.pk)).status_code == 302
    assert charlie.get(page(model, "history", row.pk)).status_code in (302, 403)
    assert charlie.post(page(model, "change", row.pk), {"title": "Mine"}).status_code in (302, 403)
    assert Game.objects.get(pk=campaign.game.pk).title == "The lights go out"


@pytest.mark.parametrize("model", KEEPERS, ids=named)
def test_only_administrators_see_rows_without_a_game(
    ada: Visitor, model: type[models.Model]
) -> None:
    row = model._default_manager.first()
    assert row is not None
    assert ada.get(page(model, "changelist")).status_code == 403
    assert ada.get(page(model, "change", row.pk)).status_code in (302, 403)


@pytest.mark.both_databases
def test_only_the_games_gamesmaster_reads_orders_before_the_lock(
    ada: Visitor, charlie: Visitor, campaign: Campaign
) -> None:
    sent = Submission.objects.filter(game=campaign.game).latest("number")
    assert campaign.phase.status == Phase.Status.OPEN
    assert "nobody must know" in ada.read(page(Submission, "change", sent.pk))
    assert "nobody must know" not in charlie.read(page(Submission, "change", sent.pk), follow=True)
    assert "nobody must know" not in charlie.read(page(Submission, "changelist"))


def test_orders_are_withheld_on_a_visible_row(
    ada: Visitor, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The admin checks permission for the text again, even if a page shows a row by mistake."""
    monkeypatch.setattr("games.permissions.reads_orders", lambda person, submission: False)
    sent = Submission.objects.filter(game=campaign.game).latest("number")
    shown = ada.read(page(Submission, "change", sent.pk))
    assert "nobody must know" not in shown
    assert "Rumania" not in shown
    assert "Withheld" in shown


@pytest.mark.both_databases
def test_staff_see_people_of_their_games_but_not_their_rights(
    ada: Visitor, charlie: Visitor, campaign: Campaign
) -> None:
    gustav = person("gustav")
    assert ada.get(page(Person, "change", gustav.pk)).status_code == 200
    assert b"is_superuser" not in ada.get(page(Person, "change", gustav.pk)).content
    assert b"gustav" not in charlie.get(page(Person, "changelist")).content
    assert charlie.get(page(Person, "change", gustav.pk)).status_code == 302
    data = {"is_superuser": "on", "email": "ada@example.org"}
    assert ada.post(page(Person, "change", campaign.ada.pk), data).status_code == 403
    assert Person.objects.get(pk=campaign.ada.pk).is_superuser is False


def test_nobody_appoints_gamesmasters_in_the_admin(
    ada: Visitor, root: Visitor, campaign: Campaign
) -> None:
    """They read secret orders: the desk asks them, and the public list of acts says so."""
    for number, browser in enumerate((ada, root)):
        seats = {"seats-TOTAL_FORMS": 0, "seats-INITIAL_FORMS": 0}
        data = {**seats, "title": f"Mine {number}", "gamesmasters": [person("gustav").pk]}
        browser.post(page(Game, "change", campaign.game.pk), data)
        assert Game.objects.get(pk=campaign.game.pk).title == f"Mine {number}"
        assert list(campaign.game.gamesmasters.all()) == [campaign.ada]


@pytest.mark.both_databases
def test_guessed_row_numbers_open_no_other_game(charlie: Visitor, campaign: Campaign) -> None:
    """Related fields too: the people of another game cannot be searched."""
    answer = charlie.get(
        reverse("admin:autocomplete"),
        {"app_label": "games", "model_name": "game", "field_name": "gamesmasters", "term": "g"},
    )
    assert b"gustav" not in answer.content


def test_market_closure_is_read_only_in_the_admin(charlie: Visitor) -> None:
    """Only the page of closures gives waiting phases their new session (docs/design.md 6)."""
    data = {"exchange": "XNYS", "day": "2026-12-24", "reason": "a storm"}
    assert charlie.get(page(MarketClosure, "changelist")).status_code == 200
    assert charlie.post(page(MarketClosure, "add"), data).status_code == 403
    assert not MarketClosure.objects.filter(reason="a storm").exists()


# --- actions ---


def test_failed_letter_can_be_retried(ada: Visitor, charlie: Visitor, campaign: Campaign) -> None:
    failed, sent = Letter.objects.filter(game=campaign.game, kind="begins")[:2]
    fault = {"status": "failed", "attempts": 12, "due_at": None, "fault": "no such mailbox"}
    Letter.objects.filter(pk=failed.pk).update(**fault)
    Letter.objects.filter(pk=sent.pk).update(status="sent", due_at=None)
    chosen = {"action": "try_again", "_selected_action": [failed.pk, sent.pk]}
    charlie.post(page(Letter, "changelist"), chosen)
    assert Letter.objects.get(pk=failed.pk).status == "failed"
    ada.post(page(Letter, "changelist"), chosen)
    failed.refresh_from_db()
    sent.refresh_from_db()
    assert (failed.status, failed.attempts) == ("deferred", 0)
    assert failed.due_at is not None
    assert failed.due_at <= clock.now()
    assert sent.status == "sent"


def test_letter_with_a_token_hides_its_text(ada: Visitor, campaign: Campaign) -> None:
    letter = campaign.letters("begins", "gustav")[0]
    Letter.objects.filter(pk=letter.pk).update(
        text="The words of the letter", html="<p>in color</p>"
    )
    assert "The words of the letter" in ada.read(page(Letter, "change", letter.pk))
    Letter.objects.filter(pk=letter.pk).update(secret=True)
    shown = ada.read(page(Letter, "change", letter.pk))
    assert "The words of the letter" not in shown
    assert "in color" not in shown
    assert "Withheld" in shown


def test_letter_sent_again_is_noted_with_who_did_it(ada: Visitor, campaign: Campaign) -> None:
    failed = Letter.objects.filter(game=campaign.game, kind="begins")[0]
    Letter.objects.filter(pk=failed.pk).update(status="failed", due_at=None)
    chosen = {"action": "try_again", "_selected_action": [failed.pk]}
    ada.post(page(Letter, "changelist"), chosen)
    act = Act.objects.get(game=campaign.game, kind="sent-again")
    assert (act.done_by, act.about) == (campaign.ada, {"letter": failed.pk})


def test_invitation_can_be_withdrawn_twice_without_an_error(
    root: Visitor, ada: Visitor, campaign: Campaign
) -> None:
    invitation = invite(campaign)
    chosen = {"action": "withdraw", "_selected_action": [invitation.pk]}
    for _ in range(2):
        answer = ada.post(page(Invitation, "changelist"), chosen, follow=True)
        assert answer.status_code == 200
    invitation.refresh_from_db()
    assert not invitation.is_open


@pytest.mark.parametrize("chosen", ["\0", "2026-02-30", "9" * 30])
def test_action_on_what_is_no_row_is_a_bad_request(
    ada: Visitor, campaign: Campaign, chosen: str
) -> None:
    """issue 10: no input causes a server error."""
    for model, action in ((Ruling, "revoke"), (Letter, "try_again"), (Invitation, "withdraw")):
        data = {"action": action, "_selected_action": [chosen]}
        assert ada.post(page(model, "changelist"), data).status_code == 400


# --- desk, press and mail ---


def test_pages_show_no_secret_of_addresses_or_letters(root: Visitor, campaign: Campaign) -> None:
    of_mail = (Address, ReplyAddress, Mail, Handling, PrintedCode, WrongCode, Feed, AccessToken)
    shown = "".join(
        root.read(path)
        for model in (*of_mail, Channel, Notice)
        for row in model._default_manager.all()
        for path in (page(model, "change", row.pk), page(model, "changelist"))
    )
    assert [secret for secret in desk_rows.SECRETS if secret in shown] == []


@pytest.mark.both_databases
def test_gamesmaster_reads_press_between_nations_only_if_the_game_allows_it(
    ada: Visitor, campaign: Campaign
) -> None:
    path = page(Press, "change", Press.objects.get().pk)
    assert desk_rows.BETWEEN_NATIONS not in ada.read(path)
    Game.objects.filter(pk=campaign.game.pk).update(press={"gamesmaster_reads": True})
    assert desk_rows.BETWEEN_NATIONS in ada.read(path)


@pytest.mark.both_databases
def test_admin_withholds_mail_of_others_from_a_playing_gamesmaster(
    ada: Visitor, campaign: Campaign
) -> None:
    path = page(Handling, "change", Handling.objects.get().pk)
    assert "Not proven." in ada.read(path)
    Sitting.objects.create(seat=campaign.seat("USA"), person=campaign.ada, since=MONDAY)
    assert "Not proven." not in ada.read(path)
