"""Respec."""
