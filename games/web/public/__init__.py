"""Pages for everybody: home, archive, rules, practice."""
