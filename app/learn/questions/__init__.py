"""Questions with computed answers, by what they are about."""
