"""dumps(), loads(), key_text() and key_parts(): in C where the package has that, else in Python.

With SQLITE_KV_PURE in the environment they are in Python.
"""

from __future__ import annotations

from datetime import datetime
from os import environ
from typing import Any

from ._kinds import BigInt, ordered, set_of, undefined
from ._keys import key_parts, key_text
from ._values import dumps, from_ms, loads, loads_v8, to_ms

__all__ = ["dumps", "loads", "loads_v8", "row", "key_bytes", "key_text", "key_parts", "in_c"]
in_c = False


def key_bytes(key: Any) -> Any:
    """The stored bytes of a key, where they are made quickly; else None."""
    return None


# The row factory of a cursor whose rows are one value in V8's format.
row: Any = None


if not environ.get("SQLITE_KV_PURE"):
    try:
        from . import _codec  # type: ignore[attr-defined]
    except ImportError:
        pass
    else:
        import sys

        _codec.use(sys.modules[__name__])
        dumps, loads, row = _codec.dumps, _codec.loads, _codec.row
        key_text, key_parts, key_bytes = _codec.key_text, _codec.key_parts, _codec.key_bytes
        in_c = True
