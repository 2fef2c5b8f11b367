"""Online, in the order the data moves: claim -> facts -> seeds -> walk -> ranking."""
