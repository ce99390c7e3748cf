"""What makes a repeated request the same one: its route, its Idempotency-Key, and its body as it was sent."""

import json
from hashlib import sha256

from starlette.requests import Request

from whoknows.flows.capture import IdempotencyKey


async def repeatable(route: str, key: str | None, request: Request) -> IdempotencyKey | None:
    """The body counts as it was sent, whatever the order of its fields."""
    if key is None:
        return None
    said = json.dumps(await request.json(), sort_keys=True, separators=(",", ":"))
    return IdempotencyKey(route, key, sha256(said.encode()).hexdigest())
