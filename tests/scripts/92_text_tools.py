# text processing: word stats, caesar, markdown, tables, roman, base conversion, RLE, huffman, wrapping, log parsing
import re, heapq, collections, textwrap, string, itertools, datetime, json, unicodedata, html
from collections import Counter
TEXT = """It was the best of times, it was the worst of times, it was the age of wisdom...
It was the age of foolishness — naïve café “quotes” & <b>tags</b>."""
def caesar(s, k): return "".join(chr((ord(c) - b + k) % 26 + b) if c.isalpha() and c.isascii() and (b := ord("A" if c.isupper() else "a")) else c for c in s)
print(caesar(TEXT[:30], 3), caesar(caesar(TEXT, 5), -5) == TEXT)
cnt = Counter(re.findall(r"[^\W\d_]+", TEXT.lower())); print(cnt.most_common(5), sorted(cnt, key=lambda w: (-len(w), w))[:3])
class HNode:
    def __init__(self, f, ch=None, l=None, r=None): self.f, self.ch, self.l, self.r = f, ch, l, r
    def __lt__(self, o): return (self.f, self.ch or "") < (o.f, o.ch or "")
def huffman(s):
    q = [HNode(f, c) for c, f in Counter(s).items()]; heapq.heapify(q)
    while len(q) > 1: a, b = heapq.heappop(q), heapq.heappop(q); heapq.heappush(q, HNode(a.f + b.f, None, a, b))
    codes = {}
    def walk(n, p=""):
        if n.ch is not None: codes[n.ch] = p or "0"
        else: walk(n.l, p + "0"); walk(n.r, p + "1")
    walk(q[0]); return codes
codes = huffman("abracadabra"); enc = "".join(codes[c] for c in "abracadabra"); print(len(enc), sorted(map(len, codes.values())))
def rle(s): return "".join(f"{len(list(g))}{k}" for k, g in itertools.groupby(s))
def unrle(s): return re.sub(r"(\d+)(.)", lambda m: m[2] * int(m[1]), s)
print(rle("aaabbc"), unrle(rle("aaabbc")))
def roman(n):
    out = ""
    for v, s in zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1), "M CM D CD C XC L XL X IX V IV I".split()):
        while n >= v: out, n = out + s, n - v
    return out
print(roman(1994), [roman(i) for i in range(1, 6)])
def table(rows, headers):
    w = [max(len(str(r[i])) for r in [headers, *rows]) for i in range(len(headers))]
    line = "+".join("-" * (x + 2) for x in w)
    fmt = lambda r: "|".join(f" {str(c):{'>' if isinstance(c, (int, float)) else '<'}{x}} " for c, x in zip(r, w))
    return "\n".join([line, fmt(headers), line, *map(fmt, rows), line])
print(table([["ab", 1.5], ["c", 22]], ["name", "v"]))
LOG = """127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200 2326
10.0.0.2 - bob [11/Oct/2000:03:05:00 +0000] "POST /x?y=1 HTTP/1.1" 404 -
bad line"""
PAT = re.compile(r'(?P<ip>\S+) \S+ (?P<user>\S+) \[(?P<ts>[^\]]+)\] "(?P<m>\w+) (?P<path>\S+) [^"]+" (?P<st>\d{3}) (?P<size>\d+|-)')
for ln in LOG.splitlines():
    if (m := PAT.match(ln)) is None: print("skip", ln); continue
    d = m.groupdict(); d["ts"] = datetime.datetime.strptime(d["ts"], "%d/%b/%Y:%H:%M:%S %z"); print(d["ip"], d["ts"].isoformat(), d["st"], int(d["size"]) if d["size"].isdigit() else 0)
def md(s):
    s = html.escape(s, quote=False)
    for p, r in ((r"^# (.*)$", r"<h1>\1</h1>"), (r"\*\*(.+?)\*\*", r"<b>\1</b>"), (r"\*(.+?)\*", r"<i>\1</i>"), (r"`([^`]+)`", r"<code>\1</code>"), (r"\[(.+?)\]\((.+?)\)", r'<a href="\2">\1</a>')): s = re.sub(p, r, s, flags=re.M)
    return s
print(md("# T\n**b** *i* `c` [x](y) 1 < 2"))
print("".join(c for c in unicodedata.normalize("NFKD", "naïve café") if not unicodedata.combining(c)), "Straße".casefold(), "ﬁ".upper(), "\u0130".lower() == "i̇", sorted(["é", "z", "a"], key=lambda s: unicodedata.normalize("NFD", s)))
def base(n, b): 
    if n == 0: return "0"
    digits = ""
    while n: n, r = divmod(n, b); digits = string.digits[r] + digits if r < 10 else string.ascii_uppercase[r - 10] + digits
    return digits
print(base(255, 16), base(5, 2), int("ZZ", 36), oct(8), bin(-5), f"{255:#06x} {5:#b} {1e-5:g} {1234.5:,.1f} {0.000012345:.3e} {12345678901234567890} {1.0} {1e22} {1e21 + 1} {-0.0} {True} {None!s:>6} {'x':*^5} {3.14159:8.3f}| {42:<5}| {42:=+6}| {'%'}{{}}")
print(textwrap.wrap("aaa bbb ccc ddd", 7), "a\u2028b\x0bc".splitlines(), "  a b ".split(" "), "aXbXc".split("X", 1), "abc"[::-1], "abc"[-2:], "%5.2f|%-5s|%05d|%x|%%|%r|%c|%+d|%e" % (3.14159, "ab", 42, 255, "q", "z", 5, 12345.678), "a".center(5, "*"), "abc".removeprefix("a").removesuffix("c"), "a-b".partition("-"), "Hello World".istitle(), "abc".maketrans({"a": "1"}), "tESt".capitalize(), "1,2;3".replace(",", ";").split(";"), "x" in "xyz", "ab" * 3, "abcab".count("ab"), "abcab".rfind("ab"), "ab".ljust(4, ".") + "|", "aé".encode("utf-16-le"), "é".encode("latin-1"), "\ud800".encode("utf-8", "surrogatepass"), ascii("é"), repr("it's \"q\""), "a\nb".__repr__(), str(b"x"), "abc" < "abd", "".join(reversed("abc")), "{:>{w}.{p}f}".format(3.14159, w=8, p=2), "{!r}".format("x"), "{a[0]}{b.real}".format(a=[1], b=2j))
def anagrams(ws): d = collections.defaultdict(list); [d["".join(sorted(w))].append(w) for w in ws]; return [v for v in d.values() if len(v) > 1]
print(anagrams(["tea", "eat", "bat", "tab", "x"]), max(cnt.items(), key=lambda kv: (kv[1], kv[0])), json.dumps(cnt.most_common(2)), sum(cnt.values()))
def is_pal(s): t = [c.lower() for c in s if c.isalnum()]; return t == t[::-1]
print(is_pal("A man, a plan, a canal: Panama"), bool(re.fullmatch(r"[\w.+-]+@[\w-]+\.[\w.]+", "a.b@c.io")), re.sub(r"(?<=\d)(?=(\d{3})+$)", ",", "1234567"), re.findall(r"(?:(a)|(b))", "ab"), re.split(r"(,)", "a,b"), re.escape("a.b*c"), re.compile("x", re.I | re.M).flags, re.match(r"(?x) a  b # c", "ab").group(), re.subn("a", "b", "aa"), re.search(r"(\w)\1", "hello")[0])
