#!/bin/sh
# readme_run.sh DIR COMMAND... -- run the statements of README.md and of the
# manual by a shell.
#
# COMMAND is called as "COMMAND -file N.sql N.db" in DIR and must print what
# they say.  It is a build of tests/mini_shell.c, perhaps behind an
# emulator.  DIFF_IGNORE: an extended regular expression; lines that match it
# aren't compared.  The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.."
root=$PWD
dir=$1
shift
rm -rf "$dir"
mkdir -p "$dir"
awk -v dir="$dir" -f tests/readme_sql.awk README.md sql/manual/*.md >"$dir/list"
cd "$dir" || exit 1
passed=0
failed=0
ignore=${DIFF_IGNORE:-'^$^'}
while read -r n what file; do
  if [ "$what" = sample ]; then cp "$root/tests/sample/sample.sqlite3" "$n.db"; fi
  "$@" -file "$n.sql" "$n.db" >"$n.out" 2>"$n.err" </dev/null
  rc=$?
  grep -Ev "$ignore" "$n.txt" >"$n.want"
  grep -Ev "$ignore" "$n.out" >"$n.got"
  if [ "$rc" = 0 ] && [ -s "$n.want" ] && cmp -s "$n.want" "$n.got"; then
    passed=$((passed+1))
  else
    failed=$((failed+1))
    echo "$file, database $n: exit status $rc"
    diff "$n.want" "$n.got"
    cat "$n.err"
  fi
done <list
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
