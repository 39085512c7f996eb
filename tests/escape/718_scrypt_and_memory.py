# source: own: memory and sizes of native helpers
import hashlib, zlib, struct, array, base64, random
for f in (lambda: hashlib.scrypt(b"x", salt=b"y", n=2 ** 20, r=2 ** 20, p=1), lambda: zlib.decompress(zlib.compress(b"x"), bufsize=-1), lambda: struct.unpack_from("B", b"x", 10 ** 18), lambda: struct.iter_unpack("0s", b""), lambda: array.array("u", "x"), lambda: random.setstate((3, tuple([2 ** 32] * 625), None)), lambda: random.setstate((3, tuple([0] * 624 + [10 ** 6]), None)), lambda: random.getrandbits(2 ** 40), lambda: hashlib.pbkdf2_hmac("sha1", b"", b"", 1, 2 ** 40), lambda: hashlib.shake_128(b"").digest(2 ** 40), lambda: zlib.compressobj(wbits=99), lambda: zlib.decompressobj(zdict=b"x").decompress(b"y", -5)):
    try: leak(f())
    except (Exception, MemoryError): pass
