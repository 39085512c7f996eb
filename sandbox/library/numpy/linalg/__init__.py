"""`numpy.linalg`: equations, decompositions, lengths.

Owns these. Must not know how arrays are stored beyond `array.py`.
"""
