"""HTTP routes, one module a noun. Each translates requests to calls on the stores and answers; no more."""
