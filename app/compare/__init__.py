"""Compare: two to four runs of one prompt, beside each other. All of it is computed from their traces."""
