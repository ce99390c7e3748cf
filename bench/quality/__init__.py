"""Offline measurements of recall quality, and the scripts that fit shipped constants."""
