"""The MCP edge: tools for agents, over streamable HTTP beside REST; `hooks.relay` hands calls on to it."""
