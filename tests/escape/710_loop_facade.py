# source: own: the façade of the event loop and what it makes
import asyncio, copy
got = []
class Spy:
    def __call__(self, *a, **k): got.extend(a); got.extend(k.values())
    def __getattr__(self, name): raise AttributeError(name)
async def main():
    loop = asyncio.get_running_loop()
    fut = loop.create_future(); t = loop.call_later(9, Spy()); s = loop.call_soon(Spy(), 1)
    for o in (loop, fut, t, s, type(loop), type(t), type(fut)):
        leak(o)
        for n in dir(o):
            try: leak(getattr(o, n))
            except Exception: pass
        for m in ("get_loop", "_loop", "_handle", "_callback", "get_context"):
            try: leak(getattr(o, m)()); leak(getattr(o, m))
            except Exception: pass
        try: leak(copy.copy(o)); leak(vars(o))
        except Exception: pass
    try: type(t)(fut)
    except TypeError: pass
    try: type(t).__init__(t, fut)
    except Exception: pass
    class Sub(type(fut)):
        def get_loop(self): return 1
        def __init__(self): super().__init__(loop=Spy())
    try: Sub()
    except Exception: pass
    fut.add_done_callback(Spy()); fut.set_result(1); await asyncio.sleep(0)
    for v in got: leak(v)
asyncio.run(main())
