/*
** js.h -- values as JavaScript text and as JSON text.
*/
#ifndef KV_JS_H
#define KV_JS_H

#include "codec/value.h"

/*
** Parse one JavaScript literal (head of js_parse.c: the grammar) into the
** (reset) tree.  Slices may point into the text.
** KV_SYNTAX with the offset of the offending byte and a text that says what
** was expected.
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

/*
** Append the canonical, lossless JS text of the tree's root to pOut: what
** kvJsParse() reads back as the same value.  nIndent>0: with line breaks and
** that many spaces a level.
*/
int kvJsPrint(KvTree *p, int nIndent, KvBuf *pOut, KvErr *pErr);

/* Append a STRING node as a quoted JSON string. */
void kvJsString(const KvNode *pNode, KvBuf *pOut);

/*
** Append the JSON text of node iNode.  Nothing is appended when the value is
** undefined (JSON.stringify() gives undefined too).
*/
int kvJsonPrint(KvTree *p, u32 iNode, KvBuf *pOut, KvErr *pErr);

/*
** Find the node at an SQLite JSON path such as $.a."b c"[0][#-1].  *piNode is
** the node (REFs followed), or KV_NO_NODE when there is nothing there.  An
** element of a view is not a node: then *piNode is the VIEW and *piElem the
** index of the element, else *piElem is -1.  A Map is entered by a string key
** as .key and by [i] to the value of its i-th entry; a Set by [i].
*/
int kvPathFind(
  const KvTree *p, KvBytes path, u32 *piNode, i64 *piElem, KvErr *pErr
);

/*
** Element iElem of typed array iView: *pOut is a NUMBER, or a BIGINT whose
** magnitude is in aDigit (8 bytes).  False if there is no such element; a
** DataView has none.
*/
int kvViewElem(
  const KvTree *p, u32 iView, i64 iElem, KvNode *pOut, u8 *aDigit
);
/* Store a node as an element of type eView at a, as JavaScript's assignment
** does: rounded, wrapped.  False if it can't be one. */
int kvViewPut(u8 *a, int eView, const KvNode *pNode);
/* The BUFFER behind VIEW iView (its REF followed). */
u32 kvViewBuffer(const KvTree *p, u32 iView);

/*
** The ISO-8601 form of a time value (not NaN), as toISOString(), to z, which
** has room for 32 bytes.  Returns the number of bytes.
*/
#define KV_DATE_TEXT 32
u32 kvDateText(double rMs, char *z);
/* Append it. */
void kvDatePrint(double rMs, KvBuf *pOut);

/*
** Read a date text as Deno's Date constructor does: ISO-8601 forms (date
** only is UTC, date and time without zone is refused as it would depend on
** the machine) and RFC 2822 "Sun, 23 Apr 2023 10:00:00 GMT".  KV_OK, or
** KV_SYNTAX when the text is none of them.
*/
int kvDateParse(KvBytes text, double *prMs);

/*
** Check that a regular expression compiles: its source in WTF-8.  Returns
** 0 if it does, else a constant text that says what is wrong, and *piPos,
** which is KV_RE_NOMEM if there was no memory to tell.
*/
#define KV_RE_NOMEM 0xffffffffu
const char *kvRegexpCheck(KvBytes source, u32 mFlags, u32 *piPos);
/* The flag bits KV_RE_xxx of the letters, or 0xffffffff if they are no flags. */
u32 kvRegexpReadFlags(KvBytes letters);

/*
** Append the text that .source gives for a pattern: line terminators, and
** slashes outside of classes, are escaped, and an empty one is (?:).
*/
void kvRegexpSource(KvBuf *pOut, KvBytes pattern);

#endif /* KV_JS_H */
