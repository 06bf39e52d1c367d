// paging.js -- the arithmetic of lists that are longer than what is in memory.

/** Rows of a page of entries. */
export const PAGE = 100;
/** Members of one level of the tree that are shown at once. */
export const MEMBERS_SHOWN = 200;
/** Browsers lay out no element that is higher than some 16 million pixels. */
export const MAX_HEIGHT = 8_000_000;

/** The height of what is scrolled. */
export function scrollHeight(count, rowHeight) {
  return Math.min(count * rowHeight, MAX_HEIGHT);
}

/**
 * Which rows are visible, and how far the first of them is above the top edge.
 * Up to MAX_HEIGHT a pixel of scrolling is a pixel of rows, above it is more.
 */
export function visibleRows(scrollTop, viewHeight, count, rowHeight) {
  const height = scrollHeight(count, rowHeight);
  const hidden = Math.max(height - viewHeight, 0);
  const hiddenRows = Math.max(count * rowHeight - viewHeight, 0);
  const share = hidden === 0 ? 0 : Math.min(Math.max(scrollTop, 0), hidden) / hidden;
  const top = share * hiddenRows;
  const first = Math.floor(top / rowHeight);
  const last = Math.min(count, Math.ceil((top + viewHeight) / rowHeight));
  return { first, last, shift: first * rowHeight - top };
}

/** Where to scroll so that a row is in view; null if it is. */
export function scrollTo(row, scrollTop, viewHeight, count, rowHeight) {
  const height = scrollHeight(count, rowHeight);
  const hidden = Math.max(height - viewHeight, 0);
  const hiddenRows = Math.max(count * rowHeight - viewHeight, 0);
  if (hidden === 0) return null;
  const top = scrollTop / hidden * hiddenRows;
  let wanted = top;
  if (row * rowHeight < top) wanted = row * rowHeight;
  if ((row + 1) * rowHeight > top + viewHeight) wanted = (row + 1) * rowHeight - viewHeight;
  return wanted === top ? null : wanted / hiddenRows * hidden;
}

/**
 * Which columns are shown in `room` pixels, and how wide they are as tracks of a CSS grid:
 * {shown, tracks, least}. Of a column: min, the pixels that it wants; tight, what is enough where
 * there is no room; grow, its share of what is left; optional, its rank among those that are left
 * out first; width, what the user has given it.
 */
export function columnTracks(columns, room) {
  const wants = (list, tight) =>
    list.reduce((sum, { width, min, tight: least }) => sum + (width ?? (tight && least || min)), 0);
  const needed = columns.filter(({ optional }) => optional === undefined);
  const extra = columns.filter(({ optional }) => optional !== undefined)
    .sort((a, b) => a.optional - b.optional);
  const chosen = new Set(needed);
  for (const column of extra) {
    if (wants([...chosen, column], false) > room) break;
    chosen.add(column);
  }
  const shown = columns.filter((column) => chosen.has(column));
  const tight = wants(shown, false) > room;
  const tracks = shown.map(({ width, min, tight: least, grow = 0 }) => {
    const px = `${tight && least || min}px`;
    return width !== undefined ? `${width}px` : grow > 0 ? `minmax(${px}, ${grow}fr)` : px;
  });
  return { shown, tracks: tracks.join(" "), least: wants(shown, tight) };
}

const RANKS = { number: 1, bigint: 1, string: 2 };
const encoder = new TextEncoder();
const bytesOf = (x) => typeof x === "string" ? encoder.encode(x) : x;

/** SQLite's order of values: NULL, numbers, text by its UTF-8, bytes. {real} is a REAL as printed. */
export function compareValues(a, b) {
  const rank = (x) => x === null ? 0 : x.real !== undefined ? 1 : RANKS[typeof x] ?? 3;
  const by = rank(a) - rank(b);
  if (by !== 0 || a === null) return by;
  if (rank(a) === 1) {
    const value = (x) => x.real === undefined ? x : Number(x.real.replace("Inf", "Infinity"));
    const [x, y] = [value(a), value(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  }
  const [x, y] = [bytesOf(a), bytesOf(b)];
  const at = x.findIndex((byte, i) => byte !== y[i]);
  return at < 0 ? x.length - y.length : at < y.length ? x[at] - y[at] : 1;
}

/** A copy of the rows in the order of a column; equal ones stay as they are. */
export function sortedRows(rows, column, descending) {
  const sign = descending ? -1 : 1;
  return [...rows].sort((a, b) => sign * compareValues(a[column], b[column]));
}

/** The last pages that were read; older ones are forgotten. */
export class PageCache {
  constructor(read, capacity = 40) {
    this.read = read;
    this.capacity = capacity;
    this.pages = new Map();
  }
  /** A page if it is there; else it is read and `then` called. */
  get(page, then) {
    const known = this.pages.get(page);
    if (known instanceof Promise) return undefined;
    if (known) {
      this.pages.delete(page);
      this.pages.set(page, known);
      return known;
    }
    const coming = this.read(page).then((rows) => {
      this.pages.set(page, rows);
      then();
    }, () => this.pages.delete(page));
    this.pages.set(page, coming);
    while (this.pages.size > this.capacity) this.pages.delete(this.pages.keys().next().value);
    return undefined;
  }
  /** Forgets a page, such as the last one when the list has grown. */
  drop(page) {
    this.pages.delete(page);
  }
}
