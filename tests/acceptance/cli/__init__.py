"""The command line: the real program against a real server."""
