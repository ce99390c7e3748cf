"""The console in a browser: a furnished scene, how fast pages are, and the pictures of the documentation."""
