/*
** vtab_help.c -- the table kv_help: one line for each function and table.
**
**     SELECT usage, summary FROM kv_help;
**
**     CREATE TABLE kv_help(name TEXT, kind TEXT, topic TEXT, usage TEXT, summary TEXT);
**
** kind is "function", "aggregate", "table" or "collation".
*/
#include "sql/modules.h"

#define HELP_SCHEMA \
  "CREATE TABLE kv_help(name TEXT, kind TEXT, topic TEXT, usage TEXT, summary TEXT)"
enum { HELP_NAME, HELP_KIND, HELP_TOPIC, HELP_USAGE, HELP_SUMMARY, HELP_COLUMNS };

/* In the order of HELP_SCHEMA. */
static const char *const helpRow[][HELP_COLUMNS] = {
  { "kv_key", "function", "keys", "kv_key(part, ...)",
    "key text from SQL values" },
  { "kv_bigint", "function", "keys", "kv_bigint(x)",
    "a bigint, for a key part or a value" },
  { "kv_bool", "function", "keys", "kv_bool(x)",
    "a boolean, for a key part or a value" },
  { "kv_part", "function", "keys", "kv_part(key, i)",
    "key part i as an SQL value; from 0, negative i from the end" },
  { "kv_value", "function", "values", "kv_value(x)",
    "a typed value from JS text or an SQL value" },
  { "kv_js", "function", "values", "kv_js(raw [, indent])",
    "a raw value as JS text, which is lossless" },
  { "kv_json", "function", "values", "kv_json(raw)",
    "a raw value as JSON text; also a collation, which compares JSON as values" },
  { "kv_type", "function", "values", "kv_type(raw)",
    "the type of a raw value, such as Map, or malformed" },
  { "kv_extract", "function", "values", "kv_extract(raw, path)",
    "the SQL value at a JSON path of a raw value" },
  { "kv_value_set", "function", "values", "kv_value_set(raw, path, value, ...)",
    "a raw value with parts of it set" },
  { "kv_entries", "table", "reading", "kv_entries [(prefix)]",
    "all entries, or those below a prefix: key, value, versionstamp, expires_at" },
  { "kv_children", "table", "reading", "kv_children(prefix)",
    "the distinct next parts below a prefix, like a folder's contents" },
  { "kv_collection", "table", "collections", "... USING kv_collection(prefix, column, ...)",
    "the entries below a prefix as a table with columns" },
  { "kv_infer", "function", "collections", "kv_infer(prefix [, sample [, parts]])",
    "the CREATE statement of a collection that fits the stored entries" },
  { "kv_get", "function", "reading", "kv_get(key [, path])",
    "the value of one entry, or its part at a path" },
  { "kv_atomic", "aggregate", "writing", "kv_atomic(op, ...)",
    "run an atomic operation; return the versionstamp, or NULL if a check failed" },
  { "kv_atomic", "table", "writing", "INSERT INTO kv_atomic(op, key, value) ...",
    "run an atomic operation; the statement fails if a check does" },
  { "kv_op", "function", "writing", "kv_op(op, ...)",
    "a check or mutation for kv_atomic()" },
  { "kv_set", "function", "writing", "kv_set(key, value [, expire_in])",
    "set an entry; return the versionstamp" },
  { "kv_delete", "function", "writing", "kv_delete(key)",
    "delete an entry; return 1, or 0 if there was none" },
  { "kv_sum", "function", "writing", "kv_sum(key, n [, expire_in])",
    "add n to the stored number; return the new value" },
  { "kv_queue", "table", "queue", "kv_queue",
    "the messages of the queue: id, value, state, ready_at, deadline and more" },
  { "kv_enqueue", "function", "queue", "kv_enqueue(value [, delay [, keys [, backoff]]])",
    "enqueue a message; return the versionstamp" },
  { "kv_dequeue", "table", "queue", "kv_dequeue([lease [, count]])",
    "claim messages: id, value, deadline and more" },
  { "kv_finish", "function", "queue", "kv_finish(id, ok)",
    "acknowledge a message, or report that it failed; return 1, or 0 if not claimed" },
  { "kv_index", "function", "indexes", "kv_index(name, prefix, path [, options])",
    "declare an index over the entries below a prefix" },
  { "kv_lookup", "table", "indexes", "kv_lookup(name [, equals ...])",
    "find entries by an index: key, value, versionstamp, expires_at, index_value" },
  { "kv_search", "table", "indexes", "kv_search(name, query [, weights, ...])",
    "find entries by words in a full-text index: key, value, rank, snippet and more" },
  { "kv_words", "function", "indexes", "kv_words(text)",
    "the words that a person has typed as a query that finds all of them" },
  { "kv_indexes", "table", "indexes", "kv_indexes",
    "the declared indexes: name, prefix, path, options, entries and more" },
  { "kv_track", "function", "changes", "kv_track([on])",
    "turn the change feed on or off, or tell whether it is on" },
  { "kv_changes", "table", "changes", "kv_changes([since [, prefix]])",
    "the keys modified after a versionstamp: key, value, versionstamp, deleted" },
  { "kv_history", "function", "history", "kv_history(prefix, keep_ms)",
    "keep for so long what entries below a prefix were; 0 ends it" },
  { "kv_versions", "table", "history", "kv_versions(key [, below])",
    "what an entry was, or all below a key: value, versionstamp, until, at, deleted" },
  { "kv_restore", "function", "history", "kv_restore(prefix, x [, dry])",
    "make entries what they were at a versionstamp or time; return how many change" },
  { "kv_ulid", "function", "ids", "kv_ulid([ms])",
    "a ULID greater than the previous one of this connection" },
  { "kv_stats", "table", "maintenance", "kv_stats [(prefix)]",
    "entries, bytes and expired entries by the first part of the key" },
  { "kv_check", "table", "maintenance", "kv_check [(kind)]",
    "what is wrong with a store: kind, key, message; no rows when it is sound" },
  { "kv_help", "table", "help", "kv_help",
    "this table" },
  /* Those that people use first are above; at most 40 */
  { "kv_parts", "table", "for tools", "kv_parts(key)",
    "the parts of a key: ordinal, type, value" },
  { "kv_rebase", "function", "for tools", "kv_rebase(key, old_prefix, new_prefix)",
    "the key moved from one prefix to another" },
  { "kv_slice", "function", "for tools", "kv_slice(key, from [, to])",
    "some parts of a key, as a key; counts as JavaScript's slice()" },
  { "kv_key_encode", "function", "for tools", "kv_key_encode(key)",
    "the stored bytes of a key" },
  { "kv_key_decode", "function", "for tools", "kv_key_decode(blob)",
    "key text from stored bytes" },
  { "kv_compare", "function", "for tools", "kv_compare(a, b)",
    "-1, 0 or 1, by the order of the keys; also a collation" },
  { "kv_commit_versionstamp", "function", "for tools", "kv_commit_versionstamp()",
    "as the last part of a key that is set, the operation's versionstamp" },
  { "kv_value_remove", "function", "for tools", "kv_value_remove(raw, path, ...)",
    "a raw value with parts of it removed" },
  { "kv_history_forget", "function", "for tools", "kv_history_forget(key)",
    "remove all earlier states of a key; return how many" },
  { "kv_raw", "function", "for tools", "kv_raw(v, v_encoding)",
    "a raw value from the columns of Deno's table" },
  { "kv_value_encode", "function", "for tools", "kv_value_encode(x)",
    "the stored bytes of a value" },
  { "kv_value_encoding", "function", "for tools", "kv_value_encoding(x)",
    "the encoding of a value's stored bytes: 1 V8, 2 KvU64, 3 bytes" },
  { "kv_datetime", "collation", "for tools", "COLLATE kv_datetime",
    "compares texts that are dates, in any spelling, as times" },
  { "kv_fields", "table", "for tools", "kv_fields(prefix [, sample])",
    "the types found at each path of the values below a prefix" },
  { "kv_versionstamp", "function", "for tools", "kv_versionstamp()",
    "the newest versionstamp of the store" },
  { "kv_conflict", "function", "for tools", "kv_conflict()",
    "the key of the check that failed in the last atomic operation" },
  { "kv_init", "function", "for tools", "kv_init()",
    "create the store's tables if they don't exist" },
  { "kv_sweep", "function", "for tools", "kv_sweep()",
    "remove expired entries; return how many" },
  { "kv_config", "function", "for tools", "kv_config(name [, n])",
    "read or set a limit or another setting of the connection" },
  { "kv_wait", "function", "for tools", "kv_wait(versionstamp [, timeout])",
    "wait for a write; return the newest versionstamp, or NULL after the timeout" },
  { "kv_index_drop", "function", "for tools", "kv_index_drop(name)",
    "drop an index" },
  { "kv_publish", "function", "for tools", "kv_publish(collection [, on])",
    "keep an ordinary table collection_table, for programs without the extension" },
  { "kv_published", "table", "for tools", "kv_published",
    "published tables: rows, and entries written by others since" },
  { "kv_uninstall", "function", "for tools", "kv_uninstall()",
    "remove everything that the extension has added to the file" },
  { "kv_export", "function", "for tools", "kv_export(key, raw, versionstamp)",
    "an entry as a line of JSON, in the format of @deno/kv-utils" },
  { "kv_import", "table", "for tools", "kv_import(text)",
    "exported lines as rows: key, raw, versionstamp, line, error" },
  { "kv_ulid_time", "function", "for tools", "kv_ulid_time(ulid)",
    "the time of a ULID in ms" },
  { "kv_uuid", "function", "for tools", "kv_uuid()",
    "a random UUID" },
  { "kv_now", "function", "for tools", "kv_now()",
    "the present time in ms since 1970" },
  { "kv_version", "function", "for tools", "kv_version()",
    "the version of the extension" },
};

static int helpFilter(KvVtabCursor *p, int mPlan, sqlite3_value **apArg, int nArg){
  (void)p; (void)mPlan; (void)apArg; (void)nArg;
  return 1;
}

static int helpNext(KvVtabCursor *p){
  return p->iRow<KV_COUNT(helpRow);
}

static void helpColumn(KvVtabCursor *p, sqlite3_context *ctx, int iCol){
  sqlite3_result_text(ctx, helpRow[p->iRow][iCol], -1, SQLITE_STATIC);
}

const KvVtabDef kvHelpTable = {
  .zName = "kv_help",
  .zDeclare = HELP_SCHEMA,
  .mFlags = KVTAB_NO_STORE|KVTAB_EPONYMOUS,
  .plan = { .none = { KV_COUNT(helpRow), KV_COUNT(helpRow), 0 } },
  .read = { helpFilter, helpNext, helpColumn, 0 },
};
