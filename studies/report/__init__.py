"""Reports: one self-contained HTML page per run folder, its figures also as PNG.

Run folder → content (plain data) → page (charts, tables, text) → report.html and figures/*.png.
"""
