"""Methods over many prompts: tokens per target pass and time against plain decoding, by kind of prompt."""
