"""The tools, as programs call them."""
