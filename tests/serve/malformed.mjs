// malformed.mjs -- random changes of good requests in HTTP/1.1 and HTTP/2, and of
// messages: program.mjs URL SEED N.  In the end the server answers.
import net from "node:net";
import { check, connect, enqueue, field, key, mutation, range, watchKey, base } from "./raw.mjs";
import { args, end, same } from "./lib.mjs";

const [seed, count] = args;
const token = process.env.DENO_KV_ACCESS_TOKEN;
let state = Number(seed) | 1;
const rnd = (n) => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0, Math.floor(state / 65536) % n);
const pick = (list) => list[rnd(list.length)];
const call = await connect(token);
const at = new URL(base);
const k = key("m", "x");

const messages = [
  ["snapshot_read", [...range(k, [...k, 255]), ...range([], [255], 10, 1)]],
  ["atomic_write", [...check(k), ...mutation(1, k), ...mutation(3, key("n"), [255, 15, 90, 1, 5], [...field(5, [255, 15, 90, 0, 1])])]],
  ["atomic_write", [...mutation(9, k), ...enqueue([255, 15, 48], [...field(3, k), ...field(4, 100)])]],
  ["watch", [...watchKey(k), ...watchKey(key("o"))]],
];
// Change some bytes, insert some, leave some out.
function damage(a) {
  a = [...a];
  for (let n = 1 + rnd(4); n > 0; n--) {
    const i = rnd(a.length + 1);
    const what = rnd(5);
    if (what === 0) a.splice(i, 1 + rnd(5));
    else if (what === 1) a.splice(i, 0, ...Array.from({ length: 1 + rnd(4) }, () => rnd(256)));
    else if (what === 2) a[i % a.length] = pick([0, 1, 127, 128, 255]);
    else if (what === 3) a[i % a.length] ^= 1 << rnd(8);
    else a.splice(rnd(a.length), a.length);
  }
  return a;
}
const text = (s) => [...new TextEncoder().encode(s)];
const one = () => {
  const [path, body] = pick(messages);
  return text(`POST /v2/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nx-denokv-version: 3\r\n` +
    pick([`Content-Length: ${body.length}\r\n\r\n`, `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`])).concat(body);
};
const frame = (type, flags, id, body) =>
  [body.length >> 16, body.length >> 8 & 255, body.length & 255, type, flags, 0, 0, 0, id, ...body];
const literal = (name, value) => [0, name.length, ...text(name), value.length, ...text(value)];
const two = () => {
  const [path, body] = pick(messages);
  const head = [...literal(":method", "POST"), ...literal(":scheme", "http"), ...literal(":authority", "x"),
    ...literal(":path", `/v2/${path}`), ...literal("authorization", `Bearer ${token}`), ...literal("x-denokv-version", "3")];
  const frames = [frame(4, 0, 0, []), frame(1, 4, 1, head), frame(0, 1, 1, body), frame(6, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8]),
    frame(8, 0, 0, [0, 0, 1, 0]), frame(3, 0, 1, [0, 0, 0, 8]), frame(1, 5, 3, head), frame(7, 0, 0, [0, 0, 0, 1, 0, 0, 0, 0])];
  return [...text("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), ...frames.slice(0, 2 + rnd(7)).flat()];
};
// Send bytes, in one piece or two, and wait for an answer for a moment.
const send = (bytes) => new Promise((ok) => {
  const s = net.connect(Number(at.port), at.hostname);
  const done = () => (s.destroy(), ok());
  s.setNoDelay(true);
  s.on("error", done).on("end", done).on("data", () => rnd(2) || done());
  const cut = rnd(2) ? bytes.length : rnd(bytes.length + 1);
  s.write(new Uint8Array(bytes.slice(0, cut)));
  if (cut < bytes.length) setImmediate(() => s.write(new Uint8Array(bytes.slice(cut))));
  setTimeout(done, 20);
});
const whole = Number(count);
for (let i = 0; i < whole; i += 20) {
  await Promise.all(Array.from({ length: 20 }, async () => {
    const what = rnd(4);
    if (what === 0) return send(damage(one()));
    if (what === 1) return send(damage(two()));
    if (what === 2) return send(Array.from({ length: rnd(200) }, () => rnd(256)));
    const [path, body] = pick(messages);
    if (path === "watch") return;
    const { status } = await call(path, damage(body));
    same("status", [200, 400, 403, 413].includes(status), true);
  }));
}
same("it answers", (await call("snapshot_read", range(k, [...k, 255]))).status, 200);
end();
