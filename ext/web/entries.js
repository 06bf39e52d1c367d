// entries.js -- the entries: the tree of keys, the list, and one entry in full.

import { button, debounce, h, icon, typeBadge } from "./dom.js";
import { copyButtons } from "./copy.js";
import { Detail } from "./detail.js";
import { addEntry, deleteBelow, renameBelow, restoreBelow } from "./forms.js";
import { Grid } from "./grid.js";
import { PAGE, PageCache } from "./paging.js";
import { splitter } from "./splitter.js";
import { Tree } from "./tree.js";
import { deletedBelow } from "./versions.js";
import { bytes, count, many, remaining, time } from "./words.js";

const COPIED = 100000; // rows at most
const COLUMNS = [
  { name: "Key", min: 130, tight: 104, grow: 2, className: "mono key", cell: (row) => row.key },
  { name: "Type", min: 104, tight: 92, cell: (row) => typeBadge(row.type) },
  { name: "Value", min: 300, tight: 110, grow: 3, className: "mono", cell: (row) => row.js },
  { name: "Size", min: 82, optional: 1, className: "number", cell: (row) => bytes(row.size) },
  {
    name: "Versionstamp",
    min: 172,
    optional: 3,
    className: "mono faint",
    cell: (row) => row.versionstamp,
  },
  {
    name: "Expires",
    min: 96,
    optional: 2,
    cell: (row) =>
      row.expiresAt === null
        ? ""
        : h("span", { title: time(row.expiresAt) }, remaining(row.expiresAt - Date.now())),
  },
];

export class Entries {
  constructor(app) {
    this.app = app;
    this.prefix = "[]";
    this.detail = new Detail(app);
    this.tree = new Tree(app.client, (node) => this.#chosen(node));
    this.grid = new Grid({
      columns: COLUMNS,
      label: "Entries",
      open: (row) => this.detail.show(row.key, this.asOf),
      sort: () => this.load(),
    });
    const reload = debounce(() => this.load(), 250);
    this.prefixInput = h("input", {
      class: "mono",
      "aria-label": "Key prefix",
      placeholder: '["users"]',
      spellcheck: "false",
      oninput: () => {
        this.prefix = this.prefixInput.value.trim() || "[]";
        reload();
      },
    });
    this.textInput = h("input", {
      type: "search",
      "aria-label": "Text in key or value",
      placeholder: "Search key or value",
      oninput: reload,
    });
    this.deleted = button("Deleted", () => deletedBelow(app, this.prefix), {
      kind: "small",
      hidden: true,
      title: "Entries that were deleted, from the history",
    });
    this.asOfInput = h("input", {
      class: "mono",
      placeholder: "now",
      title: "A time such as 2026-01-31 12:00Z, or a versionstamp",
      spellcheck: "false",
      oninput: reload,
    });
    this.asOfField = h(
      "label",
      { class: "field as-of", hidden: true },
      h("span", {}, "As of"),
      this.asOfInput,
    );
    this.restore = button("Restore", () => this.#restore(), {
      kind: "small",
      hidden: true,
      title: "Make the entries below the prefix what they were then",
    });
    // What is about the present alone.
    this.present = [
      button("Add", () => this.#form(addEntry), { kind: "small", iconName: "plus" }),
      button("Rename", () => this.#form(renameBelow), { kind: "small" }),
      button("Delete", () => this.#form(deleteBelow), { kind: "small", iconName: "trash" }),
      button("NDJSON", () => app.exportLines(this.prefix), {
        kind: "small",
        iconName: "save",
        title: "Export in the format of @deno/kv-utils",
      }),
    ];
    this.status = h("span", { role: "status" });
    this.stop = h("button", {
      type: "button",
      class: "link",
      hidden: true,
      onclick: () => app.client.stop(),
    }, "Stop");
    this.element = h(
      "section",
      { class: "entries", "aria-label": "Entries" },
      h(
        "aside",
        { class: "tree-pane scroll" },
        h(
          "h2",
          {},
          "Keys",
          h("button", { type: "button", class: "link", onclick: () => this.open("[]") }, "all"),
        ),
        this.tree.element,
      ),
      splitter({
        label: "Width of the keys",
        pane: () => this.element.querySelector(".tree-pane"),
        name: "--tree",
        side: 1,
        least: 120,
      }),
      h(
        "div",
        { class: "list-pane" },
        h(
          "div",
          { class: "toolbar" },
          h("label", { class: "field prefix" }, h("span", {}, "Below"), this.prefixInput),
          h("label", { class: "field search" }, icon("search"), this.textInput),
          this.asOfField,
          h("span", { class: "space" }),
          h("div", { class: "actions" }, this.present, this.deleted, this.restore),
        ),
        this.grid.element,
        h(
          "div",
          { class: "foot" },
          h("p", { class: "status" }, this.status, this.stop),
          copyButtons(app, (format) => this.#copied(format === "INSERT")),
        ),
      ),
      splitter({
        label: "Width of the entry",
        pane: () => this.detail.element,
        name: "--detail",
        side: -1,
        least: 260,
      }),
      this.detail.element,
    );
    app.client.on("view", (event) => this.#grown(event));
    setInterval(() => this.shown && this.expiring && this.grid.refresh(), 1000);
  }

  async show() {
    this.shown = true;
    const { foreign } = this.app;
    this.#offer();
    if (foreign) return this.grid.show({ count: 0, row: () => undefined, empty: foreign });
    if (this.stale !== false) {
      this.stale = false;
      this.app.client.request("history", {}).then((kept) =>
        this.deleted.hidden = this.asOfField.hidden = !kept
      );
      await Promise.all([this.tree.load(), this.load()]);
      this.tree.mark(this.prefix);
    }
  }
  hide() {
    this.shown = false;
  }

  /** What is shown may have changed. */
  changed() {
    this.stale = true;
    if (this.shown) {
      this.show();
      this.detail.again();
    }
  }

  open(prefix) {
    this.prefix = prefix;
    this.textInput.value = "";
    return this.load();
  }

  /** What the list shows: a time in ms, a date or versionstamp as text, or null for now. */
  get asOf() {
    const text = this.asOfInput.value.trim();
    return text === "" ? null : /^\d{12,15}$/.test(text) ? Number(text) : text;
  }
  set asOf(text) {
    this.asOfInput.value = text ?? "";
    this.load();
  }

  /** Offers what can be done: nothing with another program's table, and less to the past. */
  #offer() {
    const past = this.asOf !== null;
    for (const one of this.present) {
      one.disabled = Boolean(this.app.foreign);
      one.hidden = past;
    }
    this.restore.hidden = !past;
  }

  async #restore() {
    const done = await restoreBelow(this.app, this.prefix, this.asOf);
    if (!done) return;
    this.app.toast(done);
    this.asOf = null;
    this.detail.hide();
  }

  #chosen({ key, hasChildren, hasValue }) {
    if (hasChildren) this.open(key);
    if (hasValue) this.detail.show(key, this.asOf);
    else if (!hasChildren) this.detail.hide();
  }

  async #form(form) {
    const done = await form(this.app, this.prefix);
    if (done) this.app.toast(done);
  }

  #copied(exact) {
    return this.app.client.request("copy", { ...this.#list, exact, limit: COPIED });
  }

  /** What is listed, and in which order. */
  get #list() {
    const { sorted } = this.grid;
    return {
      prefix: this.prefix,
      text: this.textInput.value.trim(),
      asOf: this.asOf,
      order: sorted && { name: sorted.column.name, descending: sorted.descending },
    };
  }

  async load() {
    if (this.prefixInput.value.trim() !== this.prefix) {
      this.prefixInput.value = this.prefix === "[]" ? "" : this.prefix;
    }
    this.tree.mark(this.prefix);
    this.early = undefined;
    this.view = undefined;
    for (const input of [this.prefixInput, this.asOfInput]) input.removeAttribute("aria-invalid");
    this.#offer();
    const turn = this.turn = {};
    try {
      const list = this.#list;
      const { id } = await this.app.client.request("view", list);
      if (this.turn !== turn) return;
      this.view = id;
      this.cache = new PageCache((page) => this.#page(id, page));
      this.grid.show({ count: 0, row: () => undefined, empty: list.order ? "Sorting …" : "…" });
      if (this.early?.id === id) this.#grown(this.early);
    } catch (error) {
      this.#failed(error.message);
    }
  }

  async #page(id, page) {
    const rows = await this.app.client.request("page", { id, page });
    this.expiring ||= rows.some((row) => row.expiresAt !== null);
    return rows;
  }

  /** The worker has counted further, or to the end. */
  #grown(event) {
    if (event.id !== this.view) {
      this.early = event;
      return;
    }
    if (event.error) return this.#failed(event.error);
    const { count: total, done } = event;
    const before = this.grid.source.count;
    // The last page was perhaps not full.
    if (before > 0 && before < total) this.cache.drop(Math.floor((before - 1) / PAGE));
    const empty = !done ? "…" : this.textInput.value ? "No entry matches." : "No entries here.";
    this.grid.show({ count: total, row: (i) => this.#row(i), empty }, { keep: true });
    this.stop.hidden = done;
    this.status.textContent = `${
      done ? many(total, "entry", "entries") : `${count(total)} entries so far …`
    }${this.asOf === null ? "" : ", as they were"}${event.stopped ? ", stopped" : ""}`;
  }

  #row(i) {
    const rows = this.cache.get(Math.floor(i / PAGE), () => this.grid.refresh());
    return rows?.[i % PAGE];
  }

  #failed(message) {
    const past = /^kv: as_of: /.test(message);
    (past ? this.asOfInput : this.prefixInput).setAttribute("aria-invalid", "true");
    const said = message.replace(/^kv: (as_of: )?/, "");
    const empty = said[0].toUpperCase() + said.slice(1);
    this.grid.show({ count: 0, row: () => undefined, empty });
    this.status.textContent = "";
    this.stop.hidden = true;
  }
}
