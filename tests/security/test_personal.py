"""Personal data: exported, erased with games still verifiable, deleted after a time (issue 10,
point 6)."""

from __future__ import annotations

import io
import json
import os
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import models
from pytest_django import Settings

from games import desk
from games.accounts import addresses, tokens
from games.desk import addresses as desk_addresses
from games.desk import classroom, roster
from games.evidence import export as evidence_export
from games.letters import sending
from games.models import (
    Channel,
    Erasure,
    Evidence,
    EvidenceError,
    Game,
    Letter,
    LoginKey,
    Notice,
    Person,
    Press,
    Reading,
    Sitting,
)
from games.models.evidence import ERASED, empty
from games.operations.personal import erasure, export, retention
from games.operations.personal.data import DATA, IMPERSONAL
from games.press import conversations
from games.rules.verification import verify
from orders.intake import telephone
from orders.models import Draft, Handling, Mail, Submission
from tests.inbound.writing import send
from tests.records.played import short_card
from tests.support.browsing import Visitor, send_letters
from tests.support.campaign import MONDAY, NATIONS, PLAYERS, Campaign, person

from .conftest import Browser, Watch
from .test_second_factor import by_letter

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
#: Orders are stored as they were sent, including comments after a #; the page of erasure says so.
ORDERS = ("orders.Submission", "games.Resolution")
KEYS = {"nonce", "token_hash", "code_hash", "about", "secret", "url", "salt", "password", "raw"}
SECRETS = ("Gustav", "gustav@", "+49 30 23125", "Harbour Lane", "qzx-in-mail")


def played(monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """Return a private game of one turn in its attack phase, in which Gustav has left data
    everywhere possible."""
    short_card(monkeypatch, turns=1)
    campaign = Campaign.begin(public=False, press={"sender": "grey"})
    gustav, now, seat = person("gustav"), campaign.now, campaign.seat("Germany")
    Person.objects.filter(pk=gustav.pk).update(
        telephone="+49 30 23125 111", postal_address="12 Harbour Lane", zone="Europe/Berlin"
    )
    send(campaign, "Germany", "PLACE 5 Poland\n# qzx-in-mail\n", at=now)
    for nation in PLAYERS:
        if nation != "Germany":
            campaign.order(nation, "PASS" if nation == "USA" else "PLACE 4 Poland")
    how: Any = {"channel": "web", "now": now}
    conversations.send(campaign.game, seat, gustav, ["Russia"], "Let us share Poland.", **how)
    addresses.confirm(desk_addresses.add(gustav, "gustav@work.example", now), now)
    desk.announce(campaign.game, gustav, now.date(), now.date(), gustav, now)
    call = (seat, campaign.phase, "reached", campaign.ada, now)
    telephone.note_call(*call, person=gustav, note="Gustav has the flu")
    tokens.new_login(gustav, "", now)
    about: Any = {"seat": seat, "phase": campaign.phase, "person": gustav}
    Draft.objects.create(text="PASS # begun", kept_at=now, **about)
    send_letters(now)
    campaign.pass_deadline()
    send_letters(campaign.now)
    return campaign


def dump() -> str:
    """Return all rows of the database as text, to search it for erased data."""
    rows = []
    for model in apps.get_models():
        for row in model._default_manager.all():
            values = {
                field.attname: getattr(row, field.attname) for field in model._meta.concrete_fields
            }
            rows.append(f"{model._meta.label} {values}")
    return "\n".join(rows)


# --- export ---


@pytest.mark.both_databases
def test_personal_export_is_a_zip_to_read_and_for_programs(
    monkeypatch: pytest.MonkeyPatch, as_: Browser
) -> None:
    campaign = played(monkeypatch)
    answer = as_("gustav").get("/me/everything.zip")
    assert answer.headers["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as taken:
        page, data = taken.read("about-you.html").decode(), json.loads(taken.read("about-you.json"))
        mail = [taken.read(name) for name in taken.namelist() if name.startswith("mail/")]
    parts = {part["title"]: part["rows"] for part in data["parts"]}
    assert parts["You"][0]["telephone"] == "+49 30 23125 111"
    assert "PLACE 5 Poland" in parts["Orders"][0]["text"]
    assert parts["Letters to other nations"][0]["text"] == "Let us share Poland."
    assert parts["Orders not sent"][0]["text"] == "PASS # begun"
    assert {row["kind"] for row in parts["Letters to you"]} >= {"answer", "opened"}
    assert parts["Seats"][0]["seat"] == f"Germany in game {campaign.game.pk}, “The lights go out”"
    assert len(mail) == 1
    assert b"qzx-in-mail" in mail[0]
    assert "12 Harbour Lane" in page
    assert as_().get("/me/everything.zip").status_code == 302


@pytest.mark.both_databases
def test_personal_export_holds_no_key_and_no_data_of_others(
    monkeypatch: pytest.MonkeyPatch, as_: Browser
) -> None:
    """What games.permissions withholds from a playing gamesmaster is withheld here too."""
    campaign = played(monkeypatch)
    Game.objects.filter(pk=campaign.game.pk).update(secret="5e" * 32)
    campaign.game.gamesmasters.add(person("bea"))
    added: Any = {"added_by": person("bea"), "added_at": campaign.now}
    url = "https://example.org/hook-secret"
    Channel.objects.create(game=campaign.game, kind="discord", url=url, **added)
    keys = list(Submission.objects.values_list("salt", flat=True))
    for row in LoginKey.objects.all():
        keys += [tokens.login_token(row), row.token_hash, row.nonce]
    words = ("qzx-in-mail", "Let us share", "begun", "Harbour", "23125", "5e5e5e", "hook-secret")
    for name in ("bea", "felix", "ada"):
        text = json.dumps(export.all_data(person(name), campaign.now))
        for secret in (*words, *keys):
            assert secret not in text, (name, secret)


#: Relations to a person that another part exports, or that say nothing about them.
LEFT_OUT = {
    "games.Person_groups": "rights; said with the person",
    "games.Person_user_permissions": "rights; said with the person",
    "games.Game_gamesmasters": "told with the games",
    "games.Seat": "told with the sittings",
    "games.PersonNote": "notes of others; told by the operator who is asked",
    "games.Block": "who is blocked is not told; one's own are",
}


@pytest.mark.both_databases
def test_address_that_another_person_has_now_reaches_nobodys_mail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A school gives an address to another pupil: neither exports or erases what is the other's."""
    campaign = Campaign.begin()
    school, now = "class@school.example", campaign.now
    for nation in ("Germany", "France"):
        someone = campaign.players[nation]
        addresses.confirm(address := desk_addresses.add(someone, school, now), now)
        send(campaign, nation, f"PLACE 4 Poland\n# {nation}-in-mail\n", sender=school)
        if nation == "Germany":
            addresses.remove(someone, address.code, now)
    for nation, other in (("Germany", "France"), ("France", "Germany")):
        with zipfile.ZipFile(io.BytesIO(export.make_zip(campaign.players[nation], now))) as taken:
            exported = b"".join(taken.read(name) for name in taken.namelist()).decode()
        assert f"{nation}-in-mail" in exported
        assert f"{other}-in-mail" not in exported
    waiting = Letter.objects.filter(person=campaign.players["France"], due_at__isnull=False)
    numbers = set(waiting.values_list("pk", flat=True))
    erasure.erase(campaign.players["Germany"], now, by=None, press=False)
    assert numbers <= set(waiting.values_list("pk", flat=True))
    assert b"France-in-mail" in b"".join(bytes(mail.raw) for mail in Mail.objects.all())
    assert "Germany-in-mail" not in dump().replace("PLACE 4 Poland\\n# Germany-in-mail", "")


def test_every_model_declares_its_personal_data() -> None:
    """A new model fails here until a person has decided what of it is exported, erased, kept."""
    declared = [kept.model for kept in DATA]
    assert len(declared) == len(set(declared))
    own = {
        model
        for model in apps.get_models()
        if model._meta.app_label in ("games", "orders") and not model._meta.auto_created
    }
    assert own - {*declared, *IMPERSONAL} == set()
    assert not set(declared) & set(IMPERSONAL)
    for kept in DATA:
        erased_whole = any(erased.values is None for erased in kept.erased)
        assert kept.kept or erased_whole or kept.old, f"say why {kept.model.__name__} is kept"


def test_models_declared_impersonal_have_no_person_and_no_words_of_people() -> None:
    """A column for a person, an address or a text makes a model personal. `Phase.fault` is the
    service's own sentence."""
    for model in IMPERSONAL:
        for column in model._meta.fields:
            assert column.related_model is not Person, column
            texts = isinstance(column, models.TextField | models.EmailField)
            assert not texts or str(column) == "games.Phase.fault", column


def test_every_relation_to_a_person_is_exported_or_left_out_for_a_reason() -> None:
    """A new relation to people fails here until it is listed; listed fields exist."""
    parts = [(kept.model, part) for kept in DATA for part in kept.parts]
    exported = {
        (model._meta.label, name) for model, part in parts for name in part.relations.split()
    }
    for relation in Person._meta.get_fields(include_hidden=True):
        if relation.is_relation and relation.auto_created and relation.related_model is not Person:
            field: models.Field = relation.field  # type: ignore[union-attr]
            label = relation.related_model._meta.label  # type: ignore[union-attr]
            assert (label, field.name) in exported or label in LEFT_OUT, (label, field.name)
    for model, part in parts:
        names = {field.name for field in model._meta.get_fields()}
        assert set(part.fields.split()) <= names, part.title
        assert not KEYS & set(part.fields.split())


# --- erasure ---


@pytest.mark.both_databases
def test_erased_person_is_found_nowhere_and_the_record_verifies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """issue 10, point 6: the seat becomes vacant, its orders stay the nation's."""
    campaign = played(monkeypatch)
    before = evidence_export.record(campaign.game, private=True)
    erasure.erase(person("gustav"), campaign.now, by=None, press=True)
    rows = dump()
    for secret in (*SECRETS, "Let us share Poland", "begun", "the flu"):
        lines = [line[:300] for line in rows.splitlines() if secret in line]
        assert [line for line in lines if not line.startswith(ORDERS)] == [], secret
    assert Sitting.objects.current().filter(seat=campaign.seat("Germany")).count() == 0
    after = evidence_export.record(campaign.game, private=True)
    for phase, same in zip(after["phases"], before["phases"], strict=True):
        assert phase["submissions"] == same["submissions"]
    campaign.pass_deadline()
    assert campaign.game.status == "finished"
    record = evidence_export.record(campaign.game, private=True, people=True)
    assert verify.check(json.loads(evidence_export.text(record))) == []
    assert "A former player" in evidence_export.text(record)
    row = Erasure.objects.get()
    assert row.rows["mail"] == 1
    assert row.rows["press"] == 1
    _, ids = sending.claim(campaign.now + timedelta(days=1), 1000)
    assert not Letter.objects.filter(pk__in=ids, address__startswith="gustav").exists()


def test_erasure_keeps_letters_to_nations_unless_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = played(monkeypatch)
    erasure.erase(person("gustav"), campaign.now, by=None, press=False)
    assert Press.objects.get().text == "Let us share Poland."
    (letter,) = campaign.letters("press", "rosa")
    assert "Let us share" in letter.text


@pytest.mark.both_databases
def test_evidence_is_emptied_only_in_the_named_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """design 4: only named columns, only to nothing, and none that a result follows from."""
    campaign = played(monkeypatch)
    numbers = [Press.objects.get().pk]
    refused: list[Any] = [{"text": "Something else."}, {"to": []}, {"text": "", "signed": ""}]
    for values in refused:
        with pytest.raises(EvidenceError):
            empty(Press, numbers, **values)
    with pytest.raises(EvidenceError):
        empty(Submission, [Submission.objects.filter(game=campaign.game).first().pk], text="")  # type: ignore[union-attr]
    assert empty(Press, numbers, text=ERASED) == 1
    named = {
        model.__name__: set(model.may_be_emptied)
        for model in apps.get_models()
        if issubclass(model, Evidence) and model.may_be_emptied
    }
    assert named == {
        "Mail": {"raw", "message_id", "envelope_from", "envelope_to"},
        "Press": {"text"},
        "Call": {"note"},
    }


def test_erasure_page_needs_a_fresh_login_and_the_address(watch: Watch) -> None:
    felix = person("felix")
    browser = by_letter(felix, watch)
    assert "That is not your address" in browser.submit("/me/erase/", {"email": "una@example.org"})
    watch.pass_by(minutes=31)
    assert "Log out, log in" in browser.read("/me/erase/")
    browser.post("/me/erase/", {"email": "felix@example.org"})
    felix.refresh_from_db()
    assert felix.is_active
    other, fresh = by_letter(felix, watch), by_letter(felix, watch)
    answer = fresh.post("/me/erase/", {"email": "Felix@Example.org "}, follow=True)
    assert "You have been erased" in answer.content.decode()
    assert other.get("/me/").status_code == 302  # all other browsers are logged out
    felix.refresh_from_db()
    assert (felix.name, felix.is_active) == ("A former player", False)
    assert felix.email == f"erased-{felix.pk}@erased.invalid"
    again = Visitor()
    again.post("/login/", {"email": "felix@example.org"})
    # A person who comes back gets a new account.
    assert Person.objects.get(email="felix@example.org").pk != felix.pk


def test_sole_gamesmaster_and_operator_cannot_erase_themselves(watch: Watch) -> None:
    campaign = Campaign.begin()
    page = by_letter(campaign.ada, watch).submit("/me/erase/", {"email": "ada@example.org"})
    assert "You run “The lights go out” alone" in page
    with pytest.raises(erasure.ErasureError, match="alone"):
        erasure.erase(campaign.ada, campaign.now, by=None, press=False)
    campaign.game.gamesmasters.add(person("bea"))
    erasure.erase(campaign.ada, campaign.now, by=None, press=False)
    assert [gamesmaster.email for gamesmaster in campaign.game.gamesmasters.all()] == [
        "bea@example.org"
    ]
    root = Person.objects.at("root@example.org", is_superuser=True)
    assert "Another administrator" in erasure.hindrance(root)


def test_operator_command_erases_a_person(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: pytest.TempPathFactory,
) -> None:
    played(monkeypatch)
    call_command("export_person", "gustav@example.org", f"{tmp_path}/gustav.zip")
    assert zipfile.is_zipfile(f"{tmp_path}/gustav.zip")
    assert os.stat(f"{tmp_path}/gustav.zip").st_mode & 0o777 == 0o600
    with pytest.raises(CommandError, match=r"gustav\.zip already exists\. Name another file"):
        call_command("export_person", "gustav@example.org", f"{tmp_path}/gustav.zip")
    with pytest.raises(CommandError, match=r"cannot be written \(No such file or directory\)"):
        call_command("export_person", "gustav@example.org", f"{tmp_path}/missing/gustav.zip")
    call_command("erase_person", "gustav@example.org")
    assert "Add --yes" in capsys.readouterr().out
    assert Person.objects.filter(email="gustav@example.org").exists()
    call_command("erase_person", "gustav@example.org", "--yes")
    assert not Person.objects.filter(email="gustav@example.org").exists()
    with pytest.raises(CommandError, match="No account has the address"):
        call_command("erase_person", "gustav@example.org")
    row = Erasure.objects.get()
    with pytest.raises(erasure.ErasureError, match="already"):
        erasure.erase(row.person, row.erased_at, by=None, press=False)


def test_operator_command_erases_the_pupils_of_a_game(
    db: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """docs/gamesmaster.md, 10: pupils without an address cannot ask for it on a page."""
    game = Campaign.open(seats=dict.fromkeys(NATIONS, "")).game
    ada = game.gamesmasters.get()
    listed = roster.read_list(
        "Anna Berg, France\nBen Ott, France\nDana, dana@example.org, USA", NATIONS
    )
    classroom.seat_class(game, listed, ada, MONDAY)
    with pytest.raises(CommandError, match="Name one person, or a game"):
        call_command("erase_person", "--yes")
    with pytest.raises(CommandError, match="Game 999 has no pupils"):
        call_command("erase_person", "--pupils-of", "999", "--yes")
    call_command("erase_person", "--pupils-of", str(game.pk))
    assert "Add --yes" in capsys.readouterr().out
    assert Person.objects.filter(name="Anna Berg").exists()
    call_command("erase_person", "--pupils-of", str(game.pk), "--yes")
    assert not Person.objects.filter(name__in=["Anna Berg", "Ben Ott"]).exists()
    assert Erasure.objects.count() == 2
    assert game.seats.get(nation="USA").invitations.open().exists(), "addresses are people's own"


# --- retention ---


@pytest.mark.both_databases
def test_old_data_are_deleted_by_the_tick_and_the_record_stays(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """docs/operations.md: raw mail, letter texts, logins; never readings, orders, results."""
    campaign = played(monkeypatch)
    campaign.pass_deadline()
    settings.KEEP = {"mail": 12, "letters": 24, "logins": 3, "notices": 3}
    record = evidence_export.text(evidence_export.record(campaign.game, private=True))
    readings, texts = Reading.objects.count(), Letter.objects.exclude(text="").count()
    assert texts > 5

    def after(months: int) -> dict[str, int]:
        return retention.look_after(campaign.now + months * retention.MONTH + timedelta(hours=2))

    assert "mail" not in after(2)
    assert after(4)["logins"] == 1
    assert after(13)["mail"] == 1
    assert bytes(Mail.objects.get().raw) == b""
    assert Handling.objects.get().status == "done"
    assert after(25)["letters"] == texts
    assert Letter.objects.exclude(text="").count() == 0
    assert evidence_export.text(evidence_export.record(campaign.game, private=True)) == record
    assert Reading.objects.count() == readings
    assert after(25) == {}  # retention runs only once an hour


@pytest.mark.parametrize("status", list(Notice.Status))
def test_notice_goes_unless_it_waits(settings: Settings, status: Notice.Status) -> None:
    """docs/operations.md: those that could not be sent were kept for ever."""
    settings.KEEP = settings.KEEP | {"notices": 3}
    campaign = Campaign.begin()
    now, gustav = campaign.now, campaign.players["Germany"]
    facts: dict[str, Any] = {
        Notice.Status.QUEUED: {"due_at": now},
        Notice.Status.SENT: {"sent_at": now},
        Notice.Status.FAILED: {},
    }[status]
    channel = Channel.objects.create(person=gustav, kind="json", added_by=gustav, added_at=now)
    Notice.objects.create(channel=channel, status=status, written_at=now, **facts)
    waits = status == Notice.Status.QUEUED
    assert "notices" not in retention.carry_out(now + 2 * retention.MONTH)
    assert retention.carry_out(now + 4 * retention.MONTH).get("notices", 0) == (not waits)


@pytest.mark.both_databases
def test_waiting_mail_is_kept_regardless_of_age(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.MAIL_UNPROVEN, settings.KEEP = "hold", settings.KEEP | {"mail": 12}
    campaign = Campaign.begin()
    send(campaign, "Germany", "PLACE 9 Poland\n", sender="gustav@example.net")
    assert Handling.objects.get().status == "held"
    assert "mail" not in retention.carry_out(campaign.now + 100 * retention.MONTH)
    assert bytes(Mail.objects.get().raw) != b""


def test_retention_of_zero_keeps_data_forever(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    campaign = played(monkeypatch)
    settings.KEEP = dict.fromkeys(settings.KEEP, 0)
    gone = retention.carry_out(campaign.now + 1000 * retention.MONTH)
    assert not {"mail", "letters", "logins", "notices"} & set(gone)


def test_privacy_page_shows_the_retention_settings(as_: Browser, settings: Settings) -> None:
    settings.KEEP = settings.KEEP | {"mail": 7}
    page = as_().read("/kept/")
    assert "7 months" in page
    assert "/kept/" in as_().read("/")
    assert "/me/erase/" in as_("felix").read("/me/")
