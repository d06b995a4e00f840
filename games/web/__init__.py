"""The pages, by subject; `decorators` decides, by games.permissions, who may pass."""
