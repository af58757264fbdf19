"""Values that several deployments exchange."""
