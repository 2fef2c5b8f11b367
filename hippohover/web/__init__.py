"""The HTTP API, the page, and tools of the Model Context Protocol."""
