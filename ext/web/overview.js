// overview.js -- what the file holds at a glance.

import { h } from "./dom.js";
import { bytes, count, families, many } from "./words.js";

const SHOWN = 40;
const COMING = "…";

export class Overview {
  constructor(app) {
    this.app = app;
    this.by = "entries";
    this.parts = [];
    this.cards = h("div", { class: "cards" });
    this.chart = h("div", { class: "bars", role: "list" });
    this.legend = h("dl", { class: "legend" });
    this.note = h("p", { class: "quiet", role: "status" });
    const choice = (by, label) =>
      h("button", { type: "button", "data-by": by, onclick: () => this.#measureBy(by) }, label);
    this.switch = h(
      "div",
      { class: "switch", role: "group", "aria-label": "Measure by" },
      choice("entries", "Entries"),
      choice("bytes", "Bytes"),
    );
    this.head = h("header", {}, h("h2", {}, "By first key part"), this.switch);
    this.element = h(
      "section",
      { class: "overview scroll", "aria-label": "Overview" },
      this.cards,
      h(
        "div",
        { class: "panel" },
        this.head,
        this.chart,
        this.note,
        this.legend,
      ),
    );
    app.client.on("measured", ({ key, types }) => this.#measured(key, types));
  }

  /** What is looked at now doesn't wait for what isn't. */
  hide() {
    if (this.run && !this.parts.every(({ done }) => done)) this.app.client.request("unmeasure");
    this.run = undefined;
  }
  changed() {
    if (this.run) this.show();
  }

  async show() {
    const run = this.run = {};
    const { client, info } = this.app;
    this.#draw();
    this.head.hidden = !info.store;
    if (!info.store) {
      this.cards.replaceChildren();
      this.note.textContent = this.app.foreign ??
        "This SQLite database has no Deno KV store yet. The first entry that you add makes one.";
      return this.#card("File", bytes(info.size), many(info.tables.length, "table"));
    }
    this.note.textContent = "Reading …";
    const [{ rows, more }, facts] = await Promise.all([
      client.request("children", { prefix: "[]" }),
      client.request("facts"),
    ]);
    if (run !== this.run) return;
    this.facts = facts;
    // What is known of a part stays until it is measured again.
    const known = new Map(this.parts.map((part) => [part.key, part]));
    this.parts = rows.map((node) => ({
      ...node,
      types: known.get(node.key)?.types ?? null,
      done: false,
    }));
    this.#draw();
    for (const part of this.parts) {
      const types = await this.#typesOf(part).catch(() => null);
      if (run !== this.run) return;
      if (!types) break;
      Object.assign(part, { types, done: true });
      this.#draw();
    }
    const shown = this.parts.filter(({ done }) => done).length;
    this.note.textContent = rows.length === 0
      ? "No entries yet."
      : more || shown < rows.length
      ? `The first ${many(shown, "key part")}; there are more.`
      : "";
  }

  async #typesOf({ key, hasChildren, hasValue }) {
    const { client } = this.app;
    const below = hasChildren ? await client.request("measure", { key, hasChildren: true }) : [];
    const own = hasValue ? await client.request("measure", { key, hasChildren: false }) : [];
    return merge([...below, ...own]);
  }

  /** A part is being measured, and so far it is this. */
  #measured(key, types) {
    const part = this.run && this.parts.find((one) => one.key === key && !one.done);
    const entries = types.reduce((sum, type) => sum + type.entries, 0);
    const before = (part?.types ?? []).reduce((sum, type) => sum + type.entries, 0);
    if (!part || entries < before) return;
    part.types = merge(types);
    this.#draw();
  }

  #card(title, value, more) {
    this.cards.append(
      h(
        "div",
        { class: "card" },
        h("h2", {}, title),
        h("p", { class: value.length > 12 ? "figure long" : "figure" }, value),
        h("p", { class: "quiet" }, more),
      ),
    );
  }

  #measureBy(by) {
    this.by = by;
    this.#drawChart();
  }

  #draw() {
    const { facts, parts } = this;
    const all = merge(parts.flatMap(({ types }) => types ?? []));
    const total = (name, format) =>
      all.length > 0 || (facts && parts.length === 0)
        ? format(all.reduce((sum, type) => sum + type[name], 0))
        : COMING;
    this.cards.replaceChildren();
    this.#card("Entries", total("entries", count), `${many(all.length, "type")} of value`);
    this.#card("Values", total("bytes", bytes), `in a file of ${bytes(this.app.info.size)}`);
    this.#card("Expiring", total("expiring", count), "entries have an expiry");
    this.#card(
      "Queue",
      facts ? count(facts.queue) : COMING,
      facts?.queue === 1 ? "message" : "messages",
    );
    this.#card("Indexes", facts ? count(facts.indexes) : COMING, "declared");
    this.#card("Versionstamp", facts?.versionstamp ?? COMING, "the newest");
    this.#drawChart();
  }

  #drawChart() {
    for (const one of this.switch.children) {
      one.setAttribute("aria-pressed", one.dataset.by === this.by);
    }
    const { by } = this;
    const size = (types) => (types ?? []).reduce((sum, type) => sum + type[by], 0);
    const format = by === "bytes" ? bytes : count;
    const words = (types) =>
      [...types].sort((a, b) => b[by] - a[by])
        .map((type) => `${type.type} ${format(type[by])}`).join(", ");
    const parts = [...this.parts].sort((a, b) => size(b.types) - size(a.types)).slice(0, SHOWN);
    const largest = Math.max(1, ...parts.map(({ types }) => size(types)));
    this.chart.replaceChildren(...parts.map(({ key, label, types }) =>
      h(
        "div",
        { role: "listitem" },
        h(
          "button",
          {
            type: "button",
            class: "bar",
            title: words(types ?? []),
            onclick: () => this.app.openEntries(key),
          },
          h("span", { class: "bar-label" }, label),
          h(
            "span",
            { class: "bar-track", "aria-hidden": "true" },
            families(types ?? []).map((group) =>
              h("span", {
                class: `bar-part fill-${group.family}`,
                style: { width: `${100 * size(group.types) / largest}%` },
              })
            ),
          ),
          h("span", { class: "bar-value" }, types ? format(size(types)) : COMING),
          h("span", { class: "hidden" }, words(types ?? [])),
        ),
      )
    ));
    const all = merge(this.parts.flatMap(({ types }) => types ?? []));
    this.legend.replaceChildren(
      ...families(all).map((group) =>
        h(
          "div",
          { class: "legend-group" },
          h("dt", {}, h("span", { class: `swatch fill-${group.family}` }), group.name),
          h("dd", { class: "figure" }, format(size(group.types))),
          h("dd", { class: "quiet" }, words(group.types)),
        )
      ),
    );
  }
}

/** One row for each type. */
function merge(types) {
  const sums = new Map();
  for (const { type, entries, bytes, expiring } of types) {
    const sum = sums.get(type) ?? { type, entries: 0, bytes: 0, expiring: 0 };
    sums.set(type, {
      type,
      entries: sum.entries + entries,
      bytes: sum.bytes + bytes,
      expiring: sum.expiring + expiring,
    });
  }
  return [...sums.values()].sort((a, b) => b.entries - a.entries);
}
