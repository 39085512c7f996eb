"""Which modules scripts may import, and which names of each: the table, as data.

Owns the allow-list. `ALL` stands for a module's `__all__`, or its public names when it has none; modules among them
never count. Must not know what a view is: `views.py` makes them, `stdlib/` holds what is replaced.
"""

from __future__ import annotations

import keyword
import re
import sys
from typing import Final

from sandbox.policy.names import words

ALL: Final = None

ALLOWED: dict[str, tuple[str, ...] | None] = {
    "abc": words("ABC abstractmethod"),
    "array": words("array typecodes"),
    "base64": ALL,
    "binascii": ALL,
    "bisect": ALL,
    "calendar": ALL,
    "cmath": ALL,
    "collections": ALL,
    "collections.abc": ALL,
    "colorsys": ALL,
    "contextlib": words(
        "contextmanager asynccontextmanager suppress nullcontext closing aclosing ExitStack AsyncExitStack "
        "AbstractContextManager AbstractAsyncContextManager ContextDecorator AsyncContextDecorator"
    ),
    "copy": ALL,
    "csv": words(
        "reader writer DictReader DictWriter Dialect excel excel_tab unix_dialect Sniffer Error QUOTE_ALL "
        "QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC QUOTE_STRINGS QUOTE_NOTNULL register_dialect "
        "unregister_dialect get_dialect list_dialects field_size_limit"
    ),
    "dataclasses": ALL,
    "datetime": ALL,
    "decimal": ALL,
    "difflib": ALL,
    "enum": words(
        "Enum IntEnum Flag IntFlag StrEnum auto unique member nonmember FlagBoundary STRICT CONFORM EJECT KEEP"
    ),
    "fractions": ALL,
    "functools": ALL,
    "graphlib": ALL,
    "hashlib": ALL,
    "heapq": ALL,
    "hmac": words("new compare_digest digest HMAC"),
    "html": ALL,
    "io": words("StringIO BytesIO SEEK_SET SEEK_CUR SEEK_END"),
    "itertools": ALL,
    "json": ALL,
    "math": ALL,
    "numbers": ALL,
    "operator": ALL,
    "pprint": ALL,
    "random": ALL,
    "re": ALL,
    "secrets": ALL,
    "statistics": ALL,
    "string": ALL,
    "struct": words("pack unpack unpack_from calcsize iter_unpack error"),
    "textwrap": ALL,
    "time": words(
        "time time_ns perf_counter perf_counter_ns monotonic monotonic_ns process_time process_time_ns sleep "
        "strftime strptime gmtime localtime mktime asctime ctime struct_time timezone tzname daylight altzone"
    ),
    "types": words(
        "SimpleNamespace MappingProxyType MethodType FunctionType LambdaType BuiltinFunctionType GeneratorType "
        "CoroutineType AsyncGeneratorType NoneType EllipsisType NotImplementedType GenericAlias UnionType TracebackType"
    ),
    "typing": words(
        "Annotated Any AnyStr AsyncContextManager AsyncGenerator AsyncIterable AsyncIterator Awaitable Callable "
        "ChainMap ClassVar Collection Concatenate Container ContextManager Coroutine Counter DefaultDict Deque "
        "Dict Final FrozenSet Generator Generic Hashable IO Iterable Iterator List Literal LiteralString Mapping "
        "MutableMapping MutableSequence MutableSet NamedTuple Never NewType NoReturn NotRequired Optional "
        "OrderedDict ParamSpec Protocol ReadOnly Required Reversible Self Sequence Set Sized SupportsAbs "
        "SupportsFloat SupportsIndex SupportsInt SupportsRound TYPE_CHECKING Text Tuple Type TypeAlias TypeGuard "
        "TypeIs TypeVar TypeVarTuple TypedDict Union Unpack assert_never assert_type cast AbstractSet BinaryIO "
        "TextIO ItemsView KeysView MappingView ValuesView Match Pattern SupportsBytes SupportsComplex is_typeddict"
    ),
    "unicodedata": ALL,
    "urllib.parse": ALL,
    "uuid": words(
        "UUID uuid3 uuid4 uuid5 NAMESPACE_DNS NAMESPACE_URL NAMESPACE_OID NAMESPACE_X500 RFC_4122 SafeUUID"
    ),
    "zlib": ALL,
}

# documented, although `__all__` leaves them out
BESIDES: dict[str, tuple[str, ...]] = {"hashlib": ("scrypt",)}

DENIED: dict[str, frozenset[str]] = {
    # reads or writes attributes by a name that the caller gives
    "operator": frozenset(["attrgetter", "methodcaller"]),
    "functools": frozenset(["wraps", "update_wrapper", "total_ordering", "cached_property"]),
    "string": frozenset(["Formatter"]),
    "collections": frozenset(["UserString", "namedtuple"]),
    "dataclasses": frozenset(["make_dataclass", "dataclass", "asdict", "replace"]),
    # reaches files, processes or devices
    "base64": frozenset(["main", "test"]),
    "calendar": frozenset(["main"]),
    "hashlib": frozenset(["file_digest"]),
    "random": frozenset(["SystemRandom"]),
    "secrets": frozenset(["SystemRandom"]),
    # undocumented doors
    "re": frozenset(["template", "Scanner"]),
}

STORABLE = re.compile(r"[a-z][a-z0-9_]{0,63}")
"""What a stored script may be called, as far as its letters go."""
RESERVED = sys.stdlib_module_names | frozenset(
    words("""
    torch kernels hashing routines progress numpy tensors ops scripts script kernelgate builtins fetch call requests
    httpx httpx2
    """)
)
"""Names that no stored script may have: what scripts import, or may one day, under that name is ours."""


def can_be_stored(name: str) -> bool:
    """Whether a stored script may be called `name`: an identifier in lower case that is nobody else's."""
    return bool(STORABLE.fullmatch(name)) and not keyword.iskeyword(name) and name not in RESERVED
