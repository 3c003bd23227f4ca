"""Many visitors: one line for the engine, who works on it, what is refused, and how the server ends."""
