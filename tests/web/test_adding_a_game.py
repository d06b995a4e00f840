"""A game is added by its package and one line in the registry: tests/support/harvest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core import mail
from django.test import Client
from pytest_django import Settings

from games.desk import presets
from games.models import Letter, Phase
from games.rules import cards, options, registry
from orders.inbound.parsing import reading
from orders.inbound.parsing.commands import Orders
from orders.inbound.parsing.normalize import looks_like_order
from tests.support import harvest
from tests.support.campaign import Campaign, person
from tests.support.harvest.ruleset import Harvest

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
PLAYERS = {"Hill": "henry@example.org", "Dale": "dora@example.org"}


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[None]:
    """Register another game; its package is outside games/rules, so its templates are named."""
    for name, of in (
        ("RULESETS", registry),
        ("FOLDERS", cards),
        ("TABLES", options),
        ("OPTIONS", options),
    ):
        table: dict[str, Any] = getattr(of, name)
        for key in ("harvest", "hvs", "hvs.rain"):
            monkeypatch.setitem(table, key, None)  # setitem removes it after the test
            del table[key]
    folder = Path(harvest.__file__).parent / "templates"
    settings.TEMPLATES = [
        {**backend, "DIRS": [*backend["DIRS"], folder]} for backend in django_settings.TEMPLATES
    ]
    registry.register(Harvest())
    yield
    options._validate_by_content.cache_clear()


@pytest.fixture
def campaign(added: None) -> Campaign:
    played: Any = {"ruleset_id": "harvest", "card_name": "valley", "options": {"hvs.rain": "sun"}}
    return Campaign.begin(**played, seats=PLAYERS)


def read(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def test_added_game_is_played_to_its_end(campaign: Campaign) -> None:
    campaign.order("Hill", "BRING 2 Meadow\nBRING 1 Mill")
    campaign.order("Dale", "BRING 1 Mill")
    assert campaign.pass_deadline().status == Phase.Status.RESOLVED
    assert campaign.board()["Mill"]["Dale"].pf == 1
    campaign.pass_deadline()
    assert campaign.game.status == "finished"
    assert campaign.resolution().winners == ["Hill"]


def test_letters_of_an_added_game_use_its_own_words(campaign: Campaign) -> None:
    campaign.order("Hill", "BRING 2 Meadow")
    campaign.pass_deadline()
    texts = "\n".join(str(message.body) for message in mail.outbox)
    assert not Letter.objects.exclude(fault="").exists()
    assert "Bring your sheaves to the mill." in texts
    assert "Hill brings 2 to the Meadow." in texts


def test_pages_of_an_added_game_open(campaign: Campaign, client: Client) -> None:
    campaign.order("Hill", "BRING 2 Meadow")
    campaign.pass_deadline()
    game = f"/games/{campaign.game.pk}/"
    client.force_login(campaign.players["Hill"])
    assert "Bring your sheaves to the mill." in read(client, game)
    assert "Hill brings 2 to the Meadow." in read(client, f"{game}phases/1/")
    assert "Meadow" in read(client, f"{game}board/")
    assert "You have 3 sheaves." in read(client, f"{game}orders/{campaign.seat('Hill').pk}/")
    client.force_login(campaign.ada)
    assert "The lights go out" in read(client, f"{game}desk/")


def test_orders_of_an_added_game_are_known_to_pages_letters_and_mail(
    campaign: Campaign, client: Client
) -> None:
    """CONTRIBUTING, “Adding a game”: no other game has its verb, BRING."""
    client.force_login(campaign.players["Hill"])
    page = read(client, f"/games/{campaign.game.pk}/orders/{campaign.seat('Hill').pk}/")
    assert "Bring sheaves" in page
    assert "<code>BRING 2 Meadow</code>" in page
    campaign.pass_deadline()
    texts = "\n".join(str(message.body) for message in mail.outbox)
    assert f"{'BRING 2 Meadow':<32}2 of your sheaves go to the Meadow" in texts
    assert looks_like_order("bring 2 meadow")
    script = reading.read("Hello,\n\nBRING 2 Meadow\n\nHenry")
    assert [item.text for item in script.items if isinstance(item, Orders)] == ["BRING 2 Meadow"]


def test_opening_page_offers_options_and_presets_of_an_added_game(
    added: None, client: Client
) -> None:
    client.force_login(person("ada"))
    page = read(client, "/games/new/?game=harvest")
    for words in ("The valley", "The weather", "rain, one sheaf", "A wet summer"):
        assert words in page
    assert [preset.id for preset in presets.presets_of_game("harvest")] == ["wet-summer"]
    assert "The valley" in read(client, "/cards/")


def test_options_of_an_added_game_do_not_affect_other_games(added: None) -> None:
    without = {id: option.default for id, option in options.OPTIONS.items() if id != "hvs.rain"}
    assert options.validate(without, partial=False)["hvs.rain"] == "sun"
