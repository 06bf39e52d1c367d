// overview.js -- what the file holds at a glance.

import { family, h, typeBadge } from "./dom.js";
import { bytes, count, many } from "./words.js";

const SHOWN = 40;

export class Overview {
  constructor(app) {
    this.app = app;
    this.by = "entries";
    this.cards = h("div", { class: "cards" });
    this.chart = h("div", { class: "bars", role: "list" });
    this.legend = h("div", { class: "legend" });
    this.note = h("p", { class: "quiet", role: "status" });
    const choice = (by, label) =>
      h("button", { type: "button", "data-by": by, onclick: () => this.#measureBy(by) }, label);
    this.switch = h(
      "div",
      { class: "switch", role: "group", "aria-label": "Measure by" },
      choice("entries", "Entries"),
      choice("bytes", "Bytes"),
    );
    this.element = h(
      "section",
      { class: "overview scroll", "aria-label": "Overview" },
      this.cards,
      h(
        "div",
        { class: "panel" },
        h("header", {}, h("h2", {}, "By first key part"), this.switch),
        this.chart,
        this.legend,
        this.note,
      ),
    );
  }

  hide() {
    this.run = undefined;
  }

  async show() {
    const run = this.run = {};
    const { client, info } = this.app;
    this.parts = [];
    this.chart.replaceChildren();
    this.cards.replaceChildren();
    this.note.textContent = "";
    if (!info.store) {
      this.note.textContent =
        "This SQLite database has no Deno KV store yet. The first entry that you add makes one.";
      return this.#card("File", bytes(info.size), many(info.tables.length, "table"));
    }
    const [{ rows, more }, facts] = await Promise.all([
      client.request("children", { prefix: "[]" }),
      client.request("facts"),
    ]);
    for (const node of rows) {
      const types = await this.#typesOf(node).catch(() => null);
      if (run !== this.run) return;
      if (!types) break;
      this.parts.push({ key: node.key, label: node.label, types });
      this.#draw(facts);
    }
    if (rows.length === 0) this.#draw(facts);
    const shown = this.parts.length;
    this.note.textContent = more || shown < rows.length
      ? `The first ${many(shown, "key part")}; there are more.`
      : "";
  }

  async #typesOf({ key, hasChildren, hasValue }) {
    const { client } = this.app;
    const below = hasChildren ? await client.request("measure", { key, hasChildren: true }) : [];
    const own = hasValue ? await client.request("measure", { key, hasChildren: false }) : [];
    return merge([...below, ...own]);
  }

  #card(title, value, more) {
    this.cards.append(
      h(
        "div",
        { class: "card" },
        h("h3", {}, title),
        h("p", { class: value.length > 12 ? "figure long" : "figure" }, value),
        h("p", { class: "quiet" }, more),
      ),
    );
  }

  #measureBy(by) {
    this.by = by;
    this.#drawChart();
  }

  #draw(facts) {
    const total = (name) =>
      this.parts.flatMap(({ types }) => types).reduce((sum, type) => sum + type[name], 0);
    this.cards.replaceChildren();
    this.#card(
      "Entries",
      count(total("entries")),
      `${
        many(new Set(this.parts.flatMap(({ types }) => types.map(({ type }) => type))).size, "type")
      } of value`,
    );
    this.#card("Values", bytes(total("bytes")), `in a file of ${bytes(this.app.info.size)}`);
    this.#card("Expiring", count(total("expiring")), "entries have an expiry");
    this.#card("Queue", count(facts.queue), facts.queue === 1 ? "message" : "messages");
    this.#card("Indexes", count(facts.indexes), "declared");
    this.#card("Versionstamp", facts.versionstamp, "the newest");
    this.#drawChart();
  }

  #drawChart() {
    for (const one of this.switch.children) {
      one.setAttribute("aria-pressed", one.dataset.by === this.by);
    }
    const size = ({ types }) => types.reduce((sum, type) => sum + type[this.by], 0);
    const format = this.by === "bytes" ? bytes : count;
    const parts = [...this.parts].sort((a, b) => size(b) - size(a)).slice(0, SHOWN);
    const largest = Math.max(1, ...parts.map(size));
    this.chart.replaceChildren(...parts.map((part) => {
      const words = part.types.map((type) => `${type.type} ${format(type[this.by])}`).join(", ");
      return h(
        "div",
        { role: "listitem" },
        h(
          "button",
          {
            type: "button",
            class: "bar",
            title: words,
            onclick: () => this.app.openEntries(part.key),
          },
          h("span", { class: "bar-label" }, part.label),
          h(
            "span",
            { class: "bar-track", "aria-hidden": "true" },
            part.types.map((type) =>
              h("span", {
                class: `bar-part fill-${family(type.type)}`,
                style: { width: `${100 * type[this.by] / largest}%` },
              })
            ),
          ),
          h("span", { class: "bar-value" }, format(size(part))),
          h("span", { class: "hidden" }, words),
        ),
      );
    }));
    const types = [...new Set(this.parts.flatMap(({ types }) => types.map(({ type }) => type)))];
    this.legend.replaceChildren(...types.map(typeBadge));
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
