"""Faults: the server or its database killed under writing load, and what is left afterwards."""
