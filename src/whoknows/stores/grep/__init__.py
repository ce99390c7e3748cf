"""The second store behind the memory port: a folder of Markdown files, and the words of the question looked for in them."""
