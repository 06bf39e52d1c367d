/*
** survey.c -- what the values below a prefix look like.  See survey.h.
*/
#include "sql/look/survey.h"
#include "sql/collection/collection_value.h"
#include "store/clock.h"
#include "store/schema.h"
#include "codec/json/json_print.h"
#include "codec/key/key_bytes.h"
#include "codec/names.h"
#include "codec/num/num.h"
#include "codec/stored.h"

/* Work space of a run over the entries. */
typedef struct SurveyRun SurveyRun;
struct SurveyRun {
  KvSurvey *p;
  KvStore *pStore;
  KvBytes prefix;
  KvStmt *pStmt;
  KvBuf lo, hi;
  KvTree tree;
  KvBuf path;             /* The path that is looked at */
  KvBuf item;             /* ... and type, as the map has them */
};

/* ---- the entries ----------------------------------------------------------- */

static void surveyBegin(SurveyRun *r, KvSurvey *p, KvStore *pStore, KvBytes prefix, u32 mRead){
  memset(r, 0, sizeof(*r));
  r->p = p;
  r->pStore = pStore;
  r->prefix = prefix;
  kvBufAdd(&r->lo, prefix);
  kvBufPut(&r->lo, 0);
  kvBufAdd(&r->hi, prefix);
  kvBufPut(&r->hi, 0xff);
  kvErrorBuf(kvStoreError(pStore), &r->lo);
  kvErrorBuf(kvStoreError(pStore), &r->hi);
  if( kvSchemaReady(pStore)==KV_STORE_NONE ) return;
  r->pStmt = kvStmtReader(pStore, mRead|KVREAD_UPPER);
  if( r->pStmt==0 ) return;
  kvBindBytes(r->pStmt, 1, kvBufBytes(&r->lo));
  kvBindBytes(r->pStmt, 2, kvBufBytes(&r->hi));
  kvBindInt(r->pStmt, 3, kvNow());
}

static void surveyEnd(SurveyRun *r){
  kvStmtGive(r->pStmt);
  kvBufClear(&r->lo);
  kvBufClear(&r->hi);
  kvBufClear(&r->path);
  kvBufClear(&r->item);
  kvTreeClear(&r->tree);
}

/* The parts of a key after the prefix: how many, and the first of them.  0: it is
** no key. */
static u32 surveyParts(SurveyRun *r, KvBytes key, KvPart *aPart){
  u32 i = r->prefix.n, n = 0;
  KvPart part;
  while( i<key.n ){
    if( kvPartRead(key, &i, &part, 0)!=KV_OK ) return 0;
    if( n<KVSURVEY_PARTS && aPart ) aPart[n] = part;
    n++;
  }
  return n;
}

/* A whole number, and not -0? */
static int surveyIsWhole(double r){
  return kvIsSafeInteger(r) && (r!=0.0 || kvDoubleToBits(r)==0);
}

/* ---- keys -------------------------------------------------------------------- */

void kvSurveyKeys(KvSurvey *p, KvStore *pStore, KvBytes prefix, i64 nMost){
  SurveyRun run;
  KvPart aPart[KVSURVEY_PARTS];
  surveyBegin(&run, p, pStore, prefix, 0);
  while( p->nEntry<nMost && kvStmtRow(run.pStmt) ){
    u32 n = surveyParts(&run, kvStmtBytes(run.pStmt, KVREAD_COL_KEY), aPart), i;
    KvSurveyKeys *pKeys = &p->aKeys[n<=KVSURVEY_PARTS ? n : 0];
    p->nEntry++;
    if( pKeys->nEntry++==0 ) memset(pKeys->bWhole, 1, sizeof(pKeys->bWhole));
    for(i=0; i<n && i<KVSURVEY_PARTS; i++){
      const KvPart *pPart = &aPart[i];
      pKeys->mType[i] |= (u8)(1<<pPart->eType);
      if( pPart->eType==KVP_NUMBER && !surveyIsWhole(pPart->r) ) pKeys->bWhole[i] = 0;
    }
  }
  surveyEnd(&run);
}

/* ---- values -------------------------------------------------------------------- */

/* The first example of a field. */
static void surveyExample(SurveyRun *r, KvSurveyField *pField, u32 iNode){
  const KvNode *pNode = &r->tree.aNode[iNode];
  KvBuf text;
  u32 n;
  kvBufInit(&text, 0, 0);
  if( pNode->eKind==KV_STRING ) kvUtfAppend(&text, pNode->eSub, kvNodeBytes(pNode), 0);
  else kvJsonPrintSome(&r->tree, iNode, KVSURVEY_EXAMPLE + 1, &text, 0);
  if( text.eErr!=KV_OK ) kvErrorBuf(kvStoreError(r->pStore), &text);
  n = text.n<=KVSURVEY_EXAMPLE ? text.n : KVSURVEY_EXAMPLE;
  while( n<text.n && n>0 && (text.a[n] & 0xc0)==0x80 ) n--;
  sqlite3_snprintf(sizeof(pField->zExample), pField->zExample, "%.*s%s", (int)n,
      text.a ? (const char*)text.a : "", n<text.n ? "\xe2\x80\xa6" : "");
  kvBufClear(&text);
}

/* The field of r->path and a type; 0: there are too many, or no memory. */
static KvSurveyField *surveyField(
  SurveyRun *r, const char *zType, u32 iParent, const char *zName, u32 nName
){
  KvSurvey *p = r->p;
  KvSurveyField *pField;
  KvMapItem *pItem;
  kvBufReset(&r->item);
  kvBufAdd(&r->item, kvBufBytes(&r->path));
  kvBufPut(&r->item, 0);
  kvBufText(&r->item, zType);
  pItem = r->item.eErr==KV_OK ? kvMapFind(&p->map, kvBufBytes(&r->item)) : 0;
  if( pItem ) return &p->aField[pItem->iValue - 1];
  if( p->nField>=KVSURVEY_FIELDS ) return 0;
  if( (p->nField & (p->nField-1))==0 ){          /* double the array */
    u64 n = p->nField ? 2*(u64)p->nField : 1;
    KvSurveyField *aNew = sqlite3_realloc64(p->aField, n*sizeof(*aNew));
    if( aNew ) p->aField = aNew;
    else kvErrorCode(kvStoreError(r->pStore), SQLITE_NOMEM);
  }
  pItem = r->item.eErr==KV_OK && !kvFailed(kvStoreError(r->pStore))
      ? kvMapAdd(&p->map, kvBufBytes(&r->item)) : 0;
  if( pItem==0 ){
    kvErrorCode(kvStoreError(r->pStore), SQLITE_NOMEM);
    return 0;
  }
  pField = &p->aField[p->nField++];
  pItem->iValue = p->nField;
  memset(pField, 0, sizeof(*pField));
  pField->zPath = sqlite3_mprintf("%.*s", (int)r->path.n, (const char*)r->path.a);
  pField->zName = zName ? sqlite3_mprintf("%.*s", (int)nName, zName) : 0;
  pField->iParent = iParent;
  pField->bWhole = pField->bJson = 1;
  sqlite3_snprintf(sizeof(pField->zType), pField->zType, "%s", zType);
  if( pField->zPath==0 || (zName && pField->zName==0) ){
    kvErrorCode(kvStoreError(r->pStore), SQLITE_NOMEM);
  }
  return pField;
}

/* Append a member to the path: .name or ."na me".  False: it can't be spelled. */
static int surveyPath(KvBuf *pPath, KvBytes name){
  u32 i;
  int bPlain = name.n>0 && !(name.p[0]>='0' && name.p[0]<='9');
  for(i=0; i<name.n; i++){
    u8 c = name.p[i];
    if( c=='"' || c=='\\' || c<0x20 ) return 0;
    /* a lone surrogate */
    if( c==0xef && i+2<name.n && name.p[i+1]==0xbf && name.p[i+2]==0xbd ) return 0;
    if( !(c=='_' || c=='$' || c>=0x80 || (c>='0' && c<='9') || ((c|32)>='a' && (c|32)<='z')) ){
      bPlain = 0;
    }
  }
  kvBufPut(pPath, '.');
  if( !bPlain ) kvBufPut(pPath, '"');
  kvBufAdd(pPath, name);
  if( !bPlain ) kvBufPut(pPath, '"');
  return pPath->eErr==KV_OK;
}

/* Count the node at r->path, and what is in it. */
static void surveyNode(SurveyRun *r, u32 iNode, u32 iParent, KvBytes name, int nDepth){
  const KvNode *pNode;
  KvSurveyField *pField;
  char zType[64];
  u32 i, iField, nPath = r->path.n;
  int bRef = r->tree.aNode[iNode].eKind==KV_REF;
  iNode = kvDeref(&r->tree, iNode);
  pNode = &r->tree.aNode[iNode];
  pField = surveyField(r, kvTypeName(&r->tree, iNode, zType), iParent, (const char*)name.p, name.n);
  if( pField==0 || kvFailed(kvStoreError(r->pStore)) ) return;
  iField = (u32)(pField - r->p->aField);
  if( pField->nEntry++==0 ) surveyExample(r, pField, iNode);
  if( (pNode->eKind==KV_NUMBER || pNode->eKind==KV_DATE) && pNode->u.r!=pNode->u.r ){
    pField->nNull++;
  }
  if( pNode->eKind!=KV_NUMBER || !surveyIsWhole(pNode->u.r) ) pField->bWhole = 0;
  if( bRef || !kvCollectionIsJson(&r->tree, iNode, KVSURVEY_DEPTH) ) pField->bJson = 0;
  if( bRef || pNode->eKind!=KV_OBJECT || nDepth>=KVSURVEY_DEPTH ) return;
  for(i=pNode->iChild; i; i=r->tree.aNode[r->tree.aNode[i].iNext].iNext){
    const KvNode *pKey = &r->tree.aNode[i];
    KvBuf text;
    if( kvFailed(kvStoreError(r->pStore)) ) break;
    kvBufInit(&text, 0, 0);
    if( pKey->eKind==KV_STRING ){
      kvUtfAppend(&text, pKey->eSub, kvNodeBytes(pKey), 0);
    }else{
      char zIndex[24];
      kvBufAppend(&text, zIndex, (u64)kvIntPrint((i64)pKey->u.r, zIndex));
    }
    if( text.eErr!=KV_OK ) kvErrorBuf(kvStoreError(r->pStore), &text);
    else if( surveyPath(&r->path, kvBufBytes(&text)) ){
      surveyNode(r, pKey->iNext, iField, text.n ? kvBufBytes(&text) : kvBytesText(""), nDepth+1);
    }
    kvBufClear(&text);
    kvErrorBuf(kvStoreError(r->pStore), &r->path);
    r->path.n = nPath;
  }
}

/* Is the member "id" of the value the last part of the key? */
static int surveyIdIsKey(const SurveyRun *r, KvBytes key){
  const KvNode *pNode = &r->tree.aNode[0];
  KvBuf part;
  u32 i, iPart = 0;
  int bSame = 0;
  if( pNode->eKind!=KV_OBJECT ) return 0;
  for(i=pNode->iChild; i; i=r->tree.aNode[r->tree.aNode[i].iNext].iNext){
    const KvNode *pKey = &r->tree.aNode[i];
    if( pKey->eKind==KV_STRING && kvBytesEqual(kvNodeBytes(pKey), kvBytesText("id")) ) break;
  }
  if( i==0 ) return 0;
  pNode = &r->tree.aNode[r->tree.aNode[i].iNext];
  kvBufInit(&part, 0, 0);
  if( pNode->eKind==KV_NUMBER ) kvKeyPutNumber(&part, pNode->u.r);
  else if( pNode->eKind==KV_STRING ){
    KvBuf text;
    kvBufInit(&text, 0, 0);
    kvUtfAppend(&text, pNode->eSub, kvNodeBytes(pNode), 0);
    if( text.eErr==KV_OK ) kvKeyPutString(&part, kvBufBytes(&text));
    kvBufClear(&text);
  }
  iPart = part.n<=key.n ? key.n - part.n : 0;
  bSame = part.n>0 && part.eErr==KV_OK && kvBytesEqual(kvBytesFrom(key, iPart), kvBufBytes(&part));
  kvBufClear(&part);
  return bSame;
}

static void surveyEntry(SurveyRun *r){
  KvErr err;
  int rc;
  kvBufReset(&r->path);
  kvBufPut(&r->path, '$');
  kvTreeReset(&r->tree);
  rc = kvValueRead(&r->tree, (int)kvStmtInt(r->pStmt, KVREAD_COL_ENCODING),
      kvStmtBytes(r->pStmt, KVREAD_COL_V), &err);
  if( rc==KV_NOMEM ){
    kvErrorCode(kvStoreError(r->pStore), SQLITE_NOMEM);
  }else if( rc==KV_OK ){
    surveyNode(r, 0, 0, kvBytes(0, 0), 0);
    r->p->nIdIsKey += surveyIdIsKey(r, kvStmtBytes(r->pStmt, KVREAD_COL_KEY));
  }else{
    KvSurveyField *pField = surveyField(r, "malformed", 0, 0, 0);
    if( pField==0 ) return;
    pField->nEntry++;
    pField->bWhole = pField->bJson = 0;
  }
}

void kvSurveyValues(KvSurvey *p, KvStore *pStore, KvBytes prefix, u32 nPart, i64 nMost){
  SurveyRun run;
  surveyBegin(&run, p, pStore, prefix, KVREAD_VALUE);
  p->nEntry = 0;
  while( p->nEntry<nMost && kvStmtRow(run.pStmt) ){
    if( nPart && surveyParts(&run, kvStmtBytes(run.pStmt, KVREAD_COL_KEY), 0)!=nPart ) continue;
    p->nEntry++;
    surveyEntry(&run);
  }
  surveyEnd(&run);
}

void kvSurveyClear(KvSurvey *p){
  u32 i;
  for(i=0; i<p->nField; i++){
    sqlite3_free(p->aField[i].zPath);
    sqlite3_free(p->aField[i].zName);
  }
  sqlite3_free(p->aField);
  kvMapClear(&p->map);
  memset(p, 0, sizeof(*p));
}
