/*
** entry_print.h -- entries as lines of JSON, in the format of @deno/kv-utils.
**
** A line is one entry (entryToJSON() of @deno/kv-utils writes it so):
**
**    {"key":[PART,...],"value":VALUE,"versionstamp":"00000000000000010000"}
**
** A PART or VALUE is an object that names its type:
**
**    {"type":"string","value":"a"}         {"type":"boolean","value":true}
**    {"type":"number","value":1.5}         or "NaN", "Infinity", "-Infinity"
**    {"type":"bigint","value":"-12"}
**    {"type":"Uint8Array","value":"AQID","byteLength":3}
**
** and a VALUE besides
**
**    {"type":"undefined"}                  {"type":"null","value":null}
**    {"type":"Array","value":[VALUE,...]}  null for a hole
**    {"type":"object","value":{"name":VALUE,...}}
**    {"type":"Map","value":[[VALUE,VALUE],...]}
**    {"type":"Set","value":[VALUE,...]}
**    {"type":"Date","value":"2023-04-23T00:00:00.000Z"}
**    {"type":"RegExp","value":"/a+/gi"}    {"type":"KvU64","value":"42"}
**    {"type":"TypeError","value":{"message":"m","cause":VALUE,"stack":"s"}}
**    {"type":"Float64Array","value":BASE64,"byteLength":n}   any typed array
**    {"type":"DataView", ...}  {"type":"ArrayBuffer", ...}   likewise
**
** BASE64 is URL-safe and has no padding.  What the format can't express, or would
** read back as something else, is written as stored bytes, which @deno/kv-utils
** rejects:
**
**    "key":[{"type":"raw","value":BASE64}]         the key's stored bytes
**    "value":{"type":"raw","value":BASE64}         v_encoding, then the bytes
**
** Keys: -NaN, and bytes that are no key.  Values: host objects, boxed
** primitives, cycles and objects that occur more than once, Float16Array, a
** view of a part of its buffer, resizable and immutable buffers, arrays with
** properties or of many holes, an own property __proto__, and bytes that are
** no value.  These differ from what entryToJSON() would write, and read back
** as what they were: -0, an invalid Date ("Invalid Date"), an Error without
** message or with a cause that is falsy.
*/
#ifndef KV_ENTRY_PRINT_H
#define KV_ENTRY_PRINT_H

#include "codec/value.h"

/* Append the JSON of a key's stored bytes. */
void kvEntryPrintKey(KvBuf *pOut, KvBytes key);

/*
** Append the JSON of a raw value: a byte of v_encoding, then the
** stored bytes.  pTree is work space.  KV_OK, KV_NOMEM or KV_TOOBIG.
*/
int kvEntryPrintValue(KvBuf *pOut, KvTree *pTree, KvBytes raw, KvErr *pErr);

#endif /* KV_ENTRY_PRINT_H */
