from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0003_names_reasons_and_unread_letters'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='letter',
            name='letter_status_known',
        ),
        migrations.AddField(
            model_name='letter',
            name='first_due_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='person',
            name='seen_on',
            field=models.DateField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name='letter',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['queued', 'sending', 'sent', 'deferred', 'failed', 'dropped', 'bounced', 'print', 'posted'])), name='letter_status_known'),
        ),
    ]
