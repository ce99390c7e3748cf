"""How well corrections of one thing are put together where neither a subject nor a memory says so."""
