"""Recall against grep (C25): the same facts behind one port in two stores, asked the same questions."""
