"""How the next token is chosen: sampling, guides, drafts."""
