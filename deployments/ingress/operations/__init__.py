"""What routes of several APIs do; nothing here knows a request or a response of HTTP."""
