"""Drafters, one file each. ``base.py`` is the contract; ``respec_core/methods.py`` is the list of methods."""
