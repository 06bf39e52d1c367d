#!/bin/sh
# check.sh FILE... -- what registries and their linters say of packages: a complaint is a
# failure.  By lintian, twine, publint, arethetypeswrong (attw) and auditwheel, where they
# are installed or in build/npm/pack (tests/deps.sh release); one that is missing is named.
#
# $MAINTAINER: without one, lintian isn't to miss the address.
set -eu
PATH=$PATH:$PWD/build/npm/pack/node_modules/.bin
missing=
failed=0
unnamed="--suppress-tags malformed-contact,syntax-error-in-debian-changelog"
[ -z "${MAINTAINER-}" ] || unnamed=

# check TOOL FILE COMMAND...
check() {
  tool=$1 file=$2
  shift 2
  command -v "$tool" >/dev/null || {
    case " $missing " in *" $tool "*) ;; *) missing="$missing $tool" ;; esac
    return 0
  }
  out=$("$@" 2>&1) || {
    echo "check.sh: $tool complains of $file:" >&2
    echo "$out" >&2
    failed=1
  }
}

# The platform that a wheel's name promises is one that auditwheel finds.
audit() {
  tag=$(basename "$1" .whl | sed 's/.*-none-//; s/\..*//')
  auditwheel show "$1" | tr -d '\n' | grep -F "$tag"
}

for f in "$@"; do
  case $f in
    *.deb)
      # shellcheck disable=SC2086
      check lintian "$f" lintian --fail-on error,warning --allow-root --tag-display-limit 0 $unnamed "$f"
      ;;
    *.whl | */sqlite_kv-*.tar.gz) check twine "$f" twine check --strict "$f" ;;
    */sqlite-kv-[0-9]*.tgz)
      check publint "$f" publint --strict "$f"
      check attw "$f" attw --no-emoji "$f"
      ;;
    *.tgz) check publint "$f" publint --strict "$f" ;;
  esac
  case $f in *manylinux*.whl) check auditwheel "$f" audit "$f" ;; esac
done
[ -z "$missing" ] || echo "check.sh: not installed here:$missing" >&2
exit $failed
