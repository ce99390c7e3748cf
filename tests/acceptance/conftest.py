"""What the acceptance tests of several edges share."""

from acceptance.two_servers import tenant, two_servers

__all__ = ["tenant", "two_servers"]
