"""What a run leaves behind: events, records, summary, checks, files. No torch."""
