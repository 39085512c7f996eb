# source: own: a SyntaxError says which file and line to show
import traceback
for args in [("m", ("results/flag.txt", 1, 1, None)), ("m", ("results/flag.txt", 1, 1, None, 1, 2))]:
    e = SyntaxError(*args)
    e.filename = "results/flag.txt"; e.lineno = 1; e.offset = 1; e.text = None; e.print_file_and_line = True
    try: raise e
    except SyntaxError as caught:
        leak(traceback.format_exc()); leak("".join(traceback.format_exception_only(caught)))
