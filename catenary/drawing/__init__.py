"""Drawings of a line at rest, elevation and plan, as DXF or SVG."""
