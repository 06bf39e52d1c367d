// message.js -- the messages of KV Connect, and of kv-serve's queue, in protocol buffers.
//
// A field is its number, name and type: bytes, string, int (a varint, here a number or
// bigint), bool, or another message; "*" is a list.  What is unknown is passed over.
"use strict";

const { Buffer } = require("node:buffer");

const MESSAGES = {
  SnapshotRead: { 1: ["ranges", "ReadRange*"] },
  ReadRange: { 1: ["start", "bytes"], 2: ["end", "bytes"], 3: ["limit", "int"], 4: ["reverse", "bool"] },
  SnapshotReadOutput: { 1: ["ranges", "ReadRangeOutput*"], 2: ["readDisabled", "bool"], 4: ["isStrong", "bool"], 8: ["status", "int"] },
  ReadRangeOutput: { 1: ["values", "KvEntry*"] },
  KvEntry: { 1: ["key", "bytes"], 2: ["value", "bytes"], 3: ["encoding", "int"], 4: ["versionstamp", "bytes"] },
  AtomicWrite: { 1: ["checks", "Check*"], 2: ["mutations", "Mutation*"], 3: ["enqueues", "Enqueue*"] },
  Check: { 1: ["key", "bytes"], 2: ["versionstamp", "bytes"] },
  KvValue: { 1: ["data", "bytes"], 2: ["encoding", "int"] },
  Mutation: { 1: ["key", "bytes"], 2: ["value", "KvValue"], 3: ["type", "int"], 4: ["expireAt", "int"] },
  Enqueue: { 1: ["payload", "bytes"], 2: ["deadline", "int"], 3: ["keysIfUndelivered", "bytes*"], 4: ["backoffSchedule", "int*"] },
  AtomicWriteOutput: { 1: ["status", "int"], 2: ["versionstamp", "bytes"] },
  Watch: { 1: ["keys", "WatchKey*"] },
  WatchKey: { 1: ["key", "bytes"] },
  WatchOutput: { 1: ["status", "int"], 2: ["keys", "WatchKeyOutput*"] },
  WatchKeyOutput: { 1: ["changed", "bool"], 2: ["entry", "KvEntry"] },
  QueueRequest: { 1: ["count", "int"], 2: ["lease", "int"], 3: ["wait", "int"], 4: ["messages", "QueueMessage*"] },
  QueueMessage: { 1: ["id", "string"], 2: ["payload", "bytes"], 3: ["deadline", "int"], 4: ["failed", "bool"] },
  QueueOutput: { 1: ["messages", "QueueMessage*"] },
};

function varint(n) {
  const bytes = [];
  for (n = BigInt(n); n > 127n; n >>= 7n) bytes.push(Number(n & 127n) | 128);
  return Buffer.from([...bytes, Number(n)]);
}

function encode(name, message) {
  const parts = [];
  for (const [number, [field, type]] of Object.entries(MESSAGES[name])) {
    const kind = type.replace("*", ""), isVarint = kind === "int" || kind === "bool";
    for (const v of type === kind ? [message[field]] : message[field] ?? []) {
      if (v === undefined) continue;
      parts.push(varint(number << 3 | (isVarint ? 0 : 2)));
      if (isVarint) parts.push(varint(Number.isFinite(v) ? Math.trunc(v) : v));
      else {
        const bytes = kind === "bytes" ? v : kind === "string" ? Buffer.from(v) : encode(kind, v);
        parts.push(varint(bytes.length), bytes);
      }
    }
  }
  return Buffer.concat(parts);
}

function decode(name, bytes) {
  const fields = MESSAGES[name], message = {};
  for (const [field, type] of Object.values(fields)) if (type.endsWith("*")) message[field] = [];
  let at = 0;
  const wrong = () => { throw new TypeError("kv: the server's answer is no message of KV Connect"); };
  const take = (n) => at + n <= bytes.length ? bytes.subarray(at, at += n) : wrong();
  const number = () => {
    let n = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const [b] = take(1);
      n |= BigInt(b & 127) << shift;
      if (b < 128) return Number(n);
    }
    return wrong();
  };
  while (at < bytes.length) {
    const tag = number(), [field, type] = fields[tag >> 3] ?? [], kind = type?.replace("*", "");
    const content = (tag & 7) === 0 ? number() : take({ 1: 8, 2: 0, 5: 4 }[tag & 7] === undefined ? wrong() : (tag & 7) === 2 ? number() : { 1: 8, 5: 4 }[tag & 7]);
    if (field === undefined) continue;
    const v = kind === "bytes" || kind === "int" ? content : kind === "bool" ? content !== 0 : kind === "string" ? Buffer.from(content).toString() : decode(kind, content);
    if (type === kind) message[field] = v;
    else message[field].push(v);
  }
  return message;
}

module.exports = { encode, decode };
