// limited.js -- the serializer of @deno/kv for engines without V8's format: strings, null,
// undefined and booleans, and 0n.
"use strict";

const { Buffer } = require("node:buffer");

/** What V8 has written, as it is. */
class UnknownV8 {
  constructor(bytes) { this.bytes = bytes; }
}

const HEAD = [0xff, 15];
const WORDS = new Map([[null, "0"], [undefined, "_"], [true, "T"], [false, "F"], [0n, "Z\0"]]);

function varint(n) {
  const bytes = [];
  for (; n > 127; n >>>= 7) bytes.push(n & 127 | 128);
  return [...bytes, n];
}

function encodeV8(v) {
  if (v instanceof UnknownV8) return v.bytes;
  if (WORDS.has(v)) return new Uint8Array([...HEAD, ...Buffer.from(WORDS.get(v))]);
  if (typeof v !== "string") throw new Error(`encode error: Unsupported v8 value ${typeof v} ${String(v)}`);
  const isLatin = !/[^\0-\xff]/.test(v), content = Buffer.from(v, isLatin ? "latin1" : "utf16le");
  const head = [...HEAD, (isLatin ? '"' : "c").charCodeAt(0), ...varint(content.length)];
  // V8 aligns two-byte strings.
  if (!isLatin && head.length % 2) head.splice(2, 0, 0);
  return new Uint8Array([...head, ...content]);
}

function decodeV8(bytes, { wrapUnknownValues = false } = {}) {
  const b = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), rest = b.subarray(2).toString("latin1").replace(/^\0+/, "");
  if (b[0] === 0xff && b[1] >= 13 && b[1] <= 16) {
    for (const [v, word] of WORDS) if (rest === word) return v;
    const [, tag, content] = /^(["c])[\x80-\xff]*[\0-\x7f]([^]*)$/.exec(rest) ?? [];
    if (tag) return Buffer.from(content, "latin1").toString(tag === "c" ? "utf16le" : "latin1");
  }
  if (wrapUnknownValues) return new UnknownV8(bytes);
  throw new Error(bytes.length === 0 ? "decode error: empty input" : `decode error: Unsupported v8 value [${bytes.join(", ")}]`);
}

module.exports = { UnknownV8, makeLimitedV8Serializer: () => ({ encodeV8, decodeV8 }) };
