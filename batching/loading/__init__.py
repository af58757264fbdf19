"""From a folder or hub id to a model runner: weights, precision, device, what cannot be loaded."""
