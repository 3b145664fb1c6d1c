"""Charts as plain data, and their one drawing by Matplotlib: SVG for pages, PNG for print."""
