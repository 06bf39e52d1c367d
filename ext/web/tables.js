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
    this.foot = h("div", { class: "foot" }, this.note);
    this.element = h("section", { class: "query", "aria-label": label }, this.body, this.foot);
  }
  changed() {
    if (this.shown) this.show();
  }
  hide() {
    this.shown = false;
  }
  async show() {
    this.shown = true;
    if (this.app.foreign) {
      this.note.textContent = this.app.foreign;
      return;
    }
    const { results: [result] } = await this.app.client.request("exec", { sql: this.sql });
    this.note.textContent = result.error ?? this.words(result.rows);
    const grid = result.error ? null : resultGrid(this.app, result, this.label);
    this.body.replaceChildren(grid?.element ?? "");
    this.foot.replaceChildren(this.note, grid?.copy ?? "");
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
    this.sql = h("pre", {
      class: "statement scroll",
      tabindex: 0,
      role: "group",
      "aria-label": "Its statement",
      hidden: true,
    });
    this.body = h("div", { class: "fill" });
    this.note = h("p", { class: "status", role: "status" });
    this.foot = h("div", { class: "foot" }, this.note);
    this.element = h(
      "section",
      { class: "query", "aria-label": "Collections" },
      h("div", { class: "toolbar" }, this.list),
      this.sql,
      this.body,
      this.foot,
    );
  }

  changed() {
    this.stale = true;
    if (this.shown) this.show();
  }
  hide() {
    this.shown = false;
  }

  async show() {
    this.shown = true;
    if (this.stale === false) return;
    this.stale = false;
    this.found = await this.make();
    this.list.replaceChildren(
      ...this.found.map((one) => button(one.name, () => this.#open(one), { kind: "chip" })),
    );
    this.note.textContent = this.found.length === 0
      ? this.app.foreign ?? "No prefix here holds objects of one kind."
      : "";
    this.sql.hidden = true;
    this.body.replaceChildren();
    const again = this.found.find(({ name }) => name === this.opened) ?? this.found[0];
    if (again) await this.#open(again);
  }

  /** Makes all that can be inferred, for SQL too; the file doesn't change. */
  async make() {
    const found = await this.app.client.remember("collections", { make: true });
    await this.app.views.ask.learn();
    return found;
  }

  async #open(one) {
    this.opened = one.name;
    for (const chip of this.list.children) {
      chip.setAttribute("aria-pressed", chip.textContent === one.name);
    }
    const { results: [result] } = await this.app.client.request("exec", {
      sql: `SELECT * FROM ${one.table}`,
    });
    const problem = one.error ?? result.error;
    this.sql.hidden = !one.sql;
    this.sql.textContent = one.sql ?? "";
    this.note.textContent = problem ??
      (one.sql
        ? `Inferred from keys with ${many(one.parts, "part")} after ${one.prefix}. ` +
          `In SQL it is ${one.table.slice(5)}; it isn't part of the file.`
        : one.table.startsWith("main.")
        ? "A collection of the file."
        : "A collection in temp.");
    const grid = problem ? null : resultGrid(this.app, result, one.name);
    this.body.replaceChildren(grid?.element ?? "");
    this.foot.replaceChildren(this.note, grid?.copy ?? "");
  }
}
