// versions.ts -- writes of every kind for a program that keeps a file open.
//
//   versions.ts FILE
//
// Reads commands from standard input, a JSON array a line, and answers each with a line
// of JSON:
//
//   ["commit", [op, ...], ...]   one atomic operation of ["set", key, value, expireIn?],
//                                ["delete", key], ["sum", key, n]; its versionstamp
//   ["list", prefix]             [key, value, versionstamp], ...
//   ["watch", key]               the next state of the key that is watched from now on
//   ["watched"]                  ... when it has come

// deno-lint-ignore no-explicit-any
type Any = any;
const kv = await Deno.openKv(Deno.args[0]);
let watched: Promise<unknown> = Promise.resolve(null);

async function run([what, ...args]: Any[]): Promise<unknown> {
  if (what === "commit") {
    const op = kv.atomic();
    for (const [kind, key, x, expireIn] of args) {
      if (kind === "delete") op.delete(key);
      else if (kind === "sum") op.sum(key, BigInt(x));
      else op.set(key, x, expireIn ? { expireIn } : {});
    }
    const r = await op.commit();
    return r.ok ? r.versionstamp : null;
  }
  if (what === "list") {
    const found = [];
    for await (const e of kv.list<Any>({ prefix: args[0] })) {
      const v = e.value instanceof Deno.KvU64 ? String(e.value) : e.value;
      found.push([e.key, v, e.versionstamp]);
    }
    return found;
  }
  if (what === "watch") {
    const reader = kv.watch([args[0]]).getReader();
    const first = (await reader.read()).value?.[0].value ?? null;
    watched = reader.read().then((r) => r.value?.[0].value ?? null);
    return first;
  }
  return await watched;
}

const decoder = new TextDecoderStream();
const lines = Deno.stdin.readable.pipeThrough(decoder);
let rest = "";
for await (const chunk of lines) {
  rest += chunk;
  for (let i; (i = rest.indexOf("\n")) >= 0; rest = rest.slice(i + 1)) {
    let answer: unknown;
    try {
      answer = await run(JSON.parse(rest.slice(0, i)));
    } catch (e) {
      answer = { error: String(e) };
    }
    console.log(JSON.stringify(answer));
  }
}
kv.close();
