"""Pipeline: the deployment and what it does of a page."""
