// values.js -- how values cross: what a statement selects of an entry or message, and what
// is bound.  As JS text, or by a serializer of the application (encodeV8, decodeV8).
"use strict";

const { Buffer } = require("node:buffer");
const { HOST_OBJECTS } = require("./host.js");
const { KvU64, HostText, fromText, isKvU64, isUint8Array, toBound } = require("./jstext.js");

/** The statements that select values, where there is one and where there are others. */
function statements(one, listed) {
  return {
    get: `SELECT ${one}, versionstamp FROM kv_entries WHERE key = ?`,
    list: `SELECT key, ${listed}, versionstamp FROM kv_entries WHERE`,
    // An entry or none for each key of a JSON array, in its order.
    getMany: `SELECT ${listed.replace(/\b(type|value|js|raw)\b(?!")/g, "e.$&")}, e.versionstamp, e.expires_at
  FROM json_each(?) AS k LEFT JOIN kv_entries AS e ON e.key = k.value ORDER BY k.key`,
  };
}

// A value: bytes, or its text.  Where there are others no value is an error.
const HOST = [...HOST_OBJECTS, "HostObject"].map((type) => ` WHEN '${type}' THEN js || char(10) || hex(raw)`).join("");
const VALUE = `CASE type WHEN 'Object' THEN js WHEN 'string' THEN js WHEN 'number' THEN js WHEN 'Uint8Array' THEN value${HOST} ELSE js END`;
const LISTED = VALUE.replace(" ELSE", ` WHEN 'malformed' THEN
  '[HostObject malformed {"type":"malformed","size":' || (length(raw) - 1) || '}]' || char(10) || hex(raw) ELSE`);

const plain = {
  ...statements(VALUE, LISTED),
  // A message that can't be read is no JS text, so its handler fails.
  message: "CASE type WHEN 'malformed' THEN '(malformed)' ELSE js END",
  bound: toBound,
  shown(v) {
    if (typeof v === "string") return fromText(v);
    return v instanceof HostText ? v.value : new Uint8Array(v);
  },
};

/** Values by a serializer: bytes and KvU64s don't pass through it. */
const serialized = (encodeV8, decodeV8) => ({
  ...statements("raw", "raw"),
  message: "raw",
  bound(v, isMessage = false) {
    if (!isMessage && (isKvU64(v) || isUint8Array(v))) return toBound(v);
    return new HostText(v, Buffer.concat([Buffer.from([1]), encodeV8(v)]));
  },
  shown(raw) {
    const bytes = new Uint8Array(raw).subarray(1);
    if (raw[0] === 2) return new KvU64(Buffer.from(bytes).readBigUInt64LE());
    return raw[0] === 3 ? bytes.slice() : decodeV8(bytes);
  },
});

/** How values cross by the options of openKv(). */
const valuesBy = ({ encodeV8, decodeV8 }) => encodeV8 ? serialized(encodeV8, decodeV8) : plain;

module.exports = { plain, valuesBy };
