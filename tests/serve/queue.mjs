// queue.mjs -- messages over the network: claimed, renewed, finished.
//
//   queue.mjs URL TOKEN
import { deserialize, serialize } from "node:v8";
import { openKv, same, sleep, end, args } from "./lib.mjs";
import { connect, field, enqueue, queueRequest, messagesOf, key } from "./raw.mjs";

const [token] = args;
const call = await connect(token);
const ask = async (path, request) => {
  const r = await call(`queue/${path}`, queueRequest(request));
  return r.status === 200 ? messagesOf(r.bytes) : [r.status, r.text];
};
const claim = (request = {}) => ask("claim", request);
const renew = (request) => ask("renew", request);
const finish = (...messages) => ask("finish", { messages });
const value = (m) => m && deserialize(m.payload);
const values = (list) => list.map(value);
const ids = (list) => list.map((m) => m.id);
const timed = async (promise) => { const at = performance.now(); return [await promise, performance.now() - at]; };

const kv = await openKv();
// @deno/kv has a backoff schedule of its own, whatever is asked for.
const send = (value, backoff, ...dead) => call("atomic_write",
  enqueue(serialize(value), [...dead.flatMap((k) => field(3, key(k))), ...backoff.flatMap((ms) => field(4, ms))]));
const dead = async (name) => (await kv.get([name])).value;

// Claims.
same("nothing is there", await claim(), []);
for (const i of [1, 2, 3]) await kv.enqueue({ i });
const [first] = await claim();
same("the oldest message", value(first), { i: 1 });
const others = await claim({ count: 5, lease: 60000 });
same("the others", values(others), [{ i: 2 }, { i: 3 }]);
same("no more", await claim(), []);
same("it is finished", ids(await finish(first)), [first.id]);
same("once", await finish(first), []);
same("some at a time", ids(await finish(...others, first)), ids(others));

// A claim that waits.
let [got, ms] = await timed(claim({ wait: 300 }));
same("it waits as long as it is to", [got, ms > 290 && ms < 10000], [[], true]);
let waiting = timed(claim({ wait: 20000 }));
await sleep(100);
await kv.enqueue("now");
[got, ms] = await waiting;
same("a message ends the wait", [values(got), ms < 10000], [["now"], true]);
await finish(got[0]);
waiting = timed(claim({ wait: 20000 }));
await kv.enqueue("later", { delay: 400 });
[got, ms] = await waiting;
same("so does one whose delay has passed", [values(got), ms > 390 && ms < 10000], [["later"], true]);
await finish(got[0]);
const three = [1, 2, 3].map(async (n) => { await sleep(200 * n); return [n, await claim({ wait: 20000, lease: 60000 })]; });
await sleep(1200);
await call("atomic_write", [...enqueue([255, 15, 73, 2]), ...enqueue([255, 15, 73, 4])]);
await sleep(400);
await kv.enqueue("third");
const order = await Promise.all(three);
same("those that wait are served in their order", order.map((x) => x[0]), [1, 2, 3]);
same("each message goes to one", order.slice(0, 2).flatMap((x) => values(x[1])).sort(), [1, 2]);

// Leases.
await finish(...order.flatMap((x) => x[1]));
await send("leased", [0]);
const [a] = await claim({ lease: 2000 });
const [b] = await renew({ messages: [a], lease: 4000 });
same("a lease is renewed", [b.id === a.id, b.deadline > a.deadline + 300], [true, true]);
same("its old end names it no more", await renew({ messages: [a], lease: 4000 }), []);
await sleep(2200);
same("it is still claimed", await claim(), []);
const [c] = await claim({ wait: 20000, lease: 60000 });
same("a lease that ends lets another one claim", [value(c), c.id === a.id], ["leased", true]);
same("a late worker doesn't renew", await renew({ messages: [b], lease: 60000 }), []);
same("and lets nothing fail", await finish({ ...b, failed: true }), []);
same("but what it has done is done", ids(await finish({ id: b.id })), [b.id]);
same("for both", await finish(c), []);

// Failures.
await send("fails", [200], "dead");
const [d] = await claim();
same("a message fails", ids(await finish({ ...d, failed: true })), [d.id]);
[got, ms] = await timed(claim({ wait: 5000 }));
same("and is retried", [values(got), ms > 150], [["fails"], true]);
await finish({ ...got[0], failed: true });
same("and stored at last", await dead("dead"), "fails");

// What is refused.
same("limits", await Promise.all([
  claim({ count: 101 }), claim({ lease: -1 }), claim({ wait: 60001 }), claim({ messages: [d] }), finish({ id: "" }),
]), [
  [400, "A request is for at most 100 messages."], [400, "A lease is from 1 ms to one day."],
  [400, "A claim waits from 0 to 60000 ms."], [400, "A claim names no messages."], [400, "A message is named by its id."],
]);
same("ids that are none", await finish({ id: "x" }, { id: "'; DROP TABLE queue; --", failed: true }), []);
same("bytes that are no message", await call("queue/claim", [255]), { status: 400, text: "Request protobuf is invalid." });

// One that goes away leaves its message to others.
const control = new AbortController();
const gone = call("queue/claim", queueRequest({ wait: 60000 }), { fetch: { signal: control.signal } }).catch(() => "gone");
await sleep(200);
control.abort();
same("it has gone", await gone, "gone");
await sleep(200);
await kv.enqueue("for another one");
got = await claim({ wait: 2000 });
same("a claim that went away takes nothing", values(got), ["for another one"]);
await finish(...got);
kv.close();
end();
