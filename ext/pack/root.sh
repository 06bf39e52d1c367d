#!/bin/sh
# root.sh DIR ARCH PACKAGE... -- Debian packages of another architecture, and
# what they depend on, unpacked into DIR.
#
# Nothing of this machine's Debian is changed: apt-get has its lists, its
# state and its cache in DIR.apt.  Nothing is configured either.  Without "-d"
# before DIR dependencies are left out.
set -eu
deps=no
if [ "$1" = -d ]; then deps=yes; shift; fi
dir=$1
arch=$2
shift 2
[ ! -e "$dir/.packages" ] || [ "$(cat "$dir/.packages")" != "$*" ] || exit 0
rm -rf "$dir" "$dir.apt"
mkdir -p "$dir" "$dir.apt/lists/partial" "$dir.apt/archives/partial"
dir=$(cd "$dir" && pwd)
: >"$dir.apt/status"
apt() {
  apt-get -qq -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o APT::Install-Recommends=0 \
    -o APT::Sandbox::User= -o Debug::NoLocking=1 -o Dir::State="$dir.apt" -o Dir::State::Lists="$dir.apt/lists" \
    -o Dir::State::status="$dir.apt/status" -o Dir::Cache="$dir.apt" -o Dir::Cache::archives="$dir.apt/archives" \
    -o Acquire::Languages=none "$@" </dev/null
}
{
  apt update
  if [ $deps = yes ]; then
    apt install -y --download-only "$@"
  else
    (cd "$dir.apt/archives" && apt download "$@")
  fi
} >"$dir.apt/log" 2>&1 || {
  tail -n 20 "$dir.apt/log" >&2
  echo "root.sh: apt-get failed ($dir.apt/log)" >&2
  exit 1
}
for f in "$dir.apt/archives"/*.deb; do dpkg-deb -x "$f" "$dir"; done
rm -rf "$dir.apt/lists" "$dir.apt/archives" "$dir.apt"/*.bin
echo "$*" >"$dir/.packages"
