"""The LanceDB index: writing, maintenance, rebuild."""
