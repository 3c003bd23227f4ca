"""Vanilla."""
