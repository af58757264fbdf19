"""The decoder's forward pass in C++, for x86 processors with AVX2 or AVX-512, and how it is built and called.

Optional: without a compiler or on another processor `library()` is None, and the routes in torch do the same.
"""
