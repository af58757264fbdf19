"""OpenAI's calls over our language model and our embedder."""
