"""Descriptions of what pantographs are made of: arms, and heads with their strips."""
