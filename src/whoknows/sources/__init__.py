"""Sources: where texts that are already written down come from."""
