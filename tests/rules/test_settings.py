"""The settings of a game: each is declared once, and every page and letter lists it from there."""

from __future__ import annotations

from typing import Any

import pytest

from games.models import Game
from games.rules import RulesError
from games.rules.options import OPTIONS
from games.rules.registry import RULESETS, ruleset
from games.rules.settings import (
    SECTIONS,
    SETTINGS,
    Setting,
    changeable_settings,
    check_settings,
    complete_settings,
    settings_of,
)

ALL = list(SETTINGS.values())
#: Fields of the form that opens a game that stand among settings.
FIELDS = {"holidays", "bank", "reserves"}


def values_of(setting: Setting) -> list[Any]:
    """Return values of a setting: all of a choice, and the ends of a number."""
    if setting.kind == "choice":
        return list(setting.values)
    return [False, True] if setting.kind == "yes_no" else [0, 1, 2, setting.most]


@pytest.mark.parametrize("setting", ALL, ids=lambda setting: setting.id)
def test_setting_is_stored_in_a_column_and_has_its_texts(setting: Setting) -> None:
    game = Game()
    assert game.setting(setting.id) == setting.default == setting.check(setting.default)
    for value in values_of(setting):
        game.apply_settings({setting.id: value})
        assert game.setting(setting.id) == value
        name, words = setting.row(value)
        assert name == (setting.subject or setting.name)
        assert words
        assert "_" not in name + words
        for texts in (setting.letter, setting.act):
            assert setting.words(texts, value).endswith(".") or not setting.words(texts, value)
        game.clean_fields(exclude={field.name for field in Game._meta.fields} - {setting.id})


@pytest.mark.parametrize("setting", ALL, ids=lambda setting: setting.id)
def test_setting_is_chosen_in_one_section_or_later(setting: Setting) -> None:
    sections = [section.title for section in SECTIONS if setting.id in section.options]
    assert len(sections) == 1 or (not sections and setting.later)
    assert not (setting.later and "." in setting.id), "only columns are changed later"


def test_sections_list_settings_options_and_fields() -> None:
    listed = [id for section in SECTIONS for id in section.options]
    assert set(listed) <= {*SETTINGS, *OPTIONS, *FIELDS}
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("game", RULESETS)
def test_new_game_has_every_setting(game: str) -> None:
    """What a game cannot have keeps the value that does nothing."""
    rules = ruleset(game)
    values = complete_settings(rules, {"absence_days": 3})
    assert list(values) == list(SETTINGS)
    assert values["absence_days"] == 3
    assert values["press.deals"] == ("private" if rules.deals is not None else "none")
    assert set(changeable_settings(rules)) < set(settings_of(rules))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"approval_hours": 337}, "“337” is not possible for “Hours that results wait"),
        ({"approval_hours": -1}, "enter 0 to 336"),
        ({"approval_hours": True}, "“True” is not possible"),
        ({"public": "yes"}, "“yes” is not a value of “Anybody may watch”"),
        ({"joining": "all"}, "“all” is not possible for “Free seats are for”"),
        ({"market": ["yahoo"]}, "is not possible for “Sales figures from”"),
        ({"colour": "red"}, "“colour” is not a setting"),
        ({"report_hours": 3}, "“Hours to correct a report” does not apply to games of"),
    ],
)
def test_invalid_settings_are_refused_with_one_sentence(
    given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(RulesError, match=sentence):
        check_settings(ruleset("origins-ww2"), given)
