"""Benchmarks of speed: ratios within one run, each against a target of the foundation."""
