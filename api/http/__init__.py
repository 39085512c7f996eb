"""What all routes share: bodies and queries as they are read, answers and problems as they are written, the edge.

Must not know what a route does.
"""
