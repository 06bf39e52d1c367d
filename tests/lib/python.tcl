# python.tcl -- programs in tests/python, with the package as it is in the source and
# build/kv.so.

set env(PYTHONPATH) [file join $T::root ext pack python]
set env(PYTHONDONTWRITEBYTECODE) 1
set env(PYTHONHASHSEED) 0
set env(SQLITE_KV_EXTENSION) [file join $T::root build kv]

# Run a program of tests/python: "ok" or what it complains of.
proc python_run {program args} {
  catch {exec /usr/bin/python3 [file join $::T::root tests python $program] {*}$args 2>@1} out
  return $out
}
proc python_test {name program args} {
  do_test $name { python_run {*}[list $program {*}$args] } ok
}
