from django.db import migrations, models


class Migration(migrations.Migration):
    """The index by which notices that are due are found: by what is not null, for SQLite does not see a status in a condition."""

    dependencies = [
        ('games', '0012_safety'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='notice',
            name='notices_due',
        ),
        migrations.AddIndex(
            model_name='notice',
            index=models.Index(condition=models.Q(('due_at__isnull', False)), fields=['due_at'], name='notices_due'),
        ),
    ]
