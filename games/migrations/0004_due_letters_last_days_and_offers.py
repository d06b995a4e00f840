from django.db import migrations, models

#: In 0.1.0 a seat was listed if its newest listing had not ended and nobody had sat there since.
LISTED = """
UPDATE games_seat SET offered_at = (
    SELECT MAX(told.done_at) FROM games_act told
    WHERE told.seat_id = games_seat.id AND told.kind = 'offered')
WHERE game_id IN (SELECT id FROM games_game WHERE status IN ('forming', 'running', 'paused'))
    AND EXISTS (SELECT 1 FROM games_act told
    WHERE told.id = (SELECT newest.id FROM games_act newest
            WHERE newest.seat_id = games_seat.id AND newest.kind IN ('offered', 'unoffered')
            ORDER BY newest.id DESC LIMIT 1)
        AND told.kind = 'offered'
        AND NOT EXISTS (SELECT 1 FROM games_sitting sitting WHERE sitting.seat_id = games_seat.id
            AND (sitting.until IS NULL OR sitting.until > told.done_at)))
"""


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
        migrations.AddField(
            model_name='seat',
            name='offered_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunSQL(LISTED, migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name='seat',
            index=models.Index(condition=models.Q(('offered_at__isnull', False)), fields=['offered_at'], name='seats_on_offer'),
        ),
        migrations.AddConstraint(
            model_name='letter',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['queued', 'sending', 'sent', 'deferred', 'failed', 'dropped', 'bounced', 'print', 'posted'])), name='letter_status_known'),
        ),
    ]
