"""What keeps `connect` from doing its work on this machine, each with a code and with what to do."""

from whoknows.machine import LocalFault


class ConnectFault(LocalFault):
    """Nothing was changed, or what was changed is as it was before."""
