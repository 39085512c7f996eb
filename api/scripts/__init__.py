"""Scripts that are stored, what they take and give, and the stubs of what they can use.

Must not know how one is run.
"""
