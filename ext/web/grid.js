// grid.js -- a table of any length, of which only the visible rows are elements.

import { h } from "./dom.js";
import { scrollHeight, scrollTo, visibleRows } from "./paging.js";

const ROW = 32;
const HEAD = 32;
let serial = 0;

export class Grid {
  /**
   * columns: [{name, min, grow, className, cell(row)}], where min is a width in
   * pixels, grow a share of what is left, and cell() gives text or an element;
   * label for screen readers; open(row, i) when a row is chosen.
   */
  constructor({ columns, label, open, empty = "Nothing here." }) {
    this.id = `grid${++serial}`;
    this.columns = columns;
    this.open = open;
    this.empty = empty;
    this.source = { count: 0, row: () => undefined };
    this.current = -1;
    this.rows = h("div", { class: "grid-rows", role: "rowgroup" });
    this.space = h("div", { class: "grid-space", role: "presentation" }, this.rows);
    this.head = h(
      "div",
      { class: "grid-row grid-head", role: "row" },
      columns.map(({ name, className = "" }) =>
        h("div", { class: `grid-cell ${className}`, role: "columnheader" }, name)
      ),
    );
    this.element = h(
      "div",
      {
        class: "grid",
        role: "grid",
        tabindex: 0,
        "aria-label": label,
        "aria-colcount": columns.length,
        onscroll: () => this.#later(),
        onkeydown: (event) => this.#key(event),
        onclick: (event) => this.#click(event),
      },
      this.head,
      this.space,
    );
    const visible = columns.map(({ min, grow = 0 }) =>
      grow > 0 ? `minmax(${min}px, ${grow}fr)` : `${min}px`
    );
    this.element.style.setProperty("--columns", visible.join(" "));
    this.element.style.setProperty(
      "--least",
      `${columns.reduce((sum, { min }) => sum + min, 0)}px`,
    );
    new ResizeObserver(() => this.refresh()).observe(this.element);
  }

  /** source: {count, row(i)}; row() gives undefined while the row is on its way. */
  show(source, { keep = false } = {}) {
    this.source = source;
    if (!keep) {
      this.current = -1;
      this.element.scrollTop = 0;
    }
    this.refresh();
  }

  #later() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.refresh();
    });
  }

  get #viewHeight() {
    return this.element.clientHeight - HEAD;
  }

  refresh() {
    const { count } = this.source;
    const { first, last, shift } = visibleRows(
      this.element.scrollTop,
      this.#viewHeight,
      count,
      ROW,
    );
    this.element.setAttribute("aria-rowcount", count + 1);
    this.space.style.height = `${scrollHeight(count, ROW)}px`;
    this.rows.style.transform = `translateY(${this.element.scrollTop + shift}px)`;
    const rows = [];
    for (let i = first; i < last; i++) rows.push(this.#row(i));
    if (count === 0) rows.push(h("div", { class: "grid-empty" }, this.source.empty ?? this.empty));
    this.rows.replaceChildren(...rows);
    const active = this.current >= first && this.current < last ? `${this.id}-${this.current}` : "";
    this.element.setAttribute("aria-activedescendant", active);
  }

  #row(i) {
    const row = this.source.row(i);
    return h(
      "div",
      {
        class: `grid-row${i === this.current ? " current" : ""}${row ? "" : " waiting"}`,
        role: "row",
        id: `${this.id}-${i}`,
        "data-row": i,
        "aria-rowindex": i + 2,
        "aria-selected": i === this.current ? "true" : "false",
      },
      this.columns.map(({ className = "", cell }) =>
        h("div", { class: `grid-cell ${className}`, role: "gridcell" }, row ? cell(row) : "")
      ),
    );
  }

  choose(i, { open = true } = {}) {
    const { count } = this.source;
    if (count === 0) return;
    this.current = Math.min(Math.max(i, 0), count - 1);
    const top = scrollTo(this.current, this.element.scrollTop, this.#viewHeight, count, ROW);
    if (top !== null) this.element.scrollTop = top;
    this.refresh();
    const row = this.source.row(this.current);
    if (open && row) this.open?.(row, this.current);
  }

  #click(event) {
    const row = event.target.closest("[data-row]");
    if (row) this.choose(Number(row.dataset.row));
  }

  #key(event) {
    const page = Math.max(1, Math.floor(this.#viewHeight / ROW) - 1);
    const steps = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    if (event.key in steps) this.choose(this.current + steps[event.key], { open: false });
    else if (event.key === "Enter" || event.key === " ") this.choose(this.current);
    else return;
    event.preventDefault();
  }
}
