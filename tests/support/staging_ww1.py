"""Stage a game of Origins of World War I, for pictures: in the third turn."""

from __future__ import annotations

from datetime import datetime

from tests.support.origins_ww1 import Campaign

#: Orders by phase that lead to alliances and treaty rights.
TREATIES = {
    1: {
        "Britain": "PLACE 5 Italy\nPLACE 5 Far East\nPLACE 4 Greece\nALLY France",
        "France": "PLACE 5 Africa\nPLACE 5 Russia\nPLACE 2 Italy\nALLY Britain",
        "Germany": "PLACE 5 Austria-Hungary\nPLACE 5 Africa\nPLACE 5 Italy\nPLACE 1 Serbia",
        "Russia": "PLACE 5 Serbia\nPLACE 5 Turkey",
        "Austria-Hungary": "PLACE 5 Serbia\nPLACE 5 Germany",
    },
    2: {
        "Austria-Hungary": "ATTACK Germany IN Serbia STOCK GE/IBM/F",
        "Germany": "ATTACK Britain IN Italy STOCK T/XOM",
    },
    3: {
        "Britain": "PLACE 5 Italy\nPLACE 5 Far East\nPLACE 4 Turkey",
        "France": "PLACE 5 Africa\nPLACE 5 Russia\nPLACE 2 Greece",
        "Germany": (
            "PLACE 5 Austria-Hungary\nPLACE 5 Russia\nPLACE 5 Italy\nPLACE 1 Serbia\nALLY"
            " Austria-Hungary"
        ),
        "Russia": "PLACE 5 Serbia\nPLACE 5 Rumania",
        "Austria-Hungary": "PLACE 5 Serbia\nPLACE 5 Germany\nALLY Germany",
    },
    4: {
        "Britain": "ATTACK Germany IN Italy STOCK GE/IBM/F",
        "France": "ATTACK Germany IN Africa STOCK T/XOM/KO",
        "Russia": "ATTACK Austria-Hungary IN Serbia STOCK F/GE",
        "Austria-Hungary": "ATTACK Russia IN Serbia STOCK KO/MRK/PFE",
    },
}


def going_on(now: datetime) -> Campaign:
    """Stage the third placement with two alliances, treaty rights and Germany's orders."""
    campaign = Campaign.begin(now, title="The iron dice")
    assert isinstance(campaign, Campaign)
    for number in range(1, 5):
        for nation, text in TREATIES[number].items():
            campaign.order(nation, text)
        campaign.pass_deadline()
    campaign.order("Germany", "PLACE 5 Africa\nPLACE 5 Russia\nPLACE 5 Italy\nPLACE 1 Germany")
    return campaign
