// results.js -- what a statement has given: rows as a grid or a chart, a plan in
// words, or a count of changes.

import { barChart } from "./chart.js";
import { button, dialog, h } from "./dom.js";
import { Grid } from "./grid.js";
import { cell, chartColumns, count, duration, isNumber, many, planWords } from "./words.js";

/** A grid of a result; further rows are read from the worker as one scrolls. */
export function resultGrid(app, result, label) {
  const columns = result.columns.map((name, i) => ({
    name,
    ...columnWidth(name, result.rows, i),
    className: `mono${result.rows.some((row) => isNumber(row[i])) ? " number" : ""}`,
    cell: (row) =>
      row[i] === null ? h("span", { class: "faint" }, "NULL") : cell(row[i]).slice(0, 400),
  }));
  const grid = new Grid({
    columns,
    label,
    empty: "No rows.",
    open: (row) => showRow(result.columns, row),
  });
  let cursor = result.cursor;
  const source = {
    get count() {
      return result.rows.length + (cursor ? 1 : 0);
    },
    row(i) {
      if (i === result.rows.length) further();
      return result.rows[i];
    },
  };
  let coming = false;
  async function further() {
    if (coming) return;
    coming = true;
    try {
      const { rows, more } = await app.client.request("more", { cursor });
      result.rows.push(...rows);
      if (!more) cursor = undefined;
    } catch (error) {
      cursor = undefined;
      app.toast(error.message, "bad");
    }
    coming = false;
    grid.refresh();
  }
  grid.show(source);
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
