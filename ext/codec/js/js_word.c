/*
** js_word.c -- the words of JS text: strings, numbers, regular expressions,
** names.  See js_word.h; the grammar is at the head of js_parse.c.
*/
#include "codec/js/js_word.h"
#include "codec/js/js_call.h"
#include "codec/js/js_parse.h"
#include "codec/js/js_view.h"
#include "codec/num/bigint.h"
#include "codec/num/num.h"
#include "codec/regexp/regexp.h"
#include "codec/view.h"

/*
** Strings.
*/

/* A string with escapes or the like: decoded into memory of the tree. */
static int wordStringSlow(KvJsp *p, KvLexStr *pStr){
  u8 aSpace[256];
  KvBuf buf;
  int rc;
  kvBufInit(&buf, aSpace, sizeof(aSpace));
  rc = kvLexString(&p->lex, p->bJson, &buf, pStr);
  if( rc==KV_OK && buf.n>0 ){
    pStr->s = kvTreeKeep(p->pTree, &buf);
    if( pStr->s.p==0 ) return kvJspNoMem(p);
  }
  kvBufClear(&buf);
  return rc==KV_OK ? JSP_DONE : JSP_FAIL;
}

int kvJsReadString(KvJsp *p){
  const char *zOpen = p->lex.z;
  const char *z = zOpen;
  KvNode *pNode;
  if( *z=='"' ) z += 1 + kvPlainSpan(kvBytes(z+1, (u32)(p->lex.zEnd - z) - 1));
  p->iVal = kvJspNode(p, KV_STRING);
  if( p->iVal==KV_NO_NODE ) return JSP_FAIL;
  pNode = &p->pTree->aNode[p->iVal];
  pNode->eSub = KV_WTF8;
  if( z>zOpen && z<p->lex.zEnd && *z=='"' ){
    pNode->mFlags = KVN_ASCII;
    pNode->n = (u32)(z - zOpen - 1);
    pNode->u.p = (const u8*)zOpen + 1;
    p->lex.z = z+1;
  }else{
    KvLexStr str;
    if( wordStringSlow(p, &str)==JSP_FAIL ) return JSP_FAIL;
    if( str.bPlain ) pNode->mFlags = KVN_ASCII;
    pNode->n = str.s.n;
    pNode->u.p = str.s.p;
  }
  return JSP_DONE;
}

/*
** Numbers.
*/

/* The digits of a bigint without '_', in memory of the tree.  p 0: no memory. */
static KvBytes wordDigits(KvJsp *p, const KvLexNum *pNum){
  u8 *a;
  u32 i, n = 0;
  if( !pNum->bSep ) return pNum->digits;
  a = kvTreeSpace(p->pTree, pNum->digits.n);
  for(i=0; a && i<pNum->digits.n; i++){
    if( pNum->digits.p[i]!='_' ) a[n++] = pNum->digits.p[i];
  }
  return kvBytes(a, n);
}

static int wordBigint(KvJsp *p, const KvLexNum *pNum, int bNeg){
  KvBytes digits = wordDigits(p, pNum);
  int rc;
  if( digits.p==0 ) return kvJspNoMem(p);
  if( kvJspScalar(p, KV_BIGINT, 0)==JSP_FAIL ) return JSP_FAIL;
  rc = kvTreeDigits(p->pTree, p->iVal, digits, pNum->iBase, bNeg);
  if( rc==KV_SYNTAX ) return kvJspError(p, (const char*)pNum->digits.p, KV_BIG_LONG);
  return rc==KV_OK ? JSP_DONE : kvJspNoMem(p);
}

/* Anything that starts with a digit, '.', '-' or '+'. */
int kvJsReadNumber(KvJsp *p){
  const char *zAt = p->lex.z;
  u8 cSign = *zAt=='-' || *zAt=='+' ? (u8)*zAt : 0;
  KvLexNum num;
  if( cSign ){
    p->lex.z++;
    if( kvJspSpace(p) ) return JSP_FAIL;
  }
  if( cSign && kvLexWord(&p->lex, "Infinity") ){
    num.r = kvBitsToDouble(0x7ff0000000000000u);
  }else if( cSign && kvLexWord(&p->lex, "NaN") ){
    num.r = kvNaN();
  }else if( !kvJspIsDigit(kvJspPeek(p)) && kvJspPeek(p)!='.' ){
    return kvJspError(p, p->lex.z, cSign ? "expected a number after the sign" : JSP_WHAT);
  }else if( kvLexNumber(&p->lex, &num) ){
    return JSP_FAIL;
  }else if( num.iBase ){
    if( cSign=='+' ) return kvJspError(p, zAt, "a bigint can't have the sign +");
    return wordBigint(p, &num, cSign=='-');
  }
  return kvJspNumber(p, KV_NUMBER, cSign=='-' ? -num.r : num.r);
}

int kvJsReadJson(KvJsp *p){
  const char *zAt = p->lex.z;
  const int bNeg = *zAt=='-';
  const char *z = zAt + bNeg;
  u32 nMax = (u32)(p->lex.zEnd - z), nDigit = 0, n;
  double r;
  while( nDigit<nMax && kvJspIsDigit((u8)z[nDigit]) ) nDigit++;
  if( nDigit==0 ) return kvJspError(p, zAt, "not a JSON number");
  if( nDigit>1 && *z=='0' ) nMax = nDigit = 1;
  if( nMax>nDigit && z[nDigit]=='.' && !(nMax-nDigit>1 && kvJspIsDigit((u8)z[nDigit+1])) ){
    nMax = nDigit;
  }
  n = kvNumParse(kvBytes(z, nMax), &r);
  p->lex.z = z + n;
  if( p->bDigits && n>=16 && n==nDigit ){        /* see kvJsonParseDigits() */
    KvNode *pNode;
    if( kvJspScalar(p, KV_BIGINT, n)==JSP_FAIL ) return JSP_FAIL;
    pNode = &p->pTree->aNode[p->iVal];
    pNode->eSpare = KV_DIGITS;
    pNode->eSub = (u8)bNeg;
    pNode->u.p = (const u8*)z;
    return JSP_DONE;
  }
  return kvJspNumber(p, KV_NUMBER, bNeg ? -r : r);
}

/* Small integers, which most numbers are, without the detours. */
int kvJsReadDigit(KvJsp *p){
  const char *z = p->lex.z;
  const char *zMax = p->lex.zEnd-z>15 ? z+15 : p->lex.zEnd;
  u64 v = (u64)(*z++ - '0');
  if( v>0 ){
    for(; z<zMax && kvJspIsDigit((u8)*z); z++) v = v*10 + (u64)(*z-'0');
  }
  if( z<p->lex.zEnd
   && (*z==',' || *z==']' || *z=='}' || *z==' ' || *z=='\n' || *z==')')
  ){
    p->lex.z = z;
    return kvJspNumber(p, KV_NUMBER, (double)v);
  }
  return p->bJson ? kvJsReadJson(p) : kvJsReadNumber(p);
}

/*
** Words.
*/

KvBytes kvJsIdentifier(KvJsp *p){
  const char *z = p->lex.z, *zEnd = z;
  KvBytes word;
  if( !kvJspIsDigit(kvJspPeek(p)) ){
    while( kvLexInWord(zEnd, p->lex.zEnd) ) zEnd++;
  }
  word = kvBytes(z, (u32)(zEnd - z));
  if( !kvUtf8Valid(word) ) word.n = 0;
  p->lex.z += word.n;
  return word;
}

/* Is the word the constant text? */
#define wordIs(W,LIT) ((W).n==sizeof(LIT)-1 && memcmp((W).p, (LIT), sizeof(LIT)-1)==0)

/* Open the arguments of a call; the cursor is after the '('. */
static int wordOpenCall(KvJsp *p, int eCall, const char *zAt){
  const char *z = p->lex.z;
  if( eCall==KV_CALL(KV_CALL_VIEW, KV_VIEW_U8) && kvJspPeek(p)=='[' ){
    int e = kvJsPlainBytes(p);
    if( e==JSP_FAIL ) return JSP_FAIL;
    if( e==JSP_DONE && kvJspPeek(p)==')' ){      /* the usual Uint8Array */
      p->lex.z++;
      return JSP_SUFFIX;
    }
    p->lex.z = z;
  }
  return kvJspOpenCall(p, eCall, zAt);
}

/* A constructor's name was read, after `new` or (bNew==0) without. */
static int wordConstruct(KvJsp *p, int eCall, int bNew, const char *zAt){
  if( kvJspAccept(p, '(') ) return wordOpenCall(p, eCall, zAt);
  if( !bNew || p->lex.err.eCode ) return kvJspError(p, zAt, bNew ? JSP_WHAT : JSP_NAME);
  return kvJspOpenCall(p, eCall, zAt)==JSP_FAIL ? JSP_FAIL : JSP_CALLED;
}

/* `new` was read. */
static int wordNew(KvJsp *p, const char *zAt){
  const char *zName;
  KvBytes name;
  int eCall;
  if( kvJspSpace(p) ) return JSP_FAIL;
  zName = p->lex.z;
  name = kvJsIdentifier(p);
  if( wordIs(name, "Deno") && kvLexText(&p->lex, ".KvU64") ) name.n += 6;
  eCall = kvJsCallName(name);
  if( eCall==0 ){
    return kvJspError(p, zName,
        "objects of this class can't be stored; the supported classes are Map, Set, "
        "Date, RegExp, Deno.KvU64, the typed arrays, DataView, ArrayBuffer, Array, "
        "Object, Number, String, Boolean and the Error types");
  }
  return wordConstruct(p, eCall, 1, zAt);
}

/* A class name without `new`. */
static int wordClass(KvJsp *p, const char *zAt, KvBytes name){
  int eCall = kvJsCallName(name);
  int eKind = KV_CALL_KIND(eCall);
  if( eCall==0 ) return kvJspError(p, zAt, JSP_NAME);
  if( eCall==KV_CALL_OBJECT && kvLexText(&p->lex, ".assign") ) eCall = KV_CALL_ASSIGN;
  if( eKind!=KV_CALL_ERROR && eKind!=KV_CALL_REGEXP && eKind!=KV_CALL_ARRAY
   && eKind!=KV_CALL_OBJECT
  ){
    return kvJspError(p, zAt, kvJspPeek(p)=='.' ? JSP_NAME
        : "write `new` before the name of this class");
  }
  return wordConstruct(p, eCall, 0, zAt);
}

/* True if a ':' comes next; the cursor doesn't move. */
static int wordColonNext(KvJsp *p){
  const char *z = p->lex.z;
  int b = kvJspAccept(p, ':');
  p->lex.z = z;
  return b;
}

int kvJsReadWord(KvJsp *p){
  const char *z = p->lex.z;
  KvBytes word = kvJsIdentifier(p);
  const KvJsFrame *pTop = kvJspTop(p);
  if( word.n==0 ) return kvJspError(p, z, JSP_WHAT);
  if( pTop && pTop->eFrame==JSP_ARRAY && wordColonNext(p) ){
    return kvJspError(p, pTop->zAt, "[name: ...] is how a console prints an object; write "
        "new Error(\"...\") or the like, and Object.assign([...], {name: ...}) for a property of "
        "an array");
  }
  switch( *z ){
    case 'n':
      if( wordIs(word, "null") ) return kvJspScalar(p, KV_NULL, 0);
      if( wordIs(word, "new") ) return wordNew(p, z);
      break;
    case 't': if( wordIs(word, "true") ) return kvJspScalar(p, KV_BOOL, 1); break;
    case 'f': if( wordIs(word, "false") ) return kvJspScalar(p, KV_BOOL, 0); break;
    case 'u': if( wordIs(word, "undefined") ) return kvJspScalar(p, KV_UNDEFINED, 0); break;
    case 'N':
      if( wordIs(word, "NaN") ) return kvJspNumber(p, KV_NUMBER, kvNaN());
      break;
    case 'I':
      if( wordIs(word, "Infinity") ){
        return kvJspNumber(p, KV_NUMBER, kvBitsToDouble(0x7ff0000000000000u));
      }
      break;
    default: break;
  }
  return wordClass(p, z, word);
}

/*
** Regular expressions.
*/

int kvJsReadRegexp(KvJsp *p){
  const char *z = p->lex.z, *zFlag;
  u32 n = kvRegexpLiteral(kvBytes(z, (u32)(p->lex.zEnd - z)));
  u32 iSrc, iFlag;
  if( n==0 ) return kvJspError(p, z, "regular expression is not closed");
  if( !kvUtf8Valid(kvBytes(z, n)) ) return kvJspError(p, z, "not UTF-8");
  zFlag = p->lex.z = z+n;
  while( kvLexInWord(p->lex.z, p->lex.zEnd) ) p->lex.z++;
  iSrc = kvJspString(p, kvBytes(z+1, n-2));
  if( iSrc==KV_NO_NODE ) return JSP_FAIL;
  iFlag = kvJspString(p, kvBytes(zFlag, (u32)(p->lex.z - zFlag)));
  if( iFlag==KV_NO_NODE ) return JSP_FAIL;
  p->pTree->aNode[iSrc].iNext = iFlag;
  return kvJsCall(p, KV_CALL_REGEXP, z, iSrc, 2);
}
