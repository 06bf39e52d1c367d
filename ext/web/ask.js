// ask.js -- a box for SQL: completion, examples, history, results.

import { button, h } from "./dom.js";
import { editor } from "./editor.js";
import { resultPanel } from "./results.js";
import { placed } from "./words.js";

const EXAMPLES = [
  [
    "Newest entries",
    "SELECT key, type, js, versionstamp FROM kv_entries\n ORDER BY versionstamp DESC LIMIT 50;",
  ],
  [
    "Entries by type",
    "SELECT type, count(*) AS entries FROM kv_entries\n GROUP BY type ORDER BY entries DESC;",
  ],
  [
    "Largest values",
    "SELECT key, type, length(raw)-1 AS bytes FROM kv_entries\n ORDER BY bytes DESC LIMIT 20;",
  ],
  [
    "What expires next",
    "SELECT key, datetime(expires_at/1000, 'unixepoch') AS at FROM kv_entries\n" +
    " WHERE expires_at IS NOT NULL ORDER BY expires_at LIMIT 20;",
  ],
  ["A folder of keys", "SELECT part, type, has_value, has_children FROM kv_children('[]');"],
  ["Paths below a prefix", "SELECT path, type, entries, example FROM kv_fields('[\"users\"]');"],
  ["Undecodable values", "SELECT key, hex(raw) FROM kv_entries WHERE type = 'malformed';"],
  ["All functions", "SELECT name, usage, summary FROM kv_help;"],
];

export class Ask {
  constructor(app) {
    this.app = app;
    this.history = [];
    this.code = editor({
      language: "sql",
      label: "SQL",
      doc: EXAMPLES[1][1],
      hint: "SELECT * FROM kv_entries;",
      run: () => this.run(),
    });
    this.results = h("div", { class: "results", "aria-live": "polite" });
    this.past = h(
      "select",
      { "aria-label": "History", onchange: () => this.#recall() },
      h("option", { value: "" }, "History"),
    );
    const examples = h(
      "div",
      { class: "chips", role: "group", "aria-label": "Examples" },
      EXAMPLES.map(([name, sql]) =>
        h("button", {
          type: "button",
          class: "chip",
          onclick: () => {
            this.code.text = sql;
            this.run();
          },
        }, name)
      ),
    );
    this.element = h(
      "section",
      { class: "ask scroll", "aria-label": "SQL" },
      examples,
      h(
        "div",
        { class: "box" },
        this.code.element,
        h(
          "footer",
          {},
          button("Run", () => this.run(), { kind: "primary", title: "Ctrl+Enter" }),
          button("Explain", () => this.explain()),
          h("span", { class: "quiet wide-only" }, "Ctrl+Enter runs it"),
          h("span", { class: "space" }),
          this.past,
        ),
      ),
      this.results,
    );
  }

  /** Completion of the functions, tables and columns that the extension names. */
  async learn() {
    const { words, columns } = await this.app.client.request("help");
    const list = words.map(([name, kind, usage, summary]) => (
      {
        label: name,
        type: kind === "table" ? "type" : "function",
        detail: kind,
        info: `${usage}\n${summary}`,
      }
    ));
    this.code.learn(list, { ...columns, kv_collection: [] });
  }

  show() {
    this.code.focus();
  }

  run() {
    return this.#exec(this.code.text);
  }
  explain() {
    return this.#exec(
      this.code.text.replace(/^\s*(EXPLAIN\s+(QUERY\s+PLAN\s+)?)?/i, "EXPLAIN QUERY PLAN "),
      false,
    );
  }

  async #exec(sql, remember = true) {
    if (!sql.trim()) return;
    if (remember) this.#remember(sql);
    this.results.classList.add("waiting");
    try {
      const { results } = await this.app.client.change("exec", { sql });
      const { error, at } = results.at(-1) ?? {};
      // EXPLAIN isn't the text that the editor shows.
      const shown = sql === this.code.text;
      if (error && shown) results.at(-1).error = placed(sql, { message: error, at });
      this.code.mark(error && shown ? at : null);
      const offer = error && shown ? await this.#offer(sql, error) : "";
      this.results.replaceChildren(
        ...results.map((result) => resultPanel(this.app, result)),
        offer,
      );
    } catch (error) {
      this.results.replaceChildren(resultPanel(this.app, { error: error.message }));
    }
    this.results.classList.remove("waiting");
  }

  /** Of a table that doesn't exist, but could be inferred: a button that makes it. */
  async #offer(sql, error) {
    const name = error.match(/^no such table: (?:temp\.)?(.*)$/)?.[1].toLowerCase();
    if (!name) return "";
    const list = await this.app.client.request("collections", { make: false });
    const found = list.find((one) => one.sql && one.name.toLowerCase() === name);
    if (!found) return "";
    return h(
      "div",
      { class: "offer" },
      h("p", {}, `The entries below ${found.prefix} can be read as a table of this name.`),
      button(`Make ${found.name} and run again`, async () => {
        await this.app.views.collections.make();
        await this.#exec(sql);
      }, { kind: "primary" }),
    );
  }

  #remember(sql) {
    this.history = [sql, ...this.history.filter((one) => one !== sql)].slice(0, 50);
    this.past.replaceChildren(
      h("option", { value: "" }, "History"),
      ...this.history.map((one, i) =>
        h("option", { value: i }, one.replace(/\s+/g, " ").slice(0, 80))
      ),
    );
  }
  #recall() {
    const sql = this.history[Number(this.past.value)];
    if (sql) this.code.text = sql;
    this.past.value = "";
  }
}
