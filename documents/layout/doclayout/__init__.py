"""DocLayout-YOLO: its network, its checkpoints, its boxes."""
