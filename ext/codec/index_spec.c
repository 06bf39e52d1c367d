/*
** index_spec.c -- what the declaration of an index says.  See index_spec.h.
*/
#include "codec/index_spec.h"
#include "codec/path.h"
#include "codec/value_string.h"
#include "codec/view.h"
#include "codec/js/js_parse.h"

static int specIsSpace(u8 c){
  return c==' ' || c=='\t' || c=='\n' || c=='\r';
}

static KvBytes specTrim(KvBytes b){
  while( b.n>0 && specIsSpace(b.p[0]) ) b = kvBytesFrom(b, 1);
  while( b.n>0 && specIsSpace(b.p[b.n-1]) ) b.n--;
  return b;
}

/* After the quoted key that begins at i, if one does, else after the byte. */
static u32 specPass(KvBytes b, u32 i){
  int bQuote = b.p[i]=='.' && i+1<b.n && b.p[i+1]=='"';
  if( !bQuote ) return i+1;
  for(i+=2; i<b.n && b.p[i]!='"'; i++){
    if( b.p[i]=='\\' ) i++;
  }
  return i<b.n ? i+1 : b.n;
}

/* Where the first path of a list ends; *piNext is where the next one begins, at most b.n. */
static u32 specSplit(KvBytes b, u32 *piNext){
  u32 i, k;
  for(i=0; i<b.n; i=specPass(b, i)){
    if( b.p[i]!=',' ) continue;
    for(k=i+1; k<b.n && specIsSpace(b.p[k]); k++){}
    if( k<b.n && b.p[k]=='$' ) break;
  }
  *piNext = i<b.n ? k : b.n;
  return i;
}

/* Is a path one that can be read?  In the text it is at an offset. */
static int specCheck(KvBytes path, u32 iOffset, KvErr *pErr){
  KvTree none;
  u32 iNode;
  i64 iElem;
  int rc;
  kvTreeInit(&none);
  rc = kvPathFind(&none, path, &iNode, &iElem, pErr);
  if( rc==KV_SYNTAX && pErr && pErr->iPos>=0 ) pErr->iPos += iOffset;
  kvTreeClear(&none);
  return rc;
}

static int specPaths(KvIndexSpec *p, KvBytes text, int bSearch, KvErr *pErr){
  KvBytes rest = text;
  int rc = KV_OK;
  do{
    u32 iNext, n = specSplit(rest, &iNext);
    KvBytes path = kvBytes(rest.p, n);
    u32 iOffset = (u32)(rest.p - text.p);
    if( p->nPath==(bSearch ? KV_SEARCH_PATHS : KV_INDEX_PATHS) ){
      return kvErrSet(pErr, KV_SYNTAX, iOffset, bSearch
          ? "a full-text index takes at most 32 paths" : "an index takes at most 4 paths");
    }
    if( iNext<rest.n ) path = specTrim(path);
    p->aPath[p->nPath++] = path;
    rc = specCheck(path, iOffset, pErr);
    rest = kvBytesFrom(rest, iNext);
  }while( rc==KV_OK && rest.n>0 );
  return rc;
}

/* Keep a string of the literal as WTF-8, which has no more bytes than its JSON if that is
** UTF-8. */
static int specString(KvNode *pStr, u8 *aSpace, u32 nSpace){
  KvBuf text;
  int rc;
  kvBufInit(&text, 0, 0);
  kvUtfAppend(&text, pStr->eSub, kvBytes(pStr->u.p, pStr->n), 0);
  rc = text.eErr;
  if( rc==KV_OK && text.n>nSpace ) rc = KV_SYNTAX;
  if( rc==KV_OK ){
    if( text.n ) memcpy(aSpace, text.a, text.n);
    pStr->u.p = aSpace;
    pStr->n = text.n;
    pStr->eSub = KV_WTF8;
    pStr->mFlags = 0;
  }
  kvBufClear(&text);
  return rc;
}

static int specLiteral(KvIndexSpec *p, KvBytes text, u32 iOffset, u8 *aSpace, KvErr *pErr){
  KvTree tree;
  int rc;
  kvTreeInit(&tree);
  rc = kvJsonParse(&tree, text, pErr);
  if( rc==KV_SYNTAX && pErr && pErr->iPos>=0 ) pErr->iPos += iOffset;
  if( rc==KV_OK ){
    p->literal = tree.aNode[0];
    switch( p->literal.eKind ){
      case KV_STRING: rc = specString(&p->literal, aSpace, text.n); break;
      case KV_NUMBER:
      case KV_BOOL:
      case KV_NULL:   break;
      default:
        rc = kvErrSet(pErr, KV_SYNTAX, iOffset,
                      "where takes a string, a number, true, false or null after the =");
    }
    if( rc==KV_NOMEM ) kvErrMemory(pErr, rc);
  }
  kvTreeClear(&tree);
  return rc;
}

static int specWhere(KvIndexSpec *p, KvBytes text, u8 *aSpace, KvErr *pErr){
  u32 i = 0, k;
  int rc;
  while( i<text.n && specIsSpace(text.p[i]) ) i++;
  for(k=i; k<text.n && text.p[k]!='='; k=specPass(text, k)){}
  p->bEquals = k<text.n;
  p->where = specTrim(kvBytes(&text.p[i], k - i));
  for(k=0; k<p->where.n; k=specPass(p->where, k)){
    u8 c = p->where.p[k];
    if( specIsSpace(c) || c=='!' || c=='<' || c=='>' ){
      return kvErrSet(pErr, KV_SYNTAX, i+k, "where takes $.path or $.path = literal");
    }
  }
  rc = specCheck(p->where, i, pErr);
  if( rc==KV_OK && p->bEquals ){
    k = (u32)(p->where.p - text.p) + p->where.n;
    while( text.p[k]!='=' ) k++;
    rc = specLiteral(p, kvBytesFrom(text, k+1), k+1, aSpace, pErr);
  }
  return rc;
}

int kvIndexSpec(
  KvIndexSpec *p, KvBytes paths, KvBytes condition, int bSearch, u8 *aSpace, int *pbWhere,
  KvErr *pErr
){
  int rc;
  memset(p, 0, sizeof(*p));
  *pbWhere = 0;
  rc = specPaths(p, paths, bSearch, pErr);
  if( rc==KV_OK && condition.n>0 ){
    *pbWhere = 1;
    rc = specWhere(p, condition, aSpace, pErr);
  }
  if( rc!=KV_OK ) p->nPath = 0;
  return rc;
}

/* After the white space from i on. */
static u32 specSpace(KvBytes b, u32 i){
  while( i<b.n && specIsSpace(b.p[i]) ) i++;
  return i;
}

u32 kvIndexTokenize(KvBytes b, KvBuf *pOut){
  static const char zWord[] = "tokenize";
  u32 i;
  u8 cQuote;
  for(i=0; zWord[i]; i++){
    if( i>=b.n || (b.p[i] | 0x20)!=zWord[i] ) return 0;
  }
  i = specSpace(b, i);
  if( i>=b.n || b.p[i]!='=' ) return 0;
  i = specSpace(b, i+1);
  cQuote = i<b.n && (b.p[i]=='"' || b.p[i]=='\'') ? b.p[i++] : 0;
  for(; i<b.n; i++){
    u8 c = b.p[i];
    if( cQuote==0 && (specIsSpace(c) || c==',') ) return i;
    if( cQuote && c==cQuote && (++i>=b.n || b.p[i]!=cQuote) ) return i;
    if( pOut ) kvBufPut(pOut, c);
  }
  return cQuote ? 0 : i;
}

/* Is a node what the condition says? */
static int specIs(const KvIndexSpec *p, const KvNode *pNode){
  const KvNode *pWant = &p->literal;
  if( !p->bEquals ) return pNode->eKind!=KV_NULL && pNode->eKind!=KV_UNDEFINED;
  if( pNode->eKind!=pWant->eKind ) return 0;
  switch( pWant->eKind ){
    case KV_STRING: return kvStringEqual(pNode, pWant);
    case KV_NUMBER: return pNode->u.r==pWant->u.r;
    case KV_BOOL:   return (pNode->n!=0)==(pWant->n!=0);
    default:        return 1;
  }
}

int kvIndexSpecMeets(const KvIndexSpec *p, const KvTree *pTree, int *pbIn, KvErr *pErr){
  KvNode elem;
  u8 aDigit[8];
  u32 iNode;
  i64 iElem;
  int rc;
  *pbIn = p->where.n==0;
  if( *pbIn ) return KV_OK;
  rc = kvPathFind(pTree, p->where, &iNode, &iElem, pErr);
  if( rc!=KV_OK || iNode==KV_NO_NODE ) return rc;
  if( iElem<0 ) *pbIn = specIs(p, &pTree->aNode[iNode]);
  else *pbIn = kvViewElem(pTree, iNode, iElem, &elem, aDigit) && specIs(p, &elem);
  return KV_OK;
}
