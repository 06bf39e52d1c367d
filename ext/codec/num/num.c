/*
** num.c -- JavaScript numbers as text, and back.  See num.h; big integers
** are in bigint.c.
**
** Nothing here calculates with doubles: a double is taken apart into c * 2^q
** with an integer c, and all else is done in integers, so that neither the
** rounding mode nor the width of the machine's registers can matter.
**
** What kvNumPrint() writes (JavaScript's Number::toString, but for "-0"):
**
**     NaN  Infinity  -Infinity  -0
**     [-] digits                       below 10^21
**     [-] digits . digits              from 10^-6 on
**     [-] digit [. digits] e (+|-) digits
**
** What kvNumParse() reads: see num.h.  It takes no sign, no space, no '_',
** no hexadecimal digits and no names.
*/
#include "codec/num/num.h"
#include "codec/num/num128.h"
#include "pow10.h"

#define NUM_INF  ((u64)0x7ff<<52)

/* floor(v / 2^s) for |v| < 2^40, without shifting a negative number. */
static int numFloor(i32 v, int s){
  return (int)(((u64)((i64)v + ((i64)1<<40)))>>s) - (int)((i64)1<<(40-s));
}

/* floor(log2(10^q)) for |q| < 1000 */
static int numLog2Pow10(int q){ return numFloor(q*217706, 16); }

/* True if the table has 10^q exactly (5^q has at most 128 bits). */
#define NUM_EXACT(Q) ((Q)>=0 && (Q)<=55)

/************************************************************************
** Printing.
*/

const char kvDigitPairs[] =
  "00010203040506070809101112131415161718192021222324"
  "25262728293031323334353637383940414243444546474849"
  "50515253545556575859606162636465666768697071727374"
  "75767778798081828384858687888990919293949596979899";

/* Write v below 10000 without leading zeros.  Returns the end. */
static inline char *numPrintSmall(char *z, u32 v){
  if( v>=100 ){
    u32 h = v/100;
    if( h<10 ) *z++ = (char)('0' + h);
    else{ memcpy(z, &kvDigitPairs[2*h], 2); z += 2; }
    memcpy(z, &kvDigitPairs[2*(v-100*h)], 2);
    return z + 2;
  }
  if( v<10 ){
    *z = (char)('0' + v);
    return z + 1;
  }
  memcpy(z, &kvDigitPairs[2*v], 2);
  return z + 2;
}

/* Write v below 10000 with four digits. */
static inline char *numPrintFour(char *z, u32 v){
  memcpy(z, &kvDigitPairs[2*(v/100)], 2);
  memcpy(z+2, &kvDigitPairs[2*(v%100)], 2);
  return z + 4;
}

static char *numPrintLong(char *z, u64 u){
  u64 uHigh = u/100000000;
  u32 v = (u32)(u%100000000);
  if( uHigh>=100000000 ){                        /* at most 20 digits */
    u32 w = (u32)(uHigh%100000000);
    z = numPrintSmall(z, (u32)(uHigh/100000000));
    z = numPrintFour(numPrintFour(z, w/10000), w%10000);
  }else if( uHigh>=10000 ){
    z = numPrintSmall(z, (u32)(uHigh/10000));
    z = numPrintFour(z, (u32)(uHigh%10000));
  }else{
    z = numPrintSmall(z, (u32)uHigh);
  }
  return numPrintFour(numPrintFour(z, v/10000), v%10000);
}

int kvU64Print(u64 v, char *z){
  char *zEnd;
  if( v<10000 ) zEnd = numPrintSmall(z, (u32)v);
  else if( v>=100000000 ) zEnd = numPrintLong(z, v);
  else zEnd = numPrintFour(numPrintSmall(z, (u32)v/10000), (u32)v%10000);
  return (int)(zEnd - z);
}

/*
** x times the 128-bit number g, divided by 2^128, rounded down; the lowest
** bit is set if anything was cut off.  g may be too large by less than one
** unit and the product therefore by less than 2^64, which is one unit of
** "mid": so mid is at most 1 where the exact product has no fraction.
*/
static u64 numMulOdd(u64 gHi, u64 gLo, u64 x){
  u64 lo, mid, hi, carry;
  carry = num128Mul(gLo, x, &lo);
  hi = num128Mul(gHi, x, &mid);
  mid += carry;
  hi += mid<carry;
  return hi | (mid>1);
}

/*
** The shortest decimal that is nearer to r than to any other double; of
** several, the one nearest to r.  This is Giulietti's Schubfach: with k such
** that 10^k is the largest power of ten not above the width of the interval
** of numbers that round to r, the interval holds one or more multiples of
** 10^k and at most one of 10^(k+1).
**
** m (bits 0..51) and e (bits 52..62) are r's fields, not both 0.  Stores the
** decimal exponent to *pk and returns the digits as an integer.
*/
static u64 numShortest(u64 m, int e, int *pk){
  u64 c = e ? m | (u64)1<<52 : m;
  int q = (e ? e : 1) - 1075;
  int bClose = m==0 && e>1;     /* The double below is half as far away */
  u64 bOdd = c & 1;             /* The ends of the interval are not in it */
  int k = bClose ? numFloor(q*1262611 - 524031, 22) : numFloor(q*315653, 20);
  int h = q + numLog2Pow10(-k) + 1;
  u64 gHi = numPow10[-k - NUM_POW10_MIN][0];
  u64 gLo = numPow10[-k - NUM_POW10_MIN][1];
  u64 v, vLow, vHigh, s;
  int bDown, bUp;

  if( !NUM_EXACT(-k) ){
    gLo++;
    gHi += gLo==0;
  }
  /* All of these in units of 10^k/4 */
  v = numMulOdd(gHi, gLo, (4*c)<<h);
  vLow = numMulOdd(gHi, gLo, (4*c - 2 + (u64)bClose)<<h) + bOdd;
  vHigh = numMulOdd(gHi, gLo, (4*c + 2)<<h) - bOdd;
  s = v/4;
  if( s>=10 ){
    u64 t = s/10;
    bDown = vLow<=40*t;
    bUp = 40*t + 40<=vHigh;
    if( bDown!=bUp ){
      *pk = k+1;
      return t + (u64)bUp;
    }
  }
  *pk = k;
  bDown = vLow<=4*s;
  bUp = 4*s + 4<=vHigh;
  if( bDown!=bUp ) return s + (u64)bUp;
  return s + (v>4*s+2 || (v==4*s+2 && (s&1)));
}

/* Write n zeros. */
static int numZeros(char *z, int n){
  if( n>0 ) memset(z, '0', (size_t)n);
  return n>0 ? n : 0;
}

/*
** Write the nDigit digits at zDigit times 10^(nPoint-nDigit), so that nPoint
** of them stand before the decimal point.
*/
static int numFormat(char *z, const char *zDigit, int nDigit, int nPoint){
  int n = 0;
  if( nPoint>21 || nPoint<=-6 ){
    z[n++] = zDigit[0];
    if( nDigit>1 ){
      z[n++] = '.';
      memcpy(&z[n], &zDigit[1], (size_t)(nDigit-1));
      n += nDigit-1;
    }
    z[n++] = 'e';
    if( nPoint>0 ) z[n++] = '+';
    return n + kvIntPrint(nPoint-1, &z[n]);
  }
  if( nPoint<=0 ){
    z[n++] = '0';
    z[n++] = '.';
    n += numZeros(&z[n], -nPoint);
    memcpy(&z[n], zDigit, (size_t)nDigit);
    return n + nDigit;
  }
  if( nPoint>=nDigit ){
    memcpy(z, zDigit, (size_t)nDigit);
    return nDigit + numZeros(&z[nDigit], nPoint-nDigit);
  }
  memcpy(z, zDigit, (size_t)nPoint);
  z[nPoint] = '.';
  memcpy(&z[nPoint+1], &zDigit[nPoint], (size_t)(nDigit-nPoint));
  return nDigit + 1;
}

/* Write a constant word. */
static int numWord(char *z, const char *zWord){
  size_t n = strlen(zWord);
  memcpy(z, zWord, n);
  return (int)n;
}

int kvNumPrint(double r, char *z){
  u64 u = kvDoubleToBits(r);
  u64 m = u & (((u64)1<<52)-1);
  int e = (int)(u>>52 & 0x7ff);
  int bNeg = (int)(u>>63);
  int n = 0, nDigit, k;
  char zDigit[20];
  u64 d;

  if( e==0x7ff ){
    if( m ) return numWord(z, "NaN");
    return numWord(z, bNeg ? "-Infinity" : "Infinity");
  }
  if( e==0 && m==0 ) return numWord(z, bNeg ? "-0" : "0");
  if( e>=1023 && e<1023+53 ){
    d = (m | (u64)1<<52)>>(1075-e);
    if( d<<(1075-e)==(m | (u64)1<<52) ){
      return kvIntPrint(bNeg ? -(i64)d : (i64)d, z);
    }
  }
  d = numShortest(m, e, &k);
  while( d%10==0 ){
    d /= 10;
    k++;
  }
  nDigit = kvIntPrint((i64)d, zDigit);
  if( bNeg ) z[n++] = '-';
  return n + numFormat(&z[n], zDigit, nDigit, nDigit+k);
}

/************************************************************************
** Reading.
*/

/* A decimal as it was scanned: about w * 10^q. */
typedef struct NumDec NumDec;
struct NumDec {
  u64 w;              /* The first 19 significant digits */
  i64 q;              /* Power of ten that goes with w, without exponent */
  int bMore;          /* Not 0: digits other than 0 follow those in w */
  u32 n;              /* Bytes of digits and point, before the exponent */
};

/* Scan digits and point.  Returns the number of bytes, 0 if no number. */
static u32 numScanDigits(const char *z, u32 n, NumDec *p){
  u32 i, nDigit = 0;
  int nSig = 0, bPoint = 0;
  memset(p, 0, sizeof(*p));
  for(i=0; i<n; i++){
    unsigned d = (unsigned)(u8)z[i] - '0';
    if( d>9 ){
      if( z[i]!='.' || bPoint ) break;
      bPoint = 1;
      continue;
    }
    nDigit++;
    if( nSig<19 ){
      p->w = p->w*10 + d;
      nSig += p->w!=0;
      p->q -= bPoint;
    }else{
      p->bMore |= d!=0;
      p->q += !bPoint;
    }
  }
  return p->n = nDigit ? i : 0;
}

/* Scan an exponent into *pExp, if there is a whole one. */
static u32 numScanExponent(const char *z, u32 n, i64 *pExp){
  u32 i = 1, iDigit;
  i64 v = 0;
  int bNeg = 0;
  if( n<2 || (z[0]!='e' && z[0]!='E') ) return 0;
  if( z[1]=='+' || z[1]=='-' ){
    bNeg = z[1]=='-';
    i = 2;
  }
  for(iDigit=i; i<n && z[i]>='0' && z[i]<='9'; i++){
    if( v<100000000000 ) v = v*10 + (z[i]-'0');
  }
  if( i==iDigit ) return 0;
  *pExp = bNeg ? -v : v;
  return i;
}

/*
** The double nearest to the 192-bit number p[0]:p[1]:p[2] (p[0] is not 0)
** times 2^e, ties to even, as bits; NUM_INF if it is too large.
*/
static u64 numRound(const u64 *p, int e){
  u64 p2 = p[0], rest = p[1] | p[2], m, half;
  int nDrop = 11, s = 0;
  while( !(p2>>63) ){                   /* at most once, as it is called */
    p2 = p2<<1 | p[1]>>(63-s);
    s++;
  }
  e += 191 - s;                         /* now the number is in [2^e,2^(e+1)) */
  if( s ) rest = (p[1]<<s) | p[2];
  if( e>1023 ) return NUM_INF;
  if( e<-1022 ) nDrop += -1022 - e;
  if( nDrop>64 ) return 0;
  m = nDrop<64 ? p2>>nDrop : 0;
  half = (u64)1<<(nDrop-1);
  if( p2 & half ) m += (p2 & (half-1)) || rest || (m & 1);
  if( e<-1022 ) return m;
  return m + ((u64)(e+1022)<<52);
}

/*
** The double nearest to w * g * 2^x, where g * 2^x is row q of the table (or
** the row plus 1 if bUp).  w is not 0.  *pbSure tells that adding anything
** less than w to the product would not change the result.
*/
static u64 numScale(u64 w, int q, int bUp, int *pbSure){
  u64 gHi = numPow10[q - NUM_POW10_MIN][0];
  u64 gLo = numPow10[q - NUM_POW10_MIN][1];
  u64 p[3], carry;
  int s = num128Clz(w);
  if( bUp ){
    gLo++;
    gHi += gLo==0;
  }
  w <<= s;
  carry = num128Mul(gLo, w, &p[2]);
  p[0] = num128Mul(gHi, w, &p[1]);
  p[1] += carry;
  p[0] += p[1]<carry;
  *pbSure = p[1]!=0 && p[1]!=~(u64)0;
  return numRound(p, numLog2Pow10(q) - 127 - s);
}

/*
** Where the rounding of a decimal can't be told from 128 bits it is compared
** in full with the middle between two doubles.  The middle has at most 767
** significant digits, so that 800 of the decimal's and the knowledge whether
** others follow are enough.  The largest number that is built is below
** 10^1143 * 2^121, 3920 bits.
*/
#define NUM_DIGITS 800
#define NUM_LIMBS 128

typedef struct NumBig NumBig;
struct NumBig {
  u32 a[NUM_LIMBS];   /* Least significant first */
  int n;              /* In use; the highest is not 0 */
};

/* p = p*f + c */
static void numBigMul(NumBig *p, u32 f, u32 c){
  u64 t = c;
  int i;
  for(i=0; i<p->n; i++){
    t += (u64)p->a[i]*f;
    p->a[i] = (u32)t;
    t >>= 32;
  }
  if( t && p->n<NUM_LIMBS ) p->a[p->n++] = (u32)t;
}

/* p = p * 5^n5 * 2^n2 */
static void numBigScale(NumBig *p, i64 n5, i64 n2){
  for(; n5>=13; n5-=13) numBigMul(p, 1220703125, 0);
  for(; n5>0; n5--) numBigMul(p, 5, 0);
  for(; n2>=31; n2-=31) numBigMul(p, (u32)1<<31, 0);
  if( n2>0 ) numBigMul(p, (u32)1<<n2, 0);
}

/* -1, 0 or 1 */
static int numBigCompare(const NumBig *p, const NumBig *q){
  int i = p->n;
  if( p->n!=q->n ) return p->n<q->n ? -1 : 1;
  while( --i>=0 ){
    if( p->a[i]!=q->a[i] ) return p->a[i]<q->a[i] ? -1 : 1;
  }
  return 0;
}

/*
** Read the first NUM_DIGITS significant digits of z[0..n-1] (digits and a
** point) into p.  Returns the power of ten that goes with them when the last
** digit of z has the weight 10^q.  *pbMore: others than 0 were left out.
*/
static i64 numBigRead(NumBig *p, const char *z, u32 n, i64 q, int *pbMore){
  u32 i, nSig = 0;
  p->n = 0;
  *pbMore = 0;
  for(i=0; i<n && (z[i]=='0' || z[i]=='.'); i++){}
  for(; i<n; i++){
    if( z[i]=='.' ) continue;
    if( nSig==NUM_DIGITS ){
      q++;
      *pbMore |= z[i]!='0';
    }else{
      nSig++;
      numBigMul(p, 10, (u32)(z[i]-'0'));
    }
  }
  return q;
}

/*
** The decimal of the digits and point z[0..n-1] times 10^q lies between the
** double with the bits u and the next one above: return the nearer one's bits.
*/
static u64 numDecide(const char *z, u32 n, i64 q, u64 u){
  NumBig dec, mid;
  const char *zPoint = memchr(z, '.', n);
  int e = (int)(u>>52), bMore, c;
  u64 m = u & (((u64)1<<52)-1);
  if( e ) m |= (u64)1<<52; else e = 1;
  e -= 1076;
  m = 2*m + 1;                          /* the middle is m * 2^e */
  mid.a[0] = (u32)m;
  mid.a[1] = (u32)(m>>32);
  mid.n = mid.a[1] ? 2 : 1;
  if( zPoint ) q -= &z[n] - zPoint - 1;
  q = numBigRead(&dec, z, n, q, &bMore);
  numBigScale(&dec, q, q - e);
  numBigScale(&mid, -q, e - q);
  c = numBigCompare(&dec, &mid);
  if( c==0 ) c = bMore || (u & 1) ? 1 : -1;
  return c>0 ? u+1 : u;
}

/* The double nearest to the scanned decimal whose text is at z, as bits. */
static u64 numNearest(const char *z, const NumDec *p, i64 iExp){
  u64 uLow, uHigh;
  i64 q = p->q + iExp;
  int bSure;
  if( p->w==0 || q<NUM_POW10_MIN ) return 0;
  if( q>308 ) return NUM_INF;
  uLow = numScale(p->w, (int)q, 0, &bSure);
  if( !p->bMore && (bSure || NUM_EXACT(q)) ) return uLow;
  uHigh = numScale(p->w + (u64)(p->bMore!=0), (int)q, 1, &bSure);
  if( uLow==uHigh ) return uLow;
  return numDecide(z, p->n, iExp, uLow);
}

u32 kvNumParse(KvBytes text, double *pr){
  NumDec d;
  i64 iExp = 0;
  const char *z = (const char*)text.p;
  u32 i = numScanDigits(z, text.n, &d);
  if( i==0 ) return 0;
  i += numScanExponent(&z[i], text.n-i, &iExp);
  if( d.q+iExp==0 && !d.bMore && d.w<((u64)1<<53) ){
    *pr = (double)(i64)d.w;
  }else{
    *pr = kvBitsToDouble(numNearest(z, &d, iExp));
  }
  return i;
}

int kvIsSafeInteger(double r){
  return r>=-(double)KV_MAX_SAFE && r<=(double)KV_MAX_SAFE && r==(double)(i64)r;
}

u64 kvNumModulo(double r){
  u64 u = kvDoubleToBits(r), m;
  int e = (int)((u>>52) & 0x7ff) - 1075;
  if( e==0x7ff-1075 || e<-52 ) return 0;
  m = (u & 0xfffffffffffffu) | 0x10000000000000u;
  if( e<0 ){
    m >>= -e;
  }else{
    m = e<64 ? m<<e : 0;
  }
  return u>>63 ? 0-m : m;
}
