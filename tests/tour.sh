#!/bin/sh
# tour.sh -- show sql/examples/tour.sql on a copy of the sample database.
#
# In a terminal each step is a screen, and the user pages; elsewhere the tour runs
# through.  Before its result each statement is shown, which is done by awk: it puts
# the shell's .print in front of every statement.
set -eu
cd "$(dirname "$0")/.."
sample=tests/sample/sample.sqlite3
kv=${KV_SO:-build/kv}
dir=$(mktemp -d "${TMPDIR:-/tmp}/sqlite-kv.XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM HUP
cp "$sample" "$dir/tour.db"

paged=
if [ -t 0 ] && [ -t 1 ]; then paged=1; fi
head= sql= note= plain=
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
  esc=$(printf '\033')
  head="$esc[1;33m" sql="$esc[36m" note="$esc[2m" plain="$esc[0m"
fi

# The script of the tour with what is to be shown; a line of one form feed ends a step.
awk -v head="$head" -v sql="$sql" -v note="$note" -v plain="$plain" '
  function show(colour, z){
    gsub(/\\/, "\\\\", z)
    gsub(/"/, "\\\"", z)
    print ".print \"" colour z plain "\""
  }
  /^-- ====/ {
    print ".print \"\\f\""
    show(head, ++n ". " substr($0, 9))
    started = 1
    next
  }
  !started { if( $0 !~ /^--/ ) print; next }
  /^--/ { show(note, $0); next }
  /^$/ { next }
  { show(sql, $0); text = text $0 "\n" }
  /;$/ { printf "%s", text; text = "" }
' sql/examples/tour.sql >"$dir/tour.sql"

n=$(grep -c '^-- ====' sql/examples/tour.sql)
cat <<END
${head}A tour of sqlite-kv$plain, in SQLite $(sqlite3 --version | cut -d' ' -f1)

It opens a copy of $sample, a database that the real Deno
has written: users, posts, counters, sessions, and messages in a queue.
The copy is removed at the end; nothing else is touched.

There are $n steps.  Each shows SQL, and what it returns.
END

# Wait for the user; false: enough.
turn() {
  [ -n "$paged" ] || return 0
  printf '\n%s' "${note}Enter: next step    q: leave the tour$plain "
  read -r answer </dev/tty || return 1
  case $answer in q* | Q*) return 1 ;; esac
  [ -z "$head" ] || printf '\033[H\033[2J'
}

rc=0
sqlite3 -init /dev/null -batch -bail -cmd ".load $kv" "$dir/tour.db" \
  <"$dir/tour.sql" >"$dir/shown" 2>&1 || rc=$?
feed=$(printf '\f')
while IFS= read -r line; do
  case $line in
    "$feed") turn || break; [ -n "$paged" ] || echo ;;
    *) printf '%s\n' "$line" ;;
  esac
done <"$dir/shown"

cat <<END

${head}Now you$plain

The sample again, to try things out:
  cp $sample sample.db
  sqlite3 -box -cmd '.load ./build/kv' sample.db
  sqlite> SELECT key, value FROM kv_entries('["posts"]') LIMIT 5;

Your own file, which may be in use by Deno meanwhile:
  sqlite3 -box -cmd '.load ./build/kv' app.db
  sqlite> SELECT prefix, entries, bytes FROM kv_stats;
  sqlite> SELECT usage, summary FROM kv_help;
END
exit "$rc"
