/*
** js_console.h -- the forms of JS text that only the console prints.
*/
#ifndef KV_JS_CONSOLE_H
#define KV_JS_CONSOLE_H

#include "codec/js/js_frame.h"

/* After the name of a class at zAt: JSP_END, and nothing is consumed, if what
** comes next is no form of the console. */
int kvJsConsole(KvJsp *p, int eCall, const char *zAt);

/* At a '[' and a capital letter: the same. */
int kvJsConsoleBracket(KvJsp *p);

/* An invalid Date. */
int kvJsInvalidDate(KvJsp *p);

#endif /* KV_JS_CONSOLE_H */
