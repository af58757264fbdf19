"""docling-serve's calls, as its clients send them and read them, over the jobs of this server."""
