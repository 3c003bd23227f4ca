"""The loop and its parts: draft tree, verification, routing, sizing, sampling, stopping. Names no method, knows no transformers."""
