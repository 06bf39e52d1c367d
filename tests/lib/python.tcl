# python.tcl -- programs in tests/python, with the package as it is installed and
# build/kv.so.

set env(PYTHONPATH) [file join $T::root build python]
set env(PYTHONDONTWRITEBYTECODE) 1
set env(PYTHONHASHSEED) 0
set env(SQLITE_KV_EXTENSION) [file join $T::root build kv]
unset -nocomplain env(SQLITE_KV_PURE)
exec make -s -C $T::root NODEPS=1 build/python/sqlite_kv/_codec.abi3.so 2>@1

# Run a program of tests/python: "ok" or what it complains of.
proc python_run {program args} {
  catch {exec /usr/bin/python3 [file join $::T::root tests python $program] {*}$args 2>@1} out
  return $out
}
# With the codecs in C, and with those in Python, at the same time; @ in an argument is
# which.
proc python_test {name program args} {
  foreach codec {C Python} {
    if {$codec eq "Python"} { set ::env(SQLITE_KV_PURE) 1 }
    set command [list /usr/bin/python3 [file join $::T::root tests python $program] \
      {*}[string map [list @ $codec] $args]]
    set pipe($codec) [open [list | {*}$command 2>@1]]
    fconfigure $pipe($codec) -encoding utf-8
    unset -nocomplain ::env(SQLITE_KV_PURE)
  }
  foreach codec {C Python} {
    do_test "$name, codecs in $codec" {
      set out [string trim [read $pipe($codec)]]
      catch {close $pipe($codec)}
      set out
    } ok
  }
}
