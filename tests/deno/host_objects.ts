// host_objects.ts make FILE -- values that hold objects of Deno's own: a CryptoKey
// and a Blob under ["key"] and ["blob"], the key again in a Map with other things.
// host_objects.ts read FILE N -- what the values and the next N messages are.

import { keyText } from "./lib.ts";

const [what, file] = Deno.args;
const kv = await Deno.openKv(file);

/** The raw bytes of a CryptoKey, or the name of what it is. */
async function show(v: unknown): Promise<string> {
  if (v instanceof Map) return `Map of ${await show(v.get("key"))} and ${v.get("n")}`;
  if (v instanceof Blob) return `Blob ${v.type} ${v.size}`;
  if (!(v instanceof CryptoKey)) return Deno.inspect(v);
  return "CryptoKey " + new Uint8Array(await crypto.subtle.exportKey("raw", v)).toHex();
}

if (what === "make") {
  const bytes = Uint8Array.fromHex("000102030405060708090a0b0c0d0e0f");
  const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", true, ["encrypt"]);
  await kv.set(["key"], key);
  await kv.set(["blob"], new Blob(["hello"], { type: "text/plain" }));
  await kv.set(["map"], new Map<string, unknown>([["key", key], ["n", 1n]]));
} else {
  for await (const e of kv.list({ prefix: [] })) {
    console.log(keyText(e.key), await show(e.value));
  }
  const seen = Promise.withResolvers<void>();
  let left = Number(Deno.args[2]);
  kv.listenQueue(async (m) => {
    console.log("message", await show(m));
    if (--left === 0) seen.resolve();
  });
  setTimeout(seen.resolve, 20000);
  await seen.promise;
}
Deno.exit(0);
