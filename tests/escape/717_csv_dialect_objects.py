# source: own: csv reads dialect objects natively
import csv, io
class Spy:
    def __getattr__(self, n): leak(n); raise AttributeError(n)
for f in (lambda: csv.register_dialect("x", Spy()), lambda: csv.writer(Spy()), lambda: csv.reader(5, Spy()), lambda: csv.DictReader(Spy()), lambda: csv.Sniffer().sniff(Spy()), lambda: csv.register_dialect("x", type(csv.excel)), lambda: csv.get_dialect("excel")):
    try: r = f(); leak(r); [leak(getattr(r, n)) for n in dir(r)]
    except Exception: pass
class W:
    def write(self, s): leak(s)
w = csv.writer(W()); w.writerow([print, csv, lambda: 0])
for n in dir(w): leak(getattr(w, n))
