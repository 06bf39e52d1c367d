/*
** search_text.c -- the texts of a value that a full-text index holds.  See search_text.h.
*/
#include "codec/search_text.h"
#include "codec/path.h"

/* A container that is being read: its next child, and how many are left of those
** without keys, and of keys and values. */
typedef struct TextLevel TextLevel;
struct TextLevel {
  u32 i, nElem, nPair;
};

typedef struct TextWalk TextWalk;
struct TextWalk {
  const KvTree *pTree;
  KvBuf *pOut;
  u8 bAll;                /* Every string, else those in an ARRAY, MAP or SET */
  u8 bAny;                /* There was a string */
  KvBuf levels;           /* The open containers */
};

/* Append a string in a line of its own.  A NUL would end the text for some readers. */
static void textString(TextWalk *p, const KvNode *pNode){
  u32 i;
  if( p->bAny ) kvBufPut(p->pOut, '\n');
  p->bAny = 1;
  i = p->pOut->n;
  kvUtfAppend(p->pOut, pNode->eSub, kvNodeBytes(pNode), 0);
  if( p->pOut->eErr!=KV_OK || i==p->pOut->n || !memchr(&p->pOut->a[i], 0, p->pOut->n - i) ) return;
  for(; i<p->pOut->n; i++){
    if( p->pOut->a[i]==0 ) p->pOut->a[i] = ' ';
  }
}

/* Open the container that a node is, if it is one whose strings count. */
static void textOpen(TextWalk *p, const KvNode *pNode){
  TextLevel level = { pNode->iChild, 0, 0 };
  switch( pNode->eKind ){
    case KV_ARRAY:
      level.nElem = pNode->u.c.nElem;
      level.nPair = 2*pNode->u.c.nPair;
      break;
    case KV_SET:    level.nElem = pNode->n;                      break;
    case KV_MAP:    level.nPair = 2*pNode->n;                    break;
    case KV_OBJECT: level.nPair = p->bAll ? 2*pNode->n : 0;      break;
    case KV_ERROR:
    case KV_BOXED:
    case KV_HOST:   level.nElem = p->bAll ? UINT32_MAX : 0;      break;
    default:        return;
  }
  kvBufAppend(&p->levels, &level, sizeof(level));
}

static void textNode(TextWalk *p, u32 iNode){
  const KvNode *pNode = &p->pTree->aNode[iNode];
  if( pNode->eKind==KV_STRING ) textString(p, pNode);
  else textOpen(p, pNode);
}

/* Go on in the innermost container; false if all of them are done.  Which child comes in
** the place of a REF is read where the tree has it. */
static int textNext(TextWalk *p){
  TextLevel level;
  u32 iTop = p->levels.n - (u32)sizeof(level), i;
  int bKey;
  if( p->levels.n==0 || p->levels.eErr!=KV_OK ) return 0;
  memcpy(&level, &p->levels.a[iTop], sizeof(level));
  i = level.i;
  if( i==0 || (level.nElem==0 && level.nPair==0) ){
    p->levels.n = iTop;
    return 1;
  }
  bKey = level.nElem==0 && level.nPair%2==0;
  if( level.nElem ) level.nElem--;
  else level.nPair--;
  level.i = p->pTree->aNode[i].iNext;
  memcpy(&p->levels.a[iTop], &level, sizeof(level));
  if( !bKey ) textNode(p, i);
  return 1;
}

int kvSearchText(const KvTree *p, KvBytes path, KvBuf *pOut, int *pbAny){
  TextWalk walk = { .pTree = p, .pOut = pOut };
  u32 iNode;
  i64 iElem;
  int rc = kvPathFind(p, path, &iNode, &iElem, 0);
  *pbAny = 0;
  if( rc!=KV_OK || iNode==KV_NO_NODE || iElem>=0 ) return rc;
  walk.bAll = path.n==1;
  textNode(&walk, iNode);
  while( textNext(&walk) ){}
  if( pOut->eErr==KV_OK ) pOut->eErr = walk.levels.eErr;
  kvBufClear(&walk.levels);
  *pbAny = walk.bAny;
  return pOut->eErr;
}
