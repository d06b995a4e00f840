"""Labels and help: sales may be those of another exchange than New York. No column changes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", '0018_days_without_trading'),
    ]

    operations = [
        migrations.AlterField(
            model_name="game",
            name="market",
            field=models.CharField(
                choices=[
                    ("yahoo", "Sales as Yahoo reports them"),
                    ("tiingo", "Sales as Tiingo reports them"),
                    ("newspaper", "Sales typed in by the gamesmaster"),
                    ("recorded", "Sales from a recorded file"),
                    ("demo", "DEMO exchange with made-up sales"),
                ],
                default="yahoo",
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="game",
            name="strict_evening",
            field=models.BooleanField(
                default=False,
                help_text="The session decides whose overnight trading, from 20:00 at the exchange the evening before, begins after the lock.",
            ),
        ),
    ]
