"""Recycling."""
