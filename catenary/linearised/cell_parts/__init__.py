"""Parts of a span cell: its blocks, the elements that are added to them, and the ends of its wires."""
