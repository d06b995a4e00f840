from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def _rename_content_type(apps: Any, old: str, new: str) -> None:
    types = apps.get_model("contenttypes", "ContentType").objects.filter(app_label="games")
    if not types.filter(model=new).exists():
        types.filter(model=old).update(model=new)


def forwards(apps: Any, schema_editor: Any) -> None:
    _rename_content_type(apps, "sheet", "scenario")


def backwards(apps: Any, schema_editor: Any) -> None:
    _rename_content_type(apps, "scenario", "sheet")


class Migration(migrations.Migration):
    """`Sheet` is called `Scenario`. The table keeps its name, so that processes of the version
    before can go on beside this one; only the content type, which the admin's log uses, changes."""

    dependencies = [
        ("contenttypes", "0002_remove_content_type_name"),
        ("games", "0042_requests_of_deals"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameModel("Sheet", "Scenario"),
                migrations.AlterModelTable("Scenario", "games_sheet"),
                migrations.AlterField(
                    model_name="scenario",
                    name="owner",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="scenarios",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.RunPython(forwards, backwards),
    ]
