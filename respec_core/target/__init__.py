"""The target model: registry, loading, forward passes over draft trees, the tree KV cache."""
