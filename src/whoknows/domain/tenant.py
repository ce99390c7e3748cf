"""A tenant is a wall: an organisation, a household, a case."""

from dataclasses import dataclass
from datetime import datetime

from whoknows.domain.ids import TenantId

DEFAULT_TENANT = "default"


@dataclass(frozen=True, slots=True)
class Tenant:
    id: TenantId
    name: str
    created_at: datetime
