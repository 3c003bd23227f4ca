"""Settings, each declared once, and what runs are set to. No torch."""
