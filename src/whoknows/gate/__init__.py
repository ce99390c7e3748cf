"""The write gate: a draft and the facts about it in, a verdict out. Pure."""
