"""The part of the form that opens a game about its deadlines: rule, time of day and time zone."""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from games.desk import presets
from games.market.rolls import needs_exchange
from games.models import Person
from games.pages.forms import SCHEDULE_FIELDS, CalendarForm, ZoneField, rule_of
from games.rules import markets
from games.rules.digits import STOCKS
from games.timing import schedule, zone_names
from games.timing.schedule import LASTS
from games.web.desk.forms import HolidaysForm, field_name
from games.web.desk.opening_rows import Line

#: By default, attacks are due this long before the exchange opens, so that the sales of the same
# day decide.
BEFORE_THE_BELL = timedelta(minutes=30)
#: And at this time if no sales decide.
USUAL_TIME = time(9)


class DeadlinesForm(HolidaysForm, CalendarForm):
    """When orders are due. A subclass has the fields of settings and options, and sets `reader`."""

    reader: Person
    zone = ZoneField(
        label="In the time zone of",
        empty="If empty: the exchange's, or yours in a game whose digits need none.",
    )
    #: The browser's own zone, which a script fills in.
    zone_here = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput)

    @property
    def chosen_market(self) -> markets.Market:
        """The exchange that the page shows as chosen; New York if it shows none."""
        exchange = markets.MARKETS.get(str(self[field_name(markets.OPTION)].value()))
        return exchange or markets.MARKETS[markets.DEFAULT]

    @property
    def needs_exchange(self) -> bool:
        """Whether the sales of a real exchange decide."""
        digits = self[field_name(presets.DIGITS)].value()
        return needs_exchange(str(self["market"].value()), str(digits or STOCKS))

    @property
    def waits_for_sales(self) -> bool:
        """Whether deadlines come by minutes, and digits from sales that are known a day later."""
        return self["every"].value() == "minutes" and self.needs_exchange

    @property
    def deadlines(self) -> Line:
        """The rule in words, with the time and zone that count if none are set."""
        names = ("every", *SCHEDULE_FIELDS, "time", "zone", *(f"lasts_{kind}" for kind in LASTS))
        data = {name: self._clean_value(name) for name in names if name in self.fields}
        data["zone"] = data["zone"] or self._usual_zone() or presets.YOUR_ZONE
        data["time"] = data["time"] or self._usual_time()
        value = ""
        with suppress(schedule.ScheduleError):
            schedule.check(rule := rule_of(data))
            value = schedule.in_words(rule, data["zone"])
        wrong = any(self[name].errors for name in names if name in self.fields)
        return Line(value[:1].upper() + value[1:], wrong)

    def _clean_value(self, name: str) -> Any:
        """Return the current value of a field; None if it is not valid."""
        try:
            return self.fields[name].clean(self[name].value())
        except ValidationError:
            return None

    def _usual_zone(self) -> str:
        """Return the zone that counts if none is written; "" if we know none.

        The exchange's, if its sales decide. Else the reader's own, from their account or browser;
        by minutes, where the zone decides no deadline, the exchange's if we know neither.
        """
        if self.needs_exchange:
            return self.chosen_market.zone
        if self.reader.zone != "UTC":
            return self.reader.zone
        with suppress(zone_names.ZoneUnknown):
            return zone_names.zone_of(str(self["zone_here"].value() or ""))
        return self.chosen_market.zone if self["every"].value() == "minutes" else ""

    def _usual_time(self) -> time:
        return default_time(self.chosen_market) if self.needs_exchange else USUAL_TIME

    def clean(self) -> dict[str, Any]:
        if not self.cleaned_data.get("zone") and "zone" not in self.errors:
            self.cleaned_data["zone"] = self._usual_zone()
            if not self.cleaned_data["zone"]:
                self.add_error(
                    "zone",
                    "Write a city or a country, such as Berlin or Germany: we do not know your"
                    " time zone, and no exchange decides in this game.",
                )
            if "time" not in self.errors and not self.cleaned_data.get("time"):
                self.cleaned_data["time"] = self._usual_time()
        return super().clean() or self.cleaned_data


def default_time(market: markets.Market) -> time:
    """Return the time of day at which orders are due by default, in the exchange's zone."""
    return (datetime.combine(date.min, market.opens) - BEFORE_THE_BELL).time()
