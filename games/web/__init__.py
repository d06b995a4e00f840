"""The pages, by subject. `decorators` checks access with `games.permissions`."""
