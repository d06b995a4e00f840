"""What the service has about a person: handed out whole, erased at his wish, and not kept longer
than it is needed."""
