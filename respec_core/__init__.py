"""ReSpec Studio's engine: speculative decoding whose every decision can be traced.

Usable as a library; knows nothing of the user interface. See ``decoding.decode`` for the loop.
"""

__version__ = "0.1.0"
