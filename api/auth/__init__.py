"""Who may what: keys, the scopes of routes, access lists and what is shared, secrets, the audit log.

Must not know runs, kernels or tensors but by kind and name.
"""
