// tables.js -- collections, the queue and the declared indexes.

import { button, h } from "./dom.js";
import { resultGrid } from "./results.js";
import { many, remaining } from "./words.js";

/** A page with one grid of a query. */
class Query {
  constructor(app, label, sql, words) {
    Object.assign(this, { app, label, sql, words });
    this.body = h("div", { class: "fill" });
    this.note = h("p", { class: "status", role: "status" });
    this.element = h("section", { class: "query", "aria-label": label }, this.body, this.note);
  }
  changed() {
    if (this.shown) this.show();
  }
  hide() {
    this.shown = false;
  }
  async show() {
    this.shown = true;
    const { results: [result] } = await this.app.client.request("exec", { sql: this.sql });
    this.note.textContent = result.error ?? this.words(result.rows);
    this.body.replaceChildren(result.error ? "" : resultGrid(this.app, result, this.label).element);
  }
}

export class Queue extends Query {
  constructor(app) {
    super(
      app,
      "Queue",
      `SELECT state,
        strftime('%Y-%m-%d %H:%M:%S', coalesce(ready_at, deadline)/1000, 'unixepoch') AS at,
        js AS value,
        backoff_schedule, keys_if_undelivered, id FROM kv_queue`,
      (rows) => this.#states(rows),
    );
  }
  #states(rows) {
    const running = rows.filter(([state]) => state === "running").length;
    const next = Math.min(
      ...rows.filter(([state]) => state === "ready").map(([, at]) => Date.parse(`${at}Z`)),
    );
    const left = next - Date.now();
    const due = !Number.isFinite(next)
      ? ""
      : left <= 0
      ? ", the next one is due"
      : `, the next one in ${remaining(left)}`;
    return `${many(rows.length, "message")}: ${
      rows.length - running
    } ready, ${running} running${due}`;
  }
}

export class Indexes extends Query {
  constructor(app) {
    super(
      app,
      "Indexes",
      "SELECT * FROM kv_indexes",
      (rows) =>
        rows.length > 0
          ? many(rows.length, "declared index", "declared indexes")
          : "No index is declared. kv_index(name, prefix, path) declares one.",
    );
  }
}

export class Collections {
  constructor(app) {
    this.app = app;
    this.list = h("div", { class: "chips", role: "group", "aria-label": "Collections" });
    this.sql = h("pre", { class: "statement scroll", hidden: true });
    this.body = h("div", { class: "fill" });
    this.note = h("p", { class: "status", role: "status" });
    this.element = h(
      "section",
      { class: "query", "aria-label": "Collections" },
      h("div", { class: "toolbar" }, this.list),
      this.sql,
      this.body,
      this.note,
    );
  }

  changed() {
    this.found = undefined;
  }

  async show() {
    if (this.found) return;
    const { client, info } = this.app;
    this.found = info.collections.map((name) => ({
      name,
      table: `main.${quote(name)}`,
      sql: null,
    }));
    for (const prefix of info.store ? await this.#objects() : []) {
      this.found.push(...await this.#infer(client, prefix));
    }
    this.list.replaceChildren(
      ...this.found.map((one) => button(one.name, () => this.#open(one), { kind: "chip" })),
    );
    this.note.textContent = this.found.length === 0
      ? "No prefix here holds objects of one kind."
      : "";
    this.body.replaceChildren();
    if (this.found.length > 0) this.#open(this.found[0]);
  }

  /** Prefixes of which at least half of the values are objects. */
  async #objects() {
    const { results: [{ rows = [] }] } = await this.app.client.request("exec", {
      sql: `
      SELECT key FROM kv_children('[]') c WHERE has_children AND (
        SELECT 2*sum(type='Object') >= count(*) FROM (SELECT type FROM kv_entries(c.key) LIMIT 200))
       LIMIT 40`,
    });
    return rows.map(([key]) => key);
  }

  async #infer(client, prefix) {
    const { results: [{ rows }] } = await client.request("exec", {
      sql: "SELECT kv_infer(?)",
      params: [prefix],
    });
    const sql = rows?.[0]?.[0];
    const name = sql?.match(/^CREATE VIRTUAL TABLE temp\.("(?:[^"]|"")*"|\w+)/)?.[1];
    return name ? [{ name: name.replace(/^"|"$/g, ""), table: `temp.${name}`, sql, prefix }] : [];
  }

  async #open(one) {
    for (const chip of this.list.children) {
      chip.setAttribute("aria-pressed", chip.textContent === one.name);
    }
    // In temp: the file doesn't change.
    if (one.sql) {
      await this.app.client.request("exec", {
        sql: `DROP TABLE IF EXISTS ${one.table}; ${one.sql}`,
      });
    }
    const { results: [result] } = await this.app.client.request("exec", {
      sql: `SELECT * FROM ${one.table}`,
    });
    this.sql.hidden = !one.sql;
    this.sql.textContent = one.sql ?? "";
    this.note.textContent = result.error ??
      (one.sql
        ? `kv_infer() has found these columns; ask for them as ${one.table}.`
        : "A collection of the file.");
    this.body.replaceChildren(result.error ? "" : resultGrid(this.app, result, one.name).element);
  }
}

function quote(name) {
  return `"${name.replaceAll('"', '""')}"`;
}
