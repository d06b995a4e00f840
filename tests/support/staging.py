"""Stage games for the pictures of pages: played, held up, waiting for the gamesmaster, or over.

stage = Stage.set_up(now)
stage.lights.phase      # an ordinary campaign in its third turn, with rulings, letters,
                        # questions and held mail
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.test import override_settings

from games import desk, positions
from games.accounts import tokens
from games.base.signing import Salt
from games.desk import addresses as desk_addresses
from games.desk.by_post import seat_by_post
from games.models import Game, Invitation, Letter, Person, Phase, ProposalAnswer
from games.outbox import subscriptions
from games.outbox.messages import account_letters
from games.press import conversations, deals
from games.rules.digits import digit_of_shares
from games.turns import rulings
from orders.intake import telephone
from orders.models import Handling
from tests.inbound.writing import send
from tests.support import (
    staging_class,
    staging_face_down,
    staging_practice,
    staging_ww1,
)
from tests.support.campaign import NATIONS, PLAYERS, Campaign, person
from tests.support.opening import open_game
from tests.ww2_multiplayer import staging as staging_refereed

ZONES = {
    "una": "America/New_York",
    "felix": "Europe/Paris",
    "bea": "Europe/London",
    "rosa": "Europe/Moscow",
    "gustav": "Europe/Berlin",
}
#: Numbers reserved by the authorities for films and plays.
TELEPHONES = {
    "una": "+1 212 555 0143",
    "felix": "+33 1 99 00 12 34",
    "bea": "+44 20 7946 0321",
    "gustav": "+49 30 23125 111",
}


@dataclass
class Stage:
    """The games, and keys that are in letters but not in the database."""

    now: datetime
    lights: Campaign  # third turn: orders are arriving
    approval: Campaign  # its judged attacks wait for approval
    paper: Campaign  # waits for newspaper figures; one player has no e-mail
    forming: Campaign  # seats are being filled
    over: Campaign  # won
    changes: Campaign  # every change of times and people
    dice: Campaign  # the gamesmaster rolls
    confirm: str = ""
    choice: str = ""
    address: str = ""
    mute: str = ""
    letter: int = 0  # the code of a letter from France
    invitation: str = ""
    receipts: dict[str, int] = field(default_factory=dict)
    school: Campaign = field(init=False)  # a class in its first phase
    scenario: int = 0  # a scenario of Ada's own
    laying: Campaign = field(init=False)  # counters are laid face down
    lying: Campaign = field(init=False)  # counters are face down
    practice: Campaign = field(init=False)  # a guest's, in its first phase
    practised: Campaign = field(init=False)  # another guest's, after its first attacks
    treaties: Campaign = field(init=False)  # Origins of World War I, in its third turn
    war: Campaign = field(init=False)  # World War II Multi-Player, on the referee's table
    columns: Campaign = field(init=False)  # five players make columns in the first diplomacy
    peace: Campaign = field(init=False)  # and one that is over

    @classmethod
    def set_up(cls, now: datetime) -> Stage:
        for name in PLAYERS.values():
            Person.objects.filter(pk=person(name).pk).update(
                telephone=TELEPHONES.get(name, ""), zone=ZONES[name]
            )
        ada = person("ada")
        Person.objects.filter(pk=ada.pk).update(
            zone="Europe/London", postal_address="12 Harbour Lane\nOxford OX1 2AB"
        )
        stage = cls(
            now,
            _lights(now),
            _approval(now),
            _paper(now),
            _forming(now),
            over(now),
            _changes(now),
            _dice(now),
        )
        stage._write()
        Game.objects.filter(pk=stage.changes.game.pk).update(follows=stage.over.game)  # a series
        stage.school, stage.scenario = staging_class.school(now), staging_class.scenario(now).pk
        stage.lying = staging_face_down.lying(
            now
        )  # first: what it passes of deadlines would pass the other's too
        stage.laying = staging_face_down.laying(now)
        stage.practised, stage.practice = staging_practice.judged(now), staging_practice.begun(now)
        stage.peace, stage.war = staging_refereed.over(now), staging_refereed.on_the_table(now)
        stage.columns = staging_refereed.begun(now)
        stage.treaties = staging_ww1.going_on(
            now - timedelta(hours=4, minutes=30)
        )  # no deadline of the others is passed
        return stage

    def _write(self) -> None:
        """Add press, questions, held mail and addresses to be confirmed."""
        campaign, now = self.lights, self.now
        _press(campaign)
        _deals(campaign)
        with override_settings(MAIL_UNPROVEN="hold"):
            send(
                campaign,
                "France",
                "ATTACK Rhineland: Germany STOCK XOM\n\nFelix",
                sender="felix@cafe.example.net",
                subject="My orders",
                at=now,
            )
        with override_settings(MAIL_UNPROVEN="confirm"):
            row: Handling = send(
                campaign,
                "Germany",
                "PLACE 6 Poland\nPLACE 4 Austria\n\nGustav",
                sender="gustav@office.example.net",
                subject="Re: Orders are due",
                at=now,
            )
        self.confirm = tokens.key_of(Salt.CONFIRMATION, row.nonce)
        press = Letter.objects.filter(kind="press", person=person("bea"), game=campaign.game)
        row = send(
            campaign,
            "Britain",
            "Dear all,\nI place 4 in Poland.\nBea",
            headers={"In-Reply-To": press.latest("pk").message_id},
            at=now,
        )
        self.choice = tokens.key_of(Salt.CONFIRMATION, row.nonce)
        self.address = tokens.address_token(
            desk_addresses.add(person("gustav"), "gustav@office.example.net", now)
        )
        tokens.reply_address(person("gustav"), campaign.game, now)
        self.letter = campaign.game.press_written.earliest("pk").code
        self.mute = tokens.mute_token(
            person("gustav").reply_addresses.get(game=campaign.game, ended_at=None)
        )
        send(campaign, "Russia", "STATUS\nORDERS\nDEADLINE\nPLACE 1 Atlantis\n", at=now)
        subscriptions.mute(person("bea"), self.changes.game, now)
        desk.change_settings(self.changes.game, {"may_lock_early": True}, campaign.ada, now)
        account_letters.login(tokens.new_login(person("una"), "/", now), now)
        given_up = Campaign.begin(now, title="The long winter")
        desk.abandon(given_up.game, "Three of us have moved away.", given_up.ada, now)
        invitation = Invitation.objects.filter(
            seat__game=self.forming.game, accepted_at=None, withdrawn_at=None
        ).first()
        assert invitation is not None
        self.invitation = tokens.invitation_token(invitation)


def played(
    campaign: Campaign, *, leave_out: tuple[str, ...] = (), to: datetime | None = None
) -> None:
    """Send a bot's orders for every nation and pass the deadline."""
    _sent(campaign, NATIONS, leave_out)
    campaign.pass_deadline()
    if to is not None:
        campaign.wait_until(to)


def _sent(campaign: Campaign, nations: tuple[str, ...], leave_out: tuple[str, ...] = ()) -> None:
    rules, state = campaign.game.rules, positions.state_of(campaign.phase)
    for nation in nations:
        if nation not in leave_out:
            campaign.order(nation, rules.bot.orders(state, nation, "pictures"))


def _lights(now: datetime) -> Campaign:
    """Stage the fifth phase: three nations have sent, one by phone; two rulings."""
    campaign = Campaign.begin(
        now - timedelta(hours=73),
        schedule={"every": "minutes", "minutes": 1080},
        title="The lights go out",
    )
    ada = campaign.ada
    for _ in range(4):
        played(campaign)
    attacks = campaign.game.phases.get(number=4)
    figure = attacks.draws_made.order_by("pk")[0].figure
    digit = {"stock": figure.symbol, "volume": (54_120 + _other_digit(figure.volume)) * 100}
    why = "The newspaper of that day has another figure; what the source had was restated later."
    rulings.rule(attacks, "digit", digit, why, ada, campaign.now)
    points = rulings.rule(
        attacks,
        "points",
        {"nation": "Russia", "points": 2},
        "A forfeit agreed on at the table.",
        ada,
        campaign.now,
    )
    rulings.revoke(points, "It was agreed on for another game.", ada, campaign.now)
    campaign.wait_until(now - timedelta(minutes=40))
    _sent(campaign, NATIONS[2:4])
    seat = campaign.seat("France")
    text = campaign.game.rules.bot.orders(positions.state_of(campaign.phase), "France", "pictures")
    heard = telephone.read_back(seat, campaign.phase, text, campaign.now).code
    telephone.take_down(
        seat, text, ada, campaign.now, caller=person("felix"), read_back=True, heard=heard
    )
    telephone.note_call(
        campaign.seat("Germany"),
        campaign.phase,
        "no_answer",
        ada,
        campaign.now,
        note="calls back at eight",
    )
    desk.announce(
        campaign.game,
        person("bea"),
        (now + timedelta(days=8)).date(),
        (now + timedelta(days=12)).date(),
        person("bea"),
        campaign.now,
    )
    desk.stand_by(person("dana"), campaign.game, "Has played the board game often.", campaign.now)
    campaign.now = now
    return campaign


def _other_digit(volume: int | None) -> int:
    return (digit_of_shares(volume or 0) + 5) % 10


def _deals(campaign: Campaign) -> None:
    """Propose deals of Germany: accepted, declined, and open from either side."""
    given: dict[str, Any] = {"channel": "web", "now": campaign.now}

    def propose(by: str, to: str, text: str, answered: ProposalAnswer.Kind | None = None) -> None:
        seat, other = campaign.seat(by), campaign.seat(to)
        made = deals.propose(campaign.game, seat, campaign.players[by], other, text, **given)
        if answered is not None:
            deals.answer(made, other, answered, campaign.players[to], **given)

    propose("Germany", "Russia", "PEACE Poland UNTIL TURN 4", ProposalAnswer.Kind.ACCEPTED)
    propose("France", "Germany", "LEAVE Austria", ProposalAnswer.Kind.DECLINED)
    propose("Germany", "Britain", "SHARE CONTROL Italy")
    propose("USA", "Germany", "PEACE Rumania")


def _press(campaign: Campaign) -> None:
    """Write in circles of three and two, to all, and ask two questions."""
    sent: list[Any] = []
    now = campaign.now - timedelta(hours=3)

    def write(nation: str | None, to: list[str], text: str, **more: Any) -> Any:
        seat = campaign.seat(nation) if nation else None
        by = campaign.players[nation] if nation else campaign.ada
        sent.append(
            conversations.send(
                campaign.game,
                seat,
                by,
                to,
                text,
                channel="web",
                now=now + timedelta(minutes=9 * len(sent)),
                **more,
            )
        )
        return sent[-1]

    first = write(
        "France",
        ["Britain", "Russia"],
        "If we three stand together in Poland, nobody else will.\n\nI place five there. And you?",
    )
    write("Britain", ["France", "Russia"], "Four of mine, if Moscow does the same.", answers=first)
    write(
        "Russia",
        ["Britain", "France"],
        "Moscow has heard both of you with interest.",
        answers=first,
    )
    write("Germany", ["USA"], "Washington need not trouble itself with Austria.")
    write("USA", [], "The United States wish everybody a quiet autumn.", to_all=True)
    asked = write(
        "USA",
        [],
        "May an Understanding be given in an area where I have no PFs?",
        to_gamesmaster=True,
    )
    write(None, ["USA"], "Yes, as long as you have one left to give.", answers=asked)
    write(
        "Russia",
        [],
        "My orders of last turn crossed with your letter. Do they count?",
        to_gamesmaster=True,
    )


def _approval(now: datetime) -> Campaign:
    campaign = Campaign.begin(
        now - timedelta(hours=50),
        schedule={"every": "minutes", "minutes": 1440},
        title="The classroom game",
    )
    desk.change_settings(campaign.game, {"approval_hours": 24}, campaign.ada, campaign.now)
    campaign.game.refresh_from_db()
    for last in (False, True):
        _sent(campaign, NATIONS)
        _lock(campaign)
        if not last:
            _until(campaign, Phase.Status.APPROVAL)
            rulings.release(campaign.phase, campaign.ada, campaign.now)
            campaign.wait_until(campaign.now + timedelta(seconds=2))
    _until(campaign, Phase.Status.APPROVAL)
    return campaign


def _lock(campaign: Campaign) -> None:
    """Pass the deadline until orders are locked."""
    phase = campaign.phase
    campaign.wait_until(phase.deadline + timedelta(seconds=1))
    for _ in range(5):
        phase.refresh_from_db()
        if phase.status != Phase.Status.OPEN:
            return
        campaign.wait_until((phase.due_at or campaign.now) + timedelta(seconds=2))
    raise AssertionError(f"{phase} never locked")


def _until(campaign: Campaign, status: str) -> None:
    for _ in range(30):
        if campaign.phase.status == status:
            return
        campaign.wait_until((campaign.phase.due_at or campaign.now) + timedelta(seconds=1))
    raise AssertionError(f"{campaign.phase} never came to be {status}")


def _paper(now: datetime) -> Campaign:
    """Stage New York with a newspaper; the attacks of turn 1 wait for figures."""
    seats = {nation: f"{name}@example.org" for nation, name in PLAYERS.items()} | {"Britain": ""}
    given: dict[str, Any] = {
        "title": "A year of Fridays",
        "market": "newspaper",
        "seats": seats,
        "zone": "America/New_York",
    }
    given |= {
        "options": {"rng.settle": "agreed_readings"},
        "schedule": {"every": "minutes", "minutes": 1440},
    }
    campaign = Campaign.open(now - timedelta(hours=75), **given)
    britain, address = campaign.seat("Britain"), "4 Mill Road\nCambridge CB1 2AD"
    campaign.players["Britain"] = seat_by_post(
        britain,
        "Edith Ware",
        address,
        "+44 20 7946 0958",
        "Europe/London",
        campaign.ada,
        campaign.now,
    )
    desk.start(campaign.game, campaign.now)
    campaign.game.refresh_from_db()
    played(campaign)
    _sent(campaign, NATIONS, leave_out=("France", "Britain"))
    campaign.order("France", "ATTACK Poland: Britain STOCK PG")
    campaign.order("Britain", "ATTACK Poland: France STOCK CSCO")
    _lock(campaign)
    campaign.wait_until(now)
    assert campaign.phase.status == Phase.Status.DRAWING
    return campaign


def _forming(now: datetime) -> Campaign:
    seats = {
        "USA": "una@example.org",
        "France": "felix@example.org",
        "Britain": "",
        "Russia": "bot",
        "Germany": "me",
    }
    given: dict[str, Any] = {
        "title": "Before the storm",
        "seats": seats,
        "schedule": {"every": "weekday", "weekday": "friday", "weeks": 2, "time": "18:00"},
    }
    campaign = Campaign(
        open_game(person("ada"), now, **{**_defaults(), **given}),
        now,
        person("ada"),
    )
    invitation = campaign.seat("USA").invitations.get()
    desk.accept(invitation, person("una"), now)
    return campaign


def _defaults() -> dict[str, Any]:
    return {
        "ruleset_id": "origins-ww2",
        "card_name": "historical",
        "options": {},
        "zone": "Europe/London",
        "market": "demo",
        "reserves": None,
        "may_lock_early": True,
        "public": True,
    }


def over(now: datetime) -> Campaign:
    """Stage a game that a nation has won."""
    campaign = Campaign.begin(
        now - timedelta(days=20),
        schedule={"every": "minutes", "minutes": 600},
        title="The last summer",
    )
    for _ in range(40):
        if campaign.game.status == "finished":
            break
        played(campaign)
    return campaign


def _changes(now: datetime) -> Campaign:
    """Change times and people more than any one game would."""
    campaign = Campaign.begin(
        now - timedelta(hours=20),
        schedule={"every": "minutes", "minutes": 1440},
        title="Changing hands",
    )
    game, ada, at = campaign.game, campaign.ada, campaign.now
    desk.extend(
        campaign.phase,
        campaign.phase.deadline + timedelta(hours=20),
        "The post is slow this week.",
        ada,
        at,
    )
    desk.pause(game, "Two of us are at a wedding.", ada, at)
    game.refresh_from_db()
    desk.resume(game, "Everybody is back.", ada, at + timedelta(hours=1))
    game.refresh_from_db()
    rule = {"every": "days", "days": 3, "time": "20:00"}
    desk.reschedule(
        game,
        rule,
        "Europe/London",
        "Every day was too often.",
        ada,
        at + timedelta(hours=2),
        move_open=False,
    )
    game.refresh_from_db()
    desk.vacate(campaign.seat("USA"), person("una"), "She has exams.", ada, at + timedelta(hours=3))
    dana = desk.stand_by(person("dana"), game, "Any seat at all.", at + timedelta(hours=4))
    desk.seat_standby(campaign.seat("USA"), dana, ada, at + timedelta(hours=5), extra_hours=24)
    desk.replace(
        campaign.seat("Russia"),
        "charlie@example.org",
        "No word from Russia for three turns.",
        ada,
        at + timedelta(hours=6),
    )
    desk.add_gamesmaster(game, "hugo@example.org", ada, at + timedelta(hours=7))
    campaign.now = now
    return campaign


def _dice(now: datetime) -> Campaign:
    """Stage a game in which the gamesmaster rolls and one person sends nothing."""
    given: dict[str, Any] = {
        "title": "An evening in Ghent",
        "options": {"rng.source": "gm_dice", "seat.nmr_limit": 2},
        "market": "newspaper",
    }
    campaign = Campaign.begin(
        now - timedelta(minutes=80), schedule={"every": "minutes", "minutes": 30}, **given
    )
    played(campaign, leave_out=("USA",))
    _sent(campaign, NATIONS, ("USA",))
    _lock(campaign)
    return campaign
