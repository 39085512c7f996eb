"""The client's commands, a module a noun, for `kernelgate/cli.py`. They need the extra `cli`."""
