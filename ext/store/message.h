/*
** message.h -- error messages that show text of the user's.
**
** A name or an argument may hold anything: a line break that makes two lines
** of a log entry, or what a terminal obeys.  These show control characters as
** JSON does.  Formats cut what may be long: %!.100s, which counts characters.
*/
#ifndef KV_MESSAGE_H
#define KV_MESSAGE_H

#include <stdarg.h>

/* sqlite3_mprintf() and sqlite3_vmprintf() with control characters escaped. */
char *kvMsg(const char *zFormat, ...);
char *kvMsgV(const char *zFormat, va_list ap);

#endif /* KV_MESSAGE_H */
