"""The External content engine of Open WebUI, over the jobs of this server."""
