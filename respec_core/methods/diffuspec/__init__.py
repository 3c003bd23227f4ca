"""Diffuspec."""
