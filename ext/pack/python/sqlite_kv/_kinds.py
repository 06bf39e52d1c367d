"""JavaScript's values that have no plain equal in Python.

Each class keeps all that is stored, so that a value that was read is written as it
was.  They compare by content.
"""

from __future__ import annotations

import math
import struct
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

MAX_SAFE = 2**53 - 1
MAX_DATE = 8.64e15


class _Kind:
    """A class of these: its slots are its content."""

    __slots__: Tuple[str, ...] = ()
    __hash__ = None  # type: ignore[assignment]

    def _content(self) -> Tuple[Any, ...]:
        names = [name for cls in reversed(type(self).__mro__) for name in getattr(cls, "__slots__", ())]
        return tuple(getattr(self, name) for name in names)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self is other or _same(self._content(), other._content())

    def __repr__(self) -> str:
        return "%s(%s)" % (type(self).__name__, ", ".join(map(repr, self._content())))


def _same(a: Tuple[Any, ...], b: Tuple[Any, ...]) -> bool:
    """Equal, and of the same types: 1 isn't True, and NaN is NaN."""
    return all(x is y or type(x) is type(y) and (x == y or x != x and y != y) for x, y in zip(a, b))


class _Plain(_Kind):
    """A kind that doesn't change: it can be a member of a set."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash((type(self), self._content()))


class Undefined(_Plain):
    """JavaScript's undefined; the only one is `undefined`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "undefined"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        return "undefined"


undefined = Undefined()


class _Integer(_Plain):
    __slots__ = ("value",)
    value: int

    def __int__(self) -> int:
        return self.value

    __index__ = __int__

    def __lt__(self, other: Any) -> bool:
        return self.value < other.value if type(other) is type(self) else NotImplemented

    def __le__(self, other: Any) -> bool:
        return self.value <= other.value if type(other) is type(self) else NotImplemented


class BigInt(_Integer):
    """A bigint within +-(2**53-1); an int of this size is a number in JavaScript.

    An int beyond is a bigint anyway, and is read as an int.
    """

    __slots__ = ()

    def __init__(self, value: int):
        self.value = int(value)


class KvU64(_Integer):
    """Deno.KvU64: an integer from 0 to 2**64-1, which sum(), min() and max() work on."""

    __slots__ = ()

    def __init__(self, value: int):
        self.value = int(value)
        if not 0 <= self.value < 1 << 64:
            raise ValueError("kv: KvU64: %d is not from 0 to 2**64-1" % value)


class Date(_Plain):
    """A Date that a datetime can't hold: before year 1, after 9999, or invalid (NaN).

    `ms`: milliseconds since 1970, or NaN.
    """

    __slots__ = ("ms",)

    def __init__(self, ms: Union[int, float]):
        self.ms = float(ms)
        if math.isnan(self.ms) or abs(self.ms) > MAX_DATE:
            self.ms = math.nan
        else:
            self.ms = float(math.trunc(self.ms))

    def __eq__(self, other: object) -> bool:
        if type(other) is not Date:
            return NotImplemented
        return self.ms == other.ms or self.ms != self.ms and other.ms != other.ms

    def __hash__(self) -> int:
        return hash((Date, None if self.ms != self.ms else self.ms))


class RegExp(_Plain):
    """A regular expression: its source, and its flags as letters in the order of "dgimsuvy"."""

    __slots__ = ("source", "flags")
    BITS = {"d": 128, "g": 1, "i": 2, "m": 4, "s": 32, "u": 16, "v": 256, "y": 8}

    def __init__(self, source: str, flags: str = ""):
        self.source = source
        self.flags = "".join(sorted(flags))
        if len(set(flags)) != len(flags) or not set(flags) <= set(self.BITS) or {"u", "v"} <= set(flags):
            raise ValueError("kv: RegExp: flags %r" % flags)


class Map(_Kind):
    """A Map: its pairs in their order.  Keys may be any values: m[key], iteration over keys, m.items()."""

    __slots__ = ("pairs",)
    pairs: List[Tuple[Any, Any]]

    def __init__(self, pairs: Union[Dict[Any, Any], Iterable[Tuple[Any, Any]]] = ()):
        self.pairs = list(pairs.items() if isinstance(pairs, dict) else ((k, v) for k, v in pairs))

    def items(self) -> Iterable[Tuple[Any, Any]]:
        return list(self.pairs)

    def __getitem__(self, key: Any) -> Any:
        for k, v in self.pairs:
            if _same((k,), (key,)):
                return v
        raise KeyError(key)

    def __iter__(self) -> Iterator[Any]:
        return iter([k for k, _ in self.pairs])

    def __len__(self) -> int:
        return len(self.pairs)


class Set(_Kind):
    """A Set that Python's set can't hold: of lists, dicts and the like, or of both 1 and True.

    `members`: a list, in their order.
    """

    __slots__ = ("members",)

    def __init__(self, members: Iterable[Any] = ()):
        self.members: List[Any] = list(members)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self.members))

    def __len__(self) -> int:
        return len(self.members)


class OrderedSet(set):
    """A set that is written in the order in which its members were given.

    What is added later comes after them, sorted.
    """

    def __init__(self, members: Iterable[Any] = ()):
        self.order = list(members)
        super().__init__(self.order)

    def __repr__(self) -> str:
        return "OrderedSet(%r)" % ordered(self)

    def __reduce__(self) -> Any:
        return OrderedSet, (ordered(self),)


_RANK = {type(None): 0, Undefined: 1, bool: 2, int: 3, float: 3, BigInt: 4, str: 5, bytes: 6}


def _sort_key(x: Any) -> Any:
    t = type(x)
    rank = _RANK.get(t, 7)
    if rank == 3:
        return (3, math.inf if x != x else x, x != x)
    if rank in (0, 1):
        return (rank,)
    if rank == 5:
        return (5, x.encode("utf-16-be", "surrogatepass"))
    return (rank, x) if rank < 7 else (7, t.__name__, repr(x))


def ordered(members: Any) -> List[Any]:
    """The members of a set in the order in which they are written: a set has none of its own."""
    if type(members) is not OrderedSet:
        return sorted(members, key=_sort_key)
    first = [x for x in members.order if x in members]
    seen = set(first)
    return first + sorted((x for x in members if x not in seen), key=_sort_key)


def set_of(members: List[Any]) -> Any:
    """The members of a Set, in their order, as a set, or as an OrderedSet or a Set if they need one."""
    for x in members:
        if getattr(type(x), "__hash__", None) is None:
            return Set(members)
    plain = set(members)
    if len(plain) != len(members):
        return Set(members)
    return plain if len(members) < 2 or sorted(members, key=_sort_key) == members else OrderedSet(members)


class Array(_Kind):
    """An array with holes, or with properties beside its elements.

    `length`; `elements`: a dict from the indices of those that are there;
    `properties`: a dict from other names.
    """

    __slots__ = ("length", "elements", "properties")

    def __init__(
        self,
        length: int,
        elements: Optional[Dict[int, Any]] = None,
        properties: Optional[Dict[str, Any]] = None,
    ):
        self.length = length
        self.elements = dict(sorted((elements or {}).items()))
        self.properties = dict(properties or {})
        if not 0 <= length < 1 << 32 or any(not 0 <= i < length for i in self.elements):
            raise ValueError("kv: Array: an index is beyond the length %r" % (length,))

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, i: int) -> Any:
        """The element at an index; undefined for a hole."""
        if not -self.length <= i < self.length:
            raise IndexError(i)
        return self.elements.get(i % self.length, undefined)


class Error(_Kind):
    """An Error.  `name`: "Error", "TypeError" ...; `message` and `stack`: None if it has none.

    `cause`: None if it has none, else a tuple of the one value.
    """

    __slots__ = ("name", "message", "stack", "cause")
    NAMES = {
        "Error": "", "EvalError": "E", "RangeError": "R", "ReferenceError": "F",
        "SyntaxError": "S", "TypeError": "T", "URIError": "U",
    }

    def __init__(
        self,
        message: Optional[str] = None,
        name: str = "Error",
        stack: Optional[str] = None,
        cause: Optional[Tuple[Any]] = None,
    ):
        if name not in self.NAMES:
            raise ValueError("kv: Error: the name %r is not one of %s" % (name, ", ".join(self.NAMES)))
        self.name, self.message, self.stack, self.cause = name, message, stack, cause

    def __repr__(self) -> str:
        more = ", cause=..." if self.cause is not None else ""
        return "Error(%r, name=%r%s)" % (self.message, self.name, more)


class ArrayBuffer(_Kind):
    """An ArrayBuffer: its bytes; `max_byte_length` if it is resizable."""

    __slots__ = ("data", "max_byte_length", "immutable")

    def __init__(self, data: bytes = b"", max_byte_length: Optional[int] = None, immutable: bool = False):
        self.data = bytes(data)
        self.max_byte_length = max_byte_length
        self.immutable = immutable
        if max_byte_length is not None and max_byte_length < len(self.data):
            raise ValueError("kv: ArrayBuffer: longer than its max_byte_length")

    def __bytes__(self) -> bytes:
        return self.data

    def __len__(self) -> int:
        return len(self.data)


class View(_Kind):
    """A typed array or DataView over an ArrayBuffer, which others may share.

    `type`: "Int8Array", "Float64Array", "DataView" ...; `offset` and `length` in
    bytes.  `tracking`: it follows the length of its resizable buffer.  A Uint8Array
    over a whole buffer that nothing else shares is bytes.
    """

    __slots__ = ("type", "buffer", "offset", "length", "tracking")
    # Sub-tag in V8's format, bytes of an element, and its letter in struct.
    TYPES = {
        "Int8Array": (b"b", 1, "b"), "Uint8Array": (b"B", 1, "B"), "Uint8ClampedArray": (b"C", 1, "B"),
        "Int16Array": (b"w", 2, "h"), "Uint16Array": (b"W", 2, "H"), "Int32Array": (b"d", 4, "i"),
        "Uint32Array": (b"D", 4, "I"), "Float16Array": (b"h", 2, "e"), "Float32Array": (b"f", 4, "f"),
        "Float64Array": (b"F", 8, "d"), "BigInt64Array": (b"q", 8, "q"), "BigUint64Array": (b"Q", 8, "Q"),
        "DataView": (b"?", 1, "B"),
    }

    def __init__(
        self,
        type: str,
        buffer: Union[ArrayBuffer, bytes, Iterable[Any]],
        offset: int = 0,
        length: Optional[int] = None,
        tracking: bool = False,
    ):
        if type not in self.TYPES:
            raise ValueError("kv: View: the type %r is not one of %s" % (type, ", ".join(self.TYPES)))
        size, letter = self.TYPES[type][1:]
        if isinstance(buffer, (bytes, bytearray, memoryview)):
            buffer = ArrayBuffer(bytes(buffer))
        elif not isinstance(buffer, ArrayBuffer):
            items = list(buffer)
            buffer = ArrayBuffer(struct.pack("<%d%s" % (len(items), letter), *items))
        if length is None:
            length = len(buffer.data) - offset
        if offset < 0 or length < 0 or offset + length > len(buffer.data) or offset % size or length % size:
            raise ValueError("kv: View: %d bytes at %d are not in the buffer" % (length, offset))
        if tracking and buffer.max_byte_length is None:
            raise ValueError("kv: View: only a resizable buffer's length can be followed")
        self.type, self.buffer, self.offset, self.length, self.tracking = type, buffer, offset, length, tracking

    def __bytes__(self) -> bytes:
        return self.buffer.data[self.offset : self.offset + self.length]

    def tolist(self) -> List[Any]:
        """The elements as numbers (a DataView's bytes)."""
        size, letter = self.TYPES[self.type][1:]
        return list(struct.unpack("<%d%s" % (self.length // size, letter), bytes(self)))

    def __len__(self) -> int:
        return self.length // self.TYPES[self.type][1]


class Boxed(_Kind):
    """A Number, Boolean, String or BigInt object, as `new Number(1)` makes one."""

    __slots__ = ("value",)

    def __init__(self, value: Union[bool, int, float, str, BigInt]):
        if not isinstance(value, (bool, int, float, str, BigInt)):
            raise TypeError("kv: Boxed: a bool, int, float, str or BigInt, not %s" % type(value).__name__)
        self.value = value


class HostObject(_Kind):
    """An object of Deno's own (Blob, CryptoKey ...): what describes it, a dict with a "type"."""

    __slots__ = ("payload",)

    def __init__(self, payload: Dict[str, Any]):
        self.payload = payload


class Opaque(_Kind):
    """A stored value that can't be shown: malformed bytes, or nested too deeply for Python.

    `raw`: a byte of encoding and the stored bytes; `reason`: what is wrong.
    """

    __slots__ = ("raw", "reason")

    def __init__(self, raw: bytes, reason: str):
        self.raw, self.reason = raw, reason
