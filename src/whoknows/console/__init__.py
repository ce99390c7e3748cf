"""The web console: what agents know, and why, as pages that a person can read and act on."""
