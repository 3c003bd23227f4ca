"""The widgets that a lesson can declare, one a file."""
