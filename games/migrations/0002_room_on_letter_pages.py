from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

#: A letter is written once and changed four times before it is out. Where its page has room for
#: that, PostgreSQL seldom has to change an index.
ROOM = "ALTER TABLE games_letter SET (fillfactor = 40)"


def leave_room(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(ROOM)


class Migration(migrations.Migration):
    dependencies = [("games", "0001_initial")]

    operations = [migrations.RunPython(leave_room, migrations.RunPython.noop)]
