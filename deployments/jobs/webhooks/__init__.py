"""Webhooks: their rows and their sender."""
