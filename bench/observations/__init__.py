"""What consolidation joins, over thresholds, and what its observations do to the places of a recall."""
