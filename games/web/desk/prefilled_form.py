"""Fill in the form that opens a game: from a preset, or like an earlier game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from games import permissions
from games.desk import presets
from games.desk.deal import TABLE
from games.desk.opening import BOT, ME
from games.models import Game, Person, Seat, Sitting
from games.pages.forms import fields_of
from games.records import series
from games.rules import markets
from games.rules.names import all_of
from games.web.desk.forms import HolidaysForm, field_name
from games.web.desk.opening_deadlines import default_time
from games.web.desk.opening_form import ADDRESS, GameForm


def fill_form(
    preset: presets.Preset, typed: Mapping[str, Any], ruleset_id: str, person: Person
) -> GameForm:
    """Return the form with the input so far and the preset's choices. What the preset does not name
    of the same kind gets its usual value.

    Nothing is validated yet: a form that is half filled in shows no errors.
    """
    blank = GameForm(ruleset_id=ruleset_id, person=person)
    initial = {
        name: (
            name in typed
            if isinstance(field, forms.BooleanField)
            else typed.get(name, field.initial)
        )
        for name, field in blank.fields.items()
    }
    preset_fields = fields_of(preset.schedule)
    if (
        preset.needs_exchange
        and not initial["zone"]
        and preset_fields.get("time") == f"{default_time(markets.NEW_YORK):%H:%M}"
    ):
        preset_fields["time"] = None  # before the opening of whatever exchange is chosen
    initial |= preset_fields | {
        field_name(setting.id): preset.settings.get(setting.id, setting.usual)
        for setting in blank.settings
    }
    for option in blank.options:
        if option.id == markets.OPTION and option.id not in preset.options:
            continue  # a preset's other choices work on any exchange
        value = preset.options.get(option.id, option.usual)
        initial[field_name(option.id)] = (
            value if option.kind == "whole" or value in option.choosable else option.usual
        )
    form = GameForm(initial=initial, ruleset_id=ruleset_id, person=person)
    form.fields["title"].widget.attrs["autofocus"] = True  # gamesmaster.md U3: type the title next
    return form


def fill_like_game(game: Game, person: Person, *, moved_on: bool = False) -> GameForm:
    """Return the form filled in like a game, with its present players: in the same nations, or
    `moved_on` by one for the next game of a series.

    Only gamesmasters see addresses: for a player, the seats of the others are empty.
    """
    blank = GameForm(ruleset_id=game.ruleset_id, person=person)
    sees_addresses = permissions.runs(person, game)
    initial: dict[str, Any] = {
        "title": f"{game.title}, again"[:80],
        "zone": game.zone,
        "reserves": " ".join(game.reserves),
        "holidays": HolidaysForm.typed_holidays(game),
        **fields_of(game.schedule),
    }
    if game.card_name in blank.cards:
        initial["card"] = game.card_name
    initial |= {field_name(setting.id): game.setting(setting.id) for setting in blank.settings}
    initial |= {field_name(option.id): game.options.get(option.id) for option in blank.options}
    sittings = Sitting.objects.current().filter(seat__game=game).select_related("person", "seat")
    seats = list(game.seats.nations().order_by("ordinal"))
    nations = [seat.nation for seat in seats]
    to = series.next_nations(nations) if moved_on else dict(zip(nations, nations, strict=True))
    for seat in seats:
        people = [sitting.person for sitting in sittings if sitting.seat_id == seat.pk]
        if (nation := to[seat.nation]) in blank.nations:
            initial |= _seat_fields(
                blank.nations.index(nation), seat, people, person, sees_addresses
            )
    return GameForm(initial=initial, ruleset_id=game.ruleset_id, person=person)


def left_out(game: Game, person: Person) -> list[str]:
    """Return sentences on the present players of a game whom `fill_like_game` leaves out."""
    rows = Sitting.objects.current().filter(seat__game=game).exclude(person=person)
    others = [row.person for row in rows.select_related("person").order_by("seat__ordinal", "pk")]
    if not permissions.runs(person, game):
        hidden = (
            "Only gamesmasters see addresses, so the other players are not filled in: type theirs,"
            " or share the game’s link once it is open."
        )
        return [hidden] if others else []
    pupils = {each.pk: each.name for each in others if each.is_pupil}
    by_post = {each.pk: each.name for each in others if each.by_post and not each.is_pupil}
    return [
        f"Without an address, and so not filled in: {all_of([*names.values()])}. Open the game,"
        f" then seat them on the page “{page}”."
        for names, page in ((pupils, "Class"), (by_post, "Paper"))
        if names
    ]


def _seat_fields(
    place: int, seat: Seat, people: list[Person], person: Person, shown: bool
) -> dict[str, str]:
    if seat.bot or seat.by_table:
        return {f"who_{place}": BOT if seat.bot else TABLE}
    if [person] == people:
        return {f"who_{place}": ME}
    reached = [member for member in people if member.is_active and not member.by_post]
    addresses = [member.email for member in reached if not member.guest]
    if not shown or not addresses:
        return {}
    return {f"who_{place}": ADDRESS, f"email_{place}": ", ".join(addresses)}
