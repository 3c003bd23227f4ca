"""Invariants of a trace, one idea a module; ``invariants.py`` lists them. Imports no torch."""
