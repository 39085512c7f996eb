"""The tests, in folders as the code is."""
