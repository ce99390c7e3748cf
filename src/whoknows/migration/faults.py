"""What keeps a migration from being done, as one exception with a code and a sentence that says what to do."""

from whoknows.machine import LocalFault


class MigrationFault(LocalFault):
    """Nothing was half done."""
