"""People, their addresses, and the tokens that prove that a letter reached them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models

from games.base import clock, text

from .coded import Coded

#: The domain of the placeholder addresses of pupils without an address; it never exists (RFC 2606).
#: Their letters wait for them on a page.
CLASS_DOMAIN = "class.invalid"


class People(BaseUserManager["Person"]):
    def at(self, email: str, **new: Any) -> Person:
        """Return the person with this address; create one if necessary. Ignore case."""
        person, _ = self.get_or_create(email=tidy_address(email), defaults=new)
        return person

    def welcome(self, email: str, now: datetime) -> Person:
        """Return the person with this address for a login; create one if necessary.

        Known and unknown addresses cost the same database work, so that timing does not tell them
        apart.
        """
        stranger = Person(email=tidy_address(email), joined_at=now)
        stranger.set_unusable_password()
        self.bulk_create([stranger], ignore_conflicts=True)
        return self.get(email=stranger.email)

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> Person:
        """Create an administrator, for `manage.py createsuperuser`.

        They need no password, because they log in by letter like everybody.
        """
        person = self.model(email=tidy_address(email), is_staff=True, is_superuser=True, **fields)
        person.set_password(password)
        person.save()
        return person


def tidy_address(email: str) -> str:
    return email.strip().lower()


class Person(AbstractBaseUser, PermissionsMixin):
    """A person with an address. They log in by letter; only administrators may have a password."""

    LONGEST_NAME = 80

    email = models.EmailField(unique=True)
    name = models.CharField(max_length=LONGEST_NAME, blank=True)
    zone = models.CharField(
        "time zone",
        max_length=60,
        default="UTC",
        help_text=("The time zone in which this person reads deadlines."),
    )
    telephone = models.CharField(max_length=40, blank=True)
    by_post = models.BooleanField(
        "has no e-mail",
        default=False,
        help_text=(
            "The gamesmaster prints and posts this person's letters; the e-mail address"
            " is a placeholder."
        ),
    )
    postal_address = models.TextField(
        blank=True, help_text="The address to print on letters, line by line."
    )
    guest = models.BooleanField(
        default=False,
        help_text=(
            "A guest without an address, who plays practice games in this browser and"
            " gets no letters."
        ),
    )
    receipts = models.BooleanField("receipts for orders", default=True, db_default=True)
    lock_letters = models.BooleanField(
        "letters when a phase is locked", default=True, db_default=True
    )
    reminders = models.PositiveSmallIntegerField(
        default=48,
        db_default=48,
        help_text=("Hours before a deadline to send a reminder; 0: none."),
    )
    plain_text = models.BooleanField("letters in plain text only", default=False, db_default=False)
    thread_by_phase = models.BooleanField("one thread per phase", default=False, db_default=False)
    record_shown = models.BooleanField(
        "games are shown",
        default=False,
        db_default=False,
        help_text="Everybody may see this person's track record.",
    )
    seen_on = models.DateField(
        null=True,
        blank=True,
        help_text=(
            "The day, in UTC, on which this person was last here, if they let others see it."
        ),
    )
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField("may enter the admin", default=False)
    joined_at = models.DateTimeField(default=clock.now)

    objects = People()
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS = []

    class Meta:
        verbose_name_plural = "people"
        constraints = [
            models.CheckConstraint(condition=~models.Q(email=""), name="person_has_an_address")
        ]

    def __str__(self) -> str:
        return self.name or self.email

    @property
    def is_pupil(self) -> bool:
        """Whether they log in by a printed code and nothing else."""
        return self.by_post and self.email.endswith(f"@{CLASS_DOMAIN}")

    @property
    def is_printed_for(self) -> bool:
        """Whether a gamesmaster prints their letters. Pupils read theirs on a page."""
        return self.by_post and not self.is_pupil

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.email, self.name = tidy_address(self.email), text.one_line(self.name)
        if not self.password:
            self.set_unusable_password()
        super().save(*args, **kwargs)

    def show_times_in(self, zone: str) -> None:
        """Show a person who has never named a zone (they have UTC) the times of their game's."""
        if self.zone == "UTC":
            self.zone = zone
            self.save(update_fields=["zone"])


class Address(Coded):
    """A further address from which a person may write, confirmed by a letter sent to it."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="addresses")
    email = models.EmailField()
    nonce = models.CharField(max_length=64, unique=True)
    token_hash = models.CharField(max_length=64, unique=True)
    added_at = models.DateTimeField()
    confirmed_at = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "addresses"
        constraints = [
            models.UniqueConstraint(
                fields=["email"],
                condition=models.Q(confirmed_at__isnull=False, removed_at=None),
                name="an_address_is_of_one_person",
            ),
            models.UniqueConstraint(fields=["code"], name="address_coded_once"),
        ]
        indexes = [models.Index(fields=["email"])]

    def __str__(self) -> str:
        return f"{self.email} of {self.person}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.email = tidy_address(self.email)
        super().save(*args, **kwargs)


class LoginKey(models.Model):
    """A login by letter: a link or a code, valid once and for a short time.

    Only hashes are stored (games.accounts.tokens).
    """

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="login_keys")
    nonce = models.CharField(max_length=64, unique=True)
    token_hash = models.CharField(max_length=64, unique=True)
    code_hash = models.CharField(max_length=64)
    next_page = models.CharField(max_length=200, blank=True)
    asked_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    # Unused since login codes became too long to guess.
    wrong_codes = models.PositiveSmallIntegerField(default=0)

    class Meta:
        indexes = [models.Index(fields=["person", "-asked_at"])]

    def __str__(self) -> str:
        return f"login of {self.person}, asked {self.asked_at:%Y-%m-%d %H:%M}"


def who(person: Person | None) -> str:
    """Return the name by which others may know a person, never the address."""
    return text.one_line(person.name) if person is not None and person.name else ""
