"""How a name is found, offline and online alike: normal forms, tokens, mentions, titles."""
