"""How the graph is used from Python."""
