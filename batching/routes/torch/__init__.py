"""Our own forward pass in torch for Llama-shaped decoders, without padding; CUDA graphs on a GPU."""
