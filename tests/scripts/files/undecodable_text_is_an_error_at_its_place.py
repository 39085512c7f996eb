# undecodable text is an error at its place
try: open(ROOT + "/bytes.bin").read()
except UnicodeDecodeError as e: print(e)
print(repr(open(ROOT + "/bytes.bin", errors="surrogateescape").read(4)))
