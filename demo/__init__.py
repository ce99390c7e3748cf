"""A story of two minutes, in the terminal, on a real database: who knows what, and why."""

import warnings

warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")  # of no concern to whoever watches
