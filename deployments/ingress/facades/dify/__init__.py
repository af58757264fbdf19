"""The External Knowledge API of Dify, over the search of this server."""
