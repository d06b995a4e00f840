import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0010_by_what_is_due'),
    ]

    operations = [
        migrations.AddField(
            model_name='game',
            name='retold_through',
            field=models.PositiveSmallIntegerField(blank=True, help_text='The service was put back from a copy: of phases up to this number letters may have gone out before, with other content.', null=True),
        ),
        migrations.CreateModel(
            name='Restoration',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('taken_at', models.DateTimeField(help_text='When the copy was made.')),
                ('restored_at', models.DateTimeField()),
                ('released_at', models.DateTimeField(blank=True, help_text='When the service went on; empty while it is held.', null=True)),
                ('released_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['released_at'], name='restorations_held')],
            },
        ),
    ]
