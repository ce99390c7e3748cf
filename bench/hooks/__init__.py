"""Benchmarks of the hook: what it adds to a prompt, and what a server that fails costs."""
