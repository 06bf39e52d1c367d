"""wheel.py BUILD VERSION -- a Python wheel with BUILD/pack/kv.so, made by hand.

The wheel needs no compiler and no particular Python: it is tagged
"py3-none-" and the platform of the machine that it was built on.
"""

import base64
import hashlib
import os
import sys
import sysconfig
import zipfile

build, version = sys.argv[1:3]
source = os.path.join("ext", "pack", "python")
platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
tag = "py3-none-" + platform
info = "sqlite_kv-%s.dist-info" % version

METADATA = """Metadata-Version: 2.1
Name: sqlite-kv
Version: %s
Summary: SQLite extension that reads and writes Deno KV databases
License: MIT
Requires-Python: >=3.6
""" % version

WHEEL = """Wheel-Version: 1.0
Generator: sqlite-kv (%s)
Root-Is-Purelib: false
Tag: %s
""" % (version, tag)


def content(*name):
    with open(os.path.join(*name), "rb") as f:
        return f.read()


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return "%s,sha256=%s,%d\n" % (name, digest.decode().rstrip("="), len(data))


files = [
    ("sqlite_kv/__init__.py", content(source, "sqlite_kv", "__init__.py")),
    ("sqlite_kv/kv.so", content(build, "pack", "kv.so")),
    (info + "/LICENSE", content("LICENSE")),
    (info + "/METADATA", METADATA.encode()),
    (info + "/WHEEL", WHEEL.encode()),
]
record = "".join(record_line(name, data) for name, data in files)
record += info + "/RECORD,,\n"
files.append((info + "/RECORD", record.encode()))

out = os.path.join(build, "sqlite_kv-%s-%s.whl" % (version, tag))
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
    for name, data in files:
        # The same bytes each time: no date.
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        mode = 0o755 if name.endswith(".so") else 0o644
        entry.external_attr = (0o100000 | mode) << 16
        z.writestr(entry, data)
print(out)
