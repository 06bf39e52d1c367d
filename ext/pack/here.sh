#!/bin/sh
# here.sh CC -- the platform (ext/pack/platforms) that a compiler makes programs for.
machine=$("${1:-cc}" -dumpmachine 2>/dev/null || uname -m)
case $machine in
  x86_64-* | amd64-*) cpu=x64 ;;
  aarch64-* | arm64-*) cpu=arm64 ;;
  *) cpu=${machine%%-*} ;;
esac
case $machine in
  *-linux-musl*) echo "linux-$cpu-musl" ;;
  *-linux-*) echo "linux-$cpu-gnu" ;;
  *-mingw32*) echo "win32-$cpu" ;;
  *-darwin*) echo "darwin-$cpu" ;;
  *) echo "$machine" ;;
esac
