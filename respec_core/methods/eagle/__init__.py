"""Eagle."""
