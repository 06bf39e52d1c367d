"""Python values and the bytes that Deno stores: dumps() and loads().

A stored value ("raw") is a byte of encoding, then bytes: 1 V8's serialization
format, 2 the 8 bytes of a KvU64, 3 the bytes of a Uint8Array.  The format is
described at the head of ext/codec/v8/v8_read.c.

    Python                          JavaScript
    None, True, False, str          null, true, false, string
    int within +-(2**53-1), float   number (42.0 comes back as 42)
    int beyond                      bigint
    list (tuple)                    Array
    dict with keys of str           Object
    set (frozenset)                 Set
    bytes (bytearray, memoryview)   Uint8Array
    datetime with a time zone       Date, in ms; it comes back in UTC
    the classes of _kinds           what they are named after
"""

from __future__ import annotations

import struct
import sys
import threading
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Dict, List, Optional, Tuple

from ._kinds import (
    MAX_SAFE, Array, ArrayBuffer, BigInt, Boxed, Date, Error, HostObject, KvU64, Map, Opaque, OrderedSet, RegExp,
    Set, Undefined, View, ordered, set_of, undefined,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MS = timedelta(milliseconds=1)
_DOUBLE = struct.Struct("<d")
_NAN = b"\x00\x00\x00\x00\x00\x00\xf8\x7f"
# What Deno can read again: shares of its stack (ext/codec/v8/v8_write.h).
_DEPTH_BUDGET = 60000
# Four calls a level; the stack that this may take before Python 3.11.
_DEEP_LIMIT, _DEEP_STACK = 30000, 1 << 26
_deep_lock = threading.Lock()


# -------------------------------------------------------------- reading

_VIEWS = {spec[0][0]: name for name, spec in View.TYPES.items()}
_NODE_VIEWS = [
    "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array",
    "Float32Array", "Float64Array", "DataView", "Uint8Array", "BigInt64Array", "BigUint64Array",
]
_ERRORS = {ord(tag): name for name, tag in Error.NAMES.items() if tag}
_PENDING = object()


def _array_index(key: str) -> int:
    """The array index that a property's name spells, or -1."""
    if key.isdigit() and key.isascii() and (key[0] != "0" or key == "0") and len(key) <= 10:
        i = int(key)
        return i if i < 0xFFFFFFFF else -1
    return -1


def _js_order(pairs: Dict[str, Any]) -> Dict[str, Any]:
    """A dict in the order of JavaScript's properties: array indices first."""
    for k in pairs:
        if k[:1].isdigit() and _array_index(k) >= 0:
            break
    else:
        return pairs
    indices = sorted((k for k in pairs if _array_index(k) >= 0), key=int)
    known = set(indices)
    return {k: pairs[k] for k in indices + [k for k in pairs if k not in known]}


def _number(r: float) -> Any:
    """A number as Python has it: whole ones are int, but for -0."""
    if r.is_integer() and -MAX_SAFE <= r <= MAX_SAFE and (r or str(r) == "0.0"):
        return int(r)
    return r


def _number_text(r: float) -> str:
    """A number as the name of a property."""
    n = _number(r)
    if r == 0:
        return "0"
    if type(n) is int:
        return str(n)
    if r != r or r in (float("inf"), float("-inf")):
        return "NaN" if r != r else "Infinity" if r > 0 else "-Infinity"
    sign, digits, exponent = "-" if r < 0 else "", *_shortest(abs(r))
    n = len(digits) + exponent
    if len(digits) <= n <= 21:
        return sign + digits + "0" * (n - len(digits))
    if 0 < n <= 21:
        return sign + digits[:n] + "." + digits[n:]
    if -6 < n <= 0:
        return sign + "0." + "0" * -n + digits
    e = "e%+d" % (n - 1)
    return sign + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + e


def _shortest(r: float) -> Tuple[str, int]:
    """The shortest digits of a positive number, and their exponent."""
    mantissa, _, e = repr(r).partition("e")
    whole, _, fraction = mantissa.partition(".")
    if fraction == "0":
        fraction = ""
    digits = (whole + fraction).lstrip("0")
    exponent = int(e or 0) - len(fraction)
    short = digits.rstrip("0")
    return short, exponent + len(digits) - len(short)


def from_ms(ms: float) -> Any:
    """A Date, by its ms since 1970: a datetime if that can hold it."""
    x = Date(ms)
    if x.ms != x.ms:
        return x
    try:
        return _EPOCH + timedelta(milliseconds=x.ms)
    except OverflowError:
        return x


def to_ms(x: datetime) -> float:
    """The ms since 1970; microseconds are cut."""
    if x.tzinfo is None or x.utcoffset() is None:
        raise ValueError(
            "kv: value: the datetime %s has no time zone: datetime.now(timezone.utc) and "
            ".replace(tzinfo=timezone.utc) give it one" % x
        )
    return float((x - _EPOCH) // _MS)


class _Reader:
    def __init__(self, data: bytes, at: int, flags: bool, shared: set):
        self.data, self.at, self.flags, self.shared = data, at, flags, shared
        self.objects: List[Any] = []
        self.again: set = set()

    def fail(self, what: str) -> Exception:
        return ValueError("kv: value: %s, at byte %d" % (what, self.at))

    def take(self, n: int) -> bytes:
        at = self.at
        if n > len(self.data) - at:
            raise self.fail("the data ends early")
        self.at = at + n
        return self.data[at : at + n]

    def varint(self, most: int = 5, bits: int = 32) -> int:
        v = shift = 0
        for i in range(most):
            b = self.take(1)[0]
            v |= (b & 127) << shift
            shift += 7
            if b < 128:
                break
        else:
            if self.at >= len(self.data):
                raise self.fail("the data ends early")
        return v & ((1 << bits) - 1)

    def size(self) -> int:
        return self.varint(10, 64)

    def double(self) -> float:
        return _DOUBLE.unpack(self.take(8))[0]

    def peek(self) -> int:
        """The next tag, after padding."""
        data, at, end = self.data, self.at, len(self.data)
        while at < end and data[at] == 0:
            at += 1
        self.at = at
        if at == end:
            raise self.fail("the data ends early")
        return data[at]

    def add(self, x: Any) -> Any:
        self.objects.append(x)
        return x

    def string(self, tag: int) -> Optional[str]:
        if tag == 0x22:
            return self.take(self.varint()).decode("latin-1")
        if tag == 0x63:
            n = self.varint()
            if n & 1:
                raise self.fail("a two-byte string has half a unit")
            return self.take(n).decode("utf-16-le", "surrogatepass")
        if tag == 0x53:
            return self.take(self.varint()).decode("utf-8", "replace")
        return None

    def tagged_string(self) -> str:
        tag = self.peek()
        self.at += 1
        s = self.string(tag)
        if s is None:
            raise self.fail("a string is expected")
        return s

    def bigint(self) -> int:
        bits = self.varint()
        if bits == 1:
            raise self.fail("a negative bigint of no digits")
        if bits >> 1 > 1 << 27:
            raise self.fail("a bigint is too long")
        n = int.from_bytes(self.take(bits >> 1), "little")
        return -n if bits & 1 else n

    def value(self) -> Any:
        tag = self.peek()
        if tag in (0x42, 0x43, 0x7E, 0x5E):
            return self.maybe_view(tag)
        while tag == 0x3F:
            self.at += 1
            self.varint()
            tag = self.peek()
            if tag in (0x42, 0x43, 0x7E, 0x5E):
                return self.maybe_view(tag)
        self.at += 1
        return self.plain(tag)

    def plain(self, tag: int) -> Any:
        s = self.string(tag)
        if s is not None:
            return s
        if tag == 0x49:
            u = self.varint()
            return (u >> 1) ^ -(u & 1)
        read = _READ.get(tag)
        if read is None:
            self.at -= 1
            raise self.fail("unknown tag 0x%02x" % tag)
        return read(self)

    # ------------------------------------------------------- containers

    def key(self) -> str:
        tag = self.peek()
        self.at += 1
        s = self.string(tag)
        if s is not None:
            return s
        if tag == 0x49:
            u = self.varint()
            return str((u >> 1) ^ -(u & 1))
        if tag == 0x55:
            return str(self.varint())
        if tag == 0x4E:
            return _number_text(self.double())
        self.at -= 1
        raise self.fail("a property's name is expected")

    def pairs(self, end: int, pairs: Dict[str, Any]) -> int:
        n = 0
        while self.peek() != end:
            k = self.key()
            if k in pairs:
                raise self.fail("duplicate key")
            pairs[k] = None
            pairs[k] = self.value()
            n += 1
        self.at += 1
        if self.varint() != n:
            raise self.fail("object count does not match")
        return n

    def object(self) -> Dict[str, Any]:
        x: Dict[str, Any] = self.add({})
        self.pairs(0x7B, x)
        order = _js_order(x)
        if order is not x:
            x.clear()
            x.update(order)
        return x

    def array(self, sparse: bool) -> Any:
        length = n = self.varint()
        if not sparse and length > len(self.data) - self.at:
            raise self.fail("the data ends early")
        at = len(self.objects)
        keep = at in self.shared
        x: Any = self.add(Array(0) if keep else [])
        elements: Dict[int, Any] = {}
        properties: Dict[str, Any] = {}
        for i in () if sparse else range(length):
            if self.peek() == 0x2D:                     # a hole
                self.at += 1
            else:
                elements[i] = self.value()
        count = 0
        while self.peek() != (0x40 if sparse else 0x24):
            k = self.key()
            i = _array_index(k)
            if k == "length" or (k in properties if i < 0 else i in elements):
                raise self.fail("duplicate key")
            if i < 0:
                properties[k] = None
                properties[k] = self.value()
            else:
                elements[i] = None
                elements[i] = self.value()
                n = max(n, i + 1)
            count += 1
        self.at += 1
        if self.varint() != count or self.varint() != length:
            raise self.fail("object count does not match")
        if keep:
            x.__init__(n, elements, properties)
        elif properties or len(elements) != n:
            self.again.add(at)
        else:
            x.extend(elements[i] for i in range(n))
        return x

    def map(self) -> Map:
        x = self.add(Map())
        items = self.members(0x3A)
        if len(items) & 1:
            raise self.fail("a Map's key has no value")
        known: Dict[Any, int] = {}
        for k, v in zip(map(_no_minus, items[::2]), items[1::2]):
            i = known.setdefault(_js_identity(k), len(x.pairs))
            if i < len(x.pairs):
                x.pairs[i] = (x.pairs[i][0], v)
            else:
                x.pairs.append((k, v))
        return x

    def set(self) -> Any:
        at = len(self.objects)
        keep = at in self.shared
        x: Any = self.add(Set() if keep else _PENDING)
        known: Dict[Any, Any] = {}
        for item in map(_no_minus, self.members(0x2C)):
            known.setdefault(_js_identity(item), item)
        if keep:
            x.members.extend(known.values())
        else:
            x = self.objects[at] = set_of(list(known.values()))
        return x

    def members(self, end: int) -> List[Any]:
        items = []
        while self.peek() != end:
            items.append(self.value())
        self.at += 1
        if self.varint() != len(items):
            raise self.fail("object count does not match")
        return items

    # ---------------------------------------------------------- objects

    def date(self) -> Any:
        keep = len(self.objects) in self.shared
        ms = self.double()
        return self.add(Date(ms) if keep else from_ms(ms))

    def regexp(self) -> RegExp:
        x = self.add(RegExp(""))
        x.source = self.tagged_string() or "(?:)"
        bits = self.varint()
        known = sum(RegExp.BITS.values())
        if bits & ~known or bits & 16 and bits & 256:
            raise self.fail("unknown flags of a RegExp")
        x.flags = "".join(c for c, bit in RegExp.BITS.items() if bits & bit)
        return x

    def boxed(self, value: Any) -> Boxed:
        return self.add(Boxed(value))

    def boxed_string(self) -> Boxed:
        x = self.add(Boxed(""))
        x.value = self.tagged_string()
        return x

    def boxed_number(self) -> Boxed:
        return self.boxed(_number(self.double()))

    def error(self) -> Error:
        at = len(self.objects)
        x = Error()
        self.add(_PENDING)
        tag = self.take(1)[0]
        if tag in _ERRORS:
            x.name = _ERRORS[tag]
            tag = self.take(1)[0]
        have = ""
        while tag != 0x2E:
            part = chr(tag) if tag in b"msc" else ""
            if not part or part in have or part == "m" and have:
                self.at -= 1
                raise self.fail("unexpected part of an Error")
            have += part
            if part == "c":
                self.objects[at] = x
                x.cause = (self.value(),)
            elif part == "m":
                x.message = self.tagged_string()
            else:
                x.stack = self.tagged_string()
            tag = self.take(1)[0]
        self.objects[at] = x
        return x

    def host(self) -> Any:
        index = self.varint()
        if index < len(_NODE_VIEWS):
            name, n = _NODE_VIEWS[index], self.varint()
            if n % View.TYPES[name][1]:
                raise self.fail("a view has a part of an element")
            data = self.take(n)
            keep = len(self.objects) in self.shared
            return self.add(data if name == "Uint8Array" and not keep else View(name, data))
        if index != 0xFFFFFFFF:
            raise self.fail("unknown host object")
        at = len(self.objects)
        self.add(_PENDING)
        x = HostObject(self.value())
        if type(x.payload) is not dict:
            raise self.fail("host object without a description")
        self.objects[at] = x
        return x

    # ------------------------------------------------- buffers and views

    def maybe_view(self, tag: int) -> Any:
        """An ArrayBuffer or a reference, and perhaps a view of it."""
        self.at += 1
        at = len(self.objects)
        if tag == 0x5E:
            id = self.varint()
            if id >= at:
                raise self.fail("a reference to nothing")
            x = self.objects[id]
            if x is _PENDING or type(x) in (bytes, datetime) or type(x) is tuple:
                if id in self.shared:
                    raise self.fail("a reference to what is not there yet")
                self.again.add(id)
                x = x[0] if type(x) is tuple else x
        else:
            n = self.size()
            most = self.size() if tag == 0x7E else None
            data = self.take(n)
            if most is not None and most < n:
                raise self.fail("an ArrayBuffer is longer than its maximum")
            x = self.add(ArrayBuffer(data, most, tag == 0x43))
        if type(x) is not ArrayBuffer or not self.has_view():
            return x
        return self.view(x, at if tag == 0x42 else -1)

    def has_view(self) -> bool:
        data, at = self.data, self.at
        while at < len(data) and data[at] == 0:
            at += 1
        if at == len(data) or data[at] != 0x56:
            return False
        self.at = at + 1
        return True

    def view(self, buffer: ArrayBuffer, own: int) -> Any:
        """A view; `own`: the id of the buffer, if it is the first and only one so far."""
        name = _VIEWS.get(self.varint(2, 8))
        if name is None:
            raise self.fail("unknown type of a view")
        offset, length = self.size(), self.size()
        flags = self.varint() if self.flags else 0
        n = len(buffer.data)
        size = View.TYPES[name][1]
        resizable = buffer.max_byte_length is not None
        if offset > n or length > n - offset or offset % size or length % size or resizable != bool(flags & 2):
            raise self.fail("a view is outside of its buffer")
        if flags & 1:
            if not resizable:
                raise self.fail("a view is outside of its buffer")
            length = (n - offset) // size * size
        if name == "Uint8Array" and own >= 0 and length == n and not {own, own + 1} & self.shared:
            self.objects[own] = (buffer,)               # what refers to it will need it
            return self.add(buffer.data)
        return self.add(View(name, buffer, offset, length, bool(flags & 1)))


def _no_minus(x: Any) -> Any:
    """Maps and Sets have no -0."""
    return 0 if type(x) is float and x == 0 else x


def _js_identity(x: Any) -> Any:
    """What makes two keys of a Map one: values of primitives, else identity."""
    if type(x) in (int, float):
        return ("n", "nan" if x != x else x)
    if type(x) in (str, bool, type(None), BigInt, Undefined):
        return (type(x), x)
    return (id, id(x))


_READ = {
    0x5F: lambda r: undefined,
    0x30: lambda r: None,
    0x54: lambda r: True,
    0x46: lambda r: False,
    0x55: lambda r: r.varint(),
    0x4E: lambda r: _number(r.double()),
    0x5A: lambda r: _big(r.bigint()),
    0x6F: _Reader.object,
    0x41: lambda r: r.array(False),
    0x61: lambda r: r.array(True),
    0x3B: _Reader.map,
    0x27: _Reader.set,
    0x44: _Reader.date,
    0x52: _Reader.regexp,
    0x72: _Reader.error,
    0x79: lambda r: r.boxed(True),
    0x78: lambda r: r.boxed(False),
    0x6E: _Reader.boxed_number,
    0x7A: lambda r: r.boxed(BigInt(r.bigint())),
    0x73: _Reader.boxed_string,
    0x5C: _Reader.host,
}


def _big(n: int) -> Any:
    return BigInt(n) if -MAX_SAFE <= n <= MAX_SAFE else n


def _read_v8(data: bytes) -> Any:
    r = _Reader(data, 1, True, set())
    if data[:1] != b"\xff":
        raise ValueError("kv: value: no version header, at byte 0")
    version = r.varint()
    if not 13 <= version <= 16:
        raise ValueError("kv: value: unknown version %d (13 to 16 are known), at byte 1" % version)
    start = r.at
    # Some writers of version 13 wrote the flags of views.
    for flags in (True,) if version > 13 else (False, True):
        try:
            shared: set = set()
            while True:
                r = _Reader(data, start, flags, shared)
                x = r.value()
                if r.again <= shared:
                    return x
                shared = shared | r.again
        except ValueError:
            if flags:
                raise


def loads_v8(data: bytes) -> Any:
    """The Python value of bytes in V8's format."""
    try:
        return _read_v8(data)
    except RecursionError:
        return _deep(_read_v8, data)


def _deep(f: Callable[[Any], Any], x: Any) -> Any:
    """f(x) for what is nested deeply: in a thread of its own, where there is room."""
    result: List[Any] = []

    def run() -> None:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _DEEP_LIMIT))
        try:
            result.append(f(x))
        except BaseException as e:
            result.extend((None, e))
        finally:
            sys.setrecursionlimit(limit)

    with _deep_lock:
        size = threading.stack_size(_DEEP_STACK)
        try:
            thread = threading.Thread(target=run)
            thread.start()
        finally:
            threading.stack_size(size)
        thread.join()
    if len(result) == 1:
        return result[0]
    if isinstance(result[1], RecursionError):
        raise ValueError("kv: value: nested too deeply") from None
    raise result[1]


def loads(raw: bytes) -> Any:
    """The Python value of a stored value, as the column `raw` has it.

    ValueError: the bytes are malformed.
    """
    raw = bytes(raw)
    encoding = raw[0] if raw else 0
    if encoding == 1:
        return loads_v8(raw[1:])
    if encoding == 2:
        if len(raw) != 9:
            raise ValueError("kv: value: a KvU64 has exactly 8 bytes")
        return KvU64(int.from_bytes(raw[1:], "little"))
    if encoding == 3:
        return raw[1:]
    raise ValueError("kv: value: the encoding %d is unknown (1, 2 and 3 are known)" % encoding)


# -------------------------------------------------------------- writing


def _varint(n: int) -> bytes:
    if n < 128:
        return bytes((n,))
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


class _Writer:
    def __init__(self) -> None:
        self.out = bytearray(b"\xff\x0f")
        self.ids: Dict[int, int] = {}
        self.kept: List[Any] = []                       # so that their id() stays theirs
        self.next = 0
        self.depth = 0

    def seen(self, x: Any) -> bool:
        """True if this object has been written: then a reference to it is, now."""
        at = self.ids.get(id(x))
        if at is not None:
            self.out += b"^" + _varint(at)
            return True
        self.ids[id(x)] = self.next
        self.kept.append(x)
        self.next += 1
        return False

    def open(self, cost: int) -> None:
        self.depth += cost
        if self.depth > _DEPTH_BUDGET:
            raise ValueError(
                "kv: value: nested deeper than Deno can read (at most 2500 objects, 3333 arrays or 4285 Maps or Sets)"
            )

    def string(self, s: str) -> None:
        try:
            data = s.encode("latin-1")
            self.out += b'"' + _varint(len(data)) + data
        except UnicodeEncodeError:
            data = s.encode("utf-16-le", "surrogatepass")
            n = _varint(len(data))
            if (len(self.out) + 1 + len(n)) & 1:
                self.out.append(0)
            self.out += b"c" + n + data

    def integer(self, n: int) -> None:
        if -0x80000000 <= n <= 0x7FFFFFFF:
            self.out += b"I" + _varint(n << 1 if n >= 0 else ~(n << 1))
        elif -MAX_SAFE <= n <= MAX_SAFE:
            self.out += b"N" + _DOUBLE.pack(n)
        else:
            self.bigint(b"Z", n)

    def number(self, tag: bytes, r: float) -> None:
        self.out += tag + (_DOUBLE.pack(r) if r == r else _NAN)

    def float(self, r: float) -> None:
        if r.is_integer() and -0x80000000 <= r <= 0x7FFFFFFF and (r or str(r) == "0.0"):
            self.integer(int(r))
        else:
            self.number(b"N", r)

    def bigint(self, tag: bytes, n: int) -> None:
        size = (abs(n).bit_length() + 63) // 64 * 8
        if size > 1 << 27:
            raise ValueError("kv: value: a bigint is longer than V8's limit of 2**30 bits")
        self.out += tag + _varint(size << 1 | (n < 0)) + abs(n).to_bytes(size, "little")

    def property(self, k: Any) -> None:
        if not isinstance(k, str):
            raise TypeError(
                "kv: value: the key %r of a dict is of the type %s, and an Object has names of type str: "
                "write a sqlite_kv.Map" % (k, type(k).__name__)
            )
        i = _array_index(k) if k[:1].isdigit() else -1
        if i < 0:
            self.string(str(k))
        elif i <= 0x7FFFFFFF:
            self.integer(i)
        else:
            self.number(b"N", i)

    def value(self, x: Any) -> None:
        write = _WRITE.get(type(x))
        if write is None:
            for t, f in _WRITE.items():
                if isinstance(x, t):
                    write = f
                    break
            else:
                raise TypeError(
                    "kv: value: a value of the type %s can't be stored: convert it to one of those that can "
                    "(help(sqlite_kv.dumps))" % type(x).__name__
                )
        write(self, x)

    def plain_object(self, x: Dict[str, Any]) -> None:
        if self.seen(x):
            return
        self.open(24)
        self.out += b"o"
        # A copy: what is called for a datetime or a set may change x, as may other threads.
        x = dict(x)
        for k, v in (_js_order(x) if all(type(k) is str for k in x) else x).items():
            self.property(k)
            self.value(v)
        self.out += b"{" + _varint(len(x))
        self.depth -= 24

    def list(self, x: Any) -> None:
        if not self.seen(x):
            self.dense(x, {})

    def dense(self, x: Any, properties: Dict[str, Any]) -> None:
        """An array without holes.  V8 stores some of these as if they had any, or all numbers as doubles."""
        x = tuple(x)                                    # a copy, as of a dict
        types = set(map(type, x))
        numbers = types <= {int, float, Undefined} and all(
            type(i) is not int or -MAX_SAFE <= i <= MAX_SAFE for i in x
        )
        if numbers and Undefined in types:
            self.sparse(len(x), dict(enumerate(x)), properties)
            return
        self.open(18)
        self.out += b"A" + _varint(len(x))
        if numbers and not all(map(_is_int32, x)):
            for i in x:
                self.number(b"N", i)
        else:
            for i in x:
                self.value(i)
        for k, v in properties.items():
            self.property(k)
            self.value(v)
        self.out += b"$" + _varint(len(properties)) + _varint(len(x))
        self.depth -= 18

    def sparse(self, length: int, elements: Dict[int, Any], properties: Dict[str, Any]) -> None:
        self.open(25)
        self.out += b"a" + _varint(length)
        for i, v in elements.items():
            self.property(str(i))
            self.value(v)
        for k, v in properties.items():
            self.property(k)
            self.value(v)
        self.out += b"@" + _varint(len(elements) + len(properties)) + _varint(length)
        self.depth -= 25

    def array(self, x: Array) -> None:
        if self.seen(x):
            return
        if len(x.elements) != x.length:
            self.sparse(x.length, x.elements, x.properties)
        else:
            self.dense([x.elements[i] for i in range(x.length)], x.properties)

    def map(self, x: Map) -> None:
        if self.seen(x):
            return
        self.open(14)
        self.out += b";"
        pairs = list(x.pairs)
        for k, v in pairs:
            self.value(_no_minus(k))
            self.value(v)
        self.out += b":" + _varint(2 * len(pairs))
        self.depth -= 14

    def set(self, x: Any) -> None:
        if self.seen(x):
            return
        self.open(14)
        self.out += b"'"
        members = list(x.members) if type(x) is Set else ordered(x)
        for v in members:
            self.value(_no_minus(v))
        self.out += b"," + _varint(len(members))
        self.depth -= 14

    def bytes(self, x: Any) -> None:
        data = bytes(x)
        self.next += 2
        n = _varint(len(data))
        self.out += b"B" + n + data + b"VB\0" + n + b"\0"

    def datetime(self, x: datetime) -> None:
        self.next += 1
        self.number(b"D", to_ms(x))

    def date(self, x: Date) -> None:
        if not self.seen(x):
            self.number(b"D", x.ms)

    def regexp(self, x: RegExp) -> None:
        if not self.seen(x):
            self.out += b"R"
            self.string(x.source or "(?:)")
            self.out += _varint(sum(RegExp.BITS[c] for c in x.flags))

    def error(self, x: Error) -> None:
        if self.seen(x):
            return
        self.open(10)
        self.out += b"r" + Error.NAMES[x.name].encode()
        if x.message is not None:
            self.out += b"m"
            self.string(x.message)
        if x.stack is not None:
            self.out += b"s"
            self.string(x.stack)
        if x.cause is not None:
            self.out += b"c"
            self.value(x.cause[0])
        self.out += b"."
        self.depth -= 10

    def buffer(self, x: ArrayBuffer) -> None:
        if self.seen(x):
            return
        n = _varint(len(x.data))
        if x.max_byte_length is not None:
            self.out += b"~" + n + _varint(x.max_byte_length) + x.data
        else:
            self.out += (b"C" if x.immutable else b"B") + n + x.data

    def view(self, x: View) -> None:
        if id(x) in self.ids:
            self.seen(x)
            return
        self.buffer(x.buffer)
        self.seen_view(x)

    def seen_view(self, x: View) -> None:
        self.ids[id(x)] = self.next
        self.kept.append(x)
        self.next += 1
        flags = 0 if x.buffer.max_byte_length is None else 3 if x.tracking else 2
        self.out += b"V" + View.TYPES[x.type][0] + _varint(x.offset)
        self.out += _varint(0 if x.tracking else x.length) + bytes((flags,))

    def boxed(self, x: Boxed) -> None:
        if self.seen(x):
            return
        v = x.value
        if isinstance(v, bool):
            self.out += b"y" if v else b"x"
        elif isinstance(v, (BigInt, int)) and (isinstance(v, BigInt) or not -MAX_SAFE <= v <= MAX_SAFE):
            self.bigint(b"z", int(v))
        elif isinstance(v, str):
            self.out += b"s"
            self.string(v)
        else:
            self.number(b"n", float(v))

    def host(self, x: HostObject) -> None:
        if self.seen(x):
            return
        self.open(24)
        self.out += b"\\\xff\xff\xff\xff\x0f"
        self.value(x.payload)
        self.depth -= 24

    def simple(self, x: Any) -> None:
        self.out += b"0" if x is None else b"_" if x is undefined else b"T" if x else b"F"

    def refuse(self, x: Any) -> None:
        raise TypeError(
            "kv: value: a %s is stored only as a whole value, not inside of another or in a message" % type(x).__name__
        )


def _is_int32(x: Any) -> bool:
    if type(x) is int:
        return -0x80000000 <= x <= 0x7FFFFFFF
    return x.is_integer() and -0x80000000 <= x <= 0x7FFFFFFF and (x != 0 or str(x) == "0.0")


# bool comes before int, since it is one.
_WRITE = {
    type(None): _Writer.simple, Undefined: _Writer.simple, bool: _Writer.simple,
    int: _Writer.integer, float: _Writer.float, str: _Writer.string,
    dict: _Writer.plain_object, list: _Writer.list, tuple: _Writer.list,
    bytes: _Writer.bytes, bytearray: _Writer.bytes, memoryview: _Writer.bytes,
    datetime: _Writer.datetime, OrderedSet: _Writer.set, set: _Writer.set, frozenset: _Writer.set,
    BigInt: lambda w, x: w.bigint(b"Z", x.value), Date: _Writer.date, RegExp: _Writer.regexp,
    Map: _Writer.map, Set: _Writer.set, Array: _Writer.array, Error: _Writer.error,
    ArrayBuffer: _Writer.buffer, View: _Writer.view, Boxed: _Writer.boxed, HostObject: _Writer.host,
    KvU64: _Writer.refuse, Opaque: _Writer.refuse,
}


def dumps(value: Any) -> bytes:
    """The stored value of a Python value, for the column `raw`.

    TypeError: a type that can't be stored.  ValueError: a value that can't be, such
    as a datetime without a time zone.
    """
    t = type(value)
    if t is bytes:
        return b"\x03" + value
    if t is KvU64:
        return b"\x02" + value.value.to_bytes(8, "little")
    if t is Opaque:
        return value.raw
    if isinstance(value, (bytes, bytearray, memoryview)):
        return b"\x03" + bytes(value)
    if t is View and value.type == "Uint8Array":
        return b"\x03" + bytes(value)
    return dumps_message(value)


def dumps_message(value: Any) -> bytes:
    """The same for a message of the queue, which is always V8's format."""
    try:
        return _write_v8(value)
    except RecursionError:
        return _deep(_write_v8, value)


def _write_v8(value: Any) -> bytes:
    w = _Writer()
    w.value(value)
    return b"\x01" + bytes(w.out)
