"""Whose words an answer is made of: the master agent's, and those of a role."""

from enum import StrEnum


class AnswerMode(StrEnum):
    FULL = "full"
    """a model's"""
    EVIDENCE = "evidence"
    """those of the memories that were found, without a model"""
