#!/bin/sh
# tidy.sh FILE.c ... -- clang-tidy by .clang-tidy, then gcc's -fanalyzer, on each
# of the files.  Nothing may be found, but for what gcc is known to be wrong
# about: file, function, kind and why.
set -u
cd "$(dirname "$0")/.."
flags="-std=c11 -Iext -Ibuild -Ibuild/serve -D_GNU_SOURCE"
log=build/tidy.log
bad=0

known='
ext/codec/num/num.c numBigMul use-of-uninitialized-value      the first n limbs are set
ext/codec/edit/splice.c kvBufAppend null-argument       what is copied was found before
ext/codec/op.c kvOpWrite null-dereference                 opField() knows 1 to OP_FIELDS
ext/sql/index/vtab_indexes.c kvBufAppend null-argument         there is room then
ext/store/index_declare.c kvBufAppend null-argument       n is 0 then
ext/store/index_scan.c kvBufAppend null-argument             n is 0 then
'

for f in "$@"; do
  # shellcheck disable=SC2086
  clang-tidy --quiet "$f" -- $flags >$log 2>/dev/null || { cat $log; bad=$((bad + 1)); }
done
echo "clang-tidy: $# files, $bad with findings"

for f in "$@"; do
  # shellcheck disable=SC2086
  LC_ALL=C gcc $flags -O1 -fanalyzer -fdiagnostics-plain-output -c -o /dev/null "$f" 2>$log || bad=$((bad + 1))
  awk -v file="$f" -v known="$known" '
    BEGIN { n = split(known, line, "\n") }
    /In function/ { fn = $0; sub(/.*In function [^A-Za-z_]*/, "", fn); sub(/[^A-Za-z0-9_].*/, "", fn) }
    /inlined from/ { next }
    /warning:/ {
      kind = $0; sub(/.*\[-Wanalyzer-/, "", kind); sub(/\].*/, "", kind)
      for(i=1; i<=n; i++) if( index(line[i], file " " fn " " kind " ")==1 ) next
      print; print "  in " fn; bad = 1
    }
    END { exit bad }' $log || bad=$((bad + 1))
done
echo "gcc -fanalyzer: $# files"
[ $bad = 0 ] && echo "nothing found"
exit $((bad > 0))
