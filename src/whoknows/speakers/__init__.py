"""Adapters of the speaker port: language models behind endpoints."""
