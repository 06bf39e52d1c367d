// queue.js -- listenQueue(): messages and their handlers.
//
// A message is claimed when its handler is about to start, and the next one after the
// event loop has had its turn: so a handler that blocks holds no other message, and what
// a process had not started when it ended waits for no lease.  Leases are renewed each
// sixteenth of their time and when a handler ends, so that nearly all of it is left of
// each when another handler begins to block.  A lease is known by its deadline: once
// another worker has the message, nothing here extends it or lets it fail.
"use strict";

const { setImmediate, setInterval } = require("node:timers");

const LEASE = 5000;             // ms, unless given
const HANDLERS = 100;           // messages handled at a time

// When the next message is ready, or a lease ends.  (Leases that ended long ago are those of failed messages.)
const DUE = `SELECT (SELECT min(ts) FROM queue),
  (SELECT min(deadline) FROM queue_running WHERE deadline > kv_now() - 1000)`;
const EXTEND = "UPDATE kv_queue SET deadline = ? WHERE id = ? AND deadline = ?";
const SUCCEED = "SELECT kv_finish(?, 1)";
const FAIL = "SELECT kv_finish(id, 0) FROM (SELECT id FROM kv_queue WHERE id = ? AND deadline = ? LIMIT 1)";

/** The least of these times, or never. */
const earliest = (times) => Math.min(...times.map((ms) => ms === null ? Infinity : Number(ms)));

/** A turn of the event loop: how many ms it took. */
async function turn() {
  const begun = Date.now();
  await new Promise((resolve) => setImmediate(resolve));
  return Date.now() - begun;
}

/** The messages of a store whose handlers run: how they are claimed, renewed and finished is that of a file. */
class Queue {
  #store;
  #claims = new Set();          // { id, deadline, lease, ends }, the deadline as the database has it
  #timer = null; #every = Infinity;     // of renewals, while there are claims
  #ended = [];                  // who waits until a handler has ended

  constructor(store) { this.#store = store; }

  /** Handle messages until the store is closed. */
  async listen(handler, lease = LEASE) {
    const store = this.#store, claims = this.#claims;
    if (!(Number.isSafeInteger(lease) && lease > 0)) {
      throw new TypeError(`lease must be a positive integer: received ${String(lease)}`);
    }
    if (store.closed) throw new Error("Queue already closed");
    try {
      while (!store.closed) {
        const version = store.isRemote ? null : await store.run(() => store.version());
        while (!store.closed && claims.size < HANDLERS && await this.start(handler, lease)) {
          // While handlers block, others do better to take what is ready.
          while (await turn() > lease / 16 && claims.size > 0 && !store.closed);
        }
        if (!store.closed) await this.idle(version);
      }
    } catch (e) {
      if (!store.closed) throw e;
    }
  }

  /** Claim a message and start its handler: whether there was one. */
  async start(handler, lease) {
    return await this.#store.run((db) => {
      const [message] = db.rows(`SELECT id, deadline, ${this.#store.values.message} FROM kv_dequeue(?)`, lease);
      if (message === undefined) return false;
      const [id, deadline, value] = message, claim = { id, deadline, lease, ends: Number(deadline) };
      // The claim may have taken longer than the lease.
      if (Date.now() < claim.ends || extend(db, claim)) this.handle(claim, value, handler);
      return true;
    });
  }

  /** Until there may be a message that can be handled, since this version of the store. */
  async idle(version) {
    const store = this.#store, [due] = await store.run((db) => db.rows(DUE));
    await store.change(version, this.#claims.size < HANDLERS ? earliest(due) : Infinity);
  }

  /** Until a handler has ended, if as many run as may. */
  async claimEnded() {
    if (this.#claims.size >= HANDLERS) await new Promise((resolve) => this.#ended.push(resolve));
  }

  /** Renew by a timer as long as there are claims. */
  #time() {
    const every = Math.min(...[...this.#claims].map((c) => c.lease / 16));
    if (every === this.#every) return;
    clearInterval(this.#timer);
    this.#every = every;
    if (every < Infinity) this.#timer = setInterval(() => this.#renew(), every).unref();
  }

  async handle(claim, value, handler) {
    const store = this.#store, claims = this.#claims;
    claims.add(claim);
    this.#time();
    let failed = true;
    try {
      const result = handler(store.values.shown(value));
      if (typeof result?.then === "function") await result;
      failed = false;
    } catch (e) {
      console.error("Exception in queue handler", e);
    }
    await this.#renew();        // the next handler may be about to block
    try {
      await this.finish(claim, failed);
    } catch (e) {               // once closed: the message comes again when its lease has ended
      if (!store.closed) console.error("kv: a message can't be finished", e);
    }
    claims.delete(claim);
    this.#time();
    for (const resolve of this.#ended.splice(0)) resolve();
    store.wake();
  }

  async finish(claim, failed) {
    await this.#store.run((db) => failed ? db.rows(FAIL, claim.id, claim.deadline) : db.rows(SUCCEED, claim.id));
  }

  /** Extend the leases of which a part is over. */
  async #renew() {
    const due = [...this.#claims].filter((c) => c.ends - Date.now() < c.lease * (this.#store.isRemote ? 0.75 : 0.97));
    try {
      if (due.length > 0) await this.extend(due);
    } catch { /* closed, or the next time may succeed */ }
  }

  /** Extend leases.  When one is about to end, wait for a lock at once: the event loop may come too late. */
  async extend(claims) {
    const store = this.#store, all = (db) => claims.forEach((claim) => this.#claims.has(claim) && extend(db, claim));
    if (claims.some((c) => c.ends - Date.now() < c.lease * 0.6)) store.db.waiting(100, all);
    else await store.run(all);
  }
}

/** Extend a lease: whether it was still there. */
function extend(db, claim) {
  const ends = Date.now() + claim.lease;
  db.objects(EXTEND, BigInt(ends), claim.id, claim.deadline);
  if (!db.rows("SELECT changes()")[0][0]) return false;
  Object.assign(claim, { deadline: BigInt(ends), ends });
  return true;
}

module.exports = { Queue, earliest };
