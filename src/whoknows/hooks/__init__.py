"""The command that a program runs at its events: it asks the server and prints the answer, or nothing."""
