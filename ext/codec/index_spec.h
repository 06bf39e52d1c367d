/*
** index_spec.h -- what the declaration of an index says: at which paths of a value
** the indexed values are, and which entries have a place in the index at all.
**
**    paths     = path { ',' path }              $.email     $.customer, $.date
**    condition = path [ '=' literal ]           $.deleted   $.status = "open"
**
** A comma separates two paths if a '$' comes next (spaces aside) and it is in no
** "quoted key".  A literal is a string, a number, true, false or null in JSON.  In the
** path of a condition a key with white space or any of ! < = > is quoted.
*/
#ifndef KV_INDEX_SPEC_H
#define KV_INDEX_SPEC_H

#include "codec/value.h"

/* The most paths that an index has, and a full-text index. */
#define KV_INDEX_PATHS   4
#define KV_SEARCH_PATHS  32

typedef struct KvIndexSpec KvIndexSpec;
struct KvIndexSpec {
  u32 nPath;              /* 0: the texts are none, and nothing is indexed */
  KvBytes aPath[KV_SEARCH_PATHS];
  KvBytes where;          /* The path of the condition; empty: there is none */
  u8 bEquals;             /* What is there is the literal; else neither null nor undefined */
  KvNode literal;
};

/*
** Read both texts, to which the result points; an empty condition is none.  aSpace has
** room for as many bytes as the condition, and stays.  bSearch: of a full-text index.
** KV_SYNTAX, with the offset in the text that is wrong (*pbWhere: the condition), or
** KV_NOMEM.
*/
int kvIndexSpec(
  KvIndexSpec *p, KvBytes paths, KvBytes condition, int bSearch, u8 *aSpace, int *pbWhere,
  KvErr *pErr
);

/* Whether a text goes on with tokenize = value, an option of a full-text index: how many
** bytes that takes, 0 if it doesn't.  The value is a word, or in single or double quotes;
** it is appended to pOut, unless that is 0. */
u32 kvIndexTokenize(KvBytes text, KvBuf *pOut);

/* Has an entry with that value a place in the index?  *pbIn.  KV_NOMEM, or KV_SYNTAX
** for a path that goes around in cycles. */
int kvIndexSpecMeets(const KvIndexSpec *p, const KvTree *pTree, int *pbIn, KvErr *pErr);

#endif /* KV_INDEX_SPEC_H */
