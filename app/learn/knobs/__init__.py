"""Settings that a reader can move, each with what comes of every value."""
