"""The real programs against a real server, with a double of their model: `make test-harness`."""
