"""Memory for teams of agents in which each one knows exactly what it should."""

__version__ = "0.1.0"
