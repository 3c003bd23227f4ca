"""Rasd."""
