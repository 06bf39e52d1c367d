/*
** js_word.h -- the words of JS and JSON text: each function reads at the cursor and
** returns what is left to do (JSP_xxx).
*/
#ifndef KV_JS_WORD_H
#define KV_JS_WORD_H

#include "codec/js/js_frame.h"

int kvJsReadString(KvJsp *p);  /* '"' or '\'' or '`' */
int kvJsReadDigit(KvJsp *p);   /* A digit */
int kvJsReadNumber(KvJsp *p);  /* A digit, '.' or a sign; not JSON */
int kvJsReadJson(KvJsp *p);    /* A number of JSON */
int kvJsReadWord(KvJsp *p);    /* A word, or nothing that is known */
int kvJsReadRegexp(KvJsp *p);  /* '/' */

/* The identifier at the cursor, which is consumed; empty if there is none. */
KvBytes kvJsIdentifier(KvJsp *p);

#endif /* KV_JS_WORD_H */
