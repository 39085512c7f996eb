"""The operating system's walls around a worker or a device: namespaces, landlock, capabilities, limits, seccomp.

Owns the kernel's interfaces and in which order they are used. Must not know what a script is, or who asks for one:
`preparation.py` is the way in for workers, `device.py` for devices. On what is not Linux everything imports, and the
level is `process`.
"""
