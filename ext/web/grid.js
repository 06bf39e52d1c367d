// grid.js -- a table of any length, of which only the visible rows are elements.

import { h } from "./dom.js";
import { columnTracks, scrollHeight, scrollTo, visibleRows } from "./paging.js";
import { drag } from "./splitter.js";

const ROW = 32;
const HEAD = 32;
let serial = 0;

export class Grid {
  /**
   * columns: [{name, className, cell(row)} and what columnTracks() reads], where cell() gives
   * text or an element; label for screen readers; open(row, i) when a row is chosen; sort(name)
   * when a head is.
   */
  constructor({ columns, label, open, sort, empty = "Nothing here." }) {
    this.id = `grid${++serial}`;
    this.columns = columns.map((column) => ({ ...column }));
    this.open = open;
    this.sort = sort;
    this.sorted = null; // {column, descending}
    this.empty = empty;
    this.source = { count: 0, row: () => undefined };
    this.current = -1;
    this.rows = h("div", { class: "grid-rows", role: "rowgroup" });
    this.space = h("div", { class: "grid-space", role: "presentation" }, this.rows);
    this.head = h("div", {
      class: "grid-row grid-head",
      role: "row",
      onkeydown: (event) => this.#headKey(event),
    });
    this.element = h(
      "div",
      {
        class: "grid",
        role: "grid",
        tabindex: 0,
        "aria-label": label,
        onscroll: () => this.#later(),
        onkeydown: (event) => event.target === this.element && this.#key(event),
        onclick: (event) => this.#click(event),
      },
      this.head,
      this.space,
    );
    this.#layout();
    new ResizeObserver(() => {
      this.#layout();
      this.refresh();
    }).observe(this.element);
  }

  // ------------------------------------------------------------------ columns

  #layout() {
    const { shown, tracks, least } = columnTracks(this.columns, this.element.clientWidth);
    this.element.style.setProperty("--columns", tracks);
    this.element.style.setProperty("--least", `${least}px`);
    if (shown.length === this.shown?.length) return;
    this.shown = shown;
    this.element.setAttribute("aria-colcount", shown.length);
    this.#drawHead();
  }

  #drawHead() {
    const focused = this.#heads.indexOf(document.activeElement);
    this.head.replaceChildren(...this.shown.map((column, i) => this.#headCell(column, i)));
    if (focused >= 0) this.#focusHead(focused);
  }

  get #heads() {
    return [...this.head.querySelectorAll("button")];
  }

  #headCell(column, i) {
    const { name, className = "" } = column;
    const sorted = this.sorted?.column === column ? this.sorted : null;
    const title = `${this.sort ? `Sort by ${name}. ` : ""}Alt+← and Alt+→ change its width.`;
    return h(
      "div",
      {
        class: `grid-cell ${className}`,
        role: "columnheader",
        "aria-sort": sorted ? sorted.descending ? "descending" : "ascending" : null,
      },
      h(
        "button",
        {
          type: "button",
          class: "grid-name",
          tabindex: i === 0 ? 0 : -1,
          title,
          onclick: () => this.sort && this.#sortBy(column),
        },
        name,
        sorted
          ? h("span", { class: "grid-sort", "aria-hidden": "true" }, sorted.descending ? "▾" : "▴")
          : null,
      ),
      h("span", {
        class: "grid-edge",
        "aria-hidden": "true",
        onpointerdown: (event) => {
          const before = event.target.parentElement.offsetWidth;
          drag(event, (dx) => this.#resize(column, before + dx));
        },
        ondblclick: () => this.#resize(column, undefined),
      }),
    );
  }

  /** The rows are as they came: they couldn't be sorted. */
  unsort() {
    this.sorted = null;
    this.#drawHead();
  }

  /** Up, down, and back to the order in which the rows came. */
  #sortBy(column) {
    const before = this.sorted?.column === column ? this.sorted : null;
    this.sorted = !before
      ? { column, descending: false }
      : before.descending
      ? null
      : { column, descending: true };
    this.#drawHead();
    this.sort(this.sorted);
  }

  #resize(column, width) {
    column.width = width === undefined ? undefined : Math.max(40, Math.round(width));
    this.#layout();
    this.refresh();
  }

  #focusHead(i) {
    const heads = this.#heads;
    heads.forEach((head, at) => head.tabIndex = at === i ? 0 : -1);
    heads[i]?.focus();
  }
  #headKey(event) {
    const heads = this.#heads;
    const at = heads.indexOf(event.target);
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (at < 0 || !step) return;
    event.preventDefault();
    if (event.altKey) this.#resize(this.shown[at], heads[at].parentElement.offsetWidth + 16 * step);
    else if (heads[at + step]) this.#focusHead(at + step);
  }

  // --------------------------------------------------------------------- rows

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
    // Words in the place of rows take the room that they need.
    this.space.classList.toggle("nothing", count === 0);
    this.space.style.height = count === 0 ? "" : `${scrollHeight(count, ROW)}px`;
    this.rows.style.transform = `translateY(${this.element.scrollTop + shift}px)`;
    const rows = [];
    for (let i = first; i < last; i++) rows.push(this.#row(i));
    if (count === 0) {
      const words = this.source.empty ?? this.empty;
      rows.push(
        h("div", { role: "row" }, h("div", { class: "grid-empty", role: "gridcell" }, words)),
      );
    }
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
      this.shown.map(({ className = "", cell }) =>
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
