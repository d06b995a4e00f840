"""Each phase is told which phase's result it is played upon: so far always the one numbered before it."""

from django.db import migrations


def link(apps, schema_editor):
    Phase = apps.get_model("games", "Phase")
    before = {}
    for pk, game, number in Phase.objects.order_by("game_id", "number").values_list("pk", "game_id", "number"):
        if (game, number - 1) in before:
            Phase.objects.filter(pk=pk).update(previous_id=before[game, number - 1])
        before[game, number] = pk


class Migration(migrations.Migration):
    dependencies = [("games", "0005_desk_and_press")]
    operations = [migrations.RunPython(link, migrations.RunPython.noop)]
