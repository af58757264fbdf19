"""The APIs of other servers over the same operations: Docling, OpenAI, MCP, and two earlier servers."""
