"""Play a story of `scripted` as people do: orders by the order page and by mail, reports by the
referee's page and by mail.

Pages are requested without JavaScript, as a browser would: controls are filled in and buttons
pressed wherever the forms can make the report. Mail is handed to the function that the LMTP server
calls, as bytes. People and ways alternate.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from django.urls import reverse

from games import desk
from games.accounts import tokens
from games.letters import rendering
from games.models import Person, Phase
from games.positions import in_force
from games.turns import figures as turns_figures
from games.ww2_multiplayer.rules.charts import card_of
from games.ww2_multiplayer.rules.report_forms import FORMS, Form
from orders.inbound import handle
from orders.models import Handling, Mail
from tests.inbound.writing import written
from tests.support.browsing import log_in
from tests.ww2_multiplayer.web.test_referee_page import Table

from .campaign import Refereed
from .scripted import Story

_FORMS = {form.verb: form for form in FORMS}


def blanks_of(form: Form, line: str) -> dict[str, str]:
    """Return the values of a form's blanks, by name, that make a line of a report."""
    pattern = re.escape(form.verb)
    for blank in form.fields:
        kind = f"(?P<{blank.name}>{'[0-9]+' if blank.kind == 'number' else '.+?'})"
        part = f"{re.escape(blank.before)}{kind}"
        pattern += f"(?:{part})?" if blank.optional else part
    match = re.fullmatch(pattern + re.escape(form.after), line)
    assert match is not None, f"no form makes {line!r}"
    return {name: value for name, value in match.groupdict().items() if value is not None}


@dataclass
class Acted:
    """Play a story in `war`. `ways` counts how orders and reports were sent."""

    war: Refereed
    story: Story
    figures: Callable[[Phase, tuple[int, ...]], None] | None = (
        None  # make the market show these faces; None: the gamesmaster rolls
    )
    thorough: bool = True  # whether to make reports without any event by page and by mail too
    ways: dict[str, int] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)

    def play(self) -> None:
        while not self.war.over:
            self.step()

    def step(self) -> None:
        phase = self.war.phase
        if not phase.has_deadline:
            self.report(phase)
            assert phase.submissions.filter(counts=True).exists(), (phase.title, self.war.phase)
        elif phase.idle:
            faces = self.story.dice(phase.turn, phase.kind)
            if self.figures is None:
                self.roll(phase, faces)
            else:
                self.figures(phase, faces)
        else:
            for place, (power, text) in enumerate(self.story.texts(phase.turn, phase.kind).items()):
                (self.order_by_mail if (place + phase.number) % 2 else self.order_by_page)(
                    power, text
                )
        self.passed(phase)

    def roll(self, phase: Phase, faces: tuple[int, ...]) -> None:
        """Enter the gamesmaster's own dice (rng.source = gm_dice), as many as the phase needs."""
        self.war.wait_until(phase.deadline)
        phase.refresh_from_db()
        # with incoming mail a lock waits for messages that are being processed
        while phase.status != Phase.Status.DRAWING:
            assert phase.due_at is not None
            self.war.wait_until(phase.due_at)
            phase.refresh_from_db()
        used = turns_figures.count_used_rolls(phase, list(faces))
        assert used is not None, "the story has too few dice"
        desk.enter_rolls(phase, list(faces[:used]), self.war.ada, self.war.now)

    def passed(self, phase: Phase) -> None:
        """Pass time until this phase, and no other, has been judged."""
        war = self.war
        if not phase.has_deadline:
            phase.refresh_from_db()
            assert phase.due_at is not None, f"the report of {phase.title} has not been received"
            war.wait_until(phase.due_at)
            war._judged(phase)
        else:
            phase = war.pass_deadline()
        phase.refresh_from_db()
        assert phase.status == Phase.Status.RESOLVED, (phase.title, phase.fault)

    # --- orders ---

    def plays(self, power: str) -> Person:
        player = self.war._plays(power)
        assert player is not None, f"nobody plays {power}"
        return player

    def order_by_page(self, power: str, text: str) -> None:
        self.ways["orders by page"] = self.ways.get("orders by page", 0) + 1
        address = reverse("orders", args=[self.war.game.pk, self.war.seat(power).pk])
        client = log_in(self.plays(power))
        page = client.get(address)
        assert page.status_code == 200
        answer = client.post(address, {"text": text, "do": "send-anyway"})
        assert answer.status_code == 302, re.findall(
            r'class="fault"[^>]*>(.*?)</p>', answer.content.decode()
        )

    def order_by_mail(self, power: str, text: str) -> None:
        """Send orders by mail; for a power controlled by another player, below a FOR line."""
        self.ways["orders by mail"] = self.ways.get("orders by mail", 0) + 1
        own = power in self.war.players
        self._write(self.plays(power), text if own else f"FOR {power}\n{text}")
        standing = in_force.in_force(self.war.phase).get(power)
        assert standing is not None, f"the orders of {power} have not been received"

    def _write(self, who: Person, text: str) -> str:
        """Hand in a message; return the text of its answer."""
        to = tokens.reply_address(who, self.war.game, self.war.now)
        raw = written(who.email, to, f"{text}\n", subject=f"Re: [{self.war.game.title}]")
        mail = handle.take_in(
            raw, way=Mail.Way.LMTP, envelope_from=who.email, envelope_to=[to], now=self.war.now
        )
        row = Handling.objects.select_related(
            "answer__game", "answer__phase", "answer__person"
        ).get(mail=mail)
        assert row.status == Handling.Status.DONE, (row.words, row.fault)
        assert row.answer is not None
        return rendering.render(row.answer).text

    # --- reports ---

    def report(self, phase: Phase) -> None:
        text = self.story.report(phase.turn, phase.kind)
        if (phase.turn, phase.kind) not in self.story.reports and not self.thorough:
            self.war.report(text)  # page and letter are tested elsewhere
            return
        if phase.number % 3 == 0:
            self.ways["reports by mail"] = self.ways.get("reports by mail", 0) + 1
            answer = self._write(self.war.ada, text)
            assert "Rejected" not in answer, answer
        elif self._by_forms(text):
            self.ways["reports by forms"] = self.ways.get("reports by forms", 0) + 1
            self.report_by_forms(text)
        else:
            self.ways["reports typed"] = self.ways.get("reports typed", 0) + 1
            Table(self.war).fill(text=text).press("send")
        standing = in_force.in_force(self.war.phase).get("Referee")
        assert standing is not None, f"no report stands for {phase.title}"
        refused = [
            remark["message"] for remark in standing.remarks if remark["severity"] == "error"
        ]
        assert refused == [], refused

    @staticmethod
    def _by_forms(text: str) -> bool:
        """Return whether forms can make the report: they write REST and END last."""
        verbs = [line.partition(" ")[0] for line in text.splitlines()]
        return (
            verbs == sorted(verbs, key=lambda verb: {"REST": 1, "END": 2}.get(verb, 0))
            and "LINE" not in verbs[1:]
        )

    def report_by_forms(self, text: str) -> None:
        table = Table(self.war)
        for line in text.splitlines():
            verb = line.partition(" ")[0]
            if verb in ("REST", "END"):
                table.press(verb.lower())
            elif verb == "LINE":
                self._rule(table, line)
            else:
                blanks = blanks_of(_FORMS[verb].with_lists(card_of(self.war.game.card)), line)
                table.press(
                    f"add:{verb}", **{f"{verb}:{name}": value for name, value in blanks.items()}
                )
        table.press("send")

    @staticmethod
    def _rule(table: Table, line: str) -> None:
        match = re.fullmatch(
            r"LINE (\S+) ([0-9]+) (DONE|CHANGED|VOID)(?: ([0-9]+) SP)?( PRIVATE)?(?:: (.*))?", line
        )
        assert match is not None
        power, number, ruling, sp, private, reason = match.groups()
        key = f"{power}:{number}"
        typed = {
            f"ruling:{key}": ruling.lower(),
            f"sp:{key}": sp or "",
            f"reason:{key}": reason or "",
        }
        table.press("check", **typed, **({f"private:{key}": "on"} if private else {}))
