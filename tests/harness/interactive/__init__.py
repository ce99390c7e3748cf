"""The real programs as people use them: in a terminal, with keys, and somebody who looks at the screen."""
