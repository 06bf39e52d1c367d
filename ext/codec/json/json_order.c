/*
** json_order.c -- the order of JSON texts.  See json_order.h.
*/
#include "codec/json/json_order.h"
#include "bytes/list.h"
#include "bytes/memory.h"
#include "codec/js/js_parse.h"
#include "codec/json/json_print.h"
#include "codec/num/num.h"
#include "codec/value_string.h"
#include <stdlib.h>

/* ---- numbers --------------------------------------------------------------- */

static int jsonOrderIsInfinite(const KvNode *p){
  return p->eKind==KV_NUMBER && p->u.r-p->u.r!=0.0;
}

int kvJsonIsUnsafe(KvTree *p){
  u32 i;
  for(i=0; i<p->nNode; i++){
    KvNode *pNode = &p->aNode[i];
    if( jsonOrderIsInfinite(pNode) ) return 1;
    if( kvJsonIsDigits(pNode) ){
      double r = kvJsonDigits(pNode);
      if( !kvIsSafeInteger(r) ) return 1;
      kvNodeBecome(pNode, KV_NUMBER)->u.r = r;
    }
  }
  return 0;
}

/* Add the integers of a JSON text that a double doesn't hold.  False: a number is beyond all
** doubles, or there is no memory. */
static int jsonOrderLong(KvBytes json, KvList *pOut){
  KvTree tree;
  u32 i;
  int bOk;
  kvTreeInit(&tree);
  bOk = kvJsonParseDigits(&tree, json, 0)==KV_OK;
  for(i=0; bOk && i<tree.nNode; i++){
    const KvNode *pNode = &tree.aNode[i];
    if( jsonOrderIsInfinite(pNode) ) bOk = 0;
    if( !kvJsonIsDigits(pNode) || kvIsSafeInteger(kvJsonDigits(pNode)) ) continue;
    kvListAdd(pOut, kvBytes(pNode->u.p - (pNode->eSub!=0), pNode->n + (pNode->eSub!=0)));
  }
  kvTreeClear(&tree);
  return bOk && pOut->bytes.eErr==KV_OK;
}

int kvJsonKeepsIntegers(KvBytes json, KvTree *pStored){
  KvList given = { { 0 } }, stored = { { 0 } };
  KvBytes want, one;
  KvBuf text;
  u32 i = 0, k;
  int bOk = jsonOrderLong(json, &given);
  kvBufInit(&text, 0, 0);
  if( bOk && given.bytes.n>0 ){
    bOk = kvJsonPrint(pStored, 0, &text, 0)==KV_OK && jsonOrderLong(kvBufBytes(&text), &stored);
  }
  while( bOk && kvListNext(&given, &i, &want) ){
    for(k=0; (bOk = kvListNext(&stored, &k, &one))!=0 && !kvBytesEqual(one, want); ){}
  }
  kvListClear(&given);
  kvListClear(&stored);
  kvBufClear(&text);
  return bOk;
}

/* Make numbers of digits that a double holds, and bigints of the others.  KV_SYNTAX: there is
** a number beyond all doubles. */
static int jsonOrderNumbers(KvTree *p){
  u32 i;
  for(i=0; i<p->nNode; i++){
    KvNode *pNode = &p->aNode[i];
    double r;
    if( jsonOrderIsInfinite(pNode) ) return KV_SYNTAX;
    if( !kvJsonIsDigits(pNode) ) continue;
    r = kvJsonDigits(pNode);
    if( kvIsSafeInteger(r) ){
      kvNodeBecome(pNode, KV_NUMBER)->u.r = r;
    }else if( kvTreeDigits(p, i, kvNodeBytes(pNode), 10, pNode->eSub)!=KV_OK ){
      return KV_NOMEM;
    }
  }
  return KV_OK;
}

/* ---- members --------------------------------------------------------------- */

typedef struct JsonMember JsonMember;
struct JsonMember {
  const KvTree *p;
  u32 iKey;
};

/* A name as text: an index is its digits. */
static KvBytes jsonOrderName(const KvNode *p, char *z, KvNode *pText){
  if( p->eKind==KV_NUMBER ){
    memset(pText, 0, sizeof(*pText));
    pText->eKind = KV_STRING;
    pText->eSub = KV_LATIN1;
    pText->n = (u32)kvNumPrint(p->u.r, z);
    pText->u.p = (const u8*)z;
  }else{
    *pText = *p;
  }
  return kvNodeBytes(pText);
}

static int jsonOrderMember(const void *pA, const void *pB){
  const JsonMember *a = pA, *b = pB;
  char zA[KV_NUM_TEXT], zB[KV_NUM_TEXT];
  KvNode nodeA, nodeB;
  jsonOrderName(&a->p->aNode[a->iKey], zA, &nodeA);
  jsonOrderName(&b->p->aNode[b->iKey], zB, &nodeB);
  return kvStringCompare(&nodeA, &nodeB);
}

/* Bring the members of an object into the order of their names. */
static int jsonOrderObject(KvTree *p, u32 iObject){
  u32 n = p->aNode[iObject].n, i, iKey = p->aNode[iObject].iChild;
  JsonMember *a;
  if( n<2 ) return 1;
  a = kvRealloc(0, (u64)n*sizeof(*a));
  if( a==0 ) return 0;
  for(i=0; i<n && iKey; i++){
    a[i].p = p;
    a[i].iKey = iKey;
    iKey = p->aNode[p->aNode[iKey].iNext].iNext;
  }
  qsort(a, i, sizeof(*a), jsonOrderMember);
  p->aNode[iObject].iChild = a[0].iKey;
  while( i-->0 ){
    p->aNode[p->aNode[a[i].iKey].iNext].iNext = i+1<n ? a[i+1].iKey : 0;
  }
  kvFree(a);
  return 1;
}

/* ---- comparing --------------------------------------------------------------- */

/* KV_OK, KV_SYNTAX or KV_NOMEM. */
static int jsonOrderCanon(KvJsonSide *p){
  u32 i;
  int rc = kvJsonParseDigits(&p->tree, kvBufBytes(&p->text), 0);
  if( rc==KV_OK ) rc = jsonOrderNumbers(&p->tree);
  for(i=0; rc==KV_OK && i<p->tree.nNode; i++){
    if( p->tree.aNode[i].eKind==KV_OBJECT && !jsonOrderObject(&p->tree, i) ) rc = KV_NOMEM;
  }
  if( rc==KV_OK ) rc = kvJsonPrint(&p->tree, 0, &p->canon, 0);
  return rc==KV_OK ? p->canon.eErr : rc;
}

static void jsonOrderRead(KvJsonSide *p, KvBytes text){
  int rc;
  if( p->bRead && kvBytesEqual(kvBufBytes(&p->text), text) ) return;
  kvBufReset(&p->text);
  kvBufReset(&p->canon);
  kvTreeReset(&p->tree);
  kvBufAdd(&p->text, text);
  rc = p->text.eErr==KV_OK ? jsonOrderCanon(p) : p->text.eErr;
  p->bJson = rc==KV_OK;
  p->bNoMem = rc==KV_NOMEM;
  p->bRead = !p->bNoMem;
}

int kvJsonCompare(KvJsonSide *pA, KvBytes a, KvJsonSide *pB, KvBytes b){
  pA->bNoMem = pB->bNoMem = 0;
  if( kvBytesEqual(a, b) ) return 0;
  jsonOrderRead(pA, a);
  jsonOrderRead(pB, b);
  if( pA->bJson && pB->bJson ) return kvBytesCompare(kvBufBytes(&pA->canon),
      kvBufBytes(&pB->canon));
  if( pA->bJson || pB->bJson ) return pA->bJson ? -1 : 1;
  return kvBytesCompare(a, b);
}

void kvJsonSideClear(KvJsonSide *p){
  kvBufClear(&p->text);
  kvBufClear(&p->canon);
  kvTreeClear(&p->tree);
}
