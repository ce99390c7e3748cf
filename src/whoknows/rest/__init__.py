"""The REST edge: HTTP in, flows, HTTP out. No rule is written here again."""
