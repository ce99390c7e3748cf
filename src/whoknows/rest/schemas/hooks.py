"""Hooks on the wire: the event of a program as it is, and the answer that all of them understand."""

from pydantic import BaseModel, ConfigDict, Field

from whoknows.rest.schemas.forms import Told


class HookEvent(BaseModel):
    """What the program gave its hook, word for word. Fields that are not listed here are not looked at."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {
                    "hook_event_name": "UserPromptSubmit",
                    "session_id": "5f3b8e0a-4b0e-4a57-9d0c-2f3d0c8c1f11",
                    "prompt_id": "8f4f5e0e-6a77-4ed6-a7a5-0d2c0e4f2a10",
                    "cwd": "/home/ana/code/boss",
                    "prompt": "Which port does the staging database listen on?",
                }
            ]
        },
    )

    hook_event_name: str = Field(max_length=200)
    """`SessionStart`, `UserPromptSubmit`, `SubagentStart` or `Stop`; any other is answered with nothing."""
    session_id: str | None = None
    cwd: str | None = None
    """Where the program works: the longest registered directory that holds it says for which project."""
    turn_id: str | None = None
    """Of Codex and Pi: the turn, by which the same event is known again."""
    prompt_id: str | None = None
    """Of Claude Code: the same."""
    prompt: str | None = None
    last_assistant_message: str | None = None
    """Of a stop: what is learned from, with the prompt of the same turn."""
    source: str | None = None
    """How a session began, or who sent a prompt."""
    agent_id: str | None = None
    """Within a sub-agent."""
    agent_type: str | None = None


class HookSpecific(Told):
    """What the program puts beside the prompt, or at the beginning of the session."""

    hookEventName: str  # noqa: N815 - as the programs spell it
    additionalContext: str  # noqa: N815


class HookOutput(Told):
    """What the program's hook prints. Empty where there is nothing to say, which is mostly so."""

    hookSpecificOutput: HookSpecific | None = None  # noqa: N815
    systemMessage: str | None = None  # noqa: N815
    """For the person, not for the model."""
