#!/bin/sh
# release.sh BUILD VERSION HERE PLATFORM... -- every package of these platforms in
# BUILD/release, with SHA256SUMS.  They are checked as their registries do, by the
# programs for it that are here (check.sh).  $WEBPAGE: the page for browsers, or nothing.
set -eu
build=$1
version=$2
here=$3
shift 3
mkdir -p "$build/pack"
list=$build/pack/files
for kind in npm wheel sdist tar amalgamation ${WEBPAGE:+web} sqlpkg; do
  python3 ext/pack/pack.py "$build" "$version" $kind "$@"
done >"$list"
for platform in "$@"; do
  arch=$(awk -v p="$platform" '$1==p { print $5 }' ext/pack/platforms)
  [ "$arch" = - ] || sh ext/pack/deb.sh "$build" "$version" "$platform" \
    "$([ "$platform" != "$here" ] || echo here)" >>"$list"
done
rm -rf "$build/release"
mkdir -p "$build/release"
while read -r f; do mv "$f" "$build/release"; done <"$list"
sh ext/pack/check.sh "$build"/release/*
cd "$build/release"
LC_ALL=C sha256sum -- * >SHA256SUMS
cat SHA256SUMS
