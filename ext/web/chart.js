// chart.js -- a result with a label and a number as bars.

import { h } from "./dom.js";
import { cell, count } from "./words.js";

const SHOWN = 60;

export function barChart(rows, { label, value }) {
  const shown = rows.slice(0, SHOWN).map((row) => ({
    name: cell(row[label]),
    n: Number(cell(row[value] ?? 0)),
  }));
  const largest = Math.max(...shown.map(({ n }) => Math.abs(n)), Number.MIN_VALUE);
  return h(
    "div",
    { class: "bars chart", role: "list", "aria-label": "Chart" },
    shown.map(({ name, n }) =>
      h(
        "div",
        { class: "bar", role: "listitem" },
        h("span", { class: "bar-label", title: name }, name),
        h(
          "span",
          { class: "bar-track", "aria-hidden": "true" },
          h("span", {
            class: `bar-part ${n < 0 ? "fill-bad" : "fill-object"}`,
            style: { width: `${100 * Math.abs(n) / largest}%` },
          }),
        ),
        h("span", { class: "bar-value" }, Number.isInteger(n) ? count(n) : String(n)),
      )
    ),
    rows.length > SHOWN ? h("p", { class: "quiet" }, `The first ${SHOWN} rows.`) : null,
  );
}
