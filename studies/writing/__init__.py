"""Files of commands other than reports: run folders, summaries, line files, progress."""
