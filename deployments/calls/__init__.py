"""Calls between deployments: types of handles, cancellation, retries, routing."""
