"""Training the drafters of a target on text that the target itself wrote (issue 4; arXiv 2503.01840, 2510.02358)."""
