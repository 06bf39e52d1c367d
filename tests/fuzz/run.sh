#!/bin/sh
# run.sh NAME ... -- libFuzzer on each target for FUZZ_SECONDS, one after the
# other.  "make fuzz" builds what it needs.
#
# The inputs that reach something new are kept in build/fuzz/corpus/NAME, from
# run to run; it starts with the seeds, the distilled corpus and the
# regressions.  An input that fails is build/fuzz/found/NAME-*; its hexadecimal
# form, with a name, belongs into tests/fuzz/regressions/NAME.hex once the
# mistake is mended.
set -eu
cd "$(dirname "$0")/../.."
seconds=${FUZZ_SECONDS:-60}
found=build/fuzz/found
mkdir -p $found
tclsh tests/fuzz/seeds.tcl
bad=

# A whole database takes longer and is longer than a value.
settings() {
  case $1 in
    database) echo '-max_len=16384 -timeout=60' ;;
    json|js_text|value_bytes) echo '-max_len=2048 -timeout=20' ;;
    *) echo '-max_len=512 -timeout=20' ;;
  esac
}

for t in "$@"; do
  corpus=build/fuzz/corpus/$t
  if [ ! -d $corpus ]; then
    mkdir -p $corpus
    files=build/fuzz/seeds/$t.hex
    for f in tests/fuzz/corpus/$t.hex tests/fuzz/regressions/$t.hex; do
      [ ! -e $f ] || files="$files $f"
    done
    build/fuzz/$t -export $corpus $files
  fi
  dict=
  [ ! -e tests/fuzz/$t.dict ] || dict=-dict=tests/fuzz/$t.dict
  echo "$t: $seconds s"
  # A leak in one run is one; ASan's own limit keeps a runaway from the machine.
  build/libfuzzer/$t $corpus $dict $(settings $t) -max_total_time=$seconds \
    -malloc_limit_mb=1024 -rss_limit_mb=3000 -print_final_stats=1 \
    -artifact_prefix=$found/$t- >build/fuzz/$t.log 2>&1 || bad="$bad $t"
  grep -E 'cov: .* DONE|stat::number_of_executed_units|SUMMARY|does not hold' build/fuzz/$t.log || :
done
if [ -n "$bad" ]; then
  echo "failed:$bad (build/fuzz/NAME.log, $found)"
  exit 1
fi
