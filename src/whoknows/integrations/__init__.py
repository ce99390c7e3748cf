"""Memory for frameworks of Python: middleware, stores and back ends; each needs an extra."""
