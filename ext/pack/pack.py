"""pack.py BUILD VERSION KIND PLATFORM... -- packages from what binary.sh has made.

KIND is npm (a main package and one for each platform), wheel, sdist, python, tar,
amalgamation, web, or sqlpkg.  Each file goes to BUILD; its name is printed.
The same input gives the same bytes: no dates, no owners.

The version is that of ext/sql/kv.h and must be the newest in CHANGELOG.md.
REPOSITORY, HOMEPAGE and BUGS in the environment are URLs, MAINTAINER is a name
with an address; what is empty is left out.
"""

import base64
import gzip
import hashlib
import io
import json
import os
import re
import sys
import tarfile
import zipfile

DESCRIPTION = "SQLite extension that reads and writes Deno KV databases"
KEYWORDS = ["deno", "deno-kv", "kv", "key-value", "sqlite", "sqlite3", "sqlite-extension"]
AUTHOR = "sqlite-kv contributors"
CODEC = "_codec.abi3.so"
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
REPOSITORY, HOMEPAGE, BUGS, MAINTAINER = (os.environ.get(v, "") for v in ("REPOSITORY", "HOMEPAGE", "BUGS", "MAINTAINER"))


def read(*name):
    with open(os.path.join(*name), "rb") as f:
        return f.read()


class Platform:
    """A line of ext/pack/platforms."""

    def __init__(self, line):
        self.name, _, self.file, self.tags, _, self.sqlpkg = line.split()
        self.os, self.cpu, self.libc = (self.name.split("-") + [""])[:3]
        self.package = "@sqlite-kv/" + self.name

    def library(self):
        return read(BUILD, "pack", self.name, self.file)


def platforms(names):
    lines = read(HERE, "platforms").decode().splitlines()
    known = {line.split()[0]: line for line in lines if line and line[0] != "#"}
    for name in names:
        if name not in known:
            sys.exit("pack.py: no such platform in ext/pack/platforms: " + name)
    return [Platform(known[name]) for name in names]


def changelog():
    """What users notice; its newest version must be the one that is packed."""
    text = read(ROOT, "CHANGELOG.md")
    newest = re.search(r"^## (\S+)", text.decode(), re.M)
    if not newest or newest.group(1) != VERSION:
        sys.exit("pack.py: ext/sql/kv.h says version %s, CHANGELOG.md %s"
                 % (VERSION, newest and newest.group(1)))
    return text


def write(name, data):
    path = os.path.join(BUILD, name)
    with open(path, "wb") as f:
        f.write(data)
    print(path)


def tar_gz(name, files):
    """A tar file of (name, bytes)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path, data in sorted(files):
            entry = tarfile.TarInfo(path)
            entry.size = len(data)
            entry.mode = 0o644
            tar.addfile(entry, io.BytesIO(data))
    write(name, gzip.compress(out.getvalue(), 9, mtime=0))


# ------------------------------------------------------------------ npm

def package_json(name, more):
    """A package.json with what all of them have."""
    info = {
        "name": name,
        "version": VERSION,
        "description": DESCRIPTION,
        "keywords": KEYWORDS + ["node-sqlite", "better-sqlite3", "bun"],
        "license": "MIT",
        "author": AUTHOR,
    }
    if MAINTAINER:
        info["maintainers"] = [MAINTAINER]
    if HOMEPAGE:
        info["homepage"] = HOMEPAGE
    if BUGS:
        info["bugs"] = {"url": BUGS}
    if REPOSITORY:
        info["repository"] = {"type": "git", "url": "git+" + REPOSITORY + ".git"}
    info.update(more)
    return (json.dumps(info, indent=2) + "\n").encode()


def npm(targets):
    source = os.path.join(HERE, "npm")
    files = [(n, read(source, n)) for n in sorted(os.listdir(source))]
    files.append(("LICENSE", read(ROOT, "LICENSE")))
    files.append(("CHANGELOG.md", changelog()))
    files.append(("package.json", package_json("sqlite-kv", {
        "engines": {"node": ">=20"},
        "type": "commonjs",
        "main": "./index.js",
        "types": "./index.d.ts",
        "exports": {
            ".": {
                "import": {"types": "./index.d.mts", "default": "./index.mjs"},
                "require": {"types": "./index.d.ts", "default": "./index.js"},
            },
            "./package.json": "./package.json",
        },
        "optionalDependencies": {p.package: VERSION for p in targets},
        "peerDependencies": {"better-sqlite3": ">=11"},
        "peerDependenciesMeta": {"better-sqlite3": {"optional": True}},
    })))
    tar_gz("sqlite-kv-%s.tgz" % VERSION, [("package/" + n, data) for n, data in files])
    for p in targets:
        npm_platform(p)


def npm_platform(p):
    more = {"os": [p.os], "cpu": [p.cpu], "main": p.file, "files": [p.file], "preferUnplugged": True,
            "publishConfig": {"access": "public"}}
    if p.libc:
        more["libc"] = ["glibc" if p.libc == "gnu" else p.libc]
    readme = "# %s\n\nThe library of [sqlite-kv](https://www.npmjs.com/package/sqlite-kv) for %s.\n" % (p.package, p.name)
    # As npm pack names it.
    tar_gz("%s-%s.tgz" % (p.package[1:].replace("/", "-"), VERSION), [
        ("package/" + p.file, p.library()),
        ("package/LICENSE", read(ROOT, "LICENSE")),
        ("package/README.md", readme.encode()),
        ("package/package.json", package_json(p.package, more)),
    ])


# ---------------------------------------------------------------- wheel

METADATA = """Metadata-Version: 2.1
Name: sqlite-kv
Version: %s
Summary: %s
Author: %s
%sLicense: MIT
License-File: LICENSE
Keywords: %s
Classifier: Development Status :: 4 - Beta
Classifier: Intended Audience :: Developers
Classifier: License :: OSI Approved :: MIT License
%sClassifier: Programming Language :: C
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Database
Classifier: Typing :: Typed
Requires-Python: >=3.9
%sDescription-Content-Type: text/markdown

%s"""

SYSTEMS = {"linux": "POSIX :: Linux", "win32": "Microsoft :: Windows", "darwin": "MacOS"}


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return "%s,sha256=%s,%d\n" % (name, digest.decode().rstrip("="), len(data))


def wheel(targets):
    changelog()
    for p in targets:
        wheel_platform(p)


def python_files(p):
    """The Python package: (name, bytes) of each file but the extension."""
    source = os.path.join(HERE, "python", "sqlite_kv")
    files = [("sqlite_kv/py.typed", b"")]
    for name in sorted(os.listdir(source)):
        if name.endswith(".py"):
            files.append(("sqlite_kv/" + name, read(source, name).replace(b"@VERSION@", VERSION.encode())))
    if p and os.path.exists(os.path.join(BUILD, "pack", p.name, CODEC)):
        files.append(("sqlite_kv/" + CODEC, read(BUILD, "pack", p.name, CODEC)))
    return files


def python(targets):
    """The same in the folder BUILD/pack/PLATFORM/python, for Debian's package."""
    for p in targets:
        for name, data in python_files(p):
            path = os.path.join(BUILD, "pack", p.name, "python", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(data)


def metadata(more=""):
    people = "Maintainer-email: %s\n" % MAINTAINER if MAINTAINER else ""
    urls = "".join("Project-URL: %s, %s\n" % u for u in (("Homepage", HOMEPAGE), ("Repository", REPOSITORY), ("Issues", BUGS)) if u[1])
    return (METADATA % (VERSION, DESCRIPTION, AUTHOR, people, ",".join(KEYWORDS), more, urls,
                        read(HERE, "python", "README.md").decode())).encode()


def sdist(_):
    """The amalgamation and the Python files, with a backend that compiles them into a wheel."""
    changelog()
    folder = "sqlite_kv-%s/" % VERSION
    codec = re.sub(rb'#include "[^"]*"\n', b"", read(HERE, "python", "codec.c"))
    files = python_files(None) + [
        ("PKG-INFO", metadata()),
        ("LICENSE", read(ROOT, "LICENSE")),
        ("README.md", read(HERE, "python", "README.md")),
        ("kv.c", read(BUILD, "kv.c")),
        ("codec.c", codec),
        ("kv_build.py", read(HERE, "python", "kv_build.py")),
        ("pyproject.toml", b'[build-system]\nrequires = []\nbuild-backend = "kv_build"\nbackend-path = ["."]\n'),
    ]
    tar_gz("sqlite_kv-%s.tar.gz" % VERSION, [(folder + name, data) for name, data in files])


def wheel_platform(p):
    """No compiler and no particular Python is needed: py3-none-PLATFORM.  Where the part
    in C can't be loaded (another Python than CPython) what it does is done in Python."""
    info = "sqlite_kv-%s.dist-info" % VERSION
    system = "Classifier: Operating System :: %s\n" % SYSTEMS[p.os]
    tags = "".join("Tag: py3-none-%s\n" % t for t in p.tags.split("."))
    files = python_files(p) + [
        ("sqlite_kv/" + p.file, p.library()),
        (info + "/LICENSE", read(ROOT, "LICENSE")),
        (info + "/METADATA", metadata(system)),
        (info + "/WHEEL", ("Wheel-Version: 1.0\nGenerator: sqlite-kv (%s)\nRoot-Is-Purelib: false\n%s"
                           % (VERSION, tags)).encode()),
    ]
    record = "".join(record_line(name, data) for name, data in files)
    files.append((info + "/RECORD", (record + info + "/RECORD,,\n").encode()))
    programs = ["sqlite_kv/" + p.file, "sqlite_kv/" + CODEC]
    write("sqlite_kv-%s-py3-none-%s.whl" % (VERSION, p.tags), zip_file(files, programs))


# ------------------------------------------------- tarballs, the page, the spec of sqlpkg

def tar_files(p):
    return [
        ("sqlite_" + p.file, p.library()),
        ("libsqlite_kv.a", read(BUILD, "pack", p.name, "libsqlite_kv.a")),
        ("sqlite_kv.h", read(ROOT, "ext", "sql", "kv.h")),
        ("LICENSE", read(ROOT, "LICENSE")),
        ("README.md", read(HERE, "README.md")),
        ("CHANGELOG.md", changelog()),
        ("views.sql", read(ROOT, "sql", "examples", "views.sql")),
    ]


def tar(targets):
    for p in targets:
        folder = "sqlite-kv-%s-%s" % (VERSION, p.name)
        tar_gz(folder + ".tar.gz", [(folder + "/" + name, data) for name, data in tar_files(p)])


def web(_):
    write("sqlite-kv-%s.html" % VERSION, read(os.environ["WEBPAGE"]))


def zip_file(files, programs=()):
    """A zip file of (name, bytes)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in files:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100755 if name in programs else 0o100644) << 16
            z.writestr(entry, data)
    return out.getvalue()


def amalgamation(_):
    folder = "sqlite-kv-amalgamation-%s/" % VERSION
    tar_gz("sqlite-kv-amalgamation-%s.tar.gz" % VERSION, [(folder + name, data) for name, data in [
        ("kv.c", read(BUILD, "kv.c")),
        ("kv.h", read(BUILD, "kv.h")),
        ("example.c", read(HERE, "example.c")),
        ("LICENSE", read(ROOT, "LICENSE")),
        ("CHANGELOG.md", changelog()),
    ]])


def sqlpkg(targets):
    """https://sqlpkg.org: a zip file for each platform beside it, or in a release of REPOSITORY.
    Not the tarballs: it unpacks no folders."""
    sums = {}
    for p in targets:
        if p.sqlpkg != "-":
            name, data = "sqlite-kv-%s-%s.zip" % (VERSION, p.name), zip_file(tar_files(p))
            write(name, data)
            sums[p.sqlpkg] = (name, "sha256-" + hashlib.sha256(data).hexdigest())
    spec = {"owner": os.environ.get("OWNER", "sqlite-kv"), "name": "kv", "version": VERSION}
    if HOMEPAGE:
        spec["homepage"] = HOMEPAGE
    if REPOSITORY:
        spec["repository"] = REPOSITORY
    spec.update({
        "authors": [AUTHOR],
        "license": "MIT",
        "description": DESCRIPTION + ".",
        "keywords": KEYWORDS,
        "assets": {
            "path": "{repository}/releases/download/v" + VERSION if REPOSITORY else ".",
            "files": {platform: name for platform, (name, _) in sums.items()},
            "checksums": dict(sums.values()),
        },
    })
    write("sqlpkg.json", (json.dumps(spec, indent=2) + "\n").encode())


BUILD, VERSION, KIND = sys.argv[1:4]
KINDS = [npm, wheel, sdist, python, tar, amalgamation, web, sqlpkg]
{f.__name__: f for f in KINDS}[KIND](platforms(sys.argv[4:]))
