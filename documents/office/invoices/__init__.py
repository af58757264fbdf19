"""Mails, and the files inside mails and archives."""
