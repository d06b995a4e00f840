"""The gamesmaster's sheets (Rules B.8): lines ruled, events, refusals, the table."""

from __future__ import annotations

import pytest

from games.rules.orders import lines
from games.rules.ww2_multiplayer import sheet_forms
from games.rules.ww2_multiplayer.charts import card_of
from games.rules.ww2_multiplayer.sheet import FORMS, Misread, read_line
from games.rules.ww2_multiplayer.table import TableLine

from .campaign import CARD, RULES, Campaign, begun

CHARTS = card_of(CARD)


@pytest.mark.parametrize("example", FORMS.values())
def test_the_forms_are_read_as_they_are_shown(example: str) -> None:
    """Canonical words are read back as themselves."""
    entry = read_line(lines(example)[0], CHARTS)
    assert entry.text == example
    assert read_line(lines(entry.text)[0], CHARTS) == entry


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("LINE France 3 VOID", "give a reason for void"),
        ("LINE France x DONE", "Example: "),
        ("FORCES Poland Germany 3 SUPPLIED 4", "only 3 are there"),
        ("HEXES France 20 HOSTILE 21", "only 20 hexes"),
        ("HEXES Spain 20 HOSTILE 1", "no power “Spain”"),
        ("CENTRES USSR Germany 5 OF 4", "only 4"),
        ("INVASION Germany", "Example: "),
        ("INVASION Spain Germany", "no power"),
        ("DICE 21 FOR luck", "at most 20"),
        ("CONTEST France 2 France 3", "itself"),
        ("TRACK 7 NAVAL 8", "Example: "),
        ("RUBBISH", "no line of a report begins"),
        ("END NOW", "Example: "),
        ("NOTE", "some text"),
        ("AFRICA: ON", "without a colon"),
        ("DUE USA TANKS 3", "Example: "),
        ("FORCES Poland Germany 100000", "must be a number"),
        ("NOTE " + "x" * 600, "longer than"),
    ],
)
def test_a_line_that_is_none_is_refused_in_a_sentence(text: str, why: str) -> None:
    """Lesson 5: quoted, with what to do; and the other lines count."""
    with pytest.raises(Misread, match=why):
        read_line(lines(text)[0], CHARTS)
    campaign = Campaign().on_to("referee-italy")
    campaign.sheet(f"{text}\nAFRICA ON")
    assert campaign.said()[0].startswith("“")
    assert campaign.kinds() == ["supply_in_africa"]


def playing() -> Campaign:
    """France and Poland have three lines, Germany one; it is France's Player-Turn."""
    campaign = Campaign(us_entry="base_schedule").on_to("orders")
    campaign.send(
        France=(
            "MOVE 2 SP Paris TO Metz\nALLY Britain\nMINOR Poland: ATTACK Danzig\n"
            "IF Germany INVADES Belgium THEN RAIL 1 SP Lyons TO Lille"
        ),
        Germany="INVADE Poland",
    )
    return campaign.on_to("referee-france")


def test_every_line_gets_a_ruling_before_the_player_turn_ends() -> None:
    """Rules B.8: done, changed or void with a reason, in the sequence of the Player-Turns."""
    campaign = playing()
    campaign.sheet(
        "LINE France 1 DONE\nLINE France 3 CHANGED 1 SP: only one army could reach it\nEND"
    )
    assert [event["ruling"] for event in campaign.told("line")] == ["done", "changed"]
    assert (
        campaign.told("line")[1]["message"]
        == "France, line 3, “MINOR Poland: ATTACK Danzig”: changed, 1 SP: only one army could"
        " reach it."
    )
    assert campaign.said() == [
        "“END” is rejected: 1 line has no ruling yet, first France, line 4, “IF"
        " Germany INVADES Belgium THEN RAIL 1 SP Lyons TO Lille”. Write REST DONE to rule all"
        " the rest."
    ]
    assert campaign.kind == "referee-france-2"
    campaign.sheet("LINE France 4 VOID: Germany has not invaded Belgium\nEND")
    assert campaign.kind == "referee-ussr"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("LINE Germany 1 DONE", "Germany does not move in this Player-Turn."),
        ("LINE France 2 DONE", "France has no order for the map in line 2."),
        ("LINE France 9 DONE", "France has no order for the map in line 9."),
        (
            "LINE France 1 DONE\nLINE France 1 VOID: twice",
            "Line 1 of France already has a ruling.",
        ),
        ("INVASION France France", "France does not invade itself."),
        ("INVASION France Syria", "Syria already belongs to France."),
        ("COMBAT Poland Poland", "Poland does not fight itself."),
        ("PEACE France Italy", "France and Italy are not hostile to each other."),
        ("ITALY ENTERS", "With 6 players Italy may act freely"),
        ("TRACK 40 NAVAL 1 AMPHIBIOUS 1", "There is no turn 40: the last is 23."),
        ("USED France REPLACEMENT 1", "France has 0 replacement points left."),
        ("CENTRES USSR Germany 7 OF 12\nCENTRES USSR Italy 6 OF 12", "Others hold 7 of the 12"),
    ],
)
def test_what_cannot_be_is_refused_and_the_rest_counts(text: str, why: str) -> None:
    campaign = playing()
    campaign.sheet(f"{text}\nNOTE and the rest counts")
    assert len(campaign.said()) == 1
    assert f"is rejected: {why}" in campaign.said()[0]
    assert campaign.kinds()[-1] == "note"


def test_a_private_ruling_is_told_to_its_power_alone() -> None:
    """Rules B.8: a line need not be public."""
    campaign = playing()
    campaign.sheet("LINE France 1 DONE PRIVATE")
    assert (
        campaign.told("line")[0]["message"] == "The gamesmaster ruled on a secret line of France."
    )
    assert campaign.said("France") == ["France, line 1, “MOVE 2 SP Paris TO Metz”: done."]
    assert RULES.view(campaign.state, "Germany").ruled == ()
    assert len(RULES.view(campaign.state, "France").ruled) == 1


def test_no_sheet_is_no_end() -> None:
    campaign = playing()
    campaign.judge()
    assert (campaign.kind, campaign.events) == ("referee-france-2", [])


def test_an_invasion_is_followed_wherever_it_leads() -> None:
    """Rules B.8: hostility, the operator, the rate, an Italian war: none of them is asked for."""
    campaign = Campaign(5, us_entry="base_schedule").on_to("referee-usa")
    campaign.sheet("INVASION USA Norway")
    assert campaign.said() == ["The USA has not entered the war yet (18.0)."]
    assert [event["message"] for event in campaign.events] == [
        "USA invades Norway.",
        "USA is hostile to Norway: it invaded Norway.",
        "Germany now operates the army of Norway: USA has invaded Norway.",
    ]
    campaign.on_to("referee-germany").sheet("INVASION Italy Egypt")
    assert [event["kind"] for event in campaign.events] == [
        "invasion",
        "italy_enters",
        "hostile",
        "hostile",
    ]


def test_an_invasion_that_is_done_need_not_be_told_again() -> None:
    """Nothing asked of the referee that the service could know; what is told twice counts once."""
    campaign = Campaign(us_entry="base_schedule").on_to("orders")
    campaign.send(
        Germany=(
            "INVADE Poland\nIF Poland falls THEN INVADE Norway\nMINOR Hungary: INVADE USSR\nINVADE"
            " Denmark"
        )
    )
    campaign.on_to("referee-germany").sheet(
        "INVASION Germany Denmark\nLINE Germany 4 DONE\nLINE Germany 2 VOID: it stands\nREST DONE"
    )
    assert [event["country"] for event in campaign.told("invasion")] == ["Denmark", "Poland"]
    assert line_of(campaign, 1).facts == ("If it is done, Germany has invaded Poland.",)
    campaign.sheet("INVASION Germany Poland")
    assert campaign.said() == [
        "“INVASION Germany Poland” is rejected: You have already reported that Germany invades"
        " Poland this turn."
    ]


def test_the_rest_is_done_but_for_conditions_that_have_not_come_about() -> None:
    """Rules B.8: the ledger judges some when their turn comes, the gamesmaster the others."""
    campaign = Campaign(us_entry="base_schedule").on_to("orders")
    campaign.send(
        Germany=(
            "IF Germany INVADES Norway THEN hold Oslo\nINVADE Norway\nIF Germany INVADES Norway"
            " THEN hold Bergen\nIF it snows THEN MOVE 1 SP Kiel TO Emden"
        )
    )
    campaign.on_to("referee-germany").sheet("REST DONE\nEND")
    assert [
        (event["line"], event["ruling"], event["reason"]) for event in campaign.told("line")
    ] == [
        (1, "void", "its condition was not met"),
        (2, "done", ""),
        (3, "done", ""),
    ]
    assert campaign.said()[0].startswith(
        "“END” is rejected: 1 line has no ruling yet, first Germany, line 4,"
    )


def test_what_the_gamesmaster_reads_back_is_what_would_be_taken() -> None:
    """`read` of a sheet, before it is carried out."""
    campaign = playing()
    found = RULES.read(
        "LINE France 1 DONE\nLINE Germany 1 DONE\nRUBBISH\nEND", "Referee", campaign.state
    )
    assert found.understood == ((1, "LINE France 1 DONE"),)
    assert [(remark.line, remark.code) for remark in found.remarks] == [
        (3, "unreadable"),
        (2, "refused"),
        (4, "refused"),
    ]
    assert not RULES.read("# nothing yet", "Referee", campaign.state).sent


@pytest.mark.parametrize("form", sheet_forms.FORMS, ids=lambda form: form.verb)
def test_a_form_filled_in_from_lists_is_a_line_of_a_sheet(form: sheet_forms.Form) -> None:
    """Rules B.8: events entered from lists. With its optional blanks and without."""
    for full in (True, False):
        values = {}
        for place, field in enumerate(form.fields):
            chosen = field.choices(CHARTS)
            if full or not field.optional:
                values[field.name] = (
                    chosen[place % len(chosen)]
                    if chosen
                    else ("3" if field.kind == sheet_forms.NUMBER else "words of his own")
                )
        entry = read_line(lines(form.line(values))[0], CHARTS)
        assert entry.verb == form.verb
        assert form.says[0].isupper()


def test_every_line_of_a_sheet_has_a_form_but_those_that_rule_and_end() -> None:
    assert {form.verb for form in sheet_forms.FORMS} == set(FORMS) - {"LINE", "REST", "NEXT", "END"}
    assert [
        form.verb for form in sheet_forms.FORMS if form not in sheet_forms.offered(begun(6))
    ] == ["ITALY", "RESOURCES", "USA"]
    assert (
        sheet_forms.offered(begun(5, us_entry="base_schedule", reading="printed"))
        == sheet_forms.FORMS
    )
    said = sheet_forms.ruling("France", 3, "changed", 2, "the port is full")
    assert (
        said
        == read_line(lines(said)[0], CHARTS).text
        == "LINE France 3 CHANGED 2 SP: the port is full"
    )


# --- the table ---


def line_of(campaign: Campaign, number: int) -> TableLine:
    found = RULES.referee.table(campaign.state)
    assert found is not None
    line: TableLine = next(one for one in found.lines if one.line == number)
    return line


def test_the_table_has_the_lines_of_the_player_turn_and_judges_what_it_can() -> None:
    """Rules B.8: nothing asked of the referee that the service could know."""
    campaign = playing()
    table = RULES.referee.table(campaign.state)
    assert table is not None
    assert (table.title, table.powers) == ("Turn 1 (4/39, autumn)", ("France",))
    assert [one.line for one in table.lines] == [1, 3, 4]
    assert line_of(campaign, 3).facts == (
        "Report with COMBAT whose units were fought; the service notes who is hostile.",
        "France operates Poland (20.1).",
    )
    assert line_of(campaign, 4).met is False
    campaign.sheet("INVASION Germany Belgium\nLINE France 1 DONE")
    assert line_of(campaign, 4).met is True
    assert line_of(campaign, 1).ruling == "done"
    assert RULES.referee.table(Campaign().state) is None
    belgium = next(row for row in table.countries if row.name == "Belgium")
    assert belgium.operator is not None
    assert (belgium.operator.power, belgium.normal, belgium.control.controller) == ("USA", True, "")
    assert len(table.countries) == 31


@pytest.mark.parametrize(
    ("condition", "met"),
    [
        ("Germany INVADES Poland", True),
        ("Germany INVADES Norway", False),
        ("France AT WAR WITH Germany", True),
        ("Italy AT WAR WITH France", False),
        ("France ALLIED WITH Britain", True),
        ("USSR ALLIED WITH Britain", False),
        ("USA ENTERED", False),
        ("it snows", None),
    ],
)
def test_conditions_are_judged_by_the_ledger(condition: str, met: bool | None) -> None:
    """Conditional orders: those that speak of the ledger; the rest is the gamesmaster's."""
    campaign = Campaign(us_entry="base_schedule").on_to("orders")
    campaign.send(France=f"ALLY Britain\nIF {condition} THEN hold the line", Britain="ALLY France")
    campaign.sheet("INVASION Germany Poland\nINVASION Germany France\nEND")
    assert line_of(campaign, 2).met is met


def test_the_ledger_stands_beside_the_lines() -> None:
    """Rules B.8: transport, points due, rates, permissions, what is so with six players."""
    campaign = Campaign(us_entry="base_schedule").on_to("orders", 6)
    campaign.send(Britain="SEA 3 SP London TO Suez VIA MED\nSEA 1 SP London TO Oslo")
    campaign.sheet("TRACK 6 NAVAL 7 AMPHIBIOUS 2\nAFRICA ON\nCOMBAT Italy Britain\nEND")
    campaign.on_to("referee-britain", 6)
    table = RULES.referee.table(campaign.state)
    assert table is not None
    ledger = dict(table.ledger)
    assert ledger["American entry"] == ("The USA is neutral.",)
    assert (
        ledger["Sea transport"][0]
        == "Of the Allied naval points 4 are Britain's and 0 the USA's, 3 idle; Britain has used 0;"
        " USA has used 0."
    )
    assert (
        "Britain is hostile to Italy, and Italy invokes the rule (6.53)." in ledger["Mediterranean"]
    )
    assert (
        "Britain: 1 replacement point, a hex in Britain free of enemy zones of control (10.44)."
        in ledger["Points due"]
    )
    assert (
        ledger["Permissions needed"][0]
        == "US supply through Gibraltar and Suez: Britain has not allowed it (9.32)."
    )
    assert "Different nationalities may not attack together (8.15)." in ledger["In this game"]
    assert line_of(campaign, 1).facts[0] == "Britain has 4 of 4 naval points left."
    assert (
        line_of(campaign, 1)
        .facts[1]
        .startswith("If it is done, the service throws a die for each Strength Point.")
    )
    assert (
        "No sea is named. If it crosses the Mediterranean, rule it VIA MED."
        in line_of(campaign, 2).facts
    )


def test_a_change_needs_a_reason_as_a_void_line_does() -> None:
    """Rules B.8: done, changed or void with a reason."""
    with pytest.raises(Misread, match="give a reason for changed"):
        read_line(lines("LINE France 3 CHANGED 1 SP")[0], CHARTS)
    assert read_line(lines("LINE France 3 DONE")[0], CHARTS).reason == ""
