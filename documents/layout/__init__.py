"""Two networks: one finds regions in the picture of a page, one reads its structure; the only package with torch."""
