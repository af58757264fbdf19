"""All of HTTP: routes, uploads, problem documents. It imports no model and opens no outside bytes."""
