"""What outlives the server: the database and its tables, blobs, the data folder, backups.

Owns how it is stored. Must not know who asks, or what a row means to the other packages.
"""
