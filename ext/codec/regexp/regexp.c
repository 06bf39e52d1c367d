/*
** regexp.c -- check that a regular expression compiles.
**
** The grammar is the one that V8 accepts: ECMAScript with Annex B, with the
** modifiers and the duplicate group names of ES2025.  (u: only with flag u or
** v; else: only without both.)
**
**     pattern     = alternative ('|' alternative)*
**     alternative = (assertion | atom [quantifier])*
**     assertion   = ^ | $ | \b | \B | (?= pattern ) | (?! pattern )
**                 | (?<= pattern ) | (?<! pattern )
**     quantifier  = (* | + | ? | {n} | {n,} | {n,m}) [?]        n <= m
**     atom        = . | class | escape | \1 .. | \k<name>
**                 | ( pattern ) | (?<name> pattern ) | (?: pattern )
**                 | (?flags: pattern ) | (?flags-flags: pattern )
**                 | any character but ^$\.*+?()[]{}|
**                 | else: ] and }, and { where it begins no quantifier
**
** else: (?= and (?! may have a quantifier, and are atoms then.  The flags of
** (?flags-flags: are i, m and s, each once at the most and one at the least.
**
** \1 and so on: u: there must be as many groups.  \k: a group of that name must
** be somewhere; else: if no group has a name, \k is the letter k.
**
** A name may be given to two groups if they are in different alternatives of
** one pattern.  There are at most 32767 capturing groups.
**
** What the real thing accepts and this doesn't: classes (flag v) that nest
** more than 1000 deep.
*/
#include "codec/regexp/regexp.h"
#include "bytes/map.h"
#include "bytes/utf.h"
#include "codec/regexp/regexp_class.h"
#include "codec/regexp/regexp_esc.h"
#include "codec/regexp/regexp_ident.h"
#include "codec/value.h"

#define REG_MAX_GROUPS 32767

/* Kinds of open parentheses */
#define REG_ROOT    0     /* None: the pattern as a whole */
#define REG_GROUP   1     /* Capturing or not: may have a quantifier */
#define REG_AHEAD   2     /* (?= and (?!: may have one without u */
#define REG_BEHIND  3     /* (?<= and (?<!: may not have one */

/* A parenthesis that is not closed yet. */
typedef struct RegFrame RegFrame;
struct RegFrame {
  u32 eType;              /* REG_xxx */
  u32 iStart;             /* Offset of its '(' */
  u32 iBar;               /* Offset of the last '|' in it, or iStart */
};

typedef struct RegCheck RegCheck;
struct RegCheck {
  KvRe re;
  KvBuf frames;               /* RegFrame, outermost first */
  KvMap names;                /* Of groups: offset of the last of that name, +1 */
  KvMap refs;                 /* Of \k: offset of the first to that name, +1 */
};

/************************************************************************
** Groups.
*/

static RegFrame *regFrames(RegCheck *p){
  return (RegFrame*)(void*)p->frames.a;
}
static u32 regDepth(const RegCheck *p){
  return p->frames.n/(u32)sizeof(RegFrame);
}

/* Push a frame. */
static int regPush(RegCheck *p, u32 eType, u32 iStart){
  RegFrame f;
  f.eType = eType;
  f.iStart = f.iBar = iStart;
  kvBufAppend(&p->frames, &f, sizeof(f));
  return p->frames.eErr==KV_OK || kvReNoMem(&p->re);
}

/************************************************************************
** Names of groups.
*/

/* True if c may stand in a group's name (bStart: at its start). */
static int regIsName(u32 c, int bStart){
  u32 i, v, k = 0;
  if( c<0x80 ){
    if( kvReIsDigit(c) ) return !bStart;
    return (c>='a' && c<='z') || (c>='A' && c<='Z') || c=='_' || c=='$';
  }
  if( c>0x10ffff ) return 0;
  while( k+1<sizeof(identAt)/sizeof(identAt[0]) && identAt[k+1]>>2<=c ) k++;
  v = identAt[k];
  for(i=k*64+1; i<sizeof(identStep)/sizeof(identStep[0]) && (v + identStep[i])>>2<=c; i++){
    v += identStep[i];
  }
  return (v & 3)==1 || (!bStart && (v & 3)==2);
}

/* Read one character of a name. */
static int regNameChar(KvRe *p, u32 *pc){
  *pc = kvReCurrent(p);
  if( *pc!='\\' ){
    kvReAdvance(p, 1);
    return 1;
  }
  if( kvReNext(p)!='u' ) return 0;
  kvReAdvance(p, 2);
  return kvReUnicodeEscape(p, pc) && *pc!='>';
}

/*
** Read name> (the cursor is behind the '<'): the item of the map for this name,
** or 0 after an error.
*/
static KvMapItem *regName(RegCheck *p, KvMap *pMap){
  KvRe *pRe = &p->re;
  const u8 bPoint = pRe->bPoint;
  u8 aSpace[64], a[4];
  KvMapItem *pItem = 0;
  KvBuf name;
  u32 c;
  int bOk = 0;
  kvBufInit(&name, aSpace, sizeof(aSpace));
  pRe->bPoint = 1;
  while( regNameChar(pRe, &c) ){
    bOk = c=='>' && name.n>0;
    if( bOk || !regIsName(c, name.n==0) ) break;
    kvBufAppend(&name, a, (u32)kvUtf8Put(a, c));
  }
  pRe->bPoint = bPoint;
  if( bOk && name.eErr==KV_OK ) pItem = kvMapAdd(pMap, kvBufBytes(&name));
  if( name.eErr!=KV_OK || (bOk && pItem==0) ){
    kvReNoMem(pRe);
  }else if( !bOk ){
    kvReError(pRe, "not a valid group name");
  }
  kvBufClear(&name);
  return pItem;
}

/*
** True if a group at offset iOld may have the same name as one that begins
** now.  The innermost open parenthesis that both are in must have a '|'
** between them.  Looking at the last group of that name is enough: one before
** it is either separated from it by the same '|', or by one that separates it
** from the new group too.
*/
static int regMayRepeat(RegCheck *p, u32 iOld){
  RegFrame *a = regFrames(p);
  u32 iLow = 0, iHigh = regDepth(p);
  while( iHigh-iLow>1 ){
    u32 iMid = (iLow + iHigh)/2;
    if( a[iMid].iStart<iOld ) iLow = iMid; else iHigh = iMid;
  }
  return iOld<a[iLow].iBar;
}

/* Read the name of a group that begins at offset iStart. */
static int regDefine(RegCheck *p, u32 iStart){
  KvMapItem *pName = regName(p, &p->names);
  if( pName==0 ) return 0;
  if( pName->iValue && !regMayRepeat(p, (u32)pName->iValue-1) ){
    return kvReError(&p->re, "two groups have the same name");
  }
  pName->iValue = (i64)iStart + 1;
  return 1;
}

/* Read the <name> of \k<name>; the cursor is behind the k. */
static int regReference(RegCheck *p){
  KvMapItem *pName;
  u32 iAt = p->re.i;
  if( !kvReSkip(&p->re, '<') ) return kvReError(&p->re, "< expected after \\k");
  pName = regName(p, &p->refs);
  if( pName && pName->iValue==0 ) pName->iValue = (i64)iAt + 1;
  return pName!=0;
}

/* At the end: see that all names that are referred to exist. */
static int regReferences(RegCheck *p){
  i64 iBad = 0;
  u32 i;
  for(i=0; i<p->refs.nSlot; i++){
    const KvMapItem *pRef = &p->refs.aSlot[i];
    if( !pRef->bUsed || kvMapFind(&p->names, kvMapKey(&p->refs, pRef)) ) continue;
    if( iBad==0 || pRef->iValue<iBad ) iBad = pRef->iValue;
  }
  if( iBad==0 ) return 1;
  p->re.i = (u32)(iBad - 1);
  return kvReError(&p->re, "\\k refers to a group that does not exist");
}

/************************************************************************
** The parts of a pattern.
*/

/* Read the flags of (?flags-flags: up to the colon. */
static int regModifiers(KvRe *p){
  static const char zFlag[] = "ims-";
  unsigned mSeen = 0;
  for(;;){
    u32 c = kvReCurrent(p);
    unsigned m = kvReIsOneOf(c, zFlag) ? 1u<<(strchr(zFlag, (int)c) - zFlag) : 0;
    if( c==':' && (mSeen & 7)==0 ) return kvReError(p, "flags expected");
    if( c!=':' && m==0 ) return kvReError(p, "flag i, m or s expected, or a colon");
    if( mSeen & m ){
      return kvReError(p, c=='-' ? "two dashes in the flags of a group" : "a flag is repeated");
    }
    mSeen |= m;
    kvReAdvance(p, 1);
    if( c==':' ) return 1;
  }
}

/* Read a '(' and what belongs to it. */
static int regOpen(RegCheck *p){
  KvRe *pRe = &p->re;
  u32 iStart = pRe->i, eType = REG_GROUP, c;
  int bCapture = 0, bName = 0;
  kvReAdvance(pRe, 1);
  if( !kvReSkip(pRe, '?') ){
    bCapture = 1;
  }else{
    c = kvReCurrent(pRe);
    if( c=='<' ){
      kvReAdvance(pRe, 1);
      c = kvReCurrent(pRe);
      if( c=='=' || c=='!' ){
        eType = REG_BEHIND;
      }else{
        bCapture = bName = 1;
      }
    }else if( c=='=' || c=='!' ){
      eType = REG_AHEAD;
    }else if( c=='i' || c=='m' || c=='s' || c=='-' ){
      return regModifiers(pRe) && regPush(p, REG_GROUP, iStart);
    }else if( c!=':' ){
      return kvReError(pRe, "not a valid kind of group");
    }
    if( !bName ) kvReAdvance(pRe, 1);
  }
  if( bCapture && ++pRe->nStarted>REG_MAX_GROUPS ){
    return kvReError(pRe, "too many groups");
  }
  if( bName ){
    pRe->bNamed = 1;
    if( !regDefine(p, iStart) ) return 0;
  }
  return regPush(p, eType, iStart);
}

/* Read {n}, {n,} or {n,m}; return 0 without an error if it is none. */
static int regInterval(KvRe *p, u32 *pnMin, u32 *pnMax){
  KvRe was = *p;
  kvReAdvance(p, 1);
  if( kvReCurrent(p)>='0' && kvReCurrent(p)<='9' ){
    *pnMin = *pnMax = kvReNumber(p);
    if( kvReSkip(p, '}') ) return 1;
    if( kvReSkip(p, ',') ){
      *pnMax = 0x7fffffff;
      if( kvReSkip(p, '}') ) return 1;
      *pnMax = kvReNumber(p);
      if( kvReSkip(p, '}') ) return 1;
    }
  }
  *p = was;
  return 0;
}

/* Read the quantifier after an atom, if there is one. */
static int regQuantifier(KvRe *p){
  u32 nMin, nMax;
  switch( kvReCurrent(p) ){
    case '*':
    case '+':
    case '?':
      kvReAdvance(p, 1);
      break;
    case '{':
      if( !regInterval(p, &nMin, &nMax) ){
        return !p->bUnicode || kvReError(p, "not a valid quantifier");
      }
      if( nMin>nMax ) return kvReError(p, "a quantifier is out of order");
      break;
    default:
      return 1;
  }
  kvReSkip(p, '?');
  return 1;
}

/* Read \1 .. where it is a reference to a group, with flag u. */
static int regBackReference(KvRe *p){
  u32 v;
  kvReAdvance(p, 1);
  v = kvReNumber(p);
  if( v>p->nStarted ){
    kvReScan(p, 0);
    if( v>p->nGroup ) return kvReError(p, "there are not as many groups");
  }
  return 1;
}

/* Read an escape outside of classes.  *pbAtom: it may have a quantifier. */
static int regEscape(RegCheck *p, int *pbAtom){
  KvRe *pRe = &p->re;
  u32 c = kvReNext(pRe);
  int bStrings;
  *pbAtom = c!='b' && c!='B';
  if( !*pbAtom ){
    kvReAdvance(pRe, 2);
    return 1;
  }
  if( c=='k' && (pRe->bUnicode || kvReHasNames(pRe, 0)) ){
    kvReAdvance(pRe, 2);
    return regReference(p);
  }
  if( c>='1' && c<='9' && pRe->bUnicode ) return regBackReference(pRe);
  if( kvReClassEscape(pRe, &bStrings) ) return 1;
  return pRe->zErr==0 && kvReCharEscape(pRe, 0, &c);
}

/* Read a ')'.  *pbAtom: it may have a quantifier. */
static int regClose(RegCheck *p, int *pbAtom){
  u32 eType = regFrames(p)[regDepth(p)-1].eType;
  if( eType==REG_ROOT ) return kvReError(&p->re, "a ) without a (");
  *pbAtom = eType==REG_GROUP || (eType==REG_AHEAD && !p->re.bUnicode);
  p->frames.n -= (u32)sizeof(RegFrame);
  kvReAdvance(&p->re, 1);
  return 1;
}

/* Read the next part of the pattern, up to but without a quantifier. */
static int regTerm(RegCheck *p, u32 c, int *pbAtom){
  KvRe *pRe = &p->re;
  u32 nMin, nMax;
  *pbAtom = 0;
  switch( c ){
    case '(':
      return regOpen(p);
    case ')':
      return regClose(p, pbAtom);
    case '|':
      regFrames(p)[regDepth(p)-1].iBar = pRe->i;
      kvReAdvance(pRe, 1);
      return 1;
    case '^':
    case '$':
      kvReAdvance(pRe, 1);
      return 1;
    case '*':
    case '+':
    case '?':
      return kvReError(pRe, "nothing to repeat");
    case '\\':
      return regEscape(p, pbAtom);
    case '[':
      *pbAtom = 1;
      return kvReClass(pRe);
    case '{':
      if( regInterval(pRe, &nMin, &nMax) ){
        return kvReError(pRe, "nothing to repeat");
      }
      /* fall through */
    case '}':
    case ']':
      if( pRe->bUnicode ) return kvReError(pRe, "a lone bracket");
      /* fall through */
    default:
      *pbAtom = 1;
      kvReAdvance(pRe, 1);
      return 1;
  }
}

/* Check the whole pattern. */
static int regPattern(RegCheck *p){
  u32 c;
  int bAtom;
  if( !regPush(p, REG_ROOT, 0) ) return 0;
  while( (c = kvReCurrent(&p->re))!=KV_RE_END ){
    if( !regTerm(p, c, &bAtom) ) return 0;
    if( bAtom && !regQuantifier(&p->re) ) return 0;
  }
  if( regDepth(p)>1 ){
    p->re.i = regFrames(p)[regDepth(p)-1].iStart;
    return kvReError(&p->re, "a ( is not closed");
  }
  return regReferences(p);
}

const char *kvRegexpCheck(KvBytes source, u32 mFlags, u32 *piPos){
  RegFrame aFrame[16];
  RegCheck x;
  const u32 mKnown = KV_RE_G | KV_RE_I | KV_RE_M | KV_RE_Y
                   | KV_RE_U | KV_RE_S | KV_RE_D | KV_RE_V;
  *piPos = 0;
  if( mFlags & ~mKnown ) return "an unknown flag";
  if( (mFlags & KV_RE_U) && (mFlags & KV_RE_V) ) return "flags u and v together";
  memset(&x, 0, sizeof(x));
  x.re.source = source;
  x.re.bSets = (mFlags & KV_RE_V)!=0;
  x.re.bUnicode = x.re.bPoint = (mFlags & (KV_RE_U|KV_RE_V))!=0;
  kvBufInit(&x.frames, aFrame, sizeof(aFrame));
  regPattern(&x);
  kvBufClear(&x.frames);
  kvMapClear(&x.names);
  kvMapClear(&x.refs);
  *piPos = x.re.bNoMem ? KV_RE_NOMEM : x.re.iErr;
  return x.re.zErr;
}

void kvRegexpSource(KvBuf *pOut, KvBytes pattern){
  const u8 *z = pattern.p;
  const u32 n = pattern.n;
  int bClass = 0;
  u32 i;
  if( n==0 ) kvBufLit(pOut, "(?:)");
  for(i=0; i<n; i++){
    const int bSlash = z[i]=='\\' && i+1<n;
    const u32 j = i + (u32)bSlash, k = kvLineEnd(&z[j], n-j);
    if( k ){
      kvBufText(pOut, z[j]=='\n' ? "\\n" : z[j]=='\r' ? "\\r"
                    : z[j+2]==0xa8 ? "\\u2028" : "\\u2029");
      i = j + k-1;
    }else if( bSlash ){
      kvBufAppend(pOut, &z[i++], 2);
    }else{
      if( z[i]=='[' ) bClass = 1;
      if( z[i]==']' ) bClass = 0;
      if( z[i]=='/' && !bClass ) kvBufPut(pOut, '\\');
      kvBufPut(pOut, z[i]);
    }
  }
}

u32 kvRegexpLiteral(KvBytes text){
  const u8 *z = text.p;
  const u32 n = text.n;
  int bClass = 0;
  u32 i;
  for(i=1; i<n; i++){
    if( z[i]=='\\' ){
      if( ++i>=n ) return 0;
    }else if( z[i]=='[' || z[i]==']' ){
      bClass = z[i]=='[';
    }else if( z[i]=='/' && !bClass ){
      return i+1;
    }
    if( kvLineEnd(&z[i], n-i) ) return 0;
  }
  return 0;
}
