/*
** index_spec.h -- the declaration of an index: the paths of the indexed values, and
** the condition on the entries that it includes.
**
**    paths     = path { ',' path }              $.email     $.customer, $.date
**    condition = path [ '=' literal ]           $.deleted   $.status = "open"
**
** A comma separates two paths if a '$' follows (after spaces) and it is not in a
** "quoted key".  A literal is a string, a number, true, false or null in JSON.  In
** the path of a condition a key with white space or any of ! < = > is quoted.
*/
#ifndef KV_INDEX_SPEC_H
#define KV_INDEX_SPEC_H

#include "codec/value.h"

/* The most paths of an index, and of a full-text index. */
#define KV_INDEX_PATHS   4
#define KV_SEARCH_PATHS  32

typedef struct KvIndexSpec KvIndexSpec;
struct KvIndexSpec {
  u32 nPath;              /* 0: the texts are malformed, and nothing is indexed */
  KvBytes aPath[KV_SEARCH_PATHS];
  KvBytes where;          /* The path of the condition; empty: no condition */
  u8 bEquals;             /* The value there equals the literal; else it is neither null nor
                          ** undefined */
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

/* If a text begins with tokenize = value, an option of a full-text index: its
** length in bytes, otherwise 0.  The value is a word, or in single or double
** quotes; it is appended to pOut, unless that is 0. */
u32 kvIndexTokenize(KvBytes text, KvBuf *pOut);

/* Does the index include an entry with that value?  *pbIn.  KV_NOMEM, or KV_SYNTAX
** for a path that goes around in cycles. */
int kvIndexSpecMeets(const KvIndexSpec *p, const KvTree *pTree, int *pbIn, KvErr *pErr);

#endif /* KV_INDEX_SPEC_H */
