#!/usr/bin/env tclsh
#
# pow10.tcl -- write ext/codec/num/pow10.h, the table of powers of ten, to stdout.
#
# Usage:  tclsh ext/gen/pow10.tcl >ext/codec/num/pow10.h
#
# Row i is the power 10^(i+MIN) as a binary fraction: the 128 highest bits,
# rounded down, so that
#
#     row * 2^(E-127)  <=  10^q  <  (row+1) * 2^(E-127),   E = floor(log2(10^q))
#
# Reading a double needs the powers from 10^-342 on (19 digits times 10^-343
# are always nearer to zero than to the smallest double) to 10^308, printing
# one those from 10^-292 to 10^324.

set MIN -342
set MAX 324

# The number of bits of the positive integer x.
proc bitLength {x} {
  set n 0
  while {$x >= (1 << ($n+64))} {incr n 64}
  while {$x >= (1 << $n)} {incr n}
  return $n
}

# The 128 highest bits of 10^q, rounded down.
proc row {q} {
  if {$q >= 0} {
    set x [expr {10**$q}]
    set n [bitLength $x]
    if {$n >= 128} {return [expr {$x >> ($n-128)}]}
    return [expr {$x << (128-$n)}]
  }
  set x [expr {10**(-$q)}]
  return [expr {(1 << ([bitLength $x]+127)) / $x}]
}

puts "/*"
puts "** pow10.h -- powers of ten as 128-bit binary fractions."
puts "**"
puts "** Written by ext/gen/pow10.tcl: change that, not this.  numPow10\[i] is the 128"
puts "** highest bits of 10^(i+NUM_POW10_MIN), rounded down, high word first."
puts "*/"
puts "#ifndef KV_POW10_H"
puts "#define KV_POW10_H"
puts ""
puts "#define NUM_POW10_MIN ($MIN)"
puts "#define NUM_POW10_MAX $MAX"
puts ""
puts "static const u64 numPow10\[[expr {$MAX-$MIN+1}]]\[2] = {"
for {set q $MIN} {$q <= $MAX} {incr q} {
  set r [row $q]
  puts [format "  { 0x%016llxu, 0x%016llxu }%s" \
    [expr {$r >> 64}] [expr {$r & 0xffffffffffffffff}] \
    [expr {$q<$MAX ? "," : ""}]]
}
puts "};"
puts ""
puts "#endif /* KV_POW10_H */"
