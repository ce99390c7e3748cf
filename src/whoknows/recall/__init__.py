"""From two lists of candidates to what is recalled: pure stages, no I/O, no clock."""
