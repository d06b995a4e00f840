from django.db import migrations, models


class Migration(migrations.Migration):
    """`Game.sheet_hours` and `sheet_days` are called `report_hours` and `report_days`. The columns
    keep their names, so that processes of the version before can go on beside this one."""

    dependencies = [
        ("games", "0044_plain_help_texts"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("game", "sheet_hours", "report_hours"),
                migrations.RenameField("game", "sheet_days", "report_days"),
                migrations.AlterField(
                    model_name="game",
                    name="report_hours",
                    field=models.PositiveSmallIntegerField(
                        db_column="sheet_hours",
                        db_default=1,
                        default=1,
                        help_text=(
                            "In a refereed game: hours in which a report can be corrected before it"
                            " takes effect; 0: it takes effect at once."
                        ),
                    ),
                ),
                migrations.AlterField(
                    model_name="game",
                    name="report_days",
                    field=models.PositiveSmallIntegerField(
                        db_column="sheet_days",
                        db_default=7,
                        default=7,
                        help_text=(
                            "In a refereed game: days between reminders of an overdue report; 0: no"
                            " reminders."
                        ),
                    ),
                ),
            ],
        ),
    ]
