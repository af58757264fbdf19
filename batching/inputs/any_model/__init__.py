"""Image-text models through their own processor and vision encoder."""
