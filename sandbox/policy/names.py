"""Names: which ones a script may write, and how its private ones are kept apart from everyone else's.

Owns the allow-lists and the renaming. The idea: a private *attribute* that a script writes (`self._x`,
`self.__x`) is renamed into an alphabet of its own, consistently, so that no text of a script can spell a private
attribute of the standard library, or the name of a guard. Variables keep their names, as a variable reaches
only what the script itself has bound. Double-underscore names are allow-listed. Must not know the tree.
"""

from __future__ import annotations

from RestrictedPython.transformer import INSPECT_ATTRIBUTES

MARK = "\u01c0"  # an identifier letter, stable under NFKC, that scripts may not use in names

GETATTR = f"{MARK}getattr"
WRITE = f"{MARK}write"
TYPE = f"{MARK}type"
OWN = f"{MARK}own"
MATCH = f"{MARK}match"
HOOK = f"{MARK}hook"
REGISTER = f"{MARK}register"
ENTERED = f"{MARK}entered"
OBJECT = f"{MARK}object"
VALUE = f"{MARK}value"


def words(text: str) -> tuple[str, ...]:
    """The words of `text`: tables of names read better so."""
    return tuple(text.split())


_OPERATORS = words("add sub mul truediv floordiv mod divmod pow lshift rshift and or xor matmul")
"""Those that have a reflected form and one in place."""
DEFINABLE = frozenset(f"__{prefix}{name}__" for name in _OPERATORS for prefix in ("", "r", "i")) | frozenset(
    words("""
    __init__ __new__ __post_init__ __repr__ __str__ __bytes__ __format__ __len__ __iter__ __next__ __getitem__
    __setitem__ __delitem__ __contains__ __call__ __enter__ __exit__ __aenter__ __aexit__ __aiter__ __anext__
    __await__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__ __bool__ __neg__ __pos__ __abs__ __invert__
    __round__ __floor__ __ceil__ __trunc__ __int__ __float__ __complex__ __index__ __getattr__ __setattr__
    __delattr__ __get__ __set__ __delete__ __set_name__ __init_subclass__ __class_getitem__ __missing__
    __reversed__ __length_hint__ __copy__ __deepcopy__ __replace__ __dir__
    """)
)
CLASS_NAMES = DEFINABLE | {"__slots__", "__doc__", "__match_args__"}
HOOKED = frozenset(["__getattr__", "__setattr__", "__delattr__", "__set_name__", "__deepcopy__"])

READABLE = (DEFINABLE - {"__getattr__"}) | frozenset(
    words("""
    __name__ __qualname__ __doc__ __module__ __class__ __dict__ __cause__ __context__ __suppress_context__
    __notes__ __members__ __version__ __match_args__ __slots__ __annotations__
    """)
)
STORABLE = frozenset(words("__name__ __qualname__ __doc__ __cause__ __suppress_context__"))
READABLE_VARIABLES = frozenset(["__name__", "__doc__", "__debug__"])

# What the interpreter or the library acts on: naming one is an error rather than a silent stranger.
DENIED_DUNDERS = frozenset(
    words("""
    __getattribute__ __reduce__ __reduce_ex__ __getstate__ __setstate__ __getnewargs__ __getnewargs_ex__ __del__
    __mro_entries__ __prepare__ __subclasshook__ __subclasscheck__ __instancecheck__ __array__ __array_interface__
    __array_struct__ __array_ufunc__ __array_function__ __array_finalize__ __array_wrap__ __array_prepare__
    __array_priority__ __buffer__ __release_buffer__ __globals__ __self__ __func__ __code__ __closure__
    __defaults__ __kwdefaults__ __builtins__ __mro__ __base__ __bases__ __subclasses__ __traceback__ __loader__
    __spec__ __file__ __path__ __weakref__ __thisclass__ __self_class__ __import__ __build_class__ __objclass__
    __basicsize__ __dictoffset__ __flags__ __weakrefoffset__ __itemsize__ __text_signature__ __signature__
    __origin__ __args__ __parameters__ __value__ __type_params__ __sizeof__ __fspath__ __abstractmethods__
    __annotate__ __static_attributes__ __firstlineno__ __dlpack__ __cuda_array_interface__
    """)
)
DENIED = INSPECT_ATTRIBUTES | frozenset(["func_globals", "func_code"])
SUNDER = frozenset(words("_value_ _name_ _missing_ _ignore_ _order_ _generate_next_value_"))
TUPLE_ATTRIBUTES = frozenset(words("_asdict _replace _fields _make _field_defaults"))

# Names that are fine on what the script made and dangerous on some object of the library.
OWN_ONLY = frozenset(
    words(
        "get_loop get_stack print_stack ctypes from_address from_buffer vformat get_value get_field obj tofile "
        "remove_done_callback"
    )
)
# Results that are live read-only views: `view == Evil()` would hand the dict underneath to `Evil.__eq__`.
VIEWS = frozenset(words("fields registry metadata groupindex"))
FORMATS = frozenset(["format", "format_map"])
CHECKED = OWN_ONLY | VIEWS | FORMATS
LOOKED_AT = CHECKED | DENIED

RESERVED_CALLS = {
    "exec": "exec is not available to scripts",
    "eval": "eval is not available to scripts",
    "compile": "compile is not available to scripts",
    "globals": "globals() is not available to scripts",
    "locals": "locals() is not available to scripts",
    "breakpoint": "breakpoint() is not available to scripts",
    "__import__": "__import__() is not available to scripts",
}
ATTRIBUTE_HINTS = {
    "__mro__": "Call mro() of the class.",
    "__bases__": "Call mro() of the class.",
    "__wrapped__": "Keep the function under a name of your own.",
    "__traceback__": "Use traceback.format_exc().",
}
RESERVED_HINTS = {
    "eval": "Parse data with json.loads, or write the arithmetic out.",
    "globals": "Keep values in a dict of your own.",
    "locals": "Name the values that you want.",
    "__import__": "Use an import statement.",
}


def is_dunder(name: str) -> bool:
    """Whether `name` has two underscores on both sides."""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


def is_private(name: str) -> bool:
    """Whether `name` begins with an underscore and is not just `_`."""
    return name.startswith("_") and name != "_"


def is_librarys(name: str) -> bool:
    """Whether `name`, found in an object of the script's, is private to a library class that it derives from: the
    script's own private names are compiled to another spelling.
    """
    return is_private(name) and name not in SUNDER


def mangle(name: str, cls: str | None = None) -> str:
    """The compiled spelling of private attribute `name`, written inside class `cls` if any."""
    if cls and name.startswith("__") and not name.endswith("__") and cls.strip("_"):
        return f"{MARK}_{cls.lstrip('_')}{name}"
    return MARK + name


def unmangle(text: str) -> str:
    """`text` with every compiled private name spelled as the script wrote it."""
    return text.replace(MARK + "_", "_") if MARK in text else text
