"""Shader text: kernel specifications to WGSL, and strangers' WGSL to something known.

Owns text only. Must not know GPUs, tensors or users; imports nothing else of ours.
"""
