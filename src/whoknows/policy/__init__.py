"""Who may see and do what: pure, total, and every answer carries its reason."""
