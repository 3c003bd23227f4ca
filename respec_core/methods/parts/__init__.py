"""Building blocks that several families compose. Families import these, never each other."""
