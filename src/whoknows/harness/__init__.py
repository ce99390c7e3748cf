"""Harnesses: what the programs in which agents work say of themselves, and what they are answered; pure."""
