"""Finding earlier occurrences of a suffix."""
