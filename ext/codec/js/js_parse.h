/*
** js_parse.h -- JavaScript literals and JSON text to a tree.
*/
#ifndef KV_JS_PARSE_H
#define KV_JS_PARSE_H

#include "codec/value.h"

/*
** Parse one JavaScript literal (head of js_parse.c: the grammar) into the
** (reset) tree.  Slices may point into the text.  KV_SYNTAX with the offset of
** the offending byte and a message that says what was expected.
*/
int kvJsParse(KvTree *p, KvBytes text, KvErr *pErr);

/*
** The same for JSON text (RFC 8259, and what SQLite's json() lets pass:
** nothing else): "__proto__" is an ordinary key.
*/
int kvJsonParse(KvTree *p, KvBytes text, KvErr *pErr);

/*
** The same, but an integer of 16 or more digits, which a number might round,
** becomes a BIGINT whose eSpare is KV_DIGITS and whose content is the decimal
** digits themselves, not a magnitude.  The caller gets rid of these nodes.
*/
#define KV_DIGITS 1
int kvJsonParseDigits(KvTree *p, KvBytes text, KvErr *pErr);
static inline int kvJsonIsDigits(const KvNode *p){
  return p->eKind==KV_BIGINT && p->eSpare==KV_DIGITS;
}
/* The nearest double to such digits. */
double kvJsonDigits(const KvNode *p);

#endif /* KV_JS_PARSE_H */
