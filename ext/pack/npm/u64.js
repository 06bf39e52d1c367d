// u64.js -- Deno.KvU64: Deno's own where this runs in Deno, else the same.
"use strict";

class KvU64 {
  constructor(value) {
    if (typeof value !== "bigint") throw new TypeError(`Value must be a bigint: received ${typeof value}`);
    if (value < 0n) throw new RangeError(`Value must be a positive bigint: received ${value}`);
    if (value >= 2n ** 64n) throw new RangeError("Value must fit in a 64-bit unsigned integer");
    this.value = value;
    Object.freeze(this);
  }
  valueOf() {
    return this.value;
  }
  toString() {
    return this.value.toString();
  }
  get [Symbol.toStringTag]() {
    return "Deno.KvU64";
  }
  [Symbol.for("Deno.privateCustomInspect")](inspect, options) {
    return inspect(Object(this.value), options).replace("BigInt", "Deno.KvU64");
  }
  [Symbol.for("nodejs.util.inspect.custom")](_depth, options, inspect) {
    return inspect(Object(this.value), options).replace("BigInt", "Deno.KvU64");
  }
}

exports.KvU64 = globalThis.Deno?.KvU64 ?? KvU64;
