"""What the replicas of several deployments have in common: their model thread, limits, watchdog, scaling."""
