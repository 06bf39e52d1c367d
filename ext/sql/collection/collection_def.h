/*
** collection_def.h -- the declaration of a collection.
**
**   arguments := 'prefix' (',' option)* (',' column)* (',' list)*
**   option    := ( schema | tables | tokenize | empty ) '=' value
**   column    := name [type] word*
**   type      := words of SQL, such as INTEGER, VARCHAR(20), DOUBLE PRECISION: defType()
**   word      := [PRIMARY] KEY [ASC] [AUTOINCREMENT] | [NOT] NULL | AT 'path' | FULLTEXT
**              | COLLATE (NOCASE | BINARY) | (UNIQUE | INDEX) ['index name']
**              | DEFAULT (literal | '(' literal ')' | ulid | uuid) | CONSTRAINT name
**   literal   := [+ | -] number | 'text' | x'bytes' | NULL | TRUE | FALSE
**              | CURRENT_TIMESTAMP | CURRENT_DATE | CURRENT_TIME
**   list      := [CONSTRAINT name] PRIMARY KEY '(' name (',' name)* ')'
**              | [CONSTRAINT name] (UNIQUE | INDEX) '(' name (',' name)* ')' ['index name']
**
** SQLite splits the arguments at commas outside of parentheses.  Names may be quoted as
** in SQL, words are not case-sensitive, and those of a column may come in any order.
*/
#ifndef KV_COLLECTION_DEF_H
#define KV_COLLECTION_DEF_H

#include "bytes/bytes.h"
#include "codec/index_spec.h"
#include "codec/v8/v8_find.h"
#include "store/error.h"

/* Types of a column. */
enum {
  KV_COLTYPE_ANY, KV_COLTYPE_INTEGER, KV_COLTYPE_REAL, KV_COLTYPE_TEXT, KV_COLTYPE_BLOB,
  KV_COLTYPE_BOOLEAN, KV_COLTYPE_BIGINT, KV_COLTYPE_DATETIME, KV_COLTYPE_JSON
};
/* "INTEGER" ..., "" for ANY. */
const char *kvCollectionTypeName(int eType);

/* What a column's DEFAULT is: a literal, or generated for each row. */
enum {
  KV_DEFAULT_NONE, KV_DEFAULT_LITERAL, KV_DEFAULT_ULID, KV_DEFAULT_UUID,
  KV_DEFAULT_TIMESTAMP, KV_DEFAULT_DATE, KV_DEFAULT_TIME
};

/* What is declared of an index. */
enum { KV_COLINDEX_NONE, KV_COLINDEX_PLAIN, KV_COLINDEX_UNIQUE };

typedef struct KvCollectionColumn KvCollectionColumn;
struct KvCollectionColumn {
  char *zName;
  char *zType;            /* The type as it is written, or 0 */
  char *zPath;            /* "$.name" unless AT gives another; 0 for a KEY */
  char *zIndex;           /* Name given for the index, or 0 */
  char *zDefault;         /* LITERAL: as SQL text */
  u8 eType;               /* KV_COLTYPE_xxx */
  u8 eIndex;              /* KV_COLINDEX_xxx */
  u8 eDefault;            /* KV_DEFAULT_xxx */
  u8 bKey, bNotNull, bNoCase;
  u8 bAuto;               /* AUTOINCREMENT */
  u8 bNumeric;            /* Strings under a type that SQLite takes for one of numbers: UUID */
  u8 bText;               /* FULLTEXT */
  u8 bOverlap;            /* Its path and that of an earlier column overlap */
  u32 iPart;              /* KEY: the number of its part, counted after the prefix */
  u8 bMember;             /* Its path is a name: */
  V8FindStep member;      /* ... the step there */
};

/* UNIQUE(a, b) or INDEX(a, b), of at least two columns. */
typedef struct KvCollectionSet KvCollectionSet;
struct KvCollectionSet {
  char *zIndex;           /* Name given for the index, or 0 */
  u8 eIndex;              /* KV_COLINDEX_xxx */
  u32 nColumn;
  u32 aiColumn[KV_INDEX_PATHS];
};

typedef struct KvCollectionDef KvCollectionDef;
struct KvCollectionDef {
  char *zPrefix;          /* Key text, as it was given */
  KvBuf prefix;           /* Its stored bytes */
  char *zSchema;          /* schema=, or 0 */
  char *zTables;          /* tables=, or 0 */
  char *zTokenize;        /* tokenize=, or 0 */
  char *zEmpty;           /* empty=null: INSERT takes empty TEXT for NULL; or 0 */
  u32 nColumn, nKey;      /* nKey: those that are KEY */
  u32 *aiKey;             /* These, in the order of their parts */
  u32 iKey;               /* The first of these */
  u32 nText;              /* Those that are FULLTEXT */
  KvCollectionColumn *aColumn;
  KvCollectionSet *aSet;
  u32 nSet;
};
/* The KEY column of part n after the prefix; 0: there is none. */
static inline const KvCollectionColumn *kvCollectionKey(const KvCollectionDef *p, u32 n){
  return n<p->nKey ? &p->aColumn[p->aiKey[n]] : 0;
}

/* Read the arguments into *p, which is overwritten.  kvCollectionDefClear() frees
** it, after an error too. */
void kvCollectionDefParse(
  KvCollectionDef *p, const char *zTable, int nArg, const char *const *azArg, KvError *pErr
);
void kvCollectionDefClear(KvCollectionDef *p);

/* Do the paths of two columns overlap, so that setting both would set one part
** twice? */
int kvCollectionOverlap(const KvCollectionColumn *pA, const KvCollectionColumn *pB);

/* The hidden columns, after the declared ones in this order.  The first is the argument of
** t('query').  With FULLTEXT columns it has the table's name, for MATCH. */
enum {
  KV_COLHIDE_TABLE, KV_COLHIDE_EXTRA,
  KV_COLHIDE_KEY, KV_COLHIDE_JS, KV_COLHIDE_JSON, KV_COLHIDE_RAW, KV_COLHIDE_TYPE,
  KV_COLHIDE_VERSIONSTAMP, KV_COLHIDE_EXPIRES_AT, KV_COLHIDE_EXPIRE_IN, KV_COLHIDE_AS_OF,
  KV_COLHIDE_COUNT,
  /* Only with FULLTEXT columns; RANK2 is "rank", if no column has the name */
  KV_COLHIDE_RANK = KV_COLHIDE_COUNT, KV_COLHIDE_SNIPPET, KV_COLHIDE_HIGHLIGHT, KV_COLHIDE_RANK2
};

/* The collation of a column; 0: BINARY. */
const char *kvCollectionCollation(const KvCollectionColumn *p);
/* The CREATE TABLE statement for SQLite, from sqlite3_malloc(); 0: out of memory. */
char *kvCollectionDeclaration(const KvCollectionDef *p, const char *zTable);
/* Does the table have rowids?  Otherwise its primary key is one KEY column of a
** type that SQLite doesn't convert or, without KEY columns, the hidden kv_key. */
int kvCollectionHasRowid(const KvCollectionDef *p);
/* Is the rowid the only KEY column, an INTEGER?  Else it is a hash: collection_rowid.h. */
static inline int kvCollectionIdIsRowid(const KvCollectionDef *p){
  return p->nKey==1 && p->aColumn[p->iKey].eType==KV_COLTYPE_INTEGER;
}

#endif /* KV_COLLECTION_DEF_H */
