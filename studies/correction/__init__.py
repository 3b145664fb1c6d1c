"""As-built lines and correction lists: their run, words, tables and charts."""
