// remote.js -- openKv("http://…"): KV Connect, to Deno Deploy, denokv or kv-serve, to which
// messages are claimed, too.
//
// What is read over the network is put into a store in memory, from which the same
// statements read it as from a file: so keys, values and cursors are the extension's here,
// too, and malformed values do no other harm.
"use strict";

const { Buffer } = require("node:buffer");
const { encode, decode } = require("./message.js");
const { Queue } = require("./queue.js");
const { Store, sleep } = require("./store.js");
const { HostText } = require("./jstext.js");
const { valuesBy } = require("./values.js");

const VERSIONS = [1, 2, 3];
const MUTATIONS = { set: 1, delete: 2, sum: 3, max: 4, min: 5, stamped: 9 };
const CHECK_FAILED = 2, WRITE_DISABLED = 5;
const CLAIM_WAIT = 20000;       // ms that the server waits for a message

const PUT = "INSERT OR REPLACE INTO kv(k, v, v_encoding, version) VALUES (?, ?, ?, ?)";
const after = (key) => Buffer.concat([key, Buffer.from([0])]);
const below = (key) => [after(key), Buffer.concat([key, Buffer.from([255])])];

/** Of two bounds the greater or the lesser. */
const most = (a, b) => Buffer.compare(a, b) < 0 ? b : a;
const least = (a, b) => Buffer.compare(a, b) < 0 ? a : b;

/** The versionstamps of text in bytes, and back. */
const stampBytes = (text) => {
  if (!/^[0-9a-f]{20}$/i.test(text)) throw new TypeError("Invalid check");
  return Buffer.from(text, "hex");
};
const stampText = (bytes) => Buffer.from(bytes).toString("hex");

/** A connection to a server: where it is, and its token. */
class Connection {
  #url; #options; #metadata = null; #log;

  constructor(url, options) {
    this.#url = url;
    this.#options = { maxRetries: 10, supportedVersions: VERSIONS, fetcher: globalThis.fetch, ...options };
    this.#log = options.debug ? (...text) => console.log("kv:", ...text) : () => {};
  }

  /** What the server says of the database, asked again before it is out of date. */
  async metadata(isStale = false) {
    const known = this.#metadata;
    if (known && !isStale && Date.parse(known.expiresAt) - Date.now() > 300000) return known;
    const { accessToken, supportedVersions } = this.#options;
    const body = JSON.stringify({ supportedVersions });
    const response = await this.#fetch(this.#url, { "content-type": "application/json" }, body, accessToken, true);
    const m = await response.json();
    if (!supportedVersions.includes(m.version)) throw new Error(`Unsupported version: ${m.version}`);
    if (typeof m.token !== "string" || m.token === "") throw new Error(`Unsupported token: ${m.token}`);
    const at = (consistency) => m.endpoints?.find((e) => e.consistency === consistency)?.url;
    const strong = at("strong");
    if (strong === undefined) throw new Error("Unable to find endpoint for: strong");
    const absolute = (url) => new URL(url, response.url || this.#url).href.replace(/\/$/, "");
    return this.#metadata = { ...m, strong: absolute(strong), eventual: absolute(at("eventual") ?? strong) };
  }

  /**
   * Post to an endpoint: the response.  What the server couldn't do (5xx) is asked again; so
   * is what can be repeated, if no answer came.
   */
  async post(path, message, { consistency = "strong", repeatable = false, signal, isStale } = {}) {
    const m = await this.metadata(isStale);
    const headers = m.version === 1 ? { "x-transaction-domain-id": m.databaseId }
      : { "x-denokv-version": String(m.version), "x-denokv-database-id": m.databaseId };
    headers["content-type"] = "application/x-protobuf";
    return await this.#fetch(`${m[consistency]}/${path}`, headers, message, m.token, repeatable, signal);
  }

  /** The answer to a message. */
  async ask(path, [type, message], answer, options) {
    this.#log(path, message);
    const response = await this.post(path, encode(type, message), options);
    return decode(answer, new Uint8Array(await response.arrayBuffer()));
  }

  async #fetch(url, headers, body, token, repeatable, signal) {
    const { fetcher, maxRetries } = this.#options;
    for (let tries = 0;; tries++) {
      let failure;
      try {
        const response = await fetcher(url, { method: "POST", headers: { ...headers, authorization: `Bearer ${token}` }, body, signal });
        if (response.ok) return response;
        const text = await response.text();
        failure = new TypeError(text || `kv: ${url} answers with the status ${response.status}`);
        if (response.status < 500) throw failure;
      } catch (e) {
        if (e === failure || signal?.aborted || !repeatable) throw e;
        failure = e;
      }
      if (tries >= maxRetries) throw failure;
      this.#log(`${url}: ${failure.message}, again`);
      await sleep(Math.min(60000, 100 * 2 ** tries) * (0.5 + Math.random() / 2));
    }
  }
}

/** A store on a server.  Its connection to SQLite is in memory and holds what has been read last. */
class RemoteStore extends Store {
  #remote; #ended = new AbortController();

  static async open(db, url, options) {
    const store = new RemoteStore(db, valuesBy(options)), remote = store.#remote = new Connection(url, options);
    store.queue = new RemoteQueue(store);
    await remote.metadata();
    return store;
  }

  get isRemote() { return true; }

  get signal() { return this.#ended.signal; }

  close() {
    super.close();
    this.#ended.abort();
  }

  /** f(db) with these entries of the server in the store. */
  #with(entries, f) {
    return this.run((db) => {
      db.objects("DELETE FROM kv");
      for (const { key, value, encoding, versionstamp } of entries) {
        db.objects(PUT, key, value ?? new Uint8Array(), BigInt(encoding ?? 0), Buffer.from(versionstamp).readBigInt64BE());
      }
      return f(db);
    });
  }

  async #snapshot(ranges, f, consistency) {
    void this.db;               // must be open
    const ask = (isStale) => this.#remote.ask("snapshot_read", ["SnapshotRead", { ranges }], "SnapshotReadOutput",
      { consistency, repeatable: true, isStale });
    const isRight = (a) => !a.readDisabled && (a.status ?? 1) <= 1 && (consistency === "eventual" || a.isStrong !== false);
    let answer = await ask();
    if (!isRight(answer)) answer = await ask(true);
    if (!isRight(answer)) throw new TypeError("kv: the server doesn't permit reads");
    return this.#with(answer.ranges.flatMap((r) => r.values), f);
  }

  /** f(db) where the entries of these keys can be read. */
  read(texts, f, consistency) {
    const keys = texts.map((text) => Buffer.from(this.encode(text)));
    return this.#snapshot(keys.map((key) => ({ start: key, end: after(key), limit: 1 })), f, consistency);
  }

  /** f(db) where the next entries of a selection can be read: those behind the key last, or the cursor. */
  range({ prefix, start, end }, { reverse, limit, last, cursor }, f, consistency) {
    const bytes = (v) => v && Buffer.from(v), [p, s, e] = [prefix, start, end].map(bytes);
    let [from, to] = p ? below(p) : [s, e];
    if (p && s) from = most(from, s);
    if (p && e) to = least(to, e);
    let n = p?.length ?? s.findIndex((b, i) => b !== e[i]);
    if (n < 0) n = s.length;
    const seen = last ? bytes(this.encode(last)) : cursor && Buffer.concat([(p ?? s).subarray(0, n), Buffer.from(cursor, "base64url")]);
    if (seen) [from, to] = reverse ? [from, least(to, seen)] : [most(from, after(seen)), to];
    if (Buffer.compare(from, to) >= 0) return this.#with([], f);
    return this.#snapshot([{ start: from, end: to, limit, reverse: reverse || undefined }], f, consistency);
  }

  /** Carry out an operation: its versionstamp, or null if a check failed. */
  async commit(steps) {
    const db = this.db, checks = [], mutations = [], enqueues = [];
    const key = (text) => Buffer.from(this.encode(text));
    for (const [op, ...args] of steps) {
      const [text, value, expireIn] = args;
      if (op === "check") checks.push({ key: key(text), versionstamp: value === null ? undefined : stampBytes(value) });
      else if (op === "enqueue") enqueues.push(this.#enqueue(db, ...args));
      else {
        const m = /^(.*?),?kv\.commitVersionstamp\(\)\]$/s.exec(text);
        const type = MUTATIONS[m ? "stamped" : op];
        mutations.push({ key: key(m ? `${m[1]}]` : text), type, value: op === "delete" ? undefined : this.#value(db, value),
          expireAt: op === "set" && expireIn !== null ? Date.now() + expireIn : undefined });
      }
    }
    const answer = await this.#remote.ask("atomic_write", ["AtomicWrite", { checks, mutations, enqueues }], "AtomicWriteOutput");
    if (answer.status === WRITE_DISABLED) throw new TypeError("kv: write disabled: the token or the server permits no writes");
    if (answer.status === CHECK_FAILED) return null;
    if (answer.status !== 1) throw new TypeError(`kv: the server answers with the status ${answer.status ?? 0}`);
    return stampText(answer.versionstamp);
  }

  /** A value as it is stored. */
  #value(db, v) {
    if (v instanceof HostText) return { data: v.bytes((text) => db.rows("SELECT kv_value_encode(kv_value(?))", text)[0][0]), encoding: 1 };
    if (typeof v !== "string") return { data: v, encoding: 3 };
    const [[data, encoding]] = db.rows("SELECT kv_value_encode(kv_value(?)), kv_value_encoding(kv_value(?))", v, v);
    return { data, encoding };
  }

  /** A message, as the extension puts it into the store in memory. */
  #enqueue(db, message, ...options) {
    const isHost = message instanceof HostText, value = isHost ? this.#value(db, message).data : message;
    db.rows(`SELECT kv_enqueue(${isHost ? "kv_raw(?, 1)" : "kv_value(?)"}, ?, ?, ?)`, value, ...options);
    const [[payload, deadline, keys, backoff]] = db.rows("SELECT data, ts, keys_if_undelivered, backoff_schedule FROM queue");
    db.objects("DELETE FROM queue");
    return { payload, deadline, keysIfUndelivered: JSON.parse(keys).map((key) => Buffer.from(key)), backoffSchedule: JSON.parse(backoff) };
  }

  /**
   * The states of the keys, from look(db), whenever one has changed.  A stream that ends is
   * asked for again, a little later each time.
   */
  async *watch(texts, look, signal) {
    const keys = texts.map((text) => Buffer.from(this.encode(text))), known = new Map();
    let seen;
    for (let tries = 0; !signal.aborted; tries++) {
      const message = encode("Watch", { keys: keys.map((key) => ({ key })) });
      const response = await this.#remote.post("watch", message, { consistency: "eventual", repeatable: true, signal, isStale: tries > 0 });
      const begun = Date.now();
      try {
        for await (const frame of framesOf(response.body)) {
          const output = decode("WatchOutput", frame);
          if (output.status > 1) break;                   // reads are disabled: ask for another endpoint
          output.keys.forEach(({ changed, entry }, i) => changed && known.set(i, entry));
          const entries = [...known.values()].filter((e) => e), state = keys.map((_, i) => stampText(known.get(i)?.versionstamp ?? [])).join();
          if (state !== seen) yield await this.#with(entries, look);
          seen = state;
        }
      } catch (e) {
        if (signal.aborted) return;
        if (e instanceof RangeError) throw e;
      }
      if (Date.now() - begun > 60000) tries = 0;
      await sleep(Math.min(60000, 500 * 2 ** tries));
    }
  }

  /** Claim, renew or finish messages. */
  async messages(path, request, options) {
    try {
      return (await this.#remote.ask(`queue/${path}`, ["QueueRequest", request], "QueueOutput", { signal: this.signal, ...options })).messages;
    } catch (e) {
      if (!/status 404|[Nn]ot [Ff]ound|no such/.test(e.message)) throw e;
      throw new TypeError("kv: listenQueue() needs kv-serve: KV Connect has no messages to claim", { cause: e });
    }
  }
}

/** The frames of a watch: a length in four bytes, and so many bytes; of pings none. */
async function* framesOf(body) {
  let bytes = Buffer.alloc(0);
  for await (const chunk of body) {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 4 && bytes.length >= 4 + bytes.readInt32LE()) {
      const end = 4 + bytes.readInt32LE();
      if (end > 4) yield bytes.subarray(4, end);
      bytes = bytes.subarray(end);
    }
  }
}

/** The messages of a server, claimed for as long as its clock says. */
class RemoteQueue extends Queue {
  #store;

  constructor(store) {
    super(store);
    this.#store = store;
  }

  async start(handler, lease) {
    const sent = Date.now();
    const [m] = await this.#store.messages("claim", { count: 1, lease, wait: CLAIM_WAIT });
    if (m === undefined) return false;
    const [[value]] = this.#store.db.rows(`SELECT ${this.#store.values.message} FROM (SELECT r AS raw, kv_type(r) AS type,
      CASE WHEN kv_type(r) <> 'malformed' THEN kv_js(r) END AS js FROM (SELECT kv_raw(?, 1) AS r))`, m.payload);
    this.handle({ id: m.id, deadline: m.deadline, lease, ends: sent + lease }, value, handler);
    return true;
  }

  async idle() { await this.claimEnded(); }

  async extend(all) {
    const sent = Date.now(), claims = all.filter((c) => !c.isAsked);
    for (const claim of claims) claim.isAsked = true;
    try {
      await this.#ask(claims, sent);
    } finally {
      for (const claim of claims) claim.isAsked = false;
    }
  }

  async #ask(claims, sent) {
    for (const lease of new Set(claims.map((c) => c.lease))) {
      const mine = claims.filter((c) => c.lease === lease);
      const renewed = await this.#store.messages("renew", { lease, messages: mine.map(({ id, deadline }) => ({ id, deadline })) });
      for (const { id, deadline } of renewed) Object.assign(mine.find((c) => c.id === id), { deadline, ends: sent + lease });
    }
  }

  async finish({ id, deadline }, failed) {
    await this.#store.messages("finish", { messages: [{ id, deadline, failed: failed || undefined }] }, { repeatable: !failed });
  }
}

module.exports = { RemoteStore };
