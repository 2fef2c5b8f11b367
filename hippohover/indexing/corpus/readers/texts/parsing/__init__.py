"""How marked texts are taken apart: what the modules above share, a module a way."""
