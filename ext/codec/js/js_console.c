/*
** js_console.c -- the forms of JS text that only the console prints.  See
** js_console.h; the grammar is at the head of js_parse.c.
*/
#include "codec/js/js_console.h"
#include "codec/js/js_call.h"
#include "codec/js/js_refs.h"
#include "codec/js/js_view.h"
#include "codec/view.h"

/* "(n)" as the console writes it.  False if there is none. */
static int consoleCount(KvJsp *p, u64 *pn){
  const char *z = p->lex.z;
  if( kvJspPeek(p)!='(' ) return 0;
  p->lex.z++;
  if( kvJspIsDigit(kvJspPeek(p)) ){
    *pn = kvJspDigits(p, (u64)1<<40);
    if( kvLexText(&p->lex, ")") ) return 1;
  }
  p->lex.z = z;
  return 0;
}

/* Expect the bytes of zText, with white space before each of them allowed. */
static int consoleExpect(KvJsp *p, const char *zText, const char *zMsg){
  for(; *zText; zText++){
    if( !kvJspAccept(p, (u8)*zText) ){
      kvLexError(&p->lex, p->lex.z, zMsg);
      return 0;
    }
  }
  return 1;
}

/* An integer of the console. */
static int consoleInt(KvJsp *p, u32 *pv){
  KvLexNum num;
  const char *zAt;
  if( kvJspSpace(p) ) return 0;
  zAt = p->lex.z;
  if( !kvJspIsDigit(kvJspPeek(p)) || kvLexNumber(&p->lex, &num) || num.iBase
   || num.r>4294967295.0
  ){
    kvLexError(&p->lex, zAt, "expected a length");
    return 0;
  }
  *pv = (u32)num.r;
  return 1;
}

/* The '}' of a console form, perhaps after a comma. */
static int consoleEnd(KvJsp *p){
  kvJspAccept(p, ',');
  return kvJspAccept(p, '}');
}

/* ArrayBuffer { [Uint8Contents]: <01 02>, byteLength: 2 }, from the brace on. */
static int consoleBuffer(KvJsp *p){
  static const char zMsg[] = "not an ArrayBuffer as the console prints it";
  const char *zHex, *zEnd, *zAt = p->lex.z;
  u8 *a;
  u32 n = 0, nClaim;
  int iNibble;
  if( !consoleExpect(p, "{[Uint8Contents]:<", zMsg) ) return JSP_FAIL;
  zHex = p->lex.z;
  zEnd = memchr(zHex, '>', (size_t)(p->lex.zEnd - zHex));
  if( zEnd==0 ) return kvJspError(p, zAt, zMsg);
  a = kvTreeSpace(p->pTree, (u64)(zEnd - zHex)/2 + 1);
  if( a==0 ) return kvJspNoMem(p);
  for(iNibble=0; zHex<zEnd; zHex++){
    static const char zDigit[] = "0123456789abcdef";
    const char *zAtDigit = *zHex ? memchr(zDigit, *zHex, 16) : 0;
    if( *zHex==' ' && iNibble==0 ) continue;
    if( zAtDigit==0 ) return kvJspError(p, zHex, zMsg);
    a[n] = (u8)((iNibble ? a[n]<<4 : 0) | (zAtDigit - zDigit));
    n += (u32)iNibble;
    iNibble ^= 1;
  }
  p->lex.z = zEnd;
  if( iNibble || !consoleExpect(p, ">,byteLength:", zMsg) || !consoleInt(p, &nClaim)
   || nClaim!=n || !consoleEnd(p)
  ){
    return kvJspError(p, zAt, zMsg);
  }
  return kvJsBuffer(p, kvBytes(a, n));
}

/* DataView { byteLength: 1, byteOffset: 0, buffer: ArrayBuffer {...} } */
static int consoleDataView(KvJsp *p){
  static const char zMsg[] = "not a DataView as the console prints it";
  const char *zAt = p->lex.z;
  u32 nByte, iOffset;
  KvNode *pNode;
  if( !consoleExpect(p, "{byteLength:", zMsg) || !consoleInt(p, &nByte)
   || !consoleExpect(p, ",byteOffset:", zMsg) || !consoleInt(p, &iOffset)
   || !consoleExpect(p, ",buffer:ArrayBuffer", zMsg)
   || consoleBuffer(p)==JSP_FAIL
  ){
    return JSP_FAIL;
  }
  if( !consoleEnd(p) || (u64)iOffset+nByte>p->pTree->aNode[p->iVal].n ){
    return kvJspError(p, zAt, zMsg);
  }
  if( kvJsWhole(p, KV_VIEW_DATA, p->iVal)==JSP_FAIL ) return JSP_FAIL;
  pNode = &p->pTree->aNode[p->iVal];
  pNode->n = nByte;
  pNode->u.iOffset = iOffset;
  return JSP_DONE;
}

int kvJsInvalidDate(KvJsp *p){
  return kvJspNumber(p, KV_DATE, kvNaN());
}

int kvJsConsole(KvJsp *p, int eCall, const char *zAt){
  const char *z = p->lex.z;
  u64 nClaim = 0;
  int bCount = consoleCount(p, &nClaim), e = JSP_END;
  u8 c;
  if( kvJspSpace(p) ) return JSP_FAIL;
  c = kvJspPeek(p);
  if( c=='{' && (eCall==KV_CALL_MAP || eCall==KV_CALL_SET) ){
    p->lex.z++;
    e = eCall==KV_CALL_MAP ? kvJspOpen(p, JSP_MAP, KV_MAP, zAt)
                           : kvJspOpen(p, JSP_SET, KV_SET, zAt);
  }else if( c=='{' && eCall==KV_CALL_BUFFER ){
    e = consoleBuffer(p);
  }else if( c=='{' && eCall==KV_CALL(KV_CALL_VIEW, KV_VIEW_DATA) ){
    e = consoleDataView(p);
  }else if( c=='{' && eCall==KV_CALL_DATE ){
    e = consoleExpect(p, "{NaN}", "expected { NaN }") ? kvJsInvalidDate(p) : JSP_FAIL;
  }else if( c=='[' && KV_CALL_KIND(eCall)==KV_CALL_VIEW ){
    e = kvJspOpenCall(p, eCall, 0, zAt);
  }
  if( e==JSP_VALUE ){
    kvJspTop(p)->bCount = (u16)bCount;
    kvJspTop(p)->nClaim = nClaim;
  }
  if( e==JSP_END ) p->lex.z = z;
  return e;
}

int kvJsConsoleBracket(KvJsp *p){
  static const struct { const char *z; u8 eCall; } aBoxed[] = {
    { "[Number: ", KV_CALL_NUMBER },   { "[String: ", KV_CALL_STRING },
    { "[Boolean: ", KV_CALL_BOOLEAN }, { "[BigInt: ", KV_CALL_OBJECT },
    { "[Deno.KvU64: ", KV_CALL_U64 }
  };
  const char *zAt = p->lex.z;
  size_t i;
  if( kvLexText(&p->lex, "[Object: null prototype]") ){
    if( kvJspSpace(p) ) return JSP_FAIL;
    return kvJspPeek(p)=='{' ? JSP_VALUE : kvJspError(p, p->lex.z, "expected {...}");
  }
  if( kvLexText(&p->lex, "[Circular *") ) return kvJsCircular(p, zAt);
  for(i=0; i<sizeof(aBoxed)/sizeof(aBoxed[0]); i++){
    if( kvLexText(&p->lex, aBoxed[i].z) ) return kvJspOpenCall(p, aBoxed[i].eCall, ']', zAt);
  }
  if( kvLexText(&p->lex, "[HostObject ") ){
    kvErrSet(&p->lex.err, KV_REFUSED, zAt - p->lex.zStart,
        "host objects can't be created from text; copy the raw value instead");
    return JSP_FAIL;
  }
  return JSP_END;
}
