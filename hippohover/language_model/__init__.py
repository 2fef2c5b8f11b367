"""The only access to language models: client, cache, ledger, local server."""
