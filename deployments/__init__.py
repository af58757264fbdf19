"""The Ray Serve graph: one thin file a deployment; only this room knows Ray, and only `ingress` knows HTTP."""
