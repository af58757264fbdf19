"""Layout: the deployment and what it batches with."""
