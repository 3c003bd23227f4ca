"""Tests of the datastore; a package, so that its fixtures do not hide those of ``tests/conftest.py``."""
