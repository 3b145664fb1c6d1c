"""Parts of pages: charts and tables of one subject."""
