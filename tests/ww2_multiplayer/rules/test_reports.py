"""The gamesmaster's reports (Rules B.8): rulings on lines, events, refusals, the table."""

from __future__ import annotations

import pytest

from games.rules.orders import lines
from games.ww2_multiplayer.rules import report_forms
from games.ww2_multiplayer.rules.charts import card_of
from games.ww2_multiplayer.rules.report import FORMS, MisreadLine, read_line
from games.ww2_multiplayer.rules.table import TableLine

from .campaign import CARD, PLAIN, RULES, Campaign, new_state

pytestmark = pytest.mark.guest

CHARTS = card_of(CARD)


@pytest.mark.parametrize("example", FORMS.values())
def test_shown_report_forms_read_back_as_themselves(example: str) -> None:
    """Canonical words read back as themselves."""
    entry = read_line(lines(example)[0], CHARTS)
    assert entry.text == example
    assert read_line(lines(entry.text)[0], CHARTS) == entry


def test_report_reads_centers_as_the_printed_rules_spell_them() -> None:
    """19.11: the rules write “center”; a gamesmaster who does so was told that no line begins
    with CENTERS."""
    entry = read_line(lines("CENTERS USSR Germany 3 OF 12")[0], CHARTS)
    assert entry.text == "CENTRES USSR Germany 3 OF 12"


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
        ("END NOW", "this is not how END is written"),
        ("NOTE", "some text"),
        ("AFRICA: ON", "without a colon"),
        ("DUE USA TANKS 3", "Example: "),
        ("FORCES Poland Germany 100000", "must be a number"),
        ("NOTE " + "x" * 600, "longer than"),
    ],
)
def test_invalid_report_line_is_refused_with_advice(text: str, why: str) -> None:
    """Lesson 5: quoted, with advice; the other lines count."""
    with pytest.raises(MisreadLine, match=why):
        read_line(lines(text)[0], CHARTS)
    campaign = Campaign().on_to("referee-italy")
    campaign.report(f"{text}\nAFRICA ON")
    assert campaign.said()[0].startswith("“")
    assert campaign.kinds() == ["supply_in_africa"]


def playing() -> Campaign:
    """Return a campaign in France's Player-Turn; France has three lines, Germany one."""
    campaign = Campaign(us_entry="base_schedule").on_to("orders")
    campaign.send(
        France=(
            "MOVE 2 SP Paris TO Metz\nALLY Britain\nMINOR Poland: ATTACK Danzig\n"
            "IF Germany INVADES Belgium THEN RAIL 1 SP Lyons TO Lille"
        ),
        Germany="INVADE Poland",
    )
    return campaign.on_to("referee-france")


def test_end_needs_a_ruling_on_every_line() -> None:
    """Rules B.8: done, changed or void with a reason, in the order of the Player-Turns."""
    campaign = playing()
    campaign.report(
        "LINE France 1 DONE\nLINE France 3 CHANGED 1 SP: only one army could reach it\nEND"
    )
    assert [event["ruling"] for event in campaign.told("line")] == ["done", "changed"]
    assert (
        campaign.told("line")[1]["message"]
        == "France, line 3, is changed to 1 SP: only one army could reach it."
    )
    assert campaign.said() == [
        "“END” is rejected: 1 line has no ruling yet, first France, line 4, “IF"
        " Germany INVADES Belgium THEN RAIL 1 SP Lyons TO Lille”. Write REST DONE to rule all"
        " the rest."
    ]
    assert campaign.kind == "referee-france-2"
    campaign.report("LINE France 4 VOID: Germany has not invaded Belgium\nEND")
    assert campaign.kind == "referee-ussr"


def test_line_of_another_player_turn_is_refused_with_when_it_moves() -> None:
    """4.1: a report may go on with NEXT."""
    campaign = Campaign(reading="printed").on_to("orders")
    campaign.send(Italy="Hold Rome", Germany="INVADE Poland")
    campaign.report("LINE Germany 1 DONE\nREST DONE\nNEXT\nLINE Italy 1 DONE")
    later, over = campaign.said()
    assert later.endswith("in this Player-Turn. It moves later in this Game-Turn, after NEXT.")
    assert over.endswith("Italy does not move in this Player-Turn. Its Player-Turn is over.")


def test_end_says_how_to_rule_on_a_condition_in_words() -> None:
    """B.8: REST DONE leaves such a line, so END must not ask for it."""
    campaign = Campaign().on_to("orders")
    campaign.send(Italy="IF it snows THEN MOVE 1 SP Rome TO Milan\nHold Rome")
    campaign.report("REST DONE\nEND")
    assert campaign.said() == [
        "“END” is rejected: 1 line has no ruling yet, first Italy, line 1, “IF it snows THEN MOVE 1"
        " SP Rome TO Milan”. Only you can judge such a condition: write LINE Italy 1 DONE, or VOID"
        " and the reason after a colon."
    ]


def test_rest_names_lines_that_may_have_been_taken_back() -> None:
    """Contract 3a.3: nothing is obeyed unseen that its sender may not have meant."""
    campaign = Campaign(**PLAIN).on_to("orders")
    campaign.send(Italy="Draft, don't play this yet\nINVADE Greece\nMOVE 1 SP Rome TO Milan")
    campaign.report("REST DONE\nEND")
    assert campaign.said() == [
        "REST DONE also rules lines 2 and 3 of Italy, which “Draft, don't play this yet” may take"
        " back. Rule such lines with LINE."
    ]


def test_rest_warns_of_lines_that_a_rule_forbids() -> None:
    """16.22: the gamesmaster may have overlooked it among many lines."""
    campaign = Campaign(4).on_to("orders")
    campaign.send(France="MINOR Belgium: MOVE 1 SP Namur TO Gent\nMINOR Poland: ATTACK Danzig")
    campaign.report("REST DONE\nEND")
    assert campaign.said() == [
        "Line 1 of France: the army of Belgium is frozen until it is invaded (16.22)."
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("LINE Germany 1 DONE", "Germany does not move in this Player-Turn."),
        ("LINE France 2 DONE", "France has no order for the map in line 2."),
        ("LINE France 9 DONE", "France has no order for the map in line 9."),
        (
            "LINE France 1 DONE\nLINE France 1 VOID: twice",
            "Line 1 of France already has a ruling. To change what an earlier report ruled, amend"
            " that report by a ruling at the desk.",
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
def test_impossible_entry_is_refused_and_the_rest_counts(text: str, why: str) -> None:
    campaign = playing()
    campaign.report(f"{text}\nNOTE and the rest counts")
    assert len(campaign.said()) == 1
    assert f"is rejected: {why}" in campaign.said()[0]
    assert campaign.kinds()[-1] == "note"


def test_private_ruling_is_reported_only_to_its_power() -> None:
    """Rules B.8: a line need not be public."""
    campaign = playing()
    campaign.report("LINE France 1 DONE PRIVATE")
    assert (
        campaign.told("line")[0]["message"] == "The gamesmaster ruled on a secret line of France."
    )
    assert campaign.said("France") == ["France, line 1, “MOVE 2 SP Paris TO Metz”, is done."]
    assert RULES.view(campaign.state, "Germany").ruled == ()
    assert len(RULES.view(campaign.state, "France").ruled) == 1


def test_missing_report_does_not_end_the_player_turn() -> None:
    campaign = playing()
    campaign.judge()
    assert (campaign.kind, campaign.events) == ("referee-france-2", [])


def test_consequences_of_an_invasion_are_derived() -> None:
    """Rules B.8: hostility, operator, rate and an Italian war need no entries of their own."""
    campaign = Campaign(5, us_entry="base_schedule").on_to("referee-usa")
    campaign.report("INVASION USA Norway")
    assert campaign.said() == ["The USA has not entered the war yet (18.0)."]
    assert [event["message"] for event in campaign.events] == [
        "USA invades Norway.",
        "USA is hostile to Norway: it invaded Norway.",
        "Germany now operates the army of Norway: USA has invaded Norway.",
    ]
    campaign.on_to("referee-germany").report("INVASION Italy Egypt")
    assert [event["kind"] for event in campaign.events] == [
        "invasion",
        "italy_enters",
        "hostile",
        "hostile",
    ]


def test_done_invasion_order_is_reported_by_itself() -> None:
    """The service asks for nothing it can derive; an event reported twice counts once."""
    campaign = Campaign(us_entry="base_schedule").on_to("orders")
    campaign.send(
        Germany=(
            "INVADE Poland\nIF Poland falls THEN INVADE Norway\nMINOR Hungary: INVADE USSR\nINVADE"
            " Denmark"
        )
    )
    campaign.on_to("referee-germany").report(
        "INVASION Germany Denmark\nLINE Germany 4 DONE\nLINE Germany 2 VOID: it stands\nREST DONE"
    )
    assert [event["country"] for event in campaign.told("invasion")] == ["Denmark", "Poland"]
    assert line_of(campaign, 1).facts == ("If it is done, Germany has invaded Poland.",)
    campaign.report("INVASION Germany Poland")
    assert campaign.said() == [
        "“INVASION Germany Poland” is rejected: You have already reported that Germany invades"
        " Poland this turn."
    ]


def test_rest_done_voids_lines_with_unmet_conditions() -> None:
    """Rules B.8: the ledger decides some conditions at their turn, the gamesmaster the others."""
    campaign = Campaign(us_entry="base_schedule").on_to("orders")
    campaign.send(
        Germany=(
            "IF Germany INVADES Norway THEN hold Oslo\nINVADE Norway\nIF Germany INVADES Norway"
            " THEN hold Bergen\nIF it snows THEN MOVE 1 SP Kiel TO Emden"
        )
    )
    campaign.on_to("referee-germany").report("REST DONE\nEND")
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


def test_read_back_matches_accepted_lines() -> None:
    """`read` of a report, before it is carried out."""
    campaign = playing()
    reading = RULES.read(
        "LINE France 1 DONE\nLINE Germany 1 DONE\nRUBBISH\nEND", "Referee", campaign.state
    )
    assert reading.understood == ((1, "LINE France 1 DONE"),)
    assert [(remark.line, remark.code) for remark in reading.remarks] == [
        (2, "refused"),
        (3, "unreadable"),
        (4, "refused"),
    ]
    assert not RULES.read("# nothing yet", "Referee", campaign.state).sent


@pytest.mark.parametrize("form", report_forms.FORMS, ids=lambda form: form.verb)
def test_filled_in_form_is_a_valid_report_line(form: report_forms.Form) -> None:
    """Rules B.8: events entered from lists, with and without optional blanks."""
    for full in (True, False):
        values = {}
        for place, field in enumerate(form.fields):
            chosen = field.choices(CHARTS)
            if full or not field.optional:
                values[field.name] = (
                    chosen[place % len(chosen)]
                    if chosen
                    else ("3" if field.kind == report_forms.NUMBER else "words of his own")
                )
        entry = read_line(lines(form.line(values))[0], CHARTS)
        assert entry.verb == form.verb
        assert form.says[0].isupper()


def test_every_report_line_for_events_has_a_form() -> None:
    assert {form.verb for form in report_forms.FORMS} == set(FORMS) - {
        "LINE",
        "REST",
        "NEXT",
        "END",
    }
    assert [
        form.verb
        for form in report_forms.FORMS
        if form not in report_forms.applicable_forms(new_state(6))
    ] == ["ENTRY", "ITALY", "RESOURCES", "USA"]
    assert (
        report_forms.applicable_forms(new_state(5, us_entry="base_schedule", reading="printed"))
        == report_forms.FORMS
    )
    line = report_forms.ruling("France", 3, "changed", 2, "the port is full")
    assert (
        line
        == read_line(lines(line)[0], CHARTS).text
        == "LINE France 3 CHANGED 2 SP: the port is full"
    )


# --- the table ---


def line_of(campaign: Campaign, number: int) -> TableLine:
    referee_table = RULES.referee.table(campaign.state)
    assert referee_table is not None
    line: TableLine = next(row for row in referee_table.lines if row.line == number)
    return line


def test_referee_table_lists_the_lines_of_the_player_turn() -> None:
    """Rules B.8: the referee is asked for nothing that the service can know."""
    campaign = playing()
    table = RULES.referee.table(campaign.state)
    assert table is not None
    assert (table.title, table.powers) == ("Turn 1 (4/39, autumn)", ("France",))
    assert [line.line for line in table.lines] == [1, 3, 4]
    assert line_of(campaign, 3).facts == (
        "Report with COMBAT whose units were fought; the service notes who is hostile.",
        "France operates Poland (20.1).",
    )
    assert line_of(campaign, 4).met is False
    campaign.report("INVASION Germany Belgium\nLINE France 1 DONE")
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
def test_ledger_decides_conditions_about_itself(condition: str, met: bool | None) -> None:
    """The ledger decides conditions about itself; the gamesmaster decides the rest."""
    campaign = Campaign(us_entry="base_schedule").on_to("orders")
    campaign.send(France=f"ALLY Britain\nIF {condition} THEN hold the line", Britain="ALLY France")
    campaign.report("INVASION Germany Poland\nINVASION Germany France\nEND")
    assert line_of(campaign, 2).met is met


def test_referee_table_shows_the_ledger() -> None:
    """Rules B.8: transport, points due, rates, permissions, notes for six players."""
    campaign = Campaign(us_entry="base_schedule").on_to("orders", 6)
    campaign.send(Britain="SEA 3 SP London TO Suez VIA MED\nSEA 1 SP London TO Oslo")
    campaign.report("TRACK 6 NAVAL 7 AMPHIBIOUS 2\nAFRICA ON\nCOMBAT Italy Britain\nEND")
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


def test_changed_line_needs_a_reason() -> None:
    """Rules B.8: done, changed or void with a reason."""
    with pytest.raises(MisreadLine, match="give a reason for changed"):
        read_line(lines("LINE France 3 CHANGED 1 SP")[0], CHARTS)
    assert read_line(lines("LINE France 3 DONE")[0], CHARTS).reason == ""
