"""How well secrets are found: labelled public corpora in, recall and precision out. Nothing of the corpora is kept here."""
