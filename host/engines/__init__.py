"""What can stand behind the frames: the GPU (`wgpu`), NumPy, and nothing (`null`)."""
