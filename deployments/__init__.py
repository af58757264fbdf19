"""The Ray Serve graph: one thin file per deployment; only this package knows Ray, and only `ingress` knows HTTP."""
