"""The one seam to language models: client, cache, ledger, local server."""
