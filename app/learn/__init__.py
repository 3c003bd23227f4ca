"""Learn: lessons on recorded runs, as Markdown in ``app/lessons`` with small declared widgets."""
