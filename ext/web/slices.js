// slices.js -- long statements in slices, between which the worker takes
// messages: other requests, or that it is to stop.

import { SqlError } from "./engine.js";

const SLICE_MS = 40;
const TELL_MS = 150;

const { port1, port2 } = new MessageChannel();
const waiting = [];
port2.onmessage = () => waiting.shift()();

/** Lets the messages that have come be taken. */
function breathe() {
  return new Promise((resolve) => {
    waiting.push(resolve);
    port1.postMessage(0);
  });
}

export class Slices {
  /** `tell(ms)` is called now and then while a request takes long. */
  constructor(tell) {
    this.tell = tell;
    this.walkers = new Set(); // statements that go on between requests
    this.stopping = false;
    this.started = 0;
    this.told = 0;
  }

  /** The beginning and the end of a request. */
  begin() {
    this.stopping = false;
    this.started = performance.now();
    this.told = this.started;
  }
  end() {
    this.started = 0;
  }

  /** Called by SQLite now and then, too: whether to stop. */
  tick() {
    const now = performance.now();
    if (this.started !== 0 && now - this.told > TELL_MS) {
      this.told = now;
      this.tell(now - this.started);
    }
    return this.stopping ? 1 : 0;
  }

  stop() {
    this.stopping = true;
    this.stopWalkers();
  }

  /**
   * Steps through a statement, calling `slice()` after each slice; `row()`
   * returns false to stop early. Whether rows are left.
   */
  async walk(statement, row, slice) {
    for (let until = performance.now() + SLICE_MS; statement.step();) {
      if (row() === false) return true;
      if (performance.now() > until) {
        slice?.();
        this.tick();
        await breathe();
        if (this.stopping || !statement.open) throw new SqlError("interrupted", 9, -1);
        until = performance.now() + SLICE_MS;
      }
    }
    return false;
  }

  /** All rows; the statement is finalized. */
  async all(statement) {
    const rows = [];
    try {
      await this.walk(statement, () => void rows.push(statement.row()));
    } finally {
      statement.finalize();
    }
    return rows;
  }

  /** Goes on while other requests are answered; a write ends it. The statement is finalized. */
  async stroll(statement, row, slice) {
    this.walkers.add(statement);
    try {
      await this.walk(statement, () => row(statement), slice);
    } finally {
      this.walkers.delete(statement);
      statement.finalize();
    }
  }
  stopWalkers() {
    for (const statement of this.walkers) statement.finalize();
    this.walkers.clear();
  }
}
