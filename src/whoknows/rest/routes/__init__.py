"""One file per noun of the interface."""
