"""Base class of the admin pages: who sees which rows, hidden values, and how values are printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import get_fields_from_path
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.db import models
from django.http import HttpRequest, HttpResponse

from games import permissions
from games.models import Person

from . import columns
from .tools import tools

if TYPE_CHECKING:  # generic in the stubs only
    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin


#: What the links of Django's filters and dates append to the name of a field.
COMPARISONS = frozenset({"exact", "isnull", "isempty", "in", "gte", "lt", "year", "month", "day"})


def person_in_admin(request: HttpRequest) -> Person | None:
    """Return the person of a request, None for a visitor.

    The site lets in only whom `permissions.enters_admin` accepts.
    """
    return request.user if permissions.is_active(request.user) else None


def person_of(request: HttpRequest) -> Person:
    """Return the person who changes something. Raise `PermissionDenied` for a visitor."""
    person = person_in_admin(request)
    if person is None:
        raise PermissionDenied
    return person


class SafeAutocomplete(AutocompleteSelect):
    """Django's widget, without its failure if an invalid form is shown again with no number."""

    def optgroups(self, name: str, value: Any, attrs: Any = None) -> Any:
        return super().optgroups(
            name, [key for key in value if key == "" or self._is_key(key)], attrs
        )

    def _is_key(self, typed: Any) -> bool:
        try:
            self.field.remote_field.model._meta.pk.to_python(typed)
        except ValidationError:
            return False
        return True


class RowsOfGames(_ModelAdmin):
    """Rows that belong to a game, for people who run it; read-only unless a class opens fields.

    `game` is the path from the row to its game ("" if the row is the game, None if only
    administrators see the rows). `hidden` fields are shown to nobody. Lists filter only by
    `filtered_names`. Neither those nor columns nor `search_fields` may name a field that is hidden
    or that `replacements` withholds, because they would reveal its value.
    """

    game: ClassVar[str | None] = "game"
    hidden: ClassVar[tuple[str, ...]] = ()
    show_full_result_count = False
    ordering: ClassVar[list[Any]] = ["-pk"]  # the newest first
    list_select_related: ClassVar[list[str]] = []
    help_texts: ClassVar[dict[str, str]] = {}  # in place of those of the fields

    def __init__(self, model: type[Any], admin_site: admin.AdminSite) -> None:
        super().__init__(model, admin_site)
        if self.search_fields and self.search_help_text is None:
            words = columns.searched(model, self.search_fields)
            self.search_help_text = words  # type: ignore[misc]  # in the stubs only
        self._in_words: dict[str, str] = {}
        self._help: dict[str, str] = {}
        for field in model._meta.fields:
            if (shown := columns.in_words(field)) is not None:
                self._in_words[field.name] = f"{field.name}_in_words"
                setattr(self, f"{field.name}_in_words", shown)
                self._help[f"{field.name}_in_words"] = str(field.help_text)

    # --- lists ---

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        """Return the columns: things are links, so the first, which leads to the row, is none."""
        names = [str(name) for name in self.list_display]
        fields = {field.name: field for field in self.model._meta.fields}
        first = next(name for name in names if not isinstance(fields.get(name), models.ForeignKey))
        names = [first, *(name for name in names if name != first)]
        return [
            (name in fields and columns.column_of(fields[name], self.admin_site, "game" in names))
            or name
            for name in names
        ]

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        return [
            (entry, chosen)
            if isinstance(entry, str)
            and (chosen := columns.filter_of(get_fields_from_path(self.model, entry)[-1]))
            else entry
            for entry in self.list_filter
        ]

    # --- rows ---

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Any]:
        rows = super().get_queryset(request)
        if self.list_select_related:  # the page of a row names them, too
            rows = rows.select_related(*self.list_select_related)
        person = person_in_admin(request)
        if person is not None and person.is_superuser:
            return rows
        if person is None or self.game is None:
            return rows.none()
        return self.rows_of(person, rows)

    def rows_of(self, person: Person, rows: models.QuerySet[Any]) -> models.QuerySet[Any]:
        """Return the rows of games that a person runs."""
        return rows.filter(
            **{f"{self.game}__gamesmasters" if self.game else "gamesmasters": person}
        )

    def _sees(self, request: HttpRequest, row: Any | None) -> bool:
        person = person_in_admin(request)
        if person is None:
            return False
        if person.is_superuser:
            return True
        if self.game is None or row is None:
            return self.game is not None
        # Django asks several times for a page.
        seen: dict[Any, bool] = vars(request).setdefault("rows_seen", {})
        if row not in seen:
            seen[row] = self.get_queryset(request).filter(pk=row.pk).exists()
        return seen[row]

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name in self.get_autocomplete_fields(request):
            kwargs.setdefault(
                "widget", SafeAutocomplete(db_field, self.admin_site, using=kwargs.get("using"))
            )
        kwargs.setdefault("queryset", self._related(db_field, request))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        kwargs.setdefault("queryset", self._related(db_field, request))
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def _related(self, db_field: Any, request: HttpRequest) -> Any:
        """Return the rows a field may point to: those the person sees on that model's own page."""
        model = db_field.remote_field.model
        if self.admin_site.is_registered(model):
            return self.admin_site.get_model_admin(model).get_queryset(request)
        return model._default_manager.all()

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Return whether a list may be filtered this way: only as its own links do.

        Any other lookup would reveal hidden and withheld values letter by letter.
        """
        names = self.filtered_names(request)
        name, _, comparison = lookup.rpartition("__")
        return lookup in names or (name in names and comparison in COMPARISONS)

    def filtered_names(self, request: HttpRequest) -> set[str]:
        """Return the names of the fields by which a list may be filtered."""
        names = {"pk", self.model._meta.pk.name}
        if self.date_hierarchy:
            names.add(self.date_hierarchy)
        for entry in self.get_list_filter(request):
            path = str(entry if isinstance(entry, str) else entry[0])
            names.add(path)
            field = get_fields_from_path(self.model, path)[-1]
            if isinstance(field, models.ForeignKey):
                names |= {f"{path}__pk", f"{path}__{field.target_field.name}"}
        return names

    def response_action(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponse | None:
        """Run an action on the chosen rows. Answer 400 to what is no row's key: Django fails."""
        key = self.model._meta.pk
        assert key is not None
        try:
            for typed in request.POST.getlist(ACTION_CHECKBOX_NAME):
                key.run_validators(key.to_python(typed))
        except ValidationError as error:
            raise BadRequest from error
        return super().response_action(request, *args, **kwargs)

    def view_on_site(self, row: Any) -> str | None:
        """Return the page of a row; the site has no redirect to it by number."""
        return row.get_absolute_url() if hasattr(row, "get_absolute_url") else None

    # --- permissions ---

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self._sees(request, None)

    def has_view_permission(self, request: HttpRequest, obj: Any | None = None) -> bool:
        return self._sees(request, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any | None = None) -> bool:
        return False

    # --- fields ---

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Add the links to the pages on which the row is changed."""
        row = context["original"]
        context["desk_tools"] = tools(request, row) if row is not None else []
        return super().render_change_form(request, context, *args, **kwargs)

    def get_form(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        help_texts = {**self._help, **self.help_texts}
        return super().get_form(request, *args, **{"help_texts": help_texts, **kwargs})

    def open_fields(self, request: HttpRequest, row: Any | None) -> tuple[str, ...]:
        """Return the fields that can be changed on the page of a row."""
        return ()

    def replacements(self, request: HttpRequest, row: Any | None) -> dict[str, str]:
        """Return the fields hidden from this person in this row, each with its replacement."""
        return {}

    def get_fields(self, request: HttpRequest, obj: Any | None = None) -> list[Any]:
        names = [
            field.name
            for field in self.model._meta.fields
            if field.name not in (*self.hidden, "id")
        ]
        names += [
            field.name
            for field in self.model._meta.many_to_many
            if field.name not in self.hidden and field.remote_field.through._meta.auto_created
        ]
        replacements = self.replacements(request, obj)
        editable = self.open_fields(request, obj)
        shown = (
            replacements.get(name) or (name if name in editable else self._in_words.get(name, name))
            for name in names
        )
        return list(dict.fromkeys(shown))

    def get_readonly_fields(self, request: HttpRequest, obj: Any | None = None) -> list[Any]:
        editable = self.open_fields(request, obj)
        return [name for name in self.get_fields(request, obj) if name not in editable]
