"""Runs: from a request that is checked, through the queue, to the end that is stored; the sessions that outlive them.

Owns what a script asks of the server while it runs.
"""
