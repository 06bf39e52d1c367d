// vanish.mjs -- clients that break off: in a request, before the reply, in a stream.
import net from "node:net";
import http2 from "node:http2";
import { connect, key, mutation, watchKey, base } from "./raw.mjs";
import { end, same } from "./lib.mjs";

const call = await connect(process.env.DENO_KV_ACCESS_TOKEN);
const at = new URL(base);
const big = new Uint8Array(300000);
for (let i = 0; i < 40; i++) {
  const s = net.connect(Number(at.port), at.hostname);
  await new Promise((ok) => s.on("connect", ok));
  s.on("error", () => {});
  s.write(`POST /v2/atomic_write HTTP/1.1\r\nContent-Length: 400000\r\n\r\n`);
  s.write(big);
  setTimeout(() => s.destroy(), i);
}
for (let i = 0; i < 40; i++) {
  const abort = new AbortController();
  const path = i % 2 ? "watch" : "atomic_write";
  const body = i % 2 ? watchKey(key("w")) : mutation(1, key("v"));
  call(path, body, { stream: true, fetch: { signal: abort.signal } }).catch(() => {});
  setTimeout(() => abort.abort(), i);
}
for (let i = 0; i < 10; i++) {
  const session = http2.connect(base);
  session.on("error", () => {});
  for (let j = 0; j < 20; j++) {
    const stream = session.request({ ":method": "POST", ":path": "/v2/watch", authorization: `Bearer ${process.env.DENO_KV_ACCESS_TOKEN}` });
    stream.on("error", () => {});
    if (j % 2) stream.end(new Uint8Array(watchKey(key("w"))));
    else stream.write("x");
    if (j % 3 === 0) setTimeout(() => stream.close(8), j);
  }
  setTimeout(() => session.destroy(), 30 + i);
}
await new Promise((ok) => setTimeout(ok, 300));
same("it answers", (await call("atomic_write", mutation(1, key("v")))).status, 200);
end();
