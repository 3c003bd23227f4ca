"""Targets: finding, checking, loading and running them. The only room that knows transformers."""
