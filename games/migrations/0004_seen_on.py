from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0003_names_reasons_and_unread_letters'),
    ]

    operations = [
        migrations.AddField(
            model_name='person',
            name='seen_on',
            field=models.DateField(blank=True, null=True),
        ),
    ]
