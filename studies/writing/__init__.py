"""What commands write beside reports: run folders, summaries, line files, progress."""
