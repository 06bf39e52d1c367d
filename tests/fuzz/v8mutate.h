/*
** v8mutate.h -- mutation of V8-encoded values that knows their structure.
**
** The bytes are read into a forest of pieces: a leaf is a value that holds no
** other, as it is; a container has its pieces as children, and its counts are
** made again when it is written.  Pieces are then copied, moved, removed,
** wrapped, replaced by new ones or by references.  What does not parse, and
** some of what does, is left to plain mutation.
**
**   container   children                            written as
**   o           key value ...                       o ... { pairs
**   A           elements                            A n ... $ 0 n
**   a           index value ...                     a n ... @ pairs n
**   ;           key value ...                       ; ... : n
**   '           elements                            ' ... , n
**   r           a leaf or a part 'm' 's' 'c'         r [proto] ... .
**   \           one value                           \ FFFFFFFF0F value
*/
#ifndef KV_V8MUTATE_H
#define KV_V8MUTATE_H

#include "fuzz/fuzz.h"

#define VM_PIECES 4096
#define VM_DEPTH  64
#define VM_OUT    (1<<16)

typedef struct VmPiece VmPiece;
struct VmPiece {
  u8 eTag;                /* Of a container, or 0: a leaf */
  u8 ePre;                /* Bytes before it: 'm' 's' 'c' in an Error, or 0 */
  u8 eProto;              /* r: the letter after it, or 0 */
  u32 iFirst, iNext;      /* Links, 0: none */
  u32 iData, nData;       /* Leaf: its bytes in vm.a */
};

static struct {
  u64 iState;             /* Random numbers */
  VmPiece a[VM_PIECES];   /* Piece 0 is not used */
  u32 n;
  u8 aData[VM_OUT*2];     /* The bytes of the leaves */
  u32 nData;
  u8 aOut[VM_OUT];
  u32 nOut;
} vm;

static u32 vmRandom(u32 n){
  vm.iState = vm.iState*6364136223846793005u + 1442695040888963407u;
  return (u32)(vm.iState>>33) % n;
}

/************************************************************************
** Reading
*/
typedef struct VmIn VmIn;
struct VmIn {
  const u8 *z, *zEnd;
  int bFlags;             /* Views have flags */
};

static int vmVarint(VmIn *p, u64 *pv){
  int nShift = 0;
  *pv = 0;
  while( p->z<p->zEnd ){
    u8 c = *p->z++;
    if( nShift<64 ) *pv |= (u64)(c & 0x7f)<<nShift;
    if( c<0x80 ) return 1;
    nShift += 7;
  }
  return 0;
}
static int vmSkip(VmIn *p, u64 n){
  if( n>(u64)(p->zEnd - p->z) ) return 0;
  p->z += n;
  return 1;
}
static u32 vmNew(u8 eTag){
  if( vm.n>=VM_PIECES ) return 0;
  memset(&vm.a[vm.n], 0, sizeof(VmPiece));
  vm.a[vm.n].eTag = eTag;
  return vm.n++;
}
static u32 vmLeaf(const u8 *z, size_t n){
  u32 i;
  if( n>sizeof(vm.aData) - vm.nData ) return 0;
  i = vmNew(0);
  if( i==0 ) return 0;
  memcpy(&vm.aData[vm.nData], z, n);
  vm.a[i].iData = vm.nData;
  vm.a[i].nData = (u32)n;
  vm.nData += (u32)n;
  return i;
}

/* A value that holds no other; the cursor is after its tag. */
static int vmPlain(VmIn *p, u8 eTag){
  u64 v;
  switch( eTag ){
    case '_': case '0': case 'T': case 'F': case 'x': case 'y': case '-':
      return 1;
    case 'I': case 'U': case '^':
      return vmVarint(p, &v);
    case 'N': case 'D': case 'n':
      return vmSkip(p, 8);
    case '"': case 'c': case 'S':
      return vmVarint(p, &v) && vmSkip(p, v);
    case 'Z': case 'z':
      return vmVarint(p, &v) && vmSkip(p, v/2);
    case 's': case 'R':
      while( p->z<p->zEnd && *p->z==0 ) p->z++;
      if( p->z>=p->zEnd || !vmPlain(p, *p->z++) ) return 0;
      return eTag=='s' || vmVarint(p, &v);
    case '~': {
      u64 nMost;
      return vmVarint(p, &v) && vmVarint(p, &nMost) && vmSkip(p, v);
    }
    case 'B': case 'C':
      return vmVarint(p, &v) && vmSkip(p, v);
    default:
      return 0;
  }
}
static int vmView(VmIn *p){
  const u8 *z = p->z;
  u64 v;
  while( z<p->zEnd && *z==0 ) z++;
  if( z>=p->zEnd || *z!='V' ) return 1;
  p->z = z + 1;
  if( !vmSkip(p, 1) || !vmVarint(p, &v) || !vmVarint(p, &v) ) return 0;
  return p->bFlags ? vmVarint(p, &v) : 1;
}
static int vmEnd(u8 eTag){
  switch( eTag ){
    case 'o': return '{';
    case 'A': return '$';
    case 'a': return '@';
    case ';': return ':';
    case '\'': return ',';
    case 'r': return '.';
    default: return 0;
  }
}
static u32 vmValue(VmIn *p, int nDepth);

/* The children of container i, and its end. */
static int vmChildren(VmIn *p, u32 i, int nDepth){
  u32 *piLink = &vm.a[i].iFirst;
  u8 eTag = vm.a[i].eTag, eEnd = (u8)vmEnd(eTag);
  u64 v;
  int nEnd = eTag=='A' || eTag=='a' ? 2 : eTag=='r' ? 0 : 1;
  for(;;){
    u8 ePre = 0;
    u32 iChild;
    while( p->z<p->zEnd && *p->z==0 ) p->z++;
    if( p->z>=p->zEnd ) return 0;
    if( *p->z==eEnd ) break;
    if( eTag=='r' ) ePre = *p->z++;
    iChild = vmValue(p, nDepth+1);
    if( iChild==0 ) return 0;
    vm.a[iChild].ePre = ePre;
    *piLink = iChild;
    piLink = &vm.a[iChild].iNext;
  }
  p->z++;
  while( nEnd-->0 ) if( !vmVarint(p, &v) ) return 0;
  return 1;
}
static u32 vmValue(VmIn *p, int nDepth){
  const u8 *zStart;
  u64 v;
  u32 i;
  u8 eTag;
  while( p->z<p->zEnd && *p->z==0 ) p->z++;
  if( p->z>=p->zEnd || nDepth>VM_DEPTH ) return 0;
  zStart = p->z;
  eTag = *p->z++;
  if( eTag=='?' ) return vmVarint(p, &v) ? vmValue(p, nDepth+1) : 0;
  if( eTag=='\\' ){
    if( !vmVarint(p, &v) ) return 0;
    if( v<=12 ) return vmVarint(p, &v) && vmSkip(p, v) ? vmLeaf(zStart, (size_t)(p->z - zStart)) : 0;
    i = vmNew(eTag);
    if( i ) vm.a[i].iFirst = vmValue(p, nDepth+1);
    return i && vm.a[i].iFirst ? i : 0;
  }
  if( vmEnd(eTag) ){
    i = vmNew(eTag);
    if( i==0 ) return 0;
    if( (eTag=='A' || eTag=='a') && !vmVarint(p, &v) ) return 0;
    if( eTag=='r' && p->z<p->zEnd && *p->z && strchr("ERFSTU", *p->z) ) vm.a[i].eProto = *p->z++;
    return vmChildren(p, i, nDepth) ? i : 0;
  }
  if( !vmPlain(p, eTag) ) return 0;
  if( strchr("BC~^", eTag) && !vmView(p) ) return 0;
  return vmLeaf(zStart, (size_t)(p->z - zStart));
}

/************************************************************************
** Writing
*/
static void vmPut(const void *a, u32 n){
  if( n<=VM_OUT - vm.nOut ) memcpy(&vm.aOut[vm.nOut], a, n);
  vm.nOut = n<=VM_OUT - vm.nOut ? vm.nOut + n : VM_OUT;
}
static void vmByte(u8 c){ vmPut(&c, 1); }
static void vmPutVarint(u64 v){
  int nPad = vmRandom(64)==0 ? (int)vmRandom(4) : 0;     /* over-long */
  while( v>=0x80 || nPad>0 ){
    vmByte((u8)(v | 0x80));
    v >>= 7;
    if( v==0 ) nPad--;
  }
  vmByte((u8)v);
}
/* A count, now and then a wrong one. */
static void vmCount(u32 n){
  if( vmRandom(64)==0 ) n = vmRandom(2) ? n+1 : vmRandom(2) ? n-1 : vmRandom(0x7fffffff);
  vmPutVarint(n);
}
static void vmWrite(u32 i, int nDepth){
  const VmPiece *p = &vm.a[i];
  u32 iChild, n = 0;
  if( nDepth>VM_DEPTH*2 || vm.nOut>=VM_OUT ) return;
  if( p->ePre ) vmByte(p->ePre);
  if( vmRandom(64)==0 && p->ePre==0 ) vmByte(vmRandom(2) ? 0 : '?');
  if( p->eTag==0 ){
    /* two-byte strings are aligned, most of the time */
    if( p->nData>1 && vm.aData[p->iData]=='c' && vmRandom(8) && vm.nOut%2!=0 && p->ePre==0 ) vmByte(0);
    vmPut(&vm.aData[p->iData], p->nData);
    return;
  }
  for(iChild=p->iFirst; iChild; iChild=vm.a[iChild].iNext) n++;
  vmByte(p->eTag);
  if( p->eTag=='\\' ) vmPut("\xff\xff\xff\xff\x0f", 5);
  if( p->eTag=='A' ) vmCount(n);
  if( p->eTag=='a' ) vmCount(vmRandom(4) ? n : vmRandom(4) ? 1000 : 0xfffffffe);
  if( p->eTag=='r' && p->eProto ) vmByte(p->eProto);
  for(iChild=p->iFirst; iChild; iChild=vm.a[iChild].iNext) vmWrite(iChild, nDepth+1);
  if( p->eTag=='\\' ) return;
  vmByte((u8)vmEnd(p->eTag));
  switch( p->eTag ){
    case 'o':  vmCount(n/2);             break;
    case 'A':  vmCount(0); vmCount(n);   break;
    case 'a':  vmCount(n/2); vmCount(n); break;
    case ';': case '\'': vmCount(n);     break;
    default:                             break;
  }
}

/************************************************************************
** Mutation
*/

/* A text and its length without the final zero. */
#define VM_TEXT(Z) { sizeof(Z)-1, Z }

/* A new leaf. */
static u32 vmFresh(void){
  static const struct { u8 n; const char *z; } a[] = {
    VM_TEXT("_"), VM_TEXT("0"), VM_TEXT("T"), VM_TEXT("F"), VM_TEXT("I\x02"), VM_TEXT("I\x01"), VM_TEXT("I\xfe\xff\xff\xff\x0f"), VM_TEXT("U\x80\x01"),
    VM_TEXT("N\0\0\0\0\0\0\xf8\x7f"), VM_TEXT("N\0\0\0\0\0\0\xf8\x3f"), VM_TEXT("N\0\0\0\0\0\0\0\x80"), VM_TEXT("N\0\0\0\0\0\0\xf0\x7f"),
    VM_TEXT("\"\0"), VM_TEXT("\"\x01" "a"), VM_TEXT("\"\x01" "1"), VM_TEXT("\"\x01\xe9"), VM_TEXT("\"\x09__proto__"), VM_TEXT("\"\x06length"), VM_TEXT("\"\x06" "a\nb\"\\\x01"),
    VM_TEXT("c\x02\xac\x20"), VM_TEXT("c\x02\x00\xd8"), VM_TEXT("c\x04\x3d\xd8\x00\xde"), VM_TEXT("c\x02" "a\0"), VM_TEXT("S\x03\xe2\x82\xac"),
    VM_TEXT("Z\0"), VM_TEXT("Z\x02\x0a"), VM_TEXT("Z\x10\1\0\0\0\0\0\0\0"), VM_TEXT("Z\x11\xff\xff\xff\xff\xff\xff\xff\xff"), VM_TEXT("z\x03\x05"),
    VM_TEXT("D\0\0\xc0\x25\x95\x4f\x77\x42"), VM_TEXT("D\0\0\0\0\0\0\xf8\x7f"), VM_TEXT("D\0\0\0\0\0\0\xf0\x3f"),
    VM_TEXT("R\"\x01" "a\x03"), VM_TEXT("R\"\x04(?:)\0"), VM_TEXT("R\"\x05[a-z]\x80\x02"), VM_TEXT("Rc\x02\xac\x20\x01"),
    VM_TEXT("x"), VM_TEXT("y"), VM_TEXT("n\0\0\0\0\0\0\xf0\x3f"), VM_TEXT("s\"\x01" "b"), VM_TEXT("-"),
    VM_TEXT("B\0"), VM_TEXT("B\x02\1\2"), VM_TEXT("B\x02\1\2VB\0\2\0"), VM_TEXT("B\x08\1\2\3\4\5\6\7\x08VW\2\4\0"), VM_TEXT("B\x08\1\2\3\4\5\6\7\x08VF\0\x08\0"),
    VM_TEXT("B\x08\1\2\3\4\5\6\7\xf8Vq\0\x08\0"), VM_TEXT("B\x02\1\2V?\1\1\0"), VM_TEXT("B\x02\0\x3cVh\0\2\0"), VM_TEXT("C\x02\1\2"),
    VM_TEXT("~\x02\x08\1\2VB\0\2\3"), VM_TEXT("~\x02\x08\1\2VB\0\1\2"), VM_TEXT("~\x02\x08\1\2"),
    VM_TEXT("^\0VB\0\0\0"), VM_TEXT("\\\x01\x02\x01\x02"), VM_TEXT("\\\x09\x02\x01\x02")
  };
  u32 k = vmRandom((u32)(sizeof(a)/sizeof(a[0])) + 4);
  u8 aRef[2] = {'^', 0};
  if( k<sizeof(a)/sizeof(a[0]) ) return vmLeaf((const u8*)a[k].z, a[k].n);
  aRef[1] = (u8)vmRandom(vmRandom(4) ? 6 : 40);
  return vmLeaf(aRef, 2);
}

/* A copy of a piece and all that is in it. */
static u32 vmClone(u32 i, int nDepth){
  u32 iNew = vmNew(vm.a[i].eTag), iChild, *piLink;
  if( iNew==0 || nDepth>VM_DEPTH ) return 0;
  vm.a[iNew] = vm.a[i];
  vm.a[iNew].iFirst = vm.a[iNew].iNext = 0;
  piLink = &vm.a[iNew].iFirst;
  for(iChild=vm.a[i].iFirst; iChild; iChild=vm.a[iChild].iNext){
    u32 iCopy = vmClone(iChild, nDepth+1);
    if( iCopy==0 ) break;
    *piLink = iCopy;
    piLink = &vm.a[iCopy].iNext;
  }
  return iNew;
}

/* A key that is probably new. */
static u32 vmKey(void){
  u8 a[16];
  u32 n = 1 + vmRandom(3), i;
  if( vmRandom(4)==0 ){
    a[0] = 'I';
    a[1] = (u8)(2*vmRandom(30));
    return vmLeaf(a, 2);
  }
  a[0] = '"';
  a[1] = (u8)n;
  for(i=0; i<n; i++) a[2+i] = (u8)('a' + vmRandom(26));
  return vmLeaf(a, n+2);
}

/* Put a piece into container i, before one of its children. */
static void vmInsert(u32 i, u32 iNew){
  VmPiece *p = &vm.a[i];
  u32 n = 0, nStep = p->eTag=='o' || p->eTag=='a' || p->eTag==';' ? 2 : 1;
  u32 *piLink = &p->iFirst, iChild, k;
  for(iChild=p->iFirst; iChild; iChild=vm.a[iChild].iNext) n++;
  if( p->eTag=='\\' ) return;
  for(k=vmRandom(n/nStep + 1)*nStep; k>0; k--) piLink = &vm.a[*piLink].iNext;
  if( nStep==2 ){
    u32 iKey = p->eTag==';' && vmRandom(2) ? vmFresh() : vmKey();
    if( iKey==0 ) return;
    vm.a[iKey].iNext = iNew;
    vm.a[iNew].iNext = *piLink;
    *piLink = iKey;
  }else{
    if( p->eTag=='r' ) vm.a[iNew].ePre = (u8)"mscc"[vmRandom(4)];
    vm.a[iNew].iNext = *piLink;
    *piLink = iNew;
  }
}

/* Where the link to piece i is. */
static u32 *vmLink(u32 i, u32 *piRoot){
  u32 k;
  if( *piRoot==i ) return piRoot;
  for(k=1; k<vm.n; k++){
    if( vm.a[k].iFirst==i ) return &vm.a[k].iFirst;
    if( vm.a[k].iNext==i ) return &vm.a[k].iNext;
  }
  return 0;
}

/* Put iNew where i is. */
static void vmReplace(u32 i, u32 iNew, u32 *piRoot){
  u32 *piLink = vmLink(i, piRoot);
  if( piLink==0 || iNew==0 ) return;
  vm.a[iNew].iNext = vm.a[i].iNext;
  vm.a[iNew].ePre = vm.a[i].ePre;
  *piLink = iNew;
}

static void vmWrap(u32 i, u32 *piRoot){
  static const u8 aTag[] = "oAa;'r\\";
  u32 iNew = vmNew(aTag[vmRandom(sizeof(aTag)-1)]);
  if( iNew==0 ) return;
  vmReplace(i, iNew, piRoot);
  vm.a[i].iNext = 0;
  vm.a[i].ePre = 0;
  if( vm.a[iNew].eTag=='\\' ) vm.a[iNew].iFirst = i;
  else vmInsert(iNew, i);
}

static void vmRemove(u32 i, u32 *piRoot){
  u32 *piLink = vmLink(i, piRoot);
  if( piLink==0 || piLink==piRoot ) return;
  *piLink = vm.a[i].iNext;
}

/* Plain mutation of the bytes of a leaf. */
static void vmBytes(u32 i){
  u8 a[512];
  u32 n = vm.a[i].nData;
  if( vm.a[i].eTag || n==0 || n>sizeof(a)/2 ) return;
  memcpy(a, &vm.aData[vm.a[i].iData], n);
  n = (u32)LLVMFuzzerMutate(a, n, sizeof(a));
  if( n==0 || n>sizeof(vm.aData) - vm.nData ) return;
  memcpy(&vm.aData[vm.nData], a, n);
  vm.a[i].iData = vm.nData;
  vm.a[i].nData = n;
  vm.nData += n;
}

static void vmStep(u32 *piRoot){
  u32 i = 1 + vmRandom(vm.n-1), j = 1 + vmRandom(vm.n-1), iNew;
  switch( vmRandom(9) ){
    case 0: vmReplace(i, vmClone(j, 0), piRoot);   break;
    case 1: vmReplace(i, vmFresh(), piRoot);       break;
    case 2: vmRemove(i, piRoot);                   break;
    case 3: vmWrap(i, piRoot);                     break;
    case 4: vmBytes(i);                            break;
    case 5:
      if( vm.a[i].eTag && vm.a[i].eTag!='\\' ) vm.a[i].eTag = (u8)"oAa;'r"[vmRandom(6)];
      break;
    default:
      if( vm.a[i].eTag==0 ) break;
      iNew = vmRandom(2) ? vmClone(j, 0) : vmFresh();
      if( iNew ) vmInsert(i, iNew);
      break;
  }
}

/*
** Mutate the encoding byte and the value after it.
*/
static size_t vmMutate(u8 *a, size_t n, size_t nMost, unsigned iSeed){
  VmIn in;
  u64 iVersion;
  u32 iRoot, k;
  vm.iState = iSeed;
  vmRandom(2);
  vm.n = 1;
  vm.nData = vm.nOut = 0;
  if( n<4 || a[0]!=1 || a[1]!=0xff || n>VM_OUT/2 || vmRandom(8)==0 ) return LLVMFuzzerMutate(a, n, nMost);
  in.z = a + 2;
  in.zEnd = a + n;
  if( !vmVarint(&in, &iVersion) ) return LLVMFuzzerMutate(a, n, nMost);
  in.bFlags = iVersion>=14;
  iRoot = vmValue(&in, 0);
  if( iRoot==0 ) return LLVMFuzzerMutate(a, n, nMost);
  for(k=1 + vmRandom(4); k>0; k--) vmStep(&iRoot);
  vmPut("\x01\xff", 2);
  vmByte(vmRandom(32)==0 ? (u8)(12 + vmRandom(6)) : vmRandom(8)==0 ? (u8)(13 + vmRandom(4)) : (u8)iVersion);
  vmWrite(iRoot, 0);
  if( vm.nOut>=VM_OUT || vm.nOut>nMost ) return LLVMFuzzerMutate(a, n, nMost);
  memcpy(a, vm.aOut, vm.nOut);
  return vm.nOut;
}

#endif /* KV_V8MUTATE_H */
