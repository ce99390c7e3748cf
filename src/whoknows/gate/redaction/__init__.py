"""What is a secret or personal in a text, and where: detectors without state, each for one kind of thing."""
