"""Context assembly: layers of prompts, memories and the moment in, one bundle out. Pure (rules §7)."""
