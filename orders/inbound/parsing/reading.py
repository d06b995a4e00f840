"""Read what a message asks for, in order: orders, commands, letters (issue 4, item 3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import date
from difflib import get_close_matches
from typing import Literal, get_args

from games.base.text import shorten
from games.rules import vote_kinds
from games.rules.names import any_of, fold

from . import address_lines, dates, desk_commands, headings, patterns, salutations
from .commands import (
    About,
    Absent,
    Adopt,
    AnswerDeal,
    Ask,
    Cancel,
    Complain,
    Desk,
    Final,
    Item,
    Mute,
    Orders,
    PressItem,
    Propose,
    RefusedCommand,
    ReportBelow,
    Script,
    Set,
    Vote,
    WrittenLine,
    Yes,
)
from .normalize import normal, order_heads
from .suspects import Suspects

_ASKED: dict[str, About] = {about: about for about in get_args(About) if about != "history"}
_WIDTH = 72
_MOST_LINES = 2_000
#: Longer lines are rejected, because a truncated line could be a different order.
LONGEST_LINE = 2_000


def nobody() -> bool:
    """Return False: the sender runs no game."""
    return False


def read(
    text: str,
    *,
    today: date | None = None,
    verbs: Collection[str] | None = None,
    nations: Collection[str] = (),
    free_text: bool = False,
    runs_game: Callable[[], bool] = nobody,
    suspects: Suspects | None = None,
    end: str = "",
    writer: str = "",
) -> Script:
    """Return what a sender's own words say. Never raises.

    `today` completes dates without a year; `nations` are the names that AS and FOR can switch to.
    `suspects` as for `understand`, `end` as in `quoting.OwnWords`. `writer` has the names that the
    sender may sign with.
    """
    verbs = order_heads() if verbs is None else verbs
    suspects = suspects or Suspects(nations)
    reader = _Reader(text, today, verbs, nations, free_text, runs_game, suspects, end, writer)
    reader.run()
    items = [
        *reader.items,
        *(
            Orders(lines[0].number, nation, tuple(lines), ahead)
            for (nation, ahead), lines in reader.orders.items()
        ),
    ]
    items.sort(key=lambda item: item.line)
    return Script(tuple(items), tuple(reader.refused), tuple(reader.passed_over))


def _match_vote(text: str) -> tuple[str, re.Match[str]] | None:
    """Return the kind of vote that a line is for, and its match."""
    matches = ((kind, pattern.match(_bare(text))) for kind, pattern in patterns.VOTE.items())
    return next(((kind, match) for kind, match in matches if match), None)


def begins(text: str, verbs: Collection[str]) -> bool:
    """Return whether a line begins like an order or a command."""
    first = re.match(r"[^\W\d_]+", text)
    if first is not None and first[0].upper() in verbs:
        return True
    if patterns.ADOPT.match(_bare(text)) or _match_vote(text):
        return True
    return _command(text) in patterns.SIMPLE or bool(
        patterns.HISTORY.match(_bare(text))
        or patterns.PROPOSE.match(text)
        or patterns.ANSWER_DEAL.match(_bare(text))
        or patterns.COMPLAIN.match(text)
        or patterns.OPENS.match(text)
        or patterns.SET.fullmatch(text)
        or dates.begins(text)
    )


#: Commands that decide something, and do not with a question mark.
_DECISIONS = (Final, Cancel, Adopt, Vote, AnswerDeal, Yes, Mute)


def _bare(text: str) -> str:
    """Return a line without punctuation and “please”, in lower case."""
    bare = text.strip(" .!?,;:").casefold()
    return re.sub(r"(?:^|[,\s]+)please(?:[,\s]+|$)", " ", bare).strip()


def _command(text: str) -> str:
    """Return the simple command in a line, or ""."""
    return patterns.MEANING.get(_bare(text), "")


def quote(written: str) -> str:
    return f"“{shorten(' '.join(written.split()), 80)}”"


class _Reader:
    """One pass over the lines. All orders of a nation are one set, wherever they are."""

    def __init__(
        self,
        text: str,
        today: date | None,
        verbs: Collection[str],
        nations: Collection[str],
        free_text: bool,
        runs_game: Callable[[], bool],
        suspects: Suspects,
        end: str,
        writer: str,
    ) -> None:
        split = text.split("\n")
        self.typed = split  # with leading spaces, so that a table in a letter keeps its shape
        self.lines = [
            WrittenLine(number, line.strip(), normal(line[: LONGEST_LINE + 1]))
            for number, line in enumerate(split[:_MOST_LINES], start=1)
        ]
        self.verbs = frozenset(verb.upper() for verb in verbs)
        self.nations = {fold(nation): nation for nation in nations}
        self.today = today
        self.free_text = free_text
        self.runs_game = runs_game
        self.suspects = suspects
        self.end = end
        self.writer = writer
        self.nation = ""
        self.ahead = ""  # the phase of the last TURN 3 ATTACKS
        self.used = False  # whether orders have followed it
        self.items: list[Item] = []
        self.orders: dict[tuple[str, str], list[WrittenLine]] = {}
        self.refused: list[RefusedCommand] = []
        self.passed_over: list[WrittenLine] = []
        self.taken: set[int] = set()  # indexes of lines read together with the one above
        self.last_order: int | None = None  # the line that the next one may continue
        if len(split) > _MOST_LINES:
            why = f"Only the first {_MOST_LINES} lines of the message were read."
            self.refused.append(RefusedCommand(_MOST_LINES + 1, "", why))

    def run(self) -> None:
        addresses = address_lines.address_lines(self.lines, self._begins, self.suspects.is_near)
        others = ["" if at in addresses else line.text for at, line in enumerate(self.lines)]
        self.courtesies = addresses | salutations.salutation_lines(
            others, self.verbs, self.nations, self.suspects.is_near, self.writer, self.free_text
        )
        if not self.free_text:
            self.courtesies |= address_lines.signature_lines(
                [line.text for line in self.lines],
                self.courtesies,
                self._begins,
                self.suspects,
            )
        self.taken |= self._refuse_headless_letters()
        at = 0
        while at < len(self.lines):
            line = self.lines[at]
            if not line.text or at in self.taken:
                self.last_order = None
                at += 1
            elif opened := self._opens(line):
                at = self._press(at, opened)
                self.last_order = None
            else:
                self._line(line, at)
                at += 1

    def _line(self, line: WrittenLine, at: int) -> None:
        text = line.text
        if bullet := patterns.BULLET.match(text):
            rest = text[bullet.end() :]
            if begins(rest, self.verbs):
                text = rest
        if self._asks_the_desk(line, text) or self._phase(text) or self._command(line, text):
            self.last_order = None
        elif self._switch(text):
            self.last_order = None
            if self.used:  # lines for another nation are for the open phase again
                self.ahead = ""
        elif at in self.courtesies:
            self.passed_over.append(line)
            self.last_order = None
        else:
            self._order(line, text)

    def _begins(self, text: str) -> bool:
        return begins(text, self.verbs)

    # --- everything but orders ---

    def _phase(self, text: str) -> bool:
        """Read TURN 3 ATTACKS: the lines below are for that phase.

        With free text orders, such a line may mean anything and is not read.
        """
        match = patterns.PHASE.match(text.rstrip(". "))
        if match is None or self.free_text:
            return False
        name, _, nation_typed = (match[2] or "").casefold().partition(" for ")
        if nation_typed and fold(nation_typed) in self.nations:
            self.nation = self.nations[fold(nation_typed)]
        elif nation_typed:
            return False
        name = name.strip().removesuffix(" orders").removesuffix(" phase")
        self.ahead, self.used = f"{int(match[1])} {' '.join(name.split())}".strip(), False
        return True

    def _asks_the_desk(self, line: WrittenLine, text: str) -> bool:
        """Read a gamesmaster's command, and refuse a player's. Return whether it is one.

        With free text orders, a player's line may mean anything. Otherwise what may be meant of
        orders is for their parser, which asks.
        """
        command = desk_commands.read(text)
        if command is None:
            return False
        if self.runs_game():
            self.items.append(Desk(line.number, self.nation, command))
        elif self.free_text or desk_commands.may_be_of_orders(command):
            return False
        else:
            self._refuse(line, desk_commands.why_not(command))
        return True

    def _switch(self, text: str) -> bool:
        """Read AS Germany, FOR Germany:, or a known nation alone with a colon.

        A heading that names no known nation is left to the order parser.
        """
        heading = text[:-1].strip() if text.endswith(":") else ""
        if heading and fold(heading) in self.nations:
            self.nation = heading
            return True
        match = patterns.SWITCH.match(text.rstrip(". "))
        if match is None:
            return False
        # With a misspelled nation the orders below must not go to the previous nation: pass the
        # name on as typed, to be rejected later.
        name = fold(match[2])
        is_near = any(nation.startswith(name) for nation in self.nations) or bool(
            get_close_matches(name, list(self.nations), n=1)
        )
        if (is_near or bool(match[3]) or match[1].isupper() or not self.nations) and name.split()[
            0
        ] not in patterns.NO_NATIONS:
            self.nation = match[2]
            return True
        return False

    def _command(self, line: WrittenLine, text: str) -> bool:
        """Read a command of one line; “FINAL?” does nothing. Return whether it is a command."""
        before = len(self.items)
        if not self._simple(line, text):
            return False
        is_question = text.rstrip(" .!,;:").endswith("?")
        if is_question and any(isinstance(item, _DECISIONS) for item in self.items[before:]):
            del self.items[before:]
            self._refuse(line, "asks and did nothing; if you mean it, leave out the question mark")
        return True

    def _simple(self, line: WrittenLine, text: str) -> bool:
        """Read a command of one line. Return whether it is one."""
        command, is_heading = _command(text), text.endswith(":")
        number, nation = line.number, self.nation
        if command in ("final", "not final"):
            if self.ahead:
                self._refuse(line, f"stands below TURN {self.ahead.upper()}, and was not noted")
            else:
                self.items.append(Final(number, nation, command == "final"))
        elif command == "cancel" and not is_heading:
            self.items.append(Cancel(number, nation, self.ahead))
            self.used = True
        elif command == "yes":
            self.items.append(Yes(number, nation, line))
        elif command in ("mute", "unmute"):
            self.items.append(Mute(number, nation, command == "mute"))
        elif command == "end" and "END" in self.verbs:
            return False  # here END is an order: it ends a Player-Turn
        elif command == "below" and "END" in self.verbs:
            self.items.append(ReportBelow(number, nation))
        elif (command == "orders" and is_heading) or command == "end":
            self.passed_over.append(line)  # a heading, or an END without a letter
        elif command in _ASKED and not is_heading:
            self.items.append(Ask(number, nation, _ASKED[command]))
        elif match := patterns.HISTORY.match(_bare(text)):
            self.items.append(Ask(number, nation, "history", int(match[1]) if match[1] else None))
        elif (match := patterns.SET.fullmatch(text.rstrip(" ."))) and not self.free_text:
            self.items.append(Set(number, nation, match[1]))
        elif match := patterns.ADOPT.match(_bare(text)):
            self.items.append(Adopt(number, nation, int(match[1])))
        elif vote := _match_vote(text):
            kind, match = vote
            to = match.groupdict().get("to", "")
            self.items.append(Vote(number, nation, kind, to, not match["no"]))
        elif self._deal(line, text):
            return True
        elif (match := patterns.COMPLAIN.match(text)) and not self.free_text:
            self.items.append(Complain(number, nation, bool(match["block"]), match["why"] or ""))
        elif re.match(r"VOTE\b", text):
            forms = any_of(vote_kinds.commands("and a nation"))
            self._refuse(line, f"cannot be read: write {forms}; VOTE NO DRAW takes it back")
        elif dates.begins(text):
            self._absent(line, text)
        else:
            return False
        return True

    def _deal(self, line: WrittenLine, text: str) -> bool:
        """Read a proposal, or an answer to one; refuse one that cannot be read.

        Return whether the line is about a deal.
        """
        if self.free_text:
            return False
        number, nation = line.number, self.nation
        if match := patterns.PROPOSE.match(text):
            n = int(match["n"]) if match["n"] else None
            terms = match["terms"] + self._rest_of(line)
            self.items.append(Propose(number, nation, (match["to"] or "").strip(), n, terms))
        elif match := patterns.ANSWER_DEAL.match(_bare(text)):
            verbs: dict[str, Literal["accepted", "declined", "withdrawn"]]
            verbs = {"accept": "accepted", "withdraw": "withdrawn"}
            kind = verbs.get(match["verb"].casefold(), "declined")
            self.items.append(AnswerDeal(number, nation, kind, int(match["n"] or 0) or None))
        elif patterns.DEAL_WORDS.match(text) and text.split()[0].isupper():
            self._refuse(line, f"cannot be read: write {patterns.DEAL_FORMS}")
        else:
            return False
        return True

    def _rest_of(self, line: WrittenLine) -> str:
        """Return the lines that continue a proposal, and mark them as read.

        A mail program has broken it there.
        """
        rest, before = "", line
        for at in range(line.number, len(self.lines)):
            next_line = self.lines[at]
            first = next_line.text.partition(" ")[0]
            is_unfinished = before.text.upper().endswith((";", " SUPPORT"))
            is_wrapped = len(before.written) + 1 + len(first) > _WIDTH
            is_new_item = begins(next_line.text, self.verbs)
            is_read = at in self.taken or not next_line.text
            if is_read or not (is_unfinished or (is_wrapped and not is_new_item)):
                break
            rest += f" {next_line.text}"
            self.taken.add(at)
            before = next_line
        return rest

    def _absent(self, line: WrittenLine, text: str) -> None:
        try:
            days = dates.days(text, self.today)
        except dates.UnclearDates as fault:
            self._refuse(line, f"cannot be read: {fault}")
        else:
            self.items.append(Absent(line.number, self.nation, days))

    def _order(self, line: WrittenLine, text: str) -> None:
        """Add a line to the orders of the present nation and phase."""
        if len(line.written) > LONGEST_LINE:
            self._refuse(line, "has more signs than any order; it was not read")
            self.last_order = None  # what follows does not continue the order above this line
            return
        own_lines = self.orders.setdefault((self.nation, self.ahead), [])
        self.used = True
        if self.last_order is not None and own_lines and self._goes_on(own_lines[-1].text, text):
            own_lines[-1] = replace(
                own_lines[-1],
                written=f"{own_lines[-1].written} {line.written}",
                text=f"{own_lines[-1].text} {text}",
            )
            return
        apart = self.last_order is None
        own_lines.append(WrittenLine(line.number, line.written, text, apart))
        self.last_order = line.number

    def _goes_on(self, before: str, text: str) -> bool:
        """Return whether a line continues the one above, broken by a mail program."""
        first = before.partition(" ")[0].upper().rstrip(":")
        if first not in self.verbs or "#" in before or begins(text, self.verbs):
            return False
        if patterns.GOES_ON.match(text) or patterns.BROKEN_OFF.search(before):
            return True
        return len(before) + 1 + len(text.partition(" ")[0]) > _WIDTH

    # --- letters ---

    def _opens(self, line: WrittenLine) -> re.Match[str] | None:
        """Return the match if a line begins a letter."""
        return headings.opens(line.text, self.nations)

    def _refuse_headless_letters(self) -> set[int]:
        """Refuse each END without a letter. Return the indexes of the lines that it may end.

        The letter may be a secret and its lines may look like orders, so none of them counts. It
        begins at a line that is almost the first one of a letter; without such a line, everything
        above may belong to it.
        """
        if "END" in self.verbs:  # an order
            return set()
        refused: set[int] = set()
        first = at = 0
        while at < len(self.lines):
            if self.lines[at].text and self._opens(self.lines[at]):
                end = self._end_of_letter(at)
                first = at = len(self.lines) if end is None else end + 1
                continue
            if _command(self.lines[at].text) == "end":
                refused |= self._refuse_headless(first, at)
                first = at + 1
            at += 1
        return refused

    def _refuse_headless(self, first: int, end: int) -> set[int]:
        """Refuse the END at index `end`, and return the indexes of its letter and itself."""
        begin = next(
            (
                at
                for at in range(first, end)
                if headings.almost_opens(self.lines[at].text, self.nations)
            ),
            first,
        )
        if not any(line.text for line in self.lines[begin:end]):
            return set()
        heading = self.lines[begin].text
        is_heading = headings.almost_opens(heading, self.nations)
        above = "between the previous END and this one" if first else "above it"
        if is_heading:
            above = f"from {quote(heading)} to END"
        named = (nation for nation in self.nations.values() if fold(nation) in fold(heading))
        nation = next(named, next(iter(self.nations.values()), "France"))
        self.refused.append(
            RefusedCommand(
                self.lines[end].number,
                self.lines[end].written,
                f"END ends a letter, but no line begins one, so nothing {above} was read. Write"
                f" PRESS TO {nation} above the letter and send it again.",
            )
        )
        return set(range(begin, end + 1))

    def _press(self, at: int, opened: re.Match[str]) -> int:
        """Read the letter that begins at index `at`, and return where to continue.

        Without its END it is refused, and nothing in it is read as anything else.
        """
        line, end = self.lines[at], self._end_of_letter(at)
        if end is None:
            above = f" above {quote(self.end)}, where your own words end" if self.end else ""
            self._refuse(
                line,
                f"has no END{above}: nothing of it was sent, and nothing below it was read; write"
                " END on a line of its own below it",
            )
            return len(self.lines)
        inside = [other.text for other in self.lines[at + 1 : end] if other.text]
        if any(headings.opens_inside(text, self.nations) for text in inside):
            self._refuse(
                line,
                "has no END before the next letter begins: nothing of either was sent; write END"
                " after each of them",
            )
            return end + 1
        to, _, after_colon = (opened["to"] or "").partition(":")
        first = after_colon or opened["body"] or opened["answer"] or ""
        body_lines = [typed_line.rstrip() for typed_line in self.typed[at + 1 : end]]
        body = "\n".join([first.strip(), *body_lines]).strip("\n")
        if not body.strip():
            self._refuse(line, "is an empty letter: nothing was sent")
        elif opened["press"] and not headings.addressees(to):
            self._refuse(
                line,
                "does not say to whom: nothing was sent; write it as in “PRESS TO Germany, France”",
            )
        else:
            self.items.append(self._letter(line, opened, to, body))
        return end + 1

    def _end_of_letter(self, at: int) -> int | None:
        """Return the index of the next END, or None."""
        below = range(at + 1, len(self.lines))
        return next((i for i in below if _command(self.lines[i].text) == "end"), None)

    def _letter(self, line: WrittenLine, opened: re.Match[str], to: str, body: str) -> PressItem:
        names = headings.addressees(to)
        folded = {fold(name) for name in names}
        all_names = folded & headings.ALL
        gamesmaster_names = folded & headings.GAMESMASTER
        word = (opened["word"] or "").casefold()
        return PressItem(
            line.number,
            self.nation,
            kind="reply" if word == "reply" else "answer" if opened["n"] else "press",
            to=tuple(name for name in names if fold(name) not in all_names | gamesmaster_names),
            to_all=bool(all_names) or word == "broadcast",
            to_gamesmaster=bool(gamesmaster_names) or word == "question",
            signed=not (opened["grey"] or opened["unsigned"] or patterns.UNSIGNED.search(to)),
            n=int(opened["n"]) if opened["n"] else None,
            body=body,
            to_team=word == "team",
        )

    def _refuse(self, line: WrittenLine, why: str) -> None:
        self.refused.append(
            RefusedCommand(line.number, line.written, f"{quote(line.written)} {why}.")
        )
