// engine.js -- SQLite in WebAssembly: a database and its statements. It knows
// nothing of Deno KV and nothing of the page.

const OK = 0, ROW = 100, DONE = 101;
const TYPE = { integer: 1, real: 2, text: 3, blob: 4, null: 5 };
const TRANSIENT = -1;

export class SqlError extends Error {
  constructor(message, code, offset) {
    super(message);
    this.name = "SqlError";
    this.code = code;
    this.offset = offset;
  }
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Copies bytes into WebAssembly's memory, with a zero after them. */
function lend(wasm, bytes) {
  const p = wasm._malloc(bytes.length + 1);
  if (p === 0) throw new SqlError("out of memory", 7, -1);
  wasm.HEAPU8.set(bytes, p);
  wasm.HEAPU8[p + bytes.length] = 0;
  return p;
}

function zeroTerminated(wasm, p) {
  return decoder.decode(wasm.HEAPU8.subarray(p, wasm.HEAPU8.indexOf(0, p)));
}

export class Statement {
  constructor(database, handle, sql) {
    this.database = database;
    this.handle = handle;
    this.sql = sql;
  }
  get wasm() {
    return this.database.wasm;
  }
  get open() {
    return this.handle !== 0;
  }
  get columns() {
    const { wasm, handle } = this;
    return Array.from(
      { length: wasm._sqlite3_column_count(handle) },
      (_, i) => zeroTerminated(wasm, wasm._sqlite3_column_name(handle, i)),
    );
  }
  get readOnly() {
    return this.wasm._sqlite3_stmt_readonly(this.handle) !== 0;
  }
  get isPlan() {
    return this.wasm._sqlite3_stmt_isexplain(this.handle) === 2;
  }
  bind(params) {
    params.forEach((x, i) => this.#bindOne(i + 1, x));
    return this;
  }
  #bindOne(i, x) {
    const { wasm, handle } = this;
    let rc;
    if (x === null || x === undefined) {
      rc = wasm._sqlite3_bind_null(handle, i);
    } else if (typeof x === "number") {
      rc = wasm._web_bind_number(handle, i, x);
    } else {
      const bytes = x instanceof Uint8Array ? x : encoder.encode(x);
      const p = lend(wasm, bytes);
      rc = x instanceof Uint8Array
        ? wasm._sqlite3_bind_blob(handle, i, p, bytes.length, TRANSIENT)
        : wasm._sqlite3_bind_text(handle, i, p, bytes.length, TRANSIENT);
      wasm._free(p);
    }
    if (rc !== OK) throw this.database.error();
  }
  /** Whether there is a further row. */
  step() {
    const rc = this.wasm._sqlite3_step(this.handle);
    if (rc === ROW) return true;
    if (rc === DONE) return false;
    const error = this.database.error();
    this.wasm._sqlite3_reset(this.handle);
    throw error;
  }
  /** A column of the row: null, number, bigint, string or Uint8Array. */
  column(i) {
    const { wasm, handle } = this;
    const type = wasm._sqlite3_column_type(handle, i);
    if (type === TYPE.null) return null;
    if (type === TYPE.real) return wasm._sqlite3_column_double(handle, i);
    if (type === TYPE.integer) {
      const n = wasm._sqlite3_column_double(handle, i);
      return Number.isSafeInteger(n) ? n : BigInt(this.text(i));
    }
    if (type === TYPE.text) return this.text(i);
    const p = wasm._sqlite3_column_blob(handle, i);
    return wasm.HEAPU8.slice(p, p + wasm._sqlite3_column_bytes(handle, i));
  }
  text(i) {
    const { wasm, handle } = this;
    const p = wasm._sqlite3_column_text(handle, i);
    return p === 0
      ? ""
      : decoder.decode(wasm.HEAPU8.subarray(p, p + wasm._sqlite3_column_bytes(handle, i)));
  }
  isReal(i) {
    return this.wasm._sqlite3_column_type(this.handle, i) === TYPE.real;
  }
  row() {
    return Array.from(
      { length: this.wasm._sqlite3_column_count(this.handle) },
      (_, i) => this.column(i),
    );
  }
  reset() {
    this.wasm._sqlite3_reset(this.handle);
  }
  finalize() {
    if (this.handle !== 0) this.wasm._sqlite3_finalize(this.handle);
    this.handle = 0;
  }
}

export class Database {
  constructor(wasm, path) {
    this.wasm = wasm;
    const p = lend(wasm, encoder.encode(path));
    this.handle = wasm._web_open(p);
    wasm._free(p);
    if (this.handle === 0) throw new SqlError("out of memory", 7, -1);
    if (wasm._sqlite3_extended_errcode(this.handle) !== OK) {
      const error = this.error();
      this.close();
      throw error;
    }
  }
  close() {
    this.wasm._sqlite3_close_v2(this.handle);
    this.handle = 0;
  }
  /** The last error; if the text is wrong, `from` is where it begins in its script. */
  error(from = null) {
    const { wasm, handle } = this;
    const offset = wasm._sqlite3_error_offset(handle);
    return new SqlError(
      zeroTerminated(wasm, wasm._sqlite3_errmsg(handle)),
      wasm._sqlite3_extended_errcode(handle),
      from === null || offset < 0 ? -1 : from + offset,
    );
  }
  get inTransaction() {
    return this.wasm._sqlite3_get_autocommit(this.handle) === 0;
  }
  get totalChanges() {
    return this.wasm._sqlite3_total_changes(this.handle);
  }
  get changes() {
    return this.wasm._sqlite3_changes(this.handle);
  }
  interrupt() {
    this.wasm._sqlite3_interrupt(this.handle);
  }
  /** The statements of a script, one after the other; each is prepared when its turn comes. */
  *statements(sql) {
    const { wasm } = this;
    const start = lend(wasm, encoder.encode(sql));
    const out = wasm._malloc(8);
    try {
      for (let p = start; wasm.HEAPU8[p] !== 0;) {
        const rc = wasm._sqlite3_prepare_v2(this.handle, p, -1, out, out + 4);
        if (rc !== OK) throw this.error(p - start);
        const [handle, tail] = wasm.HEAPU32.subarray(out >> 2, (out >> 2) + 2);
        const text = decoder.decode(wasm.HEAPU8.subarray(p, tail));
        p = tail;
        if (handle !== 0) yield new Statement(this, handle, text.trim());
      }
    } finally {
      wasm._free(out);
      wasm._free(start);
    }
  }
  prepare(sql) {
    return this.statements(sql).next().value;
  }
  /** All rows of one statement, which is run to its end. */
  all(sql, params = []) {
    const statement = this.prepare(sql);
    try {
      statement.bind(params);
      const rows = [];
      while (statement.step()) rows.push(statement.row());
      return rows;
    } finally {
      statement.finalize();
    }
  }
  /** The first row, or undefined. */
  first(sql, params = []) {
    const statement = this.prepare(sql);
    try {
      return statement.bind(params).step() ? statement.row() : undefined;
    } finally {
      statement.finalize();
    }
  }
  /** The first column of the first row. */
  value(sql, params = []) {
    return this.first(sql, params)?.[0];
  }
  /** A whole script without parameters, its rows ignored. */
  run(sql) {
    for (const statement of this.statements(sql)) {
      try {
        while (statement.step());
      } finally {
        statement.finalize();
      }
    }
  }
}
