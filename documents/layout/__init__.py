"""The network that finds regions in the picture of a page; the only package that imports torch."""
