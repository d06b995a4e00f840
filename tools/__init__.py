"""Programs that write data of this project. People run them by hand; the service never does."""
