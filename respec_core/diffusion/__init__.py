"""Diffusion drafting (DiffuSpec, arXiv 2510.02358): lattice, path search, adaptive length, and the models that fill it."""
