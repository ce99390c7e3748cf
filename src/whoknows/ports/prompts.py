"""The gateway of prompts."""

from collections.abc import Sequence
from typing import Protocol

from whoknows.domain.prompt import Prompt, PromptLayer, PromptLayers, PromptPatch


class Prompts(Protocol):
    """The prompts that the reader may see: the global layer, and those of its own account. What is not there is empty."""

    async def layers(self, project: str | None) -> PromptLayers:
        """All three as they are now, in one round trip. Without a project the conversation layer is empty."""
        ...

    async def history(self, layer: PromptLayer, project: str | None, before: int | None, limit: int) -> Sequence[Prompt]:
        """The versions of a layer, newest first, those older than version ``before``."""
        ...

    async def save(self, layer: PromptLayer, project: str | None, patch: PromptPatch, version: int | None) -> bool:
        """False where ``version`` is given and not the newest any more. Saving what is there already makes no version.

        Forbidden where the caller may not write the layer.
        """
        ...
