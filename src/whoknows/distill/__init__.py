"""Distillation: a conversation in, what is worth remembering out. Pure, and without a language model."""
