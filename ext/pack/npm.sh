#!/bin/sh
# npm.sh BUILD VERSION -- BUILD/sqlite-kv-VERSION.tgz, an npm package.
#
# It holds BUILD/pack/kv.so and is for the kind of machine that this was built
# on.  Needs tar and gzip, no npm.
set -eu
build=$1
version=$2
src=ext/pack/npm

case $(uname -s) in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  *) echo "npm.sh: no package for $(uname -s)" >&2; exit 1 ;;
esac
case $(uname -m) in
  x86_64 | amd64) cpu=x64 ;;
  aarch64 | arm64) cpu=arm64 ;;
  armv*) cpu=arm ;;
  i?86) cpu=ia32 ;;
  *) cpu=$(uname -m) ;;
esac
libc=
if [ "$os" = linux ]; then
  case $("${CC:-cc}" -dumpmachine 2>/dev/null || gcc -dumpmachine) in
    *musl*) libc='"libc": ["musl"],' ;;
    *) libc='"libc": ["glibc"],' ;;
  esac
fi

dir=$build/pack/npm
rm -rf "$dir"
mkdir -p "$dir/package"
cp "$src"/*.js "$src"/*.mjs "$src/index.d.ts" "$src/README.md" LICENSE "$dir/package"
cp "$build/pack/kv.so" "$dir/package/kv.so"
chmod 644 "$dir/package"/*
cat >"$dir/package/package.json" <<END
{
  "name": "sqlite-kv",
  "version": "$version",
  "description": "SQLite extension that reads and writes Deno KV databases",
  "license": "MIT",
  "keywords": ["deno", "deno-kv", "kv", "sqlite", "sqlite-extension", "node-sqlite", "better-sqlite3", "bun"],
  "engines": { "node": ">=20" },
  "peerDependencies": { "better-sqlite3": ">=11" },
  "peerDependenciesMeta": { "better-sqlite3": { "optional": true } },
  "type": "commonjs",
  "main": "index.js",
  "types": "index.d.ts",
  "exports": {
    ".": { "types": "./index.d.ts", "import": "./index.mjs", "require": "./index.js" },
    "./package.json": "./package.json"
  },
  "os": ["$os"],
  "cpu": ["$cpu"],
  $libc
  "sqliteKv": { "platform": "$os-$cpu", "file": "kv.so" }
}
END
# The same bytes each time: sorted, without owner, date and gzip's date.
(cd "$dir" && find package -type f | LC_ALL=C sort |
  tar -c --format=ustar --owner=0 --group=0 --numeric-owner --mtime=@0 -T - | gzip -9n) \
  >"$build/sqlite-kv-$version.tgz"
echo "$build/sqlite-kv-$version.tgz"
