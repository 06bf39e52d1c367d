"""kv_build.py -- how pip makes a wheel of the source distribution: with the C compiler
($CC, else cc) and nothing from anywhere else.  SQLite's headers must be installed."""

import base64
import hashlib
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def _compile(out, *args):
    command = shlex.split(os.environ.get("CC", "cc")) + ["-std=c11", "-O2", "-fPIC", "-shared", "-o", out]
    command += shlex.split(os.environ.get("CFLAGS", "")) + list(args)
    if sys.platform == "darwin":
        command += ["-undefined", "dynamic_lookup"]
    return subprocess.run(command, cwd=HERE, stderr=subprocess.PIPE, text=True)


def _read(*name):
    with open(os.path.join(HERE, *name), "rb") as f:
        return f.read()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    library = "sqlite_kv/kv" + {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
    made = _compile(library, "kv.c")
    if made.returncode:
        sys.exit(made.stderr + "\nsqlite-kv: the C compiler failed. It needs SQLite's header sqlite3ext.h: "
                 "libsqlite3-dev in Debian, sqlite-devel in Fedora")
    # The part in C of the Python package: without it what it does is done in Python.
    codec = "sqlite_kv/_codec.abi3.so"
    if sys.implementation.name == "cpython" and sys.platform != "win32":
        made = _compile(codec, "-DKV_STANDALONE", "-include", "kv.c", "-I" + sysconfig.get_path("include"), "codec.c")
        if made.returncode:
            print("sqlite-kv: without its part in C, which needs Python.h:\n" + made.stderr)

    metadata = _read("PKG-INFO")
    version = re.search(rb"^Version: (.*)", metadata, re.M).group(1).decode()
    tag = "py3-none-" + re.sub("[-.]", "_", sysconfig.get_platform())
    info = "sqlite_kv-%s.dist-info" % version
    files = [("sqlite_kv/" + name, _read("sqlite_kv", name)) for name in sorted(os.listdir(os.path.join(HERE, "sqlite_kv")))
             if not name.startswith("__pycache__")]
    wheel = "Wheel-Version: 1.0\nGenerator: sqlite-kv (%s)\nRoot-Is-Purelib: false\nTag: %s\n" % (version, tag)
    files += [(info + "/LICENSE", _read("LICENSE")), (info + "/METADATA", metadata), (info + "/WHEEL", wheel.encode())]
    record = ""
    name = "sqlite_kv-%s-%s.whl" % (version, tag)
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as z:
        for path, data in files:
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            record += "%s,sha256=%s,%d\n" % (path, digest, len(data))
            z.writestr(path, data)
        z.writestr(info + "/RECORD", record + info + "/RECORD,,\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    sys.exit("sqlite-kv: make sdist makes it, from the repository")
