"""How much of it: what each owner has used, holds and has stored, held against the quotas of his keys.

Must not know what it was used for.
"""
