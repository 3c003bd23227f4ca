"""A lean forward of Llama-like decoders, for small verification blocks: fused weights, one cache, no module calls."""
