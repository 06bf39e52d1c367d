/*
** value.h -- properties of values, for the targets that read some.
*/
#ifndef KV_FUZZ_VALUE_H
#define KV_FUZZ_VALUE_H

#include "fuzz/fuzz.h"
#include "codec/js/js_parse.h"
#include "codec/js/js_print.h"
#include "codec/json/json_print.h"
#include "codec/names.h"
#include "codec/path.h"
#include "codec/stored.h"
#include "codec/v8/v8_read.h"
#include "codec/v8/v8_write.h"
#include "codec/view.h"

/*
** Links, counts and flags of a tree are as value.h says.  Returns whether there
** is something in the value that has no JS text and can't be written.  What is
** still in the tree but no longer a part of the value (a Map's key came twice)
** has links that are in the tree, and that is all.
*/
static inline int valueTree(const KvTree *p){
  char *abSeen;
  u32 *ai;
  u32 n = 0, i, iChild;
  int bHost = 0;
  MUST( p->nNode>0 && p->nNode<=p->nAlloc && p->aNode[0].iNext==0 );
  abSeen = calloc(p->nNode, 1);
  ai = malloc(p->nNode*sizeof(u32));
  MUST( abSeen && ai );
  for(i=0; i<p->nNode; i++){
    const KvNode *pNode = &p->aNode[i];
    MUST( (pNode->mFlags & KVN_MARK)==0 );
    MUST( pNode->iNext<p->nNode && pNode->iChild<p->nNode );
    if( pNode->eKind==KV_REF ) MUST( pNode->n<p->nNode );
  }
  abSeen[0] = 1;
  ai[n++] = 0;
  while( n>0 ){
    i = ai[--n];
    bHost |= p->aNode[i].eKind==KV_HOST;
    if( p->aNode[i].eKind==KV_REF ){
      u32 iTo = p->aNode[i].n;
      MUST( KV_IS_OBJECT(p->aNode[iTo].eKind) );
      if( !abSeen[iTo] ) ai[n++] = iTo;
      abSeen[iTo] = 1;
    }
    for(iChild=p->aNode[i].iChild; iChild; iChild=p->aNode[iChild].iNext){
      if( !abSeen[iChild] ) ai[n++] = iChild;
      abSeen[iChild] = 1;
    }
  }
  free(abSeen);
  free(ai);
  return bHost;
}

/* The stored bytes of the tree; KV_OK or KV_REFUSED. */
static inline int valueWrite(KvTree *p, int iVersion, KvBuf *pOut, int *peEncoding){
  KvErr err = {0, 0, 0};
  int rc;
  kvBufReset(pOut);
  rc = kvValueWrite(p, iVersion, 0, pOut, peEncoding, &err);
  MUST( rc==KV_OK || (rc==KV_REFUSED && err.zMsg) );
  valueTree(p);
  return rc;
}

/* JSON text of any value can be read, and is its own JSON text. */
static inline void valueJson(KvTree *p){
  KvTree again;
  KvBuf text, text2;
  KvErr err = {0, 0, 0};
  kvTreeInit(&again);
  kvBufInit(&text, 0, 0);
  kvBufInit(&text2, 0, 0);
  MUST( kvJsonPrint(p, 0, &text, &err)==KV_OK );
  valueTree(p);
  if( text.n>0 ){
    MUST( kvJsonParse(&again, kvBufBytes(&text), &err)==KV_OK );
    if( text.n<100000 ){
      MUST( kvJsonPrint(&again, 0, &text2, &err)==KV_OK );
      kvTreeReset(&again);
      MUST( kvJsonParse(&again, kvBufBytes(&text2), &err)==KV_OK );
      kvBufReset(&text);
      MUST( kvJsonPrint(&again, 0, &text, &err)==KV_OK && fuzzEqual(&text, &text2) );
    }
  }
  kvTreeClear(&again);
  kvBufClear(&text);
  kvBufClear(&text2);
}

/* Paths into the value, and the names of all types in it. */
static inline void valuePaths(const KvTree *p){
  static const char *const az[] = {
    "$", "$[0]", "$[#-1][1]", "$.a", "$.a.b[2]", "$[1].message", "$.\"\\u0061\"[0]", "$[0][0][0]", "$.cause.stack"
  };
  char zName[64];
  u32 i, iNode;
  i64 iElem;
  for(i=0; i<sizeof(az)/sizeof(az[0]); i++){
    KvErr err;
    MUST( kvPathFind(p, kvBytesText(az[i]), &iNode, &iElem, &err)==KV_OK );
    MUST( iNode==KV_NO_NODE || iNode<p->nNode );
    if( iNode!=KV_NO_NODE && iElem>=0 ){
      KvNode node;
      u8 aDigit[8];
      MUST( kvViewElem(p, iNode, iElem, &node, aDigit) );
    }
  }
  for(i=0; i<p->nNode; i++){
    if( p->aNode[i].eKind==KV_HOLE || p->aNode[i].eKind==KV_REF ) continue;
    MUST( kvTypeName(p, i, zName)[0]!=0 );
  }
}

/*
** The value in p, whose input has n bytes.  Its JS text is read as a value
** with the same JS text, with and without an indent, and the same stored
** bytes; these are read as a value that has them again.
*/
static inline void valueAll(KvTree *p, u32 n){
  KvTree again;
  KvBuf text, text2, text3, bytes, bytes2;
  KvErr err = {0, 0, 0};
  int eEncoding = 0, eEncoding2 = 0, rc, rc2, i;
  int bHost = valueTree(p);
  kvTreeInit(&again);
  kvBufInit(&text, 0, 0);
  kvBufInit(&text2, 0, 0);
  kvBufInit(&text3, 0, 0);
  kvBufInit(&bytes, 0, 0);
  kvBufInit(&bytes2, 0, 0);
  valuePaths(p);
  rc = valueWrite(p, 15, &bytes, &eEncoding);
  MUST( kvJsPrint(p, 0, &text, &err)==KV_OK );
  valueTree(p);
  MUST( text.n<=(u64)n*48 + 1024 );
  if( !bHost ){
    for(i=0; i<2; i++){
      const KvBuf *pText = i ? &text2 : &text;
      if( i ) MUST( kvJsPrint(p, 2, &text2, &err)==KV_OK );
      kvTreeReset(&again);
      MUST( kvJsParse(&again, kvBytes(pText->a, pText->n), &err)==KV_OK );
      valueTree(&again);
      rc2 = valueWrite(&again, 15, &bytes2, &eEncoding2);
      MUST( rc==rc2 );
      if( rc==KV_OK ) MUST( eEncoding==eEncoding2 && fuzzEqual(&bytes, &bytes2) );
    }
    MUST( kvJsPrint(&again, 0, &text3, &err)==KV_OK && fuzzEqual(&text, &text3) );
  }else{
    MUST( rc==KV_REFUSED );
    MUST( kvJsParse(&again, kvBufBytes(&text), &err)!=KV_OK );
  }
  if( rc==KV_OK ){
    kvTreeReset(&again);
    MUST( kvValueRead(&again, eEncoding, kvBufBytes(&bytes), &err)==KV_OK );
    valueTree(&again);
    MUST( valueWrite(&again, 15, &bytes2, &eEncoding2)==KV_OK );
    MUST( eEncoding==eEncoding2 && fuzzEqual(&bytes, &bytes2) );
    kvBufReset(&text3);
    MUST( kvJsPrint(&again, 0, &text3, &err)==KV_OK );
    /* of a Uint8Array by itself its bytes are stored, not its buffer */
    MUST( eEncoding==3 || fuzzEqual(&text, &text3) );
    /* the newer version differs in its number alone */
    MUST( valueWrite(p, 16, &bytes2, &eEncoding2)==KV_OK );
    if( eEncoding==1 ){
      MUST( bytes.n==bytes2.n && bytes2.a[1]==16 && memcmp(&bytes.a[2], &bytes2.a[2], bytes.n-2)==0 );
    }
  }
  valueJson(p);
  kvTreeClear(&again);
  kvBufClear(&text);
  kvBufClear(&text2);
  kvBufClear(&text3);
  kvBufClear(&bytes);
  kvBufClear(&bytes2);
}

#endif /* KV_FUZZ_VALUE_H */
