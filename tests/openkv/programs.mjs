// programs.mjs -- the programs that tests/deno/programs.ts has run in the real Deno
// (DIR/side.db), through openKv(): the same results, and the same in the file.
//
//   programs.mjs DRIVER DIR FROM EVERY     programs number FROM, FROM+EVERY ...
import fs from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { Buffer } from "node:buffer";
import { args, dir, finish, KvU64, openKv, same } from "./lib.mjs";

const { fromText, toBound, toText } = createRequire(import.meta.url)(`${process.env.KV_PACKAGE}/jstext.js`);
const EXPIRY_UNIT = 1e10, DELAY_UNIT = 1e5, DELAY_BASE = 1e7;         // those of programs.ts
const [from, every] = args.map(Number);
const file = `${dir}/openkv${process.pid}.db`;
const side = await openKv(`${dir}/side.db`);
const evaluate = (js, kv) => new Function("Deno", "kv", `return (${js}\n)`)({ KvU64 }, kv);

let kv, stamps, ranks, cursor;

const add = (stamp) => ranks.set(stamp, stamps.push(stamp) - 1);

/** A key of a step: "@3" is the versionstamp of the commit 3. */
function keyOf(text) {
  return stamped(evaluate(text, kv));
}
const stamped = (key) => key.map((p) => typeof p === "string" && /^@\d+$/.test(p) ? stamps[Number(p.slice(1))] : p);

/** The value of a step or part, from JavaScript or from Deno's stored bytes. */
async function valueOf({ js, raw }) {
  if (raw === null) return evaluate(js);
  const [{ text, blob }] = await side.sql`SELECT kv_js(${raw}) AS text, ${raw} AS blob`;
  return blob[0] === 3 ? blob.slice(1) : fromText(text);
}

/** Entries as programs.ts prints them. */
async function show(entries) {
  const lines = [];
  for (const { key, value, versionstamp } of entries) {
    const [{ text }] = await kv.sql`SELECT kv_key_decode(kv_key_encode(${key})) AS text`;
    const k = text.startsWith('["log"') ? text.replace(/"([0-9a-f]{20})"/g, (_, s) => `"@${ranks.get(s) ?? s}"`) : text;
    if (versionstamp === null) {
      lines.push(`${k} none`);
      continue;
    }
    const js = value instanceof KvU64 ? toBound(value) : toText(value);
    const [{ type, json }] = await kv.sql`WITH v AS (SELECT kv_raw(kv_value_encode(kv_value(${js})), kv_value_encoding(kv_value(${js}))) AS raw)
      SELECT kv_type(raw) AS type, kv_json(raw) AS json FROM v`;
    lines.push(`${k} ${ranks.get(versionstamp) ?? versionstamp} ${type} ${json ?? "-"}`);
  }
  return lines.join("\n");
}

async function atomic(parts) {
  const op = kv.atomic();
  for (const p of parts) {
    const key = p.key && keyOf(p.key);
    if (p.op === "check") op.check({ key, versionstamp: p.rank === null ? null : stamps[p.rank] });
    else if (p.op === "set") op.set(key, await valueOf(p), p.expire === null ? {} : { expireIn: p.expire });
    else if (p.op === "delete") op.delete(key);
    else if (p.op === "enqueue") {
      op.enqueue(await valueOf(p), {
        delay: p.delay,
        ...p.undelivered && { keysIfUndelivered: evaluate(p.undelivered).map(stamped) },
        ...p.backoff && { backoffSchedule: JSON.parse(p.backoff) },
      });
    } else {
      const n = await valueOf(p);
      if (n instanceof KvU64) op[p.op](key, n.value);
      else op.mutate({ type: p.op, key, value: n });
    }
  }
  const r = await op.commit();
  if (r.ok) add(r.versionstamp);
  return r.ok ? "ok" : "conflict";
}

async function list(s) {
  const selector = {};
  for (const name of ["prefix", "start", "end"]) if (s[name]) selector[name] = keyOf(s[name]);
  const given = s.given ?? (s.resume ? cursor : undefined);
  const it = kv.list(selector, {
    reverse: s.reverse === 1, batchSize: [undefined, 1, 3, 200][s.id % 4], ...s.limit && { limit: s.limit }, ...given !== undefined && { cursor: given },
  });
  const entries = [];
  for await (const e of it) entries.push(e);
  // In SQL an empty cursor of a range is one.
  const skip = given === "" && !s.prefix;
  const log = [s.prefix, s.start, s.end].some((k) => k?.startsWith('["log"'));
  if (!skip && !log && entries.at(-1)?.key[0] !== "log") same(`step ${s.id}: cursor`, it.cursor, s.cursor);
  cursor = log || entries.at(-1)?.key[0] === "log" ? it.cursor : s.cursor;
  return skip ? s.result : await show(entries);
}

async function step(s) {
  try {
    switch (s.op) {
      case "set":
      case "vanish": {
        const key = keyOf(s.key);
        const r = await kv.set(key, await valueOf(s), s.expire === null ? {} : { expireIn: s.expire });
        add(r.versionstamp);
        if (s.op === "vanish") same("what has expired", (await kv.get(key)).versionstamp, null);
        return "ok";
      }
      case "delete":
        await kv.delete(keyOf(s.key));
        return "ok";
      case "get":
        return await show([await kv.get(keyOf(s.key))]);
      case "list":
        return await list(s);
    }
    const parts = await side.sql`SELECT * FROM part WHERE step = ${s.id} ORDER BY n`;
    return s.op === "atomic" ? await atomic(parts) : await show(await kv.getMany(parts.map((p) => keyOf(p.key))));
  } catch (e) {
    if (process.env.KV_TRACE) console.log(s, e);
    if (e instanceof TypeError && !/^kv:/.test(e.message)) return "error";
    throw e;
  }
}

/** Both stores as lines; values that V8 may have written in another way as JS text. */
async function stored(lines) {
  const res = [];
  for (const line of lines) {
    const [k, v, e, ...rest] = line.split(" ");
    const [{ js }] = await kv.sql`SELECT kv_js(kv_raw(${new Uint8Array(v.match(/../g)?.map((x) => parseInt(x, 16)) ?? [])}, ${Number(e)})) AS js`;
    res.push([k, js, e, ...rest].join(" "));
  }
  return res;
}

async function program(turn) {
  for (const end of ["", "-wal", "-shm"]) fs.rmSync(file + end, { force: true });
  kv = await openKv(file);
  await kv.sql`PRAGMA synchronous = OFF`;
  await kv.sql`SELECT kv_config('v8_version', 16)`;
  [stamps, ranks, cursor] = [[], new Map(), ""];
  const begun = Date.now();
  for (const s of await side.sql`SELECT * FROM step WHERE turn = ${turn} ORDER BY id`) {
    const got = await step(s);
    same(`program ${turn}, step ${s.id}, ${s.op}`, got, s.result);
    if (got !== s.result) return;
  }
  await kv.sql`SELECT kv_sweep()`;
  const [final] = await side.sql`SELECT rows, queue FROM final WHERE turn = ${turn}`;
  const rows = await kv.sql`SELECT lower(hex(k)) AS k, lower(hex(v)) AS v, v_encoding AS e, seq, expiration_ms AS x,
    printf('%016x0000', version) AS s FROM kv ORDER BY kv.k`;
  const lines = rows.map(({ k, v, e, seq, x, s }) => {
    const log = k.startsWith("026c6f6700"), stamp = Buffer.from(k, "hex").subarray(-21, -1).toString();
    return `${log ? `${k.slice(0, -44)}@${ranks.get(stamp)}` : k} ${v} ${e} ${ranks.get(s)} ${seq} ${x < 0 ? -1 : Math.round((x - begun) / EXPIRY_UNIT)}`;
  });
  const expected = final.rows === "" ? [] : final.rows.split("\n");
  if (lines.join("\n") !== final.rows) same(`program ${turn}: the file`, await stored(lines), await stored(expected));
  const queue = await kv.sql`SELECT ts, lower(hex(data)) AS data, backoff_schedule AS b, keys_if_undelivered AS u FROM queue ORDER BY ts`;
  same(`program ${turn}: messages`, queue.map(({ ts, b, u }) => `${Math.round((ts - begun - DELAY_BASE) / DELAY_UNIT)} ${b} ${u}`),
    final.queue === "" ? [] : final.queue.split("\n").map((line) => line.replace(/ [0-9a-f]*$/, "")));
  kv.close();
}

const turns = await side.sql`SELECT turn FROM final WHERE turn % ${every} = ${from % every} ORDER BY turn`;
for (const { turn } of turns) await program(turn);
same("programs", turns.length > 0, true);
finish();
