// raw.mjs -- requests to kv-serve as bytes, for what its clients never send.
export const base = process.argv[2] ?? globalThis.Deno.args[0];

// A field of a message: a number (varint) or bytes.
function varint(n) {
  const out = [];
  for (n = BigInt.asUintN(64, BigInt(n)); n > 127n; n >>= 7n) out.push(Number(n & 127n) | 128);
  return [...out, Number(n)];
}
export const field = (i, x) => typeof x === "object"
  ? [...varint(i << 3 | 2), ...varint(x.length), ...x] : [...varint(i << 3), ...varint(x)];
export const range = (start, end, limit = 100, reverse = 0) =>
  field(1, [...field(1, start), ...field(2, end), ...field(3, limit), ...field(4, reverse)]);
export const check = (key, stamp = []) => field(1, [...field(1, key), ...field(2, stamp)]);
export const mutation = (type, key, value = [255, 15, 48], more = []) =>
  field(2, [...field(1, key), ...field(2, [...field(1, value), ...field(2, 1)]), ...field(3, type), ...more]);
export const enqueue = (payload, more = []) => field(3, [...field(1, payload), ...field(2, Date.now()), ...more]);
export const watchKey = (key) => field(1, field(1, key));

// The fields of a message, each [number, number or Uint8Array].
export function fields(a) {
  const out = [];
  let i = 0;
  const read = () => {
    let n = 0n;
    for (let shift = 0n; ; shift += 7n) {
      n |= BigInt(a[i] & 127) << shift;
      if (a[i++] < 128) return Number(n);
    }
  };
  while (i < a.length) {
    const tag = read();
    if ((tag & 7) === 0) {
      out.push([tag >> 3, read()]);
    } else {
      const n = read();
      out.push([tag >> 3, a.slice(i, i + n)]);
      i += n;
    }
  }
  return out;
}
export const all = (a, i) => fields(a).filter((f) => f[0] === i).map((f) => f[1]);
// The keys of a SnapshotReadOutput, a list for each range.
export const keysOf = (a) => all(a, 1).map((r) => all(r, 1).map((e) => all(e, 1)[0] ?? new Uint8Array()));

// A QueueRequest, and the messages of a QueueOutput.
export const text = (s) => [...new TextEncoder().encode(s)];
export const queueRequest = ({ count, lease, wait, messages = [] }) => [
  ...(count === undefined ? [] : field(1, count)), ...(lease === undefined ? [] : field(2, lease)),
  ...(wait === undefined ? [] : field(3, wait)),
  ...messages.flatMap((m) => field(4, [...field(1, text(m.id)), ...field(3, m.deadline ?? 0), ...field(4, m.failed ? 1 : 0)])),
];
export const messagesOf = (a) => all(a, 1).map((m) => ({
  id: new TextDecoder().decode(all(m, 1)[0]), payload: all(m, 2)[0], deadline: all(m, 3)[0],
}));

// The bytes of a key of strings.
export const key = (...parts) => parts.flatMap((s) => [2, ...new TextEncoder().encode(s), 0]);

export async function connect(token) {
  const response = await fetch(base, {
    method: "POST", body: '{"supportedVersions":[3]}', headers: { authorization: `Bearer ${token}` },
  });
  if (response.status !== 200) return { status: response.status, text: await response.text() };
  const { databaseId } = await response.json();
  const headers = {
    authorization: `Bearer ${token}`, "x-denokv-version": "3", "x-denokv-database-id": databaseId,
  };
  // The status, and the bytes or the text of the reply.
  return async (path, body, options = {}) => {
    const r = await fetch(`${base}/v2/${path}`, {
      method: "POST", body: new Uint8Array(body), headers: { ...headers, ...options.headers }, ...options.fetch,
    });
    if (options.stream) return { status: r.status, body: r.body };
    if (r.status !== 200) return { status: r.status, text: await r.text() };
    return { status: r.status, bytes: new Uint8Array(await r.arrayBuffer()) };
  };
}
