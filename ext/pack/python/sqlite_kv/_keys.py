"""Keys: tuples, key text, and stored bytes.

    Python                          JavaScript
    str, bool, bytes                string, boolean, Uint8Array
    int within +-(2**53-1), float   number (42.0 comes back as 42)
    int beyond, BigInt              bigint
"""

from __future__ import annotations

import math
import struct
from json.encoder import encode_basestring as _string
from typing import Any, Callable, Dict, List, Tuple, Union

from ._kinds import MAX_SAFE, BigInt, _Plain
from ._values import _number

Part = Union[str, int, float, bool, bytes, BigInt]
Key = Tuple[Part, ...]


class MalformedKey(_Plain):
    """Stored bytes that are no key, which another program has left: they can be read and deleted."""

    __slots__ = ("data",)

    def __init__(self, data: bytes):
        self.data = data


class _CommitVersionstamp:
    """The versionstamp that a set() gets, as the last part of its key."""

    def __repr__(self) -> str:
        return "sqlite_kv.COMMIT_VERSIONSTAMP"


COMMIT_VERSIONSTAMP = _CommitVersionstamp()


def _integer(n: int) -> str:
    return "%d" % n if -MAX_SAFE <= n <= MAX_SAFE else "%dn" % n


def _float(r: float) -> str:
    if math.isfinite(r):
        return repr(r)
    sign = "-" if math.copysign(1, r) < 0 else ""
    return sign + ("NaN" if r != r else "Infinity")


def _bytes(data: bytes) -> str:
    return "new Uint8Array([%s])" % ",".join(map(str, bytes(data)))


_TEXT: Dict[type, Callable[[Any], str]] = {
    str: _string,
    bool: lambda b: "true" if b else "false",
    int: _integer,
    float: _float,
    bytes: _bytes,
    bytearray: _bytes,
    memoryview: _bytes,
    BigInt: lambda n: "%dn" % n.value,
    _CommitVersionstamp: lambda x: "kv.commitVersionstamp()",
}


def _part(x: Any) -> str:
    for t, text in _TEXT.items():
        if isinstance(x, t):
            return text(x)
    raise TypeError(
        "kv: key: a part of the type %s (parts are str, int, float, bool, bytes and BigInt)" % type(x).__name__
    )


def key_text(key: Any) -> str:
    """The key text of a tuple.

    TypeError: it is no tuple, or has a part that can't be one.
    """
    if type(key) is not tuple and not isinstance(key, tuple):
        if isinstance(key, MalformedKey):
            return 'kv.malformedKey("%s")' % key.data.hex()
        raise TypeError("kv: key: %r is not a tuple: write %r" % (key, tuple(key) if isinstance(key, list) else (key,)))
    texts = []
    for x in key:
        text = _TEXT.get(type(x))
        texts.append(_part(x) if text is None else text(x))
    return "[" + ",".join(texts) + "]"


def key_parts(stored: Any) -> Any:
    """The tuple of stored bytes; of text, which stands for a malformed key, that."""
    if isinstance(stored, str):
        return MalformedKey(bytes.fromhex(stored.partition('"')[2].partition('"')[0]))
    data = bytes(stored)
    parts: List[Part] = []
    at = 0
    while at < len(data):
        tag = data[at]
        at += 1
        if tag <= 2:
            end = data.index(0, at)
            while data[end + 1 : end + 2] == b"\xff":
                end = data.index(0, end + 2)
            run = data[at:end].replace(b"\0\xff", b"\0")
            parts.append(run if tag == 1 else run.decode())
            at = end + 1
        elif tag == 0x21:
            bits = int.from_bytes(data[at : at + 8], "big")
            bits ^= 1 << 63 if bits >> 63 else (1 << 64) - 1
            parts.append(_number(struct.unpack("<d", bits.to_bytes(8, "little"))[0]))
            at += 8
        elif tag >= 0x26:
            parts.append(tag == 0x27)
        else:
            negative = tag < 0x14
            n = abs(tag - 0x14)
            if n == 9:
                n = data[at] ^ (0xFF if negative else 0)
                at += 1
            v = int.from_bytes(data[at : at + n], "big")
            at += n
            if negative:
                v -= (1 << 8 * n) - 1
            parts.append(BigInt(v) if -MAX_SAFE <= v <= MAX_SAFE else v)
    return tuple(parts)
