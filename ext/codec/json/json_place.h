/*
** json_place.h -- the state of a merge: the places visited, and the parts of the
** stored value that stay.
**
** The head of json_merge.c has the rules; json_items.c merges containers.  Errors
** are sticky: after the first one these functions do nothing.
*/
#ifndef KV_JSON_PLACE_H
#define KV_JSON_PLACE_H

#include "codec/json/json_match.h"

/* KvPlace.eName */
#define KV_PLACE_ROOT   0
#define KV_PLACE_KEY    1
#define KV_PLACE_INDEX  2

/* A place to be visited: three nodes for the same part. */
typedef struct KvPlace KvPlace;
struct KvPlace {
  u32 iOld;               /* In the stored value; KV_NO_NODE: a hole */
  u32 iShown;             /* In its JSON */
  u32 iNew;               /* In the new JSON and the result */
  u32 iParent;            /* Place of the container */
  u32 iName;              /* KEY: the key, in the JSON; INDEX: the index */
  u8 eName;               /* KV_PLACE_xxx */
  u8 bOpen;               /* The container's parts are being done */
};

typedef struct KvMerge KvMerge;
struct KvMerge {
  KvTree *pOld, *pNew;
  KvTree shown;           /* JSON of the stored value */
  KvBuf text;             /* ... as text */
  KvNode *aGiven;         /* The new JSON's nodes as they were parsed */
  u32 nGiven;
  KvMatch match;
  u8 *aMore;              /* Of each stored node: JSON can't hold all of it */
  u32 *aHidden;           /* Of a stored key that isn't shown: its node in shown */
  u32 *aObject;           /* KV_OBJ_COUNT words of each stored node; 0 if nothing
                          ** occurs more than once */
  KvPlace *aPlace;        /* Stack of places to visit */
  u32 nPlace, nPlaceAlloc;
  u32 (*aCopy)[2];        /* Stack of kvMergeCopy() and kvMergeAlike() */
  u32 nCopy, nCopyAlloc;
  int bSame;              /* The root's JSON is the same */
  u32 iPart;              /* What was refused */
  KvBuf *pPath;
  KvErr *pErr;
  int rc;                 /* The first error */
};

/* Words of aObject; indices are kept plus one, 0 is none. */
enum {
  KV_OBJ_OPEN,            /* Its node in the result while it is being changed */
  KV_OBJ_KEPT,            /* Its node where it stays as it is */
  KV_OBJ_SHOWN,           /* Where it was changed first: its JSON */
  KV_OBJ_GIVEN,           /* ... and its node in the new JSON and the result */
  KV_OBJ_COUNT
};
static inline u32 *kvMergeWord(KvMerge *p, u32 iOld, int eWord){
  return &p->aObject[(size_t)iOld*KV_OBJ_COUNT + (size_t)eWord];
}

void kvMergeFail(KvMerge *p, int eCode, const char *zMsg);
void kvMergeNoMem(KvMerge *p);

#define KV_MERGE_NOT_ONE "and the new JSON is not one"
#define KV_MERGE_UNSHOWN "and JSON doesn't show it"

/* Push a place. */
void kvMergePush(
  KvMerge *p, u32 iOld, u32 iShown, u32 iNew, u32 iParent, u8 eName, u32 iName
);
/* The part at a place is refused.  (Its parents' links are turned round to find
** the way down, and are of no use from then on.) */
void kvMergeRefuse(KvMerge *p, u32 iPlace, const char *zMsg);
/* Stored item i of the container at a place is refused. */
void kvMergeRefuseItem(KvMerge *p, u32 iPlace, u32 i, const char *zMsg);

/* Make node iNew of the result the same as *pFrom, but for its links. */
void kvMergeSet(KvMerge *p, u32 iNew, const KvNode *pFrom);
/* Make it a REF. */
void kvMergeRef(KvMerge *p, u32 iNew, u32 iTarget);
/* Put iOld, with all of its parts, in the place of iNew. */
void kvMergeCopy(KvMerge *p, u32 iOld, u32 iNew);
/* Digits that no bigint took: the nearest number. */
void kvMergeNumber(KvNode *pNode);

/*
** Are two elements of the same JSON the same altogether?  KV_NO_NODE is a hole.
** What refers to an object is only like another reference to it.
*/
int kvMergeAlike(KvMerge *p, u32 iA, u32 iB);

#endif /* KV_JSON_PLACE_H */
