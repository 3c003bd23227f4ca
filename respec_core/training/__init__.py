"""Training the drafters of a target on text that the target itself wrote (arXiv 2503.01840, 2510.02358)."""
