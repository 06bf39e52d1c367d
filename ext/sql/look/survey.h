/*
** survey.h -- the types of the values below a prefix.
**
** A survey reads entries in the order of their keys and counts the types at each
** path of their values:
**
**   path             type     entries
**   $                Object   3
**   $.name           string   3
**   $.address        Object   2
**   $.address.city   string   2
**
** Paths lead through members of Objects, at most KVSURVEY_DEPTH deep.
*/
#ifndef KV_SURVEY_H
#define KV_SURVEY_H

#include "bytes/map.h"
#include "codec/value.h"
#include "store/store.h"

#define KVSURVEY_DEPTH    6
#define KVSURVEY_FIELDS   10000   /* The most paths and types; later ones are omitted */
#define KVSURVEY_EXAMPLE  60      /* Bytes of an example at most */
#define KVSURVEY_PARTS    8       /* Key parts that are looked at */

/* A path and a type. */
typedef struct KvSurveyField KvSurveyField;
struct KvSurveyField {
  char *zPath;
  char *zName;            /* Its last member, without quotes; 0 for $ */
  u32 iParent;            /* Field of the Object that it is in; for $ itself */
  i64 nEntry;
  i64 nNull;              /* Those among them that are NaN or invalid Dates, which SQL shows as
                          ** NULL */
  u8 bWhole;              /* Numbers: all are safe integers, none is -0 */
  u8 bJson;               /* JSON can express all of them completely */
  char zType[64];
  char zExample[KVSURVEY_EXAMPLE + 8];   /* The first one as text, cut */
};

/* The keys with the same number of parts after the prefix. */
typedef struct KvSurveyKeys KvSurveyKeys;
struct KvSurveyKeys {
  i64 nEntry;
  u8 mType[KVSURVEY_PARTS];      /* By part: bit KVP_xxx */
  u8 bWhole[KVSURVEY_PARTS];     /* All its numbers are safe integers */
};

typedef struct KvSurvey KvSurvey;
struct KvSurvey {
  i64 nEntry;
  i64 nIdIsKey;                  /* Those with the last key part as member "id" */
  u32 nField;
  KvSurveyField *aField;         /* By first appearance */
  KvMap map;                     /* Path, type -> 1 + index */
  KvSurveyKeys aKeys[KVSURVEY_PARTS + 1];   /* By number of parts; 0: more of them */
};

/*
** Survey the entries strictly below a prefix (stored bytes), the first nMost of
** them.  kvSurveyKeys() fills aKeys.  kvSurveyValues() fills aField, from the
** entries with nPart parts more, or from all (0).  *p must be zero at first;
** kvSurveyClear() frees it.  Undecodable values have the type "malformed".  Errors
** are the store's.
*/
void kvSurveyKeys(KvSurvey *p, KvStore *pStore, KvBytes prefix, i64 nMost);
void kvSurveyValues(KvSurvey *p, KvStore *pStore, KvBytes prefix, u32 nPart, i64 nMost);
void kvSurveyClear(KvSurvey *p);

#endif /* KV_SURVEY_H */
