"""Markup, headers and line breaks in every field that people can set, for every letter and page
(issue 10, point 5; ASVS 5.2, 5.3).

Every text column is either poisoned here or listed with the reason why no person sets it; a new one
fails until it is listed.
"""

from __future__ import annotations

import logging
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup
from django.apps import apps
from django.db import models
from django.test import Client
from django.test import override_settings as with_settings
from pytest_django import Settings

from games import desk
from games.base import clock
from games.letters import messages, rendering
from games.models import Letter, Person
from orders.models import Handling
from tests.letters import every_letter
from tests.support.browsing import Visitor, log_in
from tests.support.campaign import Campaign, person
from tests.support.examples import chosen
from tests.support.letters import letter_text

from .addresses import routes, second_phase

pytestmark = pytest.mark.django_db
POISON = (
    "qzx<img src=x onerror=qzx()>\"'\r\nBcc:"
    " qzx@evil.example\r\n\r\nBEGIN:VALARM\r\n<script>qzx()</script>{{ 7|add:7 }}{% now 'Y' %}"
)
#: Lines that must not start a line in the service's own words; in the middle of a folded sentence
#: they are harmless.
OWN_LINES = ("Bcc: qzx@evil.example", "BEGIN:VALARM")

#: Columns that people set, by page, by mail or at a desk.
SET_BY_PEOPLE = {
    "games.Person": ["name", "telephone", "postal_address"],
    "games.Game": ["title", "ending"],
    "games.AccessToken": ["label"],
    "games.Sitting": ["ended_because", "telephone"],
    "games.Invitation": ["name"],
    "games.Ruling": ["words", "reason"],
    "games.Act": ["words", "reason"],
    "games.Standby": ["note"],
    "games.Notebook": ["text"],
    "games.PersonNote": ["text"],
    "games.Barring": ["reason"],
    "games.Announcement": ["text"],
    "games.Call": ["note"],
    "games.Press": ["text"],
    "games.Complaint": ["reason"],
    "games.DeadlineChange": ["reason"],
    "games.SessionChange": ["reason"],
    "games.MarketClosure": ["reason", "removed_because"],
    "games.Channel": ["label", "removed_because"],
    "games.Scenario": ["title", "fault"],
    "games.Reading": ["detail"],
    "games.Phase": ["fault"],
    "games.Letter": ["fault"],
    "games.Notice": ["fault"],
    "games.Resolution": ["closing"],
    "orders.Submission": ["text"],
    "orders.Draft": ["text"],
    "orders.OrdersAhead": ["text"],
    "orders.Mail": ["envelope_from", "message_id"],
    "orders.Handling": ["words", "sender", "fault"],
}
#: Columns that the service makes or checks itself, whatever people send.
MADE_BY_US = {
    "hash",
    "previous_hash",
    "nonce",
    "token_hash",
    "code",
    "code_hash",
    "origin_hash",
    "whose",
    "salt",
    "digest",
    "seed",
    "seed_nonce",
    "seed_hash",
    "secret",
    "claim",
    "joining",
    "key",
    "status",
    "kind",
    "nation",
    "zone",
    "password",
    "next_page",
    "fingerprint",
    "channel",
    "way",
    "market",
    "second_source",
    "ruleset_id",
    "card_name",
    "exchange",
    "session",
    "old",
    "new",
    "symbol",
    "held_from",
    "undone_from",
    "read_back",
    "outcome",
    "source",
    "in_reply_to",
    "what",
    "flag",
    "area",
    "address",
    "email",
    "url",
    "subject",
    "html",
    "verdict",
    "instrument",
    "currency",
    "record_hash",
    "leaf",
    "mark",
}
#: Single columns, each with its reason.
FOR_A_REASON = {
    ("games.Game", "bots_secret"): "drawn by the service",
    ("games.Proposal", "text"): "canonical terms, written by the rules",
    ("games.ProposalAnswer", "reason"): "a program’s reason, written by the rules",
    ("games.Channel", "p256dh"): "base64url alone is taken",
    ("games.Channel", "auth"): "base64url alone is taken",
    ("games.Letter", "text"): "rendered from the rows that are poisoned",
    ("games.Pulse", "name"): "names of steps of the tick",
    ("games.Scenario", "name"): "a slug",
    ("games.ReportFile", "name"): "a slug with an ending of ours",
    ("games.ReportFile", "media_type"): "one of few words",
    ("games.Reading", "raw"): "what a publisher sent; shown to nobody",
    ("games.Figure", "reason"): "one of few words",
    ("games.Proposal", "request_key"): "what a program calls its request; shown to nobody",
    ("orders.Submission", "request_key"): "what a program calls its request; shown to nobody",
}


def text_columns() -> list[tuple[str, models.Field]]:
    ours = [*apps.get_app_config("games").get_models(), *apps.get_app_config("orders").get_models()]
    return [
        (model._meta.label, field)
        for model in ours
        for field in model._meta.concrete_fields
        if isinstance(field, models.CharField | models.TextField)
    ]


def test_every_text_column_is_poisoned_or_listed() -> None:
    unplaced = [
        (label, field.name)
        for label, field in text_columns()
        if field.name not in SET_BY_PEOPLE.get(label, ())
        and field.name not in MADE_BY_US
        and (label, field.name) not in FOR_A_REASON
    ]
    assert unplaced == []


def poison() -> None:
    """Write POISON into every row, bypassing all input checks: the output must be safe by
    itself."""
    for label, names in SET_BY_PEOPLE.items():
        model = apps.get_model(label)
        values = {}
        for name in names:
            longest = model._meta.get_field(name).max_length
            values[name] = POISON[:longest] if longest else POISON
        models.QuerySet(model).all().update(**values)
    for row in Handling.objects.all():
        Handling.objects.filter(pk=row.pk).update(outcome=_poisoned(row.outcome))


def _poisoned(value: object) -> object:
    """Return JSON with its sentences replaced by POISON; numbers and other values stay."""
    if isinstance(value, dict):
        sentences = ("words", "quoted", "sentence", "line", "subject")
        return {
            name: _poisoned(item) if name in sentences else item for name, item in value.items()
        }
    return POISON if isinstance(value, str) else value


def holds(html: bytes | str, where: str) -> None:
    """Check that a page or letter shows POISON as text or not at all."""
    page = BeautifulSoup(html, "html.parser")
    for tag in page.find_all(True):
        handlers = [str(value) for name, value in tag.attrs.items() if name.startswith("on")]
        assert "qzx" not in str(handlers), (where, str(tag)[:200])
        assert tag.name != "script" or "qzx" not in str(tag), where
        assert tag.name != "img" or str(tag.get("src")) != "x", where
    assert "14{%" not in page.get_text(), f"{where}: a template tag was carried out"


def headers(letter: Letter, message: rendering.RenderedLetter) -> list[str]:
    """Return the header lines of a letter as it goes out."""
    whole: str = messages.message_of(letter, message, clock.now()).message().as_string()
    return whole.partition("\n\n")[0].splitlines()


def test_letters_escape_markup_headers_and_line_breaks(settings: Settings) -> None:
    """Every kind of letter: text, HTML and headers."""
    letters = every_letter.stage()
    poison()
    with with_settings(**every_letter.SETTINGS, MAIL_PICTURES=False):
        for name, staged_letter in letters.items():
            letter = Letter.objects.get(pk=staged_letter.pk)
            rendered = rendering.render(letter)
            holds(rendered.html, name)
            assert "\n" not in rendered.subject, name
            assert "\r" not in rendered.subject, name
            assert not [line for line in headers(letter, rendered) if line.startswith("Bcc")], name
            # Letters of people have several lines, each marked as theirs; quotations are indented.
            if letter.kind not in ("press", "question", "answer"):
                lines = [line.rstrip() for line in rendered.text.splitlines()]
                assert not set(lines) & set(OWN_LINES), name
    assert len(letters) > 40


def test_pages_escape_markup_written_by_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every route, as player, gamesmaster and administrator; feeds and calendars too. Outside a
    soak half of the admin's pages that are alike for every model."""
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    campaign, values = second_phase()
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    poison()
    seen = 0
    for who in ("rosa", "ada", "root"):
        browser = log_in(who)
        for route in routes(values):
            if route.pattern.startswith("admin/") != (who == "root"):
                continue
            if route.is_alike and not chosen(route.pattern):
                continue
            answer = browser.get(route.path())
            kind = answer.headers.get("Content-Type", "")
            if answer.status_code != 200:
                continue
            if not any(written in answer.content for written in (b"qzx", b"14{%")):
                continue
            seen += 1
            if "html" in kind:
                holds(answer.content, f"{who}: {route.pattern}")
            elif "xml" in kind:
                tags = [str(tag.tag) for tag in ElementTree.fromstring(answer.content).iter()]
                wrong = ("}script", "}img", "}foreignObject")
                assert not [tag for tag in tags if tag.endswith(wrong)], route.pattern
            elif "calendar" in kind:
                assert b"\nBEGIN:VALARM" not in answer.content.replace(b"\r", b"")
    assert seen > 40, "what was written is shown nowhere: this test looks at nothing"


def test_addresses_with_markup_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quoted local part may hold almost anything (RFC 5321)."""
    answer = Client().post(
        "/login/", {"email": '"<script>qzx()</script>"@example.org'}, follow=True
    )
    holds(answer.content, "login")


@pytest.mark.parametrize("sign", ["\u202e", "\u2067"])
def test_names_and_titles_do_not_turn_the_text_around_them(sign: str) -> None:
    """In the list of players of the first letter such a name turned those of the others."""
    campaign = Campaign.open(title=f"The lights{sign} go out")
    visitor = Visitor()
    visitor.force_login(person("felix"))
    visitor.post("/me/", {"name": f"Felix{sign}\N{ZERO WIDTH JOINER}", "zone": "UTC"})
    assert Person.objects.get(pk=person("felix").pk).name == "Felix\N{ZERO WIDTH JOINER}"
    desk.start(campaign.game, campaign.now)
    text = letter_text(campaign.letters("begins", "gustav")[-1])
    assert "The lights go out" in text
    assert sign not in text
