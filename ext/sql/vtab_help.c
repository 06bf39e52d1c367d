/*
** vtab_help.c -- the table kv_help: what there is, a line each.
**
**     SELECT usage, summary FROM kv_help;
**
**     CREATE TABLE kv_help(name TEXT, kind TEXT, topic TEXT, usage TEXT, summary TEXT);
**
** kind is "function", "aggregate", "table" or "collation".
*/
#include "sql/vtab_help.h"

#define HELP_SCHEMA \
  "CREATE TABLE kv_help(name TEXT, kind TEXT, topic TEXT, usage TEXT, summary TEXT)"
enum { HELP_NAME, HELP_KIND, HELP_TOPIC, HELP_USAGE, HELP_SUMMARY, HELP_COLUMNS };

/* In the order of HELP_SCHEMA. */
static const char *const helpRow[][HELP_COLUMNS] = {
  { "kv_key", "function", "keys", "kv_key(part, ...)",
    "a key from SQL values" },
  { "kv_bigint", "function", "keys", "kv_bigint(x)",
    "a bigint, as a part of a key or as a value" },
  { "kv_bool", "function", "keys", "kv_bool(x)",
    "a boolean, as a part of a key or as a value" },
  { "kv_part", "function", "keys", "kv_part(key, i)",
    "part i of a key as an SQL value, from 0, negative from the end" },
  { "kv_parts", "table", "keys", "kv_parts(key)",
    "a row for each part: ordinal, type, value" },
  { "kv_rebase", "function", "keys", "kv_rebase(key, old_prefix, new_prefix)",
    "the key below another prefix" },
  { "kv_slice", "function", "keys", "kv_slice(key, from [, to])",
    "the parts from one to another, as a key" },
  { "kv_key_encode", "function", "keys", "kv_key_encode(key)",
    "the bytes that Deno stores for a key" },
  { "kv_key_decode", "function", "keys", "kv_key_decode(blob)",
    "the key that stored bytes are" },
  { "kv_compare", "function", "keys", "kv_compare(a, b)",
    "-1, 0 or 1: the order of two keys; also a collation" },
  { "kv_commit_versionstamp", "function", "keys", "kv_commit_versionstamp()",
    "as the last part of a key that is set: the operation's versionstamp" },
  { "kv_value", "function", "values", "kv_value(x)",
    "a typed value from JS text or an SQL value" },
  { "kv_js", "function", "values", "kv_js(raw [, indent])",
    "a stored value as JS text, without loss" },
  { "kv_json", "function", "values", "kv_json(raw)",
    "a stored value as JSON" },
  { "kv_type", "function", "values", "kv_type(raw)",
    "the name of a stored value's type, or malformed" },
  { "kv_extract", "function", "values", "kv_extract(raw, path)",
    "the SQL value at a JSON path in a stored value" },
  { "kv_value_set", "function", "values", "kv_value_set(raw, path, value, ...)",
    "a stored value with parts of it set, the rest as it is" },
  { "kv_value_remove", "function", "values", "kv_value_remove(raw, path, ...)",
    "a stored value with parts of it removed" },
  { "kv_raw", "function", "values", "kv_raw(v, v_encoding)",
    "a raw value from Deno's columns" },
  { "kv_value_encode", "function", "values", "kv_value_encode(x)",
    "the bytes that Deno stores for a value" },
  { "kv_value_encoding", "function", "values", "kv_value_encoding(x)",
    "their encoding: 1 V8, 2 KvU64, 3 bytes" },
  { "kv_entries", "table", "reading", "kv_entries [(prefix)]",
    "all entries, or those below a prefix: key, value, versionstamp, expires_at" },
  { "kv_children", "table", "reading", "kv_children(prefix)",
    "the distinct next parts below a prefix" },
  { "kv_collection", "table", "collections", "... USING kv_collection(prefix, column, ...)",
    "the entries below a prefix as a table with columns" },
  { "kv_infer", "function", "collections", "kv_infer(prefix [, sample])",
    "the CREATE statement of a collection that fits what is stored" },
  { "kv_fields", "table", "collections", "kv_fields(prefix [, sample])",
    "the paths and types of the values below a prefix" },
  { "kv_get", "function", "reading", "kv_get(key [, path])",
    "the value of one entry, or what is at a path in it" },
  { "kv_versionstamp", "function", "reading", "kv_versionstamp()",
    "the newest versionstamp of the store" },
  { "kv_atomic", "aggregate", "writing", "kv_atomic(op, ...)",
    "an atomic operation: its versionstamp, or NULL if a check failed" },
  { "kv_atomic", "table", "writing", "INSERT INTO kv_atomic(op, key, value) ...",
    "the same as a statement, which fails if a check does" },
  { "kv_op", "function", "writing", "kv_op(op, ...)",
    "a check, set, delete, sum, min, max or enqueue for kv_atomic()" },
  { "kv_conflict", "function", "writing", "kv_conflict()",
    "the key of the check that failed last" },
  { "kv_set", "function", "writing", "kv_set(key, value [, expire_in])",
    "set an entry: the versionstamp" },
  { "kv_delete", "function", "writing", "kv_delete(key)",
    "delete an entry: the versionstamp" },
  { "kv_sum", "function", "writing", "kv_sum(key, n)",
    "add to a number of whatever type is stored: the new value" },
  { "kv_min", "function", "writing", "kv_min(key, n)",
    "keep the lesser number: the new value" },
  { "kv_max", "function", "writing", "kv_max(key, n)",
    "keep the greater number: the new value" },
  { "kv_init", "function", "writing", "kv_init()",
    "make the store's tables if there are none" },
  { "kv_sweep", "function", "writing", "kv_sweep()",
    "remove expired entries: how many" },
  { "kv_config", "function", "writing", "kv_config(name [, n])",
    "read or set a limit, or v8_version" },
  { "kv_queue", "table", "queue", "kv_queue",
    "the messages of the queue: id, value, state, ready_at, deadline and more" },
  { "kv_enqueue", "function", "queue", "kv_enqueue(value [, delay [, keys [, backoff]]])",
    "add a message to the queue: the versionstamp" },
  { "kv_dequeue", "function", "queue", "kv_dequeue([lease])",
    "claim the next message: its id, or NULL" },
  { "kv_dequeue", "table", "queue", "kv_dequeue([lease [, count]])",
    "claim messages and show them: id, value, deadline and more" },
  { "kv_finish", "function", "queue", "kv_finish(id, ok)",
    "a message is done, or has failed: 1, or 0 if it is gone" },
  { "kv_wait", "function", "queue", "kv_wait(versionstamp [, timeout])",
    "wait for a write: the newest versionstamp, or NULL" },
  { "kv_index", "function", "indexes", "kv_index(name, prefix, path [, options])",
    "declare an index over the entries below a prefix" },
  { "kv_index_drop", "function", "indexes", "kv_index_drop(name)",
    "remove an index" },
  { "kv_lookup", "table", "indexes", "kv_lookup(name [, equals ...])",
    "entries by an index: key, value, versionstamp, expires_at, index_value" },
  { "kv_indexes", "table", "indexes", "kv_indexes",
    "the indexes: name, prefix, path, options, entries and more" },
  { "kv_track", "function", "changes", "kv_track([on])",
    "turn the change feed on or off, or tell whether it is on" },
  { "kv_changes", "table", "changes", "kv_changes([since [, prefix]])",
    "what has changed, in order: key, value, versionstamp, deleted" },
  { "kv_track_trim", "function", "changes", "kv_track_trim(before)",
    "forget the deletions before a versionstamp" },
  { "kv_uninstall", "function", "changes", "kv_uninstall()",
    "take away what the extension has added to the file" },
  { "kv_export", "function", "transfer", "kv_export(key, raw, versionstamp)",
    "an entry as a line of JSON, in the format of @deno/kv-utils" },
  { "kv_import", "table", "transfer", "kv_import(text)",
    "such lines as rows: key, raw, versionstamp, line, error" },
  { "kv_ulid", "function", "ids", "kv_ulid([ms])",
    "a ULID" },
  { "kv_monotonic_ulid", "function", "ids", "kv_monotonic_ulid([ms])",
    "a ULID greater than the last one" },
  { "kv_ulid_time", "function", "ids", "kv_ulid_time(ulid)",
    "the time of a ULID in ms" },
  { "kv_uuid", "function", "ids", "kv_uuid()",
    "a random UUID" },
  { "kv_now", "function", "ids", "kv_now()",
    "ms since 1970" },
  { "kv_version", "function", "help", "kv_version()",
    "the version of the extension" },
  { "kv_stats", "table", "maintenance", "kv_stats",
    "entries, bytes and expired entries by the first part of the key" },
  { "kv_check", "table", "maintenance", "kv_check",
    "what is wrong with a store: kind, key, message; no rows when it is sound" },
  { "kv_help", "table", "help", "kv_help",
    "this table" },
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
