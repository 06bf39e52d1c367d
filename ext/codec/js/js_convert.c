/*
** js_convert.c -- conversions of primitive values.  See js_convert.h.
*/
#include "codec/js/js_convert.h"
#include "codec/num/num.h"
#include "codec/num/bigint.h"

static void convertSpace(KvLex *p){
  u32 k;
  while( p->z<p->zEnd && (k = kvLexSpaceChar(p->z, p->zEnd))>0 ) p->z += k;
}

/* The number at the cursor: without a sign only if it has a prefix as 0x. */
static int convertDigits(KvLex *p, double *pr){
  u32 n = (u32)(p->zEnd - p->z);
  KvLexNum num;
  int bNeg;
  if( n>2 && p->z[0]=='0' && (p->z[1]|0x20)>'a' ){
    if( kvLexNumber(p, &num)!=KV_OK || num.iBase || num.bSep ) return 0;
    *pr = num.r;
    return 1;
  }
  bNeg = kvLexText(p, "-");
  if( !bNeg ) kvLexText(p, "+");
  if( kvLexText(p, "Infinity") ){
    *pr = kvBitsToDouble(0x7ff0000000000000u);
  }else{
    n = kvNumParse(kvBytes(p->z, (u32)(p->zEnd - p->z)), pr);
    if( n==0 ) return 0;
    p->z += n;
  }
  if( bNeg ) *pr = -*pr;
  return 1;
}

/* ToNumber() of a string: NaN unless all of it is a number. */
static double convertText(KvBytes text){
  KvLex lex;
  double r = 0.0;
  kvLexInit(&lex, text);
  convertSpace(&lex);
  if( lex.z<lex.zEnd ){
    if( !convertDigits(&lex, &r) ) return kvNaN();
    convertSpace(&lex);
  }
  return lex.z<lex.zEnd ? kvNaN() : r;
}

int kvJsToNumber(const KvNode *pNode, double *pr){
  switch( pNode->eKind ){
    case KV_NUMBER: *pr = pNode->u.r; return 1;
    case KV_NULL:   *pr = 0.0; return 1;
    case KV_BOOL:   *pr = pNode->n; return 1;
    case KV_HOLE:
    case KV_UNDEFINED: *pr = kvNaN(); return 1;
    case KV_STRING: *pr = convertText(kvNodeBytes(pNode)); return 1;
    default: return 0;
  }
}

u32 kvJsToString(KvJsp *p, u32 iNode){
  const KvNode *pNode = &p->pTree->aNode[iNode];
  char aSpace[64];
  KvBuf buf;
  KvBytes s;
  kvBufInit(&buf, aSpace, sizeof(aSpace));
  switch( pNode->eKind ){
    case KV_STRING: return iNode;
    case KV_UNDEFINED: kvBufLit(&buf, "undefined"); break;
    case KV_NULL: kvBufLit(&buf, "null"); break;
    case KV_BOOL: kvBufText(&buf, pNode->n ? "true" : "false"); break;
    case KV_NUMBER:
      buf.n = (u32)kvNumPrint(pNode->u.r + 0.0, aSpace);       /* -0 is "0" */
      break;
    case KV_BIGINT:
      if( pNode->eSub ) kvBufPut(&buf, '-');
      kvBigPrint(&buf, kvNodeBytes(pNode));
      break;
    default: return KV_NO_NODE;
  }
  s = kvTreeKeep(p->pTree, &buf);
  if( s.p ) return kvJspString(p, s);
  kvJspNoMem(p);
  return KV_NO_NODE;
}

u32 kvJsToBoolean(const KvNode *pNode){
  switch( pNode->eKind ){
    case KV_UNDEFINED: case KV_NULL: return 0;
    case KV_NUMBER: return pNode->u.r==pNode->u.r && pNode->u.r!=0.0;
    case KV_BOOL: case KV_BIGINT: case KV_STRING: return pNode->n!=0;
    default: return 1;
  }
}
