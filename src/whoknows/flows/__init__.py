"""The verbs, one file each: see it, may I, do it, leave the block."""
