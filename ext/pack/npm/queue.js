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
const { fromText } = require("./jstext.js");

const LEASE = 5000;             // ms, unless given
const HANDLERS = 100;           // messages handled at a time

// When the next message is ready, or a lease ends.  (Leases that ended long ago are those of failed messages.)
const DUE = `SELECT (SELECT min(ts) FROM queue),
  (SELECT min(deadline) FROM queue_running WHERE deadline > kv_now() - 1000)`;
// A message that is ready.  One that can't be read is no JS text, so its handler fails.
const CLAIM = "SELECT id, deadline, CASE type WHEN 'malformed' THEN '(malformed)' ELSE js END FROM kv_dequeue(?)";
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

/** The messages of a store whose handlers run. */
class Queue {
  #store;
  #claims = new Set();          // { id, deadline, lease }, the deadline a bigint as in the database
  #timer = null; #every = Infinity;     // of renewals, while there are claims

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
        const version = await store.run(() => store.version());
        while (!store.closed && claims.size < HANDLERS && await store.run((db) => this.#start(db, handler, lease))) {
          // While handlers block, others do better to take what is ready.
          while (await turn() > lease / 16 && claims.size > 0 && !store.closed);
        }
        if (store.closed) break;
        const [due] = await store.run((db) => db.rows(DUE));
        await store.change(version, claims.size < HANDLERS ? earliest(due) : Infinity);
      }
    } catch (e) {
      if (!store.closed) throw e;
    }
  }

  /** Claim a message and start its handler: whether there was one. */
  #start(db, handler, lease) {
    const [message] = db.rows(CLAIM, lease);
    if (message === undefined) return false;
    const [id, deadline, text] = message, claim = { id, deadline, lease };
    // The claim may have taken longer than the lease.
    if (Date.now() < claim.deadline || this.#extend(db, claim)) this.#handle(claim, text, handler);
    return true;
  }

  /** Renew by a timer as long as there are claims. */
  #time() {
    const every = Math.min(...[...this.#claims].map((c) => c.lease / 16));
    if (every === this.#every) return;
    clearInterval(this.#timer);
    this.#every = every;
    if (every < Infinity) this.#timer = setInterval(() => this.#renew(), every).unref();
  }

  async #handle(claim, text, handler) {
    const store = this.#store, claims = this.#claims;
    claims.add(claim);
    this.#time();
    let finish = FAIL;
    try {
      const result = handler(fromText(text));
      if (typeof result?.then === "function") await result;
      finish = SUCCEED;
    } catch (e) {
      console.error("Exception in queue handler", e);
    }
    await this.#renew();        // the next handler may be about to block
    try {
      await store.run((db) => db.rows(finish, claim.id, ...finish === FAIL ? [claim.deadline] : []));
    } catch (e) {               // once closed: the message comes again when its lease has ended
      if (!store.closed) console.error("kv: a message can't be finished", e);
    }
    claims.delete(claim);
    this.#time();
    store.wake();
  }

  /** Extend the leases.  When they are about to end, wait for a lock at once: the event loop may come too late. */
  async #renew() {
    const left = (part) => [...this.#claims].filter((c) => Number(c.deadline) - Date.now() < c.lease * part);
    if (left(0.97).length === 0) return;
    const extend = (db) => left(0.97).forEach((claim) => this.#extend(db, claim));
    try {
      if (left(0.6).length > 0) this.#store.db.waiting(100, extend);
      else await this.#store.run(extend);
    } catch { /* closed, or the next time may succeed */ }
  }

  /** Extend a lease: whether it was still there. */
  #extend(db, claim) {
    const deadline = BigInt(Date.now() + claim.lease);
    db.objects(EXTEND, deadline, claim.id, claim.deadline);
    if (!db.rows("SELECT changes()")[0][0]) return false;
    claim.deadline = deadline;
    return true;
  }
}

module.exports = { Queue, earliest };
