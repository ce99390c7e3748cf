"""Distillation: training of its classifier on this project's own chats, and measurement on labelled ones."""
