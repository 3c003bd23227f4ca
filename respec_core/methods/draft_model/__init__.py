"""Draft_model."""
