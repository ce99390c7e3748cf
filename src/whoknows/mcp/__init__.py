"""The MCP edge: tools for agents, over streamable HTTP beside REST, and over stdio."""
