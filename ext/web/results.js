// results.js -- what a statement has given: rows as a grid or a chart, a plan in
// words, or a count of changes.

import { barChart } from "./chart.js";
import { button, dialog, h } from "./dom.js";
import { copyButtons, tableOf } from "./copy.js";
import { Grid } from "./grid.js";
import { sortedRows } from "./paging.js";
import { cell, chartColumns, count, duration, isNumber, many, planWords } from "./words.js";

const COPIED = 100000; // rows at most

/** The rows of a result: those that are here, and a cursor of the worker for the others. */
class Rows {
  constructor(app, { sql, columns, rows, count, cursor }) {
    Object.assign(this, { app, sql, columns, count, cursor });
    this.rows = rows;
    this.unsorted = rows;
  }

  /** Reads `limit` further rows; false if there are none. */
  async further(limit) {
    const { rows, more } = await this.app.client.request("more", { cursor: this.cursor, limit });
    this.rows.push(...rows);
    if (!more) this.cursor = undefined;
  }

  /** Everything, for the clipboard. */
  async all() {
    while (this.cursor && this.rows.length < COPIED) await this.further(10000);
    const { columns, rows } = this;
    return {
      table: tableOf(this.sql),
      columns,
      rows: rows.slice(0, COPIED),
      cut: Boolean(this.cursor) || rows.length > COPIED || rows.length < this.count,
    };
  }

  /** By a column, or (null) as they came. What isn't here yet is sorted by SQLite. */
  async sort(by) {
    if (!this.cursor && !this.partial) {
      this.rows = by ? sortedRows(this.unsorted, by.index, by.descending) : this.unsorted;
      return;
    }
    const inner = this.sql.replace(/;\s*$/, "");
    const sql = by
      ? `SELECT * FROM (${inner}\n) ORDER BY ${by.index + 1} ${by.descending ? "DESC" : "ASC"}`
      : inner;
    const { results: [result] } = await this.app.client.request("exec", { sql });
    if (result.error) throw new Error(result.error);
    this.partial = true;
    this.rows = result.rows;
    this.cursor = result.cursor;
  }
}

/** A grid of a result; further rows are read from the worker as one scrolls. */
export function resultGrid(app, result, label) {
  const data = new Rows(app, result);
  const columns = result.columns.map((name, i) => ({
    name,
    index: i,
    ...columnWidth(name, result.rows, i),
    className: `mono${result.rows.some((row) => isNumber(row[i])) ? " number" : ""}`,
    cell: (row) =>
      row[i] === null ? h("span", { class: "faint" }, "NULL") : cell(row[i]).slice(0, 400),
  }));
  const show = (keep) => grid.show(source, { keep });
  const grid = new Grid({
    columns,
    label,
    empty: "No rows.",
    open: (row) => showRow(result.columns, row),
    sort: async (sorted) => {
      const by = sorted && { index: sorted.column.index, descending: sorted.descending };
      await data.sort(by).catch((error) => {
        app.toast(error.message, "bad");
        grid.unsort();
      });
      show(false);
    },
  });
  const source = {
    get count() {
      return data.rows.length + (data.cursor ? 1 : 0);
    },
    row(i) {
      if (i === data.rows.length) further();
      return data.rows[i];
    },
  };
  let coming = false;
  async function further() {
    if (coming) return;
    coming = true;
    try {
      await data.further(500);
    } catch (error) {
      data.cursor = undefined;
      app.toast(error.message, "bad");
    }
    coming = false;
    grid.refresh();
  }
  show(true);
  grid.copy = copyButtons(app, () => data.all());
  return grid;
}

function columnWidth(name, rows, i) {
  const longest = rows.slice(0, 50).reduce(
    (most, row) => Math.max(most, cell(row[i]).length),
    name.length,
  );
  const letters = Math.min(Math.max(longest, 4), 48);
  return { min: letters * 8 + 24, grow: letters };
}

function showRow(columns, row) {
  dialog(
    "Row",
    (close) =>
      h(
        "div",
        {},
        h(
          "dl",
          { class: "row-facts" },
          columns.map((name, i) =>
            h("div", {}, h("dt", {}, name), h("dd", { class: "mono" }, cell(row[i])))
          ),
        ),
        h("footer", {}, button("Close", () => close())),
      ),
  );
}

export function resultPanel(app, result) {
  if (result.error) {
    return h(
      "article",
      { class: "result" },
      h("p", { class: "problem", role: "alert" }, result.error),
    );
  }
  const head = h(
    "header",
    {},
    h("code", {}, result.sql.replace(/\s+/g, " ").slice(0, 160)),
    h("span", { class: "quiet" }, summary(result)),
  );
  if (result.columns.length === 0) return h("article", { class: "result" }, head);
  if (result.plan) return h("article", { class: "result" }, head, planList(result.rows));
  const grid = resultGrid(app, result, "Result");
  grid.element.style.setProperty("--rows", Math.min(result.rows.length + 1, 12));
  head.append(grid.copy);
  const panel = h("article", { class: "result" }, head, grid.element);
  const axes = chartColumns(result.columns, result.rows);
  if (axes) {
    let chart;
    const toggle = button("Chart", () => {
      const on = !chart;
      if (on) chart = panel.appendChild(barChart(result.rows, axes));
      else chart = void chart.remove();
      grid.element.hidden = on;
      toggle.setAttribute("aria-pressed", on);
    }, { kind: "small", iconName: "home", "aria-pressed": "false" });
    head.append(toggle);
  }
  return panel;
}

function summary(result) {
  const parts = [duration(result.ms)];
  if (result.changes !== undefined) {
    parts.unshift(many(result.changes, "row changed", "rows changed"));
  } else if (result.columns.length > 0) {
    parts.unshift(
      result.cursor ? `more than ${count(result.rows.length)} rows` : many(result.count, "row"),
    );
  }
  return parts.join(", ");
}

/** The plan as nested sentences; what SQLite says itself is the title. */
function planList(rows) {
  const lists = new Map([[0, h("ul", { class: "plan" })]]);
  for (const [id, parent, , detail] of rows) {
    const list = h("ul", {});
    lists.set(id, list);
    (lists.get(parent) ?? lists.get(0)).append(h("li", { title: detail }, planWords(detail), list));
  }
  return lists.get(0);
}
