"""The lab: one recording of each prompt, and what every setting would have done with it."""
