# source: own: update_wrapper copies what it is given
import functools, json
@functools.wraps(json.dumps)
def f(): pass
leak(getattr(f.__wrapped__, '__globals__', None))
functools.update_wrapper(json.dumps, f)
leak('poison' if json.dumps.__name__ == 'f' else None)
