/*
** edit.h -- setting or removing a part of a stored value.
**
** A step of the path (path.h) can enter, create, set and remove
**
**                     existing part             missing part
**     --------------  ------------------------  -----------------------------
**     OBJECT .key     replace, remove           set adds the member
**     ARRAY  [i]      replace, remove (those    set appends [length] and [#],
**                     after it move up)         and fills a hole
**     ARRAY  .key     replace, remove           -
**     MAP    .key     replace, remove           set adds the pair
**     MAP    [i]      the i-th pair's value:    -
**                     replace; remove the pair
**     SET    [i]      replace, remove           set adds by [size] and [#]
**     VIEW   [i]      replace                   -
**     ERROR  .message .stack .cause: replace,   set adds it
**                     remove
**
** If set adds a part and the path continues, Objects (for .key) and Arrays (for [0]
** and [#]) are created on the way, as by json_set().  Removing a missing member of
** an Object or Map, or anything below it, changes nothing.  Everything else is an
** error: a step through any other value, an index past the end, and removing the
** whole value.
**
** Everything else keeps its types, order and references.  An object that occurs
** twice is one object, whichever path leads to it; if its first occurrence is
** removed, it remains at the next.
*/
#ifndef KV_EDIT_H
#define KV_EDIT_H

#include "codec/edit/edit_arg.h"

/*
** Set or remove a part.  KV_OK or an error: KV_CORRUPT with an offset into the
** stored bytes, any other with one into the path or with none.  *p->pNew may
** be changed.
*/
int kvEdit(KvEdit *p, KvErr *pErr);

/* The long way: by the tree. */
int kvEditTree(KvEdit *p, KvErr *pErr);

#endif /* KV_EDIT_H */
