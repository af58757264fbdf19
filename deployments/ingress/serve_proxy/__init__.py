"""What runs in the process of Ray Serve's HTTP proxy."""
