/*
** num_test.c -- numbers and bigints as text (codec/num/num.h).
**
** Usage:  num_test [SEED]
*/
#include "unit/unit.h"
#include "codec/num/num.h"
#include "codec/num/bigint.h"

/* What String(x) gave in Deno 2.9.6, but for -0. */
static const struct { u64 u; const char *z; } aPrint[] = {
  { 0x0000000000000000u, "0" },
  { 0x3ff0000000000000u, "1" },
  { 0xbff0000000000000u, "-1" },
  { 0x4024000000000000u, "10" },
  { 0x4059000000000000u, "100" },
  { 0x405ec00000000000u, "123" },
  { 0x430c6bf526340000u, "1000000000000000" },
  { 0x433fffffffffffffu, "9007199254740991" },
  { 0x4340000000000000u, "9007199254740992" },
  { 0x4340000000000001u, "9007199254740994" },
  { 0xc340000000000000u, "-9007199254740992" },
  { 0x4415af1d78b58c40u, "100000000000000000000" },
  { 0x444b1ae4d6e2ef50u, "1e+21" },
  { 0x4480f0cf064dd592u, "1e+22" },
  { 0x44b52d02c7e14af6u, "1e+23" },
  { 0x441ac53a7e04bcdau, "123456789012345680000" },
  { 0x3e8421f5f40d8376u, "1.5e-7" },
  { 0x3eb0c6f7a0b5ed8du, "0.000001" },
  { 0x3e7ad7f29abcaf48u, "1e-7" },
  { 0x3eb4b3fd5942cd96u, "0.000001234" },
  { 0x3fb999999999999au, "0.1" },
  { 0x3fc999999999999au, "0.2" },
  { 0x3fd3333333333333u, "0.3" },
  { 0x3fd3333333333334u, "0.30000000000000004" },
  { 0x3fd5555555555555u, "0.3333333333333333" },
  { 0x3fe5555555555555u, "0.6666666666666666" },
  { 0x3fe0000000000000u, "0.5" },
  { 0x3ff8000000000000u, "1.5" },
  { 0xbff8000000000000u, "-1.5" },
  { 0x405edd2f1a9fbe77u, "123.456" },
  { 0x4059100000000000u, "100.25" },
  { 0x54b249ad2594c37du, "1e+100" },
  { 0x7fefffffffffffffu, "1.7976931348623157e+308" },
  { 0x0000000000000001u, "5e-324" },
  { 0x0000000000000002u, "1e-323" },
  { 0x0010000000000000u, "2.2250738585072014e-308" },
  { 0x000fffffffffffffu, "2.225073858507201e-308" },
  { 0x4340000000000000u, "9007199254740992" },
  { 0x4011666666666666u, "4.35" },
  { 0x3f02599ed7c6fbd2u, "0.000035" },
  { 0x3ee711947cfa26a2u, "0.000011" },
  { 0x41b1de784a1f7ceeu, "299792458.123" },
  { 0x390b860bde023111u, "6.62607015e-34" },
  { 0x44dfe185ca57c517u, "6.02214076e+23" },
  { 0x43e0000000000000u, "9223372036854776000" },
  { 0x43f0000000000000u, "18446744073709552000" },
  { 0x3e70000000000000u, "5.960464477539063e-8" },
  { 0x4580000000000000u, "6.189700196426902e+26" },
  { 0x2160000000000000u, "6.256509672447191e-148" },
  { 0x0100000000000000u, "7.291122019556398e-304" },
  { 0x5580000000000000u, "7.167183174968974e+103" },
  { 0x3eb0000000000000u, "9.5367431640625e-7" },
  { 0x3ee4f8b588e368f1u, "0.00001" },
  { 0x445043561a882930u, "1.2e+21" },
  { 0x4484542ba12a337cu, "1.2e+22" },
  { 0x7ff8000000000000u, "NaN" },
  { 0x7ff0000000000000u, "Infinity" },
  { 0xfff0000000000000u, "-Infinity" },
  { 0x4330000000000000u, "4503599627370496" },
  { 0x432fffffffffffffu, "4503599627370495.5" },
  { 0x39b279a9c8073d8bu, "9.109e-31" },
  { 0x3ff3c0ca428c59fbu, "1.2345678901234567" },
  { 0x3ea0c6f7a0b5ed8du, "5e-7" },
  { 0x3c36b082c2148b8eu, "1.23e-18" },
  { 0x36dc8b8218854567u, "2e-44" },
  { 0x447c7e83209e90b2u, "8.41e+21" },
  { 0x43f2250fa08398d4u, "20919495182368195000" },
  { 0x4350000000000000u, "18014398509481984" },
  { 0x44b312d000000000u, "9.007199254740992e+22" },
  { 0xbe7ad7f29abcaf48u, "-1e-7" },
  { 0xbee4f8b588e368f1u, "-0.00001" },
  { 0xc44b1ae4d6e2ef50u, "-1e+21" },
  { 0x8000000000000000u, "-0" },
  { 0xfff8000000000000u, "NaN" },
  { 0x7ff0000000000001u, "NaN" },
};

/* What Number(text) gave in Deno 2.9.6. */
static const struct { const char *z; u64 u; } aRead[] = {
  { "0", 0x0000000000000000u },
  { "1", 0x3ff0000000000000u },
  { "00", 0x0000000000000000u },
  { "007", 0x401c000000000000u },
  { "1.", 0x3ff0000000000000u },
  { "1.0", 0x3ff0000000000000u },
  { ".5", 0x3fe0000000000000u },
  { "0.5", 0x3fe0000000000000u },
  { "1e3", 0x408f400000000000u },
  { "1E3", 0x408f400000000000u },
  { "1e+3", 0x408f400000000000u },
  { "1e-3", 0x3f50624dd2f1a9fcu },
  { "1.e2", 0x4059000000000000u },
  { ".5e1", 0x4014000000000000u },
  { "9007199254740993", 0x4340000000000000u },
  { "9007199254740992.9999", 0x4340000000000000u },
  { "9007199254740993.0000000000000000001", 0x4340000000000001u },
  { "9007199254740995", 0x4340000000000002u },
  { "9007199254740994.9999999999999999999", 0x4340000000000001u },
  { "1.7976931348623157e308", 0x7fefffffffffffffu },
  { "1.7976931348623158e308", 0x7fefffffffffffffu },
  { "1.7976931348623159e308", 0x7ff0000000000000u },
  { "179769313486231580793e289", 0x7ff0000000000000u },
  { "1e308", 0x7fe1ccf385ebc8a0u },
  { "1e309", 0x7ff0000000000000u },
  { "1e400", 0x7ff0000000000000u },
  { "1e99999999999999999999", 0x7ff0000000000000u },
  { "1e-99999999999999999999", 0x0000000000000000u },
  { "0e99999999999999999999", 0x0000000000000000u },
  { "5e-324", 0x0000000000000001u },
  { "2.4703282292062327e-324", 0x0000000000000000u },
  { "2.4703282292062328e-324", 0x0000000000000001u },
  { "2.4703282292062327208e-324", 0x0000000000000000u },
  { "2.47032822920623272088284396434110686182e-324", 0x0000000000000000u },
  { "2.47032822920623272088284396434110686183e-324", 0x0000000000000001u },
  { "2e-324", 0x0000000000000000u },
  { "3e-324", 0x0000000000000001u },
  { "7.4109846876186981626e-324", 0x0000000000000001u },
  { "7.4109846876186981627e-324", 0x0000000000000002u },
  { "2.2250738585072011e-308", 0x000fffffffffffffu },
  { "2.2250738585072012e-308", 0x0010000000000000u },
  { "2.2250738585072014e-308", 0x0010000000000000u },
  { "2.2250738585072013830902327e-308", 0x0010000000000000u },
  { "0.1", 0x3fb999999999999au },
  { "0.3", 0x3fd3333333333333u },
  { "1e22", 0x4480f0cf064dd592u },
  { "1e23", 0x44b52d02c7e14af6u },
  { "8.5e22", 0x44b1ffdbf6b2b2ebu },
  { "123456789012345678901234567890", 0x45f8ee90ff6c373eu },
  { "0.000000000000000000000000000000000000000000000000000000001", 0x34191bc08eac9a41u },
  { "6.9294956446009195e15", 0x43389e56ee5e7a58u },
  { "8.988465674311579e307", 0x7fdfffffffffffffu },
  { "8.98846567431158e307", 0x7fe0000000000000u },
  { "9214843084008499", 0x43405e6cec57761au },
  { "0.500000000000000166533453693773481063544750213623046875", 0x3fe0000000000002u },
  { "3.518437208883201171875e13", 0x42c0000000000002u },
  { "62.5364939768271845828", 0x404f44abd5aa7ca4u },
  { "8.10109172351e-10", 0x3e0bd5cbaef0fd0cu },
  { "1.50000000000000011102230246251565404", 0x3ff8000000000000u },
  { "4503599627370497.5", 0x4330000000000002u },
  { "4503599627370496.5", 0x4330000000000000u },
  { "4503599627370497.4999999999999999999999", 0x4330000000000001u },
  { "1090544144181609348671888949248", 0x462b8779f2474dfau },
  { "1090544144181609348835077142190", 0x462b8779f2474dfbu },
  { "10000000000000000000000000000000000000000e-40", 0x3ff0000000000000u },
  { "1.00000005960464477550", 0x3ff0000010000000u },
};

/* x.toString(16) and x.toString() of bigints in Deno 2.9.6. */
static const struct { const char *zHex, *zDec; } aBig[] = {
  { "0",
    "0" },
  { "1",
    "1" },
  { "9",
    "9" },
  { "a",
    "10" },
  { "ff",
    "255" },
  { "100",
    "256" },
  { "ffffffffffffffff",
    "18446744073709551615" },
  { "10000000000000000",
    "18446744073709551616" },
  { "8ac7230489e7ffff",
    "9999999999999999999" },
  { "8ac7230489e80000",
    "10000000000000000000" },
  { "4b3b4ca85a86c47a098a224000000000",
    "100000000000000000000000000000000000000" },
  { "161bcca7119915b50764b4abe86529797775a5f171950fffffffffffffffffff",
    "99999999999999999999999999999999999999999999999999999999999999999999"
      "99999999" },
  { "161bcca7119915b50764b4abe86529797775a5f1719510000000000000000000",
    "10000000000000000000000000000000000000000000000000000000000000000000"
      "000000000" },
  { "1655d2ce0563f7604e438536ea8bd18717a8d41ba44b36007fc71bfeedf8ddaa6168"
    "bcc52f6106c8206c1293f75602875a28bd71067dec768f857b788769fe7d07580e5e"
    "29afcfd919fb9a70357d9830e106a8c5a03ca5239747c67cf0f71db37d9dd11",
    "36360291795869936842385267079543319118023385026001623040346035832580"
      "60019158389548419850826297938878330817970253440385575285593151701306"
      "61429924309165620257800217712478476434501253428365658132099725903715"
      "90152578728008385990139795377610001" },
  { "29544d26e4d03deca5702126c3c62a76f897dce446b01889add9f48dfa0f0d184935"
    "5301407d36c4f53c82ac5264bed3c999f7d1f267705beeafa0e39810ff6094c306aa"
    "5ed628813de1b0bfc7849ffb346ef1d1130afb4b9ba03e575dc378e3c01e447f657f"
    "ba6c739fb5c5cdba375ddd85119ab3f86816bd88dcc34638cbf36281964569294753"
    "461f532c2929d791690a2998d2d274934599e63d9526e082cdbe2dd2946d197aef31"
    "0506361dd9972d0d476b80d1343470c34b23de9407f6fc3fcf5e79027c117aadcbf3"
    "f25e4238d096ec1f49e0651c46491380c0ca3a9f474d742e6a67154fdc8a9f43666d"
    "2dbd64b0015f3dcacc8ce2393f8ff31225271",
    "83477456973437911699361082353995124449197528617051924367765429324318"
      "82218615960918149221433562615687758936984304565470457833795792763684"
      "20468795679499679730099504135812536877145484150894677083077857306316"
      "67854794393475120354130211999424497046932219710088935561284239937329"
      "54567633886174940934646456271974726526499919994146039954614667198236"
      "26731062486210256171498642510106733510246309984598895613531803841139"
      "67278375852473222389739769639019631629909151638975856881066611581664"
      "78738749982658247122007479080012324317292309025048257934661946696339"
      "25280089797387819793717438145781127993593546999680451790619694385564"
      "43249" },
  { "80000000000000000000000000000000000000000000000000000000000000000000"
    "00000000000000000000000000000000000000000000000000000000000000000000"
    "00000000000000000000000000000000000000000000000000000000000000000000"
    "00000000000000000000000000000000000000000000000000000000000000000000"
    "00000000000000000000000000000000000000000000000000000000000000000000"
    "00000000000000000000000000000000000000000000000000000000000000000000"
    "00000000000000000000000000000000000000000000000000000000000000000000"
    "000000000000000000000000000000000000",
    "16158503035655503650357438344334975980222051334857742016065172713762"
      "32756943394544659860070576145673184435898046094900974705977957524546"
      "05475440761932241415603154386836504980458750988751948260533980288191"
      "92033784138396109321309878080919047169238085235290822926018152521443"
      "78794577053290430377619956196519276095716669483417121034248739328228"
      "47474280880176631610290389028296655130963542301570751292964320885583"
      "62971801859230928678799175576150822952201848806616643615613562842355"
      "41010486257855086346566173483927129032834896752299863417649931910776"
      "25831947186677718010677166148023226592393024760740967779268055297981"
      "15328" },
  { "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
    "ffffffffffffffffffffffffffffffffffff",
    "32317006071311007300714876688669951960444102669715484032130345427524"
      "65513886789089319720141152291346368871796092189801949411955915049092"
      "10950881523864482831206308773673009960917501977503896521067960576383"
      "84067568276792218642619756161838094338476170470581645852036305042887"
      "57589154106580860755239912393038552191433338966834242068497478656456"
      "94948561760353263220580778056593310261927084603141502585928641771167"
      "25943603718461857357598351152301645904403697613233287231227125684710"
      "82020972515710172693132346967854258065669793504599726835299863821552"
      "51663894373355436021354332296046453184786049521481935558536110595962"
      "30655" },
  { "4f371b3399fc2ab08170041c9feb05aac7c343447c75bcf5866a5bb3056e349858e8"
    "74f432755f5187bb3582ccd431b73ac3d8617b19bb8dabc1bb00ed02a9901322edfa"
    "b59b6580118b0363baf9285a7c9dcfa4965909873c4cc5a2eff46fa47a9d48e0d4a1"
    "c13e71ee3be5cfb48293fde879e3907254ab4cbaa9d611834ae74a45b725c05dcb0a"
    "b6940a7f9959d43e2596b7ef656501f55396f749356d54d155a60a694381d93ec7ea"
    "b617a30eaa9d44ac6100000000000000000000000000000000000000000000000000"
    "00000000000000000000000000000000000000000000000000000000000000000000"
    "000000000000000000000000000000000001",
    "10000000000000000000000000000000000000000000000000000000000000000000"
      "00000000000000000000000000000000000000000000000000000000000000000000"
      "00000000000000000000000000000000000000000000000000000000000000000000"
      "00000000000000000000000000000000000000000000000000000000000000000000"
      "00000000000000000000000000000000000000000000000000000000000000000000"
      "00000000000000000000000000000000000000000000000000000000000000000000"
      "00000000000000000000000000000000000000000000000000000000000000000000"
      "00000000000000000000000000000000000000000000000000000000000000000000"
      "00000000000000000000000000000000000000000000000000000000000000000000"
      "00001" },
};

/* Print r, terminated. */
static char *print(double r){
  static char z[KV_NUM_TEXT+2];
  int n;
  memset(z, '#', sizeof(z));
  n = kvNumPrint(r, z);
  CHECK( n>0 && n<=KV_NUM_TEXT && z[KV_NUM_TEXT]=='#' );
  z[n] = 0;
  return z;
}

/* Read the n bytes z, from memory that ends with them. */
static u64 readBits(const char *z, u32 n, u32 *pnRead){
  double r = -1;
  char *a = malloc(n ? n : 1);
  memcpy(a, z, n);
  *pnRead = kvNumParse(kvBytes(a, n), &r);
  free(a);
  return kvDoubleToBits(r);
}

/* CHECK that all of z is read as the double with the bits u. */
static void checkRead(const char *z, u64 u){
  u32 nRead, n = (u32)strlen(z);
  u64 uRead = readBits(z, n, &nRead);
  CHECK_OF( nRead==n && uRead==u, z );
}

static void testVectors(void){
  size_t i;
  for(i=0; i<sizeof(aPrint)/sizeof(aPrint[0]); i++){
    CHECK_OF( strcmp(print(kvBitsToDouble(aPrint[i].u)), aPrint[i].z)==0,
              aPrint[i].z );
  }
  for(i=0; i<sizeof(aRead)/sizeof(aRead[0]); i++){
    checkRead(aRead[i].z, aRead[i].u);
  }
}

/* How far a text is read. */
static void testExtent(void){
  static const struct { const char *z; u32 n; } a[] = {
    { "", 0 }, { ".", 0 }, { "..1", 0 }, { "e1", 0 }, { ".e1", 0 }, { "-1", 0 },
    { "+1", 0 }, { " 1", 0 }, { "Infinity", 0 }, { "1.2.3", 3 }, { "1..2", 2 },
    { "1e", 1 }, { "1e+", 1 }, { "1e-x", 1 }, { "1.e", 2 }, { "1e5.5", 3 },
    { "1_0", 1 }, { "0x10", 1 }, { "12n", 2 }, { "1e5e5", 3 }, { "1,5", 1 },
  };
  size_t i;
  u32 n;
  for(i=0; i<sizeof(a)/sizeof(a[0]); i++){
    readBits(a[i].z, (u32)strlen(a[i].z), &n);
    CHECK_OF( n==a[i].n, a[i].z );
  }
}

/*
** Many digits: the middle between 1 and the next double, with zeros and then
** perhaps something else after it, and numbers with many zeros.
*/
static void testLong(void){
  static const char zMiddle[] =
    "1.00000000000000011102230246251565404236316680908203125";
  const u64 uOne = 0x3ff0000000000000u;
  u32 n = 1000000, nRead;
  char *z = malloc(n);
  memset(z, '0', n);
  memcpy(z, zMiddle, sizeof(zMiddle)-1);
  CHECK( readBits(z, n, &nRead)==uOne && nRead==n );
  z[n-1] = '1';
  CHECK( readBits(z, n, &nRead)==uOne+1 && nRead==n );
  z[sizeof(zMiddle)-2] = '4';
  CHECK( readBits(z, n, &nRead)==uOne && nRead==n );
  memset(z, '0', n);
  z[1] = '.';
  memcpy(&z[n-8], "1e999993", 8);               /* 10^-999991 * 10^999993 */
  CHECK( readBits(z, n, &nRead)==kvDoubleToBits(100) && nRead==n );
  memset(z, '0', n);
  z[0] = '1';
  memcpy(&z[n-8], "e-999991", 8);
  CHECK( readBits(z, n, &nRead)==uOne && nRead==n );
  memset(z, '9', n);
  CHECK( readBits(z, n, &nRead)==(u64)0x7ff<<52 && nRead==n );
  free(z);
}

static void testInt(void){
  static const struct { i64 v; const char *z; } a[] = {
    { 0, "0" }, { 9, "9" }, { 10, "10" }, { 99, "99" }, { 100, "100" },
    { -1, "-1" }, { 1234567, "1234567" },
    { INT64_MAX, "9223372036854775807" }, { INT64_MIN, "-9223372036854775808" },
  };
  size_t i;
  char z[24];
  for(i=0; i<sizeof(a)/sizeof(a[0]); i++){
    int n = kvIntPrint(a[i].v, z);
    CHECK_OF( n==(int)strlen(a[i].z) && memcmp(z, a[i].z, (size_t)n)==0, a[i].z );
  }
}

/* Random doubles: what is printed is read as the same double. */
static void testRoundTrip(void){
  int i;
  for(i=0; i<100000; i++){
    u64 u = unitRandom();
    switch( i%5 ){
      case 0: u &= ((u64)1<<52)-1; break;                  /* subnormal */
      case 1: u = (u>>52<<52) + (u & 7) - 3; break;        /* near 2^k */
      case 2: u = kvDoubleToBits((double)(u>>(u & 63))); break;
      case 3: u = kvDoubleToBits((double)(u>>40)/1000); break;
      default: break;
    }
    u &= ~((u64)1<<63);
    if( (u>>52)==0x7ff ) continue;
    checkRead(print(kvBitsToDouble(u)), u);
  }
}

/* Big integers: text to bytes and back, in all bases, over each other. */
static void testBig(void){
  size_t i;
  for(i=0; i<sizeof(aBig)/sizeof(aBig[0]); i++){
    u32 nHex = (u32)strlen(aBig[i].zHex), nDec = (u32)strlen(aBig[i].zDec);
    u8 *aHex = malloc((size_t)kvBigBound(nHex));
    u8 *aDec = malloc((size_t)kvBigBound(nDec));
    u32 n1 = kvBigParse(kvBytes(aBig[i].zHex, nHex), 16, aHex);
    u32 n2 = kvBigParse(kvBytes(aBig[i].zDec, nDec), 10, aDec);
    KvBuf out;
    CHECK_OF( n1==n2 && memcmp(aHex, aDec, n1)==0, aBig[i].zHex );
    kvBufInit(&out, 0, 0);
    kvBufPut(&out, '-');
    kvBigPrint(&out, kvBytes(aHex, n1));
    CHECK_OF( out.n==nDec+1 && memcmp(&out.a[1], aBig[i].zDec, nDec)==0,
              aBig[i].zDec );
    kvBufClear(&out);
    free(aHex);
    free(aDec);
  }
}

/* CHECK that bytes survive being printed in decimal, and in base 2^nBit. */
static void checkMagnitude(const u8 *a, u32 n){
  static const char zDigit[] = "0123456789ABCDEF";
  u32 nDec = 0, i, nBack, nBit;
  KvBuf out;
  u8 *aBack;
  char *z;
  kvBufInit(&out, 0, 0);
  kvBigPrint(&out, kvBytes(a, n));
  nDec = out.n;
  aBack = malloc((size_t)kvBigBound(nDec));
  nBack = kvBigParse(kvBytes(out.a, nDec), 10, aBack);
  CHECK( nDec>0 && (nDec==1 || out.a[0]!='0') );
  CHECK( nBack==n && memcmp(aBack, a, n)==0 );
  kvBufClear(&out);
  free(aBack);
  for(nBit=1; nBit<=4; nBit++){
    u32 nDigit = n*8/nBit + 1;
    if( nBit==2 ) continue;
    z = malloc(nDigit);
    aBack = malloc((size_t)kvBigBound(nDigit));
    for(i=0; i<nDigit; i++){
      u32 b, d = 0;
      for(b=0; b<nBit; b++){
        u32 iBit = (nDigit-1-i)*nBit + b;
        if( iBit<8*n ) d |= (u32)(a[iBit/8]>>(iBit%8) & 1)<<b;
      }
      z[i] = zDigit[d];
    }
    nBack = kvBigParse(kvBytes(z, nDigit), 1<<nBit, aBack);
    CHECK( nBack==n && memcmp(aBack, a, n)==0 );
    free(z);
    free(aBack);
  }
}

static void testBigRandom(void){
  u8 a[700];
  u32 i, j, n;
  for(i=0; i<2000; i++){
    n = i<700 ? i : unitBelow(700);
    for(j=0; j<n; j++) a[j] = i%3==1 ? 0xff : i%3==2 ? 0 : (u8)unitRandom();
    if( n && a[n-1]==0 ) a[n-1] = 1;
    checkMagnitude(a, n);
  }
}

/* The longest numbers.  Leading zeros count for nothing but length. */
static void testBigLong(void){
  u32 n = KV_BIG_DIGITS - 3000, i, nMag;
  char *z = malloc(n + 4000);
  u8 *a = malloc((size_t)kvBigBound(n + 4000));
  KvBuf out;
  memset(z, '0', 100);
  for(i=0; i<n; i++) z[100+i] = (char)('0' + unitBelow(10));
  z[100] = '7';
  nMag = kvBigParse(kvBytes(z, n+100), 10, a);
  kvBufInit(&out, 0, 0);
  kvBigPrint(&out, kvBytes(a, nMag));
  CHECK( out.n==n && memcmp(out.a, &z[100], n)==0 );
  kvBufClear(&out);
  CHECK( kvBigParse(kvBytes(z, 100), 10, a)==0 );
  CHECK( kvBigParse(kvBytes(z, 100), 16, a)==0 );
  CHECK( kvBigReads(kvBytes(z, KV_BIG_DIGITS), 10) && !kvBigReads(kvBytes(z, KV_BIG_DIGITS+1), 10) );
  CHECK( kvBigReads(kvBytes(z, KV_BIG_DIGITS+1), 16) );
  free(z);
  free(a);
}

/* The decimal digits and the magnitude modulo some primes are the same. */
static int sameResidues(const char *z, u32 n, const u8 *a, u32 nMag){
  static const u32 aPrime[] = {2147483647, 4294967291u};
  size_t k;
  u32 i;
  for(k=0; k<sizeof(aPrime)/sizeof(aPrime[0]); k++){
    u64 r1 = 0, r2 = 0;
    for(i=0; i<n; i++) r1 = (r1*10 + (u64)(z[i]-'0')) % aPrime[k];
    for(i=nMag; i>0; i--) r2 = (r2*256 + a[i-1]) % aPrime[k];
    if( r1!=r2 ) return 0;
  }
  return 1;
}

/* Read n digits and print them. */
static void checkDigits(const char *z, u32 n){
  u8 *a = malloc((size_t)kvBigBound(n));
  u32 nMag = kvBigParse(kvBytes(z, n), 10, a);
  KvBuf out;
  CHECK( nMag>0 && a[nMag-1]!=0 );
  CHECK( sameResidues(z, n, a, nMag) );
  kvBufInit(&out, 0, 0);
  kvBigPrint(&out, kvBytes(a, nMag));
  CHECK( out.eErr==KV_OK && out.n==n && memcmp(out.a, z, n)==0 );
  kvBufClear(&out);
  free(a);
}

/* Lengths around powers of two, and digits that carry all the way. */
static void testBigCarry(void){
  static const u32 aLen[] = {78912, 78913, 78914, 131071, 131072, 131073, 157826};
  size_t k;
  u32 i;
  for(k=0; k<sizeof(aLen)/sizeof(aLen[0]); k++){
    u32 n = aLen[k];
    char *z = malloc(n);
    memset(z, '9', n);
    checkDigits(z, n);
    memset(z, '0', n);
    z[0] = '1';
    checkDigits(z, n);
    for(i=0; i<n; i++) z[i] = (char)('0' + unitBelow(10));
    z[0] = '3';
    checkDigits(z, n);
    free(z);
  }
}

/* Magnitudes of just 1 and 0 bits; those that are too large are printed in hexadecimal. */
static void testBigBits(void){
  static const u32 aLen[] = {32767, 32768, 32769, 32776, 65535, 65536, 65537, 65544, 1000000};
  size_t k;
  for(k=0; k<sizeof(aLen)/sizeof(aLen[0]); k++){
    u32 n = aLen[k], i;
    u8 *a = malloc(n);
    for(i=0; i<2; i++){
      const u32 nHead = n>KV_BIG_BYTES ? 2 : 0;
      KvBuf out;
      u8 *aBack;
      memset(a, i ? 0xff : 0, n);
      a[n-1] = i ? 0xff : 1;
      kvBufInit(&out, 0, 0);
      kvBigPrint(&out, kvBytes(a, n));
      CHECK( out.eErr==KV_OK && (nHead ? memcmp(out.a, i ? "0xff" : "0x10", 4)==0 : out.a[0]!='0') );
      CHECK( nHead || sameResidues((char*)out.a, out.n, a, n) );
      CHECK( nHead==0 || out.n==2*n + 1 + i );
      aBack = malloc((size_t)kvBigBound(out.n));
      CHECK( kvBigParse(kvBytesFrom(kvBufBytes(&out), nHead), nHead ? 16 : 10, aBack)==n );
      CHECK( memcmp(a, aBack, n)==0 );
      free(aBack);
      kvBufClear(&out);
    }
    free(a);
  }
}


int main(int argc, char **argv){
  unitSeed(argc, argv);
  testVectors();
  testExtent();
  testLong();
  testInt();
  testRoundTrip();
  testBig();
  testBigRandom();
  testBigLong();
  testBigCarry();
  testBigBits();
  return unitDone();
}
