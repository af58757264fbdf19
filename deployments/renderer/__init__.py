"""Renderer: the deployment that parses files in child processes, and what prints Office files for it."""
