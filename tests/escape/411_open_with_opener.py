# source: own: the façade of the gates as a gadget
def opener(path, flags):
    leak('poison: the opener was called')
    return 3
for call_ in (lambda: open('./results/flag.txt', opener=opener), lambda: open(3), lambda: open(0, 'rb'), lambda: open(True),
              lambda: open('./results/flag.txt', 'r', -1, None, None, None, False, opener)):
    try:
        leak(call_().read())
    except (TypeError, OSError):
        pass
