"""Every method family in a folder of its own, and what brings them together: registry, resources, running."""
