"""What comes from outside and goes outside: untrusted JSON, limits, output files. No torch."""
