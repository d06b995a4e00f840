"""The pages. Each module holds the pages of one subject; `doors` decides, by games.permissions, who
may pass."""
