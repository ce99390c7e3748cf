"""Connecting programs on this machine: what is written into their files, and how it is taken out again."""
