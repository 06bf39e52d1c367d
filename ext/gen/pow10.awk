# pow10.awk -- powers of ten as 128-bit binary fractions: build/pow10.h.
#
#   awk -f ext/gen/pow10.awk </dev/null
#
# Row i is the power 10^(i+MIN) as a binary fraction: the 128 highest bits,
# rounded down, so that
#
#     row * 2^(E-127)  <=  10^q  <  (row+1) * 2^(E-127),   E = floor(log2(10^q))
#
# Reading a double needs the powers from 10^-342 on (19 digits times 10^-343
# are always nearer to zero than to the smallest double) to 10^308, printing
# one those from 10^-292 to 10^324.
#
# Numbers are arrays of 16-bit digits, least significant first: awk calculates
# with doubles.  A negative power is what is left of 2^1600 after q divisions by
# ten, each rounded down, which is the same as rounding down once.

function reset(    i){
  for(i=0; i<N; i++) a[i] = 0
}

# a = a*10 + carry, or a/10 rounded down.
function times10(    i, t){
  t = 0
  for(i=0; i<N; i++){
    t += a[i]*10
    a[i] = t%65536
    t = int(t/65536)
  }
}
function over10(    i, t){
  t = 0
  for(i=N-1; i>=0; i--){
    t = t*65536 + a[i]
    a[i] = int(t/10)
    t = t%10
  }
}

# The 128 highest bits of a, as the initialiser of a row.
function row(    i, k, shift, text){
  for(i=N-1; a[i]==0; i--){}
  for(shift=1; a[i]*shift<32768; shift*=2){}
  text = "0x"
  for(k=0; k<8; k++){
    text = text sprintf("%04x", (a[i]*shift)%65536 + int(a[i-1]*shift/65536))
    if( k==3 ) text = text "u, 0x"
    i--
  }
  return "  { " text "u },"
}

BEGIN {
  MIN = -342
  MAX = 324
  N = 110
  print "/*"
  print "** pow10.h -- powers of ten as 128-bit binary fractions, by ext/gen/pow10.awk:"
  print "** numPow10[i] is the 128 highest bits of 10^(i+NUM_POW10_MIN), rounded down,"
  print "** high word first."
  print "*/"
  print "#define NUM_POW10_MIN (" MIN ")"
  print "#define NUM_POW10_MAX " MAX
  print "static const u64 numPow10[" MAX-MIN+1 "][2] = {"
  reset()
  a[100] = 1
  for(q=-1; q>=MIN; q--){
    over10()
    line[q] = row()
  }
  for(q=MIN; q<0; q++) print line[q]
  reset()
  a[20] = 1
  for(q=0; q<=MAX; q++){
    print row()
    times10()
  }
  print "};"
}
