"""Scenarios: typed, checked, copied, shared, imported, exported, played with (issue 7, point 1)."""

from __future__ import annotations

import re
import tomllib
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from games import desk
from games.desk import scenario_grid, scenarios
from games.desk.scenario_toml import to_toml
from games.models import Game, Scenario
from games.rules import cards
from tests.support.campaign import MONDAY, Campaign, person

from .conftest import Browser, Watch
from .test_opening import filled

pytestmark = pytest.mark.django_db
GAME = "origins-ww2"


def make_scenario(name: str = "ada", **changes: Any) -> Scenario:
    """A scenario of one of the cast, complete unless it is changed."""
    card = {
        **cards.load(GAME, "historical"),
        "name": "our-scenario",
        "title": "Our scenario",
        "provenance": "house",
        "note": "Made up in Oxford.",
        **changes,
    }
    return scenarios.keep(person(name), GAME, card, MONDAY)


def form_of(scenario: Scenario, **changes: str) -> dict[str, str]:
    """What the editor's page sends of a scenario, with some fields typed again."""
    grid = scenario_grid.grid_of(scenario.card)
    fields = {
        "seen": scenario.changed_at.isoformat(),
        "title": grid.title,
        "name": grid.name,
        "provenance": grid.provenance,
        "note": grid.note,
        "turns": grid.turns,
        "broken_by": grid.broken_by,
        "do": "save",
    }
    fields |= {f"area-{place}": area for place, area in enumerate(grid.areas)}
    for row in scenario_grid.rows(grid, GAME):
        fields |= {
            f"nation-{row['place']}": row["nation"].name,
            f"home-{row['place']}": row["nation"].home,
        }
        fields |= {name: said for _, name, said in row["numbers"]}
        fields |= {name: said for wish in row["wishes"] for _, name, said in wish["cells"]}
    return fields | changes


@pytest.mark.parametrize("name", cards.names(GAME))
def test_each_shipped_scenario_is_the_same_after_grid_and_file(name: str) -> None:
    card = cards.load(GAME, name)
    assert scenario_grid.make_card(scenario_grid.grid_of(card), GAME) == card
    assert tomllib.loads(to_toml(card)) == card
    assert scenarios.fault_of(card, GAME) == ""


@pytest.mark.parametrize(
    "word", ['a "quoted" \\ word', "tab\tand\nline", "\x7f\x01 signs", "ß – ‘ ’ 中", "", "#[x]=1"]
)
def test_any_text_can_be_written_into_a_file_and_read_again(word: str) -> None:
    tree = {
        "title": word,
        "home": {word or "x": "A"},
        "objectives": {"N": {"An area": {"control": 3}}},
        "order": [word] * 40,
        "empty": {},
    }
    assert tomllib.loads(to_toml(tree)) == tree


def test_the_list_shows_shipped_own_and_shared(as_: Browser) -> None:
    make_scenario("ada", title="Ada’s own")
    shared = make_scenario("felix", title="Felix’s scenario")
    scenarios.share(shared, True, person("felix"))
    make_scenario("bea", title="Bea’s secret")
    page = as_("ada").read(reverse("cards"))
    assert "Ada’s own" in page
    assert "Felix’s scenario" in page
    assert "Bea’s secret" not in page
    stranger = as_().read(reverse("cards"))
    assert "Felix’s scenario" not in stranger
    for name in cards.names(GAME):
        assert cards.load(GAME, name)["title"].replace("'", "&#x27;") in stranger


@pytest.mark.both_databases
def test_a_copy_is_changed_saved_and_played_with(as_: Browser) -> None:
    ada = as_("ada")
    ada.post(reverse("scenario-new", args=[GAME]), {"from": "historical"})
    scenario = Scenario.objects.get()
    assert scenario.card["provenance"] == "house"
    answer = ada.post(
        reverse("scenario-edit", args=[scenario.pk]),
        form_of(scenario, **{"title": "Longer war", "alloc-0-0": "9"}),
    )
    assert answer["Location"] == reverse("scenario", args=[scenario.pk])
    scenario.refresh_from_db()
    assert scenario.card["allocation"]["USA"][0] == 9
    form = ada.read(reverse("game-new"))
    assert "Longer war" in form
    assert (
        ada.post(reverse("game-new"), filled(card=scenarios.display_name(scenario))).status_code
        == 302
    )
    game = Game.objects.get()
    assert game.card["title"] == "Longer war"
    ada.post(reverse("scenario-remove", args=[scenario.pk]))
    page = ada.read(reverse("game-scenario", args=[game.pk]))
    assert "Longer war" in page, "the game keeps the copy it began with"


def test_a_running_game_keeps_its_copy(as_: Browser) -> None:
    scenario = make_scenario()
    campaign = Campaign.begin(card_name=scenarios.display_name(scenario))
    changed = {**scenario.card, "allocation": {**scenario.card["allocation"], "USA": [1] * 6}}
    scenarios.change(scenario, changed, None, person("ada"), MONDAY)
    campaign.game.refresh_from_db()
    assert campaign.game.card["allocation"]["USA"] != [1] * 6


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"alloc-1-2": "many"}, "The allocation of France, turn 3, must be a whole number of 0"),
        ({"alloc-1-2": ""}, "The allocation of France, turn 3, must be a whole number of 0 or"),
        ({"obj-2-3-control": "x"}, "scores for CONTROL in"),
        ({"turns": "none"}, "The number of turns must be a whole number of 1 or more."),
        ({"turns": "21"}, "The number of turns must be a whole number of 20 or less."),
        ({"provenance": "hearsay"}, "“Where the numbers come from”"),
        ({"area-0": "Poland: the west"}, "Area No. 1 “Poland: the west” must not contain a colon"),
        ({"nation-0": "STOCK"}, "Nation No. 1 “STOCK” must not contain a key word"),
        ({"alloc-0-0": "99999"}, "The allocation has 99,999 in it; at most 1,000 are allowed."),
    ],
)
def test_what_is_not_complete_is_kept_and_told_in_words(
    as_: Browser, changes: dict[str, str], sentence: str
) -> None:
    """issue 7.1: checked at saving without JavaScript; nothing typed is lost."""
    scenario, ada = make_scenario(), as_("ada")
    checked = ada.submit(
        reverse("scenario-check", args=[scenario.pk]), form_of(scenario, **changes)
    )
    assert sentence in checked
    ada.post(reverse("scenario-edit", args=[scenario.pk]), form_of(scenario, **changes))
    page = ada.read(reverse("scenario-edit", args=[scenario.pk]))
    scenario.refresh_from_db()
    assert sentence in scenario.fault
    assert sentence in page
    assert all(value in page for value in changes.values())
    with pytest.raises(desk.DeskError, match="cannot be played with yet"):
        scenarios.find_card(scenarios.display_name(scenario), GAME, person("ada"))


def test_checking_while_typing_keeps_nothing(as_: Browser) -> None:
    scenario = make_scenario()
    said = as_("ada").submit(
        reverse("scenario-check", args=[scenario.pk]), form_of(scenario, title="Something else")
    )
    assert "Complete." in said
    scenario.refresh_from_db()
    assert scenario.title == "Our scenario"


def test_two_lines_of_one_name_are_refused_and_stay_as_typed(as_: Browser) -> None:
    scenario = make_scenario()
    page = as_("ada").submit(
        reverse("scenario-edit", args=[scenario.pk]), form_of(scenario, **{"nation-1": "USA"})
    )
    assert "There are two lines for the nation “USA”" in page
    assert page.count('value="USA"') >= 3  # both lines and the area
    scenario.refresh_from_db()
    assert "France" in scenario.card["order"]


def test_a_renamed_area_keeps_its_points_and_a_cleared_one_goes(as_: Browser) -> None:
    scenario = make_scenario()
    place = scenario.card["areas"].index("Poland")
    paid = scenario.card["objectives"]["Germany"]["Poland"]
    as_("ada").post(
        reverse("scenario-edit", args=[scenario.pk]),
        form_of(scenario, **{f"area-{place}": "Danzig"}),
    )
    scenario.refresh_from_db()
    assert scenario.card["objectives"]["Germany"]["Danzig"] == paid
    as_("ada").post(
        reverse("scenario-edit", args=[scenario.pk]), form_of(scenario, **{f"area-{place}": ""})
    )
    scenario.refresh_from_db()
    assert "Danzig" not in scenario.card["areas"]
    assert "Danzig" not in scenario.card["objectives"]["Germany"]
    assert scenario.fault == ""


def test_lines_and_turns_are_added_without_saving(as_: Browser) -> None:
    scenario = make_scenario()
    for do, field in (("area", "area-13"), ("nation", "nation-5"), ("turns", "alloc-0-7")):
        page = as_("ada").submit(
            reverse("scenario-edit", args=[scenario.pk]),
            form_of(scenario, do=do, turns="8", title="Typed"),
        )
        assert f'name="{field}"' in page
        assert "Not saved yet." in page
        assert "Typed" in page
    scenario.refresh_from_db()
    assert scenario.title == "Our scenario"


@pytest.mark.both_databases
def test_of_two_windows_the_later_is_told(as_: Browser, watch: Watch) -> None:
    scenario = make_scenario()
    first, second = form_of(scenario, title="First"), form_of(scenario, title="Second")
    watch.set(MONDAY + timedelta(minutes=1))
    as_("ada").post(reverse("scenario-edit", args=[scenario.pk]), first)
    page = as_("ada").submit(reverse("scenario-edit", args=[scenario.pk]), second)
    assert "changed in another window" in page
    assert 'value="Second"' in page
    scenario.refresh_from_db()
    assert scenario.title == "First"


def test_scenario_is_shared_only_if_complete_and_with_a_source(as_: Browser) -> None:
    scenario = make_scenario(note="")
    page = as_("ada").submit(
        reverse("scenario-share", args=[scenario.pk]), {"shared": "yes"}, follow=True
    )
    assert "Write in the note where the numbers come from" in page
    as_("ada").post(
        reverse("scenario-edit", args=[scenario.pk]),
        form_of(scenario, note="From the magazine of 1971."),
    )
    as_("ada").post(reverse("scenario-share", args=[scenario.pk]), {"shared": "yes"})
    scenario.refresh_from_db()
    assert scenario.shared
    page = as_("ada").submit(
        reverse("scenario-edit", args=[scenario.pk]), form_of(scenario, **{"alloc-0-0": "x"})
    )
    assert "A shared scenario must be complete" in page
    as_("felix").post(
        reverse("scenario-new", args=[GAME]), {"from": scenarios.display_name(scenario)}
    )
    assert (
        Scenario.objects.get(owner=person("felix")).card["allocation"]
        == scenario.card["allocation"]
    )


def test_scenario_is_its_owners(as_: Browser) -> None:
    """Wrong person, wrong method, nobody: every address of a private and a shared scenario."""
    private, shared = make_scenario(), make_scenario(title="Open to all")
    scenarios.share(shared, True, person("ada"))
    reads = ["scenario", "scenario-toml"]
    writes = ["scenario-share", "scenario-remove", "scenario-check", "scenario-edit"]
    for name in (*reads, *writes, "scenario-try"):
        method = "get" if name in reads else "post"
        assert (
            getattr(as_("charlie"), method)(reverse(name, args=[private.pk])).status_code == 404
        ), name
        assert getattr(as_(), method)(reverse(name, args=[private.pk]))["Location"].startswith(
            reverse("login")
        ), name
    for name in reads:
        assert as_("charlie").get(reverse(name, args=[shared.pk])).status_code == 200
        assert as_("charlie").post(reverse(name, args=[shared.pk])).status_code == 405
    for name in writes:
        assert as_("charlie").post(
            reverse(name, args=[shared.pk]), form_of(shared, title="Mine now")
        )["Location"] == reverse("scenario", args=[shared.pk])
    shared.refresh_from_db()
    assert (shared.title, shared.shared, shared.removed_at) == ("Open to all", True, None)
    form = filled(card=scenarios.display_name(private))
    assert "is not one of the choices" in as_("charlie").submit(reverse("game-new"), form)


def test_a_file_goes_out_and_comes_in_again(as_: Browser) -> None:
    scenario = make_scenario()
    file = as_("ada").get(reverse("scenario-toml", args=[scenario.pk]))
    assert tomllib.loads(file.content.decode()) == scenario.card
    as_("felix").post(
        reverse("scenario-taken"), {"file": SimpleUploadedFile("our-scenario.toml", file.content)}
    )
    assert Scenario.objects.get(owner=person("felix")).card == scenario.card
    as_("felix").post(reverse("scenario-taken"), {"text": file.content.decode()})
    assert set(Scenario.objects.filter(owner=person("felix")).values_list("name", flat=True)) == {
        "our-scenario",
        "our-scenario-2",
    }
    for name in cards.names(GAME):
        assert tomllib.loads(as_().read(reverse("card-toml", args=[GAME, name]))) == cards.load(
            GAME, name
        )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Choose a file, or paste its text."),
        ("game = ", "the file is not TOML"),
        ('title = "x"', "game: is missing"),
        ('game = "chess"', "unknown game “chess”"),
        ('game = "origins-ww2"\nturns = 1.5', "turns: must be text or a whole number"),
        ('game = "origins-ww2"\nday = 1933-01-30', "day: must be text or a whole number"),
        ('game = "origins-ww2"\nturns = 9999999999', "a whole number up to 1,000,000,000"),
        ('game = "origins-ww2"\nturns = 0x' + "f" * 30, "turns”: the number"),
        ('game = "origins-ww2"\n"a\\u0000" = 1', "contains a character that cannot be stored"),
        ('game = "origins-ww2"\na = ' + "[" * 60 + "]" * 60, "nested deeper than 50 levels"),
    ],
)
def test_a_file_that_is_none_is_told_and_its_text_stays(
    as_: Browser, text: str, sentence: str
) -> None:
    page = as_("ada").submit(reverse("scenario-taken"), {"text": text})
    assert sentence in page
    assert not Scenario.objects.exists()
    assert text.splitlines()[:1] == [] or text.splitlines()[0].replace('"', "&quot;") in page


def test_a_file_that_is_not_complete_is_taken_in_and_its_fault_told_by_key(as_: Browser) -> None:
    text = to_toml({**cards.load(GAME, "historical"), "turns": 7})
    page = as_("ada").submit(reverse("scenario-taken"), {"text": text}, follow=True)
    assert "allocation.USA: must have 7 numbers, one for each turn, and has 6" in page


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"a[b": 1}, "a[b: unknown key"),
        ({"allocation": {"USA[x]": [1]}}, "there is no nation “USA[x]”"),
        ({"allocation": "none"}, "allocation: must be a table"),
        ({"order": ["<b>USA"], "areas": 5}, "areas: must be a list of names"),
        ({"order": ["N" * 41]}, "order[0]: “NNN"),
        ({"areas": ["Poland", "A" * 41]}, "has more than 40 characters"),
        ({"areas": ["Poland\u202e"]}, "areas[0]: has a character that nobody sees"),
        ({"order": ["USA", "Fra\x1bnce"]}, "order[1]: has a character that nobody sees"),
        ({"areas": ["Poland", "POLAND"]}, "“POLAND” is listed twice"),
        ({"home": {"USA": "<b>"}, "title": "<b>\u202e\x1b"}, "there is no area “&lt;b&gt;”"),
        ({"objectives": {"USA": {"Poland": 5}}}, "objectives.USA.Poland: must be a table"),
    ],
    ids=str,
)
def test_fault_of_any_file_is_told_in_a_sentence(
    as_: Browser, changes: dict[str, Any], sentence: str
) -> None:
    """Names that PostgreSQL's columns do not hold stopped the opening of a game, or its judging; a
    key with a bracket stopped the import."""
    text = to_toml({**cards.load(GAME, "historical"), **changes})
    page = as_("ada").submit(reverse("scenario-taken"), {"text": text}, follow=True)
    assert sentence in page
    assert "<b>" not in page.partition("<main")[2]
    scenario = Scenario.objects.get()
    assert scenario.fault
    assert scenario.title.isprintable()


def test_scenario_is_tried_with_programs(as_: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.web.scenarios.scenarios.GAMES_TRIED", 4)
    scenario = make_scenario()
    page = as_("ada").submit(reverse("scenario-try", args=[scenario.pk]), {"seed": "3"})
    assert "Results of the bots" in page
    assert re.search(r"who make each other [1-9]\d* promises in each; draw No\. 3\.", page)
    assert as_("ada").submit(reverse("scenario-try", args=[scenario.pk]), {"seed": "3"}).count(
        "<td"
    ) == page.count("<td")


@pytest.mark.both_databases
def test_person_has_a_limited_number_of_scenarios(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenarios, "MOST_SCENARIOS", 2)
    make_scenario()
    make_scenario()
    with pytest.raises(desk.DeskError, match="You have 2 scenarios"):
        make_scenario()
