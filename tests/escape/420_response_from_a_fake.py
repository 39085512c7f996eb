# source: own: the façade of the gates as a gadget
class Answer:
    status, reason, url, headers, body, history = 200, 'poison', 'poison', [], b'poison', []
class Fake:
    _answer = Answer()
    encoding = None
R = type(fetch('http://a/'))
for attempt in (lambda: R(Answer()), lambda: R.text.fget(Fake()), lambda: R.json(Fake()), lambda: R.__new__(R), lambda: R.url.__get__(Fake())):
    try:
        x = attempt()
        leak(x); leak(x.text)
    except Exception as e:
        leak(e)
