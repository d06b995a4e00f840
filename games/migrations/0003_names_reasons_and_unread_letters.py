from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0002_room_on_letter_pages'),
    ]

    operations = [
        migrations.AddField(
            model_name='invitation',
            name='name',
            field=models.CharField(blank=True, db_default='', default='', max_length=80),
        ),
        migrations.AddField(
            model_name='proposalanswer',
            name='reason',
            field=models.TextField(blank=True, db_default='', default=''),
        ),
        migrations.AddField(
            model_name='sitting',
            name='unread',
            field=models.JSONField(blank=True, db_default=[], default=list),
        ),
        migrations.AddIndex(
            model_name='resolution',
            index=models.Index(fields=['resolved_at'], name='results_by_time'),
        ),
    ]
