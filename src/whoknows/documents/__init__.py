"""Documents taken apart: what a text says of itself, its sections with their lines, and which document overturned which."""
